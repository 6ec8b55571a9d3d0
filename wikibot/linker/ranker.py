"""The ranker: gradient boosting on the features, and probabilities that mean what they say.

A first model scores each candidate by itself; a second one scores it again, knowing the first scores
of all others on the page; a third tells at which of its mentions a target is linked. Scores of pages
that a model has not seen are calibrated together with smoothed residuals, separately for pages
without, with few and with many links.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

import lightgbm as lgb
import numpy as np

from wikibot.errors import ModelError
from wikibot.linker.acceptance import AcceptanceCheck, accepted, facts, learn_acceptance, prior
from wikibot.linker.arrays import Arrays, pack_texts, save_arrays
from wikibot.linker.calibration import Line, calibrate, log_odds, offset_for, probability
from wikibot.linker.candidates import Candidates
from wikibot.linker.features import Features
from wikibot.linker.features.names import best_other
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.page import Bools, Floats, Longs, Page
from wikibot.linker.residuals import LEAST_SCORE, Residuals
from wikibot.linker.topics import PageTopics
from wikibot.message import message
from wikibot.steps import Step, Tell, silent

FORMAT = 4
FOLDS = (5, 3)  # of pages, with few and with many links: each model leaves one of them out
FEWEST_LINKS = 20  # below this nothing can be learned, and the fallback ranks
MANY_LINKS = 5000  # that allow larger trees
MANY_ROWS = 20_000  # that are worth two threads
SETTINGS: dict[str, Any] = {
    "objective": "binary",
    "min_data_in_leaf": 20,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "max_bin": 127,
    "verbose": -1,
    "deterministic": True,
    "force_row_wise": True,
}
FEW_LINKS_SETTINGS = {
    "num_leaves": 15,
    "extra_trees": True,
    "learning_rate": 0.08,
    "lambda_l2": 3.0,
}
MANY_LINKS_SETTINGS = {
    "num_leaves": 31,
    "extra_trees": False,
    "learning_rate": 0.05,
    "lambda_l2": 10.0,
}
FIRST_ROUNDS, SECOND_ROUNDS, PLACE_ROUNDS = (80, 110), (160, 260), 120  # with few, many links
PAGE_COLUMNS = (
    "first_score", "first_best", "first_sum", "first_rival", "first_lead", "first_page_sum",
    "first_page_mean", "first_page_rate",
)  # fmt: skip

# How many links a page has: none, fewer than half of what is usual for its length, or more.
NO_LINKS, FEW_LINKS, MANY_LINKS_HERE = STATES = range(3)


def state_of(page: Page, knowledge: Knowledge) -> int:
    """The state of a page, by its links to pages of the wiki."""
    links = sum(title in knowledge.titles.number for title in page.links.target)
    if not links:
        return NO_LINKS
    return FEW_LINKS if links < 0.5 * knowledge.links_per_word * len(page) else MANY_LINKS_HERE


@dataclass(frozen=True, slots=True)
class TrainingRows:
    """Rows to learn from: is the target linked, and is it linked at this mention?

    Rows of a group stand together, and so do those of a variant.
    """

    names: tuple[str, ...]
    values: Floats
    page: Longs
    variant: Longs  # the page with some links hidden: the same page counts anew in each
    group: Longs  # a number for each target on each variant
    span: Longs  # a number for each run of words on each variant
    target: Longs
    is_linked: Bools
    is_place: Bools
    weight: Floats
    hidden: Floats  # which share of the page's links was hidden
    state: Longs
    decided: (
        Longs  # on pages as they are: 1 what people accepted, -1 what they refused; 0 elsewhere
    )
    is_as_it_is: Bools  # rows of pages as they are: only what people decided counts there

    @classmethod
    def joined(cls, parts: list[TrainingRows]) -> TrainingRows:
        """The rows of several variants, numbered through."""
        columns: dict[str, Any] = {"names": parts[0].names}
        for name in (f.name for f in fields(cls) if f.name != "names"):
            values = [getattr(part, name) for part in parts]
            if name in ("variant", "group", "span"):
                sizes = [int(value.max(initial=-1)) + 1 for value in values]
                starts = np.cumsum([0, *sizes[:-1]])
                values = [value + start for value, start in zip(values, starts, strict=True)]
            columns[name] = np.concatenate(values)
        return cls(**columns)

    def column(self, name: str) -> Floats:
        """One feature."""
        return self.values[:, self.names.index(name)]


def page_columns(variant: Longs, group: Longs, span: Longs, page_words: Floats, score: Floats) -> Floats:  # fmt: skip
    """(candidates, PAGE_COLUMNS), from the first scores of all candidates of a page."""
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    if not len(starts):
        return np.zeros((0, len(PAGE_COLUMNS)), dtype=np.float32)
    each = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(group))))
    best, total = np.maximum.reduceat(score, starts), np.add.reduceat(score, starts)
    page_starts = np.flatnonzero(np.diff(variant[starts], prepend=-1))
    page_sizes = np.diff(np.append(page_starts, len(starts)))
    expected = np.repeat(np.add.reduceat(best, page_starts), page_sizes)
    count = np.repeat(page_sizes, page_sizes)
    rival = best_other(span, score)
    columns = (
        score, best[each], total[each], rival, score - rival, (expected - best)[each],
        (expected / count)[each], expected[each] / np.maximum(page_words, 1),
    )  # fmt: skip
    return np.stack(columns, axis=1).astype(np.float32)


def best_rows(group: Longs, value: Floats) -> Longs:
    """The row of greatest value in each group, in the order of groups; the first of equals."""
    order = np.lexsort((np.arange(len(group)), -value, group))
    return order[np.flatnonzero(np.diff(group[order], prepend=-1))]


@dataclass(frozen=True, slots=True)
class Ranked:
    """What the ranker says of a page's candidates.

    `score` and `place` have an entry per candidate, the others one per target (in the order of
    groups): `probability` that editors link it, and `acceptance` by a reviewer (see `acceptance.py`),
    which knows besides whether this wiki repeats in prose what a box or a list links.
    """

    score: Floats
    place: Floats
    probability: Floats
    acceptance: Floats


class Ranker:
    """Learned models; `rank` turns candidates into probabilities."""

    is_fallback = False

    def __init__(
        self,
        names: tuple[str, ...],
        models: dict[str, tuple[lgb.Booster, ...]],
        lines: tuple[Line, ...],
        box_offsets: tuple[float, ...],
        residuals: Residuals | None,
        acceptance: tuple[Line, ...] = tuple(map(prior, (False, True))),
        check: AcceptanceCheck | None = None,
    ) -> None:
        self.names, self.models, self.lines = names, models, lines
        self.box_offsets, self.residuals = box_offsets, residuals
        self.acceptance, self.check = acceptance, check

    def rank(
        self,
        page: Page,
        number: int,
        rows: Candidates,
        features: Features,
        knowledge: Knowledge,
        topics: PageTopics | None,
    ) -> Ranked:
        """Score the candidates of a page, and the probability of each target."""
        values = self._values(features)
        state = state_of(page, knowledge)
        first = _predict(self.models["first"], values)
        words = features["page_words"]
        more = page_columns(
            np.zeros(len(rows), dtype=np.int64), rows.group, rows.span, words, first
        )
        score = _predict(self.models["second"], np.concatenate([values, more], axis=1))
        place = _predict(self.models["places"], values) if "places" in self.models else score
        best = best_rows(rows.group, score)
        evidence = self._evidence(number, rows, score, best, knowledge, topics)
        line, boxed = self.lines[state], _is_boxed(features)[best]
        chance = probability(line, evidence)
        wanted = probability(line, evidence, self.box_offsets[state] * boxed)
        accept = self.acceptance[state != NO_LINKS]
        wanted = accepted(accept, wanted, facts(features.where(best)))
        return Ranked(score, place, chance, wanted)

    def _evidence(
        self,
        number: int,
        rows: Candidates,
        score: Floats,
        best: Longs,
        knowledge: Knowledge,
        topics: PageTopics | None,
    ) -> Floats:
        """For the best row of each target: log-odds of its score, and smoothed residuals."""
        odds = log_odds(score[best])[:, None]
        if self.residuals is None or topics is None:
            return odds
        smoothed = np.zeros_like(odds)
        asked = score[best] >= LEAST_SCORE
        row = best[asked]
        smoothed[asked, 0] = self.residuals.smoothed(
            number, topics.theta, topics.vector, knowledge.texts.vectors, rows.target[row],
            np.log1p(rows.first[row]).astype(np.float32),
        )  # fmt: skip
        return np.concatenate([odds, smoothed], axis=1)

    def _values(self, features: Features) -> Floats:
        if features.names != self.names:
            raise ModelError(
                "The ranker was learned with other features than this version of wikibot knows. "
                "Nothing was changed. Run `wikibot train` again."
            )
        return features.values

    def renumbered(self, number: Longs) -> Ranker:
        """The same ranker where pages have other numbers."""
        residuals = self.residuals.renumbered(number) if self.residuals is not None else None
        return Ranker(
            self.names, self.models, self.lines, self.box_offsets, residuals, self.acceptance, self.check
        )  # fmt: skip

    def save(self, path: Path) -> str:
        """Write the ranker to one file; return its checksum."""
        arrays = {
            f"model.{name}.{number}": pack_texts([model.model_to_string()])
            for name, models in self.models.items()
            for number, model in enumerate(models)
        }
        if self.residuals is not None:
            arrays |= {f"residuals.{f.name}": getattr(self.residuals, f.name) for f in fields(Residuals)}  # fmt: skip
        header = {
            "format": FORMAT,
            "features": list(self.names),
            "lines": self.lines,
            "box_offsets": self.box_offsets,
            "acceptance": self.acceptance,
        }
        return save_arrays(path, arrays, header)

    @classmethod
    def of(cls, arrays: Arrays, header: dict[str, Any]) -> Ranker:
        """The ranker that was saved; refuses one of another format."""
        if header.get("format") != FORMAT:
            raise ModelError(
                "The ranker was written by another version of wikibot. Nothing was changed. "
                "Run `wikibot train` again."
            )
        models: dict[str, tuple[lgb.Booster, ...]] = {}
        for name, array in arrays.items():
            if name.startswith("model."):
                kind, booster = name.split(".")[1], lgb.Booster(model_str=array.tobytes().decode())
                models[kind] = (*models.get(kind, ()), booster)
        kept = {f.name: arrays[f"residuals.{f.name}"] for f in fields(Residuals) if f"residuals.{f.name}" in arrays}  # fmt: skip
        lines = tuple(tuple(line) for line in header["lines"])
        return cls(
            tuple(header["features"]), models, lines, tuple(header["box_offsets"]),
            Residuals(**kept) if kept else None, tuple(map(tuple, header["acceptance"])),
        )  # fmt: skip


def _is_boxed(features: Features) -> Bools:
    return np.asarray((features["box_link"] > 0) | (features["list_link"] > 0))


def _predict(models: tuple[lgb.Booster, ...], values: Floats) -> Floats:
    """The mean of what the models say."""
    threads = 2 if len(values) > MANY_ROWS else 1  # on few rows threads wait for each other
    said = [model.predict(values, num_threads=threads) for model in models]
    return np.asarray(np.mean(said, axis=0), dtype=np.float32)


def fit(rows: TrainingRows, knowledge: Knowledge, *, seed: int = 0, tell: Tell = silent) -> Ranker:
    """Learn a ranker; all rows of a page stay together when some are left out."""
    many = len(np.unique(rows.group[rows.is_linked])) >= MANY_LINKS
    threads = 2 if len(rows.page) > MANY_ROWS else 1
    settings = {**SETTINGS, "num_threads": threads, "seed": seed}
    settings |= MANY_LINKS_SETTINGS if many else FEW_LINKS_SETTINGS
    watched = partial(_fit_unseen, rows, settings=settings, folds=FOLDS[many], tell=tell)
    first, score = watched(rows.values, FIRST_ROUNDS[many], name=message("step-learning-to-rank"))
    words = rows.column("page_words")
    more = page_columns(rows.variant, rows.group, rows.span, words, score)
    values = np.concatenate([rows.values, more], axis=1)
    second, unseen = watched(values, SECOND_ROUNDS[many], name="Ranking again, folds")
    tell(Step(message("step-learning-places")))
    models = {"first": first, "second": second, **_fit_places(rows, settings)}
    return _calibrated(rows, unseen, models, knowledge)


def _fit_unseen(
    rows: TrainingRows,
    values: Floats,
    rounds: int,
    *,
    settings: dict[str, Any],
    folds: int,
    name: str,
    tell: Tell,
) -> tuple[tuple[lgb.Booster, ...], Floats]:
    """Models that each leave a fold of the pages out, and what they say of the pages they left out."""
    fold = (rows.page * 2654435761 % 2**32 // 4096) % folds
    label, weight = rows.is_linked.astype(np.float32), rows.weight
    data = lgb.Dataset(values, label, weight=weight, params=settings, free_raw_data=False)
    data.construct()
    unseen, models = np.zeros(len(fold), dtype=np.float32), []
    numbers = np.unique(fold).tolist()
    for done, number in enumerate(numbers):
        tell(Step(name, done, len(numbers)))
        inside, outside = np.flatnonzero((fold != number) & (weight > 0)), fold == number
        seeded = {**settings, "seed": settings["seed"] + number}
        models.append(lgb.train(seeded, data.subset(inside), rounds))
        unseen[outside] = _predict((models[-1],), values[outside])
    return tuple(models), unseen


def _fit_places(rows: TrainingRows, settings: dict[str, Any]) -> dict[str, tuple[lgb.Booster, ...]]:
    """Learn from the mentions of linked targets which one carries the link."""
    placed = np.unique(rows.group[rows.is_place])
    if len(placed) < FEWEST_LINKS:
        return {}
    keep = np.isin(rows.group, placed) & (rows.weight > 0)
    gentle = {**settings, "extra_trees": False, "num_leaves": 15, "lambda_l2": 5.0}
    data = lgb.Dataset(rows.values[keep], rows.is_place[keep].astype(np.float32))
    return {"places": (lgb.train(gentle, data, PLACE_ROUNDS),)}


def _calibrated(
    rows: TrainingRows,
    unseen: Floats,
    models: dict[str, tuple[lgb.Booster, ...]],
    knowledge: Knowledge,
) -> Ranker:
    """The ranker with residuals and calibration, both from scores of unseen pages."""
    best = best_rows(rows.group, unseen)
    residuals = None
    evidence = log_odds(unseen[best])[:, None]
    if knowledge.topics is not None:
        residuals = _residuals(rows, unseen, best, knowledge)
        smoothed = _smoothed(rows, unseen, best, residuals, knowledge)
        evidence = np.concatenate([evidence, smoothed], axis=1)
    is_linked, state = rows.is_linked[best], rows.state[best]
    boxed = (rows.column("box_link")[best] > 0) | (rows.column("list_link")[best] > 0)
    # Where a tenth of the links was hidden, ten times as many would have been found on a bare page.
    weight = np.maximum(rows.weight[best], 1) / np.where(is_linked, rows.hidden[best], 1)
    counted = (rows.weight[best] > 0) & ~rows.is_as_it_is[best]
    lines, offsets = [], []
    for number in STATES:
        part = (state == number) & counted
        box = (state == number) & boxed & ~rows.is_as_it_is[best]
        line = calibrate(evidence[part], is_linked[part], weight[part])
        lines.append(line)
        # On a page without links nobody has decided yet that a link in a box is enough.
        box &= number != NO_LINKS
        offsets.append(offset_for(line, evidence[box], is_linked[box], weight[box]))
    ranker = Ranker(rows.names, models, tuple(lines), tuple(offsets), residuals)
    ranker.acceptance, ranker.check = _acceptance(rows, best, evidence, boxed, ranker)
    return ranker


def _acceptance(
    rows: TrainingRows, best: Longs, evidence: Floats, boxed: Bools, ranker: Ranker
) -> tuple[tuple[Line, ...], AcceptanceCheck | None]:
    """What decisions on pages as they are teach, beyond the scores of models that did not know them.

    The line of pages without links and that of pages with links, and the check of the one that more
    decisions taught.
    """
    asked = np.flatnonzero(rows.decided[best] != 0)
    state = rows.state[best[asked]]
    chance = np.zeros(len(asked), dtype=np.float32)
    for number in STATES:
        part = state == number
        offset = ranker.box_offsets[number] * boxed[asked[part]]
        chance[part] = probability(ranker.lines[number], evidence[asked[part]], offset)
    row = best[asked]
    known = facts(Features(rows.names, rows.values[row]))
    learned = []
    for has_links in (False, True):
        part = (state != NO_LINKS) == has_links
        learned.append(
            learn_acceptance(
                rows.page[row[part]], chance[part], known[part], rows.decided[row[part]] > 0,
                prior(has_links),
            )
        )  # fmt: skip
    lines, checks = zip(*learned, strict=True)
    return lines, max(filter(None, checks), key=lambda check: check.decisions, default=None)


def _residuals(rows: TrainingRows, unseen: Floats, best: Longs, knowledge: Knowledge) -> Residuals:
    bare = best[(rows.hidden[best] == 1) & ~rows.is_as_it_is[best] & (rows.weight[best] > 0)]
    return Residuals.of(
        rows.page[bare], rows.target[bare], unseen[bare], rows.is_linked[bare],
        rows.column("words_before")[bare], knowledge.texts.topics,
    )  # fmt: skip


def _smoothed(
    rows: TrainingRows, unseen: Floats, best: Longs, residuals: Residuals, knowledge: Knowledge
) -> Floats:
    """(best rows, 1): the residuals of other pages in like cases."""
    out = np.zeros((len(best), 1), dtype=np.float32)
    asked = np.flatnonzero(unseen[best] >= LEAST_SCORE)
    asked = asked[np.argsort(rows.page[best[asked]], kind="stable")]
    pages = rows.page[best[asked]]
    for part in np.split(asked, np.flatnonzero(np.diff(pages)) + 1) if len(asked) else ():
        row, number = best[part], int(rows.page[best[part[0]]])
        texts = knowledge.texts
        out[part, 0] = residuals.smoothed(
            number, texts.topics[number], texts.vectors[number], texts.vectors, rows.target[row],
            rows.column("words_before")[row],
        )  # fmt: skip
    return out
