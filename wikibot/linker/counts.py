"""What pages teach, as sums over pages: order does not matter, and what was added can be taken out.

`count` gives the part of one page. `Counts` of any pages can be added and subtracted; all values are
whole numbers, so that nothing is left of a page that was taken out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, overload

import numpy as np
import scipy.sparse as sparse

from wikibot.engine import Spool, in_groups, map_pages
from wikibot.linker.names import (
    ANCHOR,
    GIVEN,
    INFLECTED,
    Mentions,
    Names,
    Titles,
    find_mentions,
    link_names,
)
from wikibot.linker.page import (
    BLOCK,
    HYPHEN,
    PREFORMATTED,
    PUNCTUATION,
    SENTENCE,
    UPPER,
    Bools,
    Ints,
    Keys,
    Longs,
    Page,
)

PARTS_AT_ONCE = 1000  # pages whose counts are in memory at a time
CONTEXT_BUCKETS = 1 << 16  # for words before and after names, by their keys
WORD_BUCKETS = 1 << 18  # for words in small letters and with a capital
MENTION_PLACES = ("anywhere", "quoted", "preformatted")
_CASE_STEP = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class PageCounts:
    """What one page teaches: numbers of names, pairs and targets, each once.

    `linked` and `graph` are targets, linked in prose and linked anywhere. The contexts are buckets of
    the words around the first mention of each target, those of linked mentions apart.
    """

    page: int
    mentioned: Longs  # names
    named: Longs  # names that carry a link
    pairs: Longs  # (name, target) that are linked
    mentioned_targets: Longs
    linked: Longs
    graph: Longs
    upper: Longs  # targets of links inside sentences, once per link with a capital
    inside: Longs  # targets of links inside sentences, once per link
    italic: Longs  # targets of links in italics, once per link
    links: Longs  # targets of links, once per link
    before: Longs
    before_linked: Longs
    after: Longs
    after_linked: Longs
    mention_places: Longs  # MENTION_PLACES: first mentions of targets, and those that are linked
    habits: Longs  # links, those right beside another link, those joined to a word by a hyphen
    words: Ints  # buckets
    linked_words: Ints  # buckets of words that carry a link, wherever it leads

    def packed(self) -> bytes:
        """The same in few bytes, which travel between processes and lie on disk."""
        arrays = [getattr(self, f.name) for f in fields(self) if f.name != "page"]
        numbers = [self.page, *map(len, arrays)]
        return np.concatenate([numbers, *arrays]).astype(np.int32).tobytes()

    @classmethod
    def unpacked(cls, content: bytes) -> PageCounts:
        """What was packed."""
        numbers = np.frombuffer(content, dtype=np.int32).astype(np.int64)
        names = [f.name for f in fields(cls) if f.name != "page"]
        ends = len(names) + 1 + np.cumsum(numbers[1 : len(names) + 1])
        starts = [len(names) + 1, *ends[:-1].tolist()]
        parts = (numbers[a:b] for a, b in zip(starts, ends.tolist(), strict=True))
        columns: dict[str, Any] = dict(zip(names, parts, strict=True))
        return cls(int(numbers[0]), **columns)


class Parts(Sequence["PageCounts | None"]):
    """What each page of a wiki teaches, on disk; None for a page whose links are not known."""

    def __init__(self, size: int, folder: Path | None = None) -> None:
        self._packed, self._place = Spool(folder), np.full(size, -1, dtype=np.int64)

    def append(self, number: int, packed: bytes) -> None:
        """Keep the part of one page."""
        self._place[number] = self._packed.append(packed)

    def __len__(self) -> int:
        return len(self._place)

    @property
    def counted(self) -> list[int]:
        """The pages whose links are known."""
        return [int(number) for number in np.flatnonzero(self._place >= 0)]

    @overload
    def __getitem__(self, index: int) -> PageCounts | None: ...
    @overload
    def __getitem__(self, index: slice) -> list[PageCounts | None]: ...
    def __getitem__(self, index: int | slice) -> PageCounts | list[PageCounts | None] | None:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        place = int(self._place[index])
        return PageCounts.unpacked(self._packed[place]) if place >= 0 else None

    def of(self, numbers: Iterable[int]) -> Iterator[PageCounts]:
        """The parts of some pages, those that are there, one after the other."""
        return (part for number in numbers if (part := self[number]) is not None)


def count_pages(
    pages: Sequence[Page], known: Bools, names: Names, titles: Titles
) -> tuple[Counts, Parts]:
    """The sum over the known pages, and the part of each."""
    numbers = np.flatnonzero(known).tolist()
    parts = Parts(len(pages))

    def packed(number: int) -> bytes:
        return count(pages[number], number, names, titles).packed()

    def counted() -> Iterator[PageCounts]:
        for number, content in zip(numbers, map_pages(packed, numbers), strict=True):
            parts.append(number, content)
            yield PageCounts.unpacked(content)

    zero = Counts.zero(len(pages), len(names), len(names.target))
    return zero.plus(counted()), parts


def count(page: Page, number: int, names: Names, titles: Titles) -> PageCounts:
    """What a page teaches; `number` is its own."""
    return count_mentions(page, number, names, titles, find_mentions(page, names))


def count_mentions(
    page: Page, number: int, names: Names, titles: Titles, mentions: Mentions
) -> PageCounts:
    """The same, where the page's mentions are known already."""
    target = link_targets(page, titles)
    is_name, name = link_names(page, names)
    index, pair = names.pairs_of(name[is_name])
    pairs = pair[names.target[pair] == target[is_name][index]]
    in_prose = np.unique(target[(target >= 0) & (target != number) & _has_words(page)])
    links = np.flatnonzero((target >= 0) & (target != number) & _has_words(page))
    first = page.links.first[links]
    inside = page.column("gap")[first] < SENTENCE
    upper = (page.column("flags")[first] & UPPER) > 0
    others = np.array([titles.number.get(title, -1) for title in page.other_links], dtype=np.int64)
    graph = np.unique(np.concatenate([target, others]))
    targets, before, after, is_linked, places = _contexts(page, number, names, mentions, target)
    word = word_buckets(page)
    return PageCounts(
        page=number,
        mentioned=np.unique(mentions.name),
        named=np.unique(name[is_name]),
        pairs=np.unique(pairs),
        mentioned_targets=np.union1d(targets, in_prose),
        linked=in_prose,
        graph=graph[(graph >= 0) & (graph != number)],
        upper=target[links[inside & upper]],
        inside=target[links[inside]],
        italic=target[links[page.column("italic")[first] > 0]],
        links=target[links],
        before=before,
        before_linked=before[is_linked],
        after=after,
        after_linked=after[is_linked],
        mention_places=np.array(
            [n for where in places for n in (where.sum(), (where & is_linked).sum())],
            dtype=np.int64,
        ),
        habits=_habits(page),
        words=np.unique(word),
        linked_words=np.unique(word[page.covered()]),
    )


