"""All pages of a wiki side by side: their words as one long column, and the links among them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wikibot.ranking.prose import BLOCK, COLUMNS, SENTENCE, Ints, Prose

Bools = npt.NDArray[np.bool_]
Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LinkTable:
    """The links in prose: words[first:last] of the wiki lead from `page` to `target`.

    `target` is -1 where the link leads to a page that is not in the wiki; `title` is as written.
    """

    page: Longs
    first: Longs
    last: Longs
    target: Longs
    title: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.page)


@dataclass(frozen=True, slots=True)
class Wiki:
    """The pages, numbered; page p has the words offsets[p]:offsets[p + 1] of every column."""

    titles: tuple[str, ...]
    pages: tuple[Prose, ...]
    redirects: Mapping[str, int]
    is_disambiguation: Bools
    vocabulary: Mapping[str, int]  # words in lower case, numbered
    word: Longs
    spelling: tuple[str, ...]  # each word as written
    is_upper: Bools
    page: Longs
    offsets: Longs
    start: Ints
    end: Ints
    gap: Ints
    flags: Ints
    italic: Ints
    quote: Ints
    section: Ints
    paragraph: Ints
    heading: Longs  # a number for what the chapter is called
    link: Longs  # index in `links`, -1 outside
    sentence: Longs
    links: LinkTable
    elsewhere: Longs  # codes of pairs linked where no link may be proposed, sorted
    aside: Longs  # those of them in boxes, tables, captions and notes, not in See also, sorted
    link_scope: str = "page"  # or "section": a target is linked once in each of these

    @property
    def size(self) -> int:
        """The number of pages."""
        return len(self.titles)

    def code(self, pages: Longs, targets: Longs) -> Longs:
        """One number for each (page, target)."""
        return pages.astype(np.int64) * self.size + targets

    def sections(self) -> Longs:
        """A number for the section of each word, different on every page."""
        return self.page * (int(self.section.max(initial=0)) + 1) + self.section

    def linked_pairs(self) -> Longs:
        """The codes of (page, target) linked in prose, sorted; links to the page itself left out."""
        inside = (self.links.target >= 0) & (self.links.target != self.links.page)
        return np.unique(self.code(self.links.page[inside], self.links.target[inside]))


class _Spelled(dict[str, int]):
    """A number for each way to spell a word; what is asked of a word is asked once for each."""

    def __init__(self) -> None:
        self.vocabulary: dict[str, int] = {}
        self.word: list[int] = []
        self.is_upper: list[bool] = []

    def __missing__(self, spelling: str) -> int:
        self[spelling] = number = len(self.word)
        self.word.append(self.vocabulary.setdefault(spelling.lower(), len(self.vocabulary)))
        self.is_upper.append(spelling[:1].isupper())
        return number


def assemble(pages: Sequence[Prose], redirects: Mapping[str, str]) -> Wiki:
    """The wiki of these pages; `redirects` maps titles to titles."""
    titles = tuple(page.title for page in pages)
    index = {title: number for number, title in enumerate(titles)}
    ends = {title: _resolve(title, index, redirects) for title in redirects}
    known = {**{title: end for title, end in ends.items() if end >= 0}, **index}
    spelling = tuple(itertools.chain.from_iterable(page.words for page in pages))
    spelled = _Spelled()
    kinds = np.fromiter(map(spelled.__getitem__, spelling), dtype=np.int64, count=len(spelling))
    lengths = np.array([len(page.words) for page in pages], dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    columns = np.concatenate(
        [p.columns for p in pages] or [np.zeros((len(COLUMNS), 0), dtype=np.int32)], axis=1
    )
    by_name = dict(zip(COLUMNS, columns.astype(np.int32), strict=True))
    gap = by_name.pop("gap").copy()
    gap[offsets[:-1][lengths > 0]] = BLOCK
    links, link = _link_table(pages, offsets, known, by_name.pop("link"))
    return Wiki(
        titles=titles,
        pages=tuple(pages),
        redirects={title: end for title, end in ends.items() if end >= 0},
        is_disambiguation=np.array([page.is_disambiguation for page in pages], dtype=bool),
        vocabulary=spelled.vocabulary,
        word=np.array(spelled.word, dtype=np.int64)[kinds],
        spelling=spelling,
        is_upper=np.array(spelled.is_upper, dtype=bool)[kinds],
        page=np.repeat(np.arange(len(pages), dtype=np.int64), lengths),
        offsets=offsets,
        gap=gap,
        link=link,
        heading=_headings(pages, by_name["section"], lengths),
        sentence=np.cumsum(gap >= SENTENCE),
        links=links,
        elsewhere=_codes([page.elsewhere for page in pages], known),
        aside=_codes([[title for title, _ in page.aside] for page in pages], known),
        **by_name,
    )


def _headings(pages: Sequence[Prose], section: Ints, lengths: Longs) -> Longs:
    """What the chapter of each word is called, as a number; the lead is 0."""
    number: dict[str, int] = {"": 0}
    called = [number.setdefault(name, len(number)) for page in pages for name in page.headings]
    counts = np.array([len(page.headings) for page in pages], dtype=np.int64)
    first = np.cumsum(counts) - counts
    return np.array(called, dtype=np.int64)[np.repeat(first, lengths) + section]


def _resolve(title: str, index: Mapping[str, int], redirects: Mapping[str, str]) -> int:
    for _ in range(10):
        if title in index:
            return index[title]
        if title not in redirects:
            break
        title = redirects[title]
    return -1


def _link_table(
    pages: Sequence[Prose], offsets: Longs, known: Mapping[str, int], local: Ints
) -> tuple[LinkTable, Longs]:
    counts = np.array([len(page.links) for page in pages], dtype=np.int64)
    before = np.concatenate([[0], np.cumsum(counts)])
    owner = np.repeat(np.arange(len(pages), dtype=np.int64), counts)
    rows = [link for page in pages for link in page.links]
    base = offsets[owner]
    table = LinkTable(
        page=owner,
        first=base + np.array([row[0] for row in rows], dtype=np.int64),
        last=base + np.array([row[1] for row in rows], dtype=np.int64),
        target=np.array([known.get(row[2], -1) for row in rows], dtype=np.int64),
        title=tuple(row[2] for row in rows),
    )
    of_word = np.repeat(before[:-1], np.diff(offsets))
    return table, np.where(local >= 0, local + of_word, -1)


def _codes(targets: Sequence[Sequence[str]], known: Mapping[str, int]) -> Longs:
    """The codes of (page, target) for the titles that each page links, sorted."""
    codes = {
        number * len(targets) + known[title]
        for number, titles in enumerate(targets)
        for title in titles
        if title in known and known[title] != number
    }
    return np.array(sorted(codes), dtype=np.int64)
