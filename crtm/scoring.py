"""Scores of tokens for targets under a fitted model. Nothing here changes the model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import digamma

from crtm.corpus import UNLINKED, Document, Ints
from crtm.counts import REACH_WORDS, Longs
from crtm.kernels import attend, infer_documents, look_up
from crtm.linkfunction import LinkFunction
from crtm.tables import PHRASE_COLUMNS, document_phrases
from crtm.terms import COLUMNS, PLAIN, WordFacts, linked_columns, plain_columns
from crtm.vectors import Floats

FLOOR = 1e-6


@dataclass(frozen=True, slots=True)
class Lookup:
    """A sparse table of numbers: what each word, stem or phrase of a target's text adds to the score."""

    ptr: Longs
    column: Ints
    value: Floats


@dataclass(frozen=True, slots=True)
class Topics:
    """The topic model itself."""

    topic_word: Floats
    gamma: Floats
    mean: Floats
    prior: Floats
    vectors: Floats
    function: LinkFunction


@dataclass(frozen=True, slots=True)
class FittedModel:
    """Everything that scoring needs and a model file holds. ``weights`` names every column of ``terms.COLUMNS``."""

    topics: Topics
    facts: WordFacts
    stems: Ints
    words: Lookup
    stem_words: Lookup
    phrases: Lookup
    weights: dict[str, float]


@dataclass(frozen=True, slots=True)
class ScoringParams:
    """The parameters that scoring needs."""

    context: str
    terms: tuple[str, ...]
    alpha: float
    sharpness: float
    sigma: float
    temper: float
    active: int


def fold_in(topics: Topics, words: Ints, params: ScoringParams, *, steps: int = 20) -> Floats:
    """Return gamma (K) of any words under the topics, which stay as they are."""
    distinct, counts = np.unique(words, return_counts=True)
    n_topics = topics.topic_word.shape[1]
    gamma = np.full((1, n_topics), params.alpha + len(words) / n_topics, dtype=np.float32)
    silent, rows = np.zeros_like(gamma), topics.topic_word[distinct]
    none = np.zeros(0, dtype=np.int64)
    infer_documents(
        np.zeros(1, dtype=np.int64), np.array([0, len(distinct)]), np.arange(len(distinct), dtype=np.int32),
        counts.astype(np.float32), rows, np.float32(params.alpha), gamma, silent, np.zeros(2, dtype=np.int64),
        none.astype(np.int32), np.zeros(1, dtype=np.int64), none, none.astype(np.float32), silent, steps,
        params.active, True, np.zeros_like(rows), np.zeros((0, n_topics), dtype=np.float32),
        np.zeros(len(distinct), dtype=np.float32),
    )  # fmt: skip
    result: Floats = gamma[0]
    return result


def token_topics(topics: Topics, words: Ints, gamma: Floats) -> Floats:
    """Return phi (n, K): the topics of each token under the document's topics."""
    weight = np.exp(digamma(gamma)).astype(np.float32)
    phi: Floats = topics.topic_word[words] * weight
    phi /= np.maximum(phi.sum(axis=1, keepdims=True), 1e-30)
    return phi


def context_topics(
    topics: Topics, document: Document, phi: Floats, params: ScoringParams
) -> Floats:
    """Return (n, K): the topics of each token's context, as if the token carried a link.

    Where the context does not depend on the place of the token (document, uniform), the token's own topics stand for it, as in
    the paper's experiments.
    """
    if params.context not in ("attention", "positional") or not len(document):
        return phi
    change = np.flatnonzero(np.diff(document.sentences, prepend=-1))
    places = np.arange(len(document))
    which = np.searchsorted(change, places, side="right") - 1
    begins = np.maximum(change[which], places - REACH_WORDS)
    ends = np.minimum(np.append(change[1:], len(document))[which], places + 1 + REACH_WORDS)
    out = np.empty_like(phi)
    sigma = params.sigma if params.context == "positional" else 0.0
    attend(
        document.words,
        begins,
        ends,
        topics.vectors,
        params.sharpness,
        sigma,
        phi,
        out,
    )
    return out


