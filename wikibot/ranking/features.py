"""The ranker's features: one row for each candidate."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from wikibot.ranking.candidates import Candidates
from wikibot.ranking.customs import customs_column
from wikibot.ranking.knowledge import Knowledge
from wikibot.ranking.memory import Likeness
from wikibot.ranking.names import Names
from wikibot.ranking.relations import company_columns, relation_columns
from wikibot.ranking.scenes import Scenes
from wikibot.ranking.surface import (
    Columns,
    chapter_columns,
    letter_columns,
    name_columns,
    place_columns,
    spans_of,
    standing_columns,
)
from wikibot.ranking.topics import TopicReader
from wikibot.ranking.wiki import Bools, Floats, Longs, Wiki

CRTM = "crtm_"  # what the names of CRTM's features begin with
_COMPARED = ("company", "text_similarity", "linked_together")


@dataclass(frozen=True, slots=True)
class Features:
    """A matrix (candidates, features) with the names of its columns.

    `likeness` is CRTM's of the pages, where there is a CRTM, and `scenes` where candidates stand.
    """

    names: tuple[str, ...]
    values: Floats
    likeness: Likeness | None = None
    scenes: Scenes | None = None

    def column(self, name: str) -> Floats:
        """One feature of every candidate."""
        return self.values[:, self.names.index(name)]

    def chosen(self, which: Bools | Longs) -> Features:
        """Only these candidates."""
        scenes = self.scenes.chosen(which) if self.scenes is not None else None
        return Features(self.names, self.values[which], self.likeness, scenes)


def describe(
    wiki: Wiki,
    names: Names,
    knowledge: Knowledge,
    rows: Candidates,
    hidden: Bools,
    topics: TopicReader | None,
) -> Features:
    """All features of the candidates; links that are `hidden` tell nothing."""
    columns = name_columns(wiki, names, knowledge, rows)
    columns |= letter_columns(wiki, rows)
    columns |= place_columns(wiki, rows)
    columns |= chapter_columns(wiki, knowledge, rows)
    columns |= relation_columns(wiki, knowledge, rows)
    if topics is not None:
        said = topics.columns(wiki, names, knowledge, rows)
        columns |= {CRTM + name: value for name, value in said.items()}
    columns |= _behind(columns, rows)
    steady = Features(tuple(columns), _stacked(columns, len(rows)))
    if topics is not None:
        scenes = Scenes.of(wiki, topics.vectors.number, rows)
        steady = replace(steady, likeness=topics.likeness, scenes=scenes)
    return with_links_standing(wiki, knowledge, rows, hidden, steady, topics)


def with_links_standing(
    wiki: Wiki,
    knowledge: Knowledge,
    rows: Candidates,
    hidden: Bools,
    features: Features,
    topics: TopicReader | None,
) -> Features:
    """The features, with those that depend on which links stand on the page set anew."""
    columns = standing_columns(wiki, rows, hidden)
    if topics is not None:
        columns[CRTM + "customs"] = customs_column(
            wiki, knowledge.known, topics.vectors, rows, hidden
        )
    columns |= company_columns(wiki, knowledge, rows, hidden)
    columns |= _behind({"company": columns["company"]}, rows)
    steady = [i for i, name in enumerate(features.names) if name not in columns]
    values = np.concatenate([features.values[:, steady], _stacked(columns, len(rows))], axis=1)
    return replace(features, names=(*(features.names[i] for i in steady), *columns), values=values)


def _behind(columns: Columns, rows: Candidates) -> Columns:
    """How far a target falls behind the best one that the same words may mean."""
    spans = spans_of(rows)
    found = {}
    for name in columns:
        if name not in _COMPARED:
            continue
        value = np.nan_to_num(np.asarray(columns[name], dtype=np.float64), nan=-20)
        best = np.full(int(spans.max(initial=-1)) + 1, -np.inf)
        np.maximum.at(best, spans, value)
        found[f"{name}_behind"] = value - best[spans]
    return found


def _stacked(columns: Columns, size: int) -> Floats:
    values = np.empty((size, len(columns)), dtype=np.float32)
    for index, column in enumerate(columns.values()):
        values[:, index] = column
    return values
