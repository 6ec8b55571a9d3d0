"""Proposals go into the queue once, move with their page, and never undo what people decided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select, update

from wikibot.store import Store, open_store
from wikibot.store.runs import recorded_run
from wikibot.store.suggestions import (
    NewProposal,
    Queued,
    decided_pairs,
    draw_waiting,
    model_paths,
    models_of,
    pending_count,
    put_in_queue,
    replace_models,
    verdicts,
)
from wikibot.store.tables import Page, Run, Suggestion, Wiki

TEXT = "In Paris and in Lyon."


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "w.db", create=True) as opened:
        with opened.writing() as session:
            session.add(
                Wiki(
                    id=1, name="w", api_url=None, article_url=None, language="en",
                    capital_links=True, site_rules={}, fetched_at=None,
                )
            )  # fmt: skip
            session.flush()
            session.add_all([page(1, "Trip"), page(2, "Paris"), page(3, "Lyon")])
        yield opened


def page(number: int, title: str) -> Page:
    return Page(
        id=number, wiki_id=1, page_id=number, title=title, namespace=0, revision_id=10, wikitext=TEXT,
        summary="", timestamp=None, redirect_to=None, redirect_id=None,
        exclusion=None, problem=None,
    )  # fmt: skip


PARIS = NewProposal(
    page_id=1, target_id=2, revision_id=10, start=3, end=8, anchor="Paris", wikitext="[[Paris]]",
    sentence_start=0, sentence_end=21, sentence=TEXT, probability=0.9,
    reasons=[{"id": "is-title", "args": {"anchor": "Paris"}}], priority=0.9,
)  # fmt: skip
LYON = replace(PARIS, target_id=3, start=16, end=20, anchor="Lyon", wikitext="[[Lyon]]")


def put(store: Store, *proposals: NewProposal) -> Queued:
    with recorded_run(store, "suggest", {}) as run, store.writing() as session:
        return put_in_queue(session, 1, run.id, proposals, {1})


def set_state(store: Store, target: int, state: str) -> None:
    with store.writing() as session:
        session.execute(
            update(Suggestion).where(Suggestion.target_id == target).values(state=state)
        )


def set_revision(store: Store, revision: int) -> None:
    with store.writing() as session:
        session.execute(update(Page).where(Page.id == 1).values(revision_id=revision))


def rows(store: Store) -> dict[int, tuple[str, int, int]]:
    with store.reading() as session:
        found = session.scalars(select(Suggestion))
        return {row.target_id: (row.state, row.revision_id, row.version) for row in found}


def test_a_proposal_is_put_in_once(store: Store) -> None:
    assert put(store, PARIS, LYON) == Queued(2, 0, 0)
    assert put(store, PARIS, LYON) == Queued(0, 0, 0)
    assert rows(store) == {2: ("pending", 10, 1), 3: ("pending", 10, 1)}


def numbers(store: Store) -> dict[int, tuple[float, float, str]]:
    with store.reading() as session:
        found = session.scalars(select(Suggestion))
        return {
            row.target_id: (row.probability, row.priority, row.reasons[0]["id"]) for row in found
        }


def test_a_waiting_proposal_gets_the_number_and_reasons_of_the_newest_models(store: Store) -> None:
    put(store, PARIS, LYON)
    learned = replace(PARIS, probability=0.7, priority=0.71, reasons=[{"id": "linked", "args": {}}])
    assert put(store, learned, LYON) == Queued(0, 0, 0)
    assert numbers(store) == {2: (0.7, 0.71, "linked"), 3: (0.9, 0.9, "is-title")}
    assert rows(store)[2] == ("pending", 10, 1)  # who looks at it may still decide


def test_a_waiting_proposal_whose_place_changes_is_another_version(store: Store) -> None:
    put(store, PARIS)
    assert put(store, replace(PARIS, start=16, end=20, anchor="Lyon")) == Queued(0, 1, 0)
    assert rows(store)[2] == ("pending", 10, 2)


def test_the_number_of_what_people_decided_stays(store: Store) -> None:
    put(store, PARIS)
    set_state(store, 2, "approved")
    put(store, replace(PARIS, probability=0.6))
    assert numbers(store)[2][0] == 0.9


@pytest.mark.parametrize("state", ["approved", "rejected", "skipped", "published", "undone"])
def test_what_people_decided_is_not_touched(store: Store, state: str) -> None:
    put(store, PARIS)
    set_state(store, 2, state)
    set_revision(store, 11)
    put(store, replace(PARIS, revision_id=11))
    assert rows(store)[2][:2] == (state, 10)


def test_a_waiting_proposal_moves_with_its_page(store: Store) -> None:
    put(store, PARIS)
    set_revision(store, 11)
    assert put(store, replace(PARIS, revision_id=11, start=4, end=9)) == Queued(0, 1, 0)
    assert rows(store)[2] == ("pending", 11, 2)


def test_a_waiting_proposal_that_lost_its_text_is_stale_and_may_come_back(store: Store) -> None:
    put(store, PARIS, LYON)
    set_revision(store, 11)
    assert put(store, replace(PARIS, revision_id=11)) == Queued(0, 1, 1)
    assert rows(store)[3][0] == "stale"
    assert put(store, replace(LYON, revision_id=11)).refreshed == 1
    assert rows(store)[3][0] == "pending"


def test_nothing_is_withdrawn_from_a_page_that_has_not_changed(store: Store) -> None:
    put(store, PARIS, LYON)
    assert put(store, PARIS).withdrawn == 0


def test_verdicts_tell_agreed_from_refused(store: Store) -> None:
    put(store, PARIS, LYON)
    set_state(store, 2, "kept")
    set_state(store, 3, "reverted")
    with store.reading() as session:
        said = verdicts(session, 1)
        assert said.agreed == {(1, 2)}
        assert said.refused == {(1, 3)}
        assert decided_pairs(session, 1) == {(1, 2), (1, 3)}
        assert pending_count(session, 1) == 0


def test_a_draw_is_the_same_for_the_same_seed(store: Store) -> None:
    put(store, PARIS, LYON)
    with store.reading() as session:
        first, waiting = draw_waiting(session, 1, 5, seed=1)
        again, _ = draw_waiting(session, 1, 5, seed=1)
    assert waiting == 2
    assert first == again
    assert {one.target for one in first} == {"Paris", "Lyon"}


def test_new_models_replace_the_old_ones(store: Store) -> None:
    model = {"kind": "ranker", "path": "a.json", "sha256": "x", "parameters": {}, "figures": {}}
    with recorded_run(store, "train", {}) as run, store.writing() as session:
        replace_models(session, 1, run.id, [model])
        replace_models(session, 1, run.id, [{**model, "path": "b.json"}])
    with store.reading() as session:
        assert model_paths(session) == {"b.json"}
        assert models_of(session, 1)["ranker"].path == "b.json"
        assert session.scalar(select(Run.command)) == "train"
