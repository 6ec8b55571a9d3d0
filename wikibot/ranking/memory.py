"""What people made of mentions alike, beyond what the judges expected: a memory in CRTM's space.

The judges see one candidate at a time. Where editors link more, or less, than the judges thought, they
will do so again in the like case. Each known (page, target) is remembered with the judges' error on it,
taken from judges that had not seen the page; a candidate is told three mean errors:

- of like *matters*: targets alike, about as far down, on pages alike;
- of like *phrases*: the same word before or after, among words alike, on the pages most alike;
- of like *pages*, whatever the target: names apart from common nouns.

Pages, targets and words are alike by CRTM's vectors. Of a page itself nothing is remembered for it. How
far each of them is believed is learned from the wiki, with the calibration (`ranker`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wikibot.ranking.aptness import at_length_one
from wikibot.ranking.scenes import Scenes
from wikibot.ranking.wiki import Bools, Floats, Longs

KINDS = ("matters", "phrases", "pages")
FAINT = 0.01  # probabilities below teach nothing worth keeping, and nothing is recalled for them
_PAGE_POWER, _TARGET_POWER, _CONTEXT_POWER = 2, 2, 4  # of the cosine: how fast nearness fades
_SHRINK = 0.5  # doubts that must be near before their errors are believed by half
_NEAREST = 200  # pages that are asked


@dataclass(frozen=True, slots=True)
class Likeness:
    """A vector of length one for each page; the product of two tells how alike the pages are.

    `words` are CRTM's vectors of words, with one of zeros at the end.
    """

    titles: tuple[str, ...]
    vectors: Floats
    words: Floats

    @classmethod
    def of(cls, titles: tuple[str, ...], vectors: Floats, words: Floats) -> Likeness:
        """The vectors with what all pages share taken away, at length one."""
        plain = at_length_one(vectors)
        return cls(titles, at_length_one(plain - plain.mean(axis=0)), words)

    def between(self, pages: Longs, others: Longs) -> Floats:
        """How alike two columns of pages are, from -1 to 1."""
        return np.asarray(np.einsum("ij,ij->i", self.vectors[pages], self.vectors[others]))


@dataclass(frozen=True, slots=True)
class Memory:
    """Errors of the judges on (page, target), and how unsure they were; numbers are of `titles`."""

    titles: tuple[str, ...]
    page: Longs
    target: Longs
    error: Floats
    doubt: Floats
    scenes: Scenes

    @classmethod
    def learn(
        cls,
        likeness: Likeness,
        scenes: Scenes,
        page: Longs,
        target: Longs,
        is_linked: Bools,
        opinion: Floats,
    ) -> Memory:
        """What `opinion` was wrong about, for pairs that it was not learned from."""
        telling = opinion >= FAINT  # by the opinion alone: dropping by the outcome would lie
        chance = np.clip(opinion[telling], 0.001, 0.999).astype(np.float32)
        error, doubt = is_linked[telling] - chance, chance * (1 - chance)
        seen = scenes.chosen(telling)
        return cls(likeness.titles, page[telling], target[telling], error, doubt, seen)

    def recall(self, likeness: Likeness, scenes: Scenes, page: Longs, target: Longs) -> Floats:
        """(pairs, KINDS): the mean errors in like cases, for each (page, target) in its scene."""
        out = np.zeros((len(page), len(KINDS)), dtype=np.float32)
        known = _Known(self, likeness)
        contexts = known.directions(scenes)
        order = np.argsort(page, kind="stable")
        for part in np.split(order, np.flatnonzero(np.diff(page[order])) + 1) if len(page) else ():
            entries, alike = known.near(int(page[part[0]]))
            here = scenes.chosen(part)
            weights = (
                _like_matters(likeness, entries, alike, here, target[part]),
                _like_phrases(entries, here, contexts[part]),
                _same_case(entries, here) * alike**_PAGE_POWER,
            )
            for kind, weight in enumerate(weights):
                out[part, kind] = (weight @ entries.error) / (weight @ entries.doubt + _SHRINK)
        return out

    def to_dict(self) -> dict[str, Any]:
        """The memory as plain values."""
        return {
            "titles": list(self.titles),
            "page": self.page.tolist(),
            "target": self.target.tolist(),
            "error": np.round(self.error.astype(float), 4).tolist(),
            "doubt": np.round(self.doubt.astype(float), 4).tolist(),
            "scenes": self.scenes.to_dict(),
        }

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Memory:
        """The memory that was written."""
        page, target = (np.array(content[name], dtype=np.int64) for name in ("page", "target"))
        error, doubt = (np.array(content[name], dtype=np.float32) for name in ("error", "doubt"))
        scenes = Scenes.from_dict(content["scenes"])
        return cls(tuple(content["titles"]), page, target, error, doubt, scenes)


@dataclass(frozen=True, slots=True)
class _Entries:
    """Some of what is remembered, by the numbers that pages have now."""

    target: Longs
    error: Floats
    doubt: Floats
    scenes: Scenes
    contexts: Floats  # directions

    def chosen(self, which: Longs) -> _Entries:
        return _Entries(
            self.target[which], self.error[which], self.doubt[which],
            self.scenes.chosen(which), self.contexts[which],
        )  # fmt: skip


class _Known:
    """What is remembered of pages that are there now, page by page."""

    def __init__(self, memory: Memory, likeness: Likeness) -> None:
        number = {title: index for index, title in enumerate(likeness.titles)}
        now = np.array([number.get(title, -1) for title in memory.titles], dtype=np.int64)
        page, target = now[memory.page], now[memory.target]
        kept = np.flatnonzero((page >= 0) & (target >= 0))
        kept = kept[np.argsort(page[kept], kind="stable")]
        scenes = memory.scenes.chosen(kept)
        contexts = scenes.contexts(likeness.words)
        self.likeness = likeness
        self.shared = contexts.mean(axis=0) if len(kept) else np.zeros(1, dtype=np.float32)
        self.entries = _Entries(
            target[kept], memory.error[kept], memory.doubt[kept],
            replace(scenes, around=scenes.around[:, :0]),  # the contexts say it now
            at_length_one(contexts - self.shared),
        )  # fmt: skip
        self.pages, self.count = np.unique(page[kept], return_counts=True)
        self.first = np.cumsum(self.count) - self.count

    def directions(self, scenes: Scenes) -> Floats:
        """The contexts of other scenes, less what those here have in common."""
        return at_length_one(scenes.contexts(self.likeness.words) - self.shared)

    def near(self, page: int) -> tuple[_Entries, Floats]:
        """What is remembered of the pages most alike, the page itself left out, and how alike they are."""
        vectors = self.likeness.vectors
        alike = np.where(self.pages == page, -1, vectors[self.pages] @ vectors[page])
        best = np.argsort(-alike, kind="stable")[:_NEAREST]
        best = best[alike[best] > 0]
        count = self.count[best]
        begins = self.first[best] - (np.cumsum(count) - count)
        kept = np.repeat(begins, count) + np.arange(count.sum())
        return self.entries.chosen(kept), np.repeat(alike[best], count).astype(np.float32)


def _like_matters(
    likeness: Likeness, entries: _Entries, alike: Floats, scenes: Scenes, target: Longs
) -> Floats:
    """(pairs, entries): targets alike, about as far down, on pages alike."""
    targets = likeness.vectors[target] @ likeness.vectors[entries.target].T
    apart = np.abs(scenes.place[:, None] - entries.scenes.place)
    weight = np.maximum(targets, 0) ** _TARGET_POWER * np.exp(-apart) * alike**_PAGE_POWER
    return np.asarray(weight)


def _like_phrases(entries: _Entries, scenes: Scenes, contexts: Floats) -> Floats:
    """(pairs, entries): the same word before or after, in the same case, among words alike."""
    same = (scenes.before[:, None] == entries.scenes.before).astype(np.float32)
    same += scenes.after[:, None] == entries.scenes.after
    same *= _same_case(entries, scenes)
    return np.asarray(same * np.maximum(contexts @ entries.contexts.T, 0) ** _CONTEXT_POWER)


def _same_case(entries: _Entries, scenes: Scenes) -> Bools:
    return np.asarray(scenes.is_upper[:, None] == entries.scenes.is_upper)
