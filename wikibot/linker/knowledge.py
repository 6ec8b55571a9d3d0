"""What is known of a wiki, as plain arrays that every command opens without reading them.

`Knowledge.build` makes it from names, counts over pages and what the texts say; `save` and `open` keep
it in one file of arrays. `minus` takes pages out again: what they taught is not known then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

from wikibot.engine import map_pages
from wikibot.errors import ModelError
from wikibot.linker.arrays import open_arrays, pack_texts, save_arrays, unpack_texts
from wikibot.linker.counts import MATRICES, Counts, PageCounts, count
from wikibot.linker.names import (
    BOLD_NAME,
    GIVEN,
    NameCounts,
    Names,
    Titles,
    find_mentions,
    without_brackets,
)
from wikibot.linker.page import Bools, Floats, Ints, Keys, Longs, Page, word_key, word_keys
from wikibot.linker.split_titles import SplitTitles
from wikibot.linker.topics import PageTopics, TopicTables, main_topics

FORMAT = 5
FEW_PAGES = 3000  # of which all are compared; of more, those with the most of a main topic
PAGES_PER_TOPIC = 1000
NEAREST_PAGES = 200
DENSE_SHARE = 0.995  # of pages that have fewer links for their length than is too many
SHORT_PAGE_WORDS = 100  # added to a page's words: a stub may have many links for its length
ROWS_AT_ONCE = 2000  # that are joined into one
MOST_WORDS_PER_PAGE = 150  # of a page's vector: those of the greatest weight
MOST_IN_LINKS = 512  # of a page that are compared; of more, a fixed sample


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of numbers with weights: row i has entries first[i]:first[i + 1]."""

    first: Longs
    column: Ints
    value: Floats

    def __getitem__(self, row: int) -> tuple[Ints, Floats]:
        part = slice(self.first[row], self.first[row + 1])
        return self.column[part], self.value[part]

    def gather(self, rows: Longs) -> tuple[Longs, Ints, Floats]:
        """(index, column, value) of the entries of some rows; index is a place in `rows`."""
        count = self.first[rows + 1] - self.first[rows]
        index = np.repeat(np.arange(len(rows)), count)
        at = np.arange(len(index)) + np.repeat(self.first[rows] - (np.cumsum(count) - count), count)
        return index, self.column[at], self.value[at]

    def with_row(self, row: int, column: Ints, value: Floats) -> Rows:
        """The same with another row in one place."""
        start, end = int(self.first[row]), int(self.first[row + 1])
        first = self.first.copy()
        first[row + 1 :] += len(column) - (end - start)
        columns, values = (
            np.concatenate([old[:start], new, old[end:]])
            for old, new in ((self.column, column), (self.value, value))
        )
        return Rows(first, columns, values)

    @classmethod
    def of(cls, matrix: sparse.csr_matrix) -> Rows:
        matrix.sort_indices()
        return cls(
            matrix.indptr.astype(np.int64),
            matrix.indices.astype(np.int32),
            matrix.data.astype(np.float32),
        )


