"""What is proposed where a wiki has too few links to learn from: titles, and like pages.

Careful by design: the probabilities never pass `MOST`, and every reason says why.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from wikibot.ranking.candidates import Candidates
from wikibot.ranking.features import Features
from wikibot.ranking.ranker import Ranked, best_rows

MOST = 0.7

# Log-odds, set by hand: nothing here was learned, and nothing here pretends to be.
_START = -3.0
_WEIGHTS = {
    "is_title": 1.5,
    "is_stripped": 0.5,
    "is_redirect": 0.5,
    "is_similar": -1.5,
    "is_pointed": -5.0,  # without links nobody can say whether they are made so
    "is_scattered": -5.0,
    "words": 0.4,
    "starts_upper": 0.5,
    "crtm_pages": 2.0,
    "text_similarity": 4.0,
    "named_back": 0.5,
    "mention": -0.3,
    "longer_by": -1.0,
    "meanings": -0.3,
}


class Fallback:
    """Ranks by rules of thumb, with low confidence."""

    names: tuple[str, ...] = ()

    def rank(self, rows: Candidates, features: Features) -> Ranked:
        """The first mention of every target on every page, with a cautious probability."""
        odds = np.full(len(rows), _START)
        for name, weight in _WEIGHTS.items():
            if name in features.names:
                odds += weight * np.nan_to_num(features.column(name))
        chosen = best_rows(rows.code, -rows.rank.astype(np.float32))
        best = odds[best_rows(rows.code, odds)]
        return Ranked(chosen, np.minimum(expit(best), MOST).astype(np.float32), expit(odds))

    def to_dict(self) -> dict[str, Any]:
        """A note that there was nothing to learn."""
        return {"fallback": True}
