"""What stands around a mention and tells that it means another page, or is only part of a name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from wikibot.ranking.candidates import Candidates
from wikibot.ranking.mentions import Mentions, find_mentions
from wikibot.ranking.names import (
    ANCHOR,
    GIVEN,
    LONGEST,
    Names,
    name_table,
    without_brackets,
    words_of,
)
from wikibot.ranking.prose import IN_BRACKETS, SPACE
from wikibot.ranking.wiki import Bools, Longs, Wiki

if TYPE_CHECKING:
    from wikibot.ranking.lessons import Study

_SEEN = 2  # pages on which a link stands beside a word: fewer may be an accident
_RARE = 0.02  # share of pages below which a word is no word of the common language

Words = tuple[str, ...]


def linked_otherwise(wiki: Wiki, rows: Candidates, hidden: Bools) -> Bools:
    """Does the page link the same words, or another page of that name, already?"""
    taken = {
        (int(wiki.links.page[link]), words)
        for link in np.flatnonzero(~hidden).tolist()
        for words in _names_of_link(wiki, link)
    }
    return np.array([(int(rows.page[i]), _words(wiki, rows, i)) in taken for i in range(len(rows))])


def _names_of_link(wiki: Wiki, link: int) -> tuple[Words, Words]:
    """The words that a link shows, and the title it leads to, without brackets."""
    links = wiki.links
    shown = wiki.spelling[links.first[link] : links.last[link]]
    return tuple(word.lower() for word in shown), words_of(without_brackets(links.title[link]))


def _words(wiki: Wiki, rows: Candidates, index: int) -> Words:
    first = int(rows.first[index])
    shown = wiki.spelling[first : first + int(rows.length[index])]
    return tuple(word.lower() for word in shown)


def inside_longer(studied: Study, rows: Candidates) -> Bools:
    """Is the mention part of a longer name of another page, be it in the wiki or not?"""
    names = studied.names
    others = find_mentions(studied.wiki, _names_outside(studied.wiki))
    return _within(rows, _sure(studied), lambda name, to: _may_mean(names, name, to)) | _within(
        rows, others, lambda *_: False
    )


def _sure(studied: Study) -> Mentions:
    """Mentions of what is a name by itself, not a guessed form of one."""
    names, mentions = studied.names, studied.mentions
    sure = np.zeros(len(names), dtype=bool)
    np.logical_or.at(sure, names.name, (names.kind & (GIVEN | ANCHOR)) > 0)
    return mentions.chosen(sure[mentions.name])


def _names_outside(wiki: Wiki) -> Names:
    """What the links that lead out of the wiki are called."""
    leading_out = np.flatnonzero(wiki.links.target < 0).tolist()
    found = {(words, -1) for link in leading_out for words in _names_of_link(wiki, link)}
    kinds = dict.fromkeys((pair for pair in found if 1 < len(pair[0]) <= LONGEST), GIVEN)
    return name_table(wiki, kinds, dict.fromkeys(kinds, 0.0))


def _within(rows: Candidates, longer: Mentions, means: Callable[[int, int], bool]) -> Bools:
    """Which candidates lie in a longer mention that does not mean the candidate's target."""
    low = np.searchsorted(longer.first, rows.first - LONGEST)
    high = np.searchsorted(longer.first, rows.first, side="right")
    ends = longer.first + longer.length

    def is_within(i: int) -> bool:
        near = np.arange(low[i], high[i])
        holds = (longer.length[near] > rows.length[i]) & (
            ends[near] >= rows.first[i] + rows.length[i]
        )
        return any(not means(int(longer.name[j]), int(rows.target[i])) for j in near[holds])

    return np.array([is_within(i) for i in range(len(rows))], dtype=bool)


def _may_mean(names: Names, name: int, target: int) -> bool:
    return target in names.target[names.first[name] : names.first[name + 1]]


def named_in_brackets(studied: Study, rows: Candidates) -> Bools:
    """Do brackets right after the mention name another page: "Green Lantern (Alan Scott)"?"""
    wiki, sure = studied.wiki, _sure(studied)
    after = np.minimum(rows.first + rows.length, len(wiki.word) - 1)
    opened = (wiki.flags[after] & IN_BRACKETS) > 0
    low = np.searchsorted(sure.first, after)
    high = np.searchsorted(sure.first, after, side="right")

    def names_another(i: int) -> bool:
        named = [int(name) for name in sure.name[low[i] : high[i]]] if opened[i] else []
        target = int(rows.target[i])
        return bool(named) and not any(_may_mean(studied.names, name, target) for name in named)

    return np.array([names_another(i) for i in range(len(rows))], dtype=bool)


def in_compound(wiki: Wiki, rows: Candidates, hidden: Bools) -> Bools:
    """Does a rare word stand beside the mention that links are not seen to stand beside?

    "silicon controlled rectifier": no link begins after "controlled", so it may be part of a term.
    """
    standing = np.flatnonzero(~hidden)
    first, last = wiki.links.first[standing], wiki.links.last[standing]
    rare = _pages_with(wiki, np.arange(len(wiki.word))) <= max(1, _RARE * wiki.size)
    opens = _pages_with(wiki, first[wiki.gap[first] == SPACE] - 1) >= _SEEN
    ends = last[last < len(wiki.word)]
    closes = _pages_with(wiki, ends[wiki.gap[ends] == SPACE]) >= _SEEN
    after = np.minimum(rows.first + rows.length, len(wiki.word) - 1)
    before = np.maximum(rows.first - 1, 0)
    joins_before = (wiki.gap[rows.first] == SPACE) & (rare & ~opens)[wiki.word[before]]
    joins_after = (wiki.gap[after] == SPACE) & (rare & ~closes)[wiki.word[after]]
    joins_after &= ~wiki.is_upper[after]
    return np.asarray(joins_before | joins_after)


def _pages_with(wiki: Wiki, places: Longs) -> Longs:
    """Per word of the vocabulary: on how many pages it stands at these places."""
    size = len(wiki.vocabulary)
    found = np.unique(wiki.page[places] * size + wiki.word[places])
    return np.bincount(found % size, minlength=size)
