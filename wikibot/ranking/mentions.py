"""Where names are mentioned in the prose of all pages, found in one sweep."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wikibot.ranking.names import LONGEST, MULTIPLIER, Names
from wikibot.ranking.prose import BLOCK
from wikibot.ranking.wiki import Longs, Wiki

_LOW_BITS = np.uint64(2**22 - 1)  # of a hash; to look these up first spares most of the searching


@dataclass(frozen=True, slots=True)
class Mentions:
    """words[first:first + length] of the wiki are the name `name`, in the order of places."""

    first: Longs
    length: Longs
    name: Longs

    def __len__(self) -> int:
        return len(self.first)


def find_mentions(wiki: Wiki, names: Names) -> Mentions:
    """Every run of words that is a name, inside one block of prose; overlapping ones as well."""
    found: list[tuple[Longs, int, Longs]] = []
    total = len(wiki.word)
    numbers = wiki.word.astype(np.uint64) + np.uint64(1)
    joined = np.ones(total, dtype=bool)
    key = numbers
    present = set(np.unique(names.length).tolist())
    may_be = np.zeros(int(_LOW_BITS) + 1, dtype=bool)
    may_be[names.keys & _LOW_BITS] = True
    with np.errstate(over="ignore"):
        for length in range(1, min(LONGEST, total) + 1):
            left = total - length + 1
            if length > 1:
                key = key[:left] * MULTIPLIER + numbers[length - 1 :]
                joined = joined[:left] & (wiki.gap[length - 1 :] != BLOCK)
            if length in present:
                hashed = key * np.uint64(31) + np.uint64(length)
                places = np.flatnonzero(joined & may_be[hashed & _LOW_BITS])
                hashed = hashed[places]
                at = np.minimum(np.searchsorted(names.keys, hashed), len(names.keys) - 1)
                hit = names.keys[at] == hashed
                found.append((places[hit], length, names.order[at[hit]]))
    return _in_order(found)


def _in_order(found: list[tuple[Longs, int, Longs]]) -> Mentions:
    if not found:
        none = np.zeros(0, dtype=np.int64)
        return Mentions(none, none, none)
    first = np.concatenate([places for places, _, _ in found])
    length = np.concatenate([np.full(len(p), n, dtype=np.int64) for p, n, _ in found])
    name = np.concatenate([names for _, _, names in found])
    order = np.lexsort((length, first))
    return Mentions(first[order], length[order], name[order])
