"""Ideas in the database: one for each pair, decided once, never back when declined."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.review import sample
from wikibot.errors import AlreadyDecided, BadInput
from wikibot.store import Store, ideas
from wikibot.store.decisions import Voice
from wikibot.store.ideas import NewIdea
from wikibot.store.tables import Link, Page

ANN = Voice("Ann", "command")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with sample.make_store(tmp_path / "wiki.db") as opened:
        yield opened


def idea_of(store: Store, page: str, target: str, score: float = 0.5) -> NewIdea:
    with store.reading() as session:
        rows = {row.title: row for row in session.scalars(select(Page))}
        text = rows[page].wikitext
        end = text.index(".") + 1
        return NewIdea(
            rows[page].id, rows[target].id, rows[page].revision_id, 0, end, text[:end], score, []
        )


def put(store: Store, *found: NewIdea, asked: set[int] | None = None) -> int:
    with store.writing() as session:
        return ideas.put_ideas(session, 1, None, found, asked or {one.target_id for one in found})  # type: ignore[arg-type]


def waiting(store: Store) -> list[tuple[str, str]]:
    with store.reading() as session:
        return [(row.page, row.target) for row in ideas.ideas(session, 1)]


def test_the_best_idea_comes_first(store: Store) -> None:
    put(store, idea_of(store, "Fog", "Wick", 0.2), idea_of(store, "Ship", "Wick", 0.7))
    assert waiting(store) == [("Ship", "Wick"), ("Fog", "Wick")]
    with store.reading() as session:
        first = ideas.next_idea(session, 1)
        assert first is not None
        second = ideas.next_idea(session, 1, after=first.id)
        assert second is not None and second.page == "Fog"
        around = ideas.next_idea(session, 1, after=second.id)
        assert around is not None and around.id == first.id


def test_a_declined_idea_never_comes_back(store: Store) -> None:
    found = idea_of(store, "Fog", "Wick")
    put(store, found)
    with store.writing() as session:
        ideas.decide(session, 1, "decline", ANN, note="too far")
    assert put(store, replace(found, score=0.9)) == 0
    assert waiting(store) == []
    with store.reading() as session:
        assert (found.page_id, found.target_id) in ideas.decided_pairs(session, 1)
        row = ideas.idea(session, 1)
    assert (row.state, row.reviewer, row.note) == ("declined", "Ann", "too far")


def test_an_idea_is_decided_once(store: Store) -> None:
    put(store, idea_of(store, "Fog", "Wick"))
    with store.writing() as session:
        ideas.decide(session, 1, "accept", ANN, version=1)
    with pytest.raises(AlreadyDecided, match="Idea 1 is accepted"), store.writing() as session:
        ideas.decide(session, 1, "decline", ANN, version=1)
    with pytest.raises(BadInput, match="no idea 9"), store.writing() as session:
        ideas.decide(session, 9, "decline", ANN)


def test_a_decision_is_taken_back_and_the_idea_waits_again(store: Store) -> None:
    put(store, idea_of(store, "Fog", "Wick"))
    with store.writing() as session:
        ideas.decide(session, 1, "decline", ANN)
        assert ideas.undo(session, 1).state == "pending"
    assert waiting(store) == [("Fog", "Wick")]
    with pytest.raises(AlreadyDecided), store.writing() as session:
        ideas.undo(session, 1)


def test_what_is_not_offered_again_is_stale_and_comes_back_when_it_is(store: Store) -> None:
    found = idea_of(store, "Fog", "Wick")
    put(store, found)
    put(store, asked={found.target_id})
    assert waiting(store) == []
    put(store, replace(found, score=0.4))
    assert waiting(store) == [("Fog", "Wick")]


def test_an_idea_counts_as_written_when_its_page_links_the_target(store: Store) -> None:
    found = idea_of(store, "Fog", "Wick")
    put(store, found, idea_of(store, "Ship", "Wick"))
    with store.writing() as session:
        ideas.decide(session, 1, "accept", ANN)
        session.add(
            Link(
                page_id=found.page_id,
                target_id=found.target_id,
                target_title="Wick",
                anchor="wick",
                start=0,
                end=8,
                anchor_start=2,
                anchor_end=6,
                sentence_start=0,
                sentence_end=9,
                in_prose=True,
            )
        )
        session.flush()
        assert ideas.note_written(session, 1) == 1
    with store.reading() as session:
        assert ideas.count_states(session, 1)["written"] == 1


def test_orphans_are_pages_without_a_link_in_prose_from_another_page(store: Store) -> None:
    with store.reading() as session:
        found = ideas.orphan_ids(session, 1)
        titles = {row.id: row.title for row in session.scalars(select(Page))}
        optics = ideas.orphan_ids(session, 1, "Optics")
    names = [titles[number] for number in found]
    # Harbour is linked in prose; Glass only in a note, which is not prose.
    assert "Harbour" not in names and "Glass" in names and names == sorted(names)
    assert [titles[number] for number in optics] == ["Fresnel lens", "Glass"]
