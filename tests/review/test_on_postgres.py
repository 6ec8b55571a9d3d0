"""The queue and its decisions on PostgreSQL: the same answers as on SQLite."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.review import sample
from tests.store.postgres import PostgresServer, postgres_server
from wikibot.errors import AlreadyDecided
from wikibot.store import (
    Store,
    decision_io,
    decisions,
    never_links,
    open_store,
    queue,
    reservations,
    review_statistics,
)
from wikibot.store.decisions import Voice
from wikibot.store.pages import wikis
from wikibot.store.queue import Filters

pytestmark = pytest.mark.postgres

ALICE = Voice("alice", "web")
LONG_AGO = datetime(2000, 1, 1, tzinfo=timezone.utc)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    with postgres_server() as running:
        yield running


@pytest.fixture
def both(server: PostgresServer, tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    """The sample wiki on SQLite and on PostgreSQL."""
    with (
        sample.make_store(tmp_path / "wiki.db") as lite,
        open_store(server.new_database(), create=True) as post,
    ):
        with post.writing() as session:
            sample.add_wiki(session, "en", sample.ENGLISH, sample.ENGLISH_PROPOSALS)
        yield lite, post


def decide_some(store: Store) -> None:
    with store.writing() as session:
        decisions.decide(session, 1, "approve", ALICE, version=1)
        decisions.decide(session, 2, "reject", ALICE, reason="span")
        skipped = decisions.decide(session, 3, "skip", ALICE)
        decisions.undo(session, skipped, ALICE)


def test_a_reservation_is_somebodys_on_both(both: tuple[Store, Store]) -> None:
    now = datetime.now(timezone.utc)
    until = now + timedelta(minutes=5)
    for store in both:
        with store.writing() as session:
            assert reservations.reserve(session, 1, "Ann", now, until)
            assert reservations.reserve(session, 1, "Ann", now, until), "and again"
            assert not reservations.reserve(session, 1, "Bob", now, until)
            held = reservations.held(session, 1, now)
        assert held is not None and held.reviewer == "Ann"


def told(store: Store) -> dict[str, object]:
    """All that the pages ask the store, as plain values."""
    with store.reading() as session:
        wiki = queue.wikis(session)[0]
        wanted = [
            Filters(wiki.id),
            Filters(wiki.id, state="any"),
            Filters(wiki.id, page="HARB"),
            Filters(wiki.id, target="lighthouse", low=0.5, high=0.9),
            Filters(wiki.id, category="Optics"),
        ]
        return {
            "lines": [[line.anchor for line in queue.lines(session, one)] for one in wanted],
            "counts": [queue.count(session, one) for one in wanted],
            "after": [queue.id_after(session, wanted[0], n) for n in range(1, 12)],
            "before": [queue.id_before(session, wanted[0], n) for n in range(1, 12)],
            "states": queue.count_states(session, wiki.id),
            "titles": [one.title for one in queue.find_titles(session, wiki.id, "fo")],
            "categories": queue.categories(session, wiki.id),
            "bands": [
                (b.accepted, b.rejected) for b in review_statistics.acceptance(session, wiki.id)
            ],
            "reasons": review_statistics.rejections(session, wiki.id),
            "work": review_statistics.work_since(session, wiki.id, LONG_AGO),
            "latest": [said.verdict for said in decisions.latest(session, wiki.id, limit=9)],
            "undoable": decisions.last_undoable(session, wiki.id, "alice"),
            "exported": [
                record["verdict"]
                for record in decision_io.export_decisions(session, wikis(session)[0])
            ],
        }


def test_both_databases_tell_the_same(both: tuple[Store, Store]) -> None:
    lite, post = both
    for store in both:
        decide_some(store)
        with store.writing() as session:
            assert never_links.never_link(session, 1, "word", "Lighthouse", ALICE) == 2
    assert told(post) == told(lite)


def test_of_two_writers_side_by_side_the_second_waits_and_is_told(
    both: tuple[Store, Store],
) -> None:
    _lite, post = both
    refusals: list[str] = []

    def be_second() -> None:
        try:
            with post.writing() as session:
                decisions.decide(session, 1, "reject", Voice("bob", "web"), version=1)
        except AlreadyDecided as refusal:
            refusals.append(str(refusal))

    second = threading.Thread(target=be_second)
    with post.writing() as session:
        decisions.decide(session, 1, "approve", ALICE, version=1)
        second.start()
        second.join(timeout=0.5)
        assert second.is_alive(), "it waits for the first to end"
    second.join(timeout=20)
    assert len(refusals) == 1
    assert "alice said “approve”" in refusals[0]
