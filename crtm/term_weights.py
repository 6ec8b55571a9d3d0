"""Learn the weights of the link function's terms: for each target, the anchor against the other words of the page.

A log-linear model: p(token | page, target) ~ exp(weights . columns), fitted to the training links by maximum a posteriori. A
training link does not count towards the columns of its own rows (its anchor raises the link rate of its words).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from crtm.corpus import Ints, Links
from crtm.scoring import DocumentScorer, Lookup
from crtm.tables import NOT_THERE, Table, document_phrases
from crtm.terms import COLUMNS, PLAIN, chosen_columns, linked_columns, plain_columns
from crtm.vectors import Floats

PRIOR: Mapping[str, float] = {"lift": 0.3, "word_tfidf": 1.0, "aptness": 0.4, "linked": -3.0}
MAX_OTHER_WORDS_PER_LINK = (
    250  # of a long page, words that are not in the anchor; the others are left out
)
Block = tuple[Floats, npt.NDArray[np.bool_], Floats]
PRIOR_STRENGTH_LINKS = 3.0  # links' worth of evidence in the prior


@dataclass(frozen=True, slots=True)
class Tables:
    """Tables of words, stems and phrases per document."""

    words: Table
    stem_words: Table
    phrases: Table
    stems: Ints


@dataclass(frozen=True, slots=True)
class Rows:
    """Columns (n, F) for tokens of several links; ``begins`` marks each link's rows, ``right`` its anchor's tokens.

    A row of a long page stands for itself and for rows that were left out: ``stands_for`` tells how many.
    """

    columns: Floats
    begins: npt.NDArray[np.int64]
    right: npt.NDArray[np.bool_]
    stands_for: Floats


def prior_weights() -> dict[str, float]:
    """Return the weights a model has before it has seen a link."""
    return {column: PRIOR.get(column, 0.0) for columns in COLUMNS.values() for column in columns}


def pair_columns(scorer: DocumentScorer, target: int, tables: Tables) -> dict[str, Floats]:
    """Return every column (tokens) of one document for one target."""
    document, targets = scorer.document, np.array([target], dtype=np.int32)
    columns = {"lift": scorer.lift(targets)[:, 0], "relation": scorer.relation(targets)[:, 0]}
    plain = plain_columns(document, scorer.fitted.facts, target)
    columns.update(zip(PLAIN, plain.T, strict=True))
    columns.update(zip(COLUMNS["linked"], linked_columns(document, target).T, strict=True))
    words = _row_values(tables.words, target, document.words)
    columns.update(zip(COLUMNS["own_words"] + COLUMNS["early"], words.T, strict=True))
    stems = _row_values(tables.stem_words, target, tables.stems[document.words])
    columns.update(zip(COLUMNS["stems"], stems.T, strict=True))
    begun = _row_values(tables.phrases, target, document_phrases(document))[:, 0] - NOT_THERE[0]
    columns["phrase_tfidf"] = np.maximum(begun, np.concatenate([[0.0], begun[:-1]]))
    return columns


def _row_values(table: Table, row: int, wanted: Ints) -> Floats:
    """Return the values (wanted, 4) of a table's row, ``NOT_THERE`` where it has no such column."""
    begin, end = int(table.ptr[row]), int(table.ptr[row + 1])
    place = begin + np.searchsorted(table.column[begin:end], wanted)
    safe = np.minimum(place, max(begin, end - 1))
    out = np.tile(NOT_THERE, (len(wanted), 1))
    if end > begin:
        found = (place < end) & (table.column[safe] == wanted)
        out[found] = table.values[safe[found]]
    return out


def link_rows(
    links: Links,
    scorer_of: Callable[[int], DocumentScorer],
    tables: Tables,
    names: list[str],
    *,
    jobs: int = 1,
) -> Rows:
    """Return the rows of the links: each word's first free token, and all tokens of the anchor's words."""

    def work(pairs: list[tuple[int, int]]) -> list[Block]:
        scorer = scorer_of(pairs[0][0])  # large with many topics: kept for one source only
        return [_pair_rows(scorer, target, tables, names) for _, target in pairs]

    with ThreadPoolExecutor(jobs) as pool:
        blocks = [block for found in pool.map(work, pairs_by_source(links)) for block in found]
    columns, rights, numbers = zip(*blocks, strict=True)
    sizes = np.array([len(right) for right in rights], dtype=np.int64)
    begins = np.cumsum(sizes) - sizes
    return Rows(np.concatenate(columns), begins, np.concatenate(rights), np.concatenate(numbers))


