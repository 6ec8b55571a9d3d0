"""Calibration and acceptance on generated rows, beside slow twins and answers computed by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wikibot.linker.acceptance import (
    AS_RANKED,
    FACTS,
    FEWEST_DECISIONS,
    accepted,
    learn_acceptance,
)
from wikibot.linker.calibration import (
    LEAST_SLOPE,
    calibrate,
    expit,
    fit_line,
    log_odds,
    offset_for,
    probability,
)

laws = settings(max_examples=30, deadline=None)
VALUES = st.floats(-8, 8)
LINES = st.tuples(st.floats(-3, 3), st.floats(LEAST_SLOPE, 3))
ROWS = st.lists(st.tuples(st.floats(-4, 4), st.booleans()), min_size=1, max_size=40)


def columns(rows: list[tuple[float, bool]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Evidence of one kind, outcomes, and weights of one."""
    evidence = np.array([[value] for value, _ in rows], dtype=np.float32)
    return evidence, np.array([truth for _, truth in rows]), np.ones(len(rows), dtype=np.float32)


def penalised_loss(
    line: tuple[float, ...], rows: list[tuple[float, bool]], precision: float = 1.0
) -> float:
    """What `calibrate` minimises, written out."""
    loss = 0.5 * precision * (line[0] ** 2 + (line[1] - 1) ** 2)
    for value, is_true in rows:
        chance = 1 / (1 + math.exp(-(line[0] + line[1] * np.float32(value))))
        loss -= math.log(chance if is_true else 1 - chance)
    return loss


@given(LINES, st.lists(VALUES, min_size=1, max_size=10))
@laws
def test_a_probability_is_the_logistic_function_of_the_line(
    line: tuple[float, float], values: list[float]
) -> None:
    found = probability(line, np.array(values, dtype=np.float32)[:, None])
    expected = [1 / (1 + math.exp(-(line[0] + line[1] * value))) for value in values]
    assert found.tolist() == pytest.approx(expected, abs=1e-5)


@given(LINES, VALUES, VALUES, st.floats(-3, 3))
@laws
def test_more_evidence_never_makes_a_probability_smaller(
    line: tuple[float, float], one: float, other: float, offset: float
) -> None:
    low, high = sorted((one, other))
    found = probability(line, np.array([[low], [high]], dtype=np.float32), offset)
    assert found[0] <= found[1]


@given(st.lists(st.floats(-700, 700), min_size=1, max_size=20))
@laws
def test_expit_is_finite_everywhere_and_turns_round_with_its_sign(values: list[float]) -> None:
    value = np.array(values)
    assert np.isfinite(expit(value)).all()
    assert expit(value) + expit(-value) == pytest.approx(np.ones(len(values)))


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20))
@laws
def test_log_odds_keep_the_order_and_are_never_infinite(scores: list[float]) -> None:
    ordered = np.sort(np.array(scores))
    odds = log_odds(ordered)
    assert np.isfinite(odds).all() and (np.diff(odds) >= 0).all()
    assert odds.dtype == np.float32


@given(ROWS, st.floats(-1, 1), st.floats(-0.5, 0.5))
@laws
def test_no_line_beside_the_calibrated_one_fits_better(
    rows: list[tuple[float, bool]], offset: float, slope: float
) -> None:
    line = calibrate(*columns(rows))
    other = (line[0] + offset, max(LEAST_SLOPE, line[1] + slope))
    assert penalised_loss(line, rows) <= penalised_loss(other, rows) + 1e-3


@given(ROWS)
@laws
def test_calibration_does_not_depend_on_the_order_of_rows(rows: list[tuple[float, bool]]) -> None:
    forth, back = calibrate(*columns(rows)), calibrate(*columns(rows[::-1]))
    assert forth == pytest.approx(back, abs=1e-3)


@given(ROWS)
@laws
def test_the_mirror_image_of_the_rows_gives_the_mirror_image_of_the_line(
    rows: list[tuple[float, bool]],
) -> None:
    line = calibrate(*columns(rows))
    mirrored = calibrate(*columns([(-value, not truth) for value, truth in rows]))
    assert mirrored == pytest.approx((-line[0], line[1]), abs=1e-2)


@given(ROWS, st.integers(2, 4))
@laws
def test_weights_are_numbers_of_rows(rows: list[tuple[float, bool]], times: int) -> None:
    evidence, truth, ones = columns(rows)
    weighted = calibrate(evidence, truth, times * ones)
    assert weighted == pytest.approx(calibrate(*columns(rows * times)), abs=1e-2)


def test_rows_that_speak_against_the_score_make_it_no_less_than_the_least_slope() -> None:
    rows = [(3.0, False), (-3.0, True)] * 200
    assert calibrate(*columns(rows))[1] == pytest.approx(LEAST_SLOPE)


