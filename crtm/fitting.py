"""The stages of ``CRTM.fit``: prepare the corpus, iterate EM, watch validation links, learn the terms' weights."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from crtm import estimation, learning, linkfunction, vectors
from crtm.cells import make_cells, make_contexts
from crtm.corpus import Corpus, Links
from crtm.estimation import Setting, State
from crtm.learning import Tables
from crtm.scoring import Learned, Manner, Topics, View, best_of_words
from crtm.terms import COLUMNS, WordFacts, word_facts
from crtm.texts import phrase_table, stem_table, stems_of, word_table
from crtm.vectors import Floats

MOST_LINKS = 1500  # training links that the weights of the terms are learned from
MOST_OF_A_SOURCE = 5
MOST_VALIDATION = 100


class Parameters(Protocol):
    """The parameters of a model that fitting reads."""

    n_topics: int
    context: str
    transform_kind: str
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
    setting: Setting
    tables: Tables
    facts: WordFacts


def prepare(corpus: Corpus, parameters: Parameters) -> Prepared:
    """Return the corpus as cells and contexts, with word vectors where attention needs them."""
    found = _vectors(corpus, parameters)
    cells = make_cells(corpus, tied=parameters.tied)
    contexts = make_contexts(
        corpus,
        cells,
        parameters.context,
        found,
        sharpness=parameters.sharpness,
        sigma=parameters.sigma,
    )
    setting = Setting(
        cells,
        contexts,
        parameters.alpha,
        parameters.inner_steps,
        parameters.active_topics,
        parameters.n_jobs,
    )
    stems = stems_of(corpus.vocabulary)
    tables = Tables(word_table(corpus), stem_table(corpus, stems), phrase_table(corpus), stems)
    return Prepared(corpus, found, setting, tables, word_facts(corpus, tables.words))


def _vectors(corpus: Corpus, parameters: Parameters) -> Floats:
    if parameters.context != "attention":
        return np.zeros((len(corpus.vocabulary), 1), dtype=np.float32)
    if parameters.vectors == "skipgram":
        return vectors.skipgram_vectors(corpus, parameters.vector_size, parameters.seed)
    return vectors.pmi_vectors(corpus, parameters.vector_size, parameters.seed)


def first_state(prepared: Prepared, parameters: Parameters) -> State:
    """Return the state that EM starts from."""
    corpus = prepared.corpus
    function = linkfunction.initial(parameters.n_topics, parameters.transform_kind)
    return estimation.start(
        prepared.setting,
        n_words=len(corpus.vocabulary),
        n_topics=parameters.n_topics,
        titles=corpus.titles,
        seed=parameters.seed,
        function=function,
    )


def iterate(prepared: Prepared, state: State, parameters: Parameters) -> tuple[State, float]:
    """Return the state after one EM iteration, and the mean log probability of a token under the one before."""
    setting = prepared.setting
    gamma, context, counts, norms = estimation.e_step(setting, state)
    function = _updated(setting, gamma, context, state, parameters)
    weight = setting.cells.count
    likelihood = float((np.log(np.maximum(norms, 1e-30)) * weight).sum() / max(1.0, weight.sum()))
    topic_word = estimation.normalised(counts)
    return State(topic_word, gamma, context, function, state.iteration + 1), likelihood


def _updated(
    setting: Setting, gamma: Floats, context: Floats, state: State, parameters: Parameters
) -> linkfunction.LinkFunction:
    contexts = setting.contexts
    if not len(contexts.target):
        return state.function
    is_paper, rate, links = (
        parameters.update == "paper",
        parameters.learning_rate,
        len(contexts.target),
    )
    rows = np.arange(links) if is_paper else linkfunction.batches(links, state.iteration)
    means = estimation.mean_topics(gamma, parameters.alpha, setting.lengths)
    sources = means[contexts.source[rows]] if contexts.whole else context[rows]
    targets = means[contexts.target[rows]]
    if is_paper:
        return linkfunction.paper_update(
            state.function, sources, targets, rho=parameters.rho, rate=rate
        )
    return linkfunction.contrast_update(state.function, sources, targets, rate=rate)


def topics_of(prepared: Prepared, state: State, alpha: float) -> Topics:
    """Return the state as scoring wants it."""
    prior = np.maximum(state.gamma - alpha, 0).sum(axis=0) + 1.0
    means = estimation.mean_topics(state.gamma, alpha, prepared.setting.lengths)
    share = (prior / prior.sum()).astype(np.float32)
    return Topics(state.topic_word, state.gamma, means, share, prepared.vectors, state.function)


def assemble(prepared: Prepared, topics: Topics, weights: dict[str, float]) -> Learned:
    """Return the whole of what was learned, the tables summed under the weights."""
    tables = prepared.tables
    own = COLUMNS["own_words"] + COLUMNS["early"]
    return Learned(
        topics,
        prepared.facts,
        tables.stems,
        learning.weighted(tables.words, weights, own),
        learning.weighted(tables.stem_words, weights, COLUMNS["stems"]),
        # Unweighted: of two phrases the better one counts, and a weight may be negative.
        learning.weighted(tables.phrases, {"phrase_tfidf": 1.0}, COLUMNS["phrases"]),
        weights,
    )


def weigh(prepared: Prepared, learned: Learned, links: Links, manner: Manner) -> Learned:
    """Return the same with the terms' weights learned from links."""
    corpus, gamma = prepared.corpus, learned.topics.gamma

    def view_of(source: int) -> View:
        return View(learned, corpus[source], gamma[source], manner)

    weights = learning.learn_weights(
        links, view_of, prepared.tables, manner.terms, jobs=prepared.setting.jobs
    )
    return assemble(prepared, learned.topics, weights)


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
        if of_source.get(source, 0) < MOST_OF_A_SOURCE:
            of_source[source] = of_source.get(source, 0) + 1
            taken.append(number)
    return links[np.array(taken[:MOST_LINKS], dtype=np.int64)]


def validation_score(prepared: Prepared, topics: Topics, links: Links, manner: Manner) -> float:
    """Return the mean of 1 / (rank of the anchor's best word) by topics alone, over validation links."""
    learned = assemble(prepared, topics, learning.prior_weights())
    total = 0.0
    chosen = links[:MOST_VALIDATION]
    for source, target, first, last in zip(
        chosen.source, chosen.target, chosen.first, chosen.last, strict=True
    ):
        document = prepared.corpus[int(source)]
        view = View(learned, document, topics.gamma[source], manner)
        targets = np.array([target], dtype=np.int32)
        scores = view.lift(targets) if manner.terms else view.relation(targets)
        words, best = best_of_words(document, scores)
        anchor = np.isin(words, prepared.corpus.words[first:last])
        total += 1.0 / (1.0 + float((best[:, 0] > best[anchor, 0].max()).sum()))
    return total / max(1, len(chosen))
