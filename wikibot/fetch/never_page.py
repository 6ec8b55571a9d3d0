"""The never-link page of a wiki, which its admins edit: read with every fetch, kept in the store."""

from __future__ import annotations

from wikibot.errors import WikibotError
from wikibot.never_list import read_page_list
from wikibot.store import Store
from wikibot.store.never_links import keep_listed
from wikibot.store.pages import WikiRow, wiki_by_name
from wikibot.wikitext import SiteRules, normalise_title

SOURCE = "wiki"


def page_title(setting: str, rules: SiteRules) -> str:
    """The page's title with its namespace as the wiki calls it; "" where none is set."""
    return normalise_title(setting, rules).text if setting else ""


def keep_page(store: Store, wiki_id: int, rules: SiteRules, title: str, text: str | None) -> None:
    """What the page lists, and nothing older of it, is never linked; None: there is no page."""
    entries = read_page_list(text or "", rules)
    with store.writing() as session:
        keep_listed(session, wiki_id, SOURCE, entries, added_by=title)


def refresh(store: Store, setting: str, name: str | None) -> str | None:
    """The list is as the live wiki's page has it now; else a sentence says why it is not.

    A wiki that cannot be reached keeps the list that was read last. Nothing is asked for a wiki
    that is known from an export alone.
    """
    with store.reading() as session:
        wiki = wiki_by_name(session, name)
    if not setting or not wiki.api_url:
        return None
    title = page_title(setting, wiki.rules())
    try:
        text = _read(wiki, title)
    except WikibotError as error:
        return f"“{title}” could not be read, so the list of the last time is used. ({error})"
    keep_page(store, wiki.id, wiki.rules(), title, text)
    return None


def _read(wiki: WikiRow, title: str) -> str | None:
    from wikibot.site.connect import asked_once, connect
    from wikibot.site.reading import WikiReader

    with asked_once():
        return WikiReader(connect(url=wiki.api_url)).text(title)
