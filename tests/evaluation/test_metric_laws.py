"""Figures of generated rankings, beside slow twins that follow the definitions word by word."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wikibot.evaluation import metrics
from wikibot.evaluation.metrics import Answers

PAGES = 5
laws = settings(max_examples=40, deadline=None)
# Eighths have no rounding error, and some are equal, so that ties are met.
SCORES = st.integers(0, 8).map(lambda eighths: eighths / 8)
ONE = st.tuples(st.integers(0, PAGES - 1), SCORES, st.booleans(), st.booleans())


@st.composite
def rankings(draw: st.DrawFn, least: int = 0) -> Answers:
    """Proposals on a few pages, and at least as many links to find as were found."""
    found = draw(st.lists(ONE, min_size=least, max_size=25))
    gold = np.array([draw(st.integers(0, 3)) for _ in range(PAGES)], dtype=np.int64)
    for page, _, is_right, _ in found:
        gold[page] += is_right
    page, score, right, exact = (list(column) for column in zip(*found, strict=True)) if found else ([], [], [], [])  # fmt: skip
    is_right = np.array(right, dtype=bool)
    return Answers(
        np.array(page, dtype=np.int64),
        np.array(score, dtype=np.float32),
        is_right,
        is_right & np.array(exact, dtype=bool),
        gold,
    )


def in_order(answers: Answers) -> list[bool]:
    """Are they right, from the best score on; equal scores in the order in which they came."""
    places = sorted(range(len(answers.score)), key=lambda at: (-float(answers.score[at]), at))
    return [bool(answers.is_right[at]) for at in places]


def links_to_find(answers: Answers) -> int:
    return max(1, int(answers.gold.sum()))


@given(rankings())
@laws
def test_average_precision_is_the_mean_precision_at_each_link_found(answers: Answers) -> None:
    right = in_order(answers)
    at_links = [sum(right[: at + 1]) / (at + 1) for at, is_right in enumerate(right) if is_right]
    expected = sum(at_links) / links_to_find(answers)
    assert metrics.average_precision(answers) == pytest.approx(expected)
    assert 0 <= metrics.average_precision(answers) <= 1


@given(rankings())
@laws
def test_average_precision_looks_at_the_order_alone(answers: Answers) -> None:
    stretched = Answers(
        answers.page, np.expm1(3 * answers.score), answers.is_right, answers.is_exact, answers.gold
    )
    assert metrics.average_precision(stretched) == metrics.average_precision(answers)


@given(rankings())
@laws
def test_a_right_answer_in_front_never_harms_and_a_wrong_one_never_helps(answers: Answers) -> None:
    def with_first(is_right: bool) -> Answers:
        return Answers(
            np.append(answers.page, 0),
            np.append(answers.score, np.float32(2)),
            np.append(answers.is_right, is_right),
            np.append(answers.is_exact, is_right),
            answers.gold + (np.arange(PAGES) == 0),
        )

    without = Answers(
        answers.page, answers.score, answers.is_right, answers.is_exact,
        answers.gold + (np.arange(PAGES) == 0),
    )  # fmt: skip
    before = metrics.average_precision(without)
    assert metrics.average_precision(with_first(True)) >= before
    assert metrics.average_precision(with_first(False)) <= before


@given(rankings(), st.sampled_from((0.5, *metrics.PRECISIONS)))
@settings(max_examples=150, deadline=None)
def test_recall_at_a_precision_is_that_of_the_longest_good_beginning(
    answers: Answers, least: float
) -> None:
    right = in_order(answers)
    good = [sum(right[:n]) for n in range(1, len(right) + 1) if sum(right[:n]) >= least * n]
    expected = max(good, default=0) / links_to_find(answers)
    assert metrics.recall_at_precision(answers, least) == pytest.approx(expected)


@given(rankings())
@laws
def test_who_asks_for_more_precision_gets_no_more_recall(answers: Answers) -> None:
    recalls = [metrics.recall_at_precision(answers, least) for least in (0, 0.5, 0.75, 0.9, 1)]
    assert recalls == sorted(recalls, reverse=True)
    assert recalls[0] == answers.is_right.sum() / links_to_find(answers)


@given(rankings(), SCORES)
@laws
def test_precision_recall_and_exact_places_count_what_reaches_the_score(
    answers: Answers, least: float
) -> None:
    reached = [at for at in range(len(answers.score)) if answers.score[at] >= least]
    right = [at for at in reached if answers.is_right[at]]
    exact = [at for at in right if answers.is_exact[at]]
    share = lambda some, of: len(some) / len(of) if of else 0  # noqa: E731
    assert metrics.precision_at(answers, least) == pytest.approx(share(right, reached))
    assert metrics.recall_at(answers, least) == pytest.approx(len(right) / links_to_find(answers))
    assert metrics.exact_share_at(answers, least) == pytest.approx(share(exact, right))


@given(rankings(), st.integers(1, 4), SCORES)
@laws
def test_the_best_few_of_each_page(answers: Answers, most: int, least: float) -> None:
    best: list[bool] = []
    for page in range(PAGES):
        own = [at for at in range(len(answers.page)) if answers.page[at] == page]
        own = [at for at in own if answers.score[at] >= least]
        own.sort(key=lambda at: (-float(answers.score[at]), at))
        best += [bool(answers.is_right[at]) for at in own[:most]]
    expected = sum(best) / len(best) if best else 0
    assert metrics.top_precision(answers, most, least) == pytest.approx(expected)


@given(rankings())
@laws
def test_calibration_is_the_mean_distance_in_tenths(answers: Answers) -> None:
    distance = 0.0
    for tenth in range(10):
        upper = 2.0 if tenth == 9 else (tenth + 1) / 10
        own = [at for at, score in enumerate(answers.score.tolist()) if tenth / 10 <= score < upper]
        if own:
            mean = sum(float(answers.score[at]) for at in own) / len(own)
            share = sum(bool(answers.is_right[at]) for at in own) / len(own)
            distance += abs(mean - share) * len(own)
    expected = distance / max(1, len(answers.score))
    assert metrics.calibration_error(answers) == pytest.approx(expected, abs=1e-6)
    assert sum(n for _, _, n in metrics.calibration_bins(answers)) == len(answers.score)


@given(rankings())
@laws
def test_every_page_once_is_the_wiki_itself_and_none_is_nothing(answers: Answers) -> None:
    once = answers.of_pages(np.ones(PAGES, dtype=np.int64))
    for name in ("page", "score", "is_right", "is_exact", "gold"):
        assert np.array_equal(getattr(once, name), getattr(answers, name))
    none = answers.of_pages(np.zeros(PAGES, dtype=np.int64))
    assert len(none.page) == 0 and none.gold.sum() == 0


@given(rankings(), st.lists(st.integers(0, 3), min_size=PAGES, max_size=PAGES))
@laws
def test_a_sample_has_each_page_as_often_as_it_was_drawn(
    answers: Answers, copies: list[int]
) -> None:
    drawn = answers.of_pages(np.array(copies))
    for page in range(PAGES):
        assert (drawn.page == page).sum() == copies[page] * (answers.page == page).sum()
        assert drawn.gold[page] == copies[page] * answers.gold[page]
    assert drawn.is_right.sum() == sum(copies[page] for page in answers.page[answers.is_right])


@given(rankings(least=1), st.integers(1, 4))
@laws
def test_shares_do_not_change_where_every_page_is_there_twice(answers: Answers, times: int) -> None:
    many = answers.of_pages(np.full(PAGES, times))
    for figure in (metrics.precision_at, metrics.recall_at, metrics.exact_share_at):
        assert figure(many, 0.5) == pytest.approx(figure(answers, 0.5))
    assert metrics.calibration_error(many) == pytest.approx(metrics.calibration_error(answers))


@given(rankings(), st.integers(0, PAGES))
@laws
def test_pages_in_two_parts_make_the_whole_whatever_the_cut(answers: Answers, cut: int) -> None:
    number = np.arange(PAGES)
    parts = [
        answers.where(answers.page < cut, np.where(number < cut, answers.gold, 0)),
        answers.where(answers.page >= cut, np.where(number >= cut, answers.gold, 0)),
    ]
    whole = Answers.joined(parts)
    assert np.array_equal(whole.gold, answers.gold)
    for figure in (metrics.precision_at, metrics.recall_at, metrics.exact_share_at):
        assert figure(whole, 0.5) == pytest.approx(figure(answers, 0.5))
    assert metrics.calibration_error(whole) == pytest.approx(metrics.calibration_error(answers))


@given(rankings(least=3))
@settings(max_examples=15, deadline=None)
def test_intervals_are_drawn_alike_each_time_and_are_in_order(answers: Answers) -> None:
    first = metrics.interval(answers, metrics.average_precision, samples=20)
    assert first == metrics.interval(answers, metrics.average_precision, samples=20)
    assert 0 <= first[0] <= first[1] <= 1


@given(rankings(least=3), rankings(least=3))
@settings(max_examples=15, deadline=None)
def test_who_gains_is_told_by_the_sign(ours: Answers, theirs: Answers) -> None:
    figure = lambda answers: metrics.recall_at(answers, 0.5)  # noqa: E731
    low, high = metrics.gain_interval(ours, theirs, figure, samples=20)
    back_low, back_high = metrics.gain_interval(theirs, ours, figure, samples=20)
    assert (back_low, back_high) == (pytest.approx(-high), pytest.approx(-low))


def test_a_figure_that_is_always_the_same_has_an_interval_of_one_point() -> None:
    page = np.repeat(np.arange(4), 2)
    is_right = np.tile([True, False], 4)
    answers = Answers(page, np.ones(8, dtype=np.float32), is_right, is_right, np.ones(4, dtype=int))
    for figure, value in ((metrics.precision_at, 0.5), (metrics.recall_at, 1.0)):
        found = metrics.interval(answers, lambda some, f=figure: f(some, 0.5), samples=30)
        assert found == (value, value)


def test_pages_without_proposals_are_drawn_if_they_had_links() -> None:
    """Else a system that is silent on hard pages would look better than it is."""
    one = np.ones(1, dtype=bool)
    gold = np.array([1, 1, 1, 1])
    answers = Answers(np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.float32), one, one, gold)
    low, high = metrics.interval(answers, lambda some: metrics.recall_at(some, 0.5), samples=100)
    assert low == 0 and 0.25 <= high < 1
    assert not math.isclose(low, high)
