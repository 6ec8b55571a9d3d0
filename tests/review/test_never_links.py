"""The never-link list takes effect at once, and can be taken back."""

from __future__ import annotations

import pytest

from tests.review.test_decisions import ALICE, decide, line
from wikibot.errors import BadInput
from wikibot.store import Store, never_links
from wikibot.store.tables import NeverLink, Page, Suggestion


def never(store: Store, kind: str, value: str) -> int:
    with store.writing() as session:
        return never_links.never_link(session, 1, kind, value, ALICE)


def entries(store: Store) -> list[never_links.Entry]:
    with store.reading() as session:
        return never_links.entries(session, 1)


def allow(store: Store, entry_id: int) -> None:
    with store.writing() as session:
        never_links.allow_again(session, entry_id)


@pytest.mark.parametrize(
    ("kind", "value", "gone"),
    [("word", "LIGHTHOUSE", 2), ("target", "Lighthouse", 3), ("page", "Lighthouse", 6)],
)
def test_what_matches_leaves_the_queue_and_comes_back(
    store: Store, kind: str, value: str, gone: int
) -> None:
    assert never(store, kind, value) == gone
    with store.reading() as session:
        assert session.query(Suggestion).where(Suggestion.state == "stale").count() == gone
    allow(store, entries(store)[0].id)
    with store.reading() as session:
        assert session.query(Suggestion).where(Suggestion.state == "pending").count() == 11


def test_what_was_decided_is_left_alone(store: Store) -> None:
    decide(store, 1, "approve")
    assert never(store, "page", "Lighthouse") == 5
    assert line(store, 1).state == "approved"


def test_an_entry_stands_once_however_often_it_is_given(store: Store) -> None:
    never(store, "word", "fog")
    never(store, "word", " fog ")
    assert [(entry.value, entry.added_by) for entry in entries(store)] == [("fog", "alice")]


def test_what_another_entry_forbids_does_not_come_back(store: Store) -> None:
    never(store, "word", "lighthouse")
    never(store, "target", "Lighthouse")
    allow(store, entries(store)[0].id)
    assert line(store, 5).state == "stale"
    assert line(store, 11).state == "pending"


def test_what_is_out_of_date_does_not_come_back(store: Store) -> None:
    never(store, "page", "Lighthouse")
    with store.writing() as session:
        session.get_one(Page, 1).revision_id += 1
    allow(store, entries(store)[0].id)
    assert line(store, 1).state == "stale"


def test_an_entry_from_the_wiki_is_taken_off_there(store: Store) -> None:
    with store.writing() as session:
        session.add(
            NeverLink(
                wiki_id=1,
                kind="word",
                value="sea",
                source="wiki",
                added_by="x",
                added_at=ALICE.time,
            )
        )
    with pytest.raises(BadInput, match="take it off the list there"):
        allow(store, entries(store)[0].id)


@pytest.mark.parametrize(("kind", "value"), [("word", "  "), ("colour", "red")])
def test_nonsense_is_refused(store: Store, kind: str, value: str) -> None:
    with pytest.raises(BadInput):
        never(store, kind, value)


def test_an_entry_that_does_not_exist_is_named(store: Store) -> None:
    with pytest.raises(BadInput, match="no entry 999"):
        allow(store, 999)
