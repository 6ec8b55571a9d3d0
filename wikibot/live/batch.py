"""Changes that are handled together, wherever they come from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from wikibot.source import Changed, moment
from wikibot.store.following import Position

# Entries may appear a little later than the moment that they carry: what is near is read twice.
OVERLAP = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class Batch:
    """The pages that some changes are about, and how far the changes have come."""

    titles: frozenset[str]
    page_ids: frozenset[int]
    position: Position

    @classmethod
    def of(cls, changes: Iterable[Changed], position: Position) -> Batch:
        """The changes after this position."""
        titles: set[str] = set()
        page_ids: set[int] = set()
        newest = position.timestamp
        for change in changes:
            titles.update(change.titles)
            page_ids.update((change.page_id,) if change.page_id else ())
            newest = max(newest, change.timestamp)
        return cls(frozenset(titles), frozenset(page_ids), position._replace(timestamp=newest))

    def joined(self, later: Batch) -> Batch:
        """This batch and a later one."""
        return Batch(self.titles | later.titles, self.page_ids | later.page_ids, later.position)

    def __len__(self) -> int:
        return len(self.titles) + len(self.page_ids)


class Source(Protocol):
    """Where changes come from."""

    def take(self, position: Position) -> Batch:
        """What has changed since; empty where nothing has."""

    def wait(self, seconds: float) -> None:
        """Wait for more; shorter than that where it is known that there is more."""

    def close(self) -> None:
        """No connection is left open."""


def with_overlap(timestamp: str) -> str:
    """A moment a little earlier, in MediaWiki's way of writing."""
    found = moment(timestamp)
    assert found is not None, "it was checked when it was kept"
    return (found - OVERLAP).strftime("%Y-%m-%dT%H:%M:%SZ")
