"""CRTM for the linker: pages as it reads them, and what it learned as plain arrays.

Topics and vectors of a page are always computed from these arrays and the page's words, so that a page
scored alone has the same ones as in the nightly run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from wikibot.linker.page import HYPHEN, Floats, Ints, Keys, Page, word_key, word_keys

if TYPE_CHECKING:
    from crtm import CRTM

_JOINTS = (" ", "-", "'", ".", ", ", ". ", "\n")  # by what stood between two words
STEPS = 10  # of finding a page's topics
TOPIC_PASSES = 12  # over all pages, to learn topics; fewer where there are very many pages
FEWEST_PASSES = 2
ALPHA = 0.1
FULL_BATCH_PAGES = 10_000  # that CRTM learns from at once; from more it learns in batches
BATCH_PAGES = 2_000
MOST_TOPIC_PAGES = 100_000  # that CRTM learns from; the topics of others are found by their words
PAGES_PER_RARE_WORD = 5_000  # in batches, a word counts that one page in so many has
TOPICS_PER_PAGE = 4  # under which a page is found again


def topic_count(pages: int) -> int:
    """Enough topics to tell pages apart, few enough that each is seen on many."""
    return int(np.clip(2 * np.sqrt(pages), 8, 150))


def record(page: Page, *, words: int | None = None) -> dict[str, Any]:
    """A page as CRTM reads it: plain text, and its links [start, end, title] in it."""
    last = len(page) if words is None else min(words, len(page))
    pieces, starts, ends = _laid_out(page, last)
    links = [
        (int(starts[a]), int(ends[b - 1]), title)
        for a, b, title in zip(page.links.first.tolist(), page.links.last.tolist(), page.links.target, strict=True)
        if a < b <= last
    ]  # fmt: skip
    return {"title": page.title, "text": "".join(pieces), "links": links}


def word_starts(page: Page) -> np.ndarray:
    """Where each word of the page begins in the text of its `record`."""
    return _laid_out(page, len(page))[1]


def _laid_out(page: Page, last: int) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The first words and what parts them, and where each word starts and ends in all of it together."""
    spelled = page.spelled(0, last)
    joints = [_JOINTS[gap] for gap in page.column("gap")[:last].tolist()]
    pieces = [piece for pair in zip(joints, spelled, strict=True) for piece in pair][1:]
    lengths = np.array([len(piece) for piece in pieces], dtype=np.int64)
    ends = np.cumsum(lengths)[::2]
    return pieces, ends - lengths[::2], ends


def topic_keys(page: Page) -> Keys:
    """The keys of the page's words as CRTM tells them apart: each part of Spider-Man is Spider-Man."""
    hyphen = np.append(page.column("gap") == HYPHEN, False)
    begins = np.flatnonzero(~hyphen[:-1] & hyphen[1:])
    if not len(begins):
        return page.words
    keys = page.words.copy()
    ends = np.flatnonzero(hyphen[:-1] & ~hyphen[1:]) + 1
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        keys[begin:end] = word_key("-".join(page.spelled(begin, end - begin)))
    return np.asarray(keys)


@dataclass(frozen=True, slots=True)
class PageTopics:
    """Topics of a page, which sum to one, its vector of unit length, and the vectors of its words."""

    theta: Floats
    vector: Floats
    words: Floats


