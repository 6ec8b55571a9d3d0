"""The figures of the statistics page."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from tests.review.test_decisions import ALICE, BOB, decide, line, place, undo
from wikibot.store import Store, decisions, figures
from wikibot.store.figures import Band
from wikibot.store.tables import Page
from wikibot.web import pictures

LONG_AGO = datetime(2000, 1, 1, tzinfo=timezone.utc)


def bands(store: Store) -> list[Band]:
    with store.reading() as session:
        return figures.acceptance(session, 1)


def test_acceptance_counts_approved_against_rejected_by_tenth(store: Store) -> None:
    decide(store, 1, "approve")  # .97
    decide(store, 2, "reject")  # .93
    decide(store, 3, "skip")  # .88 counts for nothing
    decide(store, 9, "reject")  # .55
    low, high = bands(store)
    assert (low.accepted, low.rejected) == (0, 1)
    assert (high.accepted, high.rejected) == (1, 1)
    assert high.expected == pytest.approx(0.95)
    assert high.share == 0.5


def test_targets_that_people_chose_say_nothing_about_the_model(store: Store) -> None:
    with store.writing() as session:
        glass = session.query(Page).where(Page.title == "Glass").one().id
        new = decisions.retarget(session, 4, glass, place(line(store, 4)), ALICE, version=1)
    decide(store, new, "approve")
    [band] = bands(store)
    assert (band.accepted, band.rejected) == (0, 1)


def test_intervals_are_wilsons_and_stay_between_nothing_and_all() -> None:
    low, high = Band(8, 2, 0.8).interval
    assert low == pytest.approx(0.490, abs=0.001)
    assert high == pytest.approx(0.943, abs=0.001)
    assert Band(3, 0, 1.0).interval[1] == pytest.approx(1.0)
    assert Band(0, 3, 0.0).interval[0] == pytest.approx(0.0)


def test_work_is_counted_by_reviewer_without_what_was_taken_back(store: Store) -> None:
    decide(store, 1, "approve", ALICE)
    decide(store, 2, "reject", BOB)
    undo(store, decide(store, 3, "approve", ALICE))
    with store.reading() as session:
        work = figures.work_since(session, 1, LONG_AGO)
        later = figures.work_since(session, 1, datetime.now(timezone.utc) + timedelta(days=1))
    assert work == {"alice": {"approve": 1}, "bob": {"reject": 1}}
    assert later == {}


def test_rejections_are_counted_by_reason(store: Store) -> None:
    decide(store, 1, "reject", reason="span")
    decide(store, 2, "reject", reason="span")
    decide(store, 3, "reject")
    with store.reading() as session:
        assert figures.rejections(session, 1) == {"span": 2, "other": 1}


def test_the_day_begins_at_midnight_where_the_reviewer_is() -> None:
    start = figures.midnight(datetime.now(timezone.utc))
    assert (start.hour, start.minute, start.second, start.microsecond) == (0, 0, 0, 0)
    assert start <= datetime.now(timezone.utc) < start + timedelta(days=1)


def test_the_picture_puts_true_probabilities_on_the_line() -> None:
    [mark] = pictures.calibration([Band(5, 5, 0.5)])
    assert mark.x == mark.y == pictures.SIZE / 2
    assert mark.top < mark.y < mark.bottom


def test_bars_are_ordered_and_measured_against_the_longest() -> None:
    assert [(bar.label, bar.share) for bar in pictures.bars({"a": 1, "b": 4})] == [
        ("b", 1.0), ("a", 0.25),
    ]  # fmt: skip
    assert pictures.bars({}) == []