@dataclass(frozen=True)
class DocumentScorer:
    """Scores one document against any number of targets; its topics are computed once."""

    fitted: FittedModel
    document: Document
    gamma: Floats
    params: ScoringParams

    @cached_property
    def contexts(self) -> Floats:
        """The topics of each token's context (n, K)."""
        topics = self.fitted.topics
        phi = token_topics(topics, self.document.words, self.gamma)
        return context_topics(topics, self.document, phi, self.params)

    @cached_property
    def tempered(self) -> Floats:
        """y ~ p(k | w) context_k^temper (n, K), rows summing to one: the word's topics, adjusted by its sentence."""
        topics = self.fitted.topics
        word_topics = topics.topic_word[self.document.words] * topics.prior
        # exp and log are vectorised, power is not
        bent = np.exp(np.float32(self.params.temper) * np.log(self.contexts + np.float32(1e-4)))
        y: Floats = word_topics * bent
        y /= np.maximum(y.sum(axis=1, keepdims=True), 1e-30)
        return y

    def lift(self, targets: Ints) -> Floats:
        """Return log sum_k y_k theta_k / p(k) for tokens and targets: how much more likely than by chance."""
        topics = self.fitted.topics
        lift: Floats = self.tempered @ (topics.mean[targets] / topics.prior).T
        result: Floats = np.log(lift + np.float32(FLOOR))
        return result

    def relation(self, targets: Ints) -> Floats:
        """Return log psi, the paper's link function, for tokens and targets."""
        topics = self.fitted.topics
        return topics.function.score(self.contexts, topics.mean[targets])

    def scores(self, targets: Ints) -> Floats:
        """Return (tokens, targets): a higher score means a more likely anchor of a link to the target."""
        if not self.params.terms:
            return self.relation(targets)
        total = self._plain(targets)
        weights, document, fitted = self.fitted.weights, self.document, self.fitted
        if "topics" in self.params.terms:
            total += np.float32(weights["lift"]) * self.lift(targets)
            total += np.float32(weights["relation"]) * self.relation(targets)
        size = fitted.topics.topic_word.shape[0]
        total += looked_up(fitted.words, document.words, targets, size)
        total += looked_up(fitted.stem_words, fitted.stems[document.words], targets, size)
        if "phrases" in self.params.terms:
            weight = np.float32(weights["phrase_tfidf"])
            total += weight * phrase_scores(fitted.phrases, document, targets)
        return total

    def _plain(self, targets: Ints) -> Floats:
        """Return the part that does not depend on the target, except for targets that the document already links to."""
        total = np.empty((len(self.document), len(targets)), dtype=np.float32)
        total[:] = self._plain_for(UNLINKED)[:, None]
        for target in set(self.document.linked[self.document.linked >= 0].tolist()) & set(
            targets.tolist()
        ):
            total[:, targets == target] = self._plain_for(target)[:, None]
        return total

    def _plain_for(self, target: int) -> Floats:
        weights = self.fitted.weights
        plain = np.array([weights[name] for name in PLAIN], dtype=np.float32)
        linked = np.array([weights[name] for name in COLUMNS["linked"]], dtype=np.float32)
        score: Floats = plain_columns(self.document, self.fitted.facts, target) @ plain
        score += linked_columns(self.document, target) @ linked
        return score


def evidence(scores: Floats) -> Floats:
    """Return (targets): the scores of all tokens combined by log-sum-exp; a document links to a target if any of its words does."""
    result: Floats = np.logaddexp.reduce(scores, axis=0)
    return result


def looked_up(table: Lookup, columns: Ints, targets: Ints, n_columns: int) -> Floats:
    """Return the table's numbers (columns, targets); 0 where the target lacks the column."""
    distinct, place = np.unique(columns, return_inverse=True)
    out = np.zeros((len(distinct), len(targets)), dtype=np.float32)
    scratch = np.zeros(max(1, n_columns), dtype=np.float32)
    look_up(table.ptr, table.column, table.value, targets, distinct.astype(np.int32), scratch, out)
    spread: Floats = out[place]
    return spread


def phrase_scores(table: Lookup, document: Document, targets: Ints) -> Floats:
    """Return (tokens, targets): the better of the two phrases that a token is part of, as the target's text knows them."""
    columns = document_phrases(document)
    begun = looked_up(table, np.maximum(columns, 0), targets, PHRASE_COLUMNS)
    begun[columns < 0] = 0
    both = begun.copy()
    both[1:] = np.maximum(both[1:], begun[:-1])
    result: Floats = both
    return result


def best_of_words(document: Document, scores: Floats) -> tuple[Ints, Floats]:
    """Return the distinct words of a document and the best score (words, targets) of each word's occurrences."""
    words, place = np.unique(document.words, return_inverse=True)
    best = np.full((len(words), scores.shape[1]), -np.inf, dtype=np.float32)
    np.maximum.at(best, place, scores)
    return words.astype(np.int32), best
