"""Candidates: places where a page mentions another by a name and does not link it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from wikibot.ranking.knowledge import Knowledge, expand, member
from wikibot.ranking.mentions import Mentions
from wikibot.ranking.names import GIVEN, INFLECTED, REDIRECT, SIMILAR, TITLE, Names
from wikibot.ranking.wiki import Bools, Longs, Wiki

MENTIONS_PER_TARGET = 6  # the first ones on a page; editors seldom link a later one
NO_NAME = -1  # the last of the names, which is none

Place = tuple[int, int, int, int]  # page, target, first word, number of words


@dataclass(frozen=True, slots=True)
class Candidates:
    """Columns, in the order of pages, targets and places; counts leave the page itself out."""

    page: Longs
    target: Longs
    name: Longs
    pair: Longs
    first: Longs  # words[first:first + length] of the wiki
    length: Longs
    kind: Longs
    pair_links: Longs  # pages that link the name to the target
    links: Longs  # pages that link the name
    mentions: Longs  # pages that mention the name
    rank: Longs  # the how many-eth mention of the target on the page
    count: Longs  # mentions of the target on the page
    code: Longs  # (page, target)

    def __len__(self) -> int:
        return len(self.page)

    def chosen(self, which: Bools | Longs) -> Candidates:
        """Only these rows."""
        return Candidates(*(getattr(self, field.name)[which] for field in fields(self)))


def find_candidates(
    wiki: Wiki,
    names: Names,
    mentions: Mentions,
    knowledge: Knowledge,
    *,
    hidden: Bools,
    pages: Bools,
) -> Candidates:
    """Every place on the `pages` where a link might stand.

    Links that are `hidden` count as text. No place inside another link, no link of a page to
    itself, no target that the page (or the section, by the wiki's scope) links already.
    """
    mention, pair = expand(mentions, names)
    free = is_free(wiki, mentions, hidden) & pages[wiki.page[mentions.first]]
    keep = free[mention]
    mention, pair = mention[keep], pair[keep]
    page, target = wiki.page[mentions.first[mention]], names.target[pair]
    code = wiki.code(page, target)
    linked = _is_linked(wiki, mentions.first[mention], target, hidden)
    keep = (page != target) & ~linked
    rows = _counted(knowledge, names, mentions, mention[keep], pair[keep], page[keep], code[keep])
    return _first_mentions(rows.chosen(_plausible(rows)))


def is_free(wiki: Wiki, mentions: Mentions, hidden: Bools) -> Bools:
    """Which mentions lie wholly outside the links that stand."""
    before = np.concatenate([[0], np.cumsum(standing_words(wiki, hidden))])
    return np.asarray(before[mentions.first + mentions.length] == before[mentions.first])


def standing_words(wiki: Wiki, hidden: Bools) -> Bools:
    """Which words carry a link that is not hidden."""
    linked = wiki.link >= 0
    linked[linked] = ~hidden[wiki.link[linked]]
    return linked


def _is_linked(wiki: Wiki, first: Longs, target: Longs, hidden: Bools) -> Bools:
    """Which places lie in the reach of a standing link to the same target."""
    if wiki.link_scope == "page":
        return member(wiki.code(wiki.page[first], target), standing_pairs(wiki, hidden))
    section = wiki.sections()
    links = wiki.links
    standing = ~hidden & (links.target >= 0)
    taken = wiki.code(section[links.first[standing]], links.target[standing])
    return member(wiki.code(section[first], target), np.unique(taken))


def standing_pairs(wiki: Wiki, hidden: Bools) -> Longs:
    """Codes (page, target) of the links that stand, sorted."""
    keep = ~hidden & (wiki.links.target >= 0)
    return np.unique(wiki.code(wiki.links.page[keep], wiki.links.target[keep]))


def _counted(
    knowledge: Knowledge,
    names: Names,
    mentions: Mentions,
    mention: Longs,
    pair: Longs,
    page: Longs,
    code: Longs,
) -> Candidates:
    name = mentions.name[mention]
    known = knowledge.known[page]
    own_pair = member(page * len(names.name) + pair, knowledge.own_pair_links) & known
    own_name = member(page * len(names) + name, knowledge.own_links) & known
    nothing = np.zeros(len(page), dtype=np.int64)
    return Candidates(
        page=page,
        target=names.target[pair],
        name=name,
        pair=pair,
        first=mentions.first[mention],
        length=mentions.length[mention],
        kind=names.kind[pair],
        pair_links=knowledge.pair_links[pair] - own_pair,
        links=knowledge.links[name] - own_name,
        mentions=np.maximum(knowledge.mentions[name] - known, 0),
        rank=nothing,
        count=nothing,
        code=code,
    )


def _plausible(rows: Candidates) -> Bools:
    """Not: an anchor that only this page uses, or a word that hardly anybody ever links."""
    derived = (rows.kind & (GIVEN | INFLECTED | SIMILAR)) > 0
    never = (rows.pair_links == 0) & (rows.mentions >= 30) & ((rows.kind & (TITLE | REDIRECT)) == 0)
    seldom = (rows.pair_links < 0.004 * rows.mentions) & (rows.mentions >= 50)
    return np.asarray((derived | (rows.pair_links > 0)) & ~never & ~seldom)


def _first_mentions(rows: Candidates) -> Candidates:
    order = np.lexsort((rows.length, rows.first, rows.target, rows.page))
    rows = rows.chosen(order)
    if not len(rows):
        return rows
    starts = np.flatnonzero(np.diff(rows.code, prepend=-1))
    sizes = np.diff(np.append(starts, len(rows)))
    rank = np.arange(len(rows)) - np.repeat(starts, sizes)
    values = {field.name: getattr(rows, field.name) for field in fields(rows)}
    ranked = Candidates(**{**values, "rank": rank, "count": np.repeat(sizes, sizes)})
    return ranked.chosen(rank < MENTIONS_PER_TARGET)


def with_unnamed(wiki: Wiki, rows: Candidates, places: Sequence[Place], kind: int) -> Candidates:
    """The candidates, and those of a kind that no name leads to."""
    page, target, first, length = np.array(places, dtype=np.int64).reshape(-1, 4).T
    nothing = np.zeros(len(page), dtype=np.int64)
    fresh = Candidates(
        page=page,
        target=target,
        name=nothing + NO_NAME,
        pair=nothing + NO_NAME,
        first=first,
        length=length,
        kind=nothing + kind,
        pair_links=nothing,
        links=nothing,
        mentions=nothing,
        rank=nothing,
        count=nothing + 1,
        code=wiki.code(page, target),
    )
    columns = (
        np.concatenate([getattr(rows, field.name), getattr(fresh, field.name)])
        for field in fields(Candidates)
    )
    both = Candidates(*columns)
    return both.chosen(np.lexsort((both.length, both.first, both.target, both.page)))
