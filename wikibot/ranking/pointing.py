"""Pages that CRTM points to, and the words it would put the link on, though no name stands there.

Few of them are links that an editor would make: the ranker learns how few, like for any other
candidate. Of the targets whose pages are alike by their words, CRTM's link prediction chooses, and
its anchor scores say where.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wikibot.ranking.candidates import (
    Candidates,
    standing_pairs,
    standing_words,
    with_unnamed,
)
from wikibot.ranking.knowledge import member
from wikibot.ranking.names import LONGEST, POINTED
from wikibot.ranking.topics import TopicReader
from wikibot.ranking.wiki import Bools, Longs, Wiki

_NEAR = 10  # pages alike that link prediction is asked about
_MOST = 2  # of these are candidates


def with_pointed(
    wiki: Wiki, topics: TopicReader, rows: Candidates, hidden: Bools, pages: Bools
) -> Candidates:
    """The candidates, and those that only CRTM sees."""
    taken = np.union1d(rows.code, standing_pairs(wiki, hidden))
    standing = standing_words(wiki, hidden)
    found = [
        (page, target, first, length)
        for page in np.flatnonzero(pages & (np.diff(wiki.offsets) > 0)).tolist()
        for target, first, length in _pointed(wiki, topics, page, taken, standing)
    ]
    return with_unnamed(wiki, rows, found, POINTED)


def _pointed(
    wiki: Wiki, topics: TopicReader, page: int, taken: Longs, standing: Bools
) -> Iterator[tuple[int, int, int]]:
    """(target, first word, number of words) of what one page may mean."""
    everywhere = np.arange(wiki.size)
    free = ~member(wiki.code(np.full(wiki.size, page), everywhere), taken)
    free &= ~wiki.is_disambiguation & (everywhere != page)
    alike = np.where(free, topics.likeness.vectors @ topics.likeness.vectors[page], -2)
    near = np.argsort(-alike, kind="stable")[: min(_NEAR, int(free.sum()))]
    for target, spans in topics.points_to(wiki, page, near, most=_MOST):
        for first, length in spans:
            if length <= LONGEST and not standing[first : first + length].any():
                yield target, first, length
                break
