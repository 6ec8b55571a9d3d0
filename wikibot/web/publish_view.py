"""Publish: everything approved as a diff, checked on the wiki, saved, and taken back.

`review_app().login()` says in whose name; what is saved is exactly what was shown.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from wikibot import diff
from wikibot.plan import PlannedEdit
from wikibot.publish import saving
from wikibot.publish.log import diff_url
from wikibot.publish.saving import CHECK, SAVE, UNDO, Followed, Order
from wikibot.store import Session, outbox, queue, runs
from wikibot.store.pages import WikiRow
from wikibot.web.filters import current_wiki, wiki_address
from wikibot.web.forms import check_form
from wikibot.web.i18n import msg
from wikibot.web.inputs import row_number
from wikibot.web.page_view import SHORT
from wikibot.web.review_app import review_app

blueprint = Blueprint("publish", __name__)

SAVES_SHOWN = 10
# To plan an edit takes a while, and long on a long page; the check shows all of them.
DRAFTS_SHOWN = 5
UNDOABLE = ("published", "kept")


@blueprint.get("/publish")
def show() -> str:
    """The diff of everything approved, page by page, with the outcome of the checks."""
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        approved = _approved(session, wiki)
        check = _newest(session, wiki, CHECK)
        is_current = check is not None and check.proposals == approved
        return render_template(
            "publish.html",
            wiki=wiki,
            keep=_kept(wiki),
            check=check if is_current else None,
            edits=_drafts(session, wiki, approved) if not is_current else [],
            links=len(approved),
            pages=outbox.count_pages(session, approved.keys()),
            open_edits=outbox.in_flight(session, wiki.id),
            saves=_saves(session, wiki),
            address=lambda title: wiki_address(wiki, title),
            seen=_seen(approved),
        )


@blueprint.get("/publish/patch")
def patch() -> Response:
    """Everything approved as a patch, for `patch -p1` or `git apply`."""
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        edits = _edits(session, wiki, _approved(session, wiki))
        text = "".join(diff.unified(edit) for edit in edits)
    answer = Response(text, mimetype="text/x-diff")
    answer.headers["Content-Disposition"] = "attachment; filename=wikibot.patch"
    return answer


@blueprint.post("/publish/check")
def check() -> AnyResponse:
    """Everything approved is being checked on the wiki, as before an edit; nothing is sent."""
    seen = request.form.get("seen", "")
    check_form("publish-check", seen)
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        approved = _approved(session, wiki)
        pages = outbox.count_pages(session, approved.keys())
    _begin(wiki, CHECK, proposals=tuple(sorted(approved.items())), pages=pages)
    return redirect(url_for("publish.show", **_kept(wiki)), 303)


@blueprint.post("/publish/save")
def save() -> AnyResponse:
    """What the check found to be in order is being saved: exactly those links, and no others."""
    check_form("publish-save", request.form.get("check", ""))
    run_id = _whole("check")
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        checked = _followed(session, run_id)
        if checked is None or checked.order.kind != CHECK or checked.is_running:
            abort(400, msg("this-form-is-not-complete-nothing"))
        if checked.proposals != _approved(session, wiki):
            abort(409, msg("something-was-decided-since-this"))  # fmt: skip
    would = checked.in_state("would")
    versions = checked.proposals
    wanted = [number for outcome in would for number in outcome.proposals]
    run = _begin(
        wiki,
        SAVE,
        proposals=tuple((number, versions[number]) for number in wanted),
        pages=len(would),
    )
    return redirect(url_for("publish.run", run_id=run, **_kept(wiki)), 303)


@blueprint.post("/publish/undo")
def undo() -> AnyResponse:
    """A batch, or the link of one proposal, is being taken off the wiki again."""
    batch, proposal = request.form.get("batch", ""), request.form.get("proposal", "")
    check_form("publish-undo", batch, proposal)
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
    number = row_number(proposal) if proposal else None
    run = _begin(wiki, UNDO, batch=batch or None, proposal=number)
    return redirect(url_for("publish.run", run_id=run, **_kept(wiki)), 303)


@blueprint.get("/publish/run/<int:run_id>")
def run(run_id: int) -> str | AnyResponse:
    """How far a save or an undo is, and what became of each page."""
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        found = _followed(session, run_id)
        if found is None or found.order.kind == CHECK:
            return redirect(url_for("publish.show", **_kept(wiki)), 303)
        return render_template(
            "publish_run.html",
            wiki=wiki,
            keep=_kept(wiki),
            followed=found,
            is_undo=found.order.kind == UNDO,
            diff_address=partial(diff_address, wiki),
            links=_links(session, found),
            undoable=UNDOABLE,
            sent=outbox.edits(session, wiki.id, batch=found.batch) if found.batch else [],
            address=lambda title: wiki_address(wiki, title),
        )


def _begin(wiki: WikiRow, kind: str, **what: Any) -> int:
    order = Order(kind, wiki.id, review_app().voice.reviewer, **what)
    return review_app().publish_runs.begin(review_app().store, order, review_app().login())


def _newest(session: Session, wiki: WikiRow, kind: str) -> Followed | None:
    """This reviewer's newest run of a kind."""
    found = _of_reviewer(session, wiki, kind)
    return found[0] if found else None


