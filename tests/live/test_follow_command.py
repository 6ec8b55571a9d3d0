"""What `wikibot follow` refuses before it asks any wiki."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.linker.rivers import rivers_store
from wikibot.cli import cli
from wikibot.config import load_settings
from wikibot.errors import ConfigError, StoreError
from wikibot.live.batch import Batch, with_overlap
from wikibot.live.event_stream import EventStream
from wikibot.live.recent_changes import RecentChanges
from wikibot.live.run import source_for
from wikibot.site.reading import WikiReader
from wikibot.source import Changed
from wikibot.store.following import Position, keep_position, position_of
from wikibot.store.pages import WikiRow, wiki_by_name

WIKI = WikiRow(1, "en.wikipedia.org", None, None, "en", {}, None)


def test_a_wiki_without_an_address_is_refused(tmp_path: Path) -> None:
    rivers_store(tmp_path).close()
    with pytest.raises(ConfigError, match="name it with --url"):
        cli.main(["follow", "--db", str(tmp_path / "w.db")], standalone_mode=False)


def test_a_database_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="There is no database"):
        cli.main(["follow", "--db", str(tmp_path / "no.db")], standalone_mode=False)


class At(WikiReader):
    """A reader of a wiki of which only the address is asked."""

    def __init__(self, api: str) -> None:
        self._api = api

    @property
    def api_url(self) -> str:
        return self._api


@pytest.mark.parametrize(
    ("api", "chosen", "kind"),
    [
        ("https://en.wikipedia.org/w/api.php", "auto", EventStream),
        ("https://wiki.example.org/api.php", "auto", RecentChanges),
        ("https://en.wikipedia.org/w/api.php", "recentchanges", RecentChanges),
        ("https://wiki.example.org/api.php", "eventstreams", EventStream),
    ],
)
def test_the_settings_choose_where_changes_come_from(api: str, chosen: str, kind: type) -> None:
    settings = load_settings(environ={}, changes_from=chosen)
    assert type(source_for(At(api), settings)) is kind


def test_the_position_is_kept_and_replaced(tmp_path: Path) -> None:
    with rivers_store(tmp_path) as store:
        with store.reading() as session:
            wiki_id = wiki_by_name(session).id
            assert position_of(session, wiki_id) is None
        for position in (Position("2026-01-01T00:00:00Z"), Position("2026-01-02T00:00:00Z", "e")):
            with store.writing() as session:
                keep_position(session, wiki_id, position)
            with store.reading() as session:
                assert position_of(session, wiki_id) == position


def test_a_batch_names_pages_once_and_the_newest_moment() -> None:
    early, late = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"
    changes = [Changed(("A", "B"), 7, late), Changed(("A",), 0, early)]
    batch = Batch.of(changes, Position(early, "e"))
    assert batch == Batch(frozenset("AB"), frozenset({7}), Position(late, "e"))
    more = Batch.of([Changed(("C",), 8, late)], Position(late, "f"))
    joined = batch.joined(more)
    assert joined == Batch(frozenset("ABC"), frozenset({7, 8}), Position(late, "f"))
    assert not len(Batch.of((), Position(early)))


def test_changes_are_read_a_minute_twice() -> None:
    assert with_overlap("2026-01-01T00:00:30Z") == "2025-12-31T23:59:30Z"
