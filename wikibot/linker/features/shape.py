"""Capitals, neighbours, italics, quotation marks and the place on the page: what the eye sees."""

from __future__ import annotations

import numpy as np

from wikibot.linker.candidates import Candidates
from wikibot.linker.counts import PageCounts
from wikibot.linker.features.names import Columns, _times
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.names import Mentions
from wikibot.linker.page import (
    AFTER_QUOTE,
    ALL_CAPS,
    BLOCK,
    BOLD,
    DIGIT,
    IN_BRACKETS,
    LETTER,
    LISTED,
    NUMBERED,
    PREFORMATTED,
    PUNCTUATION,
    SENTENCE,
    UPPER,
    Ints,
    Longs,
    Page,
)


def columns(page: Page, rows: Candidates, knowledge: Knowledge, own: PageCounts | None) -> Columns:
    """Everything that the letters and marks around a mention show."""
    flags, gap = page.column("flags"), page.column("gap")
    first, last = rows.first, rows.first + rows.length
    is_upper = (flags & UPPER) > 0
    upper = np.concatenate([[0], np.cumsum(is_upper)])
    capitals = upper[last] - upper[first]
    before, after = np.maximum(first - 1, 0), np.minimum(last, len(page) - 1)
    joins_before = gap[first] != BLOCK
    joins_after = (gap[after] != BLOCK) & (last < len(page))
    texts = knowledge.texts
    return {
        "starts_upper": is_upper[first],
        "capitals": capitals,
        "is_lower": capitals == 0,
        "all_caps": (flags[first] & ALL_CAPS) > 0,
        "has_digit": (flags[first] & DIGIT) > 0,
        "has_letters": (flags[first] & LETTER) > 0,
        "title_capitals": texts.title_capitals[rows.target],
        "title_words": texts.title_words[rows.target],
        "title_digits": texts.title_digits[rows.target],
        "starts_sentence": gap[first] >= SENTENCE,
        "upper_before": np.where(joins_before, is_upper[before] + 2 * (gap[first] == 0), -1),
        "upper_after": np.where(joins_after, is_upper[after] + 2 * (gap[after] == 0), -1),
        "gap_before": gap[first],
        "gap_after": np.where(joins_after, gap[after], BLOCK),
        "italic_around": words_around(page.column("italic"), rows),
        "quote_around": np.minimum(words_around(page.column("quote"), rows), 50),
        "is_bold": (flags[first] & BOLD) > 0,
        "is_listed": (flags[first] & LISTED) > 0,
        "is_preformatted": (flags[first] & PREFORMATTED) > 0,
        "in_brackets": (flags[first] & IN_BRACKETS) > 0,
        "brackets_after": ((flags[after] & IN_BRACKETS) > 0) & (last < len(page)),
        "number_after": ((flags[after] & (DIGIT | NUMBERED)) > 0) & joins_after,
        "number_before": ((flags[before] & DIGIT) > 0) & joins_before,
        "after_quote": (flags[first] & AFTER_QUOTE) > 0,
        **_target_style(rows, knowledge, own),
        **_place(page, rows),
    }  # fmt: skip


def words_around(run: Ints, rows: Candidates) -> Longs:
    """How many words the run around a mention has beside it; -1 outside any run."""
    size = np.bincount(run)
    here = run[rows.first]
    return np.where(here > 0, size[here] - rows.length, -1)


def _target_style(rows: Candidates, knowledge: Knowledge, own: PageCounts | None) -> Columns:
    """How links to the target are written on other pages: capitals and italics."""
    counts = knowledge.counts
    upper, inside = counts.upper_links[rows.target], counts.inside_links[rows.target]
    italic, links = counts.italic_links[rows.target], counts.all_links[rows.target]
    if own is not None:
        upper, inside = upper - _times(rows.target, own.upper), inside - _times(rows.target, own.inside)  # fmt: skip
        italic, links = italic - _times(rows.target, own.italic), links - _times(rows.target, own.links)  # fmt: skip
    return {
        "target_upper": (upper + 0.5) / (inside + 1.0),
        "target_italic": (italic + 0.1) / (links + 1.0),
    }


def _place(page: Page, rows: Candidates) -> Columns:
    """Where on the page the mention stands."""
    first, words = rows.first, max(1, len(page))
    new = np.flatnonzero(
        (np.diff(page.column("paragraph"), prepend=-1) != 0) | (page.column("gap") == BLOCK)
    )
    in_paragraph = first - new[np.searchsorted(new, first, side="right") - 1] if len(new) else first
    return {
        "place": first / words,
        "words_before": np.log1p(first),
        "page_words": np.full(len(rows), np.log1p(len(page))),
        "section": np.minimum(page.column("section")[first], 20),
        "in_paragraph": np.minimum(in_paragraph, 100),
        "mention": rows.rank,
        "mentions_here": np.log1p(rows.count),
    }


def longer_names(page: Page, rows: Candidates, mentions: Mentions) -> Columns:
    """Whether a longer name, or one that is linked more often, covers the mention's first word.

    Longer is any name on the page, also one of a page that is linked already, and of the page itself.
    """
    share = rows.share
    longest = _greatest(page, mentions.first, mentions.length, mentions.length)
    best = _greatest(page, rows.first, rows.length, share)
    return {
        "longer_by": longest[rows.first] - rows.length,
        "longer_at_end": longest[rows.first + rows.length - 1] - rows.length,
        "best_share_here": best[rows.first],
        "share_behind_best": best[rows.first] - share,
    }


def _greatest(page: Page, first: Longs, length: Longs, value: np.ndarray) -> np.ndarray:
    """For each word of the page the greatest value of the runs that cover it, 0 where none does."""
    found = np.zeros(len(page) + 1, dtype=value.dtype)
    for offset in range(int(length.max(initial=0))):
        covers = length > offset
        np.maximum.at(found, first[covers] + offset, value[covers])
    return found


def state_columns(page: Page, rows: Candidates, knowledge: Knowledge) -> Columns:
    """Which links stand around the mention, and how many and what kind the page has."""
    covered, gap = page.covered(), page.column("gap")
    first, last = rows.first, rows.first + rows.length
    sums = np.concatenate([[0], np.cumsum(covered)])
    after = np.minimum(last, len(page) - 1)
    near = sums[np.minimum(last + 30, len(page))] - sums[np.maximum(first - 30, 0)]
    inside = np.array([title in knowledge.titles.number for title in page.links.target], dtype=bool)
    has_words = page.links.last > page.links.first
    upper = (page.column("flags")[page.links.first[has_words]] & UPPER) > 0
    count, own = len(page.links), int(inside.sum())
    words = max(1, len(page))

    def same(value: float) -> np.ndarray:
        return np.full(len(rows), value, dtype=np.float32)

    return {
        "link_before": covered[np.maximum(first - 1, 0)] & (gap[first] < PUNCTUATION),
        "link_after": covered[after] & (gap[after] < PUNCTUATION) & (last < len(page)),
        "links_near": near,
        "links_here": same(np.log1p(count)),
        "link_density": same(count / words),
        "own_links_here": same(np.log1p(own)),
        "own_link_density": same(own / words),
        "lower_links": same((int((~upper).sum()) + 0.5) / (int(has_words.sum()) + 1)),
    }
