"""How apt a word is to carry a link where it stands: CRTM's aptness, conditioned on the context.

CRTM counts how often a word is linked. Here its word vectors take the place of the count, so that a
word never linked before learns from its kin, and the words around it have a say. Every link
teaches, also those that lead out of the wiki. A page's own links never speak for its own words:
the pages are split in parts, and each part is judged by what the others teach.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import lightgbm as lgb
import numpy as np
import scipy.sparse as sparse

from wikibot.ranking.wiki import Bools, Floats, Longs, Wiki

PARTS = 3
_DIMENSIONS = 40  # of the vectors, the weightiest first
_WINDOW = 5
_MOST = 12_000  # linked words that are enough to learn from
_NEGATIVES = 3  # unlinked words for each linked one
_ROUNDS = 80
_SETTINGS: dict[str, Any] = {
    "objective": "binary",
    "num_leaves": 31,
    "learning_rate": 0.1,
    "min_data_in_leaf": 20,
    "feature_fraction": 0.3,
    "lambda_l2": 5.0,
    "verbose": -1,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
}


def at_length_one(vectors: Floats) -> Floats:
    """Only the directions of the vectors; what is shorter than sums are exact has none."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return np.asarray(vectors / np.maximum(lengths, 1e-6), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class WordVectors:
    """CRTM's vectors (one row for each word it knows, then one of zeros), and each word's number.

    `number` has an entry for each word of the wiki, -1 for words that CRTM does not know.
    """

    table: Floats
    number: Longs

    @classmethod
    def of(cls, vectors: Floats, number: Longs) -> WordVectors:
        """The vectors of CRTM's words for the words of a wiki."""
        nothing = np.zeros((1, vectors.shape[1]), dtype=np.float32)
        return cls(np.concatenate([vectors, nothing]).astype(np.float32), number)

    def at(self, places: Longs) -> Floats:
        """The weightiest dimensions of the words at these places of the wiki."""
        return np.asarray(self.table[:, :_DIMENSIONS][self.number[places]])

    def sums(self, wiki: Wiki) -> Floats:
        """The sum of each page's vectors."""
        ones = np.ones(len(wiki.word), dtype=np.float32)
        where = (wiki.page, self.number % len(self.table))
        counts = sparse.csr_matrix((ones, where), shape=(wiki.size, len(self.table)))
        return np.asarray(counts @ self.table, dtype=np.float32)


class Aptness:
    """One model for each part of the pages, learned from the other parts."""

    def __init__(self, models: Sequence[lgb.Booster]) -> None:
        self.models = tuple(models)

    @classmethod
    def learn(cls, wiki: Wiki, known: Bools, vectors: WordVectors) -> Aptness:
        """What the links of the `known` pages teach."""
        linked = wiki.link >= 0
        sample = _sample(wiki, linked, known)
        if linked[sample].sum() < PARTS:
            return cls(())
        inputs, part = _inputs(wiki, vectors, sample), part_of(wiki)[wiki.page[sample]]
        label = linked[sample].astype(np.float32)
        return cls(
            [
                lgb.train(_SETTINGS, lgb.Dataset(inputs[part != n], label[part != n]), _ROUNDS)
                for n in range(PARTS)
            ]
        )

    def judge(self, wiki: Wiki, vectors: WordVectors, places: Longs) -> Floats:
        """The log-odds that the words at `places` carry a link; 0 where nothing was learned."""
        distinct, place = np.unique(places, return_inverse=True)
        odds = np.zeros(len(distinct), dtype=np.float32)
        if not self.models or not len(distinct):
            return odds[place]
        inputs, part = _inputs(wiki, vectors, distinct), part_of(wiki)[wiki.page[distinct]]
        for number, model in enumerate(self.models):
            mine = part == number
            if mine.any():
                odds[mine] = model.predict(inputs[mine], raw_score=True, num_threads=1)
        return odds[place]

    def to_texts(self) -> list[str]:
        """The models in LightGBM's own text form."""
        return [model.model_to_string() for model in self.models]

    @classmethod
    def from_texts(cls, texts: Sequence[str]) -> Aptness:
        """The models that were written."""
        return cls([lgb.Booster(model_str=text) for text in texts])


def part_of(wiki: Wiki) -> Longs:
    """The part that each page is judged in: by its title, so that it never changes."""
    parts = [zlib.crc32(title.encode()) % PARTS for title in wiki.titles]
    return np.array(parts, dtype=np.int64)


def _sample(wiki: Wiki, linked: Bools, known: Bools) -> Longs:
    random = np.random.default_rng(0)
    teaches = known[wiki.page]
    yes, no = np.flatnonzero(linked & teaches), np.flatnonzero(~linked & teaches)
    yes = random.permutation(yes)[:_MOST]
    no = random.permutation(no)[: _NEGATIVES * len(yes)]
    return np.concatenate([yes, no])


def _inputs(wiki: Wiki, vectors: WordVectors, places: Longs) -> Floats:
    """The word's vector, the mean vector of the words around it, and whether it has a capital."""
    word = vectors.at(places)
    start, end = wiki.offsets[wiki.page[places]], wiki.offsets[wiki.page[places] + 1]
    around = np.zeros_like(word)
    count = np.zeros(len(places), dtype=np.float32)
    for offset in (*range(-_WINDOW, 0), *range(1, _WINDOW + 1)):
        at = places + offset
        inside = (at >= start) & (at < end)
        around[inside] += vectors.at(at[inside])
        count += inside
    around /= np.maximum(count, 1)[:, None]
    capital = wiki.is_upper[places][:, None]
    return np.concatenate([word, around, capital], axis=1).astype(np.float32)
