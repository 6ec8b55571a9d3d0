"""Decisions as records: out of one database, into another."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.review.test_decisions import decide, line, undo
from wikibot.errors import BadInput
from wikibot.store import Store, decisions
from wikibot.store.decision_io import export_decisions, import_decisions
from wikibot.store.pages import wikis
from wikibot.store.tables import Suggestion


def exported(store: Store) -> list[dict[str, Any]]:
    with store.reading() as session:
        return list(export_decisions(session, wikis(session)[0]))


def imported(store: Store, records: list[dict[str, Any]]) -> Counter[str]:
    with store.writing() as session:
        return import_decisions(session, wikis(session)[0], records)


@pytest.fixture
def other(tmp_path: Path, made_once: Path) -> Store:
    import shutil

    from wikibot.store import open_store

    return open_store(shutil.copy(made_once, tmp_path / "other.db"))


def test_decisions_hold_in_the_other_database_too(store: Store, other: Store) -> None:
    decide(store, 1, "approve")
    decide(store, 2, "reject", reason="wrong-target", note="no")
    decide(store, 3, "skip")
    assert imported(other, exported(store)) == {"decided": 3}
    assert [line(other, n).state for n in (1, 2, 3, 4)] == [
        "approved", "rejected", "skipped", "pending",
    ]  # fmt: skip
    with other.reading() as session:
        said = decisions.history(session, 2)[0]
    assert (said.reviewer, said.source, said.reason, said.note) == (
        "alice", "import", "wrong-target", "no",
    )  # fmt: skip


def test_importing_twice_changes_nothing(store: Store, other: Store) -> None:
    decide(store, 1, "approve")
    imported(other, exported(store))
    assert imported(other, exported(store)) == {"known": 1}
    assert exported(other) == exported(store)


def test_what_was_taken_back_is_not_exported(store: Store) -> None:
    undo(store, decide(store, 1, "approve"))
    assert exported(store) == []


def test_what_was_decided_here_is_never_changed(store: Store, other: Store) -> None:
    decide(store, 1, "approve")
    decide(other, 1, "reject")
    assert imported(other, exported(store)) == {"different": 1}
    assert line(other, 1).state == "rejected"


def test_an_approval_of_other_words_is_not_taken(store: Store, other: Store) -> None:
    decide(store, 2, "approve")
    with other.writing() as session:
        session.get_one(Suggestion, 2).start -= 2
    assert imported(other, exported(store)) == {"different": 1}


def test_a_rejection_is_remembered_where_the_proposal_is_not_known(
    store: Store, other: Store
) -> None:
    decide(store, 2, "reject")
    decide(store, 1, "approve")
    with other.writing() as session:
        session.query(Suggestion).delete()
    assert imported(other, exported(store)) == {"decided": 1, "unknown": 1}
    with other.reading() as session:
        [row] = session.query(Suggestion).all()
        assert (row.anchor, row.state) == ("fog horn", "rejected")


def test_records_of_other_wikis_and_pages_are_counted_apart(store: Store, other: Store) -> None:
    decide(store, 1, "reject")
    [record] = exported(store)
    assert imported(other, [record | {"wiki": "x"}]) == {"other-wiki": 1}
    assert imported(other, [record | {"page": "Nowhere"}]) == {"unknown": 1}


@pytest.mark.parametrize(
    "change",
    [
        {"verdict": "destroy"}, {"decided_at": "yesterday"}, {"decided_at": "2026-01-01"},
        {"start": "1"}, {"start": True}, {"start": 9, "end": 9}, {"probability": 7},
        {"probability": None}, {"page": None}, {"reviewer": 7},
    ],
)  # fmt: skip
def test_a_record_of_another_shape_is_refused_and_nothing_is_imported(
    store: Store, other: Store, change: dict[str, Any]
) -> None:
    decide(store, 1, "reject")
    decide(store, 2, "reject")
    first, second = exported(store)
    with pytest.raises(BadInput):
        imported(other, [first, second | change])
    assert line(other, 1).state == "pending"


def test_an_approval_that_would_overlap_is_counted_as_different(store: Store, other: Store) -> None:
    decide(store, 1, "approve")
    row = line(other, 1)
    with other.writing() as session:
        blocker = session.get_one(Suggestion, 4)
        blocker.start, blocker.end, blocker.state = row.start, row.end, "approved"
    assert imported(other, exported(store)) == {"different": 1}
