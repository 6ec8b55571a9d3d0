"""The stages of ``CRTM.fit``: prepare the corpus, iterate EM, watch validation links, learn the terms' weights."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from crtm import em, linkfunction, term_weights, vectors
from crtm.corpus import Corpus, Links
from crtm.counts import make_contexts, make_counts
from crtm.em import EMInputs, State
from crtm.scoring import DocumentScorer, FittedModel, ScoringParams, Topics, best_of_words
from crtm.tables import phrase_table, stem_table, stems_of, word_table
from crtm.term_weights import Tables
from crtm.terms import COLUMNS, WordFacts, word_facts
from crtm.vectors import Floats

MAX_TRAINING_LINKS = 1500  # training links that the weights of the terms are learned from
MAX_LINKS_PER_SOURCE = 5
MAX_VALIDATION_LINKS = 100


class Parameters(Protocol):
    """The parameters of a model that fitting reads."""

    n_topics: int
    context: str
    projection: str
    terms: tuple[str, ...]
    update: str
    alpha: float
    rho: float
    learning_rate: float
    vectors: str
    vector_size: int
    sharpness: float
    sigma: float
    inner_steps: int
    active_topics: int
    tied: bool
    n_jobs: int
    seed: int


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything about the corpus that EM does not change."""

    corpus: Corpus
    vectors: Floats
    inputs: EMInputs
    tables: Tables
    facts: WordFacts


def prepare(corpus: Corpus, parameters: Parameters) -> Prepared:
    """Return the corpus as cells and contexts, with word vectors where attention needs them."""
    found = word_vectors(corpus, parameters)
    word_counts = make_counts(corpus, tied=parameters.tied)
    contexts = make_contexts(
        corpus,
        word_counts,
        parameters.context,
        found,
        sharpness=parameters.sharpness,
        sigma=parameters.sigma,
    )
    inputs = EMInputs(
        word_counts,
        contexts,
        parameters.alpha,
        parameters.inner_steps,
        parameters.active_topics,
        parameters.n_jobs,
    )
    return with_tables(corpus, found, inputs)


def with_tables(corpus: Corpus, found: Floats, inputs: EMInputs) -> Prepared:
    """Return the corpus with the tables that the terms need."""
    stems = stems_of(corpus.vocabulary)
    tables = Tables(word_table(corpus), stem_table(corpus, stems), phrase_table(corpus), stems)
    return Prepared(corpus, found, inputs, tables, word_facts(corpus, tables.words))


def word_vectors(corpus: Corpus, parameters: Parameters) -> Floats:
    """Return a vector for each word; of length one, and zero, where the model asks for no attention."""
    if parameters.context != "attention":
        return np.zeros((len(corpus.vocabulary), 1), dtype=np.float32)
    if parameters.vectors == "skipgram":
        return vectors.skipgram_vectors(corpus, parameters.vector_size, parameters.seed)
    return vectors.pmi_vectors(
        corpus, parameters.vector_size, parameters.seed, jobs=parameters.n_jobs
    )


def first_state(prepared: Prepared, parameters: Parameters) -> State:
    """Return the state that EM starts from."""
    corpus = prepared.corpus
    function = linkfunction.initial(parameters.n_topics, parameters.projection)
    return em.start(
        prepared.inputs,
        n_words=len(corpus.vocabulary),
        n_topics=parameters.n_topics,
        titles=corpus.titles,
        seed=parameters.seed,
        function=function,
    )


def iterate(prepared: Prepared, state: State, parameters: Parameters) -> tuple[State, float]:
    """Return the state after one EM iteration, and the mean log probability of a token under the one before."""
    inputs = prepared.inputs
    gamma, context, counts, norms = em.e_step(inputs, state)
    function = _updated(inputs, gamma, context, state, parameters)
    weight = inputs.word_counts.count
    likelihood = float((np.log(np.maximum(norms, 1e-30)) * weight).sum() / max(1.0, weight.sum()))
    topic_word = em.normalised(counts)
    return State(topic_word, gamma, context, function, state.iteration + 1), likelihood


