"""The changes of Wikimedia's wikis as they happen: one connection, resumed where it broke off."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import replace
from datetime import datetime, timedelta, timezone

from wikibot.errors import WikiUnavailable
from wikibot.live.batch import Batch, with_overlap
from wikibot.live.recent_changes import RecentChanges
from wikibot.site.event_stream import StreamReader
from wikibot.source import Changed, moment
from wikibot.store.following import Position

# The stream remembers a week; what is older is asked of the wiki.
REMEMBERED = timedelta(days=6)
AGAIN_AFTER_S = 5.0  # after a connection broke


class EventStream:
    """Listens in a thread of its own; what it hears waits to be taken."""

    def __init__(self, stream: StreamReader, recent_changes: RecentChanges) -> None:
        self._stream, self._recent_changes = stream, recent_changes
        self._heard: deque[Changed] = deque()
        self._heard_up_to = ""
        self._stopped = threading.Event()
        self._listener: threading.Thread | None = None

    def take(self, position: Position) -> Batch:
        """What was heard; before the first connection, what the stream has forgotten."""
        if self._listener is None:
            return self._begin(position)
        heard_up_to = self._heard_up_to  # read first: what it covers is waiting by now
        events = [self._heard.popleft() for _ in range(len(self._heard))]
        batch = Batch.of(events, position)
        return replace(batch, position=batch.position._replace(event_id=heard_up_to))

    def _begin(self, position: Position) -> Batch:
        begun = moment(position.timestamp)
        is_old = begun is None or begun < datetime.now(timezone.utc) - REMEMBERED
        caught_up = self._recent_changes.take(position) if is_old or not position.event_id else None
        since = caught_up.position if caught_up else position
        self._heard_up_to = since.event_id
        self._listener = threading.Thread(target=self._listen, args=(since,), daemon=True)
        self._listener.start()
        return caught_up or Batch.of((), position)

    def _listen(self, position: Position) -> None:
        event_id, since = position.event_id, with_overlap(position.timestamp)
        while not self._stopped.is_set():
            wait_s = (
                AGAIN_AFTER_S  # also where the server ends the connection, as it does now and then
            )
            try:
                for event in self._stream.events(event_id=event_id, since=since):
                    if self._stopped.is_set():
                        return
                    if event.change is not None:
                        self._heard.append(event.change)
                    event_id = self._heard_up_to = event.id
            except WikiUnavailable as error:
                wait_s = max(AGAIN_AFTER_S, error.retry_after_s)
            self._stopped.wait(wait_s)

    def wait(self, seconds: float) -> None:
        """Wait all of the time: what is heard meanwhile is handled together."""
        self._stopped.wait(seconds)

    def close(self) -> None:
        self._stopped.set()
        self._stream.close()
