"""The never-link list takes effect at once, and can be taken back."""

from __future__ import annotations

import pytest
from sqlalchemy import event

from tests.review.sample import NOW
from tests.review.test_decisions import ALICE, decide, line
from wikibot.errors import BadInput
from wikibot.store import Store, never_links
from wikibot.store.tables import Page, Suggestion
from wikibot.store.task_tables import NeverLink


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


@pytest.mark.parametrize(
    ("written", "listed", "is_gone"),
    [
        ("Straße", "STRASSE", True),
        ("Ἀθῆναι", "ἀθῆναι", True),
        ("МОСТ", "мост", True),
        ("İstanbul", "istanbul", False),
        ("fog  horn", "fog horn", True),
        ("Fog-horn", "fog horn", True),
        ("Fog", "fog", True),
        ("fog", "fo%", False),
        ("fog", "f_g", False),
    ],
)
def test_a_word_is_the_same_word_in_every_letter_case(
    store: Store, written: str, listed: str, is_gone: bool
) -> None:
    with store.writing() as session:
        session.get_one(Suggestion, 1).anchor = written
    never(store, "word", listed)
    assert (line(store, 1).state == "stale") == is_gone


def test_many_proposals_leave_and_return_together(store: Store) -> None:
    """More than one statement's worth: the list works in batches."""
    with store.writing() as session:
        for number in range(1200):
            page = Page(
                wiki_id=1, page_id=1000 + number, title=f"P{number}", namespace=0, revision_id=1,
                wikitext="a lamp",
            )  # fmt: skip
            session.add(page)
            session.flush()
            session.add(
                Suggestion(
                    wiki_id=1, page_id=page.id, target_id=1, revision_id=1, start=2, end=6,
                    anchor="Lamp", wikitext="[[Lighthouse|Lamp]]", sentence_start=0, sentence_end=6,
                    sentence="a lamp", probability=0.5, reasons=[], created_at=NOW,
                )
            )  # fmt: skip
    assert never(store, "word", "lamp") == 1200
    allow(store, entries(store)[0].id)
    with store.reading() as session:
        assert session.query(Suggestion).where(Suggestion.state == "pending").count() == 1211


def statements(store: Store, listed: list[tuple[str, str]]) -> int:
    """How many statements on tables it takes to make the wiki's list these entries."""
    counted: list[str] = []
    event.listen(store.writer, "before_cursor_execute", lambda *given: counted.append(given[2]))
    with store.writing() as session:
        never_links.keep_listed(session, 1, "wiki", listed, added_by="Project:Never")
    return sum(not statement.startswith(("PRAGMA", "BEGIN")) for statement in counted)


def test_one_changed_line_of_a_long_list_takes_few_statements(store: Store) -> None:
    """With one statement for each line, a list of 1,000 locked a large database for 19 s."""
    words = [("word", f"word {number}") for number in range(1000)]
    titles = [("target", f"Title {number}") for number in range(1000)]
    statements(store, [*words, *titles, ("word", "prisms")])
    assert line(store, 4).state == "stale"
    assert statements(store, [*words[1:], *titles[1:], ("target", "Fog")]) < 25
    assert line(store, 4).state == "pending"
    assert line(store, 9).state == "stale"
    assert statements(store, [*words[1:], *titles[1:], ("target", "Fog")]) < 5
