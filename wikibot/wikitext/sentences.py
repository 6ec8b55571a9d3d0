"""Sentences and words with their exact places in the wikitext."""

from __future__ import annotations

import bisect
import functools
import importlib.resources
import json
import re
import unicodedata
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wikibot.wikitext import languages

_STOPS = re.compile("[\n.!?…։؟۔।॥።。！？｡]+")
# After the marks of East Asian scripts a sentence ends without white space.
_WIDE_STOPS = frozenset("。！？｡")
_CLOSING = re.compile(r"[\"'”’»)\]」』）]*")
# "17. Jahrhundert": in these languages a number with a full stop is an ordinal.
_ORDINAL_LANGUAGES = " cs da de et fi hr hu is lt ltg lv nb no pl sk sl sr sv tr "
_OPENING = "\"'“‘«„(["


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of prose: text[start:end] in wikitext, `text` as a reader sees it."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Word:
    """One word: source[start:end] == text."""

    start: int
    end: int
    text: str


Piece = tuple[int, int, str]

# Markup that belongs to the words after it, or before it, rather than to what lies between.
_OPENERS = re.compile(
    r"(?:''+(?!')|\[\[(?:[^\[\]|]*\|)?|<(?:small|big|b|i|u|em|strong|p|center)\b[^<>]*>)+$"
)
_LONGEST_OPENER = 300
_CLOSERS = re.compile(r"(?:''+(?!')|\]\]|</(?:small|big|b|i|u|em|strong|p|center)\s*>)+")


class Visible:
    """The prose of a page as a reader sees it, each character tied to its place in the wikitext."""

    __slots__ = ("_pieces", "_seen", "text", "wikitext")

    def __init__(self, wikitext: str, pieces: list[Piece]) -> None:
        """`pieces` are (start, end, what is seen there) in order."""
        self.wikitext, self._pieces = wikitext, pieces
        self._seen: list[int] = []
        length = 0
        for _, _, seen in pieces:
            self._seen.append(length)
            length += len(seen)
        self.text = "".join([seen for _, _, seen in pieces])

    def start(self, offset: int) -> int:
        """Where the character seen at `offset` starts in the wikitext, its markup included."""
        index = bisect.bisect_right(self._seen, offset) - 1
        inside = offset - self._seen[index]
        raw = self._pieces[index][0] + inside
        if inside:
            return raw
        gap = max(self._pieces[index - 1][1] if index else 0, raw - _LONGEST_OPENER)
        opener = _OPENERS.search(self.wikitext[gap:raw]) if gap < raw else None
        return raw - len(opener[0]) if opener else raw

    def end(self, offset: int) -> int:
        """Where the character seen before `offset` ends in the wikitext, its markup included."""
        index = bisect.bisect_right(self._seen, offset - 1) - 1
        start, end, seen = self._pieces[index]
        inside = offset - self._seen[index]
        if inside < len(seen):
            return start + inside
        closer = _CLOSERS.match(self.wikitext, end)
        return closer.end() if closer else end

    def seen(self, offset: int) -> int:
        """How many characters are seen before the place `offset` of the wikitext."""
        index = bisect.bisect_right(self._pieces, offset, key=lambda piece: piece[0]) - 1
        if index < 0:
            return 0
        start, _, seen = self._pieces[index]
        return self._seen[index] + min(offset - start, len(seen))

    def around(self, start: int, end: int, characters: int) -> tuple[str, str]:
        """What is seen right before and after wikitext[start:end], up to the next markup."""
        index = bisect.bisect_right(self._pieces, start, key=lambda piece: piece[0]) - 1
        if index < 0:
            return "", ""
        first, _, seen = self._pieces[index]
        before = seen[max(0, start - first - characters) : start - first]
        return before, seen[end - first : end - first + characters]


def split_sentences(visible: Visible, language: str) -> list[Sentence]:
    """The sentences of the prose, in order; white space between them belongs to none."""
    found: list[Sentence] = []
    after = len(visible.wikitext)
    for start, end in reversed(list(sentence_ranges(visible.text, language))):
        raw = visible.start(start)
        # Quotes between two sentences may close the one or open the other: they open.
        found.append(Sentence(raw, min(visible.end(end), after), visible.text[start:end]))
        after = raw
    return found[::-1]


def sentence_ranges(text: str, language: str) -> Iterator[tuple[int, int]]:
    """(start, end) of each sentence in plain text, without the white space around it."""
    start = 0
    for found in _STOPS.finditer(text):
        if end := _sentence_end(text, start, found, language):
            yield from _trimmed(text, start, end)
            start = end
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    kept = piece.strip()
    if kept:
        start += len(piece) - len(piece.lstrip())
        yield start, start + len(kept)


def _sentence_end(text: str, start: int, found: re.Match[str], language: str) -> int:
    """Where the sentence that this stop may end does end; 0 where it goes on."""
    if "\n" in found[0]:
        return found.end()
    closing = _CLOSING.match(text, found.end())
    end = closing.end() if closing else found.end()
    if not _WIDE_STOPS.isdisjoint(found[0]):
        return end
    following = text[end : end + 3]
    if following and not following[0].isspace():
        return 0
    if following.strip().lstrip(_OPENING)[:1].islower():
        return 0
    if found[0] != "." or end > found.end():
        return end
    word = text[max(start, found.start() - 40) : found.start()].rsplit(None, 1)[-1:]
    return 0 if word and _is_short_form(word[0].lstrip(_OPENING), language) else end


def _is_short_form(word: str, language: str) -> bool:
    if len(word) == 1 and word.isalpha():
        return True
    if word.isdigit() and len(word) <= 2:
        return f" {language} " in _ORDINAL_LANGUAGES
    return word + "." in _abbreviations(language)


