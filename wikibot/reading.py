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
from wikibot.told import told

if TYPE_CHECKING:
    from crtm import CRTM, Document, RankedSpan

MOST_LINKS = 8
# Of the pages read before, the newest are asked for; each costs a few milliseconds.
NEWEST = 16
# Places to try for one target, the best first; below these come words that nobody would click on.
TRIES = 8
# How much sooner (in nats) a word must lead to this target than to pages drawn evenly from the wiki.
MARGIN = 3.5
BACKGROUND = 64


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
    linked = {piece.target for block in blocks for piece in block.pieces if piece.kind == "link"}
    known = [one for one in read_before if one in model.index_ and one not in {title, *linked}]
    shown, taken = list(blocks), list[tuple[int, int]]()
    for target, places in _wanted(model, title, prose, known[:NEWEST]):
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
        raise ModelError(
            told("The model {name} is missing. Run `wikibot train` again.", name=path.name)
        )
    from crtm import CRTM, CRTMError

    try:
        return CRTM.load(path)
    except (CRTMError, OSError) as error:
        raise ModelError(
            told("The model {name} cannot be used: {error}", name=path.name, error=str(error))
        ) from error


def _wanted(
    model: CRTM, title: str, prose: Prose, targets: Sequence[str]
) -> list[tuple[str, list[tuple[int, int]]]]:
    """The targets that belong to words of this page, each with its places, the best first."""
    page = model.read({"title": title, "text": prose.text, "links": []})
    if not targets or not len(page):
        return []
    margins = _margins(model, page, targets)
    found = []
    for number, target in enumerate(targets):
        spans = model.rank_spans(page, target)[:TRIES]
        fitting = (span for span in spans if _best(page, margins[:, number], span) > MARGIN)
        places = [prose.place(span.start, span.end) for span in fitting]
        found.append((target, [place for place in places if place is not None]))
    return found


def _margins(model: CRTM, page: Document, targets: Sequence[str]) -> Any:
    """(tokens, targets): how much sooner a word leads to the target than to just any page.

    Some words carry links sooner than others, whatever the target; that part is taken away.
    """
    step = max(1, len(model.titles_) // BACKGROUND)
    anywhere = model.score_tokens(page, range(0, len(model.titles_), step)).mean(axis=1)
    return model.score_tokens(page, targets) - anywhere[:, None]


def _best(page: Document, margins: Any, span: RankedSpan) -> float:
    """The best margin among the words of a span."""
    inside = (page.starts >= span.start) & (page.ends <= span.end)
    return float(margins[inside].max()) if inside.any() else 0.0
