"""The reader's view: a page with links to what was read before in this sitting."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from wikibot.errors import BadWikitext, ModelError
from wikibot.excerpt import Block, blocks
from wikibot.reading import load_model, with_contextual_links
from wikibot.store import Session, pages, queue
from wikibot.store.pages import PageRow, WikiRow
from wikibot.store.suggestions import models_of
from wikibot.web.desk import desk
from wikibot.web.filters import as_arguments, current_wiki, filters_of, wiki_address
from wikibot.web.forms import check_form
from wikibot.web.i18n import gettext as _

blueprint = Blueprint("read", __name__)


@blueprint.get("/read")
def choose() -> str:
    """Pages to read, found by title, and those read so far."""
    asked = request.args.get("q", "").strip()
    with desk().store.reading() as session:
        wiki = current_wiki(session)
        return render_template(
            "read_choose.html",
            wiki=wiki,
            keep=as_arguments(wiki, filters_of(wiki)),
            asked=asked,
            titles=queue.find_titles(session, wiki.id, asked, limit=30),
            sitting=desk().sitting.titles(wiki.id),
        )


@blueprint.get("/read/<path:title>")
def show(title: str) -> str | Response:
    """The page's text with its own links and the contextual ones."""
    with desk().store.reading() as session:
        wiki = current_wiki(session)
        page = pages.page_by_title(session, wiki.id, title) or abort(404)
        before = desk().sitting.titles(wiki.id)
        shown, notice = _page(session, wiki, page, before)
    desk().sitting.remember(wiki.id, page.title)
    return render_template(
        "read.html",
        wiki=wiki,
        keep=as_arguments(wiki, filters_of(wiki)),
        page=page,
        page_address=wiki_address(wiki, page.title),
        blocks=shown,
        notice=notice,
        sitting=[one for one in before if one != page.title],
    )


@blueprint.post("/read")
def forget() -> Response:
    """A new sitting begins: nothing has been read yet."""
    check_form("forget")
    desk().sitting.forget()
    return redirect(url_for("read.choose"), 303)


def _page(
    session: Session, wiki: WikiRow, page: PageRow, before: list[str]
) -> tuple[list[Block], str]:
    """What is shown of the page, and what the reader should know about the links."""
    try:
        plain = blocks(page.wikitext, wiki.rules())
    except BadWikitext as error:
        return [], str(error)
    trained = models_of(session, wiki.id).get("crtm")
    if trained is None:
        return plain, _(
            "No model is trained yet, so there are no contextual links. Run “wikibot train”."
        )
    try:
        model = load_model(desk().store.folder, trained.path, trained.sha256)
    except ModelError as error:
        return plain, str(error)
    return with_contextual_links(model, page.title, plain, before), ""
