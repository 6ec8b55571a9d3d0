"""Mini-batches: stochastic variational EM whose memory does not grow with the number of words.

Documents are drawn into batches once, by title and seed. A step finds the topics of a batch's documents, link terms included, as ``em.expect``
does for all of them, and moves beta a part of the way (the step size) to what the batch alone would make of it. What is kept of a document
between two visits are its gamma and the sum of the contexts of the links that lead to it: two rows of K numbers, however long it is.

One batch that holds everything, with a step of 1, is an iteration of full-batch EM.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from scipy import sparse

from crtm import em, linkfunction
from crtm.columns import Pieces
from crtm.corpus import Corpus, Vocabulary
from crtm.counts import Contexts, Longs, WordCounts, make_contexts, make_counts
from crtm.em import SMOOTHING, EMInputs, Expected, State
from crtm.kernels import add_rows, scaled_rows
from crtm.linkfunction import LinkFunction
from crtm.pipeline import Parameters
from crtm.vectors import Floats

FORGETTING = 0.7  # how fast steps become smaller
SMALLEST_SCALE = 1e-6  # below it, all rows are multiplied by the scale
LARGEST_TABLE_PER_CELL = 50  # entries of a batch's table of counts (words times topics); beyond it, a second thread costs more than it saves
GRAIN = 2.0**-20  # of a token: sums of multiples of it are exact in any order
KEPT = {
    "documents": np.int64, "words": np.int64, "targets": np.int64,
    "doc_ptr": np.int64, "word": np.int32, "count": np.float32,
    "link_ptr": np.int64, "source": np.int32, "target": np.int32,
    "pair_ptr": np.int64, "pair_cell": np.int64, "pair_weight": np.float32,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Batch:
    """Some documents: ``inputs`` number documents, words and link targets within the batch, the other fields say which these are."""

    documents: Longs
    words: Longs
    targets: Longs
    inputs: EMInputs

    @property
    def tokens(self) -> float:
        return float(self.inputs.word_counts.count.sum())


def make_batches(
    corpus: Corpus,
    size: int,
    parameters: Parameters,
    vectors: Floats,
    folder: str | Path | None = None,
) -> list[Batch]:
    """Return the corpus in batches of ``size`` documents, drawn by title; their arrays lie in files."""
    order = sorted(range(len(corpus)), key=lambda d: em.draw(corpus.titles[d], parameters.seed))
    pieces = Pieces(KEPT, folder)
    for first in range(0, len(order), size):
        documents = np.array(sorted(order[first : first + size]), dtype=np.int64)
        pieces.append(_arrays(corpus, documents, parameters, vectors))
    whole = parameters.context == "document"
    return [_batch(one, parameters, whole=whole) for one in pieces.all()]


def _arrays(
    corpus: Corpus, documents: Longs, parameters: Parameters, vectors: Floats
) -> dict[str, Floats]:
    part = corpus.sources(documents)
    counts = make_counts(part, tied=parameters.tied)
    contexts = make_contexts(
        part,
        counts,
        parameters.context,
        vectors,
        sharpness=parameters.sharpness,
        sigma=parameters.sigma,
    )
    words, word = np.unique(counts.word, return_inverse=True)
    targets, target = np.unique(contexts.target, return_inverse=True)
    return {
        "documents": documents, "words": words, "targets": targets,
        "doc_ptr": counts.doc_ptr, "word": word, "count": counts.count,
        "link_ptr": contexts.link_ptr, "source": contexts.source, "target": target,
        "pair_ptr": contexts.pair_ptr, "pair_cell": contexts.pair_cell, "pair_weight": contexts.pair_weight,
    }  # fmt: skip


def _batch(one: object, parameters: Parameters, *, whole: bool) -> Batch:
    arrays: dict[str, Floats] = dict(one)  # type: ignore[call-overload]
    counts = WordCounts(
        arrays["doc_ptr"], arrays["word"], arrays["count"], np.empty(0, dtype=np.int64)
    )
    names = ("link_ptr", "source", "target", "pair_ptr", "pair_cell", "pair_weight")
    contexts = Contexts(**{name: arrays[name] for name in names}, whole=whole)
    inputs = EMInputs(
        counts,
        contexts,
        parameters.alpha,
        parameters.inner_steps,
        parameters.active_topics,
        _jobs(arrays, parameters),
    )
    return Batch(arrays["documents"], arrays["words"], arrays["targets"], inputs)


def _jobs(arrays: dict[str, Floats], parameters: Parameters) -> int:
    """Return how many threads a batch is worth: each has a table of counts to fill and to add."""
    table = len(arrays["words"]) * parameters.n_topics
    return 1 if table > LARGEST_TABLE_PER_CELL * len(arrays["word"]) else parameters.n_jobs


@dataclass(frozen=True, slots=True)
class Statistics:
    """What the documents of a batch add up to; ``a + b`` is what both batches together give, to the last bit and in any order.

    ``counts`` are the expected tokens of ``words`` by topic, ``incoming`` the summed contexts of the links to ``targets``.
    """

    words: Longs
    counts: Floats
    targets: Longs
    incoming: Floats
    tokens: float
    likelihood: float

    def __add__(self, other: Statistics) -> Statistics:
        words, counts = _summed((self.words, self.counts), (other.words, other.counts))
        targets, incoming = _summed((self.targets, self.incoming), (other.targets, other.incoming))
        return Statistics(
            words,
            counts,
            targets,
            incoming,
            self.tokens + other.tokens,
            self.likelihood + other.likelihood,
        )


def _summed(one: tuple[Longs, Floats], other: tuple[Longs, Floats]) -> tuple[Longs, Floats]:
    """Return the rows of both, added where both have one."""
    keys = np.union1d(one[0], other[0])
    total = np.zeros((len(keys), one[1].shape[1]))
    for own, rows in (one, other):
        total[np.searchsorted(keys, own)] += rows
    return keys, total


def in_grains(values: Floats, grain: float) -> Floats:
    """Return the values as multiples of ``grain``, which add up to the same sum in any order; as they are without one."""
    if not grain:
        return values
    rounded: Floats = np.rint(values.astype(np.float64) / grain) * grain
    return rounded


@dataclass(slots=True)
class Running:
    """What mini-batch EM carries from step to step: ``scale * rows`` (V, K) are expected counts per token of the corpus.

    A step changes ``scale`` and the rows of its batch's words, so it need not go over all words; ``totals`` (K) are the sums over all
    words. ``arriving`` collects what the links of this pass tell their targets, and becomes ``incoming`` at its end.
    """

    rows: Floats
    gamma: Floats
    incoming: Floats
    function: LinkFunction
    lengths: Floats
    tokens: float
    totals: Floats
    scale: float = 1.0
    steps: int = 0
    passes: int = 0
    arriving: Floats = field(default_factory=lambda: np.empty((0, 0)))
    likelihood: float = 0.0

    def topic_word(self, words: Longs | None = None) -> Floats:
        """Return beta, or its rows of some words."""
        words = np.arange(len(self.rows)) if words is None else words
        total = self.totals * self.tokens + SMOOTHING * len(self.rows)
        factors, added = self.scale * self.tokens / total, SMOOTHING / total
        result: Floats = scaled_rows(
            self.rows, words, factors.astype(np.float32), added.astype(np.float32)
        )
        return result

    def move(self, told: Statistics, size: float) -> None:
        """Move the expected counts a step of this size (0 to 1) towards those of the statistics."""
        if self.scale * (1 - size) < SMALLEST_SCALE:
            self.rows *= np.float32(self.scale * (1 - size))
            self.scale = 1.0
        else:
            self.scale *= 1 - size
        sums = add_rows(self.rows, told.words, told.counts, size / told.tokens / self.scale)
        self.totals = (1 - size) * self.totals + sums * (size / told.tokens)


def begin(corpus: Corpus, parameters: Parameters, function: LinkFunction) -> Running:
    """Return where mini-batch EM starts: as ``em.start`` does, each topic from the words of a few documents."""
    n_topics, n_documents = parameters.n_topics, len(corpus)
    order = sorted(range(n_documents), key=lambda d: em.draw(corpus.titles[d], parameters.seed))
    random = np.random.default_rng(parameters.seed)
    shares = np.zeros((len(corpus.vocabulary), n_topics), dtype=np.float32)
    for topic in range(n_topics):
        for place in random.integers(0, n_documents, size=em.SEED_DOCUMENTS):
            np.add.at(shares[:, topic], corpus[order[int(place)]].words, 1)
    tokens = float(max(1, len(corpus.words)))
    lengths = corpus.lengths.astype(np.float32)
    gamma = np.full((n_documents, n_topics), parameters.alpha, dtype=np.float32)
    gamma += lengths[:, None] / n_topics
    links_in = np.bincount(corpus.links.target, minlength=n_documents).astype(np.float32)
    incoming = np.repeat(links_in[:, None] / np.float32(n_topics), n_topics, axis=1)
    shares /= np.float32(tokens)
    totals = shares.sum(axis=0, dtype=np.float64)
    return Running(shares, gamma, incoming, function, lengths, tokens, totals)


def statistics(
    batch: Batch, running: Running, *, look: bool, grain: float = GRAIN
) -> tuple[Statistics, Expected]:
    """Return what the batch's documents add up to under the running state, and what was found for each.

    Without a ``grain`` the sums are those of single precision, sooner found, and depend on the order of the documents.
    """
    inputs = batch.inputs
    beta = running.topic_word(batch.words)
    found = em.expect(
        inputs,
        beta,
        running.gamma[batch.documents],
        _messages(batch, running),
        look=look,
        grain=grain,
    )
    contexts, places = inputs.contexts, np.arange(len(inputs.contexts.target))
    into = sparse.csr_matrix(
        (
            np.ones(len(places), dtype=np.float64 if grain else np.float32),
            (contexts.target, places),
        ),
        shape=(len(batch.targets), len(places)),
    )
    weight = inputs.word_counts.count
    likelihood = in_grains(np.log(np.maximum(found.norms, 1e-30)) * weight, grain).sum()
    told = Statistics(
        batch.words,
        found.counts,
        batch.targets,
        into @ in_grains(_link_contexts(batch, found), grain),
        batch.tokens,
        float(likelihood),
    )
    return told, found


def _link_contexts(batch: Batch, found: Expected) -> Floats:
    """Return the topics of each link's context."""
    contexts = batch.inputs.contexts
    if not contexts.whole:
        return found.context
    means = em.mean_topics(found.gamma, batch.inputs.alpha, batch.inputs.lengths)
    return means[contexts.source]


