"""Map a function over pages: in a loop, in processes that share what is read only, or on a cluster."""

from __future__ import annotations

import ctypes
import gc
import itertools
import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits

from wikibot.engine.cluster import Cluster, cluster, on_cluster
from wikibot.engine.spool import Spool
from wikibot.errors import ModelError

__all__ = [
    "ChildFailed",
    "Cluster",
    "Spool",
    "cluster",
    "in_groups",
    "map_pages",
    "on_cluster",
    "run_apart",
    "tell_done",
    "watching",
]

Item = TypeVar("Item")
Answer = TypeVar("Answer")
Watch = Callable[[int, int | None], None]  # so many items are done, of so many if that is known

WORTH_PROCESSES_ITEMS = 200
CHUNK_ITEMS = 16
CHUNKS_AHEAD = 4  # per process: more would only wait in memory
WATCH_S = 0.2  # between two looks at a process
PR_SET_PDEATHSIG = 1  # of prctl: the signal that a process gets when its parent is gone

_function: Callable[[Any], Any] | None = None
_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watching(watch: Watch) -> Iterator[None]:
    """Call WATCH with every item that `map_pages` has done inside the block."""
    token = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(token)


def tell_done(done: int, total: int | None = None) -> None:
    """Tell whoever watches that so many items are done."""
    watch = _watch.get()
    if watch is not None:
        watch(done, total)


def map_pages(
    function: Callable[[Item], Answer],
    items: Iterable[Item],
    *,
    processes: int = 0,
    at_once: int = CHUNK_ITEMS,
    total: int | None = None,
) -> Iterator[Answer]:
    """The answers in the order of the items; `processes=0` means one per core.

    Items are taken as they are needed, so a stream of them stays a stream, of `total` items if that is
    known; `at_once` of them travel together. Processes are forked, so that the function may hold anything; where the system cannot do
    that, or the items are few, it is a loop; on a cluster, its machines do it. The answers are the
    same. Raises ModelError where a process dies.
    """
    count = processes or os.cpu_count() or 1
    total = len(items) if isinstance(items, Sized) else total
    rest = iter(items)
    first = list(itertools.islice(rest, WORTH_PROCESSES_ITEMS))
    every = itertools.chain(first, rest)
    is_loop = count == 1 or len(first) < WORTH_PROCESSES_ITEMS or sys.platform != "linux"
    # The arrays of one page are small: several threads for one of them only wait for each other.
    with threadpool_limits(1, user_api="blas"):
        answers: Iterator[Answer]
        if (chosen := cluster()) is not None:
            answers = chosen.map(function, every, at_once)
        elif is_loop:
            answers = map(function, every)
        else:
            answers = _forked(function, every, count, at_once)
        for done, answer in enumerate(answers, 1):
            yield answer
            tell_done(done, total)


def _forked(
    function: Callable[[Item], Answer], items: Iterator[Item], count: int, at_once: int
) -> Iterator[Answer]:
    global _function
    _function = function
    context = multiprocessing.get_context("fork")
    # The collector of garbage writes to every object it looks at: a process would get a copy of it.
    gc.freeze()
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=_live_with_parent)
    waiting: deque[Future[list[Answer]]] = deque()
    try:
        for some in in_groups(items, at_once):
            waiting.append(pool.submit(_call, some))
            if len(waiting) > count * CHUNKS_AHEAD:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    except BrokenProcessPool as error:
        raise ModelError(
            "A process that worked on pages was ended, perhaps because memory is short. What was kept "
            "before stays; run the same command again."
        ) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        gc.unfreeze()
        _function = None


def _call(items: list[Any]) -> list[Any]:
    assert _function is not None, "it is set before the processes are forked"
    return list(map(_function, items))


def in_groups(things: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Lists of at most SIZE things.

    >>> list(in_groups("abc", 2))
    [['a', 'b'], ['c']]
    """
    rest = iter(things)
    while some := list(itertools.islice(rest, size)):
        yield some


def run_apart(function: Callable[[], None], *, meanwhile: Callable[[], None] | None = None) -> None:
    """Run a function in a process of its own, whose memory is given back when it ends.

    `meanwhile` is called here now and then until it ends. Where the system cannot fork, the function
    runs here. Raises ChildFailed where the process ends otherwise.
    """
    if sys.platform != "linux":
        function()
        return
    process = multiprocessing.get_context("fork").Process(target=_child, args=(function,))
    process.start()
    try:
        # Waiting without an end, a signal that comes just before would not be noticed.
        while process.is_alive():
            process.join(WATCH_S)
            if meanwhile is not None:
                meanwhile()
    finally:
        process.kill()
        process.join()
    if process.exitcode:
        raise ChildFailed(process.exitcode)


class ChildFailed(Exception):
    """A process that was started to do a part of the work ended with another code than 0."""


def _child(function: Callable[[], None]) -> None:
    _live_with_parent()
    function()


def _live_with_parent() -> None:
    """The parent decides when to stop, and without it there is nothing to do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
