"""Sparse tables of word statistics per document: how typical a word is of a document, and how early it occurs.

There are three tables: words, stems and phrases of two words. A stem is the first letters of a word, which groups the
forms of a word in languages that inflect at the end; phrases are hashed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crtm.corpus import Corpus, Document, Ints, Vocabulary
from crtm.counts import Longs
from crtm.tokenize import STEM_LETTERS
from crtm.vectors import Floats

PHRASE_COLUMNS = 1 << 18
NOT_THERE = np.array([np.log(1e-3), 0.0, np.log(3000.0), np.log(1e-4)], dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Table:
    """A sparse matrix of ``values`` (cells, ...): row ``d`` is cells ``ptr[d]`` to ``ptr[d + 1]``, sorted by column."""

    ptr: Longs
    column: Ints
    values: Floats
    n_columns: int


def word_table(corpus: Corpus) -> Table:
    """Return for each document and word of it: log tf-idf, log count, log first place, log share of earliness."""
    return _table(corpus, corpus.words, np.arange(len(corpus.words)), len(corpus.vocabulary))


def stem_table(corpus: Corpus, stems: Ints) -> Table:
    """Return the same for stems."""
    return _table(
        corpus, stems[corpus.words], np.arange(len(corpus.words)), int(stems.max(initial=-1)) + 1
    )


def phrase_table(corpus: Corpus) -> Table:
    """Return the same for phrases: two words with one character between them."""
    document = np.repeat(np.arange(len(corpus)), corpus.lengths)
    together = (document[1:] == document[:-1]) & (corpus.starts[1:] - corpus.ends[:-1] == 1)
    tokens = np.flatnonzero(together)
    columns = phrase_columns(corpus.words[tokens], corpus.words[tokens + 1])
    return _table(corpus, columns, tokens, PHRASE_COLUMNS)


def stems_of(vocabulary: Vocabulary) -> Ints:
    """Return the stem's number for each word.

    >>> stems_of(Vocabulary(("pilsāta", "pilsātys", "upe"))).tolist()
    [0, 0, 1]
    """
    seen: dict[str, int] = {}
    return np.array(
        [seen.setdefault(word[:STEM_LETTERS], len(seen)) for word in vocabulary.words],
        dtype=np.int32,
    )


def phrase_columns(left: Ints, right: Ints) -> Ints:
    """Return the column of each pair of words."""
    mixed = left.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + right.astype(np.uint64)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    result: Ints = ((mixed >> np.uint64(32)) % np.uint64(PHRASE_COLUMNS)).astype(np.int32)
    return result


def document_phrases(document: Document) -> Ints:
    """Return for each token the column of the phrase it begins, or -1 where the next word does not follow at once."""
    columns = np.full(len(document), -1, dtype=np.int32)
    if len(document) > 1:
        together = document.starts[1:] - document.ends[:-1] == 1
        columns[:-1][together] = phrase_columns(document.words[:-1], document.words[1:])[together]
    return columns


def _table(corpus: Corpus, columns: Ints, tokens: npt.NDArray[np.int64], n_columns: int) -> Table:
    """Count (document, column) pairs; ``tokens`` says where in the corpus each column was seen."""
    document = np.repeat(np.arange(len(corpus)), corpus.lengths)[tokens]
    place = tokens - corpus.offsets[document]
    width = np.int64(max(1, n_columns))
    key, first, count = np.unique(document * width + columns, return_index=True, return_counts=True)
    owner, column = key // width, (key % width).astype(np.int32)
    ptr = np.searchsorted(owner, np.arange(len(corpus) + 1)).astype(np.int64)
    rarity = np.log(len(corpus) / np.maximum(1, np.bincount(column, minlength=n_columns)))
    weight = (1 + np.log(count)) * rarity[column]
    length = np.sqrt(np.bincount(owner, weights=weight**2, minlength=len(corpus)))
    early = 1.0 / (1.0 + place[first])
    everywhere = np.bincount(column, weights=early, minlength=n_columns)
    values = np.stack(
        [
            np.log(weight / np.maximum(length[owner], 1e-9) + 1e-3),
            np.log1p(count),
            np.log1p(place[first]),
            np.log(early / everywhere[column] + 1e-4),
        ],
        axis=1,
    )
    return Table(ptr, column, values.astype(np.float32), n_columns)


def capital_share(corpus: Corpus) -> Floats:
    """Return how often each word is capitalised inside sentences; in most scripts with case, names are."""
    from crtm.tokenize import CAPITAL, FIRST

    size = len(corpus.vocabulary)
    inside = (corpus.shapes & FIRST) == 0
    capital = inside & ((corpus.shapes & CAPITAL) > 0)
    capitals = np.bincount(corpus.words[capital], minlength=size)
    share: Floats = (capitals + 0.5) / (np.bincount(corpus.words[inside], minlength=size) + 1.0)
    return share.astype(np.float32)
