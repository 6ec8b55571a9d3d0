"""What editors did beyond what the models expected, smoothed over like pages and targets by CRTM.

Models see one candidate at a time. Where editors link more, or less, than the models expected, they
will do so again in a like case. Each known (page, target) is kept with its residual, taken from models
that had not seen the page. A candidate gets their smoothed mean over like targets, about as far down on
like pages. Pages and targets are alike by CRTM's vectors. A page never gets residuals of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wikibot.linker.page import Bools, Floats, Ints, Longs
from wikibot.linker.topics import main_topics

LEAST_SCORE = 0.01  # lower scores teach nothing worth keeping, and nothing is looked up for them
NEAREST_PAGES = 100
FEW_PAGES = 3000  # of which all are compared
PRIOR_VARIANCE = 0.5  # that must be near before residuals are believed by half


@dataclass(frozen=True, slots=True)
class Residuals:
    """Residuals of (page, target), in the order of pages; page i has entries first[i]:first[i + 1]."""

    pages: Ints  # sorted
    first: Longs
    target: Ints
    error: Floats
    variance: Floats
    depth: Floats  # logarithm of the words before
    topics: Ints  # (page, few): its main topics

    @classmethod
    def of(
        cls,
        page: Longs,
        target: Longs,
        score: Floats,
        is_linked: Bools,
        depth: Floats,
        topics: Floats,
    ) -> Residuals:
        """Keep what the scores of unseen pages were wrong about; `topics` are those of all pages."""
        # By the score alone: keeping by the outcome would lie.
        kept = np.flatnonzero(score >= LEAST_SCORE)
        kept = kept[np.argsort(page[kept], kind="stable")]
        chance = np.clip(score[kept], 0.001, 0.999)
        pages, first = np.unique(page[kept], return_index=True)
        return cls(
            pages=pages.astype(np.int32),
            first=np.append(first, len(kept)).astype(np.int64),
            target=target[kept].astype(np.int32),
            error=(is_linked[kept] - chance).astype(np.float32),
            variance=(chance * (1 - chance)).astype(np.float32),
            depth=depth[kept].astype(np.float32),
            topics=main_topics(topics[pages]),
        )

    def renumbered(self, number: Longs) -> Residuals:
        """The same where pages have other numbers; -1 for pages that are gone."""
        page = np.repeat(number[self.pages], np.diff(self.first))
        target = number[self.target]
        kept = np.flatnonzero((page >= 0) & (target >= 0))
        kept = kept[np.argsort(page[kept], kind="stable")]
        pages, first = np.unique(page[kept], return_index=True)
        new = number[self.pages]
        order = np.argsort(new)
        at = order[np.searchsorted(new[order], pages)]
        return Residuals(
            pages.astype(np.int32), np.append(first, len(kept)).astype(np.int64),
            target[kept].astype(np.int32), self.error[kept], self.variance[kept],
            self.depth[kept], self.topics[at],
        )  # fmt: skip

    def smoothed(
        self,
        number: int,
        theta: Floats,
        vector: Floats,
        vectors: Floats,
        target: Longs,
        depth: Floats,
    ) -> Floats:
        """For each target the mean residual in cases like this one on the page."""
        near, alike = self._near(number, theta, vector, vectors)
        count = self.first[near + 1] - self.first[near]
        begins = self.first[near] - (np.cumsum(count) - count)
        at = np.repeat(begins, count) + np.arange(count.sum())
        if not len(at) or not len(target):
            return np.zeros(len(target), dtype=np.float32)
        weight = np.repeat(alike, count) ** 2
        error, variance = weight * self.error[at], weight * self.variance[at]
        near_target = np.maximum(vectors[target] @ vectors[self.target[at]].T, 0) ** 2
        near_target *= np.exp(-np.abs(depth[:, None] - self.depth[at]))
        mean = (near_target @ error) / (near_target @ variance + PRIOR_VARIANCE)
        return np.asarray(mean, dtype=np.float32)

    def _near(
        self, number: int, theta: Floats, vector: Floats, vectors: Floats
    ) -> tuple[Longs, Floats]:
        """The pages most alike, as places in `pages`, and how alike they are."""
        asked = np.arange(len(self.pages))
        if len(asked) > FEW_PAGES:
            asked = np.flatnonzero(np.isin(self.topics, main_topics(theta[None])[0]).any(axis=1))
        alike = vectors[self.pages[asked]] @ vector
        alike[self.pages[asked] == number] = -1
        best = np.argsort(-alike, kind="stable")[:NEAREST_PAGES]
        best = best[alike[best] > 0]
        return asked[best], alike[best]
