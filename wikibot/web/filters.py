"""The filters of the queue in an address, and back."""

from __future__ import annotations

from typing import Any

from flask import abort, g, request

from wikibot.store import Session, queue
from wikibot.store.pages import WikiRow
from wikibot.store.queue import Filters
from wikibot.web.i18n import msg
from wikibot.web.review_app import review_app

GUIDELINES = {
    "en": "https://en.wikipedia.org/wiki/Wikipedia:Manual_of_Style/Linking",
    "de": "https://de.wikipedia.org/wiki/Wikipedia:Verlinken",
    "fr": "https://fr.wikipedia.org/wiki/Wikip%C3%A9dia:Liens_internes",
}
TEXTS = ("page", "target", "category")


def current_wiki(session: Session) -> WikiRow:
    """The wiki that the address names, else the server's, else the one with the newest proposals.

    A request asks the database once.
    """
    if "wiki" not in g:
        g.wiki = _named_wiki(session)
    found: WikiRow = g.wiki
    return found


def _named_wiki(session: Session) -> WikiRow:
    known = queue.wikis(session)
    if not known:
        abort(404, msg("there-is-no-wiki-in-this-database"))
    name = request.values.get("wiki") or review_app().wiki
    return next((wiki for wiki in known if wiki.name == name), known[0])


def stay_with(session: Session, wiki: WikiRow) -> None:
    """Links on this page name the wiki, where an address without a name would mean another one."""
    g.names_wiki = current_wiki(session).id != wiki.id


def filters_of(wiki: WikiRow) -> Filters:
    """The filters in this request; what cannot be understood counts as not given."""
    given = request.values
    state = given.get("state", "pending")
    return Filters(
        wiki.id,
        state=state if state in (*queue.STATES, queue.ANY_STATE) else "pending",
        low=per_cent(given.get("least"), 0.0),
        high=per_cent(given.get("most"), 1.0),
        **{name: given.get(name, "").strip() for name in TEXTS},
    )


def as_arguments(wiki: WikiRow, filters: Filters) -> dict[str, Any]:
    """What to add to an address so that it keeps the filters; defaults are left out."""
    is_named = bool(request.values.get("wiki")) or g.get("names_wiki", False)
    given: dict[str, Any] = {"wiki": wiki.name} if is_named else {}
    if filters.state != "pending":
        given["state"] = filters.state
    if filters.low > 0:
        given["least"] = f"{100 * filters.low:g}"
    if filters.high < 1:
        given["most"] = f"{100 * filters.high:g}"
    texts = {name: getattr(filters, name) for name in TEXTS}
    return given | {name: value for name, value in texts.items() if value}


def wiki_address(wiki: WikiRow, title: str) -> str | None:
    """Where the page is on the wiki; None unless it is a web address, whatever the file says."""
    address = wiki.address(title) or ""
    return address if address.startswith(("https://", "http://")) else None


def guideline_address(wiki: WikiRow) -> str:
    """Where the guideline on links is: as set, else of the Wikipedia in the wiki's language."""
    setting = review_app().guideline
    if setting.startswith(("https://", "http://")):
        return setting
    found = wiki_address(wiki, setting) if setting else None
    return found or GUIDELINES.get(wiki.language, GUIDELINES["en"])


def per_cent(text: str | None, default: float) -> float:
    """A share between 0 and 1 that was typed in per cent; the default for anything else."""
    try:
        value = float((text or "").replace(",", ".").replace("%", "")) / 100
    except ValueError:
        return default
    return min(max(value, 0.0), 1.0) if value == value else default
