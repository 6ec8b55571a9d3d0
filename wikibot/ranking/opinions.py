"""First opinions on all candidates of a page, as features for a second look.

A target is judged better when the others are known: which target of the same words is likelier,
how many links the page seems to have, how sure the target's other mentions are.
"""

from __future__ import annotations

import numpy as np

from wikibot.ranking.surface import best_other
from wikibot.ranking.wiki import Floats, Longs

NAMES = (
    "first_opinion",
    "first_best",
    "first_sum",
    "first_rival",
    "first_lead",
    "first_page_sum",
    "first_page_mean",
    "first_page_rate",
)


def opinion_columns(
    page: Longs, code: Longs, span: Longs, page_words: Floats, opinion: Floats
) -> Floats:
    """(candidates, NAMES), from the first opinion on each candidate.

    `page`, `code` and `span` number the page, the (page, target) and the words of a candidate;
    `page_words` is the logarithm of the page's length.
    """
    codes, first, place = np.unique(code, return_index=True, return_inverse=True)
    best = np.zeros(len(codes))
    np.maximum.at(best, place, opinion)
    total = np.bincount(place, weights=opinion, minlength=len(codes))
    pages, of_page = np.unique(page, return_inverse=True)
    expected = np.bincount(of_page[first], weights=best, minlength=len(pages))[of_page]
    count = np.bincount(of_page[first], minlength=len(pages))[of_page]
    rival = best_other(span, opinion)
    columns = (
        opinion, best[place], total[place], rival, opinion - rival, expected - best[place],
        expected / np.maximum(count, 1), expected / np.maximum(page_words, 1),
    )  # fmt: skip
    return np.stack(columns, axis=1).astype(np.float32)