def test_a_strong_prior_holds_the_line_where_it_is() -> None:
    evidence, truth, weight = columns([(2.0, False)] * 50)
    prior = np.array([0.5, 2.0])
    held = fit_line(evidence, truth, weight, prior, 1e7)
    assert held == pytest.approx((0.5, 2.0), abs=1e-3)
    free = fit_line(evidence, truth, weight, prior, 1e-3)
    assert free[0] < 0


@given(LINES, ROWS)
@laws
def test_the_offset_is_where_expectation_and_outcome_meet(
    line: tuple[float, float], rows: list[tuple[float, bool]]
) -> None:
    """Its prior is normal with variance one: what is expected exceeds what came true by it."""
    evidence, truth, weight = columns(rows)
    offset = offset_for(line, evidence, truth, weight)
    expected = probability(line, evidence, offset).sum()
    assert float(truth.sum() - expected) == pytest.approx(offset, abs=1e-2)


@given(LINES, ROWS)
@laws
def test_one_more_link_never_lowers_the_offset(
    line: tuple[float, float], rows: list[tuple[float, bool]]
) -> None:
    fewer = offset_for(line, *columns([*rows, (0.0, False)]))
    more = offset_for(line, *columns([*rows, (0.0, True)]))
    assert fewer < more


def decisions(
    count: int, share_of: dict[int, float], chance: float = 0.5
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Proposals of one chance on many pages; those with fact 0 or without are accepted so often."""
    known = np.zeros((count, len(FACTS)), dtype=np.float32)
    known[::2, 0] = 1
    is_accepted = np.zeros(count, dtype=bool)
    for value, share in share_of.items():
        own = np.flatnonzero(known[:, 0] == value)
        is_accepted[own[: round(share * len(own))]] = True
    order = np.random.default_rng(0).permutation(count)
    return np.arange(count), np.full(count, chance), known[order], is_accepted[order]


def test_few_decisions_teach_nothing() -> None:
    line, check = learn_acceptance(*decisions(FEWEST_DECISIONS - 1, {0: 1, 1: 0}), AS_RANKED)
    assert line == AS_RANKED and check is None


def test_decisions_that_follow_a_fact_teach_it() -> None:
    line, check = learn_acceptance(*decisions(4000, {0: 0.9, 1: 0.1}), AS_RANKED)
    assert check is not None and check.is_used and check.loss_with < check.loss_without
    known = np.zeros((2, len(FACTS)), dtype=np.float32)
    known[1, 0] = 1
    without, with_fact = accepted(line, np.array([0.5, 0.5]), known)
    assert without == pytest.approx(0.9, abs=0.06)
    assert with_fact == pytest.approx(0.1, abs=0.06)


def test_decisions_that_are_as_expected_change_nothing() -> None:
    page, chance, known, _ = decisions(200, {})
    is_accepted = np.arange(200) % 2 == 0
    line, check = learn_acceptance(page, chance, known, is_accepted, AS_RANKED)
    assert check is not None
    assert (check.expected, check.accepted) == (0.5, 0.5)
    if check.is_used:  # by chance the held-back pages may gain a trifle
        assert accepted(line, chance[:2], known[:2]) == pytest.approx([0.5, 0.5], abs=0.1)


def test_what_holds_on_one_page_alone_is_not_believed() -> None:
    """All decisions with the fact are of one page: held back, nothing tells about it."""
    page, chance, known, _ = decisions(100, {})
    known[:, 0] = page == 5
    is_accepted = np.where(page == 5, False, np.arange(100) % 2 == 0)
    _, check = learn_acceptance(page, chance, known, is_accepted, AS_RANKED)
    assert check is not None
    assert check.loss_with == pytest.approx(check.loss_without, abs=0.02)


def test_the_check_counts_what_people_accepted() -> None:
    _, check = learn_acceptance(*decisions(40, {0: 0.5, 1: 0.25}, chance=0.7), AS_RANKED)
    assert check is not None
    assert check.as_json()["decisions"] == 40
    assert check.expected == pytest.approx(0.7) and check.accepted == pytest.approx(0.375)


@given(st.lists(st.floats(0.01, 0.99), min_size=1, max_size=10))
@laws
def test_a_line_that_changes_nothing_gives_the_chances_back(chances: list[float]) -> None:
    as_it_is = (0.0, 1.0, *[0.0] * len(FACTS))
    known = np.ones((len(chances), len(FACTS)), dtype=np.float32)
    found = accepted(as_it_is, np.array(chances), known)
    assert found.tolist() == pytest.approx(chances, abs=1e-5)
