"""The queue as a list, with filters."""

from __future__ import annotations

from flask import Blueprint, render_template, request

from wikibot.store import queue
from wikibot.web.filters import as_arguments, current_wiki, filters_of
from wikibot.web.inputs import row_number
from wikibot.web.review_app import review_app

blueprint = Blueprint("queue", __name__)

SCREENFUL = 50
CATEGORIES = 300


@blueprint.get("/queue")
def listing() -> str:
    """A screenful of the queue, in its order."""
    after = request.args.get("after", type=row_number)
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        filters = filters_of(wiki)
        lines = queue.lines(session, filters, after=after, limit=SCREENFUL + 1)
        return render_template(
            "queue.html",
            wiki=wiki,
            wikis=queue.wikis(session),
            filters=filters,
            categories=queue.categories(session, wiki.id, limit=CATEGORIES),
            keep=as_arguments(wiki, filters),
            lines=lines[:SCREENFUL],
            next_after=lines[SCREENFUL - 1].id if len(lines) > SCREENFUL else None,
            is_first=after is None,
            found=queue.count(session, filters, at_most=queue.COUNTED + 1),
            counted=queue.COUNTED,
            states=(*queue.STATES, queue.ANY_STATE),
        )