def pairs_by_source(links: Links) -> list[list[tuple[int, int]]]:
    """Return the distinct (source, target) pairs of the links, those of a source together."""
    pairs = sorted(set(zip(links.source.tolist(), links.target.tolist(), strict=True)))
    return [list(own) for _, own in groupby(pairs, key=itemgetter(0))]


def _pair_rows(scorer: DocumentScorer, target: int, tables: Tables, names: list[str]) -> Block:
    """Return the columns and the answers of all links between one source and one target."""
    right = scorer.document.linked == target
    rows, stands_for = _candidates(scorer, target, right)
    found = pair_columns(scorer, target, tables)
    columns = np.stack([found[name][rows] for name in names], axis=1).astype(np.float32)
    return columns, right[rows], stands_for


def _candidates(
    scorer: DocumentScorer, target: int, right: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return the tokens that compete for the link, and how many candidates each stands for."""
    document = scorer.document
    elsewhere = linked_columns(document, target)[:, 0] > 0
    order = np.lexsort((np.arange(len(document)), elsewhere, document.words))
    first = order[np.flatnonzero(np.diff(document.words[order], prepend=-1))]
    in_anchor = np.isin(document.words, document.words[right])
    others = first[~in_anchor[first]]
    step = max(1, -(-len(others) // MAX_OTHER_WORDS_PER_LINK))
    rows = np.concatenate([np.flatnonzero(in_anchor), others[::step]])
    stands_for = np.where(in_anchor[rows], 1, step).astype(np.float32)
    in_order = np.argsort(rows, kind="stable")
    return rows[in_order], stands_for[in_order]


def fit_weights(rows: Rows, prior: Floats) -> Floats:
    """Return the weights that make the anchors' tokens most probable, held towards ``prior``."""
    spread = rows.columns.std(axis=0) + 1e-6
    scaled = rows.columns - rows.columns.mean(axis=0)
    scaled /= spread
    centre = prior * spread

    def loss(weights: Floats) -> tuple[float, Floats]:
        return anchor_loss(weights, scaled, rows, centre)

    found = minimize(loss, centre, jac=True, method="L-BFGS-B", options={"maxiter": 100})
    weights: Floats = found.x / spread
    return weights


def anchor_loss(
    weights: Floats,
    columns: Floats,
    rows: Rows,
    centre: Floats,
) -> tuple[float, Floats]:
    """Return the mean -log p(a token of the anchor) plus the penalty for leaving ``centre``, and the gradient.

    ``columns`` are those of ``rows``, scaled.
    """
    begins, right, links = rows.begins, rows.right, len(rows.begins)
    sizes = np.diff(np.append(begins, len(columns)))
    scores = (columns @ weights.astype(columns.dtype)).astype(np.float64)
    powers = np.exp(scores - np.repeat(np.maximum.reduceat(scores, begins), sizes))
    powers *= rows.stands_for
    total = np.add.reduceat(powers, begins)
    good = np.maximum(np.add.reduceat(powers * right, begins), 1e-300)
    away = weights - centre
    hold = PRIOR_STRENGTH_LINKS / links
    value = float((np.log(total) - np.log(good)).mean() + 0.5 * hold * (away**2).sum())
    slope = powers / np.repeat(total, sizes) - powers * right / np.repeat(good, sizes)
    gradient: Floats = columns.T @ slope.astype(columns.dtype) / links + hold * away
    return value, gradient.astype(np.float64)


def learn_weights(
    links: Links,
    scorer_of: Callable[[int], DocumentScorer],
    tables: Tables,
    terms: tuple[str, ...],
    *,
    jobs: int,
) -> dict[str, float]:
    """Return weights for all columns, 0 for those of terms that are switched off."""
    names = chosen_columns(terms)
    prior = prior_weights()
    known = {column: prior[column] if column in names else 0.0 for column in prior}
    if not names or not len(links):
        return known
    rows = link_rows(links, scorer_of, tables, names, jobs=jobs)
    found = fit_weights(rows, np.array([prior[name] for name in names]))
    return {**known, **{name: float(value) for name, value in zip(names, found, strict=True)}}


def weighted(table: Table, weights: Mapping[str, float], columns: tuple[str, ...]) -> Lookup:
    """Return the weighted sum of a table's columns, shifted so that a missing cell is 0."""
    by = np.array([weights[column] for column in columns], dtype=np.float32)
    values = (table.values[:, : len(columns)] - NOT_THERE[: len(columns)]) @ by
    return Lookup(table.ptr, table.column, values.astype(np.float32))