@functools.cache
def _abbreviations(language: str) -> frozenset[str]:
    """The language's abbreviations, as mwtokenizer collected them from its Wikipedia."""
    lists = importlib.resources.files("mwtokenizer.assets") / "dict_abbr_filtered.json"
    return frozenset(json.loads(lists.read_text(encoding="utf-8")).get(f"{language}wiki", ()))


_UNSPACED_SCRIPTS = re.compile(
    "[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f々〆ー]"
)
# Joiners hold the letters of one word together, as in Persian and in Indian scripts.
_JOINERS = "\u200c\u200d"


_INSIDE_WORDS = frozenset("'’·-‑.")
_UNSPACED_LANGUAGES = frozenset(languages.UNSPACED.split())


@functools.cache
def _marks() -> str:
    """Marks on letters, as a character class; Python's own word class leaves them out."""
    marks = "".join(c for c in map(chr, range(0x300, 0x10000)) if unicodedata.category(c)[0] == "M")
    return rf"[{marks}{_JOINERS}\U00011000-\U0001107f\U000e0100-\U000e01ef]"


@functools.cache
def _token_pattern() -> re.Pattern[str]:
    """Letters and figures with the marks on them."""
    return re.compile(rf"[^\W_](?:[^\W_]|{_marks()})*")


@functools.cache
def _letter_pattern() -> re.Pattern[str]:
    """One letter of a script without spaces, a run of Katakana, or a run of other letters."""
    unspaced = _UNSPACED_SCRIPTS.pattern[1:-1]
    return re.compile(
        rf"[\u30a1-\u30ff]+|[{unspaced}]{_marks()}*|(?:(?![{unspaced}])(?:[^\W_]|{_marks()}))+"
    )


def find_tokens(text: str, start: int, end: int, language: str) -> list[tuple[int, int]]:
    """Where the words of text[start:end] start and end; hyphens and apostrophes part words.

    Scripts without spaces are cut into letters, runs of Katakana kept whole: where a name starts and
    ends there must not depend on the words around it.
    """
    found: list[tuple[int, int]] = []
    unspaced = language in _UNSPACED_LANGUAGES
    for match in _token_pattern().finditer(text, start, end):
        if unspaced and _UNSPACED_SCRIPTS.search(match[0]):
            found += [letter.span() for letter in _letter_pattern().finditer(text, *match.span())]
        else:
            found.append(match.span())
    return found


def find_words(text: str, language: str, *, start: int = 0) -> list[Word]:
    """The words of plain text, hyphens and apostrophes inside; `start` is added to every offset.

    >>> [word.text for word in find_words("Spider-Man's 3 webs.", "en")]
    ["Spider-Man's", '3', 'webs']
    """
    found: list[Word] = []
    unspaced = language in _UNSPACED_LANGUAGES
    for first, last in _joined_tokens(text):
        if unspaced and _UNSPACED_SCRIPTS.search(text, first, last):
            found.extend(_pieces(text[first:last], language, start + first))
        else:
            found.append(Word(start + first, start + last, text[first:last]))
    return found


def _joined_tokens(text: str) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for match in _token_pattern().finditer(text):
        if joined and text[joined[-1][1] : match.start()] in _INSIDE_WORDS:
            joined[-1] = (joined[-1][0], match.end())
        else:
            joined.append(match.span())
    return joined


def _pieces(text: str, language: str, start: int) -> Iterator[Word]:
    """The words of a run without spaces, by mwtokenizer's model.

    The model puts a space in front and normalises letters, so that a piece is not always a part
    of the text: each is found again by normalising the text letter by letter.
    """
    at = 0
    for token in _segmenter(language)(text):
        piece = token.strip()
        end = _end_of(piece, text, at)
        if end is None:
            yield Word(start + at, start + len(text), text[at:])
            return
        if any(char.isalnum() for char in piece):
            yield Word(start + at, start + end, text[at:end])
        at = end


def _end_of(piece: str, text: str, at: int) -> int | None:
    """Where the piece that starts at `at` ends; None where the text is not that piece."""
    if text.startswith(piece, at):
        return at + len(piece)
    for end in range(at + 1, min(len(text), at + 2 * len(piece)) + 1):
        if unicodedata.normalize("NFKC", text[at:end]) == piece:
            # Marks that the model folds into the letter before them belong to it.
            while end < len(text) and unicodedata.normalize("NFKC", text[at : end + 1]) == piece:
                end += 1
            return end
    return None


@functools.cache
def _segmenter(language: str) -> Callable[[str], Iterator[str]]:
    from mwtokenizer import Tokenizer

    with warnings.catch_warnings():
        # mwtokenizer opens its models in a way that Python wants to give up one day.
        warnings.simplefilter("ignore", DeprecationWarning)
        tokenizer = Tokenizer(language.replace("-", "_"))
    cut: Callable[[str], Iterator[str]] = tokenizer.word_tokenize
    return cut


def at_word_boundary(text: str, offset: int) -> bool:
    """May a link start or end at `offset` without cutting a word or a letter in two?

    Scripts without spaces have no visible word boundaries: there any place between letters will
    do, though never before a combining mark.
    """
    if offset <= 0 or offset >= len(text):
        return True
    before, after = text[offset - 1], text[offset]
    if _is_mark(after):
        return False
    if not (_in_word(before) and _in_word(after)):
        return True
    return before != "_" != after and bool(
        _UNSPACED_SCRIPTS.match(before) or _UNSPACED_SCRIPTS.match(after)
    )


def _in_word(char: str) -> bool:
    return char.isalnum() or char == "_" or _is_mark(char)


def _is_mark(char: str) -> bool:
    return char in _JOINERS or unicodedata.category(char)[0] == "M"
