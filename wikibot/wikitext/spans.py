"""Where a link may stand: where the parser sees prose and the scanner has nothing against it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wikibot.wikitext import parse as markup
from wikibot.wikitext.rules import SiteRules
from wikibot.wikitext.scanner import STRUCTURAL, Heading, Scan

Range = tuple[int, int]

# Inside prose: line ends, magic words, quotes that style, signatures and stray brackets.
_BREAKS = re.compile(r"\n|__[^\W_]+(?:_[^\W_]+)*__|''+|~~~+|\{|\}|\[|\]|\||<|>|\t")
_BLOCKS = {"*": "list", "#": "list", ":": "indent"}


@dataclass(frozen=True, slots=True)
class Span:
    """Prose without markup on one line, text[start:end], in which a link may stand.

    `section` is the heading it stands under ("" in the lead); `block` is "paragraph", "list",
    "indent" or "preformatted" (a line that starts with a space); `quoted` says that all of it stands between quotation marks.
    """

    start: int
    end: int
    section: str = ""
    block: str = "paragraph"
    italic: bool = False
    bold: bool = False
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Disagreement:
    """text[start:end], which `text_for` ("parser" or "scanner") takes for prose, the other not.

    No link is offered there.
    """

    start: int
    end: int
    text_for: str


def find_spans(text: str, site: SiteRules, marks: markup.Markup, scanned: Scan) -> list[Span]:
    """The linkable spans, in order."""
    prose = _prose(site, marks)
    blocked = [(zone.start, zone.end) for zone in scanned.zones]
    blocked += excluded_sections(site, scanned.headings, len(text))
    blocked += _bold_lead(marks.nodes, scanned.headings)
    return list(_spans(text, prose, merge(blocked), scanned))


def find_disagreements(
    text: str, site: SiteRules, marks: markup.Markup, scanned: Scan
) -> list[Disagreement]:
    """Where one of the two sees prose and the other markup, white space left aside."""
    prose = [(leaf.start, leaf.end) for leaf in _prose(site, marks)]
    seen = merge((z.start, z.end) for z in scanned.zones if z.reason in STRUCTURAL)
    outer = merge((n.start, n.end) for n in marks.nodes if _hides(n))
    known = merge((z.start, z.end) for z in scanned.zones)
    found = [Disagreement(a, b, "parser") for a, b in overlap(prose, seen)]
    found += [Disagreement(a, b, "scanner") for a, b in subtract(outer, known)]
    return sorted(
        (d for d in found if re.search(r"\w", text[d.start : d.end])), key=lambda d: d.start
    )


def merge(ranges: Iterable[Range]) -> list[Range]:
    """The same characters as disjoint ranges in order."""
    merged: list[Range] = []
    last = -1
    for start, end in sorted(ranges):
        if start > last:
            merged.append((start, end))
            last = end
        elif end > last:
            merged[-1] = (merged[-1][0], end)
            last = end
    return merged


def subtract(ranges: Iterable[Range], taken: list[Range]) -> Iterator[Range]:
    """What is left of each range once the taken ones are out; both disjoint and in order."""
    first = 0
    for start, end in ranges:
        while first < len(taken) and taken[first][1] <= start:
            first += 1
        index = first
        while index < len(taken) and taken[index][0] < end:
            if taken[index][0] > start:
                yield start, taken[index][0]
            start = taken[index][1]
            index += 1
        if start < end:
            yield start, end


def overlap(ranges: Iterable[Range], others: list[Range]) -> Iterator[Range]:
    """The characters that lie in both; both disjoint and in order."""
    first = 0
    for start, end in ranges:
        while first < len(others) and others[first][1] <= start:
            first += 1
        index = first
        while index < len(others) and others[index][0] < end:
            yield max(start, others[index][0]), min(end, others[index][1])
            index += 1


def _prose(site: SiteRules, marks: markup.Markup) -> list[markup.Leaf]:
    allowed = markup.STYLE
    allowed |= markup.CELL | markup.TABLE if site.link_table_cells else 0
    allowed |= markup.CAPTION if site.link_captions else 0
    return [leaf for leaf in marks.leaves if not leaf.where & ~allowed]


def _hides(node: markup.Node) -> bool:
    """Is it top-level markup whose content is no prose?"""
    if node.where & ~markup.STYLE or node.kind == markup.ENTITY:
        return False
    return node.kind != markup.TAG or node.name not in markup.PLAIN_TAGS


def excluded_sections(site: SiteRules, headings: list[Heading], length: int) -> Iterator[Range]:
    """Sections left alone because of their name, with the subsections under them."""
    for index, heading in enumerate(headings):
        if site.is_excluded_section(heading.title):
            later = (h.start for h in headings[index + 1 :] if h.level <= heading.level)
            yield heading.start, next(later, length)


def _bold_lead(nodes: list[markup.Node], headings: list[Heading]) -> Iterator[Range]:
    """The page's own names, which stand in bold before the first heading."""
    for node in nodes:
        if headings and node.start >= headings[0].start:
            return
        if node.kind == markup.TAG and node.name in ("b", "strong"):
            yield node.start, node.end


def _spans(
    text: str, prose: list[markup.Leaf], blocked: list[Range], scanned: Scan
) -> Iterator[Span]:
    quoted = _Ranges(merge(scanned.quoted))
    preformatted = _Ranges(scanned.preformatted)
    sections = _Sections(scanned.headings)
    at = line = 0
    for start, end in subtract(((leaf.start, leaf.end) for leaf in prose), blocked):
        while prose[at].end <= start:
            at += 1
        where = prose[at].where
        for a, b in _pieces(text, start, end):
            line = text.rfind("\n", line, a) + 1 or line
            yield Span(
                a,
                b,
                sections.at(a),
                "preformatted"
                if preformatted.cover(a, b)
                else _BLOCKS.get(text[line], "paragraph"),
                bool(where & markup.ITALIC),
                bool(where & markup.BOLD),
                quoted.cover(a, b),
            )


def _pieces(text: str, start: int, end: int) -> Iterator[Range]:
    """The runs of text[start:end] without line ends and stray marks that hold a letter."""
    for found in _BREAKS.finditer(text, start, end):
        if found.start() > start and not text[start : found.start()].isspace():
            yield start, found.start()
        start = found.end()
    if start < end and not text[start:end].isspace():
        yield start, end


class _Ranges:
    """Disjoint ranges in order, asked about places in ascending order."""

    def __init__(self, ranges: list[Range]) -> None:
        self._ranges, self._at = ranges, 0

    def cover(self, start: int, end: int) -> bool:
        while self._at < len(self._ranges) and self._ranges[self._at][1] <= start:
            self._at += 1
        if self._at == len(self._ranges):
            return False
        return self._ranges[self._at][0] <= start and end <= self._ranges[self._at][1]


class _Sections:
    """The heading above an offset, asked in ascending order."""

    def __init__(self, headings: list[Heading]) -> None:
        self._headings, self._at = headings, 0

    def at(self, offset: int) -> str:
        while self._at < len(self._headings) and self._headings[self._at].start <= offset:
            self._at += 1
        return self._headings[self._at - 1].title if self._at else ""
