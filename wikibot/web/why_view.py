"""Why a link is missing: a page and a target are asked for, and the scorer's answer is shown."""

from __future__ import annotations

from flask import Blueprint, render_template, request

from wikibot.errors import BadInput, ModelError
from wikibot.web.filters import as_arguments, current_wiki, filters_of
from wikibot.web.labels import error_message, reasons_in_words
from wikibot.web.review_app import review_app

blueprint = Blueprint("why", __name__)


@blueprint.get("/why")
def show() -> str:
    """The form, and the answer where it is filled in."""
    # What scores pages takes a second to load; nobody else should wait for it.
    from wikibot.why import why_missing

    on, to = (request.args.get(name, "").strip() for name in ("on", "to"))
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
    found, refusal = None, ""
    if on and to:
        try:
            found = why_missing(review_app().store, on, to, wiki=wiki.name)
        except (BadInput, ModelError) as error:
            refusal = error_message(error)
    return render_template(
        "why.html",
        wiki=wiki,
        keep=as_arguments(wiki, filters_of(wiki)),
        on=on,
        to=to,
        found=found,
        reasons=reasons_in_words(list(found.reasons)) if found else [],
        refusal=refusal,
    )
