"""Figures of rankings, against counting by hand."""

from __future__ import annotations

import numpy as np
import pytest

from wikibot.evaluation import metrics
from wikibot.evaluation.metrics import Answers


def answers(
    score: list[float], right: list[int], gold: int, pages: list[int] | None = None
) -> Answers:
    is_right = np.array(right, dtype=bool)
    page = np.array(pages or [0] * len(score), dtype=np.int64)
    counts = np.zeros(max(page.max(initial=0) + 1, 1), dtype=np.int64)
    counts[0] = gold
    return Answers(page, np.array(score, dtype=np.float32), is_right, is_right, counts)


def test_average_precision_counts_links_that_were_not_found() -> None:
    found = answers([0.9, 0.8, 0.7], [1, 0, 1], gold=4)
    assert metrics.average_precision(found) == pytest.approx((1 + 2 / 3) / 4)


def test_a_perfect_ranking_has_average_precision_one() -> None:
    assert metrics.average_precision(answers([0.9, 0.8, 0.1], [1, 1, 0], gold=2)) == 1


def test_recall_at_a_precision_is_the_greatest_one() -> None:
    found = answers([0.9, 0.8, 0.7, 0.6], [1, 0, 1, 1], gold=4)
    assert metrics.recall_at_precision(found, 0.75) == 0.75
    assert metrics.recall_at_precision(found, 0.95) == 0.25


def test_precision_and_recall_at_a_half() -> None:
    found = answers([0.9, 0.6, 0.4], [1, 0, 1], gold=2)
    assert metrics.precision_at(found, 0.5) == 0.5
    assert metrics.recall_at(found, 0.5) == 0.5


def test_the_best_three_are_taken_on_each_page() -> None:
    found = answers([0.9, 0.8, 0.7, 0.6, 0.5], [1, 1, 1, 0, 0], 3, [0, 0, 0, 0, 1])
    assert metrics.top_precision(found) == 0.75


def test_what_would_not_be_proposed_is_not_among_the_best_three() -> None:
    found = answers([0.9, 0.05], [1, 0], gold=1)
    assert metrics.top_precision(found) == 1


def test_true_probabilities_have_no_calibration_error() -> None:
    found = answers([0.75] * 4, [1, 1, 1, 0], gold=3)
    assert metrics.calibration_error(found) == pytest.approx(0)
    assert metrics.calibration_error(answers([0.75] * 4, [0] * 4, gold=1)) == pytest.approx(0.75)


def test_an_interval_holds_the_figure() -> None:
    pages = list(range(40))
    found = answers([0.9 - i / 100 for i in pages], [i % 2 for i in pages], 0, pages)
    gold = np.array([i % 2 for i in pages])
    found = Answers(found.page, found.score, found.is_right, found.is_exact, gold)
    low, high = metrics.interval(found, metrics.average_precision, samples=100)
    assert low < metrics.average_precision(found) < high


def test_two_systems_that_differ_by_little_on_every_page_differ_for_sure() -> None:
    pages = [page for page in range(40) for _ in range(3)]
    gold = np.ones(40, dtype=np.int64)
    scores = [0.5 + (i % 7) / 20 for i in range(120)]
    is_right = np.array([i % 3 == 0 for i in range(120)])
    theirs = Answers(np.array(pages), np.array(scores), is_right, is_right, gold)
    ours = Answers(np.array(pages), np.array(scores) + 0.1 * is_right, is_right, is_right, gold)
    low, high = metrics.gain_interval(ours, theirs, metrics.average_precision, samples=100)
    gain = metrics.average_precision(ours) - metrics.average_precision(theirs)
    assert 0 < low < gain < high
    assert metrics.gain_interval(ours, ours, metrics.average_precision, samples=20) == (0, 0)


def test_parts_of_the_pages_make_one_whole() -> None:
    whole = answers([0.9, 0.8, 0.7, 0.6], [1, 0, 1, 0], 2, [0, 0, 1, 1])
    first, second = (
        whole.where(whole.page == page, np.where(np.arange(len(whole.gold)) == page, whole.gold, 0))
        for page in (0, 1)
    )
    again = Answers.joined([first, second])
    assert (again.gold == whole.gold * (np.arange(len(whole.gold)) < 2)).all()
    assert metrics.average_precision(again) == metrics.average_precision(whole)


def test_nothing_proposed_is_no_division_by_zero() -> None:
    empty = answers([], [], gold=0)
    assert metrics.average_precision(empty) == 0
    assert metrics.recall_at_precision(empty, 0.9) == 0
    assert metrics.calibration_error(empty) == 0
