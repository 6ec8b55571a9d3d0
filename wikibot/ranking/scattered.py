"""Titles whose words stand in one sentence, but not side by side.

"It borders on the Aglyuna, Preili and Rēzne districts" speaks of three districts and names none as its
title does; an index has "Rancāne, Anna". A word counts in any of its forms: what it begins with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Set
from functools import cached_property

import numpy as np

from wikibot.ranking.candidates import (
    Candidates,
    Place,
    standing_pairs,
    standing_words,
    with_unnamed,
)
from wikibot.ranking.names import LONGEST, SCATTERED, without_brackets, words_of
from wikibot.ranking.wiki import Bools, Longs, Wiki

_LETTERS = 5  # that forms of a word share
_NO_STEM = -1  # of a word that no page has

Stems = frozenset[int]


class ScatteredTitles:
    """The titles of several words, to be found in the sentences of a wiki."""

    def __init__(self, wiki: Wiki) -> None:
        self.wiki = wiki
        self.number: dict[str, int] = {}
        stems = [self.number.setdefault(_stem(w), len(self.number)) for w in wiki.vocabulary]
        self.stem = np.array(stems, dtype=np.int64)  # of each word of the vocabulary

    @cached_property
    def by_rarest(self) -> dict[int, list[tuple[int, Stems]]]:
        """The titles, each by the one of its stems that the fewest pages have."""
        size = max(1, len(self.number))
        pairs = np.unique(self.wiki.page * size + self.stem[self.wiki.word])
        pages = np.bincount(pairs % size, minlength=size)
        found: dict[int, list[tuple[int, Stems]]] = defaultdict(list)
        for target in np.flatnonzero(~self.wiki.is_disambiguation).tolist():
            words = words_of(without_brackets(self.wiki.titles[target]))
            stems = frozenset(self.number.get(_stem(word), _NO_STEM) for word in words)
            if 1 < len(stems) <= LONGEST and _NO_STEM not in stems:
                found[min(stems, key=lambda stem: (pages[stem], stem))].append((target, stems))
        return found

    def on(self, page: int, free: Bools, taken: Set[int]) -> Iterator[Place]:
        """The places on a page: around the rarest of a title's words, outside links.

        `free` tells which words of the wiki carry no link; of the codes `taken` none is looked for.
        """
        begin, end = self.wiki.offsets[page : page + 2].tolist()
        stems = self.stem[self.wiki.word[begin:end]]
        here = frozenset(np.unique(stems).tolist())
        for rarest in here & self.by_rarest.keys():
            for target, title in self.by_rarest[rarest]:
                if title <= here and page * self.wiki.size + target not in taken:
                    places = {stem: np.flatnonzero(stems == stem) + begin for stem in title}
                    span = self._span(places, rarest, free)
                    if span is not None and page != target and span[1] <= LONGEST:
                        yield (page, target, *span)

    def _span(self, places: dict[int, Longs], rarest: int, free: Bools) -> tuple[int, int] | None:
        """The words of the title side by side with the rarest, in the first sentence that has all."""
        sentence = self.wiki.sentence
        shared = set.intersection(*(set(sentence[at].tolist()) for at in places.values()))
        words = {place for at in places.values() for place in at[free[at]].tolist()}
        for place in places[rarest].tolist():
            if sentence[place] in shared and place in words:
                first, last = place, place
                while first - 1 in words:
                    first -= 1
                while last + 1 in words:
                    last += 1
                return first, last - first + 1
        return None


def _stem(word: str) -> str:
    return word[:_LETTERS]


def with_scattered(
    wiki: Wiki, titles: ScatteredTitles, rows: Candidates, hidden: Bools, pages: Bools
) -> Candidates:
    """The candidates, and the scattered titles on the `pages` that are no candidates yet."""
    taken = set(np.union1d(rows.code, standing_pairs(wiki, hidden)).tolist())
    free = ~standing_words(wiki, hidden)
    found = [
        place for page in np.flatnonzero(pages).tolist() for place in titles.on(page, free, taken)
    ]
    return with_unnamed(wiki, rows, found, SCATTERED)
