"""A page as it is now: on the wiki if its address is known, else in the database.

The wiki is asked in a thread of its own, since nothing else can give up a connection that does not
answer. Such a thread keeps its turn until the connection ends, so that the wiki is never asked more
often at once than it allows.
"""

from __future__ import annotations

import multiprocessing.synchronize
import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as StillRunning

from wikibot.api.errors import ApiError
from wikibot.api.timed_calls import TimedCalls
from wikibot.source import SourcePage
from wikibot.store import Store
from wikibot.store.pages import WikiRow, page_by_title

Turns = multiprocessing.synchronize.BoundedSemaphore

_one_at_a_time = threading.Lock()  # pywikibot is not made for several threads
MOST_AT_ONCE = 3  # requests to a wiki, of all processes together


def stored_or_live(
    store: Store, wiki: WikiRow, title: str, turns: Turns, calls: TimedCalls, until: float
) -> SourcePage:
    """The page of that title; refuses where there is none, or where the wiki takes too long."""
    if wiki.api_url:
        page = _live_until(until, wiki.api_url, title, turns, calls)
    else:
        page = _stored(store, wiki, title)
    if page is None or page.text is None:
        raise ApiError(404, "no-page", f'There is no page "{title}" on {wiki.name}.')
    return page


def _live_until(
    until: float, api_url: str, title: str, turns: Turns, calls: TimedCalls
) -> SourcePage | None:
    outcome: Future[SourcePage | None] = Future()

    def ask() -> None:
        try:
            outcome.set_result(_in_turn(until, api_url, title, turns))
        except BaseException as error:  # whatever it is, it belongs to who asked
            outcome.set_exception(error)

    threading.Thread(target=ask, daemon=True).start()
    try:
        return outcome.result(max(0.0, until - time.monotonic()))
    except StillRunning:
        raise calls.too_long() from None


def _in_turn(until: float, api_url: str, title: str, turns: Turns) -> SourcePage | None:
    """Who waits for a turn until it is too late does not ask any more."""
    if not _one_at_a_time.acquire(timeout=max(0.0, until - time.monotonic())):
        raise StillRunning
    try:
        if not turns.acquire(timeout=max(0.0, until - time.monotonic())):
            raise StillRunning
        try:
            return _live(api_url, title)
        finally:
            turns.release()
    finally:
        _one_at_a_time.release()


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
