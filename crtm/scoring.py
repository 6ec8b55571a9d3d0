"""Scores of tokens for targets, from what was learned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crtm.cells import Longs
from crtm.corpus import Document, Ints
from crtm.kernels import attend, infer_documents, look_up
from crtm.linkfunction import LinkFunction
from crtm.vectors import Floats

TERMS = ("topics", "own_words", "aptness")
FLOOR = 1e-6


@dataclass(frozen=True, slots=True)
class Learned:
    """All that scoring needs, as arrays: this is what a model file holds."""

    topic_word: Floats
    gamma: Floats
    mean_topics: Floats
    topic_prior: Floats
    vectors: Floats
    function: LinkFunction
    own_ptr: Longs
    own_word: Ints
    own_weight: Floats
    aptness: Floats
    weights: Floats


@dataclass(frozen=True, slots=True)
class Manner:
    """The parameters that scoring needs."""

    context: str
    terms: tuple[str, ...]
    alpha: float
    sharpness: float
    sigma: float
    temper: float
    active: int


def fold_in(learned: Learned, document: Document, manner: Manner, *, steps: int = 20) -> Floats:
    """Return gamma (K) of a document that need not be in the corpus; nothing learned changes."""
    words, counts = np.unique(document.words, return_counts=True)
    n_topics = learned.topic_word.shape[1]
    gamma = np.full((1, n_topics), manner.alpha + len(document) / n_topics, dtype=np.float32)
    none, no_weight = np.zeros(2, dtype=np.int64), np.zeros(0, dtype=np.float32)
    infer_documents(
        np.zeros(1, dtype=np.int64), np.array([0, len(words)]), words.astype(np.int32), counts.astype(np.float32),
        learned.topic_word, np.float32(manner.alpha), gamma, np.zeros_like(gamma), none, np.zeros(0, dtype=np.int32),
        np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64), no_weight, np.zeros_like(gamma), steps,
        manner.active, np.zeros_like(learned.topic_word), np.zeros((0, n_topics), dtype=np.float32),
        np.zeros(len(words), dtype=np.float32),
    )  # fmt: skip
    return gamma[0]


def token_topics(learned: Learned, document: Document, gamma: Floats) -> Floats:
    """Return phi (n, K): the topics of each token under the document's topics."""
    from scipy.special import digamma

    weight = np.exp(digamma(gamma)).astype(np.float32)
    phi = learned.topic_word[document.words] * weight
    phi /= np.maximum(phi.sum(axis=1, keepdims=True), 1e-30)
    return phi


def context_topics(learned: Learned, document: Document, phi: Floats, manner: Manner) -> Floats:
    """Return (n, K): the topics of each token's context, as if the token carried a link.

    Where the context does not depend on the place of the token (document, uniform), the token's own topics stand for it, as in
    the paper's experiments.
    """
    if manner.context not in ("attention", "positional") or not len(document):
        return phi
    change = np.flatnonzero(np.diff(document.sentences, prepend=-1))
    which = np.searchsorted(change, np.arange(len(document)), side="right") - 1
    ends = np.append(change[1:], len(document))
    out = np.empty_like(phi)
    sigma = manner.sigma if manner.context == "positional" else 0.0
    attend(
        document.words,
        change[which],
        ends[which],
        learned.vectors,
        manner.sharpness,
        sigma,
        phi,
        out,
    )
    return out


def topic_lift(
    learned: Learned, document: Document, contexts: Floats, targets: Ints, manner: Manner
) -> Floats:
    """Return log sum_k y_k theta_k / p(k) for tokens and targets, y ~ p(k | w) context_k^temper: the word's lift."""
    word_topics = learned.topic_word[document.words] * learned.topic_prior
    y = word_topics * np.power(contexts + np.float32(1e-4), np.float32(manner.temper))
    y /= np.maximum(y.sum(axis=1, keepdims=True), 1e-30)
    lift = y @ (learned.mean_topics[targets] / learned.topic_prior).T
    return np.log(lift + np.float32(FLOOR))


def own_words(learned: Learned, words: Ints, targets: Ints) -> Floats:
    """Return (words, targets) how much a word belongs to a target's own text: its tf-idf weight there."""
    out = np.empty((len(words), len(targets)), dtype=np.float32)
    scratch = np.zeros(learned.topic_word.shape[0], dtype=np.float32)
    look_up(learned.own_ptr, learned.own_word, learned.own_weight, targets, words, scratch, out)
    return out


def score_tokens(
    learned: Learned, document: Document, gamma: Floats, targets: Ints, manner: Manner
) -> Floats:
    """Return (tokens, targets): the higher, the sooner the token carries a link to the target."""
    phi = token_topics(learned, document, gamma)
    contexts = context_topics(learned, document, phi, manner)
    if not manner.terms:
        return learned.function.score(contexts, learned.mean_topics[targets])
    total = np.zeros((len(document), len(targets)), dtype=np.float32)
    if "topics" in manner.terms:
        total += learned.weights[0] * topic_lift(learned, document, contexts, targets, manner)
    words, place = np.unique(document.words, return_inverse=True)
    if "own_words" in manner.terms:
        weight = own_words(learned, words.astype(np.int32), targets)
        total += learned.weights[1] * np.log(weight + np.float32(1e-3))[place]
    if "aptness" in manner.terms:
        total += (learned.weights[2] * learned.aptness[document.words])[:, None]
    return total


def best_of_words(document: Document, scores: Floats) -> tuple[Ints, Floats]:
    """Return the distinct words of a document and the best score (words, targets) of each word's occurrences."""
    words, place = np.unique(document.words, return_inverse=True)
    best = np.full((len(words), scores.shape[1]), -np.inf, dtype=np.float32)
    np.maximum.at(best, place, scores)
    return words.astype(np.int32), best


def best_spans(
    document: Document, scores: Floats, *, longest: int, slack: float = 2.0
) -> list[tuple[int, int, float]]:
    """Return spans (first, last, score), the best first: a word and the neighbours that score nearly as well.

    A span grows from each token over neighbours of the same sentence, at most one character apart, that score within
    ``slack`` of it.
    """
    spans: dict[tuple[int, int], float] = {}
    for i in range(len(document)):
        first = last = i
        while (
            first > 0
            and last - first + 1 < longest
            and _joins(document, scores, first - 1, i, slack)
        ):
            first -= 1
        while (
            last + 1 < len(document)
            and last - first + 1 < longest
            and _joins(document, scores, last, i, slack)
        ):
            last += 1
        spans[first, last + 1] = max(float(scores[i]), spans.get((first, last + 1), -np.inf))
    return sorted(((a, b, s) for (a, b), s in spans.items()), key=lambda span: (-span[2], span[:2]))


def _joins(document: Document, scores: Floats, left: int, best: int, slack: float) -> bool:
    """Tell whether tokens ``left`` and ``left + 1`` belong together in a span whose best token is ``best``."""
    new = left if left < best else left + 1
    return bool(
        document.sentences[left] == document.sentences[left + 1]
        and document.starts[left + 1] - document.ends[left] == 1
        and scores[best] - slack <= scores[new] <= scores[best]
    )
