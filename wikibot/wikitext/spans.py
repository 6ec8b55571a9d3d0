"""Where a link may stand: where the parser sees prose and the scanner has nothing against it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wikibot.wikitext import parse as markup
from wikibot.wikitext.rules import SiteRules
from wikibot.wikitext.scanner import STRUCTURAL, Heading, Scan

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Span:
    """Prose without markup on one line, text[start:end], in which a link may stand.

    `section` is the heading it stands under ("" in the lead); `block` is "paragraph", "list" or
    "indent".
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
    """A piece that one of the two takes for text and the other for markup; no link stands there."""

    start: int
    end: int
    parser: str
    scanner: str


def find_spans(
    text: str, site: SiteRules, marks: markup.Markup, scanned: Scan
) -> tuple[list[Span], list[Disagreement]]:
    """The linkable spans in order, and the places where parser and scanner disagree."""
    allowed = markup.STYLE
    allowed |= markup.CELL | markup.TABLE if site.link_table_cells else 0
    allowed |= markup.CAPTION if site.link_captions else 0
    prose = [leaf for leaf in marks.leaves if not leaf.where & ~allowed]
    policy = list(_excluded_sections(site, scanned.headings, len(text)))
    policy += _bold_lead(marks.nodes, scanned.headings)
    structure = merge((z.start, z.end) for z in scanned.zones if z.reason in STRUCTURAL)
    blocked = merge([*((z.start, z.end) for z in scanned.zones), *policy])
    spans = list(_spans(text, prose, blocked, scanned))
    return spans, _disagreements(text, prose, structure)


def merge(ranges: Iterable[Range]) -> list[Range]:
    """The same characters as disjoint ranges in order."""
    merged: list[Range] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            if end > merged[-1][1]:
                merged[-1] = (merged[-1][0], end)
        elif end > start:
            merged.append((start, end))
    return merged


def _excluded_sections(site: SiteRules, headings: list[Heading], length: int) -> Iterator[Range]:
    """Sections left alone because of their name, with the subsections under them."""
    for index, heading in enumerate(headings):
        if site.is_excluded_section(heading.title):
            later = (h.start for h in headings[index + 1 :] if h.level <= heading.level)
            yield heading.start, next(later, length)


def _bold_lead(nodes: list[markup.Node], headings: list[Heading]) -> list[Range]:
    """The page's own names, which stand in bold before the first heading."""
    lead = headings[0].start if headings else None
    return [
        (node.start, node.end)
        for node in nodes
        if node.kind == markup.TAG
        and node.name in ("b", "strong")
        and (lead is None or node.start < lead)
    ]


def _spans(
    text: str, prose: list[markup.Leaf], blocked: list[Range], scanned: Scan
) -> Iterator[Span]:
    quoted = _Pointer(merge(scanned.quoted))
    section = _Sections(scanned.headings)
    for leaf, start, end in _free(prose, blocked):
        for a, b in _lines(text, start, end):
            yield Span(
                a,
                b,
                section.at(a),
                _block(text, a),
                bool(leaf.where & markup.ITALIC),
                bool(leaf.where & markup.BOLD),
                quoted.covers(a),
            )


def _free(prose: list[markup.Leaf], blocked: list[Range]) -> Iterator[tuple[markup.Leaf, int, int]]:
    """What is left of each leaf once the blocked ranges are taken out; both are in order."""
    first = 0
    for leaf in prose:
        at = leaf.start
        while first < len(blocked) and blocked[first][1] <= at:
            first += 1
        index = first
        while index < len(blocked) and blocked[index][0] < leaf.end:
            if blocked[index][0] > at:
                yield leaf, at, blocked[index][0]
            at = max(at, blocked[index][1])
            index += 1
        if at < leaf.end:
            yield leaf, at, leaf.end


def _lines(text: str, start: int, end: int) -> Iterator[Range]:
    """The non-blank lines of text[start:end]."""
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        if stop > start and not text[start:stop].isspace():
            yield start, stop
        start = stop + 1


def _block(text: str, at: int) -> str:
    first = text[text.rfind("\n", 0, at) + 1]
    return {"*": "list", "#": "list", ":": "indent"}.get(first, "paragraph")


def _disagreements(
    text: str, prose: list[markup.Leaf], structure: list[Range]
) -> list[Disagreement]:
    """Pieces the parser takes for prose though the scanner sees markup."""
    found: list[Disagreement] = []
    for leaf in prose:
        at = leaf.start
        for _, a, b in _free([leaf], structure):
            if a > at and not text[at:a].isspace():
                found.append(Disagreement(at, a, "text", "markup"))
            at = b
        if at < leaf.end and not text[at : leaf.end].isspace():
            found.append(Disagreement(at, leaf.end, "text", "markup"))
    return found


class _Pointer:
    """Whether an offset lies in one of some disjoint ranges, asked in ascending order."""

    def __init__(self, ranges: list[Range]) -> None:
        self._ranges, self._at = ranges, 0

    def covers(self, offset: int) -> bool:
        while self._at < len(self._ranges) and self._ranges[self._at][1] <= offset:
            self._at += 1
        return self._at < len(self._ranges) and self._ranges[self._at][0] <= offset


class _Sections:
    """The heading above an offset, asked in ascending order."""

    def __init__(self, headings: list[Heading]) -> None:
        self._headings, self._at = headings, 0

    def at(self, offset: int) -> str:
        while self._at < len(self._headings) and self._headings[self._at].start <= offset:
            self._at += 1
        return self._headings[self._at - 1].title if self._at else ""
