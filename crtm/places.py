"""Places of a document where a link could go: its sentences and paragraphs, and what is left of it when names are masked.

To learn where a link fits when no name of the target is there, the names are taken out of pages whose links are known:
the anchor and every other mention of the target (``without_mentions``), or the whole sentence (``without_sentence``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from crtm.corpus import Corpus, Document, Links, Vocabulary
from crtm.tokenize import split_words

Bools = npt.NDArray[np.bool_]
Longs = npt.NDArray[np.int64]
Name = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Segments:
    """The sentences or paragraphs of a document: tokens ``first[i]`` to ``last[i]`` each; ``of_token`` numbers them from 0."""

    of_token: Longs
    first: Longs
    last: Longs

    def __len__(self) -> int:
        return len(self.first)


def segments(document: Document, kind: str) -> Segments:
    """Return the document's sentences (``kind="sentence"``) or paragraphs (``"paragraph"``) that have a known word."""
    numbers = document.sentences if kind == "sentence" else document.paragraphs
    change = np.diff(numbers, prepend=-1) != 0
    first = np.flatnonzero(change)
    return Segments(np.cumsum(change) - 1, first, np.append(first[1:], len(numbers)).astype(int))


def keep_tokens(document: Document, keep: Bools) -> Document:
    """Return the document with only the tokens to keep."""
    arrays = ("words", "starts", "ends", "sentences", "shapes", "linked", "paragraphs")
    return replace(document, **{name: getattr(document, name)[keep] for name in arrays})


@dataclass(frozen=True, slots=True)
class Names:
    """How each document is called: its title and the anchors of links to it, as runs of known words."""

    of_target: tuple[frozenset[Name], ...]

    @classmethod
    def of(cls, corpus: Corpus) -> Names:
        """Collect titles and anchors of a corpus."""
        found = [{title_name(title, corpus.vocabulary)} for title in corpus.titles]
        links = corpus.links
        for target, first, last in zip(links.target, links.first, links.last, strict=True):
            found[target].add(tuple(corpus.words[first:last].tolist()))
        return cls(tuple(frozenset(names - {()}) for names in found))


def title_name(title: str, vocabulary: Vocabulary) -> Name:
    """Return the known words of a title, without what stands in brackets at its end."""
    words = split_words(title.split(" (")[0]).words
    return tuple(vocabulary.index[word] for word in words if word in vocabulary.index)


def mentions(words: npt.NDArray[Any], names: Sequence[Name] | frozenset[Name]) -> Bools:
    """Tell for each token whether it is part of one of the names.

    >>> mentions(np.array([4, 7, 8, 4, 8]), [(7, 8), (4,)]).tolist()
    [True, True, True, True, False]
    """
    inside = np.zeros(len(words), dtype=bool)
    for name in names:
        size = len(name)
        if not 0 < size <= len(words):
            continue
        begins = np.ones(len(words) - size + 1, dtype=bool)
        for place, word in enumerate(name):
            begins &= words[place : len(words) - size + 1 + place] == word
        for begin in np.flatnonzero(begins):
            inside[begin : begin + size] = True
    return inside


def anchor_tokens(document: Document, link: Links) -> Bools:
    """Tell for each token of the source whether the (single) link's anchor covers it."""
    inside: Bools = (document.starts < link.end[0]) & (document.ends > link.start[0])
    return inside


def without_mentions(document: Document, anchor: Bools, names: frozenset[Name]) -> Document:
    """Return the document without the anchor and without any mention of the target by one of its names."""
    own = {tuple(document.words[anchor].tolist())}
    return keep_tokens(document, ~(anchor | mentions(document.words, names | own)))


def without_sentence(document: Document, anchor: Bools, names: frozenset[Name]) -> Document:
    """Return the document without the anchor's sentence and without any other mention of the target."""
    own = {tuple(document.words[anchor].tolist())}
    gone = np.isin(document.sentences, document.sentences[anchor])
    return keep_tokens(document, ~(gone | anchor | mentions(document.words, names | own)))