@dataclass(frozen=True, slots=True)
class Texts:
    """What the texts of all pages say, whoever's links are known."""

    length: Ints  # words per page
    vocabulary: Keys  # sorted: words that two pages or more use
    idf: Floats
    words: Rows  # (page, word): weights of unit length
    categories: Rows
    category_keys: Keys  # sorted
    category_idf: Floats
    named: Rows  # (page, other page): mentions by title or redirect
    title_words: Ints
    title_capitals: Ints
    title_digits: Ints
    is_disambiguation: Bools
    topics: Floats  # (page, topic)
    vectors: Floats  # (page, dimension), unit length
    split: SplitTitles


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Names, counts and texts of a wiki's pages."""

    titles: Titles
    names: Names
    counts: Counts
    texts: Texts
    in_links: Rows  # (page, page that links to it), a sample where there are very many
    sample: Floats  # the share of a page's incoming links that in_links holds
    in_degree: Longs
    out_degree: Longs
    topics: TopicTables | None
    language: str
    links_per_word: float  # of the counted pages
    densest: float  # links per word of a page, but for the densest few per cent
    topic_pages: Ints  # (topic, few): the pages with the greatest shares of it

    @property
    def size(self) -> int:
        """The number of pages."""
        return len(self.titles.titles)

    @classmethod
    def build(
        cls,
        titles: Titles,
        names: Names,
        counts: Counts,
        texts: Texts,
        topics: TopicTables | None = None,
        language: str = "",
    ) -> Knowledge:
        """Put together what was counted."""
        for name in MATRICES:
            getattr(counts, name).eliminate_zeros()
        incoming = _incoming(counts.graph)
        density = _density(counts, texts, incoming[-1])
        pages = _topic_pages(texts.topics)
        return cls(titles, names, counts, texts, *incoming, topics, language, *density, pages)

    def plus(self, parts: Iterable[PageCounts], *, times: int = 1) -> Knowledge:
        """What is known with the links of more pages; with `times=-1` without them."""
        counts = self.counts.plus(parts, times=times)
        return Knowledge.build(
            self.titles, self.names, counts, self.texts, self.topics, self.language
        )

    def replaced(self, pages: Sequence[tuple[Page | None, Page]]) -> Knowledge:
        """What is known once pages have changed: (as they were counted, as they are now)."""
        texts, gone, come = self.texts, [], []
        for before, now in pages:
            number = self.number_of(now.title)
            if before is not None and self.is_counted(number):
                gone.append(count(before, number, self.names, self.titles))
            come.append(count(now, number, self.names, self.titles))
            texts = _with_text(texts, number, now, self.names, self.topics)
        counts = self.counts.plus(gone, times=-1).plus(come)
        return Knowledge.build(self.titles, self.names, counts, texts, self.topics, self.language)

    def minus(self, parts: Iterable[PageCounts]) -> Knowledge:
        """What is known without the links of these pages."""
        return self.plus(parts, times=-1)

    def most_links(self, words: int) -> float:
        """How many links a page of so many words has at most, but for the densest few per cent."""
        return self.densest * (words + SHORT_PAGE_WORDS)

    def near(self, topics: PageTopics, number: int) -> tuple[Longs, Floats]:
        """The counted pages of the most like topics, and how alike they are; never the page itself."""
        asked: Longs = np.arange(self.size)
        if self.size > FEW_PAGES:
            asked = np.unique(self.topic_pages[main_topics(topics.theta[None])[0]])
        asked = asked[self.counts.pages[asked] > 0]
        alike = np.sqrt(self.texts.topics[asked]) @ np.sqrt(topics.theta)
        alike[asked == number] = 0
        if len(asked) > NEAREST_PAGES:
            best = np.argpartition(-alike, NEAREST_PAGES)[:NEAREST_PAGES]
            asked, alike = asked[best], alike[best]
        return asked, alike

    def number_of(self, title: str) -> int:
        """The number of the page of that title; -1 for a redirect, or where there is none."""
        number = self.titles.number.get(title, -1)
        return number if number >= 0 and self.titles.titles[number] == title else -1

    def save(self, path: Path) -> str:
        """Write everything to one file of arrays; return its checksum."""
        arrays: dict[str, np.ndarray] = {}
        _flatten(self, "", arrays)
        header = {
            "format": FORMAT, "language": self.language, "topics": self.topics is not None,
            "links_per_word": self.links_per_word, "densest": self.densest,
        }  # fmt: skip
        return save_arrays(path, arrays, header)

    @classmethod
    def open(cls, path: Path) -> Knowledge:
        """Open what was saved; refuses a file of another format."""
        arrays, header = open_arrays(path)
        if header.get("format") != FORMAT:
            raise ModelError(
                "What was learned was written by another version of wikibot. Nothing was changed. "
                "Run `wikibot train` again."
            )
        topics = _part(TopicTables, "topics.", arrays) if header["topics"] else None
        texts = _part(Texts, "texts.", arrays)
        names, counts = _part(Names, "names.", arrays), _part(Counts, "counts.", arrays)
        return cls(
            _titles(arrays), names, counts, texts, _part(Rows, "in_links.", arrays), arrays["sample"],
            arrays["in_degree"], arrays["out_degree"], topics, header["language"],
            header["links_per_word"], header["densest"], arrays["topic_pages"],
        )  # fmt: skip

    def is_counted(self, page: int) -> bool:
        """Are the links of this page part of what is known?"""
        return page >= 0 and bool(self.counts.pages[page])

    def links_out(self, page: int) -> Ints:
        """The targets of a page's links, wherever they stand."""
        graph = self.counts.graph
        return np.asarray(graph.indices[graph.indptr[page] : graph.indptr[page + 1]])


