"""Work that takes longer than a page may: it goes on elsewhere, and is there the next time.

To read a page of 200 kB as publishing reads it takes more than half a second, to load a model one
or two. The reviewer gets the rest of the page at once; the script, or a link without it, asks again.
"""

from __future__ import annotations

import os
import signal
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from functools import cached_property
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from threading import Lock, Thread
from typing import Any, TypeVar

Result = TypeVar("Result")

# How long a page waits for such work: what is left of 100 ms is for the rest of the page.
PATIENCE_S = 0.03
# How many results are kept, the oldest of which go first.
KEPT = 32


class Background:
    """Work under way, one piece after the other, and what it has found."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s
        self._lock = Lock()
        self._asked: OrderedDict[Hashable, Future[Any]] = OrderedDict()

    def ask(
        self, key: Hashable, work: Callable[[], Result], *, in_process: bool = False
    ) -> Result | None:
        """What WORK returns, now or when it was asked for before; None if it is not there yet.

        Equal keys must mean equal results. What WORK raises is raised here, and tried again when
        it is asked for the next time.
        """
        future = self.begin(key, work, in_process=in_process)
        try:
            return future.result(self._patience_s)
        except NotYet:
            return None
        finally:
            if future.done() and future.exception() is not None:
                self._forget(key)

    def begin(
        self, key: Hashable, work: Callable[[], Result], *, in_process: bool = False
    ) -> Future[Result]:
        """The work is under way or done: in a thread, or in a process that takes no time from us."""
        with self._lock:
            future = self._asked.pop(key, None)
            if future is None:
                future = (self._process if in_process else self._thread).submit(work)
            self._asked[key] = future
            while len(self._asked) > KEPT:
                self._asked.popitem(last=False)
            return future

    def stop(self) -> None:
        """Nothing that has not begun will be done."""
        for name in ("_thread", "_process"):
            if name in self.__dict__:
                getattr(self, name).shutdown(wait=False, cancel_futures=True)

    @cached_property
    def _thread(self) -> Executor:
        return ThreadPoolExecutor(1, thread_name_prefix="wikibot-background")

    @cached_property
    def _process(self) -> Executor:
        return ProcessPoolExecutor(1, get_context("spawn"), _follow_the_server)

    def _forget(self, key: Hashable) -> None:
        with self._lock:
            self._asked.pop(key, None)


def _follow_the_server() -> None:
    """Ctrl-C and a closed terminal stop the server; this process ends when the server has ended."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    Thread(target=_end_with_the_server, daemon=True).start()


def _end_with_the_server() -> None:
    server = parent_process()
    assert server is not None, "this runs in a process that the server has started"
    wait((server.sentinel,))
    os._exit(0)
