"""Candidates: places where a page mentions another by a name and does not link it."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from wikibot.linker.counts import PageCounts, link_targets
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.names import ANCHOR, GIVEN, INFLECTED, REDIRECT, SIMILAR, SPLIT, TITLE, Mentions
from wikibot.linker.page import Bools, Floats, Ints, Longs, Page
from wikibot.linker.split_titles import unnamed

MENTIONS_PER_TARGET = 6  # the first ones on a page; editors seldom link a later one
MANY_MENTIONS = 30  # pages that mention a name and do not link it: it is not a link
SELDOM_LINKED = 0.004  # share of these below which a name is not a candidate


@dataclass(frozen=True, slots=True)
class Candidates:
    """Columns of one page, in the order of targets and places; counts leave the page itself out."""

    target: Longs
    name: Longs
    pair: Longs
    first: Longs  # words[first:first + length] of the page
    length: Longs
    kind: Longs
    pair_links: Longs  # pages that link the name to the target
    name_links: Longs  # pages that link the name
    name_mentions: Longs  # pages that mention the name
    rank: Longs  # the number of the target's mention on the page, from 0
    count: Longs  # mentions of the target on the page
    group: Longs  # a number for each target on the page
    span: Longs  # a number for each run of words

    def __len__(self) -> int:
        return len(self.target)

    def where(self, which: Bools | Longs) -> Candidates:
        """Only these rows."""
        return Candidates(*(getattr(self, f.name)[which] for f in fields(self)))

    def plus(self, more: Candidates) -> Candidates:
        """These rows and more."""
        columns = ((getattr(self, f.name), getattr(more, f.name)) for f in fields(self))
        return Candidates(*(np.concatenate(pair) for pair in columns))

    @property
    def share(self) -> Floats:
        """The share of other pages that link the name to the target among those that mention it."""
        return np.asarray((self.pair_links + 0.02) / (self.name_mentions + 0.6), dtype=np.float32)


def member(values: Longs | Ints, among: Longs | Ints) -> Bools:
    """Which values are among the sorted ones."""
    if not len(among):
        return np.zeros(len(values), dtype=bool)
    at = np.minimum(np.searchsorted(among, values), len(among) - 1)
    return np.asarray(among[at] == values)


def find_candidates(
    page: Page,
    number: int,
    knowledge: Knowledge,
    mentions: Mentions,
    own: PageCounts | None,
    scope: str = "page",
) -> Candidates:
    """Every place on the page where a link might stand.

    No place inside another link, no link of a page to itself, no target that a heading or the prose
    (or that of the section, by `scope`) links already. `own` is what the page itself taught.
    """
    names, counts = knowledge.names, knowledge.counts
    index, pair = names.pairs_of(mentions.name)
    first, length, name = mentions.first[index], mentions.length[index], mentions.name[index]
    target = names.target[pair].astype(np.int64)
    free = _is_free(page, first, length) & (target != number)
    free &= ~_is_linked(page, knowledge, first, target, scope)
    first, length, name, pair, target = (x[free] for x in (first, length, name, pair, target))
    mine = own is not None
    pair_links = counts.pair_links[pair] - (member(pair, own.pairs) if own else 0)
    name_links = counts.name_links[name] - (member(name, own.named) if own else 0)
    name_mentions = np.maximum(counts.name_mentions[name] - mine, 0)
    kind = names.kind[pair] & ~ANCHOR | np.where(pair_links > 0, ANCHOR, 0)
    keep = _is_plausible(kind, pair_links, name_mentions)
    rows = Candidates(
        target, name, pair, first, length, kind, pair_links, name_links, name_mentions,
        *(np.zeros(len(target), dtype=np.int64) for _ in range(4)),
    ).where(keep)  # fmt: skip
    return _with_ranks(_with_split_titles(page, number, knowledge, rows))


def _with_split_titles(
    page: Page, number: int, knowledge: Knowledge, rows: Candidates
) -> Candidates:
    """Besides: titles whose words stand apart in a sentence, of targets that nothing else names."""
    linked = link_targets(page, knowledge.titles)
    taken = np.unique(np.concatenate([rows.target, linked, [number]]))
    found = unnamed(list(knowledge.texts.split.on(page, taken, ~page.covered())))
    target, pair, first, length = found
    if not len(target):
        return rows
    name, none = knowledge.names.name[pair].astype(np.int64), np.zeros(len(target), dtype=np.int64)
    more = Candidates(
        target, name, pair, first, length, np.full(len(target), SPLIT), *(none for _ in range(7))
    )
    return rows.plus(more)


def _is_free(page: Page, first: Longs, length: Longs) -> Bools:
    before = np.concatenate([[0], np.cumsum(page.covered())])
    return np.asarray(before[first + length] == before[first])


def _is_linked(page: Page, knowledge: Knowledge, first: Longs, target: Longs, scope: str) -> Bools:
    """Which places lie in the reach of a link to the same target."""
    linked = link_targets(page, knowledge.titles)
    number = knowledge.titles.number
    in_headings = np.array([number.get(title, -1) for _, title in page.fixed_links], dtype=np.int64)
    headed = member(target, np.unique(in_headings))
    if scope == "page" or not len(page):
        return headed | member(target, np.unique(linked))
    section = page.column("section").astype(np.int64)
    at = np.minimum(page.links.first, len(page) - 1)
    size = knowledge.size + 1
    return headed | member(section[first] * size + target, np.unique(section[at] * size + linked))


def _is_plausible(kind: Longs, pair_links: Longs, mentions: Longs) -> Bools:
    """Not: an anchor that only this page uses, or a word that hardly anybody ever links."""
    derived = (kind & (GIVEN | INFLECTED | SIMILAR)) > 0
    never = (pair_links == 0) & (mentions >= MANY_MENTIONS) & ((kind & (TITLE | REDIRECT)) == 0)
    seldom = (pair_links < SELDOM_LINKED * mentions) & (mentions >= 50)
    return np.asarray((derived | (pair_links > 0)) & ~never & ~seldom)


def _with_ranks(rows: Candidates) -> Candidates:
    rows = rows.where(np.lexsort((rows.length, rows.first, rows.target)))
    if not len(rows):
        return rows
    starts = np.flatnonzero(np.diff(rows.target, prepend=-1))
    sizes = np.diff(np.append(starts, len(rows)))
    rank = np.arange(len(rows)) - np.repeat(starts, sizes)
    rows = replace(rows, rank=rank, count=np.repeat(sizes, sizes))
    rows = rows.where(rank < MENTIONS_PER_TARGET)
    span = np.unique(rows.first * 64 + rows.length, return_inverse=True)[1]
    group = np.cumsum(np.diff(rows.target, prepend=-1) != 0) - 1
    return replace(rows, span=span.astype(np.int64), group=group)
