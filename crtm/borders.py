"""How anchors begin, go on and end: counts over the links of a corpus, wherever they lead.

Nothing here tells to which document a link leads, so there is no dictionary from anchors to targets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crtm.tokenize import IN_LINK, LINK_BEGINS, TextWords
from crtm.vectors import Floats

Codes = npt.NDArray[np.uint64]
Longs = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
LONGEST_WORDS = 8  # of an anchor that is counted as a whole
MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers (keys, columns) by hash; the keys are sorted."""

    keys: Codes
    values: Floats

    @classmethod
    def of(cls, keys: Codes, values: Floats) -> Counts:
        """Add up the values of equal keys."""
        distinct, place = np.unique(keys, return_inverse=True)
        sums = [np.bincount(place, column, minlength=len(distinct)) for column in values.T]
        return cls(distinct, np.stack(sums, axis=1).astype(np.float32))

    def at(self, keys: Codes) -> Floats:
        """Return the numbers of the keys, 0 for those that were not seen."""
        out = np.zeros((*keys.shape, self.values.shape[1]), dtype=np.float32)
        if len(self.keys):
            place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
            found = self.keys[place] == keys
            out[found] = self.values[place[found]]
        return out


@dataclass(frozen=True, slots=True)
class Borders:
    """``words``: how often a word stands in links, begins and ends them; ``pairs``: how often two neighbours, at least one of them in
    a link, stand in the same one, and how often not; ``anchors``: how often a run of words is a link."""

    words: Counts
    pairs: Counts
    anchors: Counts

    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """Return what a model file holds of it."""
        named = {name: getattr(self, name) for name in self.__slots__}
        return {f"{name}.keys": counts.keys for name, counts in named.items()} | {
            f"{name}.values": counts.values for name, counts in named.items()
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[np.generic]]) -> Borders:
        """Undo ``arrays``."""
        return cls(
            *(Counts(arrays[f"{n}.keys"], arrays[f"{n}.values"]) for n in cls.__slots__)  # type: ignore[arg-type]
        )


def no_borders() -> Borders:
    """Return the counts of a corpus without links."""
    none = np.empty(0, dtype=np.uint64)
    return Borders(*(Counts(none, np.empty((0, width), dtype=np.float32)) for width in (3, 2, 1)))


def mixed(left: Codes, right: Codes) -> Codes:
    """Return the hash of what came before and one more word."""
    joined = (left ^ (left >> np.uint64(29))) * MIX + right
    result: Codes = joined ^ (joined >> np.uint64(32))
    return result


def count_borders(words: TextWords, document_begins: Longs) -> Borders:
    """Count the links of texts whose words follow each other; ``document_begins`` are the numbers of each text's first word."""
    codes = words.codes.astype(np.uint64)
    inside = (words.looks & IN_LINK) > 0
    begins = (words.looks & LINK_BEGINS) > 0
    follows = np.ones(len(codes), dtype=bool)
    follows[document_begins[document_begins < len(codes)]] = False
    joined = np.zeros(len(codes), dtype=bool)  # with the word before
    joined[1:] = inside[1:] & inside[:-1] & ~begins[1:]
    ends = inside & ~np.append(joined[1:], False)
    told = np.stack([inside, inside & begins, ends], axis=1)[inside]
    pair = np.flatnonzero(follows & (inside | np.concatenate([[False], inside[:-1]])))
    pair = pair[pair > 0]
    pairs = Counts.of(
        mixed(codes[pair - 1], codes[pair]), np.stack([joined[pair], ~joined[pair]], axis=1)
    )
    first = np.flatnonzero(inside & begins)
    last = np.flatnonzero(ends)
    size = last[np.searchsorted(last, first)] + 1 - first if len(first) else first
    short = size <= LONGEST_WORDS
    keys = run_keys(codes, first[short], size[short])
    return Borders(Counts.of(codes[inside], told), pairs, Counts.of(keys, np.ones((len(keys), 1))))


def run_keys(codes: Codes, first: Longs, sizes: Longs) -> Codes:
    """Return the hash of each run of words."""
    keys = np.zeros(len(first), dtype=np.uint64)
    for place in range(int(sizes.max(initial=0))):
        at = np.minimum(first + place, len(codes) - 1)
        keys = np.where(place < sizes, mixed(keys, codes[at]), keys)
    return keys
