"""Contextual links: from the page that is read to pages that were read before (the paper's second use).

The links are in nobody's wikitext. They stand on words by which the wiki calls a page that was read
before; CRTM says which of these places belong most to that page, and which pages come first.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from wikibot.errors import ModelError
from wikibot.excerpt import Block, Piece, dress
from wikibot.message import message

if TYPE_CHECKING:
    from crtm import CRTM, RankedSpan

MOST_LINKS = 8
# Of the pages read before, the newest are asked for; each costs a few milliseconds.
NEWEST = 16

Names = Mapping[str, Collection[str]]  # of each target, what the wiki calls it, in small letters


@dataclass(frozen=True, slots=True)
class Prose:
    """The prose of a page as one text, each piece of it at its place."""

    text: str
    pieces: tuple[Piece, ...]
    offsets: tuple[int, ...]

    def says(self, span: RankedSpan, names: Collection[str]) -> bool:
        """Are the words of the span one of these names, in whatever letter case?"""
        return self.text[span.start : span.end].casefold() in names

    def place(self, start: int, end: int) -> tuple[int, int] | None:
        """The place in the wikitext of text[start:end]; None if it is not plain text throughout."""
        index = bisect_right(self.offsets, start) - 1
        piece, inside = self.pieces[index], start - self.offsets[index]
        fits = inside + end - start <= len(piece.text) == piece.end - piece.start
        if piece.kind != "text" or not fits:
            return None
        return piece.start + inside, piece.start + inside + end - start


def with_contextual_links(
    model: CRTM, title: str, blocks: Sequence[Block], read_before: Names
) -> list[Block]:
    """The page's blocks with at most MOST_LINKS links to pages that were read before.

    READ_BEFORE has the newest first; links stand only on words by which the wiki calls the target.
    """
    prose = prose_of(blocks)
    linked = {piece.target for block in blocks for piece in block.pieces if piece.kind == "link"}
    known = [one for one in read_before if one in model.index_ and one not in {title, *linked}]
    shown, taken = list(blocks), list[tuple[int, int]]()
    for target, places in _wanted(
        model, title, prose, {one: read_before[one] for one in known[:NEWEST]}
    ):
        free = (one for one in places if all(one[1] <= a or b <= one[0] for a, b in taken))
        place = next(free, None)
        if place is not None and len(taken) < MOST_LINKS:
            taken.append(place)
            shown = [dress(one, *place, kind="context", target=target) for one in shown]
    return shown


def prose_of(blocks: Sequence[Block]) -> Prose:
    """The text of paragraphs and list items, one line each."""
    pieces, offsets, parts, length = [], [], [], 0
    for block in blocks:
        if block.kind == "heading":
            continue
        for piece in (*block.pieces, Piece("end", "\n", block.end, block.end)):
            pieces.append(piece)
            offsets.append(length)
            parts.append("" if piece.kind == "template" else piece.text)
            length += len(parts[-1])
    return Prose("".join(parts), tuple(pieces), tuple(offsets))


def load_model(folder: Path, name: str, sha256: str) -> CRTM:
    """The trained model, kept in memory for the next page."""
    return _load(folder / name, sha256)


@lru_cache(maxsize=2)
def _load(path: Path, sha256: str) -> CRTM:
    if not path.is_file():
        raise ModelError(message("the-model-is-missing-run-wikibot", path.name))
    from crtm import CRTM, CRTMError

    try:
        return CRTM.load(path)
    except (CRTMError, OSError) as error:
        why = str(error)
        if isinstance(error, CRTMError) and error.key:
            why = message(error.key, *error.params)
        raise ModelError(message("the-model-cannot-be-used", path.name, why)) from error


def _wanted(
    model: CRTM, title: str, prose: Prose, names: Names
) -> list[tuple[str, list[tuple[int, int]]]]:
    """The targets whose names stand on this page, each with its places; CRTM's surest first."""
    page = model.read({"title": title, "text": prose.text, "links": []})
    if not len(page):
        return []
    found = []
    for target, called in names.items():
        spans = [span for span in model.rank_spans(page, target) if prose.says(span, called)]
        places = [place for span in spans if (place := prose.place(span.start, span.end))]
        if places:
            found.append((spans[0].score, target, places))
    found.sort(key=lambda one: -one[0])
    return [(target, places) for _, target, places in found]