def _messages(batch: Batch, running: Running) -> tuple[Floats, Floats]:
    """Return the link terms of the batch's documents, and what a link to each of its targets tells its context."""
    targets, inputs = batch.targets, batch.inputs
    means = em.mean_topics(running.gamma[targets], inputs.alpha, running.lengths[targets])
    to_context = running.function.to_context(means)
    incoming = running.incoming[batch.documents]
    linked = incoming.any(axis=1)
    shared = np.zeros_like(incoming)
    shared[linked] = running.function.to_target(incoming[linked])
    if inputs.contexts.whole:
        ones = np.ones(len(inputs.contexts.target), dtype=np.float32)
        pairs = sparse.csr_matrix(
            (ones, (inputs.contexts.source, inputs.contexts.target)),
            shape=(len(batch.documents), len(targets)),
        )
        shared = shared + pairs @ to_context
    shared = shared / np.maximum(inputs.lengths, 1)[:, None]
    return shared.astype(np.float32), to_context.astype(np.float32)


def step(
    batch: Batch,
    running: Running,
    parameters: Parameters,
    size: float,
    gradient_steps: int = linkfunction.STEPS,
) -> None:
    """Move the running state a step of this size (0 to 1) towards what the batch shows; the link function takes ``gradient_steps``."""
    look = running.passes % em.FULL_LOOK_EVERY_ITERATIONS == 0
    told, found = statistics(batch, running, look=look, grain=0.0)
    running.gamma[batch.documents] = found.gamma
    running.function = _updated(batch, running, found, parameters, gradient_steps)
    if told.tokens:
        running.move(told, size)
    running.arriving[told.targets] += told.incoming.astype(np.float32)
    running.likelihood += told.likelihood
    running.steps += 1


