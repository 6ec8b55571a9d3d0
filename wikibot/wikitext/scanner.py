"""A second opinion on where a link must not stand, independent of the parser.

mwparserfromhell turns unclosed markup into plain text. This scanner errs the other way: whatever
looks as if it might be markup is forbidden, and an opener without its closer forbids everything
up to the end of its section. It knows nothing of the parser and shares no code with it.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass
from typing import NamedTuple

from wikibot.wikitext.rules import SiteRules

# Reasons that the parser has an opinion about as well: these are compared with its reading.
STRUCTURAL = frozenset(
    ("comment", "tag", "template", "table", "link", "external link", "heading", "unclosed")
)

_OPAQUE_TAGS = (
    "nowiki pre math ce chem source syntaxhighlight score timeline hiero graph gallery imagemap"
    " templatedata templatestyles inputbox categorytree section charinsert mapframe maplink"
)
_VOID_TAGS = frozenset(
    (
        "br",
        "hr",
        "wbr",
        "p",
        "li",
        "dt",
        "dd",
        "tr",
        "td",
        "th",
        "img",
        "meta",
        "link",
        "references",
    )
)
_PLAIN_TAGS = frozenset(("b", "i", "u", "em", "strong", "small", "big", "center"))

_MARKS = re.compile(
    r"\{\{+|\}\}+|(?<![^\n])[:*# \t]*\{\||(?<![^\n])[ \t]*\|\}(?!\})|\[\[|\]\]|-\{(?!\{)|\}-"
    r"|<(/?)([A-Za-z][^\s/<>]*)((?:[^<>\"']|\"[^\"]*\"|'[^']*')*?)(/?)>"
    r"|<(/?)([A-Za-z][A-Za-z0-9]*)"
)
_HEADING = re.compile(r"^(={1,6})[^\n]+?\1[ \t\0]*$|^=[^\n]*$", re.MULTILINE)
_HEADING_PARTS = re.compile(r"^(={1,6})(.+?)\1[ \t\0]*$", re.MULTILINE)
_LINES = re.compile(r"^(?:[ \t][^\n]*|[|!][^\n]*|----+|;[^\n:]*)", re.MULTILINE)
_URL = re.compile(
    r"\[(?:(?:[A-Za-z][A-Za-z0-9+.\-]*:)?//|mailto:|news:|tel:)[^\]\n]*\]?"
    r"|\b(?:https?|ftps?|ircs?|git|svn|sftp|gopher|telnet|nntp|worldwind|ssh|mms)://[^\s\[\]<>\"]+"
    r"|\b(?:mailto|news|urn|tel|geo|magnet|sip|sips|sms|xmpp|bitcoin):[^\s\[\]<>\"]+"
    r"|\b(?:ISBN|RFC|PMID)[ \t\u00a0]+[0-9][0-9Xx \-]*",
    re.IGNORECASE,
)
_SMALL = re.compile(r"__[^\W_]+(?:_[^\W_]+)*__|''+|&#?\w+;|~~~+|[{}\[\]|<>]+")
_SPEECH = re.compile(
    '"([^"\n]*)"|“([^”\n]*)”|„([^“”\n]*)[“”]|«([^»\n]*)»|»([^«\n]*)«|「([^」\n]*)」|『([^』\n]*)』'
    "|”([^”\n]*)”|‟([^”\n]*)”"
)


class Zone(NamedTuple):
    """Characters in which no link may stand, and why."""

    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading line and the section under it, up to the next heading of any level."""

    start: int
    end: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Scan:
    """What the scanner says about a page: zones in order of their start."""

    zones: list[Zone]
    headings: list[Heading]
    quoted: list[tuple[int, int]]


def scan(text: str, site: SiteRules) -> Scan:
    """Every place of `text` in which the scanner would rather see no link."""
    opaque = _opaque_zones(text)
    masked = _mask(text, opaque)
    headings = _headings(masked)
    zones = opaque + [Zone(h.start, h.end, "heading") for h in headings]
    zones += _paired(masked, site, headings)
    zones += [Zone(*m.span(), "line") for m in _LINES.finditer(masked)]
    zones += [Zone(*m.span(), "external link") for m in _URL.finditer(masked)]
    zones += [Zone(*m.span(), "mark") for m in _SMALL.finditer(masked)]
    zones += _odd_headings(masked)
    speech, quoted = _quotations(masked)
    zones += speech
    zones.sort()
    return Scan(zones, headings, quoted)


def _opaque_zones(text: str) -> list[Zone]:
    """Comments and tags whose content is no wikitext, up to their close or the end of the page."""
    zones: list[Zone] = []
    at = 0
    while found := _OPAQUE.search(text, at):
        if found[1] is None:
            close = text.find("-->", found.end())
            at = len(text) if close < 0 else close + 3
            zones.append(Zone(found.start(), at, "comment"))
        elif found[2]:
            at = found.end()
            zones.append(Zone(found.start(), at, "tag"))
        else:
            closing = _closing_tag(found[1]).search(text, found.end())
            at = closing.end() if closing else len(text)
            zones.append(Zone(found.start(), at, "tag"))
    return zones


