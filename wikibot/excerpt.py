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

from wikibot.errors import BadWikitext
from wikibot.wikitext import parse as markup
from wikibot.wikitext.admit import admit, admit_cost
from wikibot.wikitext.rules import CATEGORY, FILE, SiteRules
from wikibot.wikitext.scanner import scan
from wikibot.wikitext.spans import Range, merge, subtract
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
# How many paragraphs before and after a place are its context.
BLOCKS_AROUND = 3


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
    proposal: int = 0  # the number of the proposal that would link it

    @property
    def is_verbatim(self) -> bool:
        """Does the piece show exactly the characters of the wikitext?"""
        return self.kind == "text" and len(self.text) == self.end - self.start


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

    @property
    def quoted(self) -> str:
        """The text as one would quote it: templates are left out."""
        shown = ("…" if piece.kind == "template" else piece.text for piece in self.pieces)
        return "".join(shown).lstrip("… ")


@dataclass(frozen=True, slots=True)
class Context:
    """A place on a page: the headings above it, its block, and the blocks before and after."""

    sections: tuple[str, ...]
    before: tuple[Block, ...]
    block: Block
    after: tuple[Block, ...]


def blocks(text: str, site: SiteRules) -> list[Block]:
    """The page's paragraphs, list items and headings, in order.

    Raises BadWikitext for what cannot be parsed safely, or not in a reasonable time.
    """
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
    return context_at(text, site, start, end).block


def context_at(text: str, site: SiteRules, start: int, end: int) -> Context:
    """The block around text[start:end], these characters marked, and what stands around it."""
    sections = section_path(text, site, start)
    shift, part = _neighbourhood(text, start, end)
    found = blocks(part, site)
    for number, block in enumerate(found):
        if block.start + shift <= start and end <= block.end + shift:
            marked = _shifted(mark(block, start - shift, end - shift), shift)
            before = tuple(found[max(0, number - BLOCKS_AROUND) : number])
            after = tuple(found[number + 1 : number + 1 + BLOCKS_AROUND])
            return Context(sections, before, marked, after)
    return Context(sections, (), plain_block(text[start:end], start, end, is_marked=True), ())


def plain_block(text: str, start: int, end: int, **look: Any) -> Block:
    """A paragraph of these characters and nothing else."""
    return Block("paragraph", 0, (Piece("text", text, start, end, **look),))


def section_path(text: str, site: SiteRules, at: int) -> tuple[str, ...]:
    """The headings above a place, the outermost first."""
    path: list[str] = []
    level, end = 7, at
    while level > 2:
        start = text.rfind("\n=", 0, end)
        line = text[start + 1 : text.find("\n", start + 1) % (len(text) + 1)].rstrip()
        depth = _heading_level(line)
        if 0 < depth < level:
            level = depth
            path.append(_heading_text(line, site))
        if start < 0:
            break
        end = start
    return tuple(reversed(path))


def _heading_text(line: str, site: SiteRules) -> str:
    try:
        return "".join(block.text for block in blocks(line, site))
    except BadWikitext:
        return line.strip("= ")


def _heading_level(line: str) -> int:
    """How deep a heading is by its signs of equality; 0 for what is not a heading."""
    if not line.startswith("=") or not line.endswith("=") or not line.strip("="):
        return 0
    before, after = len(line) - len(line.lstrip("=")), len(line) - len(line.rstrip("="))
    return min(before, after, 6)


def first_paragraph(text: str, site: SiteRules, *, longest: int) -> str:
    """How a page begins, as text of at most LONGEST characters; "" where it has no prose."""
    for block in blocks(text[: _end_of_start(text)], site):
        if block.kind == "heading":
            break
        if block.kind == "paragraph" and any(map(str.isalpha, block.quoted)):
            return shortened(block.quoted, longest)
    return ""


def _end_of_start(text: str) -> int:
    """Where the first paragraphs end: the rest of a long page need not be parsed."""
    end = text.find("\n\n", AROUND)
    return end if end >= 0 else len(text)


def shortened(text: str, longest: int) -> str:
    """The text, cut after a word where it is too long.

    >>> shortened("A tower with a bright lamp", 14)
    'A tower with…'
    """
    if len(text) <= longest:
        return text
    cut = text[: longest - 1]
    return f"{cut[: cut.rfind(' ')] if ' ' in cut else cut}…"


