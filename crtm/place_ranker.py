"""Learn from the training links where a link fits, with the anchor in place or masked.

A log-linear model over the columns of ``crtm.place_features``, p(place | page, target) ~ exp(weights . columns), one for each
situation: a name of the target stands on the page (``present``), none does (``absent``), or paragraphs are asked for and even the
sentence is gone (``paragraph``). The training links teach all three, with the anchor in place, masked, and without its sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from crtm.corpus import UNLINKED, Document, Links
from crtm.place_features import (
    AROUND_COLUMNS,
    COLUMNS,
    TOPIC_COLUMNS,
    PlaceKnowledge,
    PlaceReader,
    is_named,
)
from crtm.places import Bools, Name, without_mentions, without_sentence
from crtm.scoring import DocumentScorer, ScoringParams, fold_in
from crtm.vectors import Floats

MAX_PLACE_LINKS = 1500  # training links that each situation is learned from
PENALTY = 10.0  # of the squared weights, all columns at unit spread
FOLD_IN_STEPS = 5
UNUSED: Mapping[str, Sequence[str]] = {"paragraph": AROUND_COLUMNS}  # its neighbours mislead
SITUATIONS: Mapping[str, str] = {"present": "sentence", "absent": "sentence", "paragraph": "paragraph"}  # fmt: skip

Group = tuple[Floats, Bools]  # columns of the rows to choose from, and which of them are right
Mask = Callable[[Document, Bools, frozenset[Name]], Document]
MASKS: Mapping[str, Mask] = {
    "present": lambda document, anchor, names: document,
    "absent": without_mentions,
    "paragraph": without_sentence,
}


@dataclass(frozen=True)
class Case:
    """A page with a link hidden and masked: its reader, and which of its places are right."""

    reader: PlaceReader
    target: int
    right: Bools

    @cached_property
    def columns(self) -> Floats:
        """The columns of its places (1, places, COLUMNS)."""
        return self.reader.columns(np.array([self.target], dtype=np.int32))


@dataclass(frozen=True, slots=True)
class Weights:
    """A log-linear model of places: the score is ``columns . weights`` up to a constant of the page."""

    values: Floats

    def scores(self, columns: Floats) -> Floats:
        """Return the scores of places (..., COLUMNS)."""
        result: Floats = columns @ self.values
        return result


@dataclass(frozen=True, slots=True)
class PlaceRanker:
    """The weights of each situation."""

    knowledge: PlaceKnowledge
    params: ScoringParams
    weights: Mapping[str, Weights]

    def reader(self, document: Document, kind: str) -> PlaceReader:
        """Return a document as places of that kind."""
        return reader_of(self.knowledge, document, document, self.params, kind)

    def scores(self, reader: PlaceReader, targets: npt.NDArray[np.int32]) -> Floats:
        """Return (targets, places): a higher score means a better place for a link to the target."""
        return self.scores_of(reader.kind, reader.columns(targets))

    def scores_of(self, kind: str, columns: Floats) -> Floats:
        """Return the same from the columns (targets, places, COLUMNS) of sentences or paragraphs."""
        if kind == "paragraph":
            return self.weights["paragraph"].scores(columns)
        present, absent = (self.weights[name].scores(columns) for name in ("present", "absent"))
        return np.where(is_named(columns)[:, None], present, absent)


def reader_of(
    knowledge: PlaceKnowledge,
    document: Document,
    with_links: Document,
    params: ScoringParams,
    kind: str,
) -> PlaceReader:
    """Return the reader of a document; ``with_links`` has the same tokens and still carries the hidden links."""
    terms = tuple(term for term in params.terms if term != "topics") or ("own_words", "stems")
    gamma = fold_in(knowledge.fitted.topics, document.words, params, steps=FOLD_IN_STEPS)
    scorer = DocumentScorer(knowledge.fitted, with_links, gamma, replace(params, terms=terms))
    return PlaceReader(knowledge, document, scorer, kind)


def masked_case(
    knowledge: PlaceKnowledge,
    document: Document,
    links: Links,
    names: frozenset[Name],
    situation: str,
    params: ScoringParams,
) -> Case | None:
    """Return the case of a page whose ``links``, all to one target, are hidden and masked; ``None`` if their place is gone."""
    target, kind = int(links.target[0]), SITUATIONS[situation]
    anchor = np.zeros(len(document), dtype=bool)
    for start, end in zip(links.start, links.end, strict=True):
        anchor |= (document.starts < end) & (document.ends > start)
    numbered = document.sentences if kind == "sentence" else document.paragraphs
    right = np.unique(numbered[anchor])
    kept = MASKS[situation](document, anchor, names)
    left = kept.sentences if kind == "sentence" else kept.paragraphs
    if not np.isin(right, left).any() or len(np.unique(left)) < 2:
        return None
    bare = replace(kept, linked=np.where(kept.linked == target, UNLINKED, kept.linked))
    reader = reader_of(knowledge, bare, kept, params, kind)
    return Case(reader, target, np.isin(left[reader.parts.first], right))


def training_cases(
    knowledge: PlaceKnowledge, links: Links, situation: str, params: ScoringParams
) -> list[Group]:
    """Return columns and answers of the links' pages, masked for the situation; links of one page to one target are one case."""
    corpus, found = knowledge.corpus, []
    for source, target in links_by_pair(links):
        own = corpus.links[knowledge.links_between(source, target)]
        names = knowledge.names.of_target[target]
        case = masked_case(knowledge, corpus[source], own, names, situation, params)
        if case is not None:
            found.append((case.columns[0], case.right))
    return found