_OPAQUE = re.compile(
    rf"<!--|<({'|'.join(_OPAQUE_TAGS.split())})(?=[\s/>])[^<>]*?(/?)>", re.IGNORECASE
)
_CLOSING = {tag: re.compile(rf"</{tag}\s*>", re.IGNORECASE) for tag in _OPAQUE_TAGS.split()}


def _closing_tag(name: str) -> re.Pattern[str]:
    return _CLOSING[name.lower()]


def _mask(text: str, zones: list[Zone]) -> str:
    """`text` with the zones blanked out, every other character at its place."""
    pieces, at = [], 0
    for zone in zones:
        pieces.append(text[at : zone.start])
        pieces.append("\0" * (zone.end - zone.start))
        at = zone.end
    pieces.append(text[at:])
    return "".join(pieces)


def _headings(masked: str) -> list[Heading]:
    return [
        Heading(m.start(), m.end(), len(m[1]), m[2].replace("\0", "").strip())
        for m in _HEADING_PARTS.finditer(masked)
    ]


def _odd_headings(masked: str) -> list[Zone]:
    """Lines that start with = and are no heading: someone's broken one."""
    return [Zone(*m.span(), "line") for m in _HEADING.finditer(masked)]


class _Opener(NamedTuple):
    mark: str
    start: int
    end: int


_CLOSES = {"}}": "{{", "]]": "[[", "|}": "{|", "}-": "-{"}
_REASONS = {"{{": "template", "[[": "link", "{|": "table", "-{": "variant"}


def _paired(masked: str, site: SiteRules, headings: list[Heading]) -> list[Zone]:
    """Zones of everything that opens and closes; an opener left alone runs to its section's end."""
    zones: list[Zone] = []
    stack: list[_Opener] = []
    for found in _MARKS.finditer(masked):
        if found[0][0] == "<":
            _take_tag(found, stack, zones)
            continue
        _take_bracket(found, stack, zones)
    alone = [zone for zone in zones if zone.reason == "alone"]
    zones = [zone for zone in zones if zone.reason != "alone"]
    starts = [heading.start for heading in headings] + [len(masked)]
    for start in [opener.start for opener in stack] + [zone.start for zone in alone]:
        zones.append(Zone(start, starts[bisect.bisect_left(starts, start + 1)], "unclosed"))
    return [_with_trail(zone, masked, site) for zone in zones]


def _with_trail(zone: Zone, masked: str, site: SiteRules) -> Zone:
    if zone.reason != "link":
        return zone
    return Zone(zone.start, zone.end + site.trail_length(masked, zone.end), "link")


def _take_bracket(found: re.Match[str], stack: list[_Opener], zones: list[Zone]) -> None:
    mark = found[0].lstrip(":*# \t")
    if mark[0] == "{" and mark[:2] == "{{":
        for at in range(found.start(), found.end() - 1, 2):
            stack.append(_Opener("{{", at, at + 2))
    elif mark[:2] == "}}":
        for at in range(found.start(), found.end() - 1, 2):
            _pop("{{", at, min(at + 3, found.end()), stack, zones)
    elif mark in _CLOSES:
        _pop(_CLOSES[mark], found.start(), found.end(), stack, zones)
    else:
        stack.append(_Opener(mark, found.start(), found.end()))


def _pop(mark: str, start: int, end: int, stack: list[_Opener], zones: list[Zone]) -> None:
    """Close the nearest `mark`; openers inside it stay alone; a closer without one spoils its line."""
    for depth in range(len(stack) - 1, -1, -1):
        if stack[depth].mark == mark:
            zones.extend(Zone(o.start, o.end, "alone") for o in stack[depth + 1 :])
            zones.append(Zone(stack[depth].start, end, _REASONS.get(mark, "tag")))
            del stack[depth:]
            return
    zones.append(Zone(start, end, "mark"))


def _take_tag(found: re.Match[str], stack: list[_Opener], zones: list[Zone]) -> None:
    if found[2] is None:
        zones.append(Zone(found.start(), found.end(), "alone"))
        return
    name, closing, single = found[2].lower(), bool(found[1]), bool(found[4])
    if name in _VOID_TAGS or name in _PLAIN_TAGS or single:
        zones.append(Zone(found.start(), found.end(), "tag"))
    elif closing:
        _pop("<" + name, found.start(), found.end(), stack, zones)
    else:
        stack.append(_Opener("<" + name, found.start(), found.end()))


# A title or a nickname in quotation marks is no quotation; more words than this are one.
_TITLE_WORDS = 6


def _quotations(masked: str) -> tuple[list[Zone], list[tuple[int, int]]]:
    """Quotations, and all ranges between quotation marks, titles and nicknames among them."""
    zones, quoted = [], []
    for found in _SPEECH.finditer(masked):
        quoted.append(found.span())
        inner = found[found.lastindex or 0]
        if len(inner.split()) > _TITLE_WORDS:
            zones.append(Zone(*found.span(), "quotation"))
    return zones, quoted
