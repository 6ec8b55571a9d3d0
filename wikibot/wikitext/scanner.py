"""A second opinion on where a link must not stand, independent of the parser.

mwparserfromhell turns unclosed markup into plain text. This scanner errs the other way: whatever
looks as if it might be markup is forbidden, and an opener without its closer forbids everything
up to the end of its section. It knows nothing of the parser and shares no code with it.
"""

from __future__ import annotations

import bisect
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from wikibot.wikitext.cells import caption_start, cell_syntax
from wikibot.wikitext.rules import SiteRules

# Reasons that the parser has an opinion about as well: these are compared with its reading.
STRUCTURAL = frozenset(("comment", "tag", "template", "table", "link", "unclosed", "heading"))

# Their content is no wikitext, so that brackets in it mean nothing.
_OPAQUE_TAGS = (
    "nowiki|pre|math|ce|chem|source|syntaxhighlight|score|timeline|hiero|graph|gallery|imagemap"
    "|templatedata|templatestyles|inputbox|categorytree|charinsert|mapframe|maplink"
)
# No closing tag is needed: they forbid themselves only. Cells are covered by their table.
_VOID_TAGS = frozenset(
    ("br", "hr", "wbr", "p", "li", "dt", "dd", "img", "meta", "link", "tr", "td", "th", "col")
)
_SINGLE_TAGS = _VOID_TAGS - {"p"}
_PLAIN_TAGS = frozenset(("b", "i", "u", "em", "strong", "small", "big", "center"))
_HTML_TAGS = frozenset(
    (
        *("abbr", "bdi", "bdo", "blockquote", "cite", "code"),
        *("data", "del", "dfn", "div", "dl", "font", "h1", "h2", "h3", "h4", "h5", "h6", "ins"),
        *("kbd", "mark", "ol", "q", "rb", "rp", "rt", "rtc", "ruby", "s", "samp", "span"),
        *("strike", "sub", "sup", "table", "time", "tt", "ul", "var"),
        *("includeonly", "noinclude", "onlyinclude", "ref", "references", "poem"),
    )
)

_OPAQUE = re.compile(rf"<!--|<({_OPAQUE_TAGS})(?=[\s/>])[^<>]*?(/?)>", re.IGNORECASE)
_CLOSING = {tag: re.compile(rf"</{tag}\s*>", re.IGNORECASE) for tag in _OPAQUE_TAGS.split("|")}
# Every alternative starts with a letter of its own: only then does Python skip ahead quickly.
_MARKS = re.compile(
    r"\{\{+|\}\}+|\[\[|\]\]|<(/?)([A-Za-z][A-Za-z0-9]*)((?:[^<>A-Za-z0-9][^<>]*)?)(>)?"
    r"|\{\||\|\}(?!\})|-\{(?!\{)|\}-"
)
_BEFORE_TABLE = frozenset(":*#; \t")
# These are matched against a text with a line end put in front, so that each line has one.
_HEADING = re.compile(r"\n(={1,6})(.+?)\1[ \t\0]*(?=\n|$)")
_LINES = re.compile(r"\n(?:=[^\n]*|[|!][^\n]*|----+|;[^\n:]*)")
_TABLE_LINES = re.compile(r"\n(?:=[^\n]*|----+|;[^\n:]*)")
# A space at the start of a line: shown as it is typed, but links work there.
_PREFORMATTED_LINES = re.compile(r"\n\0* [^\n]*")
_BRACKETED_URL = re.compile(r"\[(?:(?:[A-Za-z][A-Za-z0-9+.\-]*:)?//|mailto:|news:|tel:)[^\]\n]*\]?")
_URL = re.compile(r":[^\s\[\]<>\"\0\1]+")
_SCHEME = re.compile(r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.\-]*$")
_SCHEMES = frozenset(
    ("mailto", "news", "urn", "tel", "geo", "magnet", "sip", "sips", "sms", "xmpp", "bitcoin")
)
_NUMBER = re.compile(r"(?:ISBN|RFC|PMID)[ \t\u00a0]+[0-9][0-9Xx \-]*")
_QUOTES = re.compile(r"''+")
# A straight quotation mark inside a word is the gershayim of Hebrew, after a figure an inch.
_SPEECH = (
    r'"(?<!\w")((?:[^"\n]|(?<=\w)"(?=\w))*)"(?!\w)'
    "|“([^“”\n]*)”|„([^„“”\n]*)[“”]|«([^«»\n]*)»|「([^「」\n]*)」|『([^『』\n]*)』|”([^”\n]*)”"
)
_SPEECH_PATTERN = re.compile(_SPEECH)
_INWARD_SPEECH_PATTERN = re.compile(_SPEECH + "|»([^«»\n]*)«")
_INWARD_LANGUAGES = frozenset(("cs", "da", "de", "hr", "hu", "pl", "sk", "sl"))
# A mark behind a space opens, one before a space or a full stop closes; others do not tell.
_MARK = re.compile(r'(?P<opens>(?<![^\s(\[])"(?=\S))|(?<=[^\s(\[])"(?!\w)')
# A title or a nickname in quotation marks is no quotation; more words than this are one.
_TITLE_WORDS = 6


