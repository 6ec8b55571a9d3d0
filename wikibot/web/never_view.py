"""The never-link list: see it, add to it, take something off."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from wikibot.store import never_links
from wikibot.web.filters import as_arguments, current_wiki, filters_of
from wikibot.web.forms import check_form
from wikibot.web.inputs import row_number
from wikibot.web.review_app import review_app

blueprint = Blueprint("never", __name__)


@blueprint.get("/never")
def listing() -> str:
    """The words, targets and pages that are never proposed."""
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        return render_template(
            "never.html",
            wiki=wiki,
            keep=as_arguments(wiki, filters_of(wiki)),
            entries=never_links.entries(session, wiki.id),
            kinds=never_links.KINDS,
            withdrawn=request.args.get("withdrawn", type=row_number),
        )


@blueprint.post("/never")
def add() -> Response:
    """One more word, target or page is never proposed."""
    check_form("never")
    kind, value = _asked()
    after = request.form.get("after", type=row_number)
    with review_app().store.writing() as session:
        wiki = current_wiki(session)
        withdrawn = never_links.never_link(session, wiki.id, kind, value, review_app().voice)
        keep = as_arguments(wiki, filters_of(wiki)) | {"withdrawn": withdrawn}
    if after is not None:
        return redirect(url_for("review.start", **keep, after=after), 303)
    return redirect(url_for("never.listing", **keep), 303)


@blueprint.post("/never/<int:entry_id>/remove")
def remove(entry_id: int) -> Response:
    """The entry is off the list."""
    check_form("never-remove", entry_id)
    with review_app().store.writing() as session:
        wiki = current_wiki(session)
        never_links.allow_again(session, entry_id)
        keep = as_arguments(wiki, filters_of(wiki))
    return redirect(url_for("never.listing", **keep), 303)


def _asked() -> tuple[str, str]:
    """The kind and value in the form: from the list's own fields, or one of a proposal's buttons."""
    for kind in never_links.KINDS:
        if f"never-{kind}" in request.form:
            return kind, request.form[f"never-{kind}"]
    return request.form.get("kind", ""), request.form.get("value", "")
