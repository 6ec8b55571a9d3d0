"""The links that a page already has, with their exact places."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from wikibot.wikitext import parse as markup
from wikibot.wikitext.rules import CATEGORY, FILE, SiteRules
from wikibot.wikitext.scanner import Zone
from wikibot.wikitext.titles import decode_entities, normalise_title

_QUOTES = re.compile("''+")
_TAGS = re.compile(r"<[^<>]*>|\{\{[^{}]*\}\}")


@dataclass(frozen=True, slots=True)
class WikiLink:
    """`[[target|anchor]]trail` at text[start:end] (the trail comes after `end`).

    `target` is the normalised title, with its namespace's name; `anchor` what a reader sees, the
    trail included; text[anchor_start:anchor_end] the display text inside the brackets. `place` is
    "prose", or the markup around it: template, reference, table, caption, heading, tag. The
    sentence offsets are -1 outside prose.
    """

    start: int
    end: int
    raw_target: str
    target: str
    fragment: str
    namespace: int
    interwiki: str
    anchor: str
    anchor_start: int
    anchor_end: int
    place: str
    is_shown: bool = True
    sentence_start: int = -1
    sentence_end: int = -1

    @property
    def in_prose(self) -> bool:
        """Does it stand in running text that a reader sees?"""
        return self.place == "prose" and self.is_shown

    @property
    def is_page_link(self) -> bool:
        """Does a reader who clicks on it come to a page of this wiki?"""
        return self.is_shown and not self.interwiki and bool(self.target)


def find_links(
    text: str,
    site: SiteRules,
    nodes: list[markup.Node],
    *,
    page: str | None,
    zones: list[Zone],
    sentence_of: Callable[[int, int], tuple[int, int]],
) -> list[WikiLink]:
    """All internal links among the parser's nodes, in order; prose only where `zones` agree."""
    references = [(n.start, n.end) for n in nodes if n.kind == markup.TAG and n.name == "ref"]
    in_reference = Covered(references)
    in_zone = {reason: Covered(_ranges(zones, reason)) for reason in ("template", "table")}
    found = []
    for node in nodes:
        if node.kind != markup.LINK:
            continue
        place = "reference" if in_reference.holds(node.start) else place_name(node.where)
        if place == "prose":
            place = next((r for r, held in in_zone.items() if held.holds(node.start)), place)
        sentence = sentence_of(node.start, node.end) if place == "prose" else (-1, -1)
        found.append(_read_link(text, site, node, page, place, sentence))
    return found


def _ranges(zones: list[Zone], reason: str) -> list[tuple[int, int]]:
    return [(zone.start, zone.end) for zone in zones if zone.reason == reason]


def _read_link(
    text: str,
    site: SiteRules,
    node: markup.Node,
    page: str | None,
    place: str,
    sentence: tuple[int, int],
) -> WikiLink:
    raw = node.name
    title = normalise_title(raw, site, page=page)
    start = node.inner if node.inner >= 0 else node.start + 2
    trail = text[node.end : node.end + site.trail_length(text, node.end)]
    hidden = title.namespace in (FILE, CATEGORY) or title.interwiki
    return WikiLink(
        node.start,
        node.end,
        raw,
        title.text,
        title.fragment,
        title.namespace,
        title.interwiki,
        _shown(text[start : node.inner_end], piped=node.inner >= 0) + trail,
        start,
        node.inner_end,
        place,
        not hidden or raw.lstrip().startswith(":"),
        *sentence,
    )


def _shown(display: str, *, piped: bool) -> str:
    """The text a reader sees for the part of a link that is displayed."""
    if not piped:
        display = display.strip().removeprefix(":")
    if "''" in display:
        display = _QUOTES.sub("", display)
    if "<" in display or "{{" in display:
        display = _TAGS.sub("", display)
    return decode_entities(display)


_PLACES = (
    (markup.TEMPLATE, "template"),
    (markup.CAPTION, "caption"),
    (markup.TABLE | markup.CELL, "table"),
    (markup.HEADING, "heading"),
    (markup.LINK | markup.EXTERNAL, "link"),
    (markup.COMMENT, "comment"),
    (markup.TAG, "tag"),
)


def place_name(where: int) -> str:
    """The name of the outermost markup that keeps a place from being prose."""
    if not where & ~markup.STYLE:
        return "prose"
    for bits, name in _PLACES:
        if where & bits:
            return name
    return "prose"


class Covered:
    """Whether an offset lies in one of some ranges, asked in ascending order."""

    def __init__(self, ranges: list[tuple[int, int]]) -> None:
        self._ranges, self._at, self._end = sorted(ranges), 0, -1

    def holds(self, offset: int) -> bool:
        while self._at < len(self._ranges) and self._ranges[self._at][0] <= offset:
            self._end = max(self._end, self._ranges[self._at][1])
            self._at += 1
        return offset < self._end
