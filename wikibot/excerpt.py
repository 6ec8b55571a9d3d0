"""A page as its readers see it, with the exact place in the wikitext of every piece.

Not a renderer: prose, headings, lists and links are shown, everything else is left out or named.
The pieces are plain data; what shows them (web page, terminal) escapes and styles them.
"""

from __future__ import annotations

import html
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

from wikibot.wikitext import parse as markup
from wikibot.wikitext.rules import CATEGORY, FILE, SiteRules
from wikibot.wikitext.spans import Range, merge
from wikibot.wikitext.titles import normalise_title

_NOT_SHOWN = markup.TEMPLATE | markup.TABLE | markup.CELL | markup.COMMENT | markup.CAPTION
# Tags whose text is read with the sentence around them, though no link may be set in it.
_SHOWN_TAGS = markup.PLAIN_TAGS | {
    "sup",
    "sub",
    "span",
    "abbr",
    "code",
    "kbd",
    "var",
    "cite",
    "q",
    "s",
    "del",
    "ins",
}
# What 2<sup>100</sup> and H<sub>2</sub>O look like where there is only text.
_SMALL = {
    "sup": dict(zip("0123456789+-−()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾ⁿ", strict=True)),
    "sub": dict(zip("0123456789+-−()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₍₎", strict=True)),
}
_LIST_MARKS = "*#:;"
# How much of a page is read on both sides of a place to show the paragraph around it.
AROUND = 10_000


@dataclass(frozen=True, slots=True)
class Piece:
    """Some characters of a page: `kind` is text, link, external, template or context.

    `target` is the page that a link leads to; `bold` and `italic` are how it is set.
    """

    kind: str
    text: str
    start: int
    end: int
    bold: bool = False
    italic: bool = False
    target: str = ""
    is_marked: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a list item or a heading; `level` is the heading's or the list's depth."""

    kind: str
    level: int
    pieces: tuple[Piece, ...]

    @property
    def start(self) -> int:
        return self.pieces[0].start

    @property
    def end(self) -> int:
        return self.pieces[-1].end

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


def blocks(text: str, site: SiteRules) -> list[Block]:
    """The page's paragraphs, list items and headings, in order."""
    found: list[Block] = []
    line: list[Piece] = []
    for piece in _pieces(text, site):
        for part in _split_lines(piece):
            if part.text == "\n":
                found.extend(_block(text, line))
                line = []
            else:
                line.append(part)
    found.extend(_block(text, line))
    return found


def block_at(text: str, site: SiteRules, start: int, end: int) -> Block:
    """The block around text[start:end], with these characters as marked pieces."""
    shift, part = _neighbourhood(text, start, end)
    for block in blocks(part, site):
        if block.start + shift <= start and end <= block.end + shift:
            return _shifted(mark(block, start - shift, end - shift), shift)
    plain = Piece("text", text[start:end], start, end, is_marked=True)
    return Block("paragraph", 0, (plain,))


def _neighbourhood(text: str, start: int, end: int) -> tuple[int, str]:
    """The paragraphs around a place, and where they begin: parsing a very long page takes long."""
    first = text.rfind("\n\n", 0, max(0, start - AROUND))
    last = text.find("\n\n", end + AROUND)
    shift = max(first, 0)
    return shift, text[shift : last if last >= 0 else len(text)]


def _shifted(block: Block, shift: int) -> Block:
    moved = (replace(one, start=one.start + shift, end=one.end + shift) for one in block.pieces)
    return replace(block, pieces=tuple(moved))


def mark(block: Block, start: int, end: int) -> Block:
    """The block with text[start:end] as marked pieces of their own."""
    return dress(block, start, end, is_marked=True)


def dress(block: Block, start: int, end: int, **look: Any) -> Block:
    """The block with text[start:end] as pieces of their own that look so."""
    pieces = tuple(part for piece in block.pieces for part in _cut(piece, start, end, look))
    return replace(block, pieces=pieces)


def _cut(piece: Piece, start: int, end: int, look: dict[str, Any]) -> Iterator[Piece]:
    if end <= piece.start or piece.end <= start or not _is_verbatim(piece):
        yield piece
        return
    for a, b in ((piece.start, start), (start, end), (end, piece.end)):
        first, last = max(a, piece.start), min(b, piece.end)
        if first < last:
            part = piece.text[first - piece.start : last - piece.start]
            how = look if (a, b) == (start, end) else {}
            yield replace(piece, text=part, start=first, end=last, **how)