def _habits(page: Page) -> Longs:
    """How many links there are, right beside another, and joined to a word by a hyphen."""
    kept = page.links.where(_has_words(page))
    if not len(kept):
        return np.zeros(3, dtype=np.int64)
    covered, gap = np.append(page.covered(), False), np.append(page.column("gap"), BLOCK)
    first, last = kept.first, kept.last
    beside = (covered[first - 1] & (gap[first] < PUNCTUATION)) | (covered[last] & (gap[last] < PUNCTUATION))  # fmt: skip
    joined = (gap[first] == HYPHEN) | (gap[last] == HYPHEN)
    return np.array([len(kept), beside.sum(), joined.sum()], dtype=np.int64)


def link_targets(page: Page, titles: Titles) -> Longs:
    """The number of each link's target, -1 where the wiki has no such page."""
    return np.array([titles.number.get(title, -1) for title in page.links.target], dtype=np.int64)


def _has_words(page: Page) -> Bools:
    return page.links.last > page.links.first


def _contexts(
    page: Page, number: int, names: Names, mentions: Mentions, linked: Longs
) -> tuple[Longs, Longs, Longs, Bools, tuple[Bools, ...]]:
    """The targets that are mentioned, the words around the first mention, is it linked, and where."""
    index, pair = names.pairs_of(mentions.name)
    sure = (names.kind[pair] & (GIVEN | ANCHOR | INFLECTED)) > 0
    target, at = names.target[pair].astype(np.int64), mentions.first[index]
    sure &= target != number
    target, at, index = target[sure], at[sure], index[sure]
    targets, first = np.unique(target, return_index=True)
    place, length = at[first], mentions.length[index[first]]
    before, after = context_buckets(page, place, length)
    quoted = page.column("quote")[place] > 0
    preformatted = (page.column("flags")[place] & PREFORMATTED) > 0
    places = (np.ones(len(targets), dtype=bool), quoted, preformatted)
    return targets, before, after, np.isin(targets, linked), places


def context_buckets(page: Page, first: Longs, length: Longs) -> tuple[Longs, Longs]:
    """Buckets for the word before and the word after each run of words, by the run's case."""
    if not len(page):
        return first, first
    gap, words = page.column("gap"), page.words
    upper = ((page.column("flags")[first] & UPPER) > 0).astype(np.uint64)
    last = np.minimum(first + length, len(page) - 1)
    before = np.where(
        gap[first] < SENTENCE, words[np.maximum(first - 1, 0)], gap[first].astype(np.uint64)
    )
    ends = (first + length >= len(page)) | (gap[last] >= SENTENCE)
    after = np.where(ends, np.uint64(SENTENCE), words[last])
    return _bucket(before, gap[first], upper), _bucket(
        after, np.where(ends, BLOCK, gap[last]), upper
    )