def _flatten(value: Any, prefix: str, arrays: dict[str, np.ndarray]) -> None:
    """Collect all arrays below a dataclass by their paths."""
    for f in fields(value):
        part, name = getattr(value, f.name), prefix + f.name
        if isinstance(part, np.ndarray):
            arrays[name] = part
        elif isinstance(part, sparse.csr_matrix):
            part.sort_indices()
            arrays |= {f"{name}.{k}": np.asarray(getattr(part, k)) for k in _SPARSE}
        elif isinstance(part, Titles):
            arrays["titles"] = pack_texts(list(part.titles))
            arrays["known_titles"] = pack_texts(list(part.number))
            arrays["known_numbers"] = np.array(list(part.number.values()), dtype=np.int32)
        elif is_dataclass(part):
            _flatten(part, name + ".", arrays)


_SPARSE = ("data", "indices", "indptr")
_NESTED = {"split": SplitTitles}  # what is neither an array nor Rows, by the names of fields


def _part(kind: Any, prefix: str, arrays: Mapping[str, np.ndarray]) -> Any:
    """A dataclass of arrays, as `_flatten` left it."""
    values: dict[str, Any] = {}
    for f in fields(kind):
        name = prefix + f.name
        if name in arrays:
            values[f.name] = arrays[name]
        elif f"{name}.indptr" in arrays:
            parts = tuple(arrays[f"{name}.{k}"] for k in _SPARSE)
            size = len(parts[2]) - 1
            values[f.name] = sparse.csr_matrix(parts, shape=(size, size))
        else:
            values[f.name] = _part(_NESTED.get(f.name, Rows), name + ".", arrays)
    return kind(**values)


def _titles(arrays: Mapping[str, np.ndarray]) -> Titles:
    known = zip(unpack_texts(arrays["known_titles"]), arrays["known_numbers"].tolist(), strict=True)
    return Titles(tuple(unpack_texts(arrays["titles"])), dict(known))


def _density(counts: Counts, texts: Texts, out_degree: Longs) -> tuple[float, float]:
    """Links per word of all counted pages, and of the densest but a few."""
    is_counted = counts.pages > 0
    words = int(texts.length[is_counted].sum())
    some = is_counted & (out_degree > 0)
    dense = out_degree[some] / (texts.length[some] + SHORT_PAGE_WORDS)
    most = float(np.quantile(dense, DENSE_SHARE)) if len(dense) else 0.0
    return float(counts.all_links.sum()) / max(1, words), most


def _topic_pages(topics: Floats) -> Ints:
    """The pages with the greatest shares of each topic."""
    size, count = topics.shape
    if size <= FEW_PAGES:
        return np.zeros((count, 0), dtype=np.int32)
    most = min(PAGES_PER_TOPIC, size - 1)
    found = [np.sort(np.argpartition(-share, most)[:most]) for share in topics.T]
    return np.array(found, dtype=np.int32).reshape(count, most)