def _pieces(text: str, site: SiteRules) -> Iterator[Piece]:
    """Everything that is shown, in the order of the text."""
    read = markup.parse(text, site)
    links = [node for node in read.nodes if node.kind in (markup.LINK, markup.EXTERNAL)]
    templates = [
        Piece("template", node.name, node.start, node.end)
        for node in read.nodes
        if node.kind == markup.TEMPLATE and not node.where & ~markup.STYLE
    ]
    hidden = merge(part for node in read.nodes for part in _hidden_by(node))
    leaves = [leaf for leaf in read.leaves if not _is_inside(hidden, leaf.start)]
    shown = [piece for leaf in leaves for piece in _leaf(text, leaf, links, site)]
    small = [node for node in read.nodes if node.kind == markup.TAG and node.name in _SMALL]
    shown = _raised(shown, small)
    entities = [
        _entity(text, node)
        for node in read.nodes
        if _is_shown_entity(node) and not _is_inside(hidden, node.start)
    ]
    yield from sorted((*shown, *templates, *entities), key=lambda piece: piece.start)


def _raised(pieces: list[Piece], tags: list[markup.Node]) -> list[Piece]:
    """The pieces, in which numbers in <sup> and <sub> are raised or lowered."""
    of = {node.inner: _SMALL[node.name] for node in tags}
    return [
        replace(piece, text="".join(of[piece.start][char] for char in piece.text))
        if piece.start in of and of[piece.start].keys() >= set(piece.text)
        else piece
        for piece in pieces
    ]


def _hidden_by(node: markup.Node) -> list[Range]:
    """What a tag hides: all of itself, or only its marks with their attributes."""
    if node.kind != markup.TAG:
        return []
    if node.name not in _SHOWN_TAGS or node.inner < 0:
        return [(node.start, node.end)]
    return [(node.start, node.inner), (node.inner_end, node.end)]


def _is_inside(ranges: list[Range], offset: int) -> bool:
    index = bisect_right(ranges, offset, key=itemgetter(0)) - 1
    return index >= 0 and offset < ranges[index][1]


def _is_shown_entity(node: markup.Node) -> bool:
    return node.kind == markup.ENTITY and not node.where & _NOT_SHOWN


def _entity(text: str, node: markup.Node) -> Piece:
    return Piece("text", html.unescape(text[node.start : node.end]), node.start, node.end)


def _leaf(
    text: str, leaf: markup.Leaf, links: list[markup.Node], site: SiteRules
) -> Iterator[Piece]:
    if leaf.where & (_NOT_SHOWN | markup.ENTITY):
        return
    piece = Piece(
        "text",
        text[leaf.start : leaf.end],
        leaf.start,
        leaf.end,
        bold=bool(leaf.where & markup.BOLD),
        italic=bool(leaf.where & markup.ITALIC),
    )
    if leaf.where & (markup.LINK | markup.EXTERNAL):
        link = links[bisect_right(links, leaf.start, key=lambda node: node.start) - 1]
        yield from _linked(piece, link, site)
    else:
        yield piece


def _linked(piece: Piece, link: markup.Node, site: SiteRules) -> Iterator[Piece]:
    if link.inner >= 0 and piece.start < link.inner:
        return
    if link.kind == markup.EXTERNAL:
        yield replace(piece, kind="external")
        return
    title = normalise_title(link.name, site)
    if title.namespace in (CATEGORY, FILE) and not link.name.lstrip().startswith(":"):
        return
    yield replace(piece, kind="link", target="" if title.interwiki else title.text)


def _split_lines(piece: Piece) -> Iterator[Piece]:
    at = piece.start
    for part in piece.text.splitlines(keepends=True) if piece.kind == "text" else ():
        line = part.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029")
        if line:
            yield replace(piece, text=line, start=at, end=at + len(line))
        if line != part:
            yield replace(piece, text="\n", start=at + len(line), end=at + len(part))
        at += len(part)
    if piece.kind != "text":
        yield piece


def _block(text: str, line: list[Piece]) -> Iterator[Block]:
    if not "".join(piece.text for piece in line if piece.kind != "template").strip():
        return
    before = text[text.rfind("\n", 0, line[0].start) + 1 : line[0].start]
    pieces = _trimmed(line)
    if before.startswith("="):
        yield Block("heading", len(before) - len(before.lstrip("=")), pieces)
        return
    marks = len(before) - len(before.lstrip(_LIST_MARKS))
    yield Block("item" if marks else "paragraph", marks, pieces)


def _trimmed(line: list[Piece]) -> tuple[Piece, ...]:
    """The pieces without the white space at both ends of the line."""
    while line[0].kind == "text" and not line[0].text.strip():
        line = line[1:]
    while line[-1].kind == "text" and not line[-1].text.strip():
        line = line[:-1]
    first = line[0]
    if _is_verbatim(first):
        start = first.end - len(first.text.lstrip())
        line = [replace(first, text=first.text.lstrip(), start=start), *line[1:]]
    last = line[-1]
    if _is_verbatim(last):
        end = last.start + len(last.text.rstrip())
        line = [*line[:-1], replace(last, text=last.text.rstrip(), end=end)]
    return tuple(line)


def _is_verbatim(piece: Piece) -> bool:
    """Does the piece show exactly the characters of the wikitext?"""
    return piece.kind == "text" and len(piece.text) == piece.end - piece.start
