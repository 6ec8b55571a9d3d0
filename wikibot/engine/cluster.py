"""Which cluster `map_pages` runs on, if any: set for a block of code, and read where it matters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Protocol


class Cluster(Protocol):
    """Machines that map functions over items; `folder` is a place that all of them see."""

    folder: Path

    def map(
        self, function: Callable[[Any], Any], items: Iterator[Any], at_once: int
    ) -> Iterator[Any]:
        """The answers in the order of the items, so many of which travel together."""
        ...


_cluster: ContextVar[Cluster | None] = ContextVar("cluster", default=None)


def cluster() -> Cluster | None:
    """The cluster in use."""
    return _cluster.get()


@contextmanager
def on_cluster(chosen: Cluster | None) -> Iterator[None]:
    """Map on this cluster inside the block; on this machine where it is None."""
    token = _cluster.set(chosen)
    try:
        yield
    finally:
        _cluster.reset(token)
