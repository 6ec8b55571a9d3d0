"""An event stream of changes, read line by line (server-sent events, as EventStreams has them)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from wikibot import __version__
from wikibot.errors import WikiUnavailable
from wikibot.site.answers import MISREAD, text_in
from wikibot.site.retry_after import seconds_of
from wikibot.source import Changed

CONNECT_S, SILENT_S = 10, 60  # a stream that says nothing for so long is taken for broken
TYPES = ("edit", "new", "log")
ARTICLES = 0


class Event(NamedTuple):
    """An event's place in the stream, and its change where it is about the wiki's articles."""

    id: str
    change: Changed | None


class StreamReader:
    """The stream at an address, of which the changes of one wiki are wanted."""

    def __init__(self, url: str, host: str) -> None:
        self._url, self._host = url, host
        self._answer: Any = None

    def events(self, *, event_id: str = "", since: str = "") -> Iterator[Event]:
        """Events after that one, or since that moment, until the connection ends.

        Raises WikiUnavailable where it breaks.
        """
        import requests

        headers = {"Accept": "text/event-stream", "User-Agent": f"wikibot/{__version__}"}
        where = {} if event_id else {"since": since}
        if event_id:
            headers["Last-Event-ID"] = event_id
        try:
            with requests.get(
                self._url, headers=headers, params=where, stream=True, timeout=(CONNECT_S, SILENT_S)
            ) as self._answer:
                self._refuse_error()
                yield from self._read(self._answer.iter_lines(chunk_size=None))
        except (requests.RequestException, OSError, AttributeError) as error:
            # A response that is closed by another thread ends in an AttributeError.
            raise WikiUnavailable(f"The event stream broke off: {error}") from error

    def _refuse_error(self) -> None:
        if self._answer.status_code != 200:
            raise WikiUnavailable(
                f"The event stream answered {self._answer.status_code}.",
                retry_after_s=seconds_of(self._answer.headers.get("Retry-After", "0")),
            )

    def _read(self, lines: Iterable[bytes]) -> Iterator[Event]:
        fields: dict[str, str] = {}
        for line in lines:
            if line:
                name, _, value = line.decode("utf-8", "replace").partition(":")
                fields[name] = fields.get(name, "") + value.removeprefix(" ")
            elif fields:
                if "id" in fields:
                    yield Event(fields["id"], self._change(fields.get("data", "")))
                fields = {}

    def _change(self, data: str) -> Changed | None:
        """The change, where it is one of our wiki's articles; most are of other wikis."""
        if self._host not in data:
            return None
        try:
            event = json.loads(data)
            if event["server_name"] != self._host or event["type"] not in TYPES:
                return None
            return _changed(event)
        except MISREAD:
            return None

    def close(self) -> None:
        """The reader stops, wherever it is."""
        if self._answer is not None:
            with suppress(OSError, AttributeError):
                self._answer.close()


def _changed(event: dict[str, Any]) -> Changed | None:
    params = event.get("log_params")
    moved_to = text_in(params, "target", "") if isinstance(params, dict) else ""
    if event["namespace"] != ARTICLES and not moved_to:
        return None
    titles = tuple(title for title in (text_in(event, "title"), moved_to) if title)
    return Changed(titles, 0, text_in(event["meta"], "dt")[:19] + "Z")
