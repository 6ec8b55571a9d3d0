"""The figures of the statistics page."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.review import sample
from tests.review.conftest import Browser
from tests.review.test_decisions import ALICE, BOB, decide, line, place, undo
from wikibot.store import Store, decisions, figures
from wikibot.store.figures import Band
from wikibot.store.runs import recorded_run
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


REPORT = {
    "pages": {"test": 40, "gold": 310},
    "systems": {
        "wikibot": {"ap": 0.86, "precision_at_0.5": 0.88, "recall_at_0.5": 0.7},
        "title_match": {"ap": 0.43},
    },
}


def evaluated(store: Store, result: dict[str, Any], wiki_id: int = 1) -> None:
    with recorded_run(store, "evaluate", {}, wiki_id=wiki_id) as run:
        run.result.update(result)


def test_the_last_evaluation_is_drawn_on_the_page(store: Store, browser: Browser) -> None:
    evaluated(store, {"systems": {}})
    assert "Average precision" not in browser.get("/statistics").text, "a shape nobody knows"
    evaluated(store, REPORT)
    page = browser.get("/statistics").text
    assert "finds 310 links" in page
    assert "88% is right" in page
    assert 'width="100.0"' in page
    assert 'width="50.0"' in page
    assert "title match" in page


def test_an_evaluation_that_failed_or_of_another_wiki_is_not_shown(
    store: Store, browser: Browser
) -> None:
    with pytest.raises(RuntimeError), recorded_run(store, "evaluate", {}, wiki_id=1) as run:
        run.result.update(REPORT)
        raise RuntimeError
    with store.writing() as session:
        other = sample.add_wiki(session, "he", sample.HEBREW, ()).id
    evaluated(store, REPORT, wiki_id=other)
    assert "Average precision" not in browser.get("/statistics?wiki=en.example.org").text
    assert "Average precision" in browser.get("/statistics?wiki=he.example.org").text


@given(
    st.lists(
        st.tuples(st.integers(0, 500), st.integers(0, 500), st.floats(0, 1)).filter(
            lambda one: one[0] + one[1] > 0
        ),
        max_size=10,
    )
)
def test_every_mark_of_the_picture_lies_inside_it(rows: list[tuple[int, int, float]]) -> None:
    for mark in pictures.calibration([Band(*row) for row in rows]):
        assert 0 < mark.x < pictures.SIZE
        assert 0 < mark.top <= mark.y <= mark.bottom < pictures.SIZE
        assert 3 <= mark.radius <= 8


@given(st.dictionaries(st.text(max_size=5), st.floats(0, 1e6), max_size=8))
def test_no_bar_is_longer_than_the_longest(values: dict[str, float]) -> None:
    bars = pictures.bars(values)
    assert [bar.value for bar in bars] == sorted(values.values(), reverse=True)
    assert all(0 <= bar.share <= 1 for bar in bars)
    assert not bars or not bars[0].value or bars[0].share == 1
