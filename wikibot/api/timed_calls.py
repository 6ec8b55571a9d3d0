"""Calls of many threads, made one after the other, each for a limited time.

Python computes in one thread at a time anyway: one call after the other is answered sooner than all
of them at once. A call is interrupted between two steps of Python, in whichever thread makes it, so
that this works under every server; what computes outside of Python is let finish its step.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from wikibot.api.errors import ApiError

Answer = TypeVar("Answer")
AGAIN_AFTER_S = 1.0
STEPS_UNTIL_RAISED = 100


class _TimeIsUp(BaseException):
    """Not an Exception: nothing on the way may take it for an error of its own."""


class _Alarm(threading.Thread):
    """Raises _TimeIsUp in the thread that made it, again and again until it is switched off.

    Once is not enough: where Python tidies up an object, it drops what is raised.
    """

    def __init__(self, after_s: float) -> None:
        super().__init__(daemon=True)
        self._after_s = after_s
        self._maker = ctypes.c_ulong(threading.get_ident())
        self._lock, self._is_off = threading.Lock(), threading.Event()

    def run(self) -> None:
        wait_s = self._after_s
        while not self._is_off.wait(wait_s):
            wait_s = AGAIN_AFTER_S
            with self._lock:
                if not self._is_off.is_set():
                    error = ctypes.py_object(_TimeIsUp)
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(self._maker, error)

    def switch_off(self) -> None:
        """Nothing is raised after this; what is on its way is raised here."""
        with self._lock:
            self._is_off.set()
        for _ in range(STEPS_UNTIL_RAISED):
            pass  # it cannot be taken back: Python 3.11 would hang


class TimedCalls:
    """Makes one call at a time, in the thread that asks."""

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self._turn = threading.Lock()

    def deadline(self) -> float:
        """When a request that begins now has taken too long, by the monotonic clock."""
        return time.monotonic() + self.limit_s

    def call(self, function: Callable[[], Answer], until: float | None = None) -> Answer:
        """What the function returns or raises; ApiError where waiting and computing take too long."""
        until = self.deadline() if until is None else until
        if not self._turn.acquire(timeout=max(0.0, until - time.monotonic())):
            raise self.too_long()
        try:
            return self._interrupted_at(until, function)
        finally:
            self._turn.release()

    def _interrupted_at(self, until: float, function: Callable[[], Answer]) -> Answer:
        alarm = _Alarm(max(0.0, until - time.monotonic()))
        try:
            try:
                alarm.start()
                return function()
            finally:
                alarm.switch_off()
        except _TimeIsUp:
            alarm.switch_off()  # also where the first attempt was interrupted
            raise self.too_long() from None

    @property
    def is_busy(self) -> bool:
        """Is a call being made?"""
        return self._turn.locked()

    def too_long(self) -> ApiError:
        """What a request is told that has taken too long."""
        return ApiError(
            503, "too-long-taken",
            f"The request took longer than {self.limit_s:g} s and was given up. Nothing was changed; "
            "send a shorter text, or raise api.time_limit_s.",
        )  # fmt: skip
