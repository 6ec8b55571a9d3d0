"""Map a function over pages: in a loop, or in several processes that share what is read only."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits

Item = TypeVar("Item")
Answer = TypeVar("Answer")

WORTH_PROCESSES_ITEMS = 200
CHUNK_ITEMS = 16
WATCH_S = 0.2  # between two looks at a process
PR_SET_PDEATHSIG = 1  # of prctl: the signal that a process gets when its parent is gone

_function: Callable[[Any], Any] | None = None


def map_pages(
    function: Callable[[Item], Answer], items: Sequence[Item], *, processes: int = 0
) -> Iterator[Answer]:
    """The answers in the order of the items; `processes=0` means one per core.

    Processes are forked, so that the function may hold anything; where the system cannot do that, or
    the items are few, it is a loop. The answers are the same.
    """
    count = processes or os.cpu_count() or 1
    # The arrays of one page are small: several threads for one of them only wait for each other.
    with threadpool_limits(1, user_api="blas"):
        if count == 1 or len(items) < WORTH_PROCESSES_ITEMS or sys.platform != "linux":
            yield from map(function, items)
            return
        global _function
        _function = function
        try:
            with multiprocessing.get_context("fork").Pool(count) as pool:
                yield from pool.imap(_call, items, CHUNK_ITEMS)
        finally:
            _function = None


def _call(item: Any) -> Any:
    assert _function is not None, "it is set before the processes are forked"
    return _function(item)


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
        while meanwhile is not None and process.is_alive():
            process.join(WATCH_S)
            meanwhile()
        process.join()
    finally:
        process.kill()
        process.join()
    if process.exitcode:
        raise ChildFailed(process.exitcode)


class ChildFailed(Exception):
    """A process that was started to do a part of the work ended with another code than 0."""


def _child(function: Callable[[], None]) -> None:
    """Do the work; the parent decides when to stop, and without it there is nothing to do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    function()
