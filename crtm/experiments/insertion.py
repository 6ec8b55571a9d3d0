"""Protocol D: given a source and a target, find the sentence or paragraph where the link belongs.

One link per page is hidden, as in protocol A. *Present*: only the brackets are gone. *Mention absent*: so are the anchor and every
other mention of the target on the page. *Sentence absent*: so is the sentence, and the paragraph it stood in is to be found. All
systems learn from a corpus that lacks the sentences of the test links, so that nothing of them is known from training.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from crtm.corpus import Corpus, Document, Ints, Links
from crtm.experiments.evaluate import VARIANTS, mean_and_std
from crtm.experiments.protocol import hide_links
from crtm.model import CRTM
from crtm.pipeline import drawn_links
from crtm.place_features import LEAD_WORDS, PlaceKnowledge
from crtm.place_ranker import Case, PlaceRanker, learn_places, links_by_pair, masked_case
from crtm.places import Bools, Names, Segments, mentions
from crtm.vectors import Floats

MAX_TEST_LINKS = 400
VARIANT_OF = {"present": "present", "mention_absent": "absent", "sentence_absent": "paragraph"}
SYSTEMS = ("crtm", "crtm_no_topics", "bm25", "tfidf", "string_match", "crtm_paper", "rtm", "random")
REDRAWN = 2000  # times that the cases are drawn again for an interval
SATURATION, LENGTH = 1.2, 0.75  # BM25's k1 and b
Places = list[
    tuple[int, int]
]  # for each case: how many wrong places are before, and how many beside the right one
Rank = Callable[[Case], Floats]


@dataclass(frozen=True, slots=True)
class Trial:
    """A split for insertion: a training corpus without the test links' sentences, the pages as they are, and the test pairs."""

    training: Corpus
    pages: Corpus
    names: Names
    test: tuple[Links, ...]


def make_trial(corpus: Corpus, seed: int, *, validation: bool = False) -> Trial:
    """Hide one link per page as in protocol A, and take the test links' sentences and mentions out of the training text."""
    split, names = hide_links(corpus, seed), Names.of(corpus)
    chosen = split.validation if validation else split.test
    drawn = np.random.default_rng(seed).permutation(len(chosen))[:MAX_TEST_LINKS]
    test = tuple(_all_of_pair(corpus, *pair) for pair in links_by_pair(chosen[drawn]))
    keep = np.ones(len(corpus.words), dtype=bool)
    for links in test:
        source = int(links.source[0])
        own = slice(int(corpus.offsets[source]), int(corpus.offsets[source + 1]))
        keep[own] &= _untouched(corpus[source], links, names, int(corpus.offsets[source]))
    return Trial(split.training.with_tokens(keep), split.training, names, test)


def _all_of_pair(corpus: Corpus, source: int, target: int) -> Links:
    """Return all links from one document to another."""
    links = corpus.links
    return links[(links.source == source) & (links.target == target)]


def _untouched(document: Document, links: Links, names: Names, offset: int) -> Bools:
    """Tell which tokens are neither in a hidden link's sentence nor a mention of its target."""
    target = int(links.target[0])
    gone = mentions(document.words, names.of_target[target])
    for first, last in zip(links.first - offset, links.last - offset, strict=True):
        gone |= np.isin(document.sentences, document.sentences[first:last])
    return ~gone


def string_match(case: Case) -> Floats:
    """Score a place by whether it holds a name of the target."""
    document, parts = case.reader.document, case.reader.parts
    names = case.reader.knowledge.names.of_target[case.target]
    found = mentions(document.words, names).astype(float)
    scores: Floats = np.maximum.reduceat(found, parts.first)
    return scores


def tfidf(case: Case) -> Floats:
    """Score a place by the cosine of its tf-idf with the target's whole text."""
    page = case.reader.knowledge.pages[case.target]
    scores: Floats = np.asarray((case.reader.words @ page.T).todense())[:, 0]
    return scores


def bm25(case: Case) -> Floats:
    """Score a place by BM25 with the first words of the target as the query."""
    knowledge, parts = case.reader.knowledge, case.reader.parts
    corpus, document = knowledge.corpus, case.reader.document
    begin = int(corpus.offsets[case.target])
    query = corpus.words[begin : min(begin + LEAD_WORDS, int(corpus.offsets[case.target + 1]))]
    counts = _counts(document.words, parts, len(corpus.vocabulary))
    sizes = (parts.last - parts.first) / np.mean(parts.last - parts.first)
    damping = SATURATION * (1 - LENGTH + LENGTH * sizes)
    weight = np.bincount(query, minlength=len(corpus.vocabulary)) * knowledge.rarity
    rows = counts.tocoo()
    part = rows.data * (SATURATION + 1) / (rows.data + damping[rows.row]) * weight[rows.col]
    scores: Floats = np.bincount(rows.row, part, minlength=len(parts))
    return scores


def _counts(words: Ints, parts: Segments, size: int) -> Any:
    ones = np.ones(len(words))
    return sparse.csr_matrix((ones, (parts.of_token, words)), shape=(len(parts), size))


def by_ranker(ranker: PlaceRanker) -> Rank:
    """Score places by a learned ranker."""

    def rank(case: Case) -> Floats:
        scores: Floats = ranker.scores_of(case.reader.kind, case.columns)[0]
        return scores

    return rank


