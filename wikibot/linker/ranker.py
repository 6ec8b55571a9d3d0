"""The ranker: gradient boosting on the features, and probabilities that mean what they say.

A first model scores each candidate by itself; a second one scores it again, knowing the first scores
of all others on the page; a third tells at which of its mentions a target is linked. Scores of pages
that a model has not seen are calibrated, separately for pages without, with few and with many links.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import lightgbm as lgb
import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from wikibot.errors import ModelError
from wikibot.linker.features.names import best_other
from wikibot.linker.page import Bools, Floats, Longs

FOLDS = 5
FEWEST_LINKS = 20  # below this nothing can be learned, and `fallback` speaks
MANY_LINKS = 5000  # that allow larger trees
MANY_ROWS = 20_000  # that are worth two threads
SETTINGS: dict[str, Any] = {
    "objective": "binary",
    "learning_rate": 0.05,
    "min_data_in_leaf": 20,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 10.0,
    "verbose": -1,
    "deterministic": True,
    "force_row_wise": True,
    "max_bin": 127,
}
PAGE_COLUMNS = ("first_score", "first_best", "first_sum", "first_rival", "first_lead", "first_page_sum", "first_page_mean", "first_page_rate")  # fmt: skip


@dataclass(frozen=True, slots=True)
class TrainingRows:
    """Rows to learn from: is the target linked, and is it linked at this mention?"""

    names: tuple[str, ...]
    values: Floats
    page: Longs
    variant: Longs  # the page with some links hidden: the same page counts anew in each
    group: Longs  # a number for each target on each variant
    span: Longs  # a number for each run of words on each variant
    is_linked: Bools
    is_place: Bools
    weight: Floats
    hidden: Floats  # which share of the page's links was hidden
    state: Longs  # see `state_of`
    target: Longs


def page_columns(variant: Longs, group: Longs, span: Longs, page_words: Floats, score: Floats) -> Floats:  # fmt: skip
    """(candidates, PAGE_COLUMNS), from the first scores of all candidates of a page.

    Rows of a group, and of a variant, stand together.
    """
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    if not len(starts):
        return np.zeros((0, len(PAGE_COLUMNS)), dtype=np.float32)
    sizes = np.diff(np.append(starts, len(group)))
    best, total = np.maximum.reduceat(score, starts), np.add.reduceat(score, starts)
    page = variant[starts]
    page_starts = np.flatnonzero(np.diff(page, prepend=-1))
    page_sizes = np.diff(np.append(page_starts, len(page)))
    expected = np.repeat(np.add.reduceat(best, page_starts), page_sizes)
    count = np.repeat(page_sizes, page_sizes)
    rival = best_other(span, score)
    each = np.repeat(np.arange(len(starts)), sizes)
    columns = (
        score, best[each], total[each], rival, score - rival, (expected - best)[each],
        (expected / np.maximum(count, 1))[each], expected[each] / np.maximum(page_words, 1),
    )  # fmt: skip
    return np.stack(columns, axis=1).astype(np.float32)


def best_rows(group: Longs, value: Floats) -> Longs:
    """The row of greatest value in each group, in the order of groups; the first of equals."""
    order = np.lexsort((np.arange(len(group)), -value, group))
    return order[np.flatnonzero(np.diff(group[order], prepend=-1))]


Line = tuple[float, ...]  # an offset and a slope


class Ranker:
    """Learned models; `score` gives each candidate a probability."""

    def __init__(self, names, first, second, places, lines) -> None:
        self.names, self.first, self.second, self.places, self.lines = names, first, second, places, lines

    def score(self, names, values, group, span, page_words, state) -> tuple[Floats, Floats, Floats]:
        """(score of each row, place score of each row, probability of each group)."""
        first = _mean(self.first, values)
        variant = np.zeros(len(group), dtype=np.int64)
        more = page_columns(variant, group, span, page_words, first)
        score = _mean(self.second, np.concatenate([values, more], axis=1))
        place = score if self.places is None else _predict(self.places, values)
        best = best_rows(group, score)
        return score, place, self.calibrated(score[best], state)

    def calibrated(self, score: Floats, state: int) -> Floats:
        offset, slope = self.lines[state]
        return expit(offset + slope * _log_odds(score)).astype(np.float32)


def _mean(models, values: Floats) -> Floats:
    return np.mean([_predict(model, values) for model in models], axis=0).astype(np.float32)


def _predict(model, values: Floats) -> Floats:
    threads = 2 if len(values) > MANY_ROWS else 1
    return np.asarray(model.predict(values, num_threads=threads), dtype=np.float32)


def _log_odds(score: Floats) -> Floats:
    clipped = np.clip(score, 1e-5, 1 - 1e-5)
    return np.asarray(np.log(clipped / (1 - clipped)))


def fit(rows: TrainingRows, *, seed: int = 0, refit: bool = False, rounds=None, settings_extra=None, folds=FOLDS) -> Ranker:
    links = int(np.unique(rows.group[rows.is_linked]).size)
    many = links >= MANY_LINKS
    settings = {**SETTINGS, "num_threads": 2 if len(rows.group) > MANY_ROWS else 1, "extra_trees": not many, "seed": seed,
                "num_leaves": 31 if many else 15, **(settings_extra or {})}
    r1, r2 = rounds or ((120, 250) if many else (120, 200))
    first, score = _fold_models(rows, rows.values, r1, settings, refit, folds)
    words = rows.values[:, rows.names.index("page_words")]
    more = page_columns(rows.variant, rows.group, rows.span, words, score)
    second, unseen = _fold_models(rows, np.concatenate([rows.values, more], axis=1), r2, settings, refit, folds)
    places = _fit_places(rows, settings)
    best = best_rows(rows.group, unseen)
    lines = []
    for state in range(3):
        part = best[(rows.state[best] == state) & (rows.weight[best] > 0)]
        is_linked = rows.is_linked[part]
        weight = rows.weight[part] / np.where(is_linked, rows.hidden[part], 1)
        lines.append(_calibrate(_log_odds(unseen[part]), is_linked, weight))
    return Ranker(rows.names, first, second, places, tuple(lines))


def _fold_models(rows, values, rounds, settings, refit, folds):
    fold = (rows.page * 2654435761 % 2**32 // 4096) % folds
    models, unseen = [], np.zeros(len(fold), dtype=np.float32)
    whole = lgb.Dataset(values, rows.is_linked.astype(np.float32), weight=rows.weight, params=settings, free_raw_data=False).construct()
    for number in range(folds):
        inside, outside = np.flatnonzero((fold != number) & (rows.weight > 0)), fold == number
        if not outside.any(): continue
        model = lgb.train({**settings, "seed": settings["seed"] + number}, whole.subset(inside), rounds)
        models.append(model)
        unseen[outside] = _predict(model, values[outside])
    if refit:
        models = [lgb.train(settings, whole, int(rounds*1.1))]
    return models, unseen


def _fit_places(rows, settings):
    placed = np.unique(rows.group[rows.is_place])
    keep = np.isin(rows.group, placed) & (rows.weight > 0)
    if len(placed) < FEWEST_LINKS: return None
    gentle = {**settings, "extra_trees": False, "num_leaves": 15, "lambda_l2": 5.0}
    return lgb.train(gentle, lgb.Dataset(rows.values[keep], rows.is_place[keep].astype(np.float32)), 150)


def _calibrate(odds: Floats, is_linked: Bools, weight: Floats) -> Line:
    usual = np.array([0.0, 1.0])
    truth, values = is_linked.astype(float), np.stack([np.ones(len(odds)), odds], axis=1)

    def loss(line):
        value = values @ line
        fit_ = (weight * (np.logaddexp(0, value) - truth * value)).sum()
        slope = values.T @ (weight * (expit(value) - truth))
        return float(fit_ + 0.5 * ((line - usual) ** 2).sum()), slope + line - usual

    return tuple(minimize(loss, usual, jac=True, method="L-BFGS-B", bounds=[(None, None), (0.2, None)]).x.tolist())
