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
from wikibot.store import Store, decisions, review_statistics
from wikibot.store.review_statistics import Band
from wikibot.store.runs import recorded_run
from wikibot.store.tables import Outbox, OutboxItem, Page, Suggestion
from wikibot.web import pictures

LONG_AGO = datetime(2000, 1, 1, tzinfo=timezone.utc)


def bands(store: Store) -> list[Band]:
    with store.reading() as session:
        return review_statistics.acceptance(session, 1)


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
        work = review_statistics.work_since(session, 1, LONG_AGO)
        later = review_statistics.work_since(
            session, 1, datetime.now(timezone.utc) + timedelta(days=1)
        )
    assert work == {"alice": {"approve": 1}, "bob": {"reject": 1}}
    assert later == {}


def test_rejections_are_counted_by_reason(store: Store) -> None:
    decide(store, 1, "reject", reason="span")
    decide(store, 2, "reject", reason="span")
    decide(store, 3, "reject")
    with store.reading() as session:
        assert review_statistics.rejections(session, 1) == {"span": 2, "other": 1}


def test_the_day_begins_at_midnight_where_the_reviewer_is() -> None:
    start = review_statistics.midnight(datetime.now(timezone.utc))
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


def saved(store: Store, proposal_id: int, state: str, at: datetime, kind: str = "page") -> None:
    """The proposal was sent in an edit at that time, and is in this state by now."""
    with store.writing() as session:
        edit = Outbox(
            wiki_id=1, batch="b", kind=kind, title=f"P{proposal_id}", base_revision=1, text="",
            sha1="", summary="", marker=f"m{proposal_id}", state="done", created_at=at, sent_at=at,
        )  # fmt: skip
        edit.items.append(OutboxItem(suggestion_id=proposal_id, start=0, end=1, wikitext=""))
        session.add(edit)
        session.get_one(Suggestion, proposal_id).state = state


def test_links_are_kept_after_thirty_days_as_watching_saw_them(store: Store) -> None:
    now = datetime.now(timezone.utc)
    old, new = now - timedelta(days=31), now - timedelta(days=29)
    for number, state in ((1, "kept"), (2, "kept"), (3, "reverted"), (4, "published")):
        saved(store, number, state, old)
    saved(store, 5, "kept", new)
    saved(store, 6, "kept", old, kind="talk")
    with store.reading() as session:
        fate = review_statistics.fate_after(session, 1, now - timedelta(days=30))
        assert review_statistics.fate_after(session, 2, now).watched == 0
    assert (fate.kept, fate.reverted) == (2, 1)


def test_what_was_kept_is_on_the_statistics_page_and_at_the_end(
    store: Store, browser: Browser
) -> None:
    for path in ("/statistics", "/?state=reverted"):
        assert "“wikibot watch” counts" in browser.get(path).text
    saved(store, 1, "kept", LONG_AGO)
    for path in ("/statistics", "/?state=reverted"):
        assert "1 of 1 links that were saved 30 or more days ago" in browser.get(path).text


def test_a_reviewers_work_is_counted_from_two_times_on(store: Store) -> None:
    decide(store, 1, "approve")
    decide(store, 2, "reject")
    decide(store, 3, "skip", BOB)
    undone = decide(store, 4, "approve")
    undo(store, undone)
    now = datetime.now(timezone.utc)
    with store.reading() as session:
        longer, shorter = review_statistics.work_of(
            session, 1, "alice", LONG_AGO, now + timedelta(hours=1)
        )
        both = review_statistics.work_of(session, 1, "alice", LONG_AGO, LONG_AGO)
    assert longer == {"approve": 1, "reject": 1}
    assert not shorter
    assert both == (longer, longer)