def by_tokens(model: CRTM) -> Rank:
    """Score a place by its best token under a model in the paper's form."""

    def rank(case: Case) -> Floats:
        document, parts = case.reader.document, case.reader.parts
        tokens = model.score_tokens(document, [case.target])[:, 0]
        scores: Floats = np.maximum.reduceat(tokens, parts.first)
        return scores

    return rank


def place_among(scores: Floats, right: Bools) -> tuple[int, int]:
    """Return how many wrong places score higher than the best right one, and how many score the same."""
    best = scores[right].max()
    return int((scores[~right] > best).sum()), int((scores[~right] == best).sum())


def hits(places: Sequence[tuple[int, int]], n: int) -> float:
    """Return the expected share of cases with a right place among the first ``n``, ties broken at random."""
    return float(np.mean([min(1.0, max(0, n - above) / (1 + same)) for above, same in places]))


def reciprocal_rank(places: Sequence[tuple[int, int]]) -> float:
    """Return the expected mean reciprocal rank, ties broken at random."""
    means = [np.mean(1 / np.arange(above + 1, above + same + 2)) for above, same in places]
    return float(np.mean(means))


def evaluate_seed(
    corpus: Corpus, seed: int, *, systems: Sequence[str] = SYSTEMS, **options: Any
) -> dict[str, dict[str, Places]]:
    """Return where each of the systems puts the right places in every variant, on one split."""
    trial = make_trial(corpus, seed, validation=options.pop("validation", False))
    model = CRTM(seed=seed, **options).fit(trial.training)
    knowledge = PlaceKnowledge(model.fitted_, trial.training)
    links = drawn_links(trial.training)
    full, plain = learn_places(knowledge, links, model.scoring_params())
    ranks: dict[str, Rank] = {
        "crtm": by_ranker(full), "crtm_no_topics": by_ranker(plain), "bm25": bm25, "tfidf": tfidf, "string_match": string_match,
        "random": lambda case: np.zeros(len(case.right)),
    }  # fmt: skip
    for name in {"crtm_paper", "rtm"} & set(systems):
        ranks[name] = by_tokens(CRTM(seed=seed, **VARIANTS[name]).fit(trial.training))
    found: dict[str, dict[str, Places]] = {name: {} for name in systems}
    for variant, situation in VARIANT_OF.items():
        cases = [_case(trial, knowledge, links, situation, model) for links in trial.test]
        for name in systems:
            found[name][variant] = [
                place_among(ranks[name](case), case.right) for case in cases if case is not None
            ]
    return found


def _case(
    trial: Trial, knowledge: PlaceKnowledge, links: Links, situation: str, model: CRTM
) -> Case | None:
    names = trial.names.of_target[int(links.target[0])]
    page = trial.pages[int(links.source[0])]
    return masked_case(knowledge, page, links, names, situation, model.scoring_params())


def _measured(places: Sequence[tuple[int, int]]) -> dict[str, float]:
    if not places:
        return {"hits_at_1": 0.0, "hits_at_3": 0.0, "mrr": 0.0, "links": 0}
    return {"hits_at_1": hits(places, 1), "hits_at_3": hits(places, 3), "mrr": reciprocal_rank(places), "links": len(places)}  # fmt: skip


def evaluate_insertion(
    corpus: Corpus, seeds: int, on_seed: Callable[[int, Mapping[str, Any]], None] | None = None, **options: Any
) -> dict[str, Any]:  # fmt: skip
    """Return protocol D as JSON holds it: mean and standard deviation over seeds, and what topics add."""
    runs = []
    for seed in range(seeds):
        runs.append(evaluate_seed(corpus, seed, **options))
        if on_seed:
            on_seed(seed, measured(runs[-1]))
    return summary_of(runs)


def measured(run: Mapping[str, Mapping[str, Places]]) -> dict[str, dict[str, dict[str, float]]]:
    """Return hits@1, hits@3 and MRR of every system in every variant."""
    return {
        name: {variant: _measured(places) for variant, places in of.items()}
        for name, of in run.items()
    }


def summary_of(runs: Sequence[Mapping[str, Mapping[str, Places]]]) -> dict[str, Any]:
    """Return the figures of all splits together, of the systems that were measured on each."""
    figures, tables = ("hits_at_1", "hits_at_3", "mrr"), [measured(run) for run in runs]
    systems = {
        name: {
            variant: {figure: mean_and_std([one[name][variant][figure] for one in tables]) for figure in figures}
            for variant in VARIANT_OF
        }
        for name in tables[0] if all(name in one for one in tables)
    }  # fmt: skip
    gain = {variant: topics_gain(runs, variant) for variant in VARIANT_OF}
    return {"task": "insertion", "seeds": len(runs), "systems": systems, "topics_gain": gain}


def topics_gain(runs: Sequence[Mapping[str, Mapping[str, Places]]], variant: str) -> dict[str, Any]:
    """Return how much more hits@1 topics give, with a 95 % interval by drawing cases again, and the number of cases."""
    differences = [
        hits([full], 1) - hits([plain], 1)
        for run in runs
        for full, plain in zip(run["crtm"][variant], run["crtm_no_topics"][variant], strict=True)
    ]
    if not differences:
        return {"hits_at_1": 0.0, "interval": [0.0, 0.0], "cases": 0}
    values = np.array(differences)
    drawn = np.random.default_rng(0).integers(0, len(values), (REDRAWN, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), [0.025, 0.975])
    return {"hits_at_1": float(values.mean()), "interval": [float(low), float(high)], "cases": len(values)}  # fmt: skip
