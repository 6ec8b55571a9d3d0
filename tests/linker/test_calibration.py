"""Probabilities that mean what they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikibot.linker.calibration import (
    LEAST_SLOPE,
    calibrate,
    expit,
    log_odds,
    offset_for,
    probability,
)

ROWS = 20_000


def outcomes(line: tuple[float, ...], seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Evidence, and links that come true with the probability of the line."""
    rng = np.random.default_rng(seed)
    evidence = rng.normal(0, 1.5, (ROWS, len(line) - 1)).astype(np.float32)
    return evidence, rng.random(ROWS) < probability(line, evidence)


@pytest.mark.parametrize("line", [(0.0, 1.0), (-1.0, 0.7), (0.5, 1.5, 2.0), (-2.0, 1.0, 0.3, 1.2)])
def test_calibrate_recovers_the_line_that_made_the_outcomes(line: tuple[float, ...]) -> None:
    evidence, is_linked = outcomes(line)
    found = calibrate(evidence, is_linked, np.ones(ROWS))
    assert found == pytest.approx(line, abs=0.12)


def test_calibrated_probabilities_come_true() -> None:
    evidence, is_linked = outcomes((-1.0, 0.7))
    chance = probability(calibrate(evidence, is_linked, np.ones(ROWS)), evidence)
    for low in (0.1, 0.3, 0.5, 0.7):
        part = (chance >= low) & (chance < low + 0.2)
        assert is_linked[part].mean() == pytest.approx(chance[part].mean(), abs=0.03)


def test_without_rows_the_log_odds_stay_as_they_are() -> None:
    line = calibrate(np.zeros((0, 3), dtype=np.float32), np.zeros(0, dtype=bool), np.zeros(0))
    assert line == pytest.approx((0, 1, 0, 0))


def test_few_rows_hardly_move_the_line() -> None:
    line = calibrate(np.array([[0.0]]), np.array([False]), np.ones(1))
    assert -0.5 < line[0] < 0
    assert line[1] == pytest.approx(1)


def test_evidence_never_counts_against_what_it_speaks_for() -> None:
    evidence, is_linked = outcomes((0.0, 1.0, 1.0))
    found = calibrate(-evidence, is_linked, np.ones(ROWS))
    assert found[1] == pytest.approx(LEAST_SLOPE)
    assert found[2] == 0


def test_a_row_of_weight_two_counts_as_two_rows() -> None:
    evidence, is_linked = (one[:200] for one in outcomes((0.5, 1.0)))
    weight = np.where(np.arange(200) < 50, 2.0, 1.0)
    twice = calibrate(
        np.concatenate([evidence, evidence[:50]]),
        np.append(is_linked, is_linked[:50]),
        np.ones(250),
    )
    assert calibrate(evidence, is_linked, weight) == pytest.approx(twice, abs=1e-3)


def test_an_offset_is_found_for_rows_that_come_true_less_often() -> None:
    evidence, is_linked = outcomes((-1.5, 1.0))
    assert offset_for((0.0, 1.0), evidence, is_linked, np.ones(ROWS)) == pytest.approx(
        -1.5, abs=0.1
    )


def test_the_offset_of_rows_that_come_true_as_expected_is_nothing() -> None:
    evidence, is_linked = outcomes((0.3, 1.0))
    assert offset_for((0.3, 1.0), evidence, is_linked, np.ones(ROWS)) == pytest.approx(0, abs=0.06)


def test_without_rows_the_offset_is_nothing() -> None:
    nothing = np.zeros(0)
    assert offset_for((0.3, 1.0), np.zeros((0, 1)), nothing.astype(bool), nothing) == 0


def test_an_offset_stays_finite_where_nothing_is_ever_linked() -> None:
    found = offset_for((0.0, 1.0), np.zeros((1000, 1)), np.zeros(1000, dtype=bool), np.ones(1000))
    assert -10 < found < -3


def test_an_offset_moves_the_probability() -> None:
    line, evidence = (0.0, 1.0), np.array([[0.0]])
    assert probability(line, evidence) == pytest.approx(0.5)
    assert probability(line, evidence, np.log(3)) == pytest.approx(0.75)


@given(st.floats(-1e6, 1e6))
def test_expit_is_a_probability_and_symmetric(value: float) -> None:
    chance = float(expit(np.float64(value)))
    assert 0 <= chance <= 1
    assert chance + float(expit(np.float64(-value))) == pytest.approx(1)


@given(st.floats(0, 1))
def test_log_odds_are_finite_and_expit_undoes_them(score: float) -> None:
    odds = log_odds(np.array([score]))
    assert np.isfinite(odds).all()
    assert float(expit(odds)[0]) == pytest.approx(score, abs=2e-5)
