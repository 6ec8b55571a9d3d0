"""Baselines without a model: the target's title, tf-idf and BM25 weights of a word in the target's text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crtm.corpus import Corpus, Document, Ints
from crtm.counts import make_counts
from crtm.scoring import Lookup, looked_up
from crtm.tokenize import split_words
from crtm.vectors import Floats

SATURATION, LENGTH = 1.2, 0.75  # BM25's k1 and b


@dataclass(frozen=True)
class Lexical:
    """A weight for every word of every document; a token's score for a target is its word's weight there."""

    corpus: Corpus
    table: Lookup
    title_words: tuple[Ints, ...] | None = None

    def score_tokens(self, source: int, targets: list[int]) -> Floats:
        """Return (tokens, targets)."""
        words, numbers = self.corpus[source].words, np.array(targets, dtype=np.int32)
        scores = looked_up(self.table, words, numbers, len(self.corpus.vocabulary))
        if self.title_words is not None:
            for column, target in enumerate(targets):
                # The title decides; tf-idf, below 1, parts the ties.
                scores[:, column] += np.isin(words, self.title_words[target])
        return scores

    def best_span(self, source: int, target: int) -> tuple[int, int] | None:
        """Return the code points of the run of scored words around the best one."""
        scores = self.score_tokens(source, [target])[:, 0]
        floor = 1.0 if self.title_words is not None else 0.0
        return run_around_best(self.corpus[source], scores, floor=floor)


def run_around_best(document: Document, scores: Floats, *, floor: float) -> tuple[int, int] | None:
    """Return the code points of the neighbours above ``floor``, one character apart, around the best token."""
    if not len(document):
        return None
    first = last = int(np.argmax(scores))
    while (
        first > 0
        and scores[first - 1] > floor
        and document.starts[first] - document.ends[first - 1] == 1
    ):
        first -= 1
    while (
        last + 1 < len(document)
        and scores[last + 1] > floor
        and document.starts[last + 1] - document.ends[last] == 1
    ):
        last += 1
    return int(document.starts[first]), int(document.ends[last])


def tfidf(corpus: Corpus) -> Lexical:
    """Return tf-idf weights, rows at length one."""
    word_counts = make_counts(corpus, tied=True)
    rarity = _rarity(corpus, word_counts.word)
    weight = (1 + np.log(word_counts.count)) * rarity[word_counts.word]
    owner = np.repeat(np.arange(len(corpus)), np.diff(word_counts.doc_ptr))
    length = np.sqrt(np.bincount(owner, weights=weight**2, minlength=len(corpus)))
    weight = weight / np.maximum(length[owner], 1e-9)
    return Lexical(corpus, Lookup(word_counts.doc_ptr, word_counts.word, weight.astype(np.float32)))


def bm25(corpus: Corpus) -> Lexical:
    """Return BM25 weights."""
    word_counts = make_counts(corpus, tied=True)
    owner = np.repeat(np.arange(len(corpus)), np.diff(word_counts.doc_ptr))
    relative = corpus.lengths[owner] / max(1.0, float(corpus.lengths.mean()))
    damped = word_counts.count + SATURATION * (1 - LENGTH + LENGTH * relative)
    weight = (
        _rarity(corpus, word_counts.word)[word_counts.word]
        * word_counts.count
        * (SATURATION + 1)
        / damped
    )
    return Lexical(corpus, Lookup(word_counts.doc_ptr, word_counts.word, weight.astype(np.float32)))


def title(corpus: Corpus) -> Lexical:
    """Return words of the target's title first, ties by tf-idf."""
    index = corpus.vocabulary.index
    words = tuple(
        np.array([index[word] for word in split_words(name).words if word in index], dtype=np.int32)
        for name in corpus.titles
    )
    return Lexical(corpus, tfidf(corpus).table, words)


def _rarity(corpus: Corpus, words: Ints) -> Floats:
    documents = np.bincount(words, minlength=len(corpus.vocabulary))
    rarity: Floats = np.log(len(corpus) / np.maximum(1, documents))
    return rarity