def _updated(
    batch: Batch, running: Running, found: Expected, parameters: Parameters, steps: int
) -> LinkFunction:
    """Return the link function after so many gradient steps on the batch's links."""
    contexts = batch.inputs.contexts
    if not len(contexts.target):
        return running.function
    rows = linkfunction.batches(len(contexts.target), running.steps, steps)
    targets = batch.targets[contexts.target[rows]]
    means = em.mean_topics(running.gamma[targets], parameters.alpha, running.lengths[targets])
    own = _link_contexts(batch, found)[rows]
    rate = parameters.learning_rate
    return linkfunction.contrast_update(running.function, own, means, rate=rate, steps=steps)


def run_pass(
    batches: Sequence[Batch],
    running: Running,
    parameters: Parameters,
    on_batch: Callable[[int], None] | None = None,
) -> float:
    """Take a step with every batch and return the mean log probability of a token.

    Over a pass, the link function takes as many gradient steps as in an iteration of the full batch, but one with each batch at least.
    ``on_batch`` is told how many documents of all passes are done, after each batch.
    """
    gradient_steps = max(1, linkfunction.STEPS // max(1, len(batches)))
    running.arriving = np.zeros_like(running.incoming)
    running.likelihood = 0.0
    done = running.passes * len(running.gamma)
    for batch in batches:
        size = step_size(running.steps, len(batches))
        step(batch, running, parameters, size, gradient_steps)
        done += len(batch.documents)
        if on_batch:
            on_batch(done)
    running.incoming = running.arriving
    running.passes += 1
    return running.likelihood / running.tokens


def step_size(steps: int, batches: int | None = None) -> float:
    """Return the size of the next step: it falls with the steps taken, to the share of one batch if their number is known.

    >>> step_size(0, 1), step_size(7, 1), step_size(1000, 4)
    (1.0, 1.0, 0.25)
    """
    return float(max((1 + steps) ** -FORGETTING, 1 / batches if batches else 0.0))


def state_of(running: Running, documents: Longs | None = None) -> State:
    """Return a copy of the running state in the form that full-batch EM has, with all documents or some; no links' contexts."""
    none = np.empty((0, running.gamma.shape[1]), dtype=np.float32)
    gamma = running.gamma.copy() if documents is None else running.gamma[documents]
    return State(running.topic_word(), gamma, none, running.function, running.passes)


def drawn(corpus: Corpus, most: int | None, seed: int) -> Longs | None:
    """Return so many documents, drawn by title; ``None`` where that is all of them."""
    if most is None or most >= len(corpus):
        return None
    order = sorted(range(len(corpus)), key=lambda d: em.draw(corpus.titles[d], seed))
    return np.array(sorted(order[:most]), dtype=np.int64)


def no_inputs(corpus: Corpus, parameters: Parameters) -> EMInputs:
    """Return inputs without words, for what is learned after EM: batches have their own."""
    nothing = WordCounts(
        np.zeros(len(corpus) + 1, dtype=np.int64),
        np.empty(0, dtype=np.int32),
        np.empty(0, dtype=np.float32),
        np.empty(0, dtype=np.int64),
    )
    contexts = make_contexts(
        replace(corpus, links=corpus.links[:0]), nothing, "document", np.empty((0, 1)), sharpness=1, sigma=1
    )  # fmt: skip
    return EMInputs(
        nothing,
        contexts,
        parameters.alpha,
        parameters.inner_steps,
        parameters.active_topics,
        parameters.n_jobs,
    )


class Stream:
    """Mini-batch EM over batches that come one by one and are not kept: what ``CRTM.partial_fit`` goes on from.

    Of a document that was seen, its rows of gamma and of incoming contexts are remembered by title.
    """

    def __init__(self, vocabulary: Vocabulary, vectors: Floats) -> None:
        self.vocabulary, self.vectors = vocabulary, vectors
        self.running: Running | None = None
        self._rows: dict[str, tuple[Floats, Floats]] = {}

    def take(self, corpus: Corpus, parameters: Parameters, size: float | None) -> State:
        """Take a step with these documents, by default a smaller one each time, and return the state with their topics."""
        function = linkfunction.initial(parameters.n_topics, parameters.projection)
        running = begin(corpus, parameters, function)
        before = self.running
        if before is not None:
            running.rows, running.scale, running.totals = before.rows, before.scale, before.totals
            running.function = before.function
            running.steps, running.passes = before.steps, before.passes
            running.tokens += before.tokens
        for number, title in enumerate(corpus.titles):
            if title in self._rows:
                running.gamma[number], running.incoming[number] = self._rows[title]
        batches = make_batches(corpus, len(corpus), parameters, self.vectors)
        running.arriving = np.zeros_like(running.incoming)
        step(batches[0], running, parameters, step_size(running.steps) if size is None else size)
        running.incoming = running.arriving
        running.passes += 1
        rows = zip(running.gamma, running.incoming, strict=True)
        self._rows.update(zip(corpus.titles, rows, strict=True))
        self.running = running
        return state_of(running)
