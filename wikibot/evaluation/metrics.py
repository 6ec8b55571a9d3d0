"""Figures of a ranking: how many proposals are right, how many links are found, how true the odds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from wikibot.linker.page import Bools, Floats, Longs

PRECISIONS = (0.75, 0.8, 0.9, 0.95)
_BINS = 10


@dataclass(frozen=True, slots=True)
class Answers:
    """A system's proposals, one a (page, target): right target, right place, and the score.

    `gold` is how many links there were to find on each page of the wiki.
    """

    page: Longs
    score: Floats
    is_right: Bools
    is_exact: Bools
    gold: Longs

    def of_pages(self, copies: Longs) -> Answers:
        """The same with each page as many times as `copies` says: a bootstrap sample."""
        times = copies[self.page]
        pick = np.repeat(np.arange(len(self.page)), times)
        return Answers(
            self.page[pick],
            self.score[pick],
            self.is_right[pick],
            self.is_exact[pick],
            self.gold * copies,
        )

    @classmethod
    def joined(cls, parts: Sequence[Answers]) -> Answers:
        """The answers of several parts of the wiki's pages as one."""
        return cls(
            np.concatenate([part.page for part in parts]),
            np.concatenate([part.score for part in parts]),
            np.concatenate([part.is_right for part in parts]),
            np.concatenate([part.is_exact for part in parts]),
            np.sum([part.gold for part in parts], axis=0),
        )

    def where(self, which: Bools, gold: Longs) -> Answers:
        """Only some proposals, with the links there were to find among them."""
        return Answers(
            self.page[which], self.score[which], self.is_right[which], self.is_exact[which], gold
        )


def average_precision(answers: Answers) -> float:
    """The mean, over all links there were to find, of the precision where each one was found."""
    order = np.argsort(-answers.score, kind="stable")
    right = answers.is_right[order]
    found = np.cumsum(right)
    precision = found / np.arange(1, len(right) + 1)
    return float((precision * right).sum() / max(1, answers.gold.sum()))


def recall_at_precision(answers: Answers, least: float) -> float:
    """The greatest share of links found while at least so many proposals are right."""
    order = np.argsort(-answers.score, kind="stable")
    found = np.cumsum(answers.is_right[order])
    good = found >= least * np.arange(1, len(found) + 1)
    return float(found[good].max(initial=0) / max(1, answers.gold.sum()))


def precision_at(answers: Answers, least: float) -> float:
    """The share of right targets among proposals of at least this score."""
    return _share(answers.is_right[answers.score >= least])


def recall_at(answers: Answers, least: float) -> float:
    """The share of links found among proposals of at least this score."""
    return float(answers.is_right[answers.score >= least].sum() / max(1, answers.gold.sum()))


def exact_share_at(answers: Answers, least: float) -> float:
    """Among right targets of at least this score, the share with exactly the right place."""
    return _share(answers.is_exact[(answers.score >= least) & answers.is_right])


def top_precision(answers: Answers, most: int = 3, least: float = 0.1) -> float:
    """The share of right targets among the best few of each page, of those that would be proposed at all."""
    order = np.lexsort((-answers.score, answers.page))
    order = order[answers.score[order] >= least]
    page = answers.page[order]
    starts = np.flatnonzero(np.diff(page, prepend=-1))
    rank = np.arange(len(page)) - np.repeat(starts, np.diff(np.append(starts, len(page))))
    return _share(answers.is_right[order][rank < most])


def calibration_bins(answers: Answers) -> list[tuple[float, float, int]]:
    """(mean probability, share of right ones, how many) for each tenth of the scale that is used."""
    place = np.minimum((answers.score * _BINS).astype(np.int64), _BINS - 1)
    bins = []
    for number in range(_BINS):
        inside = place == number
        if inside.any():
            mean = float(answers.score[inside].mean())
            bins.append((mean, float(answers.is_right[inside].mean()), int(inside.sum())))
    return bins


def calibration_error(answers: Answers) -> float:
    """The mean distance between the probability and the share of right ones (ECE, ten bins)."""
    total = max(1, len(answers.score))
    return sum(abs(mean - share) * n / total for mean, share, n in calibration_bins(answers))


def _share(values: Bools) -> float:
    return float(values.mean()) if len(values) else 0.0


def interval(
    answers: Answers, figure: Callable[[Answers], float], *, samples: int = 200
) -> tuple[float, float]:
    """The 95 % interval of a figure, by drawing pages with replacement."""
    return _spread([figure(answers.of_pages(copies)) for copies in _draws([answers], samples)])


def gain_interval(
    ours: Answers, theirs: Answers, figure: Callable[[Answers], float], *, samples: int = 200
) -> tuple[float, float]:
    """The 95 % interval of how much better a figure is, both systems on the same draws of pages."""
    return _spread(
        [
            figure(ours.of_pages(copies)) - figure(theirs.of_pages(copies))
            for copies in _draws([ours, theirs], samples)
        ]
    )


def _draws(systems: list[Answers], samples: int) -> Iterator[Longs]:
    """How often each page is drawn, sample by sample."""
    random = np.random.default_rng(0)
    asked = [np.append(one.page, np.flatnonzero(one.gold)) for one in systems]
    pages = np.unique(np.concatenate(asked))
    for _ in range(samples):
        drawn = random.choice(pages, len(pages))
        yield np.bincount(drawn, minlength=len(systems[0].gold))


def _spread(values: list[float]) -> tuple[float, float]:
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)
