"""Contextual links: from the page that is read to pages that were read before (the paper's second use).

The links are in nobody's wikitext. CRTM says which of the pages read before are close to this
one, and which words of this one would best carry a link to each.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wikibot.errors import ModelError
from wikibot.excerpt import Block, Piece, dress

if TYPE_CHECKING:
    from crtm import CRTM

MOST_LINKS = 8
# Places to try for one target before it is given up: the best may lie in a link or a heading.
TRIES = 40
# log of how much more the page speaks of the target's topics than the average page does
RELATED = 0.0


@dataclass(frozen=True, slots=True)
class Prose:
    """The prose of a page as one text, each piece of it at its place."""

    text: str
    pieces: tuple[Piece, ...]
    offsets: tuple[int, ...]

    def place(self, start: int, end: int) -> tuple[int, int] | None:
        """The place in the wikitext of text[start:end]; None if it is not plain text throughout."""
        index = bisect_right(self.offsets, start) - 1
        piece, inside = self.pieces[index], start - self.offsets[index]
        fits = inside + end - start <= len(piece.text) == piece.end - piece.start
        if piece.kind != "text" or not fits:
            return None
        return piece.start + inside, piece.start + inside + end - start


def with_contextual_links(
    model: CRTM, title: str, blocks: Sequence[Block], read_before: Iterable[str]
) -> list[Block]:
    """The page's blocks with links to pages read before, the newest first, at most MOST_LINKS."""
    prose = prose_of(blocks)
    record = {"title": title, "text": prose.text, "links": []}
    linked = {piece.target for block in blocks for piece in block.pieces if piece.kind == "link"}
    shown, taken = list(blocks), list[tuple[int, int]]()
    for target in _related(model, record, read_before, linked | {title}):
        place = _best_place(model, record, prose, target, taken)
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
        raise ModelError(f"The model {path.name} is missing. Run `wikibot train` again.")
    from crtm import CRTM, CRTMError

    try:
        return CRTM.load(path)
    except (CRTMError, OSError) as error:
        raise ModelError(f"The model {path.name} cannot be used: {error}") from error


def _related(
    model: CRTM, record: dict[str, Any], read_before: Iterable[str], left_out: set[str]
) -> list[str]:
    """The pages read before that the model knows and finds close to this one."""
    known = [title for title in read_before if title in model.index_ and title not in left_out]
    if not known or not len(model.read(record)):
        return []
    scores = model.link_score(record, known)
    return [title for title, score in zip(known, scores, strict=True) if score > RELATED]


def _best_place(
    model: CRTM,
    record: dict[str, Any],
    prose: Prose,
    target: str,
    taken: Sequence[tuple[int, int]],
) -> tuple[int, int] | None:
    for span in model.rank_spans(record, target)[:TRIES]:
        place = prose.place(span.start, span.end)
        if place is not None and all(place[1] <= a or b <= place[0] for a, b in taken):
            return place
    return None
