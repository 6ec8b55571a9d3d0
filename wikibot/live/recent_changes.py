"""The changes of any wiki, by asking RecentChanges again and again."""

from __future__ import annotations

import threading

from wikibot.live.batch import Batch, with_overlap
from wikibot.site.reading import WikiReader
from wikibot.store.following import Position


class RecentChanges:
    """Asks the wiki what has changed."""

    def __init__(self, reader: WikiReader) -> None:
        self._reader = reader
        self._pause = threading.Event()

    def take(self, position: Position) -> Batch:
        return Batch.of(self._reader.changes(with_overlap(position.timestamp)), position)

    def wait(self, seconds: float) -> None:
        self._pause.wait(seconds)

    def close(self) -> None:
        self._pause.set()
