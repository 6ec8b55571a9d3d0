"""The ranker: gradient boosting on the features, and probabilities that mean what they say.

`judges` tell whether a page links a target at all: several models, each of which left out other
pages, and their mean; first each candidate by itself, then once more, knowing what was thought of
all others on the page. The `memory` tells what people made of the like cases. The `placer` tells at
which of its mentions. A sum of the log-odds and of what is remembered, each with a weight learned on
pages the models had left out, makes a probability, a cautious one on pages that have no links yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import lightgbm as lgb
import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from wikibot.errors import ModelError
from wikibot.ranking.candidates import Candidates
from wikibot.ranking.features import Features
from wikibot.ranking.memory import FAINT, KINDS, Memory
from wikibot.ranking.opinions import opinion_columns
from wikibot.ranking.surface import spans_of
from wikibot.ranking.wiki import Bools, Floats, Longs

FOLDS = 5
FEWEST_LINKS = 20  # below this nothing can be learned, and `fallback` speaks
# On a page without links, where many are proposed at once, a wrong one weighs as much as so many right
# ones: the odds are divided by it, and a probability there says less than is true.
CAUTION = 1.5
_FORMAT = 5
_MANY = 5000  # links that allow larger trees, rows that are worth two threads
_SETTINGS: dict[str, Any] = {
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
}


@dataclass(frozen=True, slots=True)
class Lessons:
    """Rows to learn from: is the target linked, is it linked at this mention, does the row count?"""

    features: Features
    code: Longs
    page: Longs
    sheet: Longs  # the page in its situation: the same page counts anew in each
    span: Longs
    is_linked: Bools
    is_place: Bools
    weight: Floats
    hidden: Floats  # which share of the page's links was hidden: so few of them are to be found


@dataclass(frozen=True, slots=True)
class Ranked:
    """For each (page, target) the candidate chosen and the probability of the link.

    `score` is what the judges say of every single candidate.
    """

    row: Longs
    probability: Floats
    score: Floats


# What makes evidence a probability: an offset, and the weights of the log-odds and of each kind of memory.
Line = tuple[float, ...]


class Ranker:
    """Learned models; `rank` turns candidates into proposals."""

    def __init__(
        self,
        names: tuple[str, ...],
        first: list[lgb.Booster],
        judges: list[lgb.Booster],
        placer: lgb.Booster | None,
        lines: tuple[Line, Line],
        memory: Memory | None,
    ) -> None:
        self.names, self.first, self.judges = names, first, judges
        self.placer, self.lines, self.memory = placer, lines, memory

    def rank(self, rows: Candidates, features: Features) -> Ranked:
        """The best mention of every target on every page, with its probability."""
        values = self._values(features)
        opinion = _mean_opinion(self.first, values)
        words = features.column("page_words")
        second = opinion_columns(rows.page, rows.code, spans_of(rows), words, opinion)
        score = _mean_opinion(self.judges, np.concatenate([values, second], axis=1))
        place = score if self.placer is None else _predicted(self.placer, values)
        chosen, best = best_rows(rows.code, place), best_rows(rows.code, score)
        evidence = _evidence(self.memory, features, score, best, rows.page, rows.target)
        return Ranked(chosen, self.calibrated(evidence, _links_stand(features)[chosen]), score)

    def calibrated(self, evidence: Floats, links_stand: Bools) -> Floats:
        """The probability that evidence stands for, on pages with and without links of their own."""
        lines = np.array(self.lines)[links_stand.astype(np.int64)]
        value = lines[:, 0] + np.einsum("ij,ij->i", lines[:, 1:], evidence)
        return np.asarray(expit(value), dtype=np.float32)

    def _values(self, features: Features) -> Floats:
        if features.names == self.names:
            return features.values
        missing = set(self.names) - set(features.names)
        if missing:
            raise ModelError(
                f"The ranker was learned with features that are not there ({', '.join(sorted(missing)[:3])}). "
                "Nothing was changed. Run `wikibot train` again."
            )
        return features.values[:, [features.names.index(name) for name in self.names]]

    def to_dict(self) -> dict[str, Any]:
        """The ranker as plain values; LightGBM's own model text inside, no pickle anywhere."""
        return {
            "format": _FORMAT,
            "features": list(self.names),
            "lines": self.lines,
            "first": [judge.model_to_string() for judge in self.first],
            "judges": [judge.model_to_string() for judge in self.judges],
            "placer": self.placer.model_to_string() if self.placer else None,
            "memory": self.memory.to_dict() if self.memory else None,
        }

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Ranker:
        """The ranker that was written; refuses one of another format."""
        if content["format"] != _FORMAT:
            raise ModelError(
                "The ranker was written by another version of wikibot. Nothing was changed. "
                "Run `wikibot train` again."
            )
        first, judges = (
            [lgb.Booster(model_str=model) for model in content[name]]
            for name in ("first", "judges")
        )
        placer = lgb.Booster(model_str=content["placer"]) if content["placer"] else None
        memory = Memory.from_dict(content["memory"]) if content["memory"] else None
        lines = (tuple(content["lines"][0]), tuple(content["lines"][1]))
        return cls(tuple(content["features"]), first, judges, placer, lines, memory)