def _incoming(graph: sparse.csr_matrix) -> tuple[Rows, Floats, Longs, Longs]:
    by_target = graph.T.tocsr()
    in_degree = np.diff(by_target.indptr).astype(np.int64)
    out_degree = np.diff(graph.indptr).astype(np.int64)
    target = np.repeat(np.arange(len(in_degree)), in_degree)
    # A page's place in a fixed order decides whether it is in the sample: the same for every target.
    order = (by_target.indices.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)
    limit = np.minimum(1.0, MOST_IN_LINKS / np.maximum(in_degree, 1))
    keep = order < limit[target] * 2**24
    kept = sparse.csr_matrix(
        (np.ones(int(keep.sum())), (target[keep], by_target.indices[keep])), shape=graph.shape
    )
    return Rows.of(kept), limit.astype(np.float32), in_degree, out_degree


class _PageText(NamedTuple):
    """What the text of one page says."""

    length: int
    is_disambiguation: bool
    words: tuple[Ints, Floats]
    named: tuple[Ints, Floats]
    categories: tuple[str, ...]
    theta: Floats
    vector: Floats


def collect_texts(
    pages: Sequence[Page],
    titles: Titles,
    names: Names,
    counts: NameCounts,
    topics: TopicTables | None,
    language: str = "",
) -> Texts:
    """What the texts of all pages say; pages come in the order of their numbers."""
    size = len(titles.titles)
    documents = [(word_key(word), n) for word, n in counts.words.items() if n > 1]
    documents.sort()
    vocabulary = np.array([key for key, _ in documents], dtype=np.uint64)
    idf = np.log(size / np.array([max(n, 1) for _, n in documents] or [1])).astype(np.float32)
    idf = np.maximum(idf[: len(vocabulary)], 0)

    def read(number: int) -> _PageText:
        page = pages[number]
        said = topics.read(page) if topics is not None else None
        return _PageText(
            len(page), page.is_disambiguation, _cut(*word_vector(page, vocabulary, idf)),
            _named(page, number, names), page.categories,
            said.theta if said else np.zeros(0, dtype=np.float32),
            said.vector if said else np.zeros(0, dtype=np.float32),
        )  # fmt: skip

    words, named, labels = _RowsBuilder(), _RowsBuilder(), []
    length, is_disambiguation = np.zeros(size, dtype=np.int32), np.zeros(size, dtype=bool)
    theta, vector = _empty_topics(size, topics)
    for number, one in enumerate(map_pages(read, range(size))):
        words.append(*one.words)
        named.append(*one.named)
        labels.append(np.unique(word_keys(one.categories)))
        length[number], is_disambiguation[number] = one.length, one.is_disambiguation
        theta[number], vector[number] = one.theta, one.vector
    categories, category_keys, category_idf = _categories(labels, size)
    capitals, title_words, digits = _title_shapes(titles.titles)
    return Texts(
        length=length,
        vocabulary=vocabulary,
        idf=idf,
        words=words.rows(),
        categories=categories,
        category_keys=category_keys,
        category_idf=category_idf,
        named=named.rows(),
        title_words=title_words,
        title_capitals=capitals,
        title_digits=digits,
        is_disambiguation=is_disambiguation,
        topics=theta,
        vectors=vector,
        split=SplitTitles.of(titles, names, counts.words, is_disambiguation, language),
    )


def _empty_topics(size: int, topics: TopicTables | None) -> tuple[Floats, Floats]:
    """Room for the topics and the vector of each page."""
    count, dimension = (
        (topics.topics.shape[1], len(topics.centre)) if topics is not None else (0, 0)
    )
    if topics is not None and not len(topics.keys):
        count = 0
    return np.zeros((size, count), dtype=np.float32), np.zeros((size, dimension), dtype=np.float32)


class _RowsBuilder:
    """Rows that come one after the other; few small arrays are in memory at a time."""

    def __init__(self) -> None:
        self._sizes: list[int] = []
        self._waiting: list[tuple[Ints, Floats]] = []
        self._joined: list[tuple[Ints, Floats]] = []

    def append(self, column: Ints, value: Floats) -> None:
        """Add a row."""
        self._sizes.append(len(column))
        self._waiting.append((column, value))
        if len(self._waiting) == ROWS_AT_ONCE:
            self._join()

    def _join(self) -> None:
        columns, values = zip(*self._waiting, strict=True)
        self._joined.append((np.concatenate(columns), np.concatenate(values)))
        self._waiting.clear()

    def rows(self) -> Rows:
        """All rows."""
        if self._waiting:
            self._join()
        first = np.concatenate([[0], np.cumsum(self._sizes)]).astype(np.int64)
        if not self._joined:
            return Rows(first, np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32))
        columns, values = zip(*self._joined, strict=True)
        return Rows(first, np.concatenate(columns), np.concatenate(values))


