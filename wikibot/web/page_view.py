"""A page's proposals together, with the diff of what would be saved."""

from __future__ import annotations

from functools import partial

from flask import Blueprint, abort, render_template, request

from wikibot import diff
from wikibot.plan import PlannedEdit
from wikibot.store import Session, pages, queue
from wikibot.store.pages import WikiRow
from wikibot.web.filters import as_arguments, filters_of, per_cent, stay_with, wiki_address
from wikibot.web.queue_view import table_arguments
from wikibot.web.review_app import review_app

blueprint = Blueprint("page", __name__)

SHOWN_STATES = ("pending", "skipped", "approved", "rejected", "published", "kept")
IN_DIFF = {"approved": ("approved",), "all": ("approved", "pending", "skipped")}
LIKELY = 0.8
# A page of so many characters is read as publishing reads it in less than 50 ms.
SHORT = 16_000


@blueprint.get("/page/<int:page_id>")
def show(page_id: int) -> str:
    """The page's proposals in the order of its text, and the diff."""
    with review_app().store.reading() as session:
        return _show(session, page_id)


def _show(session: Session, page_id: int) -> str:
    page = pages.page_by_id(session, page_id) or abort(404)
    wiki = queue.wiki_of_page(session, page_id)
    stay_with(session, wiki)
    lines = queue.lines_of_page(session, page_id, SHOWN_STATES)
    which = "approved" if request.args.get("diff") == "approved" else "all"
    edit = _edit(wiki, diff.draft_of_page(session, page_id, IN_DIFF[which]))
    return render_template(
        "page.html",
        wiki=wiki,
        keep=as_arguments(wiki, filters_of(wiki)),
        page=page,
        page_address=wiki_address(wiki, page.title),
        lines=lines,
        tick_from=per_cent(request.args.get("tick"), LIKELY),
        which=which,
        edit=edit,
        rows=diff.rows(edit) if edit else [],
        **table_arguments(lines),
    )


def _edit(wiki: WikiRow, draft: diff.Draft) -> PlannedEdit | None:
    """The edit; None while a long page is still being checked."""
    plan = partial(diff.planned, draft, wiki)
    if len(draft.newest.text) <= SHORT:
        return plan()
    return review_app().background.ask(("edit", wiki.id, draft), plan, in_process=True)