def _updated(
    inputs: EMInputs, gamma: Floats, context: Floats, state: State, parameters: Parameters
) -> linkfunction.LinkFunction:
    contexts = inputs.contexts
    if not len(contexts.target):
        return state.function
    is_paper, rate, links = (
        parameters.update == "paper",
        parameters.learning_rate,
        len(contexts.target),
    )
    rows = np.arange(links) if is_paper else linkfunction.batches(links, state.iteration)
    means = em.mean_topics(gamma, parameters.alpha, inputs.lengths)
    sources = means[contexts.source[rows]] if contexts.whole else context[rows]
    targets = means[contexts.target[rows]]
    if is_paper:
        return linkfunction.paper_update(
            state.function, sources, targets, rho=parameters.rho, rate=rate
        )
    return linkfunction.contrast_update(state.function, sources, targets, rate=rate)


def topics_of(prepared: Prepared, state: State, alpha: float) -> Topics:
    """Return the topics of a state, in the form that scoring reads."""
    prior = np.maximum(state.gamma - alpha, 0).sum(axis=0) + 1.0
    means = em.mean_topics(state.gamma, alpha, prepared.corpus.lengths)
    share = (prior / prior.sum()).astype(np.float32)
    return Topics(state.topic_word, state.gamma, means, share, prepared.vectors, state.function)


def assemble(prepared: Prepared, topics: Topics, weights: dict[str, float]) -> FittedModel:
    """Return the fitted model, with the tables summed under the weights."""
    tables = prepared.tables
    own = COLUMNS["own_words"] + COLUMNS["early"]
    return FittedModel(
        topics,
        prepared.facts,
        tables.stems,
        term_weights.weighted(tables.words, weights, own),
        term_weights.weighted(tables.stem_words, weights, COLUMNS["stems"]),
        # Unweighted: of two phrases the better one counts, and a weight may be negative.
        term_weights.weighted(tables.phrases, {"phrase_tfidf": 1.0}, COLUMNS["phrases"]),
        weights,
    )


def weigh(
    prepared: Prepared, fitted: FittedModel, links: Links, params: ScoringParams
) -> FittedModel:
    """Return the same with the terms' weights learned from links."""
    corpus, gamma = prepared.corpus, fitted.topics.gamma

    def scorer_of(source: int) -> DocumentScorer:
        return DocumentScorer(fitted, corpus[source], gamma[source], params)

    weights = term_weights.learn_weights(
        links, scorer_of, prepared.tables, params.terms, jobs=prepared.inputs.jobs
    )
    return assemble(prepared, fitted.topics, weights)


def drawn_links(corpus: Corpus) -> Links:
    """Return some of the corpus's links in a drawn order, at most a few of each source; the order of documents does not matter."""
    links = corpus.links
    names = [
        f"{corpus.titles[s]}\n{corpus.titles[t]}\n{start}"
        for s, t, start in zip(links.source, links.target, links.start, strict=True)
    ]
    draws = [hashlib.sha256(name.encode()).digest() for name in names]
    taken: list[int] = []
    of_source: dict[int, int] = {}
    for number in sorted(range(len(links)), key=draws.__getitem__):
        source = int(links.source[number])
        if of_source.get(source, 0) < MAX_LINKS_PER_SOURCE:
            of_source[source] = of_source.get(source, 0) + 1
            taken.append(number)
    return links[np.array(taken[:MAX_TRAINING_LINKS], dtype=np.int64)]


def validation_score(
    prepared: Prepared, topics: Topics, links: Links, params: ScoringParams
) -> float:
    """Return the mean of 1 / (rank of the anchor's best word) by topics alone, over validation links."""
    fitted = assemble(prepared, topics, term_weights.prior_weights())
    total = 0.0
    chosen = links[:MAX_VALIDATION_LINKS]
    for source, target, first, last in zip(
        chosen.source, chosen.target, chosen.first, chosen.last, strict=True
    ):
        document = prepared.corpus[int(source)]
        scorer = DocumentScorer(fitted, document, topics.gamma[source], params)
        targets = np.array([target], dtype=np.int32)
        scores = scorer.lift(targets) if params.terms else scorer.relation(targets)
        words, best = best_of_words(document, scores)
        anchor = np.isin(words, prepared.corpus.words[first:last])
        total += 1.0 / (1.0 + float((best[:, 0] > best[anchor, 0].max()).sum()))
    return total / max(1, len(chosen))
