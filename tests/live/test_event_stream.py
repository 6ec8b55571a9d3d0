"""An event stream from a real server on this machine, in the shape that EventStreams has."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.waiting import wait_until
from wikibot.errors import WikiUnavailable
from wikibot.live.batch import Batch
from wikibot.live.event_stream import EventStream
from wikibot.site.event_stream import StreamReader
from wikibot.source import Changed
from wikibot.store.following import Position

HOST = "en.wikipedia.org"
NOW = "2026-11-18T07:00:00Z"


def event(title: str, *, host: str = HOST, namespace: int = 0, **more: Any) -> dict[str, Any]:
    """A recorded event of `mediawiki.recentchange`, with another title."""
    return {
        "$schema": "/mediawiki/recentchange/1.0.0",
        "meta": {"uri": f"https://{host}/wiki/{title}", "dt": "2026-11-18T07:00:01.234Z", "domain": host},
        "id": 1, "type": "edit", "namespace": namespace, "title": title, "comment": "c",
        "timestamp": 1795000000, "user": "Ann", "bot": False, "server_url": f"https://{host}",
        "server_name": host, "wiki": "enwiki", "revision": {"old": 1, "new": 2},
    } | more  # fmt: skip


@dataclass
class Stream:
    """Sends each connection the events that come after what it has, then breaks off."""

    events: list[dict[str, Any]] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)  # Last-Event-ID, since
    status: int = 200
    url: str = ""


@pytest.fixture
def stream() -> Iterator[Stream]:
    found = Stream()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            last = self.headers.get("Last-Event-ID", "")
            query = parse_qs(urlsplit(self.path).query)
            found.asked.append((last, query.get("since", [""])[0]))
            self.send_response(found.status)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Retry-After", "7")
            self.end_headers()
            self.wfile.write(b":ok\n\n")
            start = json.loads(last)[0]["offset"] + 1 if last else 0
            for number, sent in enumerate(found.events[start:], start):
                place = json.dumps([{"topic": "eqiad", "partition": 0, "offset": number}])
                lines = f"event: message\nid: {place}\ndata: {json.dumps(sent)}\n\n"
                self.wfile.write(lines.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.url = f"http://127.0.0.1:{server.server_port}/v2/stream/recentchange"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield found
    server.shutdown()
    server.server_close()


def titles(reader: StreamReader, **where: str) -> list[tuple[str, ...]]:
    return [one.change.titles for one in reader.events(**where) if one.change is not None]


def test_only_articles_of_the_wiki_are_changes(stream: Stream) -> None:
    stream.events = [
        event("Severn"),
        event("Severn", host="de.wikipedia.org"),
        event("Talk:Severn", namespace=1),
        event("Mentions en.wikipedia.org", host="meta.wikimedia.org"),
        event("Categories", type="categorize"),
        event("Thames", type="new"),
        event("Wye", type="log", log_type="delete", log_params={}),
        event("User:Ann/Usk", namespace=2, type="log", log_type="move", log_params={"target": "Usk"}),
        {"$schema": "/mediawiki/recentchange/1.0.0", "meta": {"domain": "canary"}},
    ]  # fmt: skip
    found = titles(StreamReader(stream.url, HOST), since=NOW)
    assert found == [("Severn",), ("Thames",), ("Wye",), ("User:Ann/Usk", "Usk")]
    assert stream.asked == [("", NOW)]


def test_it_is_resumed_after_the_last_event(stream: Stream) -> None:
    stream.events = [event("Severn"), event("Thames")]
    reader = StreamReader(stream.url, HOST)
    last = list(reader.events(since=NOW))[-1].id
    stream.events.append(event("Wye"))
    assert titles(reader, event_id=last) == [("Wye",)]
    assert stream.asked[-1] == (last, "")


def test_an_error_is_told_with_the_time_to_wait(stream: Stream) -> None:
    stream.status = 429
    with pytest.raises(WikiUnavailable, match="429") as raised:
        list(StreamReader(stream.url, HOST).events(since=NOW))
    assert raised.value.retry_after_s == 7


def test_a_server_that_is_not_there_is_told() -> None:
    with pytest.raises(WikiUnavailable, match="broke off"):
        list(StreamReader("http://127.0.0.1:1/", HOST).events(since=NOW))


class Asked:
    """The wiki's own list of changes, which has one."""

    def __init__(self) -> None:
        self.since: list[str] = []

    def take(self, position: Position) -> Batch:
        self.since.append(position.timestamp)
        return Batch.of([Changed(("Older",), 5, NOW)], position)


def heard(source: EventStream, position: Position, wanted: set[str]) -> Position:
    """Take until all these titles were heard; what was handled last."""
    seen: set[str] = set()

    def take() -> bool:
        nonlocal position
        batch = source.take(position)
        seen.update(batch.titles)
        position = batch.position
        return wanted <= seen

    wait_until(take, within_s=60, what=f"{wanted}, of which came {seen}")
    assert seen == wanted
    return position


def test_a_break_is_mended_and_nothing_is_heard_twice(
    stream: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server ends the connection after each answer; later events come by a later one."""
    monkeypatch.setattr("wikibot.live.event_stream.AGAIN_AFTER_S", 0.05)
    stream.events = [event("Severn"), event("Elsewhere", host="de.wikipedia.org")]
    asked = Asked()
    source = EventStream(StreamReader(stream.url, HOST), asked)  # type: ignore[arg-type]
    try:
        position = heard(source, Position(NOW), {"Older", "Severn"})
        stream.events.append(event("Thames"))
        position = heard(source, position, {"Thames"})
    finally:
        source.close()
    assert asked.since == [NOW], "what was before the stream is asked of the wiki, once"
    again = EventStream(StreamReader(stream.url, HOST), asked)  # type: ignore[arg-type]
    stream.events.append(event("Wye"))
    try:
        heard(again, position, {"Wye"})
    finally:
        again.close()
    assert len(asked.since) == 1, "the stream itself remembers where we were"


def test_after_a_week_the_wiki_is_asked_what_the_stream_has_forgotten(stream: Stream) -> None:
    asked = Asked()
    old = Position("2020-01-01T00:00:00Z", '[{"offset": 0}]')
    source = EventStream(StreamReader(stream.url, HOST), asked)  # type: ignore[arg-type]
    try:
        assert source.take(old).titles == {"Older"}
    finally:
        source.close()
    assert asked.since == [old.timestamp]
