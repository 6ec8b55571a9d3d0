"""What is learned for insertion: where in a document a link fits, and which documents should link to a target.

The links of the corpus teach both; people's decisions about earlier ideas teach them too, each as much as several links. The
weights are few numbers and are kept in a file beside the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from crtm import io
from crtm.errors import ModelFileError
from crtm.orphan_features import PAGE_COLUMNS, SENTENCE_COLUMNS
from crtm.orphans import CHANCE_COLUMNS, Decision, OrphanRanker, OrphanWeights, learn_orphans
from crtm.pipeline import drawn_links
from crtm.place_features import COLUMNS, PlaceKnowledge
from crtm.place_ranker import Group, PlaceRanker, Weights, learn_places, reader_of
from crtm.scoring import ScoringParams
from crtm.sources import SOURCE_COLUMNS, SourceRanker, learn_sources, source_columns
from crtm.vectors import Floats

DECISION_WEIGHT = 5  # links that a decision counts as


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody said about an idea: a link to ``target`` in the sentence of ``source`` that begins at code point ``start``.

    Where the source has changed since, ``start`` is not known, and only the pair is learned from.
    """

    source: str
    target: str
    start: int | None
    is_accepted: bool


_HEADER = {
    "columns": list(COLUMNS),
    "source_columns": list(SOURCE_COLUMNS),
    "orphan_columns": [*PAGE_COLUMNS, *SENTENCE_COLUMNS, *CHANCE_COLUMNS],
}


@dataclass(frozen=True, slots=True)
class InsertionWeights:
    """The weights of each situation's places, of sources, and of places for targets that nobody links to."""

    places: Mapping[str, Floats]
    sources: Floats
    orphans: OrphanWeights

    def save(self, path: str | Path) -> None:
        """Write the weights to a file; an existing file is replaced atomically."""
        arrays = {f"places.{name}": weights for name, weights in self.places.items()}
        arrays |= {f"orphans.{name}": weights for name, weights in asdict(self.orphans).items()}
        io.write_file(path, "insertion", _HEADER, {**arrays, "sources": self.sources})

    @classmethod
    def load(cls, path: str | Path) -> InsertionWeights:
        """Return the weights of a file; refuse those of other columns than this version has."""
        header, arrays = io.read_file(path, "insertion")
        if any(header.get(name) != columns for name, columns in _HEADER.items()):
            raise ModelFileError(f"{path} was learned by another version; learn it again.")
        places, orphans = (
            {name.partition(".")[2]: array for name, array in arrays.items() if kind in name}
            for kind in ("places.", "orphans.")
        )
        return cls(places, arrays["sources"], OrphanWeights(**orphans))

    def place_ranker(self, knowledge: PlaceKnowledge, params: ScoringParams) -> PlaceRanker:
        """Return the ranker of places with these weights."""
        weights = {name: Weights(values) for name, values in self.places.items()}
        return PlaceRanker(knowledge, params, weights)

    def source_ranker(self, knowledge: PlaceKnowledge) -> SourceRanker:
        """Return the ranker of sources with these weights."""
        return SourceRanker(knowledge, self.sources)

    def orphan_ranker(self, knowledge: PlaceKnowledge) -> OrphanRanker:
        """Return the ranker of places for targets that nobody links to, with these weights."""
        return OrphanRanker(knowledge.of_orphans, self.orphans)


def learn_insertion(
    knowledge: PlaceKnowledge, params: ScoringParams, seed: int, said: Sequence[Said] = ()
) -> InsertionWeights:
    """Return the weights learned from the corpus's links and from decisions; those about unknown documents are left out."""
    index = knowledge.corpus.index
    known = [one for one in said if one.source in index and one.target in index]
    with threadpool_limits(1, user_api="blas"):
        links = drawn_links(knowledge.corpus)
        places, _ = learn_places(knowledge, links, params, _place_groups(knowledge, params, known))
        sources = learn_sources(knowledge, seed, _source_groups(knowledge, known))
        decisions = [
            Decision(index[one.source], index[one.target], one.start, one.is_accepted)
            for one in known
        ]
        orphans = learn_orphans(knowledge, seed, decisions * DECISION_WEIGHT)
    return InsertionWeights(
        {name: weights.values for name, weights in places.weights.items()}, sources.weights, orphans
    )


def _place_groups(
    knowledge: PlaceKnowledge, params: ScoringParams, said: Sequence[Said]
) -> list[Group]:
    """Return the places of each decision's page; the accepted one is right, or all but the declined one are."""
    found: list[Group] = []
    index = knowledge.corpus.index
    for one in said:
        if one.start is None:
            continue
        document = knowledge.corpus[index[one.source]]
        reader = reader_of(knowledge, document, document, params, "sentence")
        token = int(np.searchsorted(document.ends, one.start, side="right"))
        if token >= len(document) or len(reader.parts) < 2:
            continue
        meant = np.arange(len(reader.parts)) == reader.parts.of_token[token]
        columns = reader.columns(np.array([index[one.target]], dtype=np.int32))[0]
        found.append((columns, meant if one.is_accepted else ~meant))
    return found * DECISION_WEIGHT


def _source_groups(knowledge: PlaceKnowledge, said: Sequence[Said]) -> list[Group]:
    """Return the documents of each decision's target; the accepted source is right, or all but the declined one are."""
    found: list[Group] = []
    index = knowledge.corpus.index
    for one in said:
        source, target = index[one.source], index[one.target]
        others = np.arange(len(knowledge.corpus)) != target
        meant = np.arange(len(knowledge.corpus)) == source
        right = meant if one.is_accepted else ~meant
        found.append((source_columns(knowledge, target)[others], right[others]))
    return found * DECISION_WEIGHT
