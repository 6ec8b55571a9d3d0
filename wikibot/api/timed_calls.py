"""Calls of many threads, made one after the other, each for a limited time.

Python computes in one thread at a time anyway: one call after the other is answered sooner than all
of them at once. And only the main thread can be interrupted, by a signal.
"""

from __future__ import annotations

import queue
import signal
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NamedTuple, TypeVar

from wikibot.api.errors import ApiError

Answer = TypeVar("Answer")
MOST_WAITING = 64


class _Call(NamedTuple):
    function: Callable[[], Any]
    future: Future[Any]
    until: float  # by time.monotonic


class _TimeIsUp(BaseException):
    """Not an Exception: nothing on the way may take it for an error of its own."""


class TimedCalls:
    """Makes the calls in the thread that is in `run`; where none is, in the thread that asks."""

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self._calls: queue.Queue[_Call] = queue.Queue(MOST_WAITING)
        self._is_served = self._is_calling = False

    def call(self, function: Callable[[], Answer]) -> Answer:
        """What the function returns or raises; ApiError where it takes too long or too many wait."""
        if not self._is_served:
            return function()
        future: Future[Answer] = Future()
        try:
            self._calls.put_nowait(_Call(function, future, time.monotonic() + self.limit_s))
        except queue.Full:
            raise ApiError(
                503, "busy", "Too many requests wait. Nothing was changed.", retry_after_s=1
            ) from None
        return future.result()

    @property
    def is_busy(self) -> bool:
        """Is a call being made?"""
        return self._is_calling

    @property
    def waiting(self) -> int:
        """How many calls wait for their turn."""
        return self._calls.qsize()

    def start_serving(self) -> None:
        """From now on calls wait for the thread that is about to `run`."""
        self._is_served = True

    def run(self) -> None:
        """Make calls until the process ends; for the main thread of a process."""
        self.start_serving()
        signal.signal(signal.SIGALRM, self._time_is_up)
        while True:
            self._make(self._calls.get())

    def _make(self, call: _Call) -> None:
        value, error = self._outcome(call)
        if error is None:
            call.future.set_result(value)
        else:
            call.future.set_exception(error)

    def _outcome(self, call: _Call) -> tuple[Any, Exception | None]:
        """What the call returned or raised; the signal comes once, and only inside this block."""
        left_s = call.until - time.monotonic()
        value, error = None, None
        try:
            if left_s <= 0:
                raise _TimeIsUp
            self._is_calling = True
            signal.setitimer(signal.ITIMER_REAL, left_s)
            try:
                value = call.function()
            except Exception as raised:
                error = raised
            self._is_calling = False
        except _TimeIsUp:
            self._is_calling = False
            error = self._too_long()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        return value, error

    def _time_is_up(self, *_: object) -> None:
        if self._is_calling:
            raise _TimeIsUp

    def _too_long(self) -> ApiError:
        return ApiError(
            503, "too-long-taken",
            f"The request took longer than {self.limit_s:g} s and was given up. Nothing was changed; "
            "send a shorter text, or raise api.time_limit_s.",
        )  # fmt: skip
