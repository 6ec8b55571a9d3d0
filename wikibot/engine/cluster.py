"""Which cluster `map_pages` runs on, if any: set for a block of code, and read where it matters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Protocol


class Table(Protocol):
    """A table that a cluster can read."""

    def has(self, column: str) -> bool:
        """Is there such a column? A column of a part is written as in SQL: `slots['main'].text`."""
        ...

    def values(self, column: str, *, most: int) -> list[str]:
        """The different values of a column, at most so many, sorted."""
        ...

    def rows(
        self, columns: Mapping[str, str], *, where: Mapping[str, str], order: str
    ) -> Iterator[dict[str, Any]]:
        """Rows with these columns under new names, of these values, in this order, as a stream."""
        ...


class Cluster(Protocol):
    """Machines that map functions over items; `folder` is a place that all of them see."""

    folder: Path

    def map(
        self, function: Callable[[Any], Any], items: Iterator[Any], at_once: int
    ) -> Iterator[Any]:
        """The answers in the order of the items, so many of which travel together."""
        ...

    def table(self, name: str) -> Table:
        """A table by its name, or a folder or file of Parquet; refuses what is not there."""
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
