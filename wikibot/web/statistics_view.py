"""What has been done, and whether the probabilities are true."""

from __future__ import annotations

from flask import Blueprint, render_template

from wikibot.store import queue
from wikibot.web.desk import desk
from wikibot.web.filters import as_arguments, current_wiki, filters_of

blueprint = Blueprint("statistics", __name__)


@blueprint.get("/statistics")
def show() -> str:
    """Counters, today's work, acceptance by probability, the model."""
    with desk().store.reading() as session:
        wiki = current_wiki(session)
        return render_template(
            "statistics.html",
            wiki=wiki,
            keep=as_arguments(wiki, filters_of(wiki)),
            counts=queue.count_states(session, wiki.id),
        )
