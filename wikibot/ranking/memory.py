"""What like pages made of like targets, beyond what the judges expected: a memory in CRTM's space.

The judges see one candidate at a time. Where editors of pages of one kind link more, or less, than
the judges thought, other pages of the kind will too. Each known (page, target) is remembered with
the judges' error on it, taken from judges that had not seen the page; a candidate is told the mean
error nearby. Near are pages, and targets, whose texts are alike by CRTM's word vectors; of a page
itself nothing is remembered for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse

from wikibot.ranking.wiki import Bools, Floats, Longs

_PAGE_POWER, _TARGET_POWER = 2, 2  # of the cosine: how fast nearness fades
_SHRINK = 1.0  # doubts that must be near before their errors are believed by half
_TRUST = 1.5  # in what many say
_FAINT = 0.01  # probabilities below teach nothing worth keeping
_TOGETHER = 64  # pages worked on at a time


@dataclass(frozen=True, slots=True)
class Likeness:
    """A vector of length one for each page; the product of two tells how alike the pages are."""

    titles: tuple[str, ...]
    vectors: Floats

    @classmethod
    def of(cls, titles: tuple[str, ...], vectors: Floats) -> Likeness:
        """The vectors with what all pages share taken away, at length one."""
        plain = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        centred = plain - plain.mean(axis=0)
        lengths = np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-9)
        return cls(titles, np.asarray(centred / lengths, dtype=np.float32))

    def between(self, pages: Longs, others: Longs) -> Floats:
        """How alike two columns of pages are, from -1 to 1."""
        return np.asarray(np.einsum("ij,ij->i", self.vectors[pages], self.vectors[others]))


@dataclass(frozen=True, slots=True)
class Memory:
    """Errors of the judges on (page, target), and how unsure they were; numbers are of `titles`."""

    titles: tuple[str, ...]
    page: Longs
    target: Longs
    error: Floats
    doubt: Floats

    @classmethod
    def learn(
        cls, likeness: Likeness, page: Longs, target: Longs, is_linked: Bools, opinion: Floats
    ) -> Memory:
        """What `opinion` was wrong about, for pairs that it was not learned from."""
        telling = opinion >= _FAINT  # by the opinion alone: dropping by the outcome would lie
        chance = np.clip(opinion[telling], 0.001, 0.999).astype(np.float32)
        error, doubt = is_linked[telling] - chance, chance * (1 - chance)
        return cls(likeness.titles, page[telling], target[telling], error, doubt)

    def recall(self, likeness: Likeness, page: Longs, target: Longs) -> Floats:
        """What to add to the log-odds of each (page, target)."""
        size = len(likeness.titles)
        codes, place = np.unique(page * size + target, return_inverse=True)
        errors, doubts = self._squares(likeness)
        out = np.zeros(len(codes), dtype=np.float32)
        pages = codes // max(1, size)
        distinct = np.unique(pages)
        for start in range(0, len(distinct), _TOGETHER):
            some = distinct[start : start + _TOGETHER]
            part = slice(*np.searchsorted(pages, [some[0], some[-1] + 1]))
            out[part] = _nearby(likeness.vectors, errors, doubts, some, codes[part])
        return out[place]

    def _squares(self, likeness: Likeness) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
        """Errors and doubts as (target, page), by the numbers that pages have now."""
        number = {title: index for index, title in enumerate(likeness.titles)}
        now = np.array([number.get(title, -1) for title in self.titles], dtype=np.int64)
        page, target = now[self.page], now[self.target]
        known = (page >= 0) & (target >= 0)
        shape = (len(likeness.titles), len(likeness.titles))
        where = (target[known], page[known])
        return (
            sparse.csr_matrix((self.error[known], where), shape=shape),
            sparse.csr_matrix((self.doubt[known], where), shape=shape),
        )

    def to_dict(self) -> dict[str, Any]:
        """The memory as plain values."""
        return {
            "titles": list(self.titles),
            "page": self.page.tolist(),
            "target": self.target.tolist(),
            "error": np.round(self.error.astype(float), 4).tolist(),
            "doubt": np.round(self.doubt.astype(float), 4).tolist(),
        }

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Memory:
        """The memory that was written."""
        page, target = (np.array(content[name], dtype=np.int64) for name in ("page", "target"))
        error, doubt = (np.array(content[name], dtype=np.float32) for name in ("error", "doubt"))
        return cls(tuple(content["titles"]), page, target, error, doubt)


def _nearby(
    vectors: Floats,
    errors: sparse.csr_matrix,
    doubts: sparse.csr_matrix,
    pages: Longs,
    codes: Longs,
) -> Floats:
    """The mean error near each of the codes, which are of these pages."""
    near = np.maximum(vectors @ vectors[pages].T, 0) ** _PAGE_POWER
    near[pages, np.arange(len(pages))] = 0
    targets, column = np.unique(codes % len(vectors), return_inverse=True)
    alike = np.maximum(vectors[targets] @ vectors.T, 0) ** _TARGET_POWER
    row = np.searchsorted(pages, codes // len(vectors))
    error, doubt = (alike @ (square @ near) for square in (errors, doubts))
    return np.asarray((_TRUST * error / (doubt + _SHRINK))[column, row], dtype=np.float32)
