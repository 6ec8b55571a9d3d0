"""Split text into words with offsets in code points, sentences and letter case, whatever the language."""

from __future__ import annotations

import re
import sys
import unicodedata
import zlib
from functools import lru_cache
from itertools import compress
from operator import itemgetter
from typing import Any, NamedTuple

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
HAS_LETTER = 32  # of text words only: it is not a number
IN_LINK = 64  # of text words only: it stands in a link, wherever that leads
LINK_BEGINS = 128  # of text words only: it is the first word of a link

# What stands next to a word: white space, the border of a line, brackets, quotation marks, punctuation, a hyphen or apostrophe.
SPACE, LINE_BREAK, OPENING, CLOSING, QUOTE, STOP, JOINER, OTHER = range(8)
STEM_LETTERS = 4
CODE_BITS_OF_STEM = 20  # the others are of the whole word

LAST_SPACE = 0x3000  # the white space with the highest code point
IS_SPACE = np.array([chr(code).isspace() for code in range(LAST_SPACE + 2)])
Offsets = npt.NDArray[np.int32]


def _kind_of_character(character: str) -> int:
    """Return which of the kinds above a character is."""
    by_category = {"Ps": OPENING, "Pi": OPENING, "Pe": CLOSING, "Pf": CLOSING, "Pd": JOINER}
    if character in "\n\r":
        return LINE_BREAK
    if character.isspace():
        return SPACE
    if character in "'\u2019/":
        return JOINER
    if character in ".,;:!?":
        return STOP
    return QUOTE if character == '"' else by_category.get(unicodedata.category(character), OTHER)


LAST_KIND = 0x3020  # kinds are looked up to this code point: after it come letters of East Asia
KINDS = np.array([_kind_of_character(chr(code)) for code in range(LAST_KIND)], dtype=np.uint8)


class TextWords(NamedTuple):
    """Every word of a text, known or not, numbers and single letters too.

    ``looks`` are flags as those of a word's shape; ``edges`` has the kind of the character before the word, and 16 times the one
    after it; ``codes`` are hashes of the words in lower case, whose upper bits depend on the first letters alone.
    """

    starts: npt.NDArray[Any]  # int32
    lengths: npt.NDArray[Any]  # uint16
    looks: npt.NDArray[Any]  # uint8
    edges: npt.NDArray[Any]  # uint8
    codes: npt.NDArray[Any]  # uint32

    def part(self, chosen: slice | npt.NDArray[np.int64]) -> TextWords:
        """Return some of the words."""
        return TextWords(*(array[chosen] for array in self))

    @property
    def ends(self) -> npt.NDArray[np.int32]:
        """Where each word ends."""
        ends: npt.NDArray[np.int32] = self.starts + self.lengths.astype(np.int32)
        return ends


class Words(NamedTuple):
    """The words of a text in lower case, with their offsets (code points), sentences, letter case and paragraphs (lines).

    ``text_words`` are all words of the text.
    """

    words: list[str]
    starts: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int32]
    sentences: npt.NDArray[np.int32]
    shapes: npt.NDArray[np.uint8]
    paragraphs: npt.NDArray[np.int32]
    text_words: TextWords


def split_words(text: str) -> Words:
    """Return every word of at least two characters that is not a number.

    >>> split_words("In 1962 Peter fell. He rose.").words
    ['in', 'peter', 'fell', 'he', 'rose']
    """
    surfaces = WORD.findall(text)
    forms = list(map(_form, surfaces))
    looks = np.fromiter(map(itemgetter(1), forms), dtype=np.uint8, count=len(forms))
    codes = np.fromiter(map(itemgetter(2), forms), dtype=np.uint32, count=len(forms))
    lengths = np.fromiter(map(len, surfaces), dtype=np.int32, count=len(forms))
    has_letter = (looks & HAS_LETTER) > 0
    starts = np.fromiter(map(re.Match.start, WORD.finditer(text)), np.int32, len(forms))
    characters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    sentences = _part_numbers(SENTENCE_BREAK, text, starts)
    every = _text_words(starts, lengths, looks, codes, sentences, characters)
    starts, lengths, looks = starts[has_letter], lengths[has_letter], looks[has_letter]
    sentences = sentences[has_letter]
    shapes = _shapes(looks, sentences, _is_spaced(characters, starts, starts + lengths))
    keep = lengths >= 2
    is_word = has_letter.copy()
    is_word[has_letter] = keep
    return Words(
        list(compress(map(itemgetter(0), forms), is_word.tolist())),
        starts[keep],
        (starts + lengths)[keep],
        sentences.astype(np.int32)[keep],
        shapes[keep],
        _part_numbers(PARAGRAPH_BREAK, text, starts).astype(np.int32)[keep],
        every,
    )


def _text_words(
    starts: Offsets,
    lengths: Offsets,
    looks: npt.NDArray[np.uint8],
    codes: npt.NDArray[np.uint32],
    sentences: npt.NDArray[np.int64],
    characters: npt.NDArray[np.uint32],
) -> TextWords:
    """Return all words, with the flag of those that begin a sentence."""
    begins = np.diff(sentences, prepend=-1) != 0
    kinds = np.full(len(characters) + 2, LINE_BREAK, dtype=np.uint8)
    known = characters < LAST_KIND
    kinds[1:-1] = np.where(known, KINDS[np.where(known, characters, 0)], OTHER)
    edges = kinds[starts] + np.uint8(16) * kinds[starts + lengths + 1]
    return TextWords(
        starts,
        np.minimum(lengths, np.iinfo(np.uint16).max).astype(np.uint16),
        (looks + begins * FIRST).astype(np.uint8),
        edges.astype(np.uint8),
        codes,
    )


def _part_numbers(border: re.Pattern[str], text: str, starts: Offsets) -> npt.NDArray[np.int64]:
    """Return for each word the number of borders before it."""
    ends = np.array(list(map(re.Match.end, border.finditer(text))), dtype=np.int64)
    return np.searchsorted(ends, starts, side="right")


@lru_cache(maxsize=1 << 16)
def _form(surface: str) -> tuple[str, int, int]:
    """Return the word in lower case, one object for all its occurrences, how its surface looks, and its code."""
    look = CAPITAL * surface[0].isupper() + SHOUTED * (surface[1:] != surface[1:].lower())
    word = sys.intern(surface.lower())
    return word, look + HAS_LETTER * bool(LETTER.search(surface)), word_code(word)


def word_code(word: str) -> int:
    """Return the code of a word in lower case; words that begin with the same letters share its upper bits.

    >>> word_code("pilsāta") == word_code("pilsātys"), word_code("pilsāta") >> 12 == word_code("pilsātys") >> 12
    (False, True)
    """
    low = 32 - CODE_BITS_OF_STEM
    stem = zlib.crc32(word[:STEM_LETTERS].encode("utf-8", "surrogatepass")) >> low
    return (stem << low) | (zlib.crc32(word.encode("utf-8", "surrogatepass")) & ((1 << low) - 1))


def _is_spaced(
    codes: npt.NDArray[np.uint32], starts: Offsets, ends: Offsets
) -> npt.NDArray[np.bool_]:
    """Tell for each word whether white space, and nothing else, separates it from the word before."""
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
