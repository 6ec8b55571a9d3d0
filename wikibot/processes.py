"""Processes that are started again when they end, and end with those who started them."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress

PR_SET_PDEATHSIG = 1
RESTART_AFTER_S = 1.0  # at the earliest, so that what cannot start does not spin


def end_with_parent(number: signal.Signals) -> None:
    """The system sends us this signal when the process that has started us ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number)


class Parent:
    """Keeps a number of processes alive that all do the same."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._started: dict[int, float] = {}  # process id -> when

    def run(self, count: int) -> None:
        """Start the processes, and another one for each that ends."""
        for _ in range(count):
            self._start()
        while True:
            ended, _ = os.wait()
            began = self._started.pop(ended, None)
            if began is not None:
                time.sleep(max(0.0, began + RESTART_AFTER_S - time.monotonic()))
                self._start()

    def _start(self) -> None:
        process = os.fork()
        if process:
            self._started[process] = time.monotonic()
            return
        code = 1
        try:
            end_with_parent(signal.SIGKILL)
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            self._work()
            code = 0
        finally:
            os._exit(code)

    def stop(self) -> None:
        """No process is left."""
        for process in self._started:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM)
        for process in self._started:
            with suppress(ChildProcessError):
                os.waitpid(process, 0)
