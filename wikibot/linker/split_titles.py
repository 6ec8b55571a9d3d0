"""Titles whose words stand in one sentence, but not side by side.

"It borders on the Aglyuna, Preili and Rēzne districts" speaks of three districts and names none as its
title does; an index has "Rancāne, Anna". A word counts in any of its forms: what it begins with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wikibot.linker.names import TITLE, Names, Titles, without_brackets, words_of
from wikibot.linker.page import Bools, Ints, Keys, Longs, Page, word_keys

STEM_LETTERS = 5  # that forms of a word share
SHORTEST_LETTERS = 2  # of a word: single letters, as of Japanese, stand in any sentence
MOST_STEMS = 7  # of a title
MOST_WORDS = 7  # side by side that are proposed


@dataclass(frozen=True, slots=True)
class SplitTitles:
    """Titles of several words, in the order of the stem that the fewest pages have.

    Title i has stems first[i]:first[i + 1]; `pair` is that of the title as a name.
    """

    rarest: Keys  # sorted
    target: Ints
    pair: Ints
    first: Longs
    stems: Keys

    @classmethod
    def of(
        cls,
        titles: Titles,
        names: Names,
        words: Mapping[str, int],
        is_disambiguation: Bools,
        language: str,
    ) -> SplitTitles:
        """Collect the titles; `words` are those of all pages with the number of pages that use them."""
        pages: Counter[str] = Counter()
        for word, count in words.items():
            pages[word[:STEM_LETTERS]] += count
        pair = _title_pairs(names, len(titles.titles))
        found = []
        for target, title in enumerate(titles.titles):
            stems = {w[:STEM_LETTERS] for w in words_of(without_brackets(title), language)}
            if not 1 < len(stems) <= MOST_STEMS or is_disambiguation[target] or pair[target] < 0:
                continue
            if all(stem in pages and len(stem) >= SHORTEST_LETTERS for stem in stems):
                ordered = sorted(stems, key=lambda stem: (pages[stem], stem))
                found.append((word_keys(ordered), target))
        found.sort(key=lambda one: (int(one[0][0]), one[1]))
        targets = np.array([target for _, target in found], dtype=np.int32)
        sizes = [len(keys) for keys, _ in found]
        return cls(
            np.array([keys[0] for keys, _ in found], dtype=np.uint64),
            targets,
            pair[targets].astype(np.int32),
            np.cumsum([0, *sizes]).astype(np.int64),
            np.concatenate([keys for keys, _ in found]) if found else np.zeros(0, dtype=np.uint64),
        )

    def on(self, page: Page, taken: Longs, free: Bools) -> Iterator[tuple[int, int, int, int]]:
        """(target, pair, first word, words) of titles whose words stand in one sentence of the page.

        The place is around the rarest of the words, which must be `free`, as must those beside it. No
        target that is `taken` (sorted).
        """
        if not len(self.rarest) or not len(page):
            return
        stems = word_keys([word[:STEM_LETTERS].lower() for word in page.spelled(0, len(page))])
        here = np.unique(stems)
        sentence = page.column("sentence")
        for row in self._complete(here, taken).tolist():
            wanted = self.stems[self.first[row] : self.first[row + 1]]
            span = _span(stems, wanted, sentence, free)
            if span is not None:
                yield int(self.target[row]), int(self.pair[row]), *span

    def _complete(self, here: Keys, taken: Longs) -> Longs:
        """The titles all of whose stems are `here` (sorted), of targets that are not `taken` (sorted)."""
        begin, end = (np.searchsorted(self.rarest, here, side=side) for side in ("left", "right"))
        rows = _runs(begin, end - begin)
        rows = rows[~np.isin(self.target[rows], taken)]
        if not len(rows):
            return rows
        count = self.first[rows + 1] - self.first[rows]
        is_here = np.isin(self.stems[_runs(self.first[rows], count)], here)
        return rows[np.logical_and.reduceat(is_here, np.cumsum(count) - count)]


def _runs(start: Longs, count: Longs) -> Longs:
    """The numbers start[i], start[i] + 1, ..., count[i] of them, for every i."""
    places = np.arange(int(count.sum()))
    return np.asarray(places + np.repeat(start - (np.cumsum(count) - count), count))


def _title_pairs(names: Names, size: int) -> Longs:
    """The pair of each page's title as its name, -1 where it has none."""
    found = np.full(size, -1, dtype=np.int64)
    pairs = np.flatnonzero(names.kind & TITLE)
    found[names.target[pairs]] = pairs
    return found


def _span(stems: Keys, wanted: Keys, sentence: Ints, free: Bools) -> tuple[int, int] | None:
    """The title's words side by side with the rarest, in the first sentence that has all of them."""
    places = [np.flatnonzero(stems == stem) for stem in wanted]
    shared: set[int] = set(sentence[places[0]].tolist())
    for at in places[1:]:
        shared &= set(sentence[at].tolist())
    shared.discard(-1)
    words = {place for at in places for place in at[free[at]].tolist()}
    for place in places[0].tolist():
        if int(sentence[place]) not in shared or place not in words:
            continue
        first, last = place, place
        while first - 1 in words and sentence[first - 1] == sentence[place]:
            first -= 1
        while last + 1 in words and sentence[last + 1] == sentence[place]:
            last += 1
        if last - first < MOST_WORDS:
            return first, last - first + 1
    return None


def unnamed(found: Sequence[tuple[int, int, int, int]]) -> Longs:
    """(target, pair, first, length) as four columns."""
    return np.asarray(np.array(found, dtype=np.int64).reshape(-1, 4).T)
