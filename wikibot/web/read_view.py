"""The reader's view: a page with links to what was read before in this sitting."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from wikibot.errors import BadWikitext, ModelError
from wikibot.excerpt import Block
from wikibot.reading import Names, load_model, with_contextual_links
from wikibot.store import pages, queue
from wikibot.store.pages import PageRow, WikiRow
from wikibot.store.suggestions import ModelRow, models_of
from wikibot.web.article_view import plain_blocks
from wikibot.web.filters import as_arguments, current_wiki, filters_of, wiki_address
from wikibot.web.forms import check_form
from wikibot.web.i18n import msg
from wikibot.web.labels import error_message
from wikibot.web.review_app import review_app

blueprint = Blueprint("read", __name__)


@dataclass(frozen=True, slots=True)
class View:
    """What can be shown of a page by now, and what the reader should know about it."""

    blocks: list[Block]
    notice: str = ""
    is_complete: bool = True


@blueprint.get("/read")
def choose() -> str:
    """Pages to read, found by title, and those read so far."""
    asked = request.args.get("q", "").strip()
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        return render_template(
            "read_choose.html",
            wiki=wiki,
            keep=as_arguments(wiki, filters_of(wiki)),
            asked=asked,
            titles=queue.find_titles(session, wiki.id, asked, limit=30),
            read_before=review_app().reading_history.titles(wiki.id),
        )


@blueprint.get("/read/<path:title>")
def show(title: str) -> str | Response:
    """The page's text with its own links and the contextual ones."""
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        page = pages.page_by_title(session, wiki.id, title) or abort(404)
        before = [one for one in review_app().reading_history.titles(wiki.id) if one != page.title]
        trained = models_of(session, wiki.id).get("crtm")
        names = pages.names_of(session, wiki.id, before)
    view = _view(wiki, page, trained, names)
    review_app().reading_history.remember(wiki.id, page.title)
    return render_template(
        "read.html",
        wiki=wiki,
        keep=as_arguments(wiki, filters_of(wiki)),
        page=page,
        page_address=wiki_address(wiki, page.title),
        view=view,
        read_before=before,
    )


@blueprint.post("/read")
def forget() -> Response:
    """A new sitting begins: nothing has been read yet."""
    check_form("forget")
    review_app().reading_history.forget()
    return redirect(url_for("read.choose"), 303)


def _view(wiki: WikiRow, page: PageRow, trained: ModelRow | None, before: Names) -> View:
    key = ("read", wiki.id, page.id, page.revision_id)
    try:
        plain = plain_blocks(wiki, page)
    except BadWikitext:
        return View([], notice=msg("this-page-cannot-be-read-safely"))
    if plain is None:
        return View([], is_complete=False)
    if trained is None:
        return View(
            plain,
            notice=msg("no-model-is-trained-yet-so-there"),
        )
    return _with_links(key, trained, page.title, plain, before) if before else View(plain)


def _with_links(
    key: tuple[object, ...], trained: ModelRow, title: str, plain: list[Block], before: Names
) -> View:
    folder = review_app().store.folder

    def link() -> list[Block]:
        model = load_model(folder, trained.path, trained.sha256)
        return with_contextual_links(model, title, plain, before)

    try:
        linked = review_app().background.ask((*key, trained.sha256, *before), link)
    except ModelError as error:
        return View(plain, notice=error_message(error))
    return View(plain if linked is None else linked, is_complete=linked is not None)
