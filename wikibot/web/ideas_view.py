"""Ideas: sentences after which somebody could write a few words about a page that nobody links to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from wikibot.errors import BadWikitext
from wikibot.excerpt import Context, context_at, first_paragraph, plain_block
from wikibot.store import Session, ideas, pages
from wikibot.store.ideas import IdeaRow
from wikibot.store.pages import WikiRow
from wikibot.web.cards import PARAGRAPH_LENGTH
from wikibot.web.filters import current_wiki, wiki_address
from wikibot.web.forms import check_form
from wikibot.web.inputs import row_number
from wikibot.web.labels import reasons_in_words
from wikibot.web.review_app import review_app

blueprint = Blueprint("ideas", __name__)

LISTED = 200  # ideas on one page of the list


@dataclass(frozen=True, slots=True)
class IdeaCard:
    """An idea, ready for the screen."""

    row: IdeaRow
    context: Context
    target_paragraph: str
    reasons: list[str]
    page_address: str | None
    target_address: str | None
    edit_address: str | None


@blueprint.get("/ideas")
def start() -> str:
    """The best waiting idea, or the one after another."""
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        after = request.args.get("after", type=row_number)
        row = ideas.next_idea(session, wiki.id, after=after)
        done = request.args.get("done", type=row_number)
        return render_template(
            "ideas.html",
            wiki=wiki,
            card=_card(session, wiki, row) if row else None,
            counts=ideas.count_states(session, wiki.id),
            done=ideas.idea(session, done) if done is not None else None,
            edit_address=edit_address,
        )


@blueprint.get("/ideas/list")
def listing() -> str:
    """The ideas in one state; those accepted are what people want to write."""
    state = request.args.get("state", "accepted")
    if state not in ideas.STATES:
        abort(404)
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        return render_template(
            "ideas_list.html",
            wiki=wiki,
            state=state,
            rows=ideas.ideas(session, wiki.id, states=(state,), limit=LISTED),
            counts=ideas.count_states(session, wiki.id),
            edit_address=edit_address,
        )


@blueprint.post("/ideas/<int:number>")
def decide(number: int) -> Response:
    """The idea is accepted or declined, and the next one is shown."""
    version = request.form.get("version", type=row_number)
    check_form("idea", number, version)
    verdict = request.form.get("verdict", "")
    if verdict not in ideas.STATE_AFTER:
        abort(400)
    note = request.form.get("note", "").strip() or None
    with review_app().store.writing() as session:
        ideas.decide(session, number, verdict, review_app().voice, version=version, note=note)
        wiki = current_wiki(session)
    return redirect(url_for("ideas.start", after=number, done=number, **_named(wiki)), 303)


@blueprint.post("/ideas/<int:number>/undo")
def undo(number: int) -> Response:
    """The decision about the idea is taken back."""
    check_form("idea-undo", number)
    with review_app().store.writing() as session:
        ideas.undo(session, number)
        wiki = current_wiki(session)
    return redirect(url_for("ideas.start", **_named(wiki)), 303)


def _named(wiki: WikiRow) -> dict[str, Any]:
    """The wiki for an address, where the request names one."""
    return {"wiki": wiki.name} if request.values.get("wiki") else {}


def edit_address(wiki: WikiRow, title: str) -> str | None:
    """Where the page can be edited on the wiki."""
    address = wiki_address(wiki, title)
    if address is None:
        return None
    return f"{address}{'&' if '?' in address else '?'}action=edit"


def _card(session: Session, wiki: WikiRow, row: IdeaRow) -> IdeaCard:
    page, target = (pages.page_by_id(session, number) for number in (row.page_id, row.target_id))
    assert page is not None and target is not None, "an idea goes with its pages"
    return IdeaCard(
        row=row,
        context=_context(wiki, row, page.wikitext),
        target_paragraph=_paragraph(wiki, target.wikitext) or target.summary,
        reasons=reasons_in_words(row.reasons),
        page_address=wiki_address(wiki, row.page),
        target_address=wiki_address(wiki, row.target),
        edit_address=edit_address(wiki, row.page),
    )


def _context(wiki: WikiRow, row: IdeaRow, wikitext: str) -> Context:
    """The paragraph with the sentence marked; the sentence alone where the page has changed since."""
    alone = Context((), (), plain_block(row.sentence, row.start, row.end), ())
    if not row.is_current:
        return alone
    try:
        return context_at(wikitext, wiki.rules(), row.start, row.end)
    except BadWikitext:
        return alone


def _paragraph(wiki: WikiRow, wikitext: str) -> str:
    try:
        return first_paragraph(wikitext, wiki.rules(), longest=PARAGRAPH_LENGTH)
    except BadWikitext:
        return ""
