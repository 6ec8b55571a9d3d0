"""Split text into words with offsets in code points, sentences and letter case, whatever the language."""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")  # an apostrophe parts words: Aquaman's, l'uomo
LETTER = re.compile(r"[^\W\d_]")
SENTENCE_BREAK = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_])|\n+")
PARAGRAPH_BREAK = re.compile(r"\n+")

CAPITAL = 1  # the word starts with a capital letter
FIRST = 2  # it is the first word of its sentence
CAPITAL_BEFORE = 4  # the word before it, with only white space between, starts with a capital
CAPITAL_AFTER = 8  # the word after it does
SHOUTED = 16  # it has a capital letter after its first letter
HAS_LETTER = 32  # inside this module only: it is not a number

LAST_SPACE = 0x3000  # the white space with the highest code point
IS_SPACE = np.array([chr(code).isspace() for code in range(LAST_SPACE + 2)])
Offsets = npt.NDArray[np.int32]


class Words(NamedTuple):
    """The words of a text in lower case, with their offsets (code points), sentences, letter case and paragraphs (lines)."""

    words: list[str]
    starts: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int32]
    sentences: npt.NDArray[np.int32]
    shapes: npt.NDArray[np.uint8]
    paragraphs: npt.NDArray[np.int32]


def split_words(text: str) -> Words:
    """Return every word of at least two characters that is not a number.

    >>> split_words("In 1962 Peter fell. He rose.").words
    ['in', 'peter', 'fell', 'he', 'rose']
    """
    surfaces = WORD.findall(text)
    forms = list(map(_form, surfaces))
    looks = np.fromiter((look for _, look in forms), dtype=np.uint8, count=len(forms))
    lengths = np.fromiter(map(len, surfaces), dtype=np.int32, count=len(forms))
    has_letter = (looks & HAS_LETTER) > 0
    starts = np.fromiter((match.start() for match in WORD.finditer(text)), np.int32, len(forms))
    starts, lengths, looks = starts[has_letter], lengths[has_letter], looks[has_letter]
    sentences = _part_numbers(SENTENCE_BREAK, text, starts)
    shapes = _shapes(looks, sentences, _is_spaced(text, starts, starts + lengths))
    keep = lengths >= 2
    return Words(
        [
            word
            for (word, look), surface in zip(forms, surfaces, strict=True)
            if look & HAS_LETTER and len(surface) >= 2
        ],
        starts[keep],
        (starts + lengths)[keep],
        sentences.astype(np.int32)[keep],
        shapes[keep],
        _part_numbers(PARAGRAPH_BREAK, text, starts).astype(np.int32)[keep],
    )


def _part_numbers(border: re.Pattern[str], text: str, starts: Offsets) -> npt.NDArray[np.int64]:
    """Return for each word the number of borders before it."""
    ends = np.array([match.end() for match in border.finditer(text)], dtype=np.int64)
    return np.searchsorted(ends, starts, side="right")


@lru_cache(maxsize=1 << 16)
def _form(surface: str) -> tuple[str, int]:
    """Return the word in lower case, one object for all its occurrences, and how its surface looks."""
    look = CAPITAL * surface[0].isupper() + SHOUTED * (surface[1:] != surface[1:].lower())
    return sys.intern(surface.lower()), look + HAS_LETTER * bool(LETTER.search(surface))


def _is_spaced(text: str, starts: Offsets, ends: Offsets) -> npt.NDArray[np.bool_]:
    """Tell for each word whether white space, and nothing else, separates it from the word before."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    others = np.zeros(len(codes) + 1, dtype=np.int32)
    np.cumsum(~IS_SPACE[np.minimum(codes, LAST_SPACE + 1)], out=others[1:])
    spaced = np.zeros(len(starts), dtype=bool)
    spaced[1:] = (others[starts[1:]] == others[ends[:-1]]) & (starts[1:] > ends[:-1])
    return spaced


def _shapes(
    looks: npt.NDArray[np.uint8],
    sentences: npt.NDArray[np.int64],
    spaced: npt.NDArray[np.bool_],
) -> npt.NDArray[np.uint8]:
    """Return the flags of each word: its own look, and those that depend on its neighbours."""
    capital = (looks & CAPITAL) > 0
    first = np.ones(len(looks), dtype=bool)
    first[1:] = sentences[1:] != sentences[:-1]
    adjacent = spaced & ~first
    before, after = np.zeros_like(first), np.zeros_like(first)
    before[1:] = capital[:-1] & adjacent[1:]
    after[:-1] = capital[1:] & adjacent[1:]
    own = looks & (CAPITAL | SHOUTED)
    result: npt.NDArray[np.uint8] = (
        own + first * FIRST + before * CAPITAL_BEFORE + after * CAPITAL_AFTER
    ).astype(np.uint8)
    return result
