"""Which pages should link to a target: learned from the pages that link to others, without looking at the target's own links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crtm.place_features import PlaceKnowledge
from crtm.place_ranker import Group, fit_groups
from crtm.places import mentions
from crtm.vectors import Floats

SOURCE_COLUMNS = (
    "words", "lead", "vectors", "topics", "relation", "linked_back", "shared_links", "alike_links", "out_links",
    "length", "named",
)  # fmt: skip
MAX_TARGETS = 400  # that the weights are learned from
FEWEST_LINKS = 1


@dataclass(frozen=True)
class SourceRanker:
    """A log-linear model: p(source | target) ~ exp(weights . columns)."""

    knowledge: PlaceKnowledge
    weights: Floats

    def scores(self, target: int) -> Floats:
        """Return (documents): a higher score means that the document should sooner link to the target."""
        scores: Floats = source_columns(self.knowledge, target) @ self.weights
        scores[target] = -np.inf
        return scores


def source_columns(knowledge: PlaceKnowledge, target: int) -> Floats:
    """Return (documents, SOURCE_COLUMNS); links to the target do not count."""
    topics, pages = knowledge.fitted.topics, knowledge.pages
    row = pages[target]
    words = np.asarray((pages @ row.T).todense()).ravel()
    lead = np.asarray((pages @ knowledge.leads[target].T).todense()).ravel()
    vectors = knowledge.page_vectors @ knowledge.page_vectors[target]
    lift = np.log(topics.mean @ (topics.mean[target] / topics.prior) + 1e-2)
    relation = topics.function.score(topics.mean, topics.mean[target : target + 1])[:, 0]
    back = np.asarray(knowledge.adjacency[target].todense()).ravel()
    alike = words.copy()
    alike[target] = 0
    degree = np.asarray(knowledge.adjacency.sum(axis=1)).ravel()
    degree -= np.asarray(knowledge.incoming[target].todense()).ravel()
    shared = knowledge.adjacency @ back / np.sqrt(np.maximum(degree, 1))
    columns = [
        words, lead, vectors, lift, relation, back, shared,
        knowledge.adjacency @ alike / np.maximum(degree, 1), np.log1p(degree), np.log1p(knowledge.corpus.lengths),
        np.log1p(_named(knowledge, target)),
    ]  # fmt: skip
    return np.stack(columns, axis=1)


def _named(knowledge: PlaceKnowledge, target: int) -> Floats:
    """Return how many words of each document belong to the target's title."""
    corpus = knowledge.corpus
    inside = mentions(corpus.words, knowledge.titles[target])
    sums = np.concatenate([[0], np.cumsum(inside)])
    counts: Floats = sums[corpus.offsets[1:]] - sums[corpus.offsets[:-1]]
    return counts


def learn_sources(knowledge: PlaceKnowledge, seed: int, said: Sequence[Group] = ()) -> SourceRanker:
    """Return the ranker, learned from targets that are linked, and from what was ``said`` about others."""
    linked = np.flatnonzero(knowledge.in_degree >= FEWEST_LINKS)
    drawn = np.random.default_rng(seed).permutation(linked)[:MAX_TARGETS]
    cases = list(said)
    for target in np.sort(drawn).tolist():
        others = np.arange(len(knowledge.corpus)) != target
        right = np.asarray(knowledge.incoming[target].todense()).ravel() > 0
        cases.append((source_columns(knowledge, target)[others], right[others]))
    weights = fit_groups(cases) if cases else np.zeros(len(SOURCE_COLUMNS))
    return SourceRanker(knowledge, weights)
