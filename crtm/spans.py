"""Anchors of one or several words: which run of a page's words should carry the link.

A log-linear model over the columns of ``crtm.span_features``, p(run | page, target) ~ exp(weights . columns), learned from the anchors
of the training links against the other runs of their pages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from crtm.borders import Bools, Borders, Longs, no_borders
from crtm.corpus import Corpus, Links, words_within
from crtm.scoring import DocumentScorer
from crtm.span_features import (
    COLUMNS,
    LEAD_WORDS,
    Candidates,
    RepeatedRuns,
    SpanFacts,
    SpanPage,
    SpanReader,
    lead_codes,
    span_facts,
)
from crtm.term_weights import Rows, fit_weights, pairs_by_source
from crtm.vectors import Floats

LONGEST_WORDS = 6
MAX_TRAINING_LINKS = 500  # that the weights are learned from
TRAINING_CORES = 12  # best words of a page whose runs compete with the anchor in training
MAX_CORES = 200  # best words of a page whose runs are ranked
PRIOR: Mapping[str, float] = {
    "best": 1.0, "all_capital": 0.5, "both_left": -1.0, "both_right": -1.0, "unknown_share": -1.0, "first_common": -1.0,
    "last_common": -1.0, "inner_marks": -1.0, "inner_phrases": 1.0, "phrase_left": -0.5, "phrase_right": -0.5, "run_in_lead": 0.5,
    "mentions_before": -0.3,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SpanModel:
    """What is known of anchors, and the weight of each column."""

    facts: SpanFacts
    weights: Floats

    def with_leads_of(self, corpus: Corpus) -> SpanModel:
        """Return the model for other documents; what it learned from anchors stays."""
        return replace(self, facts=SpanFacts(self.facts.borders, lead_codes(corpus)))

    def to_file(self) -> tuple[dict[str, float], dict[str, Floats]]:
        """Return the weights by column, and the arrays that a model file holds."""
        named = dict(zip(COLUMNS, self.weights.tolist(), strict=True))
        borders = {f"borders.{name}": array for name, array in self.facts.borders.arrays().items()}
        return named, {**borders, "leads": self.facts.leads}

    @classmethod
    def from_file(
        cls, weights: Mapping[str, float] | None, arrays: Mapping[str, Floats], documents: int
    ) -> SpanModel:
        """Undo ``to_file``; a file that was written before spans were learned gives the prior."""
        if weights is None:
            return unlearned(SpanFacts(no_borders(), np.zeros((documents, LEAD_WORDS), np.uint32)))
        own = {
            name.removeprefix("borders."): array
            for name, array in arrays.items()
            if name.startswith("borders.")
        }
        facts = SpanFacts(Borders.from_arrays(own), arrays["leads"])
        return cls(facts, np.array([weights.get(column, 0.0) for column in COLUMNS]))


def unlearned(facts: SpanFacts) -> SpanModel:
    """Return the model before it has seen an anchor."""
    return SpanModel(facts, np.array([PRIOR.get(column, 0.0) for column in COLUMNS]))


def best_spans(
    scorer: DocumentScorer, target: int, model: SpanModel, *, longest: int = LONGEST_WORDS
) -> list[tuple[int, int, float]]:
    """Return runs of words (start and end in code points, score) that do not overlap, the best first."""
    if not len(scorer.document):
        return []
    reader = reader_of(scorer, target, model.facts)
    runs = reader.page.candidates(reader.cores(MAX_CORES), longest)
    scores = reader.columns(runs) @ model.weights
    kept = _apart(runs, np.lexsort((runs.last, runs.first, -scores)), len(reader.page))
    words = reader.page.words
    starts, ends = words.starts[runs.first[kept]], words.ends[runs.last[kept] - 1]
    return list(zip(starts.tolist(), ends.tolist(), scores[kept].tolist(), strict=True))


def _apart(runs: Candidates, order: Longs, words: int) -> Longs:
    """Return the candidates in this order that share no word with one before."""
    taken, kept = np.zeros(words, dtype=bool), []
    for number in order.tolist():
        own = slice(int(runs.first[number]), int(runs.last[number]))
        if not taken[own].any():
            taken[own] = True
            kept.append(number)
    return np.array(kept, dtype=np.int64)


def reader_of(
    scorer: DocumentScorer,
    target: int,
    facts: SpanFacts,
    *,
    text: RepeatedRuns | None = None,
    leave_own_out: bool = False,
) -> SpanReader:
    """Return the reader of a page for a target; in training, its links to the target count towards nothing."""
    page = SpanPage(scorer.document, target)
    scores = scorer.scores(np.array([target], dtype=np.int32))[:, 0]
    own = page.own_borders() if leave_own_out else None
    text = text or RepeatedRuns(scorer.document)
    return SpanReader(page, facts, scorer.fitted.phrases, target, scores, text, own)


def learn_spans(
    corpus: Corpus, links: Links, scorer_of: Callable[[int], DocumentScorer]
) -> SpanModel:
    """Return the weights under which the anchors of the links are the most probable runs."""
    facts, groups = span_facts(corpus), []
    for pairs in pairs_by_source(links[:MAX_TRAINING_LINKS]):
        scorer = scorer_of(pairs[0][0])
        text = RepeatedRuns(scorer.document)
        for source, target in pairs:
            reader = reader_of(scorer, target, facts, text=text, leave_own_out=True)
            group = _group(reader, anchors_between(corpus, source, target))
            if group is not None:
                groups.append(group)
    return SpanModel(facts, _fitted(groups)) if groups else unlearned(facts)


def anchors_between(corpus: Corpus, source: int, target: int) -> set[tuple[int, int]]:
    """Return the anchors of a page's links to a target, as runs of its text's words."""
    links, words = corpus.links, corpus.words_of_text(source)
    own = slice(*np.searchsorted(links.source, [source, source + 1]).tolist())
    places = zip(links.start[own], links.end[own], links.target[own], strict=True)
    return {words_within(words, int(a), int(b)) for a, b, leads_to in places if leads_to == target}


def _group(reader: SpanReader, anchors: set[tuple[int, int]]) -> tuple[Floats, Bools] | None:
    """Return the columns of the runs that compete, and which are anchors; ``None`` if no anchor is among them."""
    inside = np.array([word for first, last in anchors for word in range(first, last)])
    known = inside[reader.page.token_of_word[inside] >= 0]
    cores = np.unique(np.concatenate([reader.cores(TRAINING_CORES), known]))
    runs = reader.page.candidates(cores, LONGEST_WORDS)
    pairs = zip(runs.first.tolist(), runs.last.tolist(), strict=True)
    right = np.array([pair in anchors for pair in pairs], dtype=bool)
    return (reader.columns(runs), right) if right.any() else None


def _fitted(groups: Sequence[tuple[Floats, Bools]]) -> Floats:
    sizes = np.array([len(right) for _, right in groups], dtype=np.int64)
    columns = np.concatenate([columns for columns, _ in groups])
    right = np.concatenate([right for _, right in groups])
    rows = Rows(columns, np.cumsum(sizes) - sizes, right, np.ones(len(right), dtype=np.float32))
    return fit_weights(rows, np.array([PRIOR.get(column, 0.0) for column in COLUMNS]))
