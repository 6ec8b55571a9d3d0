"""Is the service up? For the reverse proxy and for whoever restarts what has stopped."""

from __future__ import annotations

from flask import Blueprint

from wikibot.store.pages import wiki_names
from wikibot.web.review_app import review_app

blueprint = Blueprint("health", __name__)


@blueprint.get("/health")
def show() -> str:
    """`ok`, once the database has answered."""
    with review_app().store.reading() as session:
        wiki_names(session)
    return "ok"
