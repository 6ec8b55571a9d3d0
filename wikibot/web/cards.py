"""What the templates show of a proposal: text in pieces, never markup."""

from __future__ import annotations

from dataclasses import dataclass

from wikibot.errors import BadWikitext
from wikibot.excerpt import (
    Context,
    Snippet,
    context_at,
    first_paragraph,
    plain_block,
    section_path,
    snippet,
    without_empty_brackets,
)
from wikibot.store import Session, decisions, queue, surroundings
from wikibot.store.decisions import DecisionRecord
from wikibot.store.queue import Line, Proposal
from wikibot.store.surroundings import OtherTarget
from wikibot.web.filters import wiki_address
from wikibot.web.labels import reasons_in_words

# How many characters of wikitext are shown on each side of the new link.
WIKITEXT_AROUND = 90
# How many characters of a sentence are shown on each side of the words in a list.
SENTENCE_AROUND = 70
# How many characters of the target's first paragraph are shown.
PARAGRAPH_LENGTH = 420
CATEGORIES_SHOWN = 4
OTHERS_SHOWN = 4


@dataclass(frozen=True, slots=True)
class TargetFacts:
    """What a reviewer needs to know of the page that the link would lead to."""

    paragraph: str
    categories: list[str]
    linking_pages: int  # up to queue.COUNTED + 1, which means more
    linked_in: list[str]  # the sections of the page that link it already; "" is the lead
    others: list[OtherTarget]


@dataclass(frozen=True, slots=True)
class Card:
    """A proposal, ready for the screen."""

    proposal: Proposal
    context: Context
    facts: TargetFacts
    before: str
    after: str
    reasons: list[str]
    history: list[DecisionRecord]
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
        context=_context(found),
        facts=_facts(session, found),
        before=_shortened_left(text[line_start : line.start]),
        after=_shortened_right(text[line.end : line_end]),
        reasons=reasons_in_words(line.reasons),
        history=decisions.history(session, line.id),
        page_address=wiki_address(found.wiki, found.page.title),
        target_address=wiki_address(found.wiki, found.target.title),
    )


def snippet_of(line: Line) -> Snippet:
    """The sentence of a proposal, cut around its words."""
    length = max(1, line.sentence_end - line.sentence_start)
    share = (line.start - line.sentence_start) / length
    return snippet(line.sentence, line.anchor, share, around=SENTENCE_AROUND)


def _context(found: Proposal) -> Context:
    line = found.line
    alone = Context((), (), plain_block(line.sentence, line.start, line.end), ())
    if not found.is_current:
        return alone
    try:
        return context_at(found.page.wikitext, found.wiki.rules(), line.start, line.end)
    except BadWikitext:
        return alone


def _facts(session: Session, found: Proposal) -> TargetFacts:
    page, target = found.page, found.target
    return TargetFacts(
        paragraph=_paragraph(found),
        categories=surroundings.categories_of(session, target.id, limit=CATEGORIES_SHOWN),
        linking_pages=surroundings.count_linking_pages(
            session, target.id, at_most=queue.COUNTED + 1
        ),
        linked_in=_sections_linking(session, found),
        others=surroundings.other_targets(
            session,
            found.wiki.id,
            found.line.anchor,
            without=(page.id, target.id),
            limit=OTHERS_SHOWN,
        ),
    )


def _paragraph(found: Proposal) -> str:
    """How the target begins; its first sentence where its text cannot be read."""
    target = found.target
    try:
        shown = first_paragraph(target.wikitext, found.wiki.rules(), longest=PARAGRAPH_LENGTH)
    except BadWikitext:
        shown = ""
    return shown or without_empty_brackets(target.summary)


def _sections_linking(session: Session, found: Proposal) -> list[str]:
    """The innermost section of each link to the target that the page has already."""
    places = surroundings.places_linking(session, found.page.id, found.target.id)
    rules = found.wiki.rules()
    paths = (section_path(found.page.wikitext, rules, place) for place in places)
    return list(dict.fromkeys(path[-1] if path else "" for path in paths))


def _shortened_left(text: str) -> str:
    return text if len(text) <= WIKITEXT_AROUND else "…" + text[-WIKITEXT_AROUND:]


def _shortened_right(text: str) -> str:
    return text if len(text) <= WIKITEXT_AROUND else text[:WIKITEXT_AROUND] + "…"