def best_rows(code: Longs, value: Floats) -> Longs:
    """The row of greatest value for each code, in the order of codes; the first of equals."""
    order = np.lexsort((np.arange(len(code)), -value, code))
    return order[np.flatnonzero(np.diff(code[order], prepend=-1))]


def learn_ranker(lessons: Lessons, *, seed: int = 0) -> Ranker:
    """A ranker learned from the lessons; every page's rows stay together when some are left out."""
    links = int(np.unique(lessons.code[lessons.is_linked]).size)
    threads = 1 if links < _MANY else 2  # on small data threads wait for each other
    settings = {**_SETTINGS, "num_threads": threads, "extra_trees": links < _MANY, "seed": seed}
    settings["num_leaves"] = 31 if links >= _MANY else 15
    rounds = (120, 250) if links >= _MANY else (120, 200)
    values = lessons.features.values
    first, opinion = _judges(lessons, values, rounds[0], settings)
    words = lessons.features.column("page_words")
    second = opinion_columns(lessons.sheet, lessons.code, lessons.span, words, opinion)
    judges, unseen = _judges(lessons, np.concatenate([values, second], axis=1), rounds[1], settings)
    placer = _learn_placer(lessons, settings)
    return _remembering(lessons, unseen, first, judges, placer)


def _remembering(
    lessons: Lessons,
    unseen: Floats,
    first: list[lgb.Booster],
    judges: list[lgb.Booster],
    placer: lgb.Booster | None,
) -> Ranker:
    """The ranker with its memory and its calibration, both from what was said of unseen pages."""
    features, page = lessons.features, lessons.page
    chosen = best_rows(lessons.code, unseen)
    chosen = chosen[lessons.weight[chosen] > 0]
    memory, target = None, page
    if features.likeness is not None and features.scenes is not None:
        target = lessons.code % len(features.likeness.titles)
        bare = chosen[lessons.sheet[chosen] == page[chosen]]  # all links of the page were hidden
        memory = Memory.learn(
            features.likeness, features.scenes.chosen(bare),
            page[bare], target[bare], lessons.is_linked[bare], unseen[bare],
        )  # fmt: skip
    evidence = _evidence(memory, features, unseen, chosen, page, target)
    stand = _links_stand(features)[chosen]
    is_linked = lessons.is_linked[chosen]
    # Where a third of the links was hidden, three times as many would have been found on a bare page.
    found = np.where(is_linked, lessons.hidden[chosen], 1)
    weight = np.asarray(lessons.weight[chosen] / found, dtype=np.float32)
    bare_line, linked_line = (
        _calibrate(evidence[part], is_linked[part], weight[part]) for part in (~stand, stand)
    )
    lines = ((bare_line[0] - float(np.log(CAUTION)), *bare_line[1:]), linked_line)
    return Ranker(features.names, first, judges, placer, lines, memory)


