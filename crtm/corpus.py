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
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from crtm.errors import CorpusError
from crtm.tokenize import IN_LINK, LINK_BEGINS, TextWords, Words, split_words

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
    outside the corpus, -2 (``UNLINKED``) where there is no link. ``text_words`` are all words of the text, known or not.
    """

    title: str
    words: Ints
    starts: Ints
    ends: Ints
    sentences: Ints
    shapes: npt.NDArray[np.uint8]
    linked: Ints
    paragraphs: Ints
    text_words: TextWords
    number: int = -1

    def __len__(self) -> int:
        return len(self.words)


UNLINKED = -2
ELSEWHERE = -1
TEXT_WORD_KINDS = (np.int32, np.uint16, np.uint8, np.uint8, np.uint32)  # of the fields of TextWords


@dataclass(frozen=True, repr=False)
class Corpus:
    """Documents, their words in one run of tokens (``offsets`` marks where each begins), and the links among them.

    ``unused_links`` counts the links that were read and left out: to documents outside the corpus, to the document itself, twice at
    the same place, or with no known word in the anchor (``dropped_links``). ``text_words`` are all words of the texts, known or not;
    ``text_offsets`` marks where those of each document begin.
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
    text_words: TextWords
    text_offsets: npt.NDArray[np.int64]
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
            self.words_of_text(number),
            number,
        )

    def words_of_text(self, number: int) -> TextWords:
        """Return all words of a document's text, known or not."""
        return self.text_words.part(
            slice(int(self.text_offsets[number]), int(self.text_offsets[number + 1]))
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
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    def without(self, hidden: npt.NDArray[np.bool_]) -> Corpus:
        """Return the corpus without the chosen links; the words of their anchors become plain text."""
        gone = self.links[hidden]
        linked = self.linked.copy()
        for first, last in zip(gone.first, gone.last, strict=True):
            linked[first:last] = UNLINKED
        looks = self.text_words.looks.copy()
        for source, start, end in zip(gone.source, gone.start, gone.end, strict=True):
            own = slice(int(self.text_offsets[source]), int(self.text_offsets[source + 1]))
            first, last = words_within(self.text_words.part(own), int(start), int(end))
            looks[own][first:last] &= np.uint8(255 - IN_LINK - LINK_BEGINS)
        text_words = self.text_words._replace(looks=looks)
        return replace(self, links=self.links[~hidden], linked=linked, text_words=text_words)

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
    def from_stream(
        cls, records: Iterable[Record], *, folder: str | Path | None = None, **vocabulary: Any
    ) -> Corpus:
        """Return the corpus that ``from_records`` would, with its words in files: it may be larger than memory.

        The records are taken one by one, once. The files lie in ``folder`` and vanish with the corpus.
        """
        from crtm.stream import streamed

        return streamed(records, folder, **vocabulary)

    @staticmethod
    def iter_records(path: str | Path) -> Iterator[Record]:
        """Yield the documents of a JSON lines file one by one; refuse a line that is not a document, by its number."""
        return iter_records(path)

    def chosen(self, documents: npt.NDArray[np.int64]) -> Corpus:
        """Return the corpus of some documents, in this order, with the links among them."""
        number = np.full(len(self) + 2, ELSEWHERE, dtype=np.int32)
        number[documents] = np.arange(len(documents))
        number[UNLINKED] = (
            UNLINKED  # the last but one place, where UNLINKED points; ELSEWHERE is the last
        )
        part = self.sources(documents)
        links = replace(part.links, target=number[part.links.target])
        inside = links.target >= 0
        return replace(part, links=links[inside], linked=number[part.linked])

    def sources(self, documents: npt.NDArray[np.int64]) -> Corpus:
        """Return some documents with all their links; targets keep their numbers, also those that are not chosen."""
        offsets, tokens = _picked(self.offsets, documents)
        by_source = np.searchsorted(self.links.source, [documents, documents + 1])
        counts = by_source[1] - by_source[0]
        rows = np.arange(counts.sum()) + np.repeat(
            by_source[0] - (np.cumsum(counts) - counts), counts
        )
        source = np.repeat(np.arange(len(documents), dtype=np.int32), counts)
        links = self.links[rows]
        shift = (self.offsets[documents] - offsets[:-1])[source]
        first, last = ((at - shift).astype(np.int32) for at in (links.first, links.last))
        names = ("words", "starts", "ends", "sentences", "shapes", "linked", "paragraphs")
        text_offsets, text_rows = _picked(self.text_offsets, documents)
        return replace(
            self,
            text_words=self.text_words.part(text_rows),
            text_offsets=text_offsets,
            titles=tuple(self.titles[d] for d in documents.tolist()),
            offsets=offsets,
            links=replace(links, source=source, first=first, last=last),
            unused_links=0,
            dropped_links=0,
            **{name: getattr(self, name)[tokens] for name in names},
        )

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
        split = [split_record(record, number) for number, record in enumerate(records, 1)]
        if vocabulary is None:
            vocabulary = vocabulary_of(
                Counter(word for one in split for word in set(one.words.words)),
                len(split),
                min_documents,
                max_share,
            )
        titles = tuple(one.title for one in split)
        index = index_of(titles)
        return _assembled(titles, index, vocabulary, split)


def _picked(
    offsets: npt.NDArray[np.int64], documents: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the offsets of the chosen documents' rows, and the rows."""
    lengths = np.diff(offsets)[documents]
    own = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return own, np.arange(own[-1]) + np.repeat(offsets[documents] - own[:-1], lengths)


def index_of(titles: Sequence[str]) -> dict[str, int]:
    """Return the number of each title; refuse two documents with one title."""
    index = {title: number for number, title in enumerate(titles)}
    if len(index) < len(titles):
        twice = next(title for title, count in Counter(titles).items() if count > 1)
        raise CorpusError(f'Two documents have the title "{twice}"; titles must differ.')
    return index


@dataclass(frozen=True, slots=True)
class SplitRecord:
    """A record whose text was split into words; the text itself is not kept."""

    title: str
    links: Sequence[Any]
    words: Words


def split_record(record: Any, number: int) -> SplitRecord:
    record = _checked(record, number)
    return SplitRecord(record["title"], record.get("links", ()), split_words(record["text"]))


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


def is_stream(corpus: Any) -> TypeGuard[Iterable[Record]]:
    """Tell whether this is an iterable of records, and not a corpus, a path or one record."""
    return isinstance(corpus, Iterable) and not isinstance(corpus, Corpus | str | Path | Mapping)


def vocabulary_of(
    documents: Mapping[str, int], total: int, min_documents: int = 2, max_share: float = 0.25
) -> Vocabulary:
    """Return the words found in at least ``min_documents`` and at most ``max_share`` of the documents, of which there are ``total``."""
    most = max(max_share * total, min_documents)
    return Vocabulary(tuple(sorted(w for w, n in documents.items() if min_documents <= n <= most)))


def encode(record: Record, vocabulary: Vocabulary, titles: Mapping[str, int]) -> Document:
    """Return a document that need not be in the corpus, as the vocabulary sees it."""
    return _encoded(split_record(record, 1), vocabulary, titles)


def _encoded(one: SplitRecord, vocabulary: Vocabulary, titles: Mapping[str, int]) -> Document:
    found = map(vocabulary.index.get, one.words.words, repeat(-1))
    return known_words(one, np.fromiter(found, dtype=np.int32, count=len(one.words.words)), titles)


def known_words(one: SplitRecord, numbers: Ints, titles: Mapping[str, int]) -> Document:
    """Return the document of the words with a number of 0 or more."""
    split = one.words
    known = numbers >= 0
    starts, ends = split.starts[known], split.ends[known]
    linked = np.full(len(starts), UNLINKED, dtype=np.int32)
    looks = split.text_words.looks.copy()
    spans = link_spans(one.links)
    tokens = tokens_within(starts, ends, spans)
    words = tokens_within(split.text_words.starts, split.text_words.ends, spans)
    for (_, _, target), token, word in zip(one.links, tokens, words, strict=True):
        linked[slice(*token)] = titles.get(target, ELSEWHERE)
        first, last = word
        looks[first:last] |= IN_LINK
        looks[first : min(last, first + 1)] |= LINK_BEGINS
    return Document(
        one.title,
        numbers[known],
        starts,
        ends,
        split.sentences[known],
        split.shapes[known],
        linked,
        split.paragraphs[known],
        split.text_words._replace(looks=looks),
        titles.get(one.title, -1),
    )


def words_within(words: TextWords, start: int, end: int) -> tuple[int, int]:
    """Return the range of a text's words that share a character with the span."""
    return tokens_within(words.starts, words.ends, np.array([[start, end]]))[0]


def link_spans(links: Sequence[Any]) -> npt.NDArray[np.int64]:
    """Return where the links [start, end, target] begin and end, (links, 2)."""
    return np.array([(start, end) for start, end, _ in links], dtype=np.int64).reshape(-1, 2)


def tokens_within(starts: Ints, ends: Ints, spans: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return the range of tokens that share a character with each span."""
    first = np.searchsorted(ends, spans[:, 0], side="right")
    last = np.maximum(first, np.searchsorted(starts, spans[:, 1], side="left"))
    return list(zip(first.tolist(), last.tolist(), strict=True))


def _assembled(
    titles: tuple[str, ...],
    index: Mapping[str, int],
    vocabulary: Vocabulary,
    split: list[SplitRecord],
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
        *joined_text_words([document.text_words for document in documents]),
        sum(map(len, link_lists)) - len(links),
    )


def joined_text_words(texts: Sequence[TextWords]) -> tuple[TextWords, npt.NDArray[np.int64]]:
    """Return the words of several texts in one run, and where those of each begin."""
    sizes = [len(text.starts) for text in texts]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    kinds = zip(TextWords._fields, TEXT_WORD_KINDS, strict=True)
    none = TextWords(*(np.empty(0, dtype=kind) for kind in TEXT_WORD_KINDS))
    columns = {
        name: np.concatenate([getattr(text, name) for text in (none, *texts)]).astype(kind)
        for name, kind in kinds
    }
    return TextWords(**columns), offsets


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
        own, lost = rows_of_links(source, links, document, index, int(offsets[source]))
        rows |= own
        dropped += lost
    return rows, dropped


def rows_of_links(
    source: int, links: Sequence[Any], document: Document, index: Mapping[str, int], base: int
) -> tuple[set[tuple[int, ...]], int]:
    """Return the same for one document, whose first token has the number ``base``."""
    rows: set[tuple[int, ...]] = set()
    dropped = 0
    places = tokens_within(document.starts, document.ends, link_spans(links))
    for (start, end, title), (first, last) in zip(links, places, strict=True):
        target = index.get(title, source)
        if target == source:
            continue
        if first == last:
            dropped += 1
            continue
        rows.add((source, target, base + first, base + last, start, end))
    return rows, dropped
