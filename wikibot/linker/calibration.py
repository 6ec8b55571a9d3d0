"""Evidence made probabilities that come true (Platt's method, with more than one kind of evidence)."""

from __future__ import annotations

import numpy as np

from wikibot.linker.page import Bools, Floats

Line = tuple[float, ...]  # an offset, and the weights of the log-odds and of other evidence
LEAST_SLOPE = 0.2  # of the log-odds
OFFSET_VARIANCE = 1.0  # of an offset before anything is known of it


def expit(value: Floats) -> Floats:
    """1 / (1 + exp(-value)), without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * value)))


def log_odds(score: Floats) -> Floats:
    """Log-odds, kept finite."""
    clipped = np.clip(score, 1e-5, 1 - 1e-5)
    return np.asarray(np.log(clipped / (1 - clipped)), dtype=np.float32)


def probability(line: Line, evidence: Floats, offset: Floats | float = 0.0) -> Floats:
    """The probability that evidence stands for."""
    value = line[0] + evidence @ np.array(line[1:]) + offset
    return np.asarray(expit(value), dtype=np.float32)


def calibrate(evidence: Floats, is_linked: Bools, weight: Floats) -> Line:
    """The line that makes evidence come true; no evidence counts against what it speaks for."""
    as_it_is = np.zeros(evidence.shape[1] + 1)
    as_it_is[1] = 1
    return fit_line(evidence, is_linked, weight, as_it_is, 1.0, least=0)


def fit_line(
    evidence: Floats,
    is_true: Bools,
    weight: Floats,
    prior: np.ndarray,
    precision: float,
    *,
    slope: float = LEAST_SLOPE,
    least: float | None = None,
) -> Line:
    """Logistic regression with a normal prior.

    The weight of the log-odds is at least `slope`, those of other evidence at least `least`.
    """
    from scipy.optimize import minimize  # only learning needs it, and it takes long to load

    truth, values = is_true.astype(float), np.insert(evidence.astype(float), 0, 1, axis=1)

    def loss(line: np.ndarray) -> tuple[float, np.ndarray]:
        value, apart = values @ line, line - prior
        fit = (weight * (np.logaddexp(0, value) - truth * value)).sum()
        rise = values.T @ (weight * (expit(value) - truth))
        return float(fit + 0.5 * precision * (apart**2).sum()), rise + precision * apart

    bounds = [(None, None), (slope, None), *((least, None) for _ in prior[2:])]
    return tuple(minimize(loss, prior, jac=True, method="L-BFGS-B", bounds=bounds).x.tolist())


def offset_for(line: Line, evidence: Floats, is_linked: Bools, weight: Floats) -> float:
    """What must be added to the log-odds of some rows for them to come true; 0 where nothing tells."""
    value = line[0] + evidence @ np.array(line[1:])
    truth, offset = is_linked.astype(float), 0.0
    for _ in range(20):
        chance = expit(value + offset)
        slope = (weight * (truth - chance)).sum() - offset / OFFSET_VARIANCE
        curve = (weight * chance * (1 - chance)).sum() + 1 / OFFSET_VARIANCE
        offset += float(np.clip(slope / curve, -2, 2))
    return offset
