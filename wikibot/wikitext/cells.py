"""The text inside table cells and captions, for wikis that want links there too.

Both functions are given a text in which nested markup is already blanked out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from wikibot.wikitext.rules import FILE, SiteRules
from wikibot.wikitext.titles import normalise_title

_CELL_LINE = re.compile(r"^[ \t]*([|!])(.*)$", re.MULTILINE)
_SEPARATOR = re.compile(r"\|\||!!")


def cell_syntax(table: str, offset: int) -> Iterator[tuple[int, int]]:
    """The characters of a table that are not the content of a cell; it starts at `offset`."""
    first_line = table.partition("\n")[0]
    yield offset, offset + len(first_line)
    for found in _CELL_LINE.finditer(table, len(first_line)):
        for start, end in _row_syntax(table, found):
            yield offset + start, offset + end


def _row_syntax(table: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    if found[2][:1] in ("-", "+", "}"):
        yield found.span()
    else:
        yield from _cell_line(table, *found.span())


def _cell_line(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Separators, and the attributes of each cell up to its single bar."""
    cell = end - len(text[start:end].lstrip()) + 1
    yield start, cell
    while True:
        separator = _SEPARATOR.search(text, cell, end)
        stop = separator.start() if separator else end
        bar = text.find("|", cell, stop)
        if bar >= 0:
            yield cell, bar + 1
        if separator is None:
            return
        yield separator.span()
        cell = separator.end()


def caption_start(link: str, offset: int, site: SiteRules) -> int | None:
    """Where the caption of `[[File:...|...|caption]]` starts; None where there is none.

    A single word may be an option such as `thumb` in any language, so it is no caption.
    """
    target, bar, _ = link[2:-2].partition("|")
    if not bar or normalise_title(target, site).namespace != FILE:
        return None
    last = link.rfind("|") + 1
    caption = link[last:-2]
    if len(caption.split()) < 2 or "=" in caption:
        return None
    return offset + last
