"""The terms of the link function: features of (token of the source, target) from texts and training links alone.

Topics are the paper's; the other terms are ours. Some describe the token whatever the target (the word's link rate, letter case,
position), the others describe the pair. No titles and no dictionary of anchors: the link rate of a word never depends on
where its links led.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crtm.corpus import UNLINKED, Corpus, Document, Ints
from crtm.tables import Table, capital_share
from crtm.tokenize import CAPITAL, CAPITAL_AFTER, CAPITAL_BEFORE, FIRST, SHOUTED
from crtm.vectors import Floats

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "topics": ("lift", "relation"),
    "own_words": ("word_tfidf", "word_count"),
    "early": ("word_place", "word_earliness"),
    "stems": ("stem_tfidf", "stem_count", "stem_place", "stem_earliness"),
    "phrases": ("phrase_tfidf",),
    "aptness": ("aptness", "rarity"),
    "case": ("names", "capital", "lower", "capital_before", "capital_after", "shouted"),
    "place": ("first_place", "place", "repeated"),
    "linked": ("linked", "word_linked"),
}
TERMS = tuple(COLUMNS)
PLAIN = COLUMNS["aptness"] + COLUMNS["case"] + COLUMNS["place"]
PSEUDO_COUNTS = 3.0  # occurrences that shrink a word's link rate towards the mean


@dataclass(frozen=True, slots=True)
class WordFacts:
    """Statistics of each word (V) in the training corpus: occurrences, occurrences in links, rarity, share of capitals."""

    seen: Floats
    linked: Floats
    rarity: Floats
    capitals: Floats
    link_share: float


def word_facts(corpus: Corpus, words: Table) -> WordFacts:
    """Count words and linked words of a corpus."""
    size = len(corpus.vocabulary)
    inside = corpus.linked != UNLINKED
    documents = np.bincount(words.column, minlength=size)
    return WordFacts(
        np.bincount(corpus.words, minlength=size).astype(np.float32),
        np.bincount(corpus.words[inside], minlength=size).astype(np.float32),
        np.log(len(corpus) / np.maximum(1, documents)).astype(np.float32),
        capital_share(corpus),
        float(max(inside.mean(), 1e-6)) if len(inside) else 1.0,
    )


def aptness(facts: WordFacts, words: Ints, own: Floats | float = 0.0) -> Floats:
    """Return log P(link | w) / P(link), shrunk towards zero; ``own`` linked occurrences are left out."""
    prior = PSEUDO_COUNTS * facts.link_share
    linked, seen = facts.linked[words] - own, facts.seen[words] - own
    ratio: Floats = np.log(
        (np.maximum(linked, 0) + prior) / ((seen + PSEUDO_COUNTS) * facts.link_share)
    )
    return ratio


def plain_columns(document: Document, facts: WordFacts, target: int = UNLINKED) -> Floats:
    """Return (tokens, PLAIN): features that do not depend on the target, except that its own links do not count."""
    words, place, count = np.unique(document.words, return_inverse=True, return_counts=True)
    own = (
        np.bincount(place[document.linked == target], minlength=len(words)) if target >= 0 else 0.0
    )
    shapes, size = document.shapes, max(1, len(document))
    first = np.full(len(words), size)
    free = np.flatnonzero((document.linked == UNLINKED) | (document.linked == target))
    np.minimum.at(first, place[free], free)
    capital, begins = (shapes & CAPITAL) > 0, (shapes & FIRST) > 0
    columns = [
        aptness(facts, words, own)[place],
        facts.rarity[document.words],
        facts.capitals[document.words],
        capital & ~begins,
        ~capital,
        (shapes & CAPITAL_BEFORE) > 0,
        (shapes & CAPITAL_AFTER) > 0,
        (shapes & SHOUTED) > 0,
        first[place] == np.arange(len(document)),
        np.log1p(np.arange(len(document))),
        np.log(count)[place],
    ]
    return np.stack(columns, axis=1).astype(np.float32)


def linked_columns(document: Document, target: int) -> Floats:
    """Return (tokens, 2): whether the token stands in a link to another document, and its word's share of such tokens."""
    elsewhere = (document.linked != UNLINKED) & (document.linked != target)
    words, place, count = np.unique(document.words, return_inverse=True, return_counts=True)
    share = np.bincount(place[elsewhere], minlength=len(words)) / np.maximum(count, 1)
    return np.stack([elsewhere, share[place]], axis=1).astype(np.float32)


def chosen_columns(terms: Sequence[str]) -> list[str]:
    """Return the columns of the terms, in the order of ``COLUMNS``."""
    return [column for term in TERMS if term in terms for column in COLUMNS[term]]