_UNBLANK = {0: None, 1: None}


class Zone(NamedTuple):
    """Characters in which no link may stand, and why."""

    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading line, text[start:end]; its section runs to the next heading."""

    start: int
    end: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Scan:
    """What the scanner says about a page: zones and headings in order.

    `quoted` are the ranges between quotation marks, short titles and nicknames among them;
    `preformatted` are the lines that start with a space, in which a link may stand.
    `parse_cost` is how many characters the parser will read in vain for openers without closers.
    """

    zones: list[Zone]
    headings: list[Heading]
    quoted: list[tuple[int, int]]
    preformatted: list[tuple[int, int]]
    parse_cost: int


def scan(text: str, site: SiteRules) -> Scan:
    """Every place of `text` in which the scanner would rather see no link."""
    opaque = _opaque_zones(text)
    masked = blank(text, opaque)
    headings = _headings(masked)
    pairs = _Pairs(masked, site)
    zones = [*opaque, *pairs.zones, *_unclosed(pairs.alone, headings, len(text))]
    zones += [Zone(h.start, h.end, "heading") for h in headings]
    inline = blank(masked, pairs.zones, keep=("link",))
    lines = _TABLE_LINES if site.link_table_cells else _LINES
    zones += [Zone(m.start(), m.end() - 1, "line") for m in lines.finditer("\n" + masked)]
    preformatted = [(m.start(), m.end() - 1) for m in _PREFORMATTED_LINES.finditer("\n" + masked)]
    zones += _urls(inline)
    zones += _bold_in_lead(inline, headings[0].start if headings else len(text))
    speech, quoted = _quotations(inline, site.language)
    zones += speech
    zones.sort()
    return Scan(zones, headings, quoted, preformatted, _parse_cost(text, opaque, pairs, zones))


def blank(text: str, zones: Iterable[Zone], *, keep: tuple[str, ...] = ()) -> str:
    """`text` with the zones blanked out, every other character where it was.

    A comment becomes NULs, as it leaves nothing behind on the page; all else becomes SOHs.
    """
    pieces, at = [], 0
    for start, end, reason in sorted(zones):
        if start >= at and reason not in keep:
            pieces += [text[at:start], ("\0" if reason == "comment" else "\1") * (end - start)]
            at = end
    return "".join([*pieces, text[at:]])


def _opaque_zones(text: str) -> list[Zone]:
    """Comments and tags whose content is no wikitext, up to their close or the end of the page."""
    zones: list[Zone] = []
    at = 0
    while found := _OPAQUE.search(text, at):
        if found[1] is None:
            close = text.find("-->", found.end())
            at = len(text) if close < 0 else close + 3
            zones.append(Zone(found.start(), at, "comment"))
        else:
            at = found.end() if found[2] else _close_of(found[1], text, found.end())
            zones.append(Zone(found.start(), at, "tag"))
    return zones


def _close_of(tag: str, text: str, start: int) -> int:
    closing = _CLOSING[tag.lower()].search(text, start)
    return closing.end() if closing else len(text)


# What a character read in vain costs inside a tag, next to one inside brackets.
_TAG_SHARE = 5
# What the parser starts to read wherever it stands, even where a comment was never closed.
_OPENERS = ("{{", "[[", "{|", "<")


def _parse_cost(text: str, opaque: list[Zone], pairs: _Pairs, zones: list[Zone]) -> int:
    """How many characters the parser reads in vain: from each opener without closer to the end."""
    loose = [start for starts in pairs.loose.values() for start in starts]
    cost = sum(len(text) - start for start in pairs.vain)
    cost += sum(len(text) - start for start in loose) // _TAG_SHARE
    for start, end, reason in zones:
        if reason == "external link" and text[start] == "[" and text[end - 1] != "]":
            cost += (len(text) - start) * text.count("[", start, end)
    if opaque and opaque[-1].end == len(text):
        start = opaque[-1].start
        cost += (len(text) - start) * sum(text.count(mark, start) for mark in _OPENERS)
    return cost


def _headings(masked: str) -> list[Heading]:
    return [
        Heading(m.start(), m.end() - 1, len(m[1]), _plain_heading(m[2]))
        for m in _HEADING.finditer("\n" + masked)
    ]


def _plain_heading(inner: str) -> str:
    return inner.translate(_UNBLANK).replace("''", "").strip()


def _unclosed(alone: list[int], headings: list[Heading], length: int) -> Iterator[Zone]:
    """From each opener without its closer to the end of its section."""
    ends = [heading.start for heading in headings] + [length]
    for start in alone:
        yield Zone(start, ends[min(bisect.bisect_right(ends, start), len(ends) - 1)], "unclosed")


_CLOSES = {"]]": "[[", "|}": "{|", "}-": "-{"}
_REASONS = {"{{": "template", "[[": "link", "{|": "table", "-{": "variant"}


class _Pairs:
    """Everything that opens and closes, matched leniently.

    `alone` are the openers left over; `vain` are all that the parser will look for in vain, those
    inside an extension's tag among them, which cannot reach beyond it, and `loose` the tags that
    forbid nothing but are looked for in vain all the same.
    """

    def __init__(self, masked: str, site: SiteRules) -> None:
        self.zones: list[Zone] = []
        self.alone: list[int] = []
        self.vain: list[int] = []
        self.loose: dict[str, list[int]] = {}
        self._text, self._site = masked, site
        self._stack: list[tuple[str, int]] = []
        self._open: Counter[str] = Counter()
        self._tags = _HTML_TAGS | site.extension_tags
        for found in _MARKS.finditer(masked):
            if found[2]:
                self._take_tag(found)
            else:
                self._take_bracket(found[0], *found.span())
        self.alone += [start for _, start in self._stack]
        self.vain += self.alone

    def _take_bracket(self, mark: str, start: int, end: int) -> None:
        kind = mark[:2]
        if kind == "{{":
            for at in range(start, end - 1, 2):
                self._push("{{", at)
        elif kind == "}}":
            for at in range(start, end - 1, 2):
                self._pop("{{", at, end if at + 3 >= end else at + 2)
        elif kind in ("{|", "|}") and not self._starts_line(start):
            return
        elif kind in _CLOSES:
            self._pop(_CLOSES[kind], start, end)
        else:
            self._push(kind, start)

    def _starts_line(self, start: int) -> bool:
        """Do only indents and list signs stand before this place on its line?"""
        at = start - 1
        while at >= 0 and self._text[at] in _BEFORE_TABLE:
            at -= 1
        return at < 0 or self._text[at] in "\n\0\1"

    def _take_tag(self, found: re.Match[str]) -> None:
        name = found[2].lower()
        if not found[4]:
            known = name in self._tags or name in _PLAIN_TAGS or name in _VOID_TAGS
            (self.alone if known else self.vain).append(found.start())
        elif name not in self._tags or found[3].endswith("/"):
            self.zones.append(Zone(*found.span(), "tag"))
            if name not in _SINGLE_TAGS and not found[3].endswith("/"):
                self._count_loose(name, found)
        elif found[1]:
            self._pop(name, *found.span())
        else:
            self._push(name, found.start())

    def _count_loose(self, name: str, found: re.Match[str]) -> None:
        opened = self.loose.setdefault(name, [])
        if not found[1]:
            opened.append(found.start())
        elif opened:
            opened.pop()

    def _push(self, mark: str, start: int) -> None:
        self._stack.append((mark, start))
        self._open[mark] += 1

    def _pop(self, mark: str, start: int, end: int) -> None:
        """Close the nearest `mark`; openers inside it stay alone, and so does a lone closer."""
        if not self._open[mark]:
            self.zones.append(Zone(start, end, "mark"))
            return
        left = self.vain if mark in self._site.extension_tags else self.alone
        while True:
            opened, at = self._stack.pop()
            self._open[opened] -= 1
            if opened == mark:
                break
            left.append(at)
        self.zones += self._closed(mark, at, end)

    def _closed(self, mark: str, start: int, end: int) -> Iterator[Zone]:
        reason = _REASONS.get(mark, "tag")
        if mark == "[[" and (trail := self._site.trail_length(self._text, end)):
            yield Zone(end, end + trail, "trail")
        if mark == "{|" and self._site.link_table_cells:
            for span in cell_syntax(self._outer(start, end), start):
                yield Zone(*span, reason)
        elif mark == "[[" and self._site.link_captions:
            inner = caption_start(self._outer(start, end), start, self._site)
            yield Zone(start, end if inner is None else inner, reason)
            yield Zone(end - 2, end, reason)
        else:
            yield Zone(start, end, reason)

    def _outer(self, start: int, end: int) -> str:
        """text[start:end] with the markup nested in it blanked out."""
        nested = itertools.takewhile(lambda zone: zone.start > start, reversed(self.zones))
        inside = [Zone(a - start, b - start, "") for a, b, _ in nested]
        return blank(self._text[start:end], inside)


def _urls(text: str) -> Iterator[Zone]:
    for found in _BRACKETED_URL.finditer(text):
        yield Zone(*found.span(), "external link")
    for found in _URL.finditer(text):
        scheme = _SCHEME.search(text, max(0, found.start() - 20), found.start())
        if found[0].startswith("://"):
            yield Zone(scheme.start() if scheme else found.start(), found.end(), "external link")
        elif scheme and scheme[0].lower() in _SCHEMES:
            yield Zone(scheme.start(), found.end(), "external link")
    for found in _NUMBER.finditer(text):
        yield Zone(*found.span(), "external link")


def _bold_in_lead(text: str, end: int) -> Iterator[Zone]:
    """The page's own names in bold; without a second ''' MediaWiki ends them with the line."""
    at = 0
    for line in text[:end].splitlines(keepends=True):
        if "'''" in line:
            for start, stop in _bold_ranges(line):
                yield Zone(at + start, at + stop, "bold name")
        at += len(line)


def _bold_ranges(line: str) -> Iterator[tuple[int, int]]:
    """From each quote that opens bold to the one that closes it, or to the end of the line."""
    runs = list(_QUOTES.finditer(line))
    bold = [run for run in runs if len(run[0]) == 3 or len(run[0]) > 4]
    italic = [run for run in runs if len(run[0]) == 2 or len(run[0]) > 4]
    if len(bold) % 2 and len(italic) % 2:
        elision = _elision(line, bold)
        bold = [run for run in bold if run is not elision]
    for index in range(0, len(bold), 2):
        closing = bold[index + 1].end() if index + 1 < len(bold) else len(line)
        yield bold[index].start(), closing


def _elision(line: str, bold: list[re.Match[str]]) -> re.Match[str] | None:
    """The bold quote that MediaWiki takes for an apostrophe and italics, as in l'''Iliade''."""
    three = [run for run in bold if len(run[0]) == 3 and line[: run.start()][-1:].strip()]
    single = [run for run in three if not line[: run.start() - 1][-1:].strip()]
    return next(iter(single or three), None)


def _quotations(text: str, language: str) -> tuple[list[Zone], list[tuple[int, int]]]:
    """Quotations, and all ranges between quotation marks."""
    inward = language in _INWARD_LANGUAGES
    zones, quoted = [], []
    found = (_INWARD_SPEECH_PATTERN if inward else _SPEECH_PATTERN).finditer(text)
    for start, end in (*(one.span() for one in found), *_around_quotations(text)):
        quoted.append((start, end))
        if len(text[start + 1 : end - 1].split()) > _TITLE_WORDS:
            zones.append(Zone(start, end, "quotation"))
    return zones, quoted


def _around_quotations(text: str) -> Iterator[tuple[int, int]]:
    """Quotations that hold others between the same marks: "He said "no" to her"."""
    opened: list[tuple[int, int]] = []  # where, and how many were closed by then
    closed = line = 0
    for mark in _MARK.finditer(text):
        if text.find("\n", line, mark.start()) >= 0:
            opened.clear()
        line = mark.start()
        if mark["opens"]:
            opened.append((line, closed))
        elif opened:
            start, before = opened.pop()
            if closed > before:
                yield start, mark.end()
            closed += 1
