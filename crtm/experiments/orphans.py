"""Orphans: all links to some documents are hidden; find the pages that had them, among all pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from crtm.corpus import Corpus
from crtm.experiments.baselines import lexical
from crtm.experiments.evaluate import mean_and_std
from crtm.model import CRTM
from crtm.place_features import LEAD_WORDS, PlaceKnowledge
from crtm.sources import learn_sources
from crtm.vectors import Floats

ORPHAN_SHARE = 0.1
MAX_ORPHANS = 200
AMONG_FIRST = 10


def hide_incoming(corpus: Corpus, seed: int) -> tuple[Corpus, dict[int, set[int]]]:
    """Return the corpus without the links to a tenth of its linked documents, and who linked to them."""
    linked = np.unique(corpus.links.target)
    size = min(MAX_ORPHANS, max(1, int(len(linked) * ORPHAN_SHARE)))
    orphans = np.random.default_rng(seed).permutation(linked)[:size]
    sources: dict[int, set[int]] = {int(target): set() for target in np.sort(orphans)}
    hidden = np.isin(corpus.links.target, orphans)
    for source, target in zip(
        corpus.links.source[hidden], corpus.links.target[hidden], strict=True
    ):
        sources[int(target)].add(int(source))
    return corpus.without(hidden), sources


def hit(scores: Floats, target: int, right: set[int]) -> float:
    """Return 1 if one of the right documents is among the first ten, 0 if not."""
    scores = scores.copy()
    scores[target] = -np.inf
    best = np.argsort(-scores, kind="stable")[:AMONG_FIRST]
    return float(bool(right & set(best.tolist())))


def bm25_sources(corpus: Corpus) -> Callable[[int], Floats]:
    """Return what scores all documents for a target by BM25, with the target's first words as the query."""
    words = lexical.bm25(corpus).table

    def score(target: int) -> Floats:
        begin, end = int(corpus.offsets[target]), int(corpus.offsets[target + 1])
        lead = corpus.words[begin : min(begin + LEAD_WORDS, end)]
        asked = np.bincount(lead, minlength=len(corpus.vocabulary))
        sums = np.concatenate([[0], np.cumsum(words.value * asked[words.column])])
        scores: Floats = sums[words.ptr[1:]] - sums[words.ptr[:-1]]
        return scores

    return score


def evaluate_orphans_seed(corpus: Corpus, seed: int, **options: Any) -> dict[str, float]:
    """Return hits@10 of each system on one draw."""
    training, sources = hide_incoming(corpus, seed)
    model = CRTM(seed=seed, **options).fit(training)
    knowledge = PlaceKnowledge(model.fitted_, training)
    ranker, by_bm25 = learn_sources(knowledge, seed), bm25_sources(training)
    found: dict[str, list[float]] = {"crtm": [], "bm25": [], "tfidf": []}
    for target, right in sources.items():
        cosine = np.asarray((knowledge.pages @ knowledge.pages[target].T).todense()).ravel()
        found["crtm"].append(hit(ranker.scores(target), target, right))
        found["bm25"].append(hit(by_bm25(target), target, right))
        found["tfidf"].append(hit(cosine, target, right))
    return {name: float(np.mean(values)) for name, values in found.items()}


def evaluate_orphans(corpus: Corpus, seeds: int, **options: Any) -> dict[str, Any]:
    """Return hits@10 as JSON holds it: mean and standard deviation over seeds."""
    runs = [evaluate_orphans_seed(corpus, seed, **options) for seed in range(seeds)]
    systems = {name: {"hits_at_10": mean_and_std([run[name] for run in runs])} for name in runs[0]}
    return {"task": "orphans", "seeds": seeds, "systems": systems}
