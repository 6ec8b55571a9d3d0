"""Whether a document links to another at all: what its words say, how alike the two are, and who else links both.

A log-linear model, learned from the corpus's links: for each of some sources, a document it links against others drawn at random. The
link that is asked about never counts as evidence for itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from crtm.corpus import Ints
from crtm.place_features import PlaceKnowledge
from crtm.place_ranker import Group, fit_groups
from crtm.vectors import Floats

PAIR_COLUMNS = (
    "evidence", "words", "vectors", "topics", "linked_back", "in_links", "path", "cocited", "paths", "cocitations", "coupled",
)  # fmt: skip
MAX_SOURCES, MAX_TARGETS, OTHERS = 200, 20, 100  # that the weights are learned from

Evidence = Callable[[int, Ints], Floats]


@dataclass(frozen=True)
class PairRanker:
    """p(target | source) ~ exp(weights . columns)."""

    knowledge: PlaceKnowledge
    evidence: Evidence
    weights: Floats

    def scores(self, source: int, targets: Ints) -> Floats:
        """Return (targets): a higher score means that the source is more likely to link to the target."""
        columns = pair_columns(self.knowledge, source, targets, self.evidence(source, targets))
        scores: Floats = columns @ self.weights
        return scores


def pair_columns(knowledge: PlaceKnowledge, source: int, targets: Ints, evidence: Floats) -> Floats:
    """Return (targets, PAIR_COLUMNS); ``evidence`` is what the words of the source say of the targets."""
    topics, pages = knowledge.fitted.topics, knowledge.pages
    out = np.asarray(knowledge.adjacency[source].todense()).ravel()
    into = np.asarray(knowledge.incoming[source].todense()).ravel()
    incoming = knowledge.incoming[targets]
    degree = knowledge.in_degree[targets] - out[targets]
    paths = np.asarray(incoming @ out).ravel()  # over a document between the two
    cocited = np.asarray(incoming @ into).ravel()
    scale = np.sqrt(np.maximum(degree, 1))
    columns = [
        evidence,
        np.asarray((pages[targets] @ pages[source].T).todense()).ravel(),
        knowledge.page_vectors[targets] @ knowledge.page_vectors[source],
        np.log(topics.mean[targets] @ (topics.mean[source] / topics.prior) + 1e-2),
        into[targets],
        np.log1p(degree),
        paths / scale,
        cocited / scale,
        np.log1p(paths),
        np.log1p(cocited),
        np.log1p(np.asarray(knowledge.adjacency[targets] @ out).ravel()),
    ]
    return np.stack(columns, axis=1)


def learn_pairs(knowledge: PlaceKnowledge, evidence: Evidence, seed: int) -> PairRanker:
    """Return the ranker, learned from the links of some sources."""
    links, random = knowledge.corpus.links, np.random.default_rng(seed)
    groups: list[Group] = []
    for source in random.permutation(np.unique(links.source))[:MAX_SOURCES].tolist():
        linked = np.unique(links.target[links.source == source])
        right = linked[:MAX_TARGETS]
        drawn = random.integers(0, len(knowledge.corpus), OTHERS)
        others = np.setdiff1d(drawn, np.append(linked, source))
        targets = np.concatenate([right, others]).astype(np.int32)
        columns = pair_columns(knowledge, source, targets, evidence(source, targets))
        for number in range(len(right)):
            rows = np.r_[number, len(right) : len(targets)]
            groups.append((columns[rows], np.arange(len(rows)) == 0))
    weights = fit_groups(groups) if groups else np.eye(len(PAIR_COLUMNS))[0]
    return PairRanker(knowledge, evidence, weights)
