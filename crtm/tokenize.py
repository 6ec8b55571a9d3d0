"""Split text into words with offsets in code points, sentences and letter case, whatever the language."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")  # an apostrophe parts words: Aquaman's, l'uomo
LETTER = re.compile(r"[^\W\d_]")
SENTENCE_BREAK = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_])|\n+")

CAPITAL = 1  # the word starts with a capital letter
FIRST = 2  # it is the first word of its sentence
CAPITAL_BEFORE = 4  # the word before it, with only white space between, starts with a capital
CAPITAL_AFTER = 8  # the word after it does
SHOUTED = 16  # it has a capital letter after its first letter


class Words(NamedTuple):
    """The words of a text in lower case, with their offsets (code points), sentences and letter case."""

    words: list[str]
    starts: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int32]
    sentences: npt.NDArray[np.int32]
    shapes: npt.NDArray[np.uint8]


def split_words(text: str) -> Words:
    """Return every word of at least two characters that is not a number.

    >>> split_words("In 1962 Peter fell. He rose.").words
    ['in', 'peter', 'fell', 'he', 'rose']
    """
    matches = [match for match in WORD.finditer(text) if LETTER.search(match[0])]
    starts = np.array([match.start() for match in matches], dtype=np.int32)
    ends = np.array([match.end() for match in matches], dtype=np.int32)
    breaks = [match.end() for match in SENTENCE_BREAK.finditer(text)]
    sentences = np.searchsorted(np.array(breaks, dtype=np.int64), starts, side="right")
    surfaces = [match[0] for match in matches]
    shapes = _shapes(text, surfaces, starts, ends, sentences)
    keep = (ends - starts) >= 2
    return Words(
        [surface.lower() for surface in surfaces if len(surface) >= 2],
        starts[keep],
        ends[keep],
        sentences.astype(np.int32)[keep],
        shapes[keep],
    )


def _shapes(
    text: str,
    surfaces: list[str],
    starts: npt.NDArray[np.int32],
    ends: npt.NDArray[np.int32],
    sentences: npt.NDArray[np.int64],
) -> npt.NDArray[np.uint8]:
    count = len(surfaces)
    capital = np.fromiter((word[0].isupper() for word in surfaces), dtype=bool, count=count)
    shouted = np.fromiter((word[1:] != word[1:].lower() for word in surfaces), bool, count=count)
    first = np.ones(count, dtype=bool)
    first[1:] = sentences[1:] != sentences[:-1]
    adjacent = np.zeros(count, dtype=bool)
    adjacent[1:] = [text[a:b].isspace() for a, b in zip(ends[:-1], starts[1:], strict=True)]
    adjacent &= ~first
    before = np.zeros(count, dtype=bool)
    before[1:] = capital[:-1] & adjacent[1:]
    after = np.zeros(count, dtype=bool)
    after[:-1] = capital[1:] & adjacent[1:]
    result: npt.NDArray[np.uint8] = (
        capital * CAPITAL
        + first * FIRST
        + before * CAPITAL_BEFORE
        + after * CAPITAL_AFTER
        + shouted * SHOUTED
    ).astype(np.uint8)
    return result
