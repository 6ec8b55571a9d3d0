"""Variational EM: pure steps on an explicit state.

code              paper      shape    constraint
state.topic_word  beta       (V, K)   columns sum to 1
state.gamma       gamma      (D, K)   > 0
context           phibar_c   (L, K)   rows sum to 1
mean_topics       phibar_d   (D, K)   rows sum to 1
"""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from crtm.counts import Contexts, Longs, WordCounts
from crtm.kernels import infer_documents
from crtm.linkfunction import LinkFunction
from crtm.vectors import Floats

SMOOTHING = 0.01  # added to expected counts: a word unseen in a topic stays possible
FULL_LOOK_EVERY_ITERATIONS = 4  # iterations between two looks at all topics: a topic that lost a document rarely returns to it
SEED_DOCUMENTS = 20  # per topic, whose words it starts from


@dataclass(frozen=True, slots=True)
class State:
    """What one EM iteration passes on to the next."""

    topic_word: Floats
    gamma: Floats
    context: Floats
    function: LinkFunction
    iteration: int


@dataclass(frozen=True, slots=True)
class EMInputs:
    """What EM does not change: word counts, link contexts and parameters."""

    word_counts: WordCounts
    contexts: Contexts
    alpha: float
    steps: int
    active: int
    jobs: int

    @property
    def lengths(self) -> Floats:
        totals = np.add.reduceat(
            np.append(self.word_counts.count, 0), self.word_counts.doc_ptr[:-1]
        )
        return np.where(np.diff(self.word_counts.doc_ptr) > 0, totals, 0).astype(np.float32)


def start(
    inputs: EMInputs,
    *,
    n_words: int,
    n_topics: int,
    titles: tuple[str, ...],
    seed: int,
    function: LinkFunction,
) -> State:
    """Return the first state: each topic starts from the words of a few documents, drawn by title and seed, whatever their order."""
    order = sorted(range(len(titles)), key=lambda d: draw(titles[d], seed))
    counts = np.full((n_words, n_topics), 0.0, dtype=np.float32)
    word_counts = inputs.word_counts
    random = np.random.default_rng(seed)
    for topic in range(n_topics):
        for place in random.integers(0, max(1, len(order)), size=SEED_DOCUMENTS):
            d = order[int(place)]
            own = slice(int(word_counts.doc_ptr[d]), int(word_counts.doc_ptr[d + 1]))
            np.add.at(counts[:, topic], word_counts.word[own], word_counts.count[own])
    gamma = np.full((len(titles), n_topics), inputs.alpha, dtype=np.float32)
    gamma += inputs.lengths[:, None] / n_topics
    context = np.full((len(inputs.contexts.target), n_topics), 1 / n_topics, dtype=np.float32)
    return State(normalised(counts), gamma, context, function, 0)


def draw(title: str, seed: int) -> bytes:
    """Return bytes to sort titles by: an order that depends on nothing but the titles and the seed."""
    return hashlib.sha256(f"{seed}\n{title}".encode()).digest()


def normalised(counts: Floats) -> Floats:
    """Return smoothed counts as a distribution over words for each topic: beta."""
    smoothed = counts + np.float32(SMOOTHING)
    smoothed /= smoothed.sum(axis=0, keepdims=True)
    result: Floats = smoothed
    return result


def mean_topics(gamma: Floats, alpha: float, lengths: Floats) -> Floats:
    """Return phibar_d, the mean topics of each document: gamma without the prior, normalised; uniform for an empty document."""
    own = np.maximum(gamma - gamma.dtype.type(alpha), 0)
    total = own.sum(axis=1, keepdims=True)
    even = np.full_like(own, 1 / own.shape[1])
    result: Floats = np.where(lengths[:, None] > 0, own / np.maximum(total, 1e-30), even)
    return result


def messages(inputs: EMInputs, state: State) -> tuple[Floats, Floats]:
    """Return the link terms of the phi update: (D, K) for all tokens of a target, and (D, K) for the contexts of links to it."""
    means = mean_topics(state.gamma, inputs.alpha, inputs.lengths)
    to_context = state.function.to_context(means)
    lengths = np.maximum(inputs.lengths, 1)[:, None]
    contexts, places = inputs.contexts, np.arange(len(inputs.contexts.target))
    ones = np.ones(len(places), dtype=means.dtype)
    source_topics = means[contexts.source] if contexts.whole else state.context
    # The link function is linear: contexts are summed over each target's links first, which leaves D rows of the L.
    into = sparse.csr_matrix((ones, (contexts.target, places)), shape=(len(means), len(places)))
    shared = state.function.to_target(into @ source_topics)
    if contexts.whole:
        pairs = sparse.csr_matrix(
            (ones, (contexts.source, contexts.target)), shape=(len(means), len(means))
        )
        shared = shared + pairs @ to_context
    return shared / lengths, to_context


@dataclass(frozen=True, slots=True)
class Expected:
    """What an E-step finds: gamma, the links' context topics, the expected counts (V, K), the cells' probabilities."""

    gamma: Floats
    context: Floats
    counts: Floats
    norms: Floats


def e_step(inputs: EMInputs, state: State) -> tuple[Floats, Floats, Floats, Floats]:
    """Return gamma, the links' context topics, the expected counts (V, K) and the cells' probabilities under the state."""
    look = state.iteration % FULL_LOOK_EVERY_ITERATIONS == 0
    found = expect(inputs, state.topic_word, state.gamma, messages(inputs, state), look=look)
    return found.gamma, found.context, found.counts, found.norms


def expect(
    inputs: EMInputs,
    topic_word: Floats,
    gamma: Floats,
    told: tuple[Floats, Floats],
    *,
    look: bool,
    grain: float = 0.0,
) -> Expected:
    """Return what is expected under beta and the link terms ``told``; with a ``grain``, counts that add up exactly."""
    gamma, (shared, to_context) = gamma.copy(), told
    word_counts, contexts = inputs.word_counts, inputs.contexts
    context = np.empty((len(contexts.target), gamma.shape[1]), dtype=gamma.dtype)
    norms = np.zeros(len(word_counts.word), dtype=gamma.dtype)
    kind = np.float64 if grain else topic_word.dtype

    def work(documents: Longs) -> Floats:
        own_counts = np.zeros(topic_word.shape, dtype=kind)
        infer_documents(
            documents, word_counts.doc_ptr, word_counts.word, word_counts.count, topic_word, gamma.dtype.type(inputs.alpha),
            gamma, shared, contexts.link_ptr, contexts.target, contexts.pair_ptr, contexts.pair_cell,
            contexts.pair_weight, to_context, inputs.steps, inputs.active, look, own_counts, context, norms, grain,
        )  # fmt: skip
        return own_counts

    shares = split_by_length(word_counts.doc_ptr, inputs.jobs)
    if len(shares) == 1:
        counts = [work(shares[0])]
    else:
        with ThreadPoolExecutor(len(shares)) as pool:
            counts = list(pool.map(work, shares))
    for other in counts[1:]:
        counts[0] += other
    return Expected(gamma, context, counts[0], norms)


def split_by_length(doc_ptr: Longs, jobs: int) -> list[Longs]:
    """Split the documents among ``jobs`` so that each job gets about the same number of words."""
    by_length = np.argsort(-np.diff(doc_ptr), kind="stable")
    return [np.sort(by_length[first::jobs]) for first in range(jobs)]
