"""Work that takes longer than a page may: it goes on behind, and is there the next time.

Reading a page of 200 kB as publishing reads it takes half a second, loading a model one or two. The
reviewer gets the rest of the page at once; the script, or a link without it, asks again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from threading import Lock
from typing import Any, TypeVar

Result = TypeVar("Result")

# How long a page waits for such work: what is left of 100 ms is for the rest of the page.
PATIENCE_S = 0.03
# How many results are kept, the oldest of which go first.
KEPT = 32


class Soon:
    """One thread that works in the order of asking, and what it has found."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s
        self._lock = Lock()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="wikibot-soon")
        self._asked: OrderedDict[Hashable, Future[Any]] = OrderedDict()

    def ask(self, key: Hashable, work: Callable[[], Result]) -> Result | None:
        """What WORK returns, now or when it was asked for before; None if it is not there yet.

        Equal keys must mean equal results. What WORK raises is raised here, and tried again when
        it is asked for the next time.
        """
        future = self.begin(key, work)
        try:
            return future.result(self._patience_s)
        except NotYet:
            return None
        finally:
            if future.done() and future.exception() is not None:
                self._forget(key)

    def begin(self, key: Hashable, work: Callable[[], Result]) -> Future[Result]:
        """The work is under way or done."""
        with self._lock:
            future = self._asked.pop(key, None) or self._pool.submit(work)
            self._asked[key] = future
            while len(self._asked) > KEPT:
                self._asked.popitem(last=False)
            return future

    def stop(self) -> None:
        """Nothing that has not begun will be done."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _forget(self, key: Hashable) -> None:
        with self._lock:
            self._asked.pop(key, None)
