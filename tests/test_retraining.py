"""`wikibot run` learns anew when enough is new, and never works with models it cannot open."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.review.sample import make_store
from wikibot.retraining import is_due
from wikibot.store import Store
from wikibot.store.runs import recorded_run
from wikibot.store.suggestions import lessons_since_training
from wikibot.store.tables import Decision, Page, Suggestion, Wiki
from wikibot.train import train

SHARE = 0.5


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with make_store(tmp_path / "wiki.db") as made:
        yield made


@pytest.fixture
def trained(store: Store) -> Store:
    train(store)
    return store


def wiki_id(store: Store) -> int:
    with store.reading() as session:
        return session.scalars(select(Wiki.id)).one()


def page_count(store: Store) -> int:
    with store.reading() as session:
        return len(session.scalars(select(Page.id).where(Page.redirect_to.is_(None))).all())


def fetch_that_read(store: Store, pages: int) -> None:
    with recorded_run(store, "fetch", {}, wiki_id=wiki_id(store)) as run:
        run.result = {"read": pages}


def decide(store: Store, verdict: str, count: int) -> None:
    with store.writing() as session:
        for number in session.scalars(select(Suggestion.id).limit(count)).all():
            session.add(
                Decision(suggestion_id=number, verdict=verdict, reviewer="ann", source="web",
                         decided_at=datetime.now(timezone.utc), before={})
            )  # fmt: skip


def test_it_is_due_where_nothing_was_learned(store: Store) -> None:
    assert is_due(store, SHARE)


def test_it_is_not_due_right_after_training_unless_the_share_is_0(trained: Store) -> None:
    assert not is_due(trained, SHARE)
    assert is_due(trained, 0)


def test_it_is_due_when_that_share_of_the_pages_was_read_since(trained: Store) -> None:
    half = -(-page_count(trained) // 2)
    fetch_that_read(trained, half - 1)
    assert not is_due(trained, SHARE)
    fetch_that_read(trained, 1)
    assert is_due(trained, SHARE)
    train(trained)
    assert not is_due(trained, SHARE)


def test_decisions_count_as_pages_do_and_skipping_does_not(trained: Store) -> None:
    decide(trained, "skip", 5)
    with trained.reading() as session:
        assert lessons_since_training(session, wiki_id(trained)) == 0
    decide(trained, "reject", 5)
    with trained.reading() as session:
        assert lessons_since_training(session, wiki_id(trained)) == 5


def test_it_is_due_after_a_fetch_that_was_stopped(trained: Store) -> None:
    with (
        pytest.raises(KeyboardInterrupt),
        recorded_run(trained, "fetch", {}, wiki_id=wiki_id(trained)),
    ):
        raise KeyboardInterrupt
    assert is_due(trained, SHARE)


def test_it_is_due_where_the_models_cannot_be_opened(trained: Store) -> None:
    for path in trained.folder.glob("ranker-*"):
        path.write_bytes(b"damaged")
    assert is_due(trained, SHARE)
