"""The ranker's features: one row per candidate, one module per kind of evidence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wikibot.linker.candidates import Candidates, find_candidates
from wikibot.linker.counts import PageCounts
from wikibot.linker.features import local, names, relatedness, shape
from wikibot.linker.features import topics as vectors
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.names import Mentions
from wikibot.linker.page import Bools, Floats, Longs, Page
from wikibot.linker.topics import PageTopics

_COMPARED = ("coherence", "text_similarity", "linked_together")


@dataclass(frozen=True, slots=True)
class Features:
    """A matrix (candidates, features) with the names of its columns."""

    names: tuple[str, ...]
    values: Floats

    def __getitem__(self, name: str) -> Floats:
        """One feature of every candidate."""
        return self.values[:, self.names.index(name)]

    def where(self, which: Bools | Longs) -> Features:
        """Only these candidates."""
        return Features(self.names, self.values[which])


NOTHING = Features((), np.zeros((0, 0), dtype=np.float32))


def describe(
    page: Page,
    number: int,
    knowledge: Knowledge,
    mentions: Mentions,
    own: PageCounts | None,
    topics: PageTopics | None = None,
    scope: str = "page",
) -> tuple[Candidates, Features]:
    """The candidates of a page with their features; `topics` are what CRTM says of the page.

    `number` is the page's own, -1 for a draft; `own` is what the page itself taught, None where it
    is not part of what is known.
    """
    rows = find_candidates(page, number, knowledge, mentions, own, scope)
    if not len(rows):
        return rows, NOTHING
    columns = names.columns(page, rows, knowledge, own)
    columns |= shape.columns(page, rows, knowledge, own)
    columns |= shape.longer_names(page, rows, mentions)
    columns |= shape.state_columns(page, rows, knowledge)
    columns |= local.columns(page, rows, knowledge, own, topics)
    columns |= relatedness.columns(page, number, rows, knowledge, own)
    columns |= relatedness.coherence_columns(page, rows, knowledge, own)
    if topics is not None:
        columns |= vectors.columns(page, number, rows, knowledge, topics)
    columns |= {f"{name}_behind": _behind(rows.span, columns[name]) for name in _COMPARED}
    values = np.empty((len(rows), len(columns)), dtype=np.float32)
    for index, column in enumerate(columns.values()):
        values[:, index] = column
    return rows, Features(tuple(columns), values)


def _behind(span: Longs, value: np.ndarray) -> Floats:
    """How far a target falls behind the best one that the same words may mean."""
    best = np.full(int(span.max(initial=-1)) + 1, -np.inf, dtype=np.float32)
    np.maximum.at(best, span, value)
    return np.asarray(value - best[span], dtype=np.float32)
