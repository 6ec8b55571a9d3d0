"""Where candidates stand, as far as it tells one mention from another: how far down, among which words."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from wikibot.ranking.candidates import Candidates
from wikibot.ranking.wiki import Bools, Floats, Longs, Wiki

_REACH = 5  # words on each side
_NO_WORD = -1


@dataclass(frozen=True, slots=True)
class Scenes:
    """Columns, one entry for each candidate."""

    place: Floats  # the logarithm of how many words of the page stand before it
    is_upper: Bools
    before: Longs  # a number for the word right before it, the same on every wiki
    after: Longs
    around: Longs  # (candidates, 2 * reach): CRTM's numbers of the words around it, or -1

    @classmethod
    def of(cls, wiki: Wiki, number: Longs, rows: Candidates) -> Scenes:
        """The scenes of candidates; `number` is CRTM's of each word of the wiki, or -1."""
        first, last = rows.first, rows.first + rows.length - 1
        start, end = wiki.offsets[rows.page], wiki.offsets[rows.page + 1]
        lasting = np.array([zlib.crc32(word.encode()) for word in wiki.vocabulary] or [0])
        steps = range(1, _REACH + 1)
        places = np.stack([*(first - step for step in steps), *(last + step for step in steps)])
        inside = (places >= start) & (places < end)
        places = np.clip(places, 0, max(0, len(number) - 1))
        around = np.where(inside, number[places], _NO_WORD)
        words = np.where(inside, lasting[wiki.word[places]], _NO_WORD)
        place = np.log1p(first - start).astype(np.float32)
        return cls(place, wiki.is_upper[first], words[0], words[_REACH], around.T)

    def chosen(self, which: Bools | Longs) -> Scenes:
        """Only these."""
        return Scenes(*(getattr(self, field.name)[which] for field in fields(self)))

    @classmethod
    def joined(cls, parts: Sequence[Scenes]) -> Scenes:
        """All of them, one part after the other."""
        names = (field.name for field in fields(cls))
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    def contexts(self, words: Floats) -> Floats:
        """The words around each candidate as one vector, nearer ones first of all.

        `words` are CRTM's vectors, with one of zeros at the end.
        """
        total = np.zeros((len(self.place), words.shape[1]), dtype=np.float32)
        for column, numbers in enumerate(self.around.T):
            total += words[numbers] / np.float32(column % _REACH + 1)
        return total

    def to_dict(self) -> dict[str, Any]:
        """The scenes as plain values."""
        plain = {field.name: getattr(self, field.name).tolist() for field in fields(self)}
        return {**plain, "place": np.round(self.place.astype(float), 4).tolist()}

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Scenes:
        """The scenes that were written."""
        before, after = (np.array(content[name], dtype=np.int64) for name in ("before", "after"))
        around = np.array(content["around"], dtype=np.int64).reshape(-1, 2 * _REACH)
        place, is_upper = np.array(content["place"], dtype=np.float32), content["is_upper"]
        return cls(place, np.array(is_upper, dtype=bool), before, after, around)