def _evidence(
    memory: Memory | None,
    features: Features,
    opinion: Floats,
    chosen: Longs,
    page: Longs,
    target: Longs,
) -> Floats:
    """For the `chosen` rows: the log-odds of the opinion, and what is remembered of like cases."""
    odds = _log_odds(opinion[chosen])[:, None]
    if memory is None or features.likeness is None or features.scenes is None:
        return odds
    recalled = np.zeros((len(chosen), len(KINDS)), dtype=np.float32)
    telling = opinion[chosen] >= FAINT
    rows = chosen[telling]
    scenes = features.scenes.chosen(rows)
    recalled[telling] = memory.recall(features.likeness, scenes, page[rows], target[rows])
    return np.concatenate([odds, recalled], axis=1)


def _judges(
    lessons: Lessons, values: Floats, rounds: int, settings: dict[str, Any]
) -> tuple[list[lgb.Booster], Floats]:
    """Models that each left out a part of the pages, and what each says of the part it left out."""
    fold = (lessons.page * 2654435761 % 2**32 // 4096) % FOLDS
    judges, unseen = [], np.zeros(len(fold), dtype=np.float32)
    for number in range(FOLDS):
        inside, outside = (fold != number) & (lessons.weight > 0), fold == number
        seeded = {**settings, "seed": settings["seed"] + number}
        judges.append(_boost(values[inside], lessons.is_linked[inside], lessons.weight[inside], rounds, seeded))  # fmt: skip
        if outside.any():
            unseen[outside] = _predicted(judges[-1], values[outside])
    return judges, unseen


def _mean_opinion(judges: list[lgb.Booster], values: Floats) -> Floats:
    return np.asarray(np.mean([_predicted(judge, values) for judge in judges], axis=0), np.float32)


def _predicted(judge: lgb.Booster, values: Floats) -> Floats:
    threads = 2 if len(values) > _MANY else 1  # on small data threads wait for each other
    return np.asarray(judge.predict(values, num_threads=threads))


def _links_stand(features: Features) -> Bools:
    """Which candidates are on pages where links to pages of the wiki stand."""
    return np.asarray(features.column("own_links_here") > 0)


def _boost(
    values: Floats, label: Bools, weight: Floats, rounds: int, settings: dict[str, Any]
) -> lgb.Booster:
    data = lgb.Dataset(values, label.astype(np.float32), weight=weight)
    return lgb.train(settings, data, rounds)


def _learn_placer(lessons: Lessons, settings: dict[str, Any]) -> lgb.Booster | None:
    """Learns from the mentions of linked targets which one carries the link."""
    placed = np.unique(lessons.code[lessons.is_place])
    rows = np.isin(lessons.code, placed) & (lessons.weight > 0)
    if len(placed) < FEWEST_LINKS:
        return None
    gentle = {**settings, "extra_trees": False, "num_leaves": 15, "lambda_l2": 5.0}
    values = lessons.features.values[rows]
    return _boost(values, lessons.is_place[rows], lessons.weight[rows], 150, gentle)


def _calibrate(evidence: Floats, is_linked: Bools, weight: Floats) -> Line:
    """The line that makes evidence of unseen pages come true (Platt); nothing speaks for its contrary."""
    usual = np.zeros(evidence.shape[1] + 1)
    usual[1] = 1  # the log-odds as they are
    truth, values = is_linked.astype(float), np.insert(evidence.astype(float), 0, 1, axis=1)

    def loss(line: np.ndarray) -> tuple[float, np.ndarray]:
        value = values @ line
        fit = (weight * (np.logaddexp(0, value) - truth * value)).sum()
        slope = values.T @ (weight * (expit(value) - truth))
        return float(fit + 0.5 * ((line - usual) ** 2).sum()), slope + line - usual

    bounds = [(None, None), (0.2, None), *((0, None) for _ in KINDS)][: len(usual)]
    found = minimize(loss, usual, jac=True, method="L-BFGS-B", bounds=bounds).x
    return tuple(found.tolist())


def _log_odds(score: Floats) -> Floats:
    clipped = np.clip(score, 1e-5, 1 - 1e-5)
    return np.asarray(np.log(clipped / (1 - clipped)))