def _saves(session: Session, wiki: WikiRow) -> list[Followed]:
    """The reviewer's last saves and undoings, newest first."""
    both = [*_of_reviewer(session, wiki, SAVE), *_of_reviewer(session, wiki, UNDO)]
    return sorted(both, key=lambda one: -one.run.id)[:SAVES_SHOWN]


def _of_reviewer(session: Session, wiki: WikiRow, kind: str) -> list[Followed]:
    latest = runs.latest_runs(session, limit=SAVES_SHOWN, command=kind)
    found = (saving.followed(run) for run in latest if run.wiki_id == wiki.id)
    who = review_app().voice.reviewer
    return [one for one in found if one is not None and one.order.ordered_by == who]


def _followed(session: Session, run_id: int) -> Followed | None:
    row = runs.run_by_id(session, run_id)
    return saving.followed(row) if row is not None and row.command in saving.KINDS else None


def _approved(session: Session, wiki: WikiRow) -> dict[int, int]:
    """What may be saved here, with versions: in a team, what one has approved oneself."""
    return outbox.versions_in(session, wiki.id, "approved", approver=review_app().approver)


def _edits(session: Session, wiki: WikiRow, approved: dict[int, int]) -> Iterator[PlannedEdit]:
    """The edits that hold nothing but these proposals."""
    for page in queue.pages_with(session, wiki.id, ("approved",), only=approved):
        yield diff.planned(_draft(session, page.id, approved), wiki)


def _draft(session: Session, page_id: int, approved: dict[int, int]) -> diff.Draft:
    draft = diff.draft_of_page(session, page_id, ("approved",))
    return replace(draft, links=tuple(link for link in draft.links if link.id in approved))


def _drafts(
    session: Session, wiki: WikiRow, approved: dict[int, int]
) -> list[tuple[str, list[diff.Row]]]:
    """The first edits as far as the database knows, without asking the wiki."""
    pages = queue.pages_with(session, wiki.id, ("approved",), only=approved)[:DRAFTS_SHOWN]
    drafts = (_draft(session, page.id, approved) for page in pages)
    edits = [diff.planned(draft, wiki) for draft in drafts if len(draft.newest.text) <= SHORT]
    return [(edit.title, diff.rows(edit)) for edit in edits if edit.placed]


def diff_address(wiki: WikiRow, revision: int | None) -> str | None:
    """Where the wiki shows a revision's changes; None unless it is a web address."""
    address = diff_url(wiki, revision) or ""
    return address if address.startswith(("https://", "http://")) else None


def _links(session: Session, found: Followed) -> dict[int, Any]:
    """The proposals of a run, by number, as they are now."""
    numbers = {number for outcome in found.outcomes for number in outcome.proposals}
    return {link.id: link for link in outbox.links_with_ids(session, numbers)}


def _seen(approved: dict[int, int]) -> str:
    """What tells one set of approved proposals from another."""
    return hashlib.sha256(repr(sorted(approved.items())).encode()).hexdigest()


def _kept(wiki: WikiRow) -> dict[str, Any]:
    return {"wiki": wiki.name} if request.values.get("wiki") else {}


def _whole(name: str) -> int:
    value = request.form.get(name, type=row_number)
    if value is None:
        abort(400, msg("this-form-is-not-complete-nothing"))
    return value
