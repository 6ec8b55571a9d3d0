"""For administrators: how the background work goes, what waits, and what is wrong."""

from __future__ import annotations

from datetime import datetime, timezone

from flask import Blueprint, redirect, render_template, url_for
from werkzeug.wrappers import Response

from wikibot import __version__
from wikibot.store import jobs, metrics, wiki_settings
from wikibot.web.filters import as_arguments, current_wiki, filters_of
from wikibot.web.forms import check_form
from wikibot.web.review_app import review_app

blueprint = Blueprint("admin", __name__)


@blueprint.get("/status")
def show() -> str:
    """The jobs, the figures and the settings that the wiki has made."""
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        return render_template(
            "admin.html",
            wiki=wiki,
            keep=as_arguments(wiki, filters_of(wiki)),
            found=metrics.read(session, wiki.id),
            settings=wiki_settings.kept(session, wiki.id),
            version=__version__,
        )


@blueprint.post("/status/<name>/run")
def run(name: str) -> Response:
    """The job runs as soon as the process of the jobs sees it."""
    check_form("run-job", name)
    with review_app().store.writing() as session:
        jobs.make_due(session, name, datetime.now(timezone.utc))
    return redirect(url_for("admin.show"), 303)
