"""What was read in this sitting; kept in memory, gone when the server stops."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

LONGEST = 50


class ReadingHistory:
    """Titles in the order in which they were last read, newest first."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._read: OrderedDict[tuple[int, str], None] = OrderedDict()

    def remember(self, wiki_id: int, title: str) -> None:
        """The page counts as read just now."""
        with self._lock:
            self._read[(wiki_id, title)] = None
            self._read.move_to_end((wiki_id, title))
            while len(self._read) > LONGEST:
                self._read.popitem(last=False)

    def titles(self, wiki_id: int) -> list[str]:
        """The pages of this wiki that were read, newest first."""
        with self._lock:
            return [title for wiki, title in reversed(self._read) if wiki == wiki_id]

    def forget(self) -> None:
        """Nothing has been read."""
        with self._lock:
            self._read.clear()
