"""Links put into a text, and taken out again, character by character."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from wikibot.errors import UnsafeEdit
from wikibot.message import message
from wikibot.wikitext.rules import CATEGORY, FILE, SiteRules
from wikibot.wikitext.sentences import at_word_boundary
from wikibot.wikitext.titles import first_upper, normalise_title

_NOT_IN_ANCHOR = re.compile(r"[\[\]{}|<>\n\r\t]|''|~~~|__")
# MediaWiki makes the space before these a non-breaking one, unless a letter follows directly.
_SPACED_MARK = re.compile(r" [?:;!%»›]$")
_NOT_IN_TARGET = re.compile(r"[\[\]{}|<>\n\r\t#]|~~~")


@dataclass(frozen=True, slots=True)
class Insertion:
    """A link to the page `target` on the words text[start:end] of the text before the edit."""

    start: int
    end: int
    target: str


class Placed(NamedTuple):
    """An inserted link: [[...]] at after[start:end], `added` characters longer than its anchor."""

    insertion: Insertion
    markup: str
    start: int
    end: int
    added: int


def insert_links(text: str, insertions: Iterable[Insertion], site: SiteRules | None = None) -> str:
    """`text` with the links in it, each in its shortest form; nothing else is changed.

    Refuses with UnsafeEdit an anchor with markup in it, one that is cut out of a word, one that a
    link trail would lengthen, and anchors that overlap.

    >>> insert_links("Two villages in Paris.", [Insertion(4, 12, "Village"), Insertion(16, 21, "Paris")])
    'Two [[village]]s in [[Paris]].'
    """
    pieces, at = [], 0
    for put in place_links(text, insertions, site or SiteRules.for_language("en")):
        pieces += [text[at : put.insertion.start], put.markup]
        at = put.insertion.end
    return "".join([*pieces, text[at:]])


def place_links(text: str, insertions: Iterable[Insertion], site: SiteRules) -> list[Placed]:
    """Where each link will stand in the text that `insert_links` returns, in order."""
    placed, shift = [], 0
    for insertion in _in_order(insertions, len(text)):
        markup = link_markup(text, insertion, site)
        start, added = insertion.start + shift, len(markup) - (insertion.end - insertion.start)
        end = start + markup.index("]]") + 2
        placed.append(Placed(insertion, markup, start, end, added))
        shift += added
    return placed


def remove_links(text: str, insertions: Iterable[Insertion]) -> str:
    """The text before `insert_links`; UnsafeEdit if one of these links is not where it was put.

    The insertions are the ones given to `insert_links`, with the offsets of the text before.
    """
    pieces, at, shift = [], 0, 0
    for insertion in _in_order(insertions, len(text)):
        start = insertion.start + shift
        anchor, end = _read_inserted(text, start, insertion)
        pieces += [text[at:start], anchor]
        at = end
        shift += (end - start) - len(anchor)
    return "".join([*pieces, text[at:]])


def link_markup(text: str, insertion: Insertion, site: SiteRules) -> str:
    """The shortest wikitext that shows text[start:end] as a link to the target.

    >>> link_markup("cats", Insertion(0, 4, "Cat"), SiteRules.for_language("en"))
    '[[cat]]s'
    """
    anchor = text[insertion.start : insertion.end]
    if problem := anchor_problem(text, insertion.start, insertion.end, site):
        _refuse(insertion, problem)
    target = _written_target(insertion.target, site)
    plain = not target.startswith(":")
    if plain and same_page(anchor, target, site):
        return f"[[{anchor}]]"
    stem, trail = anchor[: len(target)], anchor[len(target) :]
    if plain and trail and same_page(stem, target, site) and _swallowed(trail, site):
        return f"[[{stem}]]{trail}"
    return f"[[{target}|{anchor}]]"


def same_page(anchor: str, target: str, site: SiteRules) -> bool:
    """Does `[[anchor]]` by itself lead to `target`?"""
    if anchor == target:
        return True
    return site.capital_links and first_upper(anchor) == first_upper(target)


def _swallowed(trail: str, site: SiteRules) -> bool:
    return site.trail_length(trail, 0) == len(trail)


def anchor_problem(text: str, start: int, end: int, site: SiteRules) -> str | None:
    """Why text[start:end] cannot be the text of a link, or None; the markup around it aside."""
    anchor = text[start:end]
    if not anchor or anchor != anchor.strip() or _NOT_IN_ANCHOR.search(anchor):
        return message("anchor-not-a-text", repr(anchor))
    if text[start - 1 : start] == "[" or (text[end : end + 1] == "]" != text[end + 1 : end + 2]):
        return message("anchor-bracket", repr(anchor))
    if text[start - 2 : start] == "}}" or text[end : end + 2] == "{{":
        return message("anchor-template", repr(anchor))
    if _SPACED_MARK.match(text, max(0, start - 2), start):
        return message("anchor-spaced-sign", repr(anchor))
    if not (at_word_boundary(text, start) and at_word_boundary(text, end)):
        return message("anchor-part-of-word", repr(anchor))
    if site.trail_length(text, end):
        return message("anchor-letters-after", repr(anchor))
    if site.link_prefix and start and text[start - 1].isalpha():
        return message("anchor-letters-before", repr(anchor))
    return None


def _written_target(target: str, site: SiteRules) -> str:
    """The target as it must be written so that a link to it is shown as one."""
    if not target.strip() or _NOT_IN_TARGET.search(target):
        raise UnsafeEdit(message("edit-bad-target", repr(target)))
    title = normalise_title(target, site)
    hidden = title.namespace in (FILE, CATEGORY) or title.interwiki
    return f":{target}" if hidden or target.startswith(("/", "../")) else target


def _refuse(insertion: Insertion, why: str) -> None:
    raise UnsafeEdit(message("edit-no-link-to", repr(insertion.target), insertion.start, why))


def _in_order(insertions: Iterable[Insertion], length: int) -> list[Insertion]:
    ordered = sorted(insertions, key=lambda insertion: insertion.start)
    at = 0
    for insertion in ordered:
        if insertion.start < at or insertion.end > length or insertion.end <= insertion.start:
            _refuse(insertion, "it overlaps another link or lies outside the text")
        at = insertion.end
    return ordered


def _read_inserted(text: str, start: int, insertion: Insertion) -> tuple[str, int]:
    """(anchor, end) of the link that stands at `start`, which must be this insertion's."""
    for target in (insertion.target, ":" + insertion.target):
        for anchor, written in _forms(text, start, insertion.end - insertion.start, target):
            if text.startswith(written, start):
                return anchor, start + len(written)
    _refuse(insertion, "the link is not where it was put, so it cannot be taken out")
    raise AssertionError("unreachable")


def _forms(text: str, start: int, width: int, target: str) -> Iterator[tuple[str, str]]:
    """The ways to write a link to `target` on `width` characters, given what stands at `start`."""
    piped = start + 3 + len(target)
    anchor = text[piped : piped + width]
    yield anchor, f"[[{target}|{anchor}]]"
    stem = text[start + 2 : start + 2 + min(width, len(target))]
    if first_upper(stem) == first_upper(target):
        after = start + 2 + len(stem) + 2
        trail = text[after : after + width - len(stem)]
        yield stem + trail, f"[[{stem}]]{trail}"
