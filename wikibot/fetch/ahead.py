"""Reading ahead: the network is busy while pages are parsed and written."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from typing import TypeVar

Thing = TypeVar("Thing")
_WAKE_UP_S = 0.2


class _End:
    """The last thing has come; `error` if it was not the end but trouble."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error


def read_ahead(things: Iterable[Thing], at_most: int) -> Iterator[Thing]:
    """The same things in order, fetched by a thread that is at most AT_MOST of them ahead.

    Trouble in the thread is raised here, after the things that came before it.
    """
    waiting: queue.Queue[Thing | _End] = queue.Queue(maxsize=at_most)
    stopped = threading.Event()
    filler = threading.Thread(target=_fill, args=(waiting, things, stopped), daemon=True)
    filler.start()
    try:
        while not isinstance(thing := waiting.get(), _End):
            yield thing
        if thing.error is not None:
            raise thing.error
    finally:
        stopped.set()


def _fill(
    waiting: queue.Queue[Thing | _End], things: Iterable[Thing], stopped: threading.Event
) -> None:
    try:
        for thing in things:
            if not _put(waiting, thing, stopped):
                return
    except Exception as error:
        _put(waiting, _End(error), stopped)
    else:
        _put(waiting, _End(), stopped)


def _put(waiting: queue.Queue[Thing | _End], thing: Thing | _End, stopped: threading.Event) -> bool:
    """THING is in the queue; False if nobody wants it any more."""
    while not stopped.is_set():
        try:
            waiting.put(thing, timeout=_WAKE_UP_S)
        except queue.Full:
            continue
        return True
    return False
