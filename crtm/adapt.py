"""A fitted model for other documents than it was learned from: topics and weights stay, the documents' own tables are made anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from crtm import em, term_weights
from crtm.corpus import Corpus
from crtm.scoring import FittedModel, ScoringParams, fold_in
from crtm.tables import phrase_table, stem_table, word_table
from crtm.terms import COLUMNS


def adapted(
    fitted: FittedModel, index: Mapping[str, int], corpus: Corpus, params: ScoringParams
) -> FittedModel:
    """Return the model with the documents of ``corpus``, which has its vocabulary; ``index`` numbers those it was learned from.

    A document that the model knows by its title keeps its topics until the model is learned again; the topics of others are
    inferred.
    """
    topics = fitted.topics
    gamma = np.empty((len(corpus), topics.gamma.shape[1]), dtype=topics.gamma.dtype)
    for number, title in enumerate(corpus.titles):
        known = index.get(title)
        gamma[number] = (
            fold_in(topics, corpus[number].words, params) if known is None else topics.gamma[known]
        )
    means = em.mean_topics(gamma, params.alpha, corpus.lengths)
    own = COLUMNS["own_words"] + COLUMNS["early"]
    phrases = {"phrase_tfidf": 1.0}  # unweighted, as ``pipeline.assemble`` has them
    return replace(
        fitted,
        topics=replace(topics, gamma=gamma, mean=means),
        words=term_weights.weighted(word_table(corpus), fitted.weights, own),
        stem_words=term_weights.weighted(
            stem_table(corpus, fitted.stems), fitted.weights, COLUMNS["stems"]
        ),
        phrases=term_weights.weighted(phrase_table(corpus), phrases, COLUMNS["phrases"]),
    )
