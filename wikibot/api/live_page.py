"""A page as it is now: on the wiki if its address is known, else in the database."""

from __future__ import annotations

import multiprocessing.synchronize
import threading

from wikibot.api.errors import ApiError
from wikibot.source import SourcePage
from wikibot.store import Store
from wikibot.store.pages import WikiRow, page_by_title

Turns = multiprocessing.synchronize.BoundedSemaphore

_one_at_a_time = threading.Lock()  # pywikibot is not made for several threads
MOST_AT_ONCE = 3  # requests to a wiki, of all processes together


def stored_or_live(store: Store, wiki: WikiRow, title: str, turns: Turns) -> SourcePage:
    """The page of that title; refuses where there is none. Who asks the wiki waits for a turn."""
    if wiki.api_url:
        with _one_at_a_time, turns:
            page = _live(wiki.api_url, title)
    else:
        page = _stored(store, wiki, title)
    if page is None or page.text is None:
        raise ApiError(404, "no-page", f'There is no page "{title}" on {wiki.name}.')
    return page


def _live(api_url: str, title: str) -> SourcePage | None:
    from wikibot.site.connect import connect
    from wikibot.site.reading import WikiReader

    reader = WikiReader(connect(url=api_url), wait=_refuse_to_wait)
    return next(iter(reader.pages_by_title([title])), None)


def _refuse_to_wait(seconds: float) -> None:
    """Who asked us is told to wait as well."""
    raise ApiError(
        503, "wiki-busy", f"The wiki asks us to wait {seconds:g} s.", retry_after_s=seconds
    )


def _stored(store: Store, wiki: WikiRow, title: str) -> SourcePage | None:
    with store.reading() as session:
        row = page_by_title(session, wiki.id, title)
    if row is None:
        return None
    return SourcePage(row.page_id, row.title, row.namespace, row.revision_id, "", row.wikitext)