def _with_text(
    texts: Texts, number: int, page: Page, names: Names, topics: TopicTables | None
) -> Texts:
    """The same texts with another one for one page; its categories stay until all are read again."""
    changed: dict[str, Any] = {
        "words": texts.words.with_row(
            number, *_cut(*word_vector(page, texts.vocabulary, texts.idf))
        ),
        "named": texts.named.with_row(number, *_named(page, number, names)),
    }
    rows: dict[str, Any] = {"length": len(page)}
    if topics is not None:
        said = topics.read(page)
        rows |= {"topics": said.theta, "vectors": said.vector}
    for name, value in rows.items():
        changed[name] = getattr(texts, name).copy()
        changed[name][number] = value
    return replace(texts, **changed)


def word_vector(page: Page, vocabulary: Keys, idf: Floats) -> tuple[Ints, Floats]:
    """Words of the vocabulary on the page with their weights (tf-idf), of unit length."""
    keys, tf = np.unique(page.words, return_counts=True)
    column, known = lookup(vocabulary, keys)
    weight = ((1 + np.log(tf[known])) * idf[column[known]]).astype(np.float32)
    return column[known].astype(np.int32), weight / max(float(np.linalg.norm(weight)), 1e-9)


def lookup(among: Keys, keys: Keys) -> tuple[Longs, Bools]:
    """The place of each key among sorted ones, and whether it is there."""
    if not len(among):
        return np.zeros(len(keys), dtype=np.int64), np.zeros(len(keys), dtype=bool)
    at = np.minimum(np.searchsorted(among, keys), len(among) - 1)
    return at, np.asarray(among[at] == keys)


def _cut(column: Ints, weight: Floats) -> tuple[Ints, Floats]:
    if len(column) <= MOST_WORDS_PER_PAGE:
        return column, weight
    best = np.sort(np.argpartition(-weight, MOST_WORDS_PER_PAGE)[:MOST_WORDS_PER_PAGE])
    return column[best], weight[best]


def _named(page: Page, number: int, names: Names) -> tuple[Ints, Floats]:
    """How often the page mentions others by title or redirect."""
    mentions = find_mentions(page, names)
    _, pair = names.pairs_of(mentions.name)
    given = (names.kind[pair] & (GIVEN & ~BOLD_NAME)) > 0
    target, count = np.unique(names.target[pair[given]], return_counts=True)
    other = target != number
    return target[other].astype(np.int32), count[other].astype(np.float32)


def _categories(labels: Sequence[Keys], size: int) -> tuple[Rows, Keys, Floats]:
    """Rows whose product tells how much two pages share, rare labels more than common ones."""
    every = np.concatenate(labels) if labels else np.zeros(0, dtype=np.uint64)
    keys, column, count = np.unique(every, return_inverse=True, return_counts=True)
    weight = np.where(count > 1, np.sqrt(np.log(max(size, 2) / np.maximum(count, 1))), 0)
    idf = weight.astype(np.float32)
    first = np.concatenate([[0], np.cumsum([len(page) for page in labels])]).astype(np.int64)
    return Rows(first, column.astype(np.int32), idf[column]), keys, idf


def _title_shapes(titles: Sequence[str]) -> tuple[Ints, Ints, Ints]:
    shapes = []
    for title in titles:
        words = without_brackets(title).split()
        capitals = sum(word[:1].isupper() for word in words[1:])
        shapes.append((capitals, len(words), sum(word[:1].isdigit() for word in words)))
    return tuple(np.array(shapes, dtype=np.int32).reshape(-1, 3).T)
