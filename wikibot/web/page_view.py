"""A page's proposals together, with the diff of what would be saved."""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import Blueprint, abort, render_template, request
from werkzeug.wrappers import Response

from wikibot import diff, review
from wikibot.publish.plan import PlannedEdit
from wikibot.store import Session, pages, queue
from wikibot.store.pages import WikiRow
from wikibot.store.queue import Line
from wikibot.web.filters import as_arguments, filters_of, per_cent, wiki_address
from wikibot.web.forms import check_form
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


@blueprint.post("/page/<int:page_id>/approve")
def approve(page_id: int) -> str | Response | tuple[str, int]:
    """Every waiting proposal of the page above a probability is approved."""
    low = per_cent(request.form.get("least"), 1.0)
    with review_app().store.reading() as session:
        lines = queue.lines_of_page(session, page_id, queue.OPEN_STATES)
    check_form("approve-page", page_id, *seen(lines))
    likely = [(line.id, line.version) for line in lines if line.probability >= low]
    outcome = review.decide_many(review_app().store, likely, "approve", review_app().voice)
    with review_app().store.reading() as session:
        return _show(session, page_id, outcome=outcome)


def seen(lines: list[Line]) -> list[str]:
    """What the reviewer saw: the form counts for exactly these proposals as they were."""
    return [f"{line.id}:{line.version}" for line in lines if line.state in queue.OPEN_STATES]


def _show(session: Session, page_id: int, **more: Any) -> str:
    page = pages.page_by_id(session, page_id) or abort(404)
    wiki = queue.wiki_of_page(session, page_id)
    lines = queue.lines_of_page(session, page_id, SHOWN_STATES)
    which = "approved" if request.values.get("diff") == "approved" else "all"
    edit = _edit(wiki, diff.draft_of_page(session, page_id, IN_DIFF[which]))
    return render_template(
        "page.html",
        wiki=wiki,
        keep=as_arguments(wiki, filters_of(wiki)),
        page=page,
        page_address=wiki_address(wiki, page.title),
        lines=lines,
        seen=seen(lines),
        low=per_cent(request.form.get("least"), LIKELY),
        which=which,
        edit=edit,
        rows=diff.rows(edit) if edit else [],
        **table_arguments(lines),
        **more,
    )


def _edit(wiki: WikiRow, draft: diff.Draft) -> PlannedEdit | None:
    """The edit; None while a long page is still being checked."""
    plan = partial(diff.planned, draft, wiki)
    if len(draft.newest.text) <= SHORT:
        return plan()
    return review_app().background.ask(("edit", wiki.id, draft), plan, in_process=True)
