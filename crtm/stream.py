"""A corpus that may be larger than memory: its words lie in files and are read when they are needed.

The records are read once. Their words get provisional numbers, in the order in which they appear, and go to disk. When all are read, the
vocabulary is known; the words are read again from disk, and what it does not hold is left out.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crtm.columns import Column, Pieces
from crtm.corpus import (
    TEXT_WORD_KINDS,
    Corpus,
    Links,
    Record,
    SplitRecord,
    Vocabulary,
    index_of,
    known_words,
    rows_of_links,
    split_record,
    vocabulary_of,
)
from crtm.tokenize import TextWords, Words

SPLIT = {"words": np.int32, "starts": np.int32, "ends": np.int32, "sentences": np.int32,
         "shapes": np.uint8, "paragraphs": np.int32, "links": np.int32}  # fmt: skip
TEXT = {f"text_{name}": kind for name, kind in zip(TextWords._fields, TEXT_WORD_KINDS, strict=True)}
TOKENS = {name: kind for name, kind in SPLIT.items() if name != "links"} | {"linked": np.int32}


def streamed(
    records: Iterable[Record],
    folder: str | Path | None = None,
    *,
    vocabulary: Vocabulary | None = None,
    min_documents: int = 2,
    max_share: float = 0.25,
) -> Corpus:
    """Return what ``Corpus.from_records`` returns, with words in files; the records are taken one by one."""
    spooled = _Spooled(records, folder)
    if vocabulary is None:
        vocabulary = vocabulary_of(
            spooled.documents_by_word(), len(spooled.titles), min_documents, max_share
        )
    return _numbered(spooled, vocabulary, folder)


class _Spooled:
    """Records whose words have provisional numbers, on disk."""

    def __init__(self, records: Iterable[Record], folder: str | Path | None) -> None:
        self.titles: list[str] = []
        self.words: dict[str, int] = {}
        self.targets: dict[str, int] = {}
        self._documents = array("q")
        self._pieces = Pieces(SPLIT | TEXT, folder)
        for number, record in enumerate(records, 1):
            self._append(split_record(record, number))

    def _append(self, one: SplitRecord) -> None:
        self.titles.append(one.title)
        words = self.words
        numbers = [words.setdefault(word, len(words)) for word in one.words.words]
        self._documents.extend([0] * (len(words) - len(self._documents)))
        for number in set(numbers):
            self._documents[number] += 1
        targets = self.targets
        links = [
            part
            for start, end, title in one.links
            for part in (start, end, targets.setdefault(title, len(targets)))
        ]
        columns = {name: getattr(one.words, name) for name in SPLIT if name not in ("words", "links")}  # fmt: skip
        columns |= dict(zip(TEXT, one.words.text_words, strict=True))
        self._pieces.append({**columns, "words": np.array(numbers), "links": np.array(links)})

    def documents_by_word(self) -> Counter[str]:
        return Counter(dict(zip(self.words, self._documents, strict=True)))

    def __iter__(self) -> Iterator[SplitRecord]:
        """Yield the records again; in place of words, their provisional numbers."""
        names: Sequence[str] = list(self.targets)
        for title, piece in zip(self.titles, self._pieces.all(), strict=True):
            links = [(a, b, names[t]) for a, b, t in piece["links"].reshape(-1, 3).tolist()]
            columns: dict[str, Any] = {name: piece[name] for name in SPLIT if name != "links"}
            text_words = TextWords(*(piece[name] for name in TEXT))
            yield SplitRecord(title, links, Words(**columns, text_words=text_words))


def _numbered(spooled: _Spooled, vocabulary: Vocabulary, folder: str | Path | None) -> Corpus:
    index = index_of(spooled.titles)
    found = (vocabulary.index.get(word, -1) for word in spooled.words)
    number_of = np.fromiter(found, dtype=np.int32, count=len(spooled.words))
    columns = {name: Column(kind, folder) for name, kind in TOKENS.items()}
    text_columns = {name: Column(kind, folder) for name, kind in TEXT.items()}
    offsets, text_offsets, rows, dropped, all_links = [0], [0], array("i"), 0, 0
    for source, one in enumerate(spooled):
        numbers: Any = one.words.words
        document = known_words(one, number_of[numbers], index)
        own, lost = rows_of_links(source, one.links, document, index, offsets[-1])
        for row in sorted(own):
            rows.extend(row)
        dropped += lost
        all_links += len(one.links)
        offsets.append(offsets[-1] + len(document))
        for name, column in columns.items():
            column.append(getattr(document, name))
        text_offsets.append(text_offsets[-1] + len(document.text_words.starts))
        for column, values in zip(text_columns.values(), document.text_words, strict=True):
            column.append(values)
    links = Links(*np.array(rows, dtype=np.int32).reshape(-1, 6).T.copy())
    return Corpus(
        titles=tuple(spooled.titles),
        vocabulary=vocabulary,
        offsets=np.array(offsets, dtype=np.int64),
        links=links,
        dropped_links=dropped,
        unused_links=all_links - len(links),
        text_words=TextWords(*(column.mapped() for column in text_columns.values())),
        text_offsets=np.array(text_offsets, dtype=np.int64),
        **{name: column.mapped() for name, column in columns.items()},
    )
