"""What is proposed where a wiki has too few links to learn from: titles, and like pages.

Careful by design: the probabilities never pass `MOST`, and every reason says why.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from wikibot.linker.arrays import open_arrays, save_arrays
from wikibot.linker.calibration import expit
from wikibot.linker.candidates import Candidates
from wikibot.linker.features import Features
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.page import Longs, Page
from wikibot.linker.ranker import Ranked, Ranker, best_rows
from wikibot.linker.topics import PageTopics

MOST = 0.7

# Log-odds, set by hand: nothing here was learned, and nothing here pretends to be.
START = -3.0
WEIGHTS = {
    "is_title": 1.5,
    "is_stripped": 0.5,
    "is_redirect": 0.5,
    "is_similar": -1.5,
    "words": 0.4,
    "starts_upper": 0.5,
    "text_similarity": 4.0,
    "named_back": 0.5,
    "mention": -0.3,
    "longer_by": -1.0,
    "meanings": -0.3,
    "is_listed": -0.3,
}
TOPIC_WEIGHT = 2.0  # of the likeness of page and target by CRTM


class Fallback:
    """Ranks by rules of thumb, with low confidence."""

    is_fallback = True
    names: tuple[str, ...] = ()
    check = None  # nothing is learned from decisions either

    def rank(
        self,
        page: Page,
        number: int,
        rows: Candidates,
        features: Features,
        knowledge: Knowledge,
        topics: PageTopics | None,
    ) -> Ranked:
        """A cautious probability for every target, at its first mention."""
        odds = np.full(len(rows), START, dtype=np.float32)
        for name, weight in WEIGHTS.items():
            odds += weight * features[name]
        if topics is not None:
            odds += TOPIC_WEIGHT * (knowledge.texts.vectors[rows.target] @ topics.vector)
        best = odds[best_rows(rows.group, odds)]
        chance = np.minimum(expit(best), MOST).astype(np.float32)
        return Ranked(expit(odds), -rows.rank.astype(np.float32), chance, chance)

    def renumbered(self, _: Longs) -> Fallback:
        """The same: nothing here depends on the numbers of pages."""
        return self

    def save(self, path: Path) -> str:
        """Write a note that there was nothing to learn."""
        return save_arrays(path, {"none": np.zeros(1)}, {"fallback": True})


def open_ranker(path: Path) -> Ranker | Fallback:
    """The ranker that was saved, or the fallback."""
    arrays, header = open_arrays(path)
    return Fallback() if header.get("fallback") else Ranker.of(arrays, header)