def word_buckets(page: Page) -> Ints:
    """A bucket for each word of the page: even ones in small letters, odd ones with a capital."""
    upper = ((page.column("flags") & UPPER) > 0).astype(np.int32)
    return np.asarray((page.words >> np.uint64(47)).astype(np.int32) * 2 + upper, dtype=np.int32)


def _bucket(word: Keys, gap: Ints, upper: Keys) -> Longs:
    with np.errstate(over="ignore"):
        mixed = (word + gap.astype(np.uint64) * np.uint64(7919) + upper) * _CASE_STEP
    return np.asarray(mixed >> np.uint64(48), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Counts:
    """Sums of PageCounts over pages whose links are known."""

    pages: Longs  # per page: is it counted?
    name_mentions: Longs
    name_links: Longs
    pair_links: Longs
    target_mentions: Longs
    target_links: Longs
    upper_links: Longs
    inside_links: Longs
    italic_links: Longs
    all_links: Longs
    before: Longs
    before_links: Longs
    after: Longs
    after_links: Longs
    mention_places: Longs
    habits: Longs
    word_pages: Longs
    word_links: Longs
    graph: sparse.csr_matrix  # page -> target, wherever the link stands
    linked: sparse.csr_matrix  # page -> target, linked in prose
    mentioned: sparse.csr_matrix  # page -> target, mentioned or linked in prose

    @classmethod
    def zero(cls, pages: int, names: int, pairs: int) -> Counts:
        """The sum over no pages."""
        sizes = {
            **dict.fromkeys(("name_mentions", "name_links"), names),
            "pair_links": pairs,
            "mention_places": 2 * len(MENTION_PLACES),
            "habits": 3,
            **dict.fromkeys(("before", "before_links", "after", "after_links"), CONTEXT_BUCKETS),
            **dict.fromkeys(("word_pages", "word_links"), WORD_BUCKETS),
        }
        arrays = {f.name: np.zeros(sizes.get(f.name, pages), dtype=np.int64) for f in fields(cls) if f.name not in MATRICES}  # fmt: skip
        return cls(**arrays, **{name: sparse.csr_matrix((pages, pages), dtype=np.int32) for name in MATRICES})  # fmt: skip

    def plus(self, parts: Iterable[PageCounts], *, times: int = 1) -> Counts:
        """These counts and those of more pages, which may be a stream; with `times=-1` without them."""
        arrays = {f.name: getattr(self, f.name).copy() for f in fields(self) if f.name not in MATRICES}  # fmt: skip
        entries: dict[str, list[_Entries]] = {name: [] for name in MATRICES}
        for some in in_groups(parts, PARTS_AT_ONCE):
            for part in some:
                _add(arrays, part, times)
            for name, field in MATRICES.items():
                entries[name].append(_entries(some, field))
        matrices = {
            name: getattr(self, name) + _matrix(entries[name], len(self.pages), times)
            for name in MATRICES
        }
        return Counts(**arrays, **matrices)

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def __sub__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, f.name) - getattr(other, f.name) for f in fields(self)))


MATRICES = {"graph": "graph", "linked": "linked", "mentioned": "mentioned_targets"}


_Entries = tuple[Ints, Ints]  # rows and columns


def _entries(parts: list[PageCounts], name: str) -> _Entries:
    """(page, target): what the parts say."""
    columns = [getattr(part, name) for part in parts]
    row = np.repeat([part.page for part in parts], [len(column) for column in columns])
    return row.astype(np.int32), np.concatenate(columns).astype(np.int32)


def _matrix(entries: list[_Entries], size: int, times: int) -> sparse.csr_matrix:
    """What the entries say, with this sign."""
    if not entries:
        return sparse.csr_matrix((size, size), dtype=np.int32)
    row, column = (np.concatenate(parts) for parts in zip(*entries, strict=True))
    values = np.full(len(row), times, dtype=np.int32)
    return sparse.csr_matrix((values, (row, column)), shape=(size, size))


_ONCE = {
    "name_mentions": "mentioned",
    "name_links": "named",
    "pair_links": "pairs",
    "target_mentions": "mentioned_targets",
    "target_links": "linked",
    "word_pages": "words",
    "word_links": "linked_words",
}
_PER_LINK = {
    "upper_links": "upper",
    "inside_links": "inside",
    "italic_links": "italic",
    "all_links": "links",
    "before": "before",
    "before_links": "before_linked",
    "after": "after",
    "after_links": "after_linked",
}


def _add(arrays: dict[str, Longs], part: PageCounts, times: int) -> None:
    arrays["pages"][part.page] += times
    arrays["mention_places"] += times * part.mention_places
    arrays["habits"] += times * part.habits
    for table, name in _ONCE.items():
        arrays[table][getattr(part, name)] += times
    for table, name in _PER_LINK.items():
        np.add.at(arrays[table], getattr(part, name), times)