def links_by_pair(links: Links) -> list[tuple[int, int]]:
    """Return the distinct (source, target) pairs of the links, sorted."""
    pairs = sorted(zip(links.source.tolist(), links.target.tolist(), strict=True))
    return [pair for pair, _ in groupby(pairs)]


def fit_places(cases: Sequence[Group], without: Sequence[str] = ()) -> Weights:
    """Return the weights that make the right places most probable; the columns ``without`` get none."""
    if not cases:
        return Weights(np.zeros(len(COLUMNS)))
    return Weights(fit_groups(cases, [COLUMNS.index(name) for name in without]))


def fit_groups(groups: Sequence[Group], without: Sequence[int] = ()) -> Floats:
    """Return log-linear weights under which the right rows of each group are most probable; columns ``without`` get none."""
    columns = np.concatenate([own for own, _ in groups]).astype(np.float64)
    right = np.concatenate([own for _, own in groups])
    sizes = np.array([len(own) for _, own in groups])
    spread = columns.std(axis=0) + 1e-6
    spread[list(without)] = np.inf
    columns = (columns - columns.mean(axis=0)) / spread
    begins = np.cumsum(sizes) - sizes

    def loss(weights: Floats) -> tuple[float, Floats]:
        return place_loss(weights, columns, begins, right)

    start = np.zeros(columns.shape[1])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 200})
    weights: Floats = found.x / spread
    return weights


def place_loss(
    weights: Floats, columns: Floats, begins: npt.NDArray[np.int64], right: Bools
) -> tuple[float, Floats]:
    """Return the sum of -log p(a right place) plus the penalty, and the gradient."""
    sizes = np.diff(np.append(begins, len(columns)))
    scores = columns @ weights
    powers = np.exp(scores - np.repeat(np.maximum.reduceat(scores, begins), sizes))
    total = np.add.reduceat(powers, begins)
    good = np.maximum(np.add.reduceat(powers * right, begins), 1e-300)
    slope = powers / np.repeat(total, sizes) - powers * right / np.repeat(good, sizes)
    value = float(np.log(total / good).sum() + 0.5 * PENALTY * (weights**2).sum())
    return value, columns.T @ slope + PENALTY * weights


def learn_places(
    knowledge: PlaceKnowledge, links: Links, params: ScoringParams, said: Sequence[Group] = ()
) -> tuple[PlaceRanker, PlaceRanker]:
    """Return the ranker, and for comparison the same without topics, learned from the links.

    ``said`` are sentences that people judged where no name stands.
    """
    cases = cases_of_situations(knowledge, links, params)
    cases["absent"] += said
    full = {name: fit_places(found, UNUSED.get(name, ())) for name, found in cases.items()}
    plain = {
        name: fit_places(found, (*UNUSED.get(name, ()), *TOPIC_COLUMNS))
        for name, found in cases.items()
    }
    return PlaceRanker(knowledge, params, full), PlaceRanker(knowledge, params, plain)


def cases_of_situations(
    knowledge: PlaceKnowledge, links: Links, params: ScoringParams
) -> dict[str, list[Group]]:
    """Return what each situation is learned from; a page where a name still stands, masked or not, counts as ``present``."""
    few = links[:MAX_PLACE_LINKS]
    masked = {name: training_cases(knowledge, few, name, params) for name in SITUATIONS}
    unnamed = [case for case in masked["present"] if not is_named(case[0])]
    return {
        "present": [case for case in [*masked["present"], *masked["absent"]] if is_named(case[0])],
        "absent": [*masked["absent"], *unnamed],
        "paragraph": masked["paragraph"],
    }
