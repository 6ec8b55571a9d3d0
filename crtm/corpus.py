"""Documents with anchored links, as arrays.

A corpus is JSON lines, one document each: ``{"title", "text", "links": [[start, end, "target title"], ...]}``, with
offsets in code points. Words become numbers of one vocabulary; words in too few or too many documents are dropped.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from crtm.errors import CorpusError
from crtm.tokenize import Words, split_words

Ints = npt.NDArray[np.int32]
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Vocabulary:
    """The words a model knows, sorted; ``index`` gives a word's number."""

    words: tuple[str, ...]

    @cached_property
    def index(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256("\n".join(self.words).encode()).hexdigest()

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True, slots=True)
class Links:
    """Anchored links inside a corpus: tokens ``first`` to ``last`` (not included) of ``source`` point at ``target``.

    ``start`` and ``end`` are the anchor's code points in the source's text; tokens are numbered over the whole corpus.
    """

    source: Ints
    target: Ints
    first: Ints
    last: Ints
    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.source)

    def __getitem__(self, chosen: Any) -> Links:
        return Links(*(getattr(self, name)[chosen] for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class Document:
    """One text as the vocabulary sees it: known words only, in order, with offsets, sentences and letter case.

    ``linked`` gives for each token the target of the link around it: a document number, -1 (``ELSEWHERE``) for a document
    outside the corpus, -2 (``UNLINKED``) where there is no link.
    """

    title: str
    words: Ints
    starts: Ints
    ends: Ints
    sentences: Ints
    shapes: npt.NDArray[np.uint8]
    linked: Ints
    paragraphs: Ints
    number: int = -1

    def __len__(self) -> int:
        return len(self.words)


UNLINKED = -2
ELSEWHERE = -1


@dataclass(frozen=True, repr=False)
class Corpus:
    """Documents, their words in one run of tokens (``offsets`` marks where each begins), and the links among them.

    ``unused_links`` counts the links that were read and left out: to documents outside the corpus, to the document itself, twice at
    the same place, or with no known word in the anchor (``dropped_links``).
    """

    titles: tuple[str, ...]
    vocabulary: Vocabulary
    offsets: npt.NDArray[np.int64]
    words: Ints
    starts: Ints
    ends: Ints
    sentences: Ints
    shapes: npt.NDArray[np.uint8]
    links: Links
    dropped_links: int
    linked: Ints
    paragraphs: Ints
    unused_links: int = 0

    def __len__(self) -> int:
        return len(self.titles)

    def __repr__(self) -> str:
        return (
            f"Corpus({len(self):,} documents, {len(self.words):,} known words, {len(self.links):,} links, "
            f"{self.unused_links:,} unused)"
        )

    def __getitem__(self, number: int) -> Document:
        own = slice(int(self.offsets[number]), int(self.offsets[number + 1]))
        return Document(
            self.titles[number],
            self.words[own],
            self.starts[own],
            self.ends[own],
            self.sentences[own],
            self.shapes[own],
            self.linked[own],
            self.paragraphs[own],
            number,
        )

    @cached_property
    def index(self) -> dict[str, int]:
        """Document numbers by title."""
        return {title: number for number, title in enumerate(self.titles)}

    @cached_property
    def lengths(self) -> npt.NDArray[np.int64]:
        """The number of known words of each document."""
        return np.diff(self.offsets)

    @cached_property
    def sha256(self) -> str:
        """A hash of all that a model learns from: titles, words, links."""
        digest = hashlib.sha256(self.vocabulary.sha256.encode())
        digest.update("\n".join(self.titles).encode())
        for array in (
            self.offsets,
            self.words,
            self.links.source,
            self.links.target,
            self.links.first,
        ):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def without(self, hidden: npt.NDArray[np.bool_]) -> Corpus:
        """Return the corpus without the chosen links; the words of their anchors become plain text."""
        gone = self.links[hidden]
        linked = self.linked.copy()
        for first, last in zip(gone.first, gone.last, strict=True):
            linked[first:last] = UNLINKED
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return Corpus(**{**values, "links": self.links[~hidden], "linked": linked})

    def with_tokens(self, keep: npt.NDArray[np.bool_]) -> Corpus:
        """Return the corpus with only the tokens to keep; links that lose all their words are gone."""
        number = np.concatenate([[0], np.cumsum(keep)])
        first, last = (number[self.links.first], number[self.links.last])
        moved = replace(self.links, first=first.astype(np.int32), last=last.astype(np.int32))
        names = ("words", "starts", "ends", "sentences", "shapes", "linked", "paragraphs")
        kept = {name: getattr(self, name)[keep] for name in names}
        return replace(self, offsets=number[self.offsets], links=moved[last > first], **kept)

    @classmethod
    def from_jsonl(cls, path: str | Path, **vocabulary: Any) -> Corpus:
        """Read a corpus from JSON lines; refuse a line that is not a document, by its number."""
        return cls.from_records(iter_records(path), **vocabulary)

    @classmethod
    def from_wikibot(
        cls, database: str | Path, *, wiki: str | None = None, **vocabulary: Any
    ) -> Corpus:
        """Read the articles of a wiki from a database of ``wikibot``, which must be installed; refuse one that cannot be read."""
        return cls.from_records(wikibot_records(database, wiki), **vocabulary)

    @classmethod
    def from_records(
        cls,
        records: Iterable[Record],
        *,
        min_documents: int = 2,
        max_share: float = 0.25,
        vocabulary: Vocabulary | None = None,
    ) -> Corpus:
        """Number the words found in at least ``min_documents`` and at most ``max_share`` of the documents, or those of a vocabulary."""
        split = [_split(record, number) for number, record in enumerate(records, 1)]
        if vocabulary is None:
            vocabulary = _vocabulary([one.words for one in split], min_documents, max_share)
        titles = tuple(one.title for one in split)
        index = {title: number for number, title in enumerate(titles)}
        if len(index) < len(titles):
            twice = next(title for title, count in Counter(titles).items() if count > 1)
            raise CorpusError(f'Two documents have the title "{twice}"; titles must differ.')
        return _assembled(titles, index, vocabulary, split)


@dataclass(frozen=True, slots=True)
class _Split:
    """A record whose text was split into words; the text itself is not kept."""

    title: str
    links: Sequence[Any]
    words: Words


def _split(record: Any, number: int) -> _Split:
    record = _checked(record, number)
    return _Split(record["title"], record.get("links", ()), split_words(record["text"]))


def read_records(path: str | Path) -> list[Record]:
    """Return the documents of a JSON lines file."""
    return list(iter_records(path))


def iter_records(path: str | Path) -> Iterator[Record]:
    """Yield the documents of a JSON lines file; refuse a line that is not a document, by its number."""
    number = 0
    try:
        with Path(path).open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield _checked(json.loads(line), number)
    except OSError as error:
        raise CorpusError(f"{path} could not be read: {error.strerror}.") from error
    except json.JSONDecodeError as error:
        raise CorpusError(
            f"{path} is not JSON lines: line {number} is not valid JSON ({error.msg} at character {error.pos + 1}). "
            "Every line must hold one document."
        ) from error
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"{path} is not JSON lines: after line {number} it is not UTF-8 text ({error.reason})."
        ) from error


def wikibot_records(database: str | Path, wiki: str | None = None) -> list[Record]:
    """Return what ``wikibot corpus --db`` prints; it runs in a process of its own, since this library knows nothing of wikis."""
    command = [sys.executable, "-m", "wikibot", "corpus", "--db", str(database)]
    done = subprocess.run([*command, *(("--wiki", wiki) if wiki else ())], capture_output=True)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = said[-1].removeprefix("wikibot: ") if said else f"it ended with {done.returncode}"
        raise CorpusError(f"{database} could not be read as a database of wikibot: {why}")
    lines = done.stdout.decode("utf-8").splitlines()
    return [_checked(json.loads(line), number) for number, line in enumerate(lines, 1)]


def _checked(record: Any, number: int) -> Record:
    """Return the record if it has a title, a text and links that lie inside the text."""
    if not isinstance(record, Mapping) or not isinstance(record.get("title"), str):
        raise CorpusError(
            f'Document {number} has no "title"; it must be an object with title, text and links.'
        )
    title, text, links = record["title"], record.get("text"), record.get("links", [])
    if not isinstance(text, str):
        raise CorpusError(f'Document {number} ("{title}") has no "text".')
    if not isinstance(links, Sequence):
        raise CorpusError(f'The links of "{title}" are not a list: {links!r}.')
    for link in links:
        if not _is_triple(link):
            raise CorpusError(f'A link of "{title}" is not [start, end, "target title"]: {link!r}.')
        if not 0 <= link[0] <= link[1] <= len(text):
            raise CorpusError(f'A link of "{title}" lies outside its text: {link!r}.')
    return record


def _is_triple(link: Any) -> bool:
    if not isinstance(link, Sequence) or len(link) != 3:
        return False
    return all(isinstance(part, kind) for part, kind in zip(link, (int, int, str), strict=True))


def _vocabulary(split: Sequence[Words], min_documents: int, max_share: float) -> Vocabulary:
    documents = Counter(word for words in split for word in set(words.words))
    most = max(max_share * len(split), min_documents)
    return Vocabulary(tuple(sorted(w for w, n in documents.items() if min_documents <= n <= most)))


def encode(record: Record, vocabulary: Vocabulary, titles: Mapping[str, int]) -> Document:
    """Return a document that need not be in the corpus, as the vocabulary sees it."""
    return _encoded(_split(record, 1), vocabulary, titles)


def _encoded(one: _Split, vocabulary: Vocabulary, titles: Mapping[str, int]) -> Document:
    split = one.words
    found = map(vocabulary.index.get, split.words, repeat(-1))
    numbers = np.fromiter(found, dtype=np.int32, count=len(split.words))
    known = numbers >= 0
    starts, ends = split.starts[known], split.ends[known]
    linked = np.full(len(starts), UNLINKED, dtype=np.int32)
    for start, end, target in one.links:
        first, last = _tokens_within(starts, ends, start, end)
        linked[first:last] = titles.get(target, ELSEWHERE)
    return Document(
        one.title,
        numbers[known],
        starts,
        ends,
        split.sentences[known],
        split.shapes[known],
        linked,
        split.paragraphs[known],
        titles.get(one.title, -1),
    )


def _tokens_within(starts: Ints, ends: Ints, start: int, end: int) -> tuple[int, int]:
    """Return the range of tokens that share a character with the span."""
    first = int(np.searchsorted(ends, start, side="right"))
    last = int(np.searchsorted(starts, end, side="left"))
    return first, max(first, last)


def _assembled(
    titles: tuple[str, ...],
    index: Mapping[str, int],
    vocabulary: Vocabulary,
    split: list[_Split],
) -> Corpus:
    """Return the corpus of the split records; empties ``split`` on the way, since both together would take twice the memory."""
    documents, link_lists = [], []
    split.reverse()
    while split:
        one = split.pop()
        documents.append(_encoded(one, vocabulary, index))
        link_lists.append(one.links)
    offsets = np.concatenate([[0], np.cumsum([len(document) for document in documents])]).astype(
        np.int64
    )
    rows, dropped = _link_rows(link_lists, documents, index, offsets)
    links = Links(
        *np.array(sorted(rows), dtype=np.int32).reshape(-1, 6).T.copy()[[0, 1, 2, 3, 4, 5]]
    )

    def joined(name: str, kind: Any = np.int32) -> Any:
        return np.concatenate([getattr(document, name) for document in documents] or [[]]).astype(
            kind
        )

    return Corpus(
        titles,
        vocabulary,
        offsets,
        joined("words"),
        joined("starts"),
        joined("ends"),
        joined("sentences"),
        joined("shapes", np.uint8),
        links,
        dropped,
        joined("linked"),
        joined("paragraphs"),
        sum(map(len, link_lists)) - len(links),
    )


def _link_rows(
    link_lists: Sequence[Sequence[Any]],
    documents: Sequence[Document],
    index: Mapping[str, int],
    offsets: npt.NDArray[np.int64],
) -> tuple[set[tuple[int, ...]], int]:
    """Return the links between two different documents, and the number of links left out because no word of their anchor is known."""
    rows: set[tuple[int, ...]] = set()
    dropped = 0
    for source, (links, document) in enumerate(zip(link_lists, documents, strict=True)):
        for start, end, title in links:
            target = index.get(title, source)
            if target == source:
                continue
            first, last = _tokens_within(document.starts, document.ends, start, end)
            if first == last:
                dropped += 1
                continue
            base = int(offsets[source])
            rows.add((source, target, base + first, base + last, start, end))
    return rows, dropped
