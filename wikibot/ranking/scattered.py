"""Titles whose words stand in one sentence, but not side by side.

"It borders on the Aglyuna, Preili and Rēzne districts" speaks of three districts and names none as its
title does; an index has "Rancāne, Anna". A word counts in any of its forms: what it begins with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from wikibot.ranking.candidates import (
    Candidates,
    standing_pairs,
    standing_words,
    with_unnamed,
)
from wikibot.ranking.names import LONGEST, SCATTERED, without_brackets, words_of
from wikibot.ranking.wiki import Bools, Wiki

_LETTERS = 5  # that forms of a word share

Stems = frozenset[str]


def _stem(word: str) -> str:
    return word[:_LETTERS]


class ScatteredTitles:
    """The titles of several words, to be found in the sentences of a wiki."""

    def __init__(self, wiki: Wiki) -> None:
        self.wiki = wiki
        self.stem = tuple(_stem(word) for word in wiki.vocabulary)

    @cached_property
    def rarity(self) -> dict[str, int]:
        """On how many pages each stem stands."""
        number = {stem: index for index, stem in enumerate(dict.fromkeys(self.stem))}
        stems = np.array([number[stem] for stem in self.stem], dtype=np.int64)
        pairs = np.unique(self.wiki.page * max(1, len(number)) + stems[self.wiki.word])
        counts = np.bincount(pairs % max(1, len(number)), minlength=len(number)).tolist()
        return dict(zip(number, counts, strict=True))

    @cached_property
    def by_rarest(self) -> dict[str, list[tuple[int, Stems]]]:
        """Titles of several words by their rarest stem."""
        found: dict[str, list[tuple[int, Stems]]] = defaultdict(list)
        for target in np.flatnonzero(~self.wiki.is_disambiguation).tolist():
            title = self.wiki.titles[target]
            stems = frozenset(_stem(word) for word in words_of(without_brackets(title)))
            if 1 < len(stems) <= LONGEST and stems <= self.rarity.keys():
                rarest = min(stems, key=lambda stem: (self.rarity[stem], stem))
                found[rarest].append((target, stems))
        return found

    def on(self, page: int, free: Bools) -> Iterator[tuple[int, int, int]]:
        """(target, first word, number of words): around the rarest of a title's words, outside links.

        `free` tells which words of the wiki carry no link.
        """
        begin, end = self.wiki.offsets[page : page + 2].tolist()
        stems = [self.stem[word] for word in self.wiki.word[begin:end].tolist()]
        places: dict[str, list[int]] = defaultdict(list)
        for place, stem in enumerate(stems, begin):
            places[stem].append(place)
        for rarest in places.keys() & self.by_rarest.keys():
            for target, title in self.by_rarest[rarest]:
                if title <= places.keys():
                    span = self._span(places, title, rarest, free)
                    if span is not None:
                        yield (target, *span)

    def _span(
        self, places: dict[str, list[int]], title: Stems, rarest: str, free: Bools
    ) -> tuple[int, int] | None:
        """The words of the title side by side with the rarest, in the first sentence that has all."""
        sentence = self.wiki.sentence
        shared = set.intersection(*({int(sentence[p]) for p in places[stem]} for stem in title))
        words = {place for stem in title for place in places[stem]}
        for place in places[rarest]:
            if int(sentence[place]) in shared and free[place]:
                first, last = place, place
                while first - 1 in words and free[first - 1]:
                    first -= 1
                while last + 1 in words and free[last + 1]:
                    last += 1
                return first, last - first + 1
        return None


def with_scattered(
    wiki: Wiki, titles: ScatteredTitles, rows: Candidates, hidden: Bools, pages: Bools
) -> Candidates:
    """The candidates, and the scattered titles on the `pages` that are no candidates yet."""
    taken = set(np.union1d(rows.code, standing_pairs(wiki, hidden)).tolist())
    free = ~standing_words(wiki, hidden)
    found = [
        (page, target, first, length)
        for page in np.flatnonzero(pages).tolist()
        for target, first, length in titles.on(page, free)
        if page != target and page * wiki.size + target not in taken and length <= LONGEST
    ]
    return with_unnamed(wiki, rows, found, SCATTERED)