@dataclass(frozen=True, slots=True)
class TopicTables:
    """Words by key, with their topics and vectors; `centre` is the mean of all pages' vectors."""

    keys: Keys  # sorted
    topics: Floats  # (word, topic): p(word | topic)
    vectors: Floats  # (word, dimension)
    centre: Floats

    @classmethod
    def of(cls, model: CRTM, pages: Iterable[Page]) -> TopicTables:
        """The tables of a fitted model; the pages show what all pages share."""
        fitted = model.fitted_.topics
        keys = word_keys(model.vocabulary_.words)
        order = np.argsort(keys)
        tables = cls(
            keys[order],
            np.asarray(fitted.topic_word[order], dtype=np.float32),
            np.asarray(fitted.vectors[order], dtype=np.float32),
            np.zeros(fitted.vectors.shape[1], dtype=np.float32),
        )
        total, count = tables.centre.copy(), 0
        for page in pages:
            total += tables.vector(page)
            count += 1
        return cls(tables.keys, tables.topics, tables.vectors, total / max(1, count))

    def read(self, page: Page) -> PageTopics:
        """What the model says of a page."""
        if not len(self.keys):
            return PageTopics(self.centre[:0], self.centre, np.zeros((len(page), len(self.centre)), dtype=np.float32))  # fmt: skip
        keys, place, count = np.unique(topic_keys(page), return_inverse=True, return_counts=True)
        at, known = self._found(keys)
        words, amount = at[known], count[known].astype(np.float32)
        table = np.where(known[:, None], self.vectors[at], np.float32(0))
        vectors = table[place]
        return PageTopics(self._topics(words, amount), self._vector(words, amount), vectors)

    def vector(self, page: Page) -> Floats:
        """The page's vector alone, sooner found."""
        if not len(self.keys):
            return self.centre
        keys, count = np.unique(topic_keys(page), return_counts=True)
        at, known = self._found(keys)
        return self._vector(at[known], count[known].astype(np.float32))

    def _found(self, keys: Keys) -> tuple[np.ndarray, np.ndarray]:
        """Where the words of these keys stand, and whether they are known at all."""
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return at, self.keys[at] == keys

    def _topics(self, words: np.ndarray, count: Floats) -> Floats:
        likely = np.asarray(self.topics[words])
        theta = np.full(self.topics.shape[1], 1 / self.topics.shape[1], dtype=np.float32)
        for _ in range(STEPS):
            mass = likely @ theta
            theta = ALPHA / len(theta) + theta * (likely.T @ (count / np.maximum(mass, 1e-20)))
            theta /= theta.sum()
        return theta

    def _vector(self, words: np.ndarray, count: Floats) -> Floats:
        return unit(unit(count @ self.vectors[words]) - self.centre)


def unit(vector: Floats) -> Floats:
    """Scale to unit length; what is shorter than rounding error becomes zero."""
    length = float(np.linalg.norm(vector))
    return np.asarray(vector / length if length > 1e-6 else vector * 0, dtype=np.float32)


def units(vectors: Floats) -> Floats:
    """Scale rows to unit length; rows shorter than rounding error become zero."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return np.asarray(vectors / np.maximum(lengths, 1e-6), dtype=np.float32)


def main_topics(topics: Floats) -> Ints:
    """The topics of the greatest shares, for each row."""
    count = min(TOPICS_PER_PAGE, topics.shape[1])
    return np.argsort(-topics, axis=1, kind="stable")[:, :count].astype(np.int32)


def topic_passes(pages: int) -> int:
    """How often CRTM goes over its pages: of very many, each is seen less often.

    >>> topic_passes(500), topic_passes(25_000), topic_passes(100_000)
    (12, 5, 2)
    """
    enough = round(TOPIC_PASSES * FULL_BATCH_PAGES / max(1, pages))
    return min(TOPIC_PASSES, max(FEWEST_PASSES, enough))


def fit_topics(
    pages: Iterable[Page],
    topics: int,
    *,
    size: int = 0,
    on_pages: Callable[[int], None] | None = None,
) -> CRTM:
    """CRTM learned from the texts and links of these pages.

    SIZE is their number, if it is known: so many that they may not fit into memory are streamed, and
    learned from in batches. `on_pages` is told how many pages are done, each pass over them counted.
    """
    import warnings

    from crtm import CRTM, Corpus

    records = (record(page) for page in pages)
    model = CRTM(topics, max_iter=topic_passes(size))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a wiki without links is reported by the command
        if size <= FULL_BATCH_PAGES:
            corpus = Corpus.from_records(records)
            told = None if on_pages is None else lambda one: on_pages(one.number * len(corpus))
            return model.fit(corpus, on_iteration=told)
        corpus = Corpus.from_stream(records, min_documents=max(2, size // PAGES_PER_RARE_WORD))
        return model.fit(
            corpus, batch_size=BATCH_PAGES, keep_documents=FULL_BATCH_PAGES, on_batch=on_pages
        )
