"""What people who review together want to see: where there is work, what they and others have done."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from flask import Blueprint, abort, render_template, request

from wikibot.store import decisions, teamwork
from wikibot.web.filters import as_arguments, current_wiki, filters_of, wiki_address
from wikibot.web.inputs import row_number
from wikibot.web.progress import KEPT_AFTER_DAYS
from wikibot.web.publish_view import UNDOABLE, diff_address
from wikibot.web.review_app import review_app

blueprint = Blueprint("team", __name__)

SCREENFUL = 50
BATCHES = 100
BOARD_DAYS = 30


@blueprint.get("/categories")
def categories() -> str:
    """The waiting proposals by category."""
    start = request.args.get("start", 0, type=row_number)
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        found = teamwork.by_category(session, wiki.id, start=start, limit=SCREENFUL + 1)
    return render_template(
        "categories.html",
        wiki=wiki,
        keep=as_arguments(wiki, filters_of(wiki)),
        batches=found[:SCREENFUL],
        start=start,
        next_start=start + SCREENFUL if len(found) > SCREENFUL else None,
    )


@blueprint.get("/few-links")
def few_links() -> str:
    """The pages with the fewest links that have waiting proposals."""
    start = request.args.get("start", 0, type=row_number)
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        found = teamwork.with_few_links(session, wiki.id, start=start, limit=SCREENFUL + 1)
    return render_template(
        "few_links.html",
        wiki=wiki,
        keep=as_arguments(wiki, filters_of(wiki)),
        pages=found[:SCREENFUL],
        start=start,
        next_start=start + SCREENFUL if len(found) > SCREENFUL else None,
    )


@blueprint.get("/decisions")
def own_decisions() -> str:
    """What the reviewer has decided, newest first, to look at again or to take back."""
    before = request.args.get("before", type=row_number)
    reviewer = review_app().voice.reviewer
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        found = teamwork.decisions_of(
            session, wiki.id, reviewer, before=before, limit=SCREENFUL + 1
        )
        shown = found[:SCREENFUL]
        standing = decisions.standing(session, [one.suggestion_id for one in shown])
    return render_template(
        "decisions.html",
        wiki=wiki,
        keep=as_arguments(wiki, filters_of(wiki)),
        decisions=shown,
        standing=standing,
        next_before=shown[-1].id if len(found) > SCREENFUL else None,
    )


@blueprint.get("/board")
def board() -> str:
    """Who has decided how much, and what became of it on the wiki."""
    now = datetime.now(timezone.utc)
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        found = teamwork.board(
            session,
            wiki.id,
            now - timedelta(days=BOARD_DAYS),
            now - timedelta(days=KEPT_AFTER_DAYS),
        )
    return render_template(
        "board.html", wiki=wiki, keep=as_arguments(wiki, filters_of(wiki)), people=found
    )


@blueprint.get("/saved")
def saved() -> str:
    """What was saved to the wiki, batch by batch."""
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        found = teamwork.saved_batches(session, wiki.id, limit=BATCHES)
    return render_template(
        "saved.html", wiki=wiki, keep=as_arguments(wiki, filters_of(wiki)), batches=found
    )


@blueprint.get("/saved/<batch>")
def saved_batch(batch: str) -> str:
    """One batch: its edits, who approved their links, and what became of them."""
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        found = teamwork.saved_edits(session, wiki.id, batch) or abort(404)
    return render_template(
        "saved_batch.html",
        wiki=wiki,
        keep=as_arguments(wiki, filters_of(wiki)),
        batch=batch,
        edits=found,
        address=lambda title: wiki_address(wiki, title),
        diff_address=lambda revision: diff_address(wiki, revision),
        undoable=UNDOABLE,
        can_undo_all=any(link.state in UNDOABLE for one in found for link in one.links),
    )
