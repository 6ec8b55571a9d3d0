"""Word counts of documents, and the contexts of links, in the form that the kernels read.

A cell is one entry of the counts: (document, word, count).

All tokens of one word in one document share their variational ``phi``, so one cell stands for all of them; the exact
coordinate step for a cell averages the link terms of its tokens. ``tied=False`` gives each token its own cell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crtm.corpus import Corpus, Ints, Links
from crtm.vectors import Floats

Longs = npt.NDArray[np.int64]

BLOCK = 1 << 16
REACH_WORDS = 64  # words of a sentence on either side that can be context: a text without full stops is one long sentence


@dataclass(frozen=True, slots=True)
class WordCounts:
    """Counts of words in documents: document ``d`` has cells ``doc_ptr[d]`` to ``doc_ptr[d + 1]``; ``of_token`` gives each token's cell."""

    doc_ptr: Longs
    word: Ints
    count: Floats
    of_token: Longs


@dataclass(frozen=True, slots=True)
class Contexts:
    """Links sorted by source, each with its context as (cell, weight) pairs; weights of a link sum to one.

    With whole-document contexts there are no pairs: the mean topics of the document are used instead.
    """

    link_ptr: Longs
    source: Ints
    target: Ints
    pair_ptr: Longs
    pair_cell: Longs
    pair_weight: Floats
    whole: bool


def make_counts(corpus: Corpus, *, tied: bool) -> WordCounts:
    """Return the cells of a corpus, in the order of documents and then of word numbers (of tokens, if not tied)."""
    document = np.repeat(np.arange(len(corpus)), corpus.lengths)
    if not tied:
        everyone = np.arange(len(corpus.words), dtype=np.int64)
        ones = np.ones(len(corpus.words), dtype=np.float32)
        return WordCounts(corpus.offsets, corpus.words, ones, everyone)
    key = document * np.int64(max(1, len(corpus.vocabulary))) + corpus.words
    distinct, of_token, count = np.unique(key, return_inverse=True, return_counts=True)
    owner = distinct // max(1, len(corpus.vocabulary))
    word = (distinct % max(1, len(corpus.vocabulary))).astype(np.int32)
    doc_ptr = np.searchsorted(owner, np.arange(len(corpus) + 1)).astype(np.int64)
    return WordCounts(doc_ptr, word, count.astype(np.float32), of_token.astype(np.int64))


def sentence_ranges(corpus: Corpus) -> tuple[Longs, Longs]:
    """Return for every token the range of tokens of its sentence."""
    document = np.repeat(np.arange(len(corpus)), corpus.lengths)
    change = np.ones(len(corpus.words), dtype=bool)
    change[1:] = (corpus.sentences[1:] != corpus.sentences[:-1]) | (document[1:] != document[:-1])
    begins = np.flatnonzero(change)
    which = np.cumsum(change) - 1
    ends = np.append(begins[1:], len(corpus.words))
    return begins[which].astype(np.int64), ends[which].astype(np.int64)


def make_contexts(
    corpus: Corpus,
    word_counts: WordCounts,
    kind: str,
    vectors: Floats,
    *,
    sharpness: float,
    sigma: float,
) -> Contexts:
    """Return the context of every link: its sentence, weighted as ``kind`` says, or the whole document."""
    links: Links = corpus.links
    link_ptr = np.searchsorted(links.source, np.arange(len(corpus) + 1)).astype(np.int64)
    pairs = _no_pairs(len(links)) if kind == "document" else _sentences(corpus, links)
    scores = _scores(kind, corpus.words, links, pairs, vectors, sharpness=sharpness, sigma=sigma)
    weights = _softmax(scores, pairs.ptr)
    target, whole = links.target, kind == "document"
    own_cells = word_counts.of_token[pairs.token]
    return Contexts(link_ptr, links.source, target, pairs.ptr, own_cells, weights, whole)


@dataclass(frozen=True, slots=True)
class Pairs:
    """The tokens of each link's context: link ``i`` has pairs ``ptr[i]`` to ``ptr[i + 1]``."""

    ptr: Longs
    link: Longs
    token: Longs


def _no_pairs(links: int) -> Pairs:
    none = np.empty(0, dtype=np.int64)
    return Pairs(np.zeros(links + 1, dtype=np.int64), none, none)


def _sentences(corpus: Corpus, links: Links) -> Pairs:
    """Return the words of each link's sentence, up to ``REACH_WORDS`` on either side."""
    begins, ends = sentence_ranges(corpus)
    begin = np.maximum(begins[links.first], links.first - REACH_WORDS)
    end = np.maximum(np.minimum(ends[links.first], links.last + REACH_WORDS), links.last)
    ptr = np.concatenate([[0], np.cumsum(end - begin)]).astype(np.int64)
    link = np.repeat(np.arange(len(links)), end - begin)
    return Pairs(ptr, link, np.arange(ptr[-1]) - ptr[link] + begin[link])


def _scores(
    kind: str, words: Ints, links: Links, pairs: Pairs, vectors: Floats, *, sharpness: float, sigma: float
) -> Floats:  # fmt: skip
    """Return the logarithm of each pair's weight, up to a constant per link (paper, 3.1.1)."""
    first, last = links.first[pairs.link], links.last[pairs.link]
    distance = np.maximum(0, np.maximum(first - pairs.token, pairs.token - (last - 1)))
    if kind == "anchor":
        return np.where(distance > 0, -np.inf, 0.0)
    if kind == "positional":
        nearness: Floats = -0.5 * (distance / sigma) ** 2
        return nearness
    if kind == "attention":
        return sharpness * _similarity_to_anchor(words, pairs, distance == 0, vectors)
    return np.zeros(len(pairs.token))


def _similarity_to_anchor(
    words: Ints, pairs: Pairs, inside: npt.NDArray[np.bool_], vectors: Floats
) -> Floats:
    """Return the dot product of each pair's vector with the mean vector of its link's anchor (the pairs ``inside``)."""
    n_links = len(pairs.ptr) - 1
    share = (1 / np.bincount(pairs.link[inside], minlength=n_links))[pairs.link[inside]]
    cells = (pairs.link[inside], words[pairs.token[inside]])
    anchors = sparse.csr_matrix((share, cells), shape=(n_links, len(vectors))) @ vectors
    out = np.empty(len(pairs.token))
    for block in range(0, len(out), BLOCK):
        part = slice(block, block + BLOCK)
        own = vectors[words[pairs.token[part]]]
        out[part] = np.einsum("ij,ij->i", own, anchors[pairs.link[part]])
    return out


def _softmax(scores: Floats, ptr: Longs) -> Floats:
    """Return weights that sum to one for each link."""
    if not len(scores):
        return np.empty(0, dtype=np.float32)
    sizes = np.diff(ptr)
    powers = np.exp(scores - np.repeat(np.maximum.reduceat(scores, ptr[:-1]), sizes))
    weights: Floats = powers / np.repeat(np.add.reduceat(powers, ptr[:-1]), sizes)
    return weights.astype(np.float32)
