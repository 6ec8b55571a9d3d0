"""A whole page as its readers see it, with all its proposals marked, to be decided in place."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from flask import Blueprint, abort, render_template

from wikibot.errors import BadWikitext
from wikibot.excerpt import Block, blocks, dress
from wikibot.store import Session, decisions, pages, queue
from wikibot.store.pages import PageRow, WikiRow
from wikibot.store.queue import Line
from wikibot.web.filters import as_arguments, filters_of, stay_with, wiki_address
from wikibot.web.i18n import msg
from wikibot.web.review_app import review_app

blueprint = Blueprint("article", __name__)

SHOWN_STATES = ("pending", "skipped", "approved", "rejected")


@dataclass(frozen=True, slots=True)
class Article:
    """A page's blocks with its proposals in them, and those that stand in none of them."""

    blocks: list[Block]
    not_shown: list[Line]
    notice: str = ""
    is_complete: bool = True


@blueprint.get("/article/<int:page_id>")
def show(page_id: int) -> str:
    """The page with its proposals in the text."""
    with review_app().store.reading() as session:
        return render(session, page_id)


def render(session: Session, page_id: int, *, refusal: str = "") -> str:
    """The page with its proposals in the text, and why nothing was done, if so."""
    page = pages.page_by_id(session, page_id) or abort(404)
    wiki = queue.wiki_of_page(session, page_id)
    stay_with(session, wiki)
    lines = queue.lines_of_page(session, page_id, SHOWN_STATES)
    return render_template(
        "article.html",
        wiki=wiki,
        keep=as_arguments(wiki, filters_of(wiki)),
        page=page,
        page_address=wiki_address(wiki, page.title),
        address_of=lambda title: wiki_address(wiki, title),
        article=_article(wiki, page, lines),
        lines={line.id: line for line in lines},
        standing=decisions.standing(session, [line.id for line in lines]),
        open_states=queue.OPEN_STATES,
        refusal=refusal,
    )


def plain_blocks(wiki: WikiRow, page: PageRow) -> list[Block] | None:
    """The page's text without proposals; None while a long page is still being read.

    Raises BadWikitext where it cannot be read safely.
    """
    key = ("blocks", wiki.id, page.id, page.revision_id)
    return review_app().background.ask(key, lambda: blocks(page.wikitext, wiki.rules()))


def _article(wiki: WikiRow, page: PageRow, lines: list[Line]) -> Article:
    try:
        plain = plain_blocks(wiki, page)
    except BadWikitext:
        notice = msg("this-page-cannot-be-read-safely")
        return Article([], lines, notice)
    if plain is None:
        return Article([], [], is_complete=False)
    current = [line for line in lines if line.revision_id == page.revision_id]
    return _with_proposals(plain, current)


def _with_proposals(plain: list[Block], lines: list[Line]) -> Article:
    """The blocks with each proposal's words as pieces of their own; open ones cover decided ones."""
    marked, starts = list(plain), [block.start for block in plain]
    for line in sorted(lines, key=lambda line: line.state in queue.OPEN_STATES):
        number = bisect_right(starts, line.start) - 1
        if number >= 0:
            marked[number] = dress(marked[number], line.start, line.end, proposal=line.id)
    shown = {piece.proposal for block in marked for piece in block.pieces}
    return Article(marked, [line for line in lines if line.id not in shown])
