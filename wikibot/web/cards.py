"""What the templates show of a proposal: text in pieces, never markup."""

from __future__ import annotations

from dataclasses import dataclass

from wikibot.errors import BadWikitext
from wikibot.excerpt import Block, Piece, block_at
from wikibot.store import Session, decisions
from wikibot.store.decisions import Said
from wikibot.store.queue import Proposal
from wikibot.web.filters import wiki_address
from wikibot.web.labels import reasons_in_words

# How much wikitext around the new link is shown.
AROUND = 90


@dataclass(frozen=True, slots=True)
class Card:
    """A proposal, ready for the screen."""

    proposal: Proposal
    block: Block
    before: str
    after: str
    reasons: list[str]
    history: list[Said]
    page_address: str | None
    target_address: str | None


def card_of(session: Session, found: Proposal) -> Card:
    """Everything that the review page shows about a proposal."""
    line, text = found.line, found.page.wikitext
    line_start = text.rfind("\n", 0, line.start) + 1
    line_end = text.find("\n", line.end)
    line_end = len(text) if line_end < 0 else line_end
    return Card(
        proposal=found,
        block=_block(found),
        before=_shortened_left(text[line_start : line.start]),
        after=_shortened_right(text[line.end : line_end]),
        reasons=reasons_in_words(line.reasons),
        history=decisions.history(session, line.id),
        page_address=wiki_address(found.wiki, found.page.title),
        target_address=wiki_address(found.wiki, found.target.title),
    )


def _block(found: Proposal) -> Block:
    line = found.line
    if not found.is_current:
        return Block("paragraph", 0, (Piece("text", line.sentence, line.start, line.end),))
    try:
        return block_at(found.page.wikitext, found.wiki.rules(), line.start, line.end)
    except BadWikitext:
        return Block("paragraph", 0, (Piece("text", line.sentence, line.start, line.end),))


def _shortened_left(text: str) -> str:
    return text if len(text) <= AROUND else "…" + text[-AROUND:]


def _shortened_right(text: str) -> str:
    return text if len(text) <= AROUND else text[:AROUND] + "…"
