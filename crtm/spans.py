"""Anchors of several words: which neighbouring words belong to one anchor.

A small logistic model, learned from the anchors of the training links, decides for each pair of neighbours whether to join them.
Runs of joined words are the spans; the best word of a span gives its score.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from crtm.corpus import UNLINKED, Document, Links
from crtm.counts import Longs
from crtm.scoring import DocumentScorer, looked_up
from crtm.tables import PHRASE_COLUMNS, document_phrases
from crtm.term_weights import pairs_by_source
from crtm.tokenize import CAPITAL
from crtm.vectors import Floats

WIDEST_GAP_CHARACTERS = (
    8  # characters between two known words of one anchor: "of the", a dash, a number
)
MAX_TRAINING_LINKS = 200
# constant, phrase of the target, both capitalised, a gap, weaker score, difference of scores
PRIOR = (-1.0, 2.0, 1.5, -1.0, 0.0, -0.3)
PRIOR_STRENGTH_LINKS = 1.0


def join_columns(scorer: DocumentScorer, target: int, scores: Floats) -> Floats:
    """Return (tokens - 1, 6): the features for joining each token with the next."""
    document = scorer.document
    targets = np.array([target], dtype=np.int32)
    phrases = document_phrases(document)
    known = looked_up(scorer.fitted.phrases, np.maximum(phrases, 0), targets, PHRASE_COLUMNS)[:, 0]
    capital = (document.shapes & CAPITAL) > 0
    weaker = np.minimum(scores[1:], scores[:-1]) - scores.max(initial=0)
    return np.stack(
        [
            np.ones(len(document) - 1),
            (known[:-1] != 0) & (phrases[:-1] >= 0),
            capital[1:] & capital[:-1],
            _gaps(document) > 1,
            weaker,
            np.abs(np.diff(scores)),
        ],
        axis=1,
    ).astype(np.float64)


def _gaps(document: Document) -> npt.NDArray[np.int32]:
    return document.starts[1:] - document.ends[:-1]


def may_join(document: Document, target: int) -> npt.NDArray[np.bool_]:
    """Return (tokens - 1): neighbours in one sentence, near each other, and not in links to different places."""
    linked = np.where(document.linked == target, UNLINKED, document.linked)
    near = _gaps(document) <= WIDEST_GAP_CHARACTERS
    same: npt.NDArray[np.bool_] = document.sentences[1:] == document.sentences[:-1]
    result: npt.NDArray[np.bool_] = same & near & (linked[1:] == linked[:-1])
    return result


def best_spans(
    scorer: DocumentScorer, target: int, scores: Floats, joins: tuple[float, ...], *, longest: int
) -> list[tuple[int, int, float]]:
    """Return spans (first, last, score) that cover the document, the best first; ``scores`` are its tokens' for the target."""
    document = scorer.document
    if not len(document):
        return []
    joined = (join_columns(scorer, target, scores) @ np.array(joins) > 0) & may_join(
        document, target
    )
    begins = np.flatnonzero(np.concatenate([[True], ~joined]))
    first, last, score = _cut(scores, begins, longest)
    order = np.lexsort((last, first, -score))
    columns = (first[order].tolist(), last[order].tolist(), score[order].tolist())
    return list(zip(*columns, strict=True))


def _cut(scores: Floats, begins: Longs, longest: int) -> tuple[Longs, Longs, Floats]:
    """Return first, last and score of the runs, each shortened to ``longest`` words around its best word."""
    ends = np.append(begins[1:], len(scores))
    best_score = np.maximum.reduceat(scores, begins)
    is_best = scores == np.repeat(best_score, ends - begins)
    best = np.minimum.reduceat(np.where(is_best, np.arange(len(scores)), len(scores)), begins)
    first = np.maximum(begins, np.minimum(best, ends - longest))
    return first, np.minimum(ends, first + longest), best_score


def learn_joins(links: Links, scorer_of: Callable[[int], DocumentScorer]) -> tuple[float, ...]:
    """Return the weights of ``join_columns`` under which the training links' anchors are the spans."""
    columns, together = [np.empty((0, len(PRIOR)))], [np.empty(0, dtype=bool)]
    for pairs in pairs_by_source(links[:MAX_TRAINING_LINKS]):
        scorer = scorer_of(pairs[0][0])
        if len(scorer.document) < 2:
            continue
        for _, target in pairs:
            inside = scorer.document.linked == target
            scores = scorer.scores(np.array([target], dtype=np.int32))[:, 0]
            chosen = may_join(scorer.document, target) & (inside[1:] | inside[:-1])
            columns.append(join_columns(scorer, target, scores)[chosen])
            together.append((inside[1:] & inside[:-1])[chosen])
    return _logistic(np.concatenate(columns), np.concatenate(together))


def _logistic(columns: Floats, right: npt.NDArray[np.bool_]) -> tuple[float, ...]:
    """Return the weights of a logistic regression held towards ``PRIOR``."""
    prior, sign = np.array(PRIOR), np.where(right, 1.0, -1.0)

    def loss(weights: Floats) -> tuple[float, Floats]:
        margin = sign * (columns @ weights)
        away = weights - prior
        slope = -sign / (1 + np.exp(np.clip(margin, -500, 500)))
        value = np.logaddexp(0, -margin).sum() + 0.5 * PRIOR_STRENGTH_LINKS * (away**2).sum()
        return float(value), columns.T @ slope + PRIOR_STRENGTH_LINKS * away

    found = minimize(loss, prior, jac=True, method="L-BFGS-B")
    return tuple(float(weight) for weight in found.x)
