"""The corpus as the kernels see it: cells (document, word, count), and the contexts of links as weighted cells.

All tokens of one word in one document share their variational ``phi``; then one cell stands for all of them, and the exact
coordinate step for a cell averages the link terms of its tokens. ``tied=False`` gives each token its own cell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crtm.corpus import Corpus, Ints, Links
from crtm.vectors import Floats

Longs = npt.NDArray[np.int64]

REACH = 64  # words of a sentence on either side that can be context: a text without full stops is one long sentence


@dataclass(frozen=True, slots=True)
class Cells:
    """``doc_ptr`` (D+1) marks each document's cells; ``of_token`` gives the cell of every token."""

    doc_ptr: Longs
    word: Ints
    count: Floats
    of_token: Longs


@dataclass(frozen=True, slots=True)
class Contexts:
    """Links sorted by source, each with its context as (cell, weight) pairs; weights of a link sum to one.

    For whole-document contexts ``pair_ptr`` is all zeros: the document's own mean topics stand for them.
    """

    link_ptr: Longs
    source: Ints
    target: Ints
    pair_ptr: Longs
    pair_cell: Longs
    pair_weight: Floats
    whole: bool


def make_cells(corpus: Corpus, *, tied: bool) -> Cells:
    """Return the cells of a corpus, in the order of documents and then of word numbers (of tokens, if not tied)."""
    document = np.repeat(np.arange(len(corpus)), corpus.lengths)
    if not tied:
        everyone = np.arange(len(corpus.words), dtype=np.int64)
        ones = np.ones(len(corpus.words), dtype=np.float32)
        return Cells(corpus.offsets, corpus.words, ones, everyone)
    key = document * np.int64(max(1, len(corpus.vocabulary))) + corpus.words
    distinct, of_token, count = np.unique(key, return_inverse=True, return_counts=True)
    owner = distinct // max(1, len(corpus.vocabulary))
    word = (distinct % max(1, len(corpus.vocabulary))).astype(np.int32)
    doc_ptr = np.searchsorted(owner, np.arange(len(corpus) + 1)).astype(np.int64)
    return Cells(doc_ptr, word, count.astype(np.float32), of_token.astype(np.int64))


def sentence_ranges(corpus: Corpus) -> tuple[Longs, Longs]:
    """Return for every token the range of tokens of its sentence."""
    document = np.repeat(np.arange(len(corpus)), corpus.lengths)
    change = np.ones(len(corpus.words), dtype=bool)
    change[1:] = (corpus.sentences[1:] != corpus.sentences[:-1]) | (document[1:] != document[:-1])
    begins = np.flatnonzero(change)
    which = np.cumsum(change) - 1
    ends = np.append(begins[1:], len(corpus.words))
    return begins[which].astype(np.int64), ends[which].astype(np.int64)


def anchor_weights(
    kind: str, words: Ints, first: int, last: int, vectors: Floats, sharpness: float, sigma: float
) -> Floats:
    """Return the weights of a sentence's tokens for an anchor that is tokens ``first`` to ``last`` of it (paper, 3.1.1)."""
    places = np.arange(len(words))
    if kind == "anchor":
        weights = ((places >= first) & (places < last)).astype(np.float32)
    elif kind == "uniform":
        weights = np.ones(len(words), dtype=np.float32)
    elif kind == "positional":
        distance = np.maximum(0, np.maximum(first - places, places - (last - 1)))
        weights = np.exp(-0.5 * (distance / sigma) ** 2)
    else:
        mean = vectors[words[first:last]].mean(axis=0)
        scores = sharpness * (vectors[words] @ mean)
        weights = np.exp(scores - scores.max())
    result: Floats = (weights / weights.sum()).astype(np.float32)
    return result


def make_contexts(
    corpus: Corpus, cells: Cells, kind: str, vectors: Floats, *, sharpness: float, sigma: float
) -> Contexts:
    """Return the context of every link: its sentence, weighted as ``kind`` says, or the whole document."""
    links: Links = corpus.links
    link_ptr = np.searchsorted(links.source, np.arange(len(corpus) + 1)).astype(np.int64)
    pair_ptr = np.zeros(len(links) + 1, dtype=np.int64)
    pair_cells: list[Longs] = [np.empty(0, np.int64)]
    pair_weights: list[Floats] = [np.empty(0, np.float32)]
    if kind != "document":
        begins, ends = sentence_ranges(corpus)
        for number, (first, last) in enumerate(zip(links.first, links.last, strict=True)):
            begin = max(int(begins[first]), int(first) - REACH)
            end = max(min(int(ends[first]), int(last) + REACH), int(last))
            weights = anchor_weights(
                kind,
                corpus.words[begin:end],
                first - begin,
                last - begin,
                vectors,
                sharpness,
                sigma,
            )
            pair_cells.append(cells.of_token[begin:end])
            pair_weights.append(weights)
            pair_ptr[number + 1] = end - begin
    return Contexts(
        link_ptr,
        links.source,
        links.target,
        np.cumsum(pair_ptr),
        np.concatenate(pair_cells),
        np.concatenate(pair_weights),
        kind == "document",
    )
