"""The prose of a page as columns, one entry for each word, links still told apart from text.

A link that leads out of the wiki's own pages stays a link; any other can be "hidden" later, when
its words count as plain text again. That is how the ranker learns: from links it must find again.
"""

from __future__ import annotations

import bisect
import json
import re
import unicodedata
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from wikibot.wikitext import PageText, SiteRules, WikiLink, read_page, words

FORMAT = 3  # of packed prose; it changes with what is read from a page, and how
Ints = npt.NDArray[np.int32]
Range = tuple[int, int]

# What stands between a word and the one before it, in rising order of distance.
SPACE, HYPHEN, APOSTROPHE, DOT, PUNCTUATION, SENTENCE, BLOCK = range(7)
_GAPS = {"": SPACE, "-": HYPHEN, "\u2010": HYPHEN, "\u2011": HYPHEN, "'": APOSTROPHE, "\u2019": APOSTROPHE, ".": DOT}  # fmt: skip

# Flags of a word.
BOLD, LISTED = 1, 2
IN_BRACKETS, NUMBERED, QUOTED = 4, 8, 16  # right after a bracket, a number sign, a quotation mark

# Letters that hang on the one before them, in Hebrew, Arabic, Devanagari and the like.
_MARKS = "".join(
    char
    for char in map(chr, range(0x300, 0x10000))
    if unicodedata.category(char) in ("Mn", "Mc") or char in "\u200c\u200d"
)
WORD = re.compile(f"[^\\W_]+(?:[{_MARKS}]+[^\\W_]*)*")
_OPENERS = {
    **dict.fromkeys((" (", " ([[", "]] (", "]] ([["), IN_BRACKETS),
    **dict.fromkeys((" #", "'' #"), NUMBERED),
    **dict.fromkeys((f"{space}{mark}" for space in (" ", " (") for mark in "\"“«„'‘"), QUOTED),
}
_UNSPACED = re.compile("[\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_SOFT_MARKUP = re.compile(r"''+|\[\[[^\[\]\n|]*\||\[\[|\]\]")
_ENDS_SENTENCE = re.compile(r"[.!?…][\"'”’»)\]]*\s|[。！？।؟]")
_QUOTES = re.compile(r'"[^"\n]{1,500}"|“[^”\n]{1,500}”|«[^»\n]{1,500}»|„[^“”"\n]{1,500}[“”"]')
_STYLE = re.compile(r"'{2,5}")
_PIPED = re.compile(r"\[\[[^\[\]|]*\|")

COLUMNS = ("start", "end", "gap", "flags", "italic", "quote", "section", "paragraph", "link")


@dataclass(frozen=True, slots=True)
class Prose:
    """A page's words and links; each row of `columns` has one entry a word (see COLUMNS).

    `italic` and `quote` number the run in italics and the quotation a word stands in, 0 outside;
    `link` is an index in `links`, -1 outside. `elsewhere` are targets linked where no link may be
    proposed: infoboxes, tables, See also; `aside` are those of them outside lists like See also, and
    whether upright. `box` holds the words of templates between spaces.
    `sentences` are (start, end, what a reader sees), in order.
    """

    title: str
    words: list[str]
    columns: Ints
    links: list[tuple[int, int, str]]  # words[first:last] lead to the title
    elsewhere: list[str]
    aside: list[tuple[str, bool]]
    bold_names: list[str]
    box: str
    categories: list[str]
    templates: list[str]
    is_disambiguation: bool
    sentences: list[tuple[int, int, str]]
    headings: list[str]  # of the chapter that each section belongs to, the lead's first

    def packed(self) -> bytes:
        """The same in few bytes, which travel between processes and lie in the database."""
        plain = {name: getattr(self, name) for name in self.__slots__ if name != "columns"}
        steps = np.diff(self.columns, axis=1, prepend=np.int32(0))  # small numbers, which pack well
        text = json.dumps(plain, separators=(",", ":")).encode()
        return zlib.compress(b"%d\n" % len(text) + text + steps.tobytes(), 1)

    @classmethod
    def unpacked(cls, content: bytes) -> Prose:
        """The prose that was packed."""
        length, _, rest = zlib.decompress(content).partition(b"\n")
        plain = json.loads(rest[: int(length)])
        steps = np.frombuffer(rest, dtype=np.uint8)[int(length) :].copy().view(np.int32)
        columns = np.cumsum(steps.reshape(len(COLUMNS), -1), axis=1, dtype=np.int32)
        for name in ("links", "aside", "sentences"):
            plain[name] = [tuple(row) for row in plain[name]]
        return cls(columns=columns, **plain)

    def sentence_at(self, offset: int) -> tuple[int, int, str] | None:
        """The sentence that holds this place of the wikitext, if it is in prose."""
        index = bisect.bisect_right(self.sentences, offset, key=itemgetter(0)) - 1
        if index >= 0 and offset < self.sentences[index][1]:
            return self.sentences[index]
        return None


class _Piece(NamedTuple):
    start: int
    end: int
    link: int
    flags: int


def read_prose(title: str, text: str, rules: SiteRules) -> Prose | None:
    """The page's prose; None for a redirect. Raises BadWikitext where it cannot be read safely."""
    page = read_page(text, rules, title)
    if page.redirect_target:
        return None
    kept, others = _sorted_links(page)
    pieces = _pieces(page, kept)
    found, owner = _words(page, pieces)
    starts = np.array([start for start, _, _ in found], dtype=np.int32)
    ends = np.array([end for _, end, _ in found], dtype=np.int32)
    columns, links = _columns(page, pieces, starts, ends, np.array(owner, dtype=np.int32), kept)
    return Prose(
        title, [word for _, _, word in found], columns, links, [link.target for link in others],
        _aside(page, others), page.bold_names, _box_words(page),
        [name.partition(":")[2] or name for name in page.categories],
        sorted({template.name for template in page.templates}), page.is_disambiguation,
        [(sentence.start, sentence.end, sentence.text) for sentence in page.sentences], _chapters(page),
    )  # fmt: skip


def _chapters(page: PageText) -> list[str]:
    """For each section the heading of the chapter it is in: the last one that is not below another."""
    top = min((heading.level for heading in page.sections), default=0)
    found = [""]
    for heading in page.sections:
        found.append(heading.title.strip().lower() if heading.level == top else found[-1])
    return found


def packed_prose(title: str, text: str, rules: SiteRules) -> bytes | None:
    """`read_prose` as a task for the processes that read pages."""
    prose = read_prose(title, text, rules)
    return prose.packed() if prose else None


def _sorted_links(page: PageText) -> tuple[list[WikiLink], list[WikiLink]]:
    """Links in linkable prose, and those that stand elsewhere."""
    kept, elsewhere = [], []
    for link in page.links:
        if not link.is_page_link or link.place == "comment":
            continue
        if link.in_prose and not page.is_excluded(link.start):
            kept.append(link)
        else:
            elsewhere.append(link)
    return kept, elsewhere


def _aside(page: PageText, elsewhere: list[WikiLink]) -> list[tuple[str, bool]]:
    aside = [link for link in elsewhere if not page.is_excluded(link.start)]
    italic = _run_of(_italics(page.text), np.array([link.start for link in aside], dtype=np.int32))
    return [(link.target, not run) for link, run in zip(aside, italic.tolist(), strict=True)]


def _pieces(page: PageText, links: list[WikiLink]) -> list[_Piece]:
    """Linkable text and the visible text of links, in the order of the page, not overlapping."""
    pieces = [
        _Piece(s.start, s.end, -1, BOLD * s.bold | LISTED * (s.block == "list")) for s in page.spans
    ]
    for index, link in enumerate(links):
        pieces.append(_Piece(link.anchor_start, link.anchor_end, index, 0))
        trail = page.site.trail_length(page.text, link.end)
        if trail:
            pieces.append(_Piece(link.end, link.end + trail, index, 0))
    pieces.sort()
    cut, last = [], 0
    for piece in pieces:
        if piece.end > last:
            cut.append(piece._replace(start=max(piece.start, last)))
            last = piece.end
    return cut


def _words(page: PageText, pieces: list[_Piece]) -> tuple[list[tuple[int, int, str]], list[int]]:
    """(start, end, word) of every word, and the piece it stands in."""
    text = page.text
    unspaced = bool(_UNSPACED.search(text))
    found: list[tuple[int, int, str]] = []
    owner: list[int] = []
    for number, piece in enumerate(pieces):
        if unspaced and _UNSPACED.search(text, piece.start, piece.end):
            cut = words(text[piece.start : piece.end], page.site, start=piece.start)
            new = [(word.start, word.end, word.text) for word in cut]
        else:
            new = [(*m.span(), m[0]) for m in WORD.finditer(text, piece.start, piece.end)]
        if new and found and _is_trail(pieces, owner[-1], number, new[0][0]):
            start, _, word = found.pop()  # [[mutant]]s: the trail belongs to the word
            new[0] = (start, new[0][1], word + new[0][2])
            owner.pop()
        found += new
        owner += [number] * len(new)
    return found, owner


def _is_trail(pieces: list[_Piece], last: int, number: int, start: int) -> bool:
    same = pieces[number].link >= 0 and pieces[last].link == pieces[number].link
    return same and last != number and start == pieces[number].start


def _columns(
    page: PageText,
    pieces: list[_Piece],
    starts: Ints,
    ends: Ints,
    owner: Ints,
    links: list[WikiLink],
) -> tuple[Ints, list[tuple[int, int, str]]]:
    text = page.text
    gaps, paragraphs, opened = _gaps(text, starts, ends)
    link = np.array([piece.link for piece in pieces] or [-1], dtype=np.int32)[owner]
    flags = np.array([piece.flags for piece in pieces] or [0], dtype=np.int32)[owner] | opened
    headings = np.array([heading.start for heading in page.sections], dtype=np.int32)
    number = np.full(len(links) + 1, -1, dtype=np.int32)
    seen, first = np.unique(link, return_index=True)
    last = len(link) - np.unique(link[::-1], return_index=True)[1]
    linked = seen >= 0
    number[seen[linked]] = np.arange(linked.sum())
    spans = [
        (a, b, links[index].target)
        for a, b, index in zip(*(x[linked].tolist() for x in (first, last, seen)), strict=True)
    ]
    columns = (
        starts, ends, gaps, flags, _run_of(_italics(text), starts),
        _run_of([found.span() for found in _QUOTES.finditer(text)], starts),
        np.searchsorted(headings, starts, side="right"), paragraphs, number[link],
    )  # fmt: skip
    return np.array(columns, dtype=np.int32).reshape(len(COLUMNS), -1), spans


def _gaps(text: str, starts: Ints, ends: Ints) -> tuple[Ints, Ints, Ints]:
    """What stands before each word, the number of its paragraph, and whether a bracket opens."""
    gaps = np.full(len(starts), BLOCK, dtype=np.int32)
    opened = np.zeros(len(starts), dtype=np.int32)
    new_line = np.zeros(len(starts), dtype=np.int32)
    pairs = zip(ends[:-1].tolist(), starts[1:].tolist(), strict=True)
    for i, (end, start) in enumerate(pairs, 1):
        between = text[end:start]
        if between == " ":
            gaps[i] = SPACE
        elif "\n" in between:
            new_line[i] = 1
        else:
            gaps[i] = _gap(between)
            opened[i] = _OPENERS.get(between, 0)
    return gaps, np.cumsum(new_line, dtype=np.int32), opened


def _gap(between: str) -> int:
    if "'" in between or "[" in between or "]" in between:
        between = _SOFT_MARKUP.sub("", between)
    if any(mark in between for mark in "<{|}"):
        return BLOCK
    if _ENDS_SENTENCE.search(between):
        return SENTENCE
    return _GAPS.get(between.strip(), PUNCTUATION)


def _run_of(ranges: Sequence[Range], offsets: Ints) -> Ints:
    """The number of the range that holds each offset, from 1; 0 where none does."""
    if not ranges:
        return np.zeros(len(offsets), dtype=np.int32)
    first, last = np.array(ranges).T
    at = np.searchsorted(first, offsets, side="right") - 1
    return np.where((at >= 0) & (offsets < last[at]), at + 1, 0).astype(np.int32)


def _italics(text: str) -> list[Range]:
    """The ranges in italics, line by line, as MediaWiki reads pairs of quotes."""
    found, opened, line_end = [], -1, -1
    for mark in _STYLE.finditer(text):
        if mark.start() > line_end:
            if opened >= 0:
                found.append((opened, line_end))
            opened = -1
            line_end = text.find("\n", mark.start())
            line_end = len(text) if line_end < 0 else line_end
        if mark.end() - mark.start() in (2, 5):
            if opened >= 0:
                found.append((opened, mark.start()))
            opened = mark.end() if opened < 0 else -1
    return found


def _box_words(page: PageText) -> str:
    """What a reader sees in top-level templates, as words; targets of piped links are not seen."""
    seen, end = [], 0
    for template in page.templates:
        if template.start >= end:
            end = template.end
            seen.append(_PIPED.sub(" ", template.arguments))
    return f" {' '.join(WORD.findall(' '.join(seen).lower()))} "