@dataclass(frozen=True, slots=True)
class Snippet:
    """Some words of a sentence, with what stands before and after them."""

    before: str
    words: str
    after: str


def snippet(sentence: str, words: str, share: float, *, around: int) -> Snippet:
    """The sentence cut to AROUND characters on both sides of WORDS.

    SHARE is how far into the sentence they stand, for words that occur in it several times.
    Empty where the sentence does not have the words: then all of it is "before".
    """
    at, wanted = -1, share * len(sentence)
    found = sentence.find(words)
    while found >= 0 and (at < 0 or abs(found - wanted) < abs(at - wanted)):
        at, found = found, sentence.find(words, found + 1)
    if at < 0 or not words:
        return Snippet(shortened(without_empty_brackets(sentence), 2 * around), "", "")
    before = without_empty_brackets(sentence[:at])
    after = without_empty_brackets(sentence[at + len(words) :])
    if len(before) > around:
        before = "…" + before[-around:].partition(" ")[2]
    return Snippet(before, words, shortened(after, around))


def without_empty_brackets(text: str) -> str:
    """The text without brackets that a removed template has left empty.

    >>> without_empty_brackets("Neon () is a gas (; 1898), named by f().")
    'Neon is a gas (1898), named by f().'
    """
    parts, done = [], 0
    for start, end in _empty_brackets(text):
        parts.append(text[done:start])
        done = end
    return "".join((*parts, text[done:]))


_FILLERS = " \u00a0,;:\ufffc"


def _empty_brackets(text: str) -> Iterator[Range]:
    """Where brackets stand that hold nothing, after a blank, and fillers right after a bracket."""
    at = text.find("(")
    while at >= 0:
        end = at + 1
        while end < len(text) and text[end] in _FILLERS:
            end += 1
        is_after_blank = text[at - 1 : at].isspace()
        if text[end : end + 1] == ")" and is_after_blank:
            yield at - 1, end + 1
        elif end > at + 1 and text[end : end + 1] != ")" and text[at + 1 : end].strip("\ufffc "):
            yield at + 1, end
        at = text.find("(", end)


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
    if end <= piece.start or piece.end <= start or not piece.is_verbatim:
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
    admit(text)
    admit_cost(scan(text, site).parse_cost)
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
    line = _without_template_brackets(line)
    if not "".join(piece.text for piece in line if piece.kind != "template").strip():
        return
    before = text[text.rfind("\n", 0, line[0].start) + 1 : line[0].start]
    pieces = _trimmed(line)
    if before.startswith("="):
        yield Block("heading", len(before) - len(before.lstrip("=")), pieces)
        return
    marks = len(before) - len(before.lstrip(_LIST_MARKS))
    yield Block("item" if marks else "paragraph", marks, pieces)


def _without_template_brackets(line: list[Piece]) -> list[Piece]:
    """The pieces without brackets in which only templates stand, and without those templates."""
    text = "".join("\ufffc" if one.kind == "template" else one.text for one in line)
    empty = [(a, b) for a, b in _empty_brackets(text) if "\ufffc" in text[a:b]]
    if not empty:
        return line
    kept: list[Piece] = []
    at = 0
    for piece in line:
        length = 1 if piece.kind == "template" else len(piece.text)
        if piece.is_verbatim:
            kept += _outside(piece, at, empty)
        elif piece.kind != "template" or not _is_inside(empty, at):
            kept.append(piece)
        at += length
    return kept


def _outside(piece: Piece, at: int, holes: list[Range]) -> Iterator[Piece]:
    """What is left of a piece that begins at AT once the holes are cut out."""
    for a, b in subtract([(at, at + len(piece.text))], holes):
        start = piece.start + a - at
        yield replace(piece, text=piece.text[a - at : b - at], start=start, end=start + b - a)


def _trimmed(line: list[Piece]) -> tuple[Piece, ...]:
    """The pieces without the white space at both ends of the line."""
    while line[0].kind == "text" and not line[0].text.strip():
        line = line[1:]
    while line[-1].kind == "text" and not line[-1].text.strip():
        line = line[:-1]
    first = line[0]
    if first.is_verbatim:
        start = first.end - len(first.text.lstrip())
        line = [replace(first, text=first.text.lstrip(), start=start), *line[1:]]
    last = line[-1]
    if last.is_verbatim:
        end = last.start + len(last.text.rstrip())
        line = [*line[:-1], replace(last, text=last.text.rstrip(), end=end)]
    return tuple(line)
