"""What a live wiki holds: its rules, its categories, and pages by the hundred.

Questions go through pywikibot's session, in its pace and with its retries, as raw queries: a page
object for each page would cost a request each for redirects and disambiguation.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from wikibot.errors import WikiUnavailable
from wikibot.site.answers import id_in, row_in, rows_in, text_in, understood
from wikibot.site.budget import Budget, budget_for
from wikibot.site.connect import Site, api_url, told_plainly
from wikibot.site.retry_after import told_to_wait
from wikibot.source import CATEGORY_NAMESPACE, Changed, Listed, SourcePage

SITEINFO = "general|namespaces|namespacealiases|magicwords|extensiontags|functionhooks|interwikimap"


# More at once are not welcome on Wikimedia's wikis, whoever asks.
_AT_ONCE = threading.BoundedSemaphore(3)
# A longer wait is told, so that a person can choose when to go on; what was read is kept.
LONGEST_POLITE_WAIT_S = 600.0
MAX_LAG_S = (
    5  # of the wiki's copies of its database; a wiki that lags more is left alone for a while
)
MOST_WAITS = 5  # one after the other, for the same question


class PageKind(NamedTuple):
    """What decides whether a page belongs to the set; categories are without their namespace."""

    categories: frozenset[str]
    is_redirect: bool


class NewestRevision(NamedTuple):
    """The newest revision of a page; no user where the wiki hides the name."""

    revision_id: int
    user: str
    text: str


class WikiReader:
    """A live wiki to read from; nothing here changes anything on it."""

    def __init__(
        self, site: Site, *, group_size: int = 240, wait: Callable[[float], None] = time.sleep
    ) -> None:
        self._site, self._wait = site, wait
        self._requests, self._seconds = 0, 0.0
        with told_plainly(), told_to_wait():
            self._group = max(1, min(group_size, int(site.maxlimit)))
            self._most = int(site.maxlimit)
        self._siteinfo: dict[str, Any] | None = None

    @property
    def api_url(self) -> str:
        return api_url(self._site)

    @property
    def article_url(self) -> str:
        """Where an article is: 'https://en.wikipedia.org/wiki/$1'."""
        with understood():
            general = row_in(self.siteinfo(), "general")
            server = text_in(general, "server")
            scheme = "https:" if server.startswith("//") else ""
            return f"{scheme}{server}{text_in(general, 'articlepath')}"

    def siteinfo(self) -> dict[str, Any]:
        """What the wiki says of itself: namespaces, link trail, magic words; asked once."""
        if self._siteinfo is None:
            request = {"action": "query", "meta": "siteinfo", "siprop": SITEINFO}
            with understood():
                self._siteinfo = row_in(self._ask(request), "query")
        return self._siteinfo

    def category_members(self, category: str) -> list[Listed]:
        """The articles and subcategories that stand directly in CATEGORY, in order of page ids."""
        question = {
            "generator": "categorymembers",
            "gcmtitle": f"Category:{category}",
            "gcmnamespace": f"0|{CATEGORY_NAMESPACE}",
            "gcmtype": "page|subcat",
            "gcmlimit": "max",
            "prop": "info",
        }
        return _listed(self._pages(question))

    def categories_like(self, category: str) -> list[str]:
        """Categories that the wiki's own search box offers for these letters."""
        question = {"action": "opensearch", "search": f"Category:{category}", "limit": 5}
        with understood():
            titles = self._ask({**question, "namespace": CATEGORY_NAMESPACE})[1]
            return [title.partition(":")[2] for title in titles]

    def current(self, page_ids: Sequence[int]) -> list[Listed]:
        """Those of the pages that still exist, under their present titles."""
        questions = (
            {"pageids": _joined(some), "prop": "info"} for some in _slices(page_ids, self._most)
        )
        return [page for question in questions for page in _listed(self._pages(question))]

    def redirects_to(self, page_ids: Sequence[int]) -> list[Listed]:
        """The redirects among the articles that lead straight to any of the pages."""
        found = []
        for some in _slices(page_ids, self._most):
            question = {
                "generator": "redirects",
                "pageids": _joined(some),
                "grdnamespace": 0,
                "grdlimit": "max",
                "prop": "info",
            }
            found += _listed(self._pages(question))
        return sorted(found, key=lambda page: page.page_id)

    def named(self, titles: Sequence[str]) -> list[Listed]:
        """The pages of these titles that exist, redirects not followed."""
        questions = (
            {"titles": _joined(some), "prop": "info"} for some in _slices(titles, self._most)
        )
        return [page for question in questions for page in _listed(self._pages(question))]

    def articles(self) -> list[Listed]:
        """All articles and redirects of the wiki."""
        return _listed(self._pages({"generator": "allpages", "gaplimit": "max", "prop": "info"}))

    def kinds(self, page_ids: Sequence[int]) -> dict[int, PageKind]:
        """Of each page that exists, its categories and whether it is a redirect."""
        found: dict[int, PageKind] = {}
        for some in _slices(page_ids, self._most):
            question = {"pageids": _joined(some), "prop": "categories|info", "cllimit": "max"}
            for page in self._pages(question):
                with understood():
                    titles = [text_in(row, "title") for row in page.get("categories", [])]
                    names = frozenset(one.partition(":")[2] for one in titles)
                    found[id_in(page, "pageid")] = PageKind(names, "redirect" in page)
        return found

    def changes(self, since: str) -> Iterator[Changed]:
        """What RecentChanges has of articles from that moment on, the oldest first."""
        question = {
            "action": "query",
            "list": "recentchanges",
            "rcprop": "title|ids|timestamp|loginfo",
            "rctype": "edit|new|log",
            "rcdir": "newer",
            "rcstart": since,
            "rclimit": "max",
        }
        more: dict[str, Any] = {}
        while True:
            answer = self._ask({**question, **more})
            with understood():
                found = map(_changed, rows_in(row_in(answer, "query"), "recentchanges"))
                yield from (change for change in found if change is not None)
                if "continue" not in answer:
                    return
                more = row_in(answer, "continue")

    def oldest_change(self) -> str:
        """The moment of the oldest entry that RecentChanges still has; "" where it has none."""
        question = {"list": "recentchanges", "rcdir": "newer", "rclimit": 1, "rcprop": "timestamp"}
        answer = self._ask({"action": "query", **question})
        with understood():
            found = rows_in(row_in(answer, "query"), "recentchanges")
            return text_in(found[0], "timestamp") if found else ""

    def pages(self, page_ids: Sequence[int]) -> Iterator[SourcePage]:
        """The newest revisions of the pages that exist, in the order given."""
        for some in _slices(page_ids, self._group):
            found = {page.page_id: page for page in self._texts(pageids=_joined(some))}
            yield from (found[one] for one in some if one in found)

    def pages_by_title(self, titles: Sequence[str]) -> Iterator[SourcePage]:
        """The articles and redirects of these titles that exist, redirects not followed."""
        for some in _slices(titles, self._group):
            found = [page for page in self._texts(titles=_joined(some)) if page.namespace == 0]
            yield from sorted(found, key=lambda page: page.page_id)

    def text(self, title: str) -> str | None:
        """The text of the page, of whatever namespace; None where there is none."""
        return next((page.text for page in self._texts(titles=title)), None)

    def newest(self, title: str) -> NewestRevision | None:
        """The newest revision of the page and who made it; None where there is no page."""
        question = {"prop": "revisions", "rvprop": "ids|user|content", "rvslots": "main"}
        for page in self._pages({**question, "titles": title}):
            if page.get("revisions"):
                with understood():
                    revision = rows_in(page, "revisions")[0]
                    text = text_in(row_in(row_in(revision, "slots"), "main"), "*", "")
                    user = "" if "anon" in revision else text_in(revision, "user", "")
                    return NewestRevision(id_in(revision, "revid"), user, text)
        return None

    def groups_of(self, user: str) -> frozenset[str]:
        """The groups of an account; none where it is blocked or there is no such account."""
        question = {"list": "users", "ususers": user, "usprop": "groups|blockinfo"}
        answer = self._ask({"action": "query", **question})
        with understood():
            row = rows_in(row_in(answer, "query"), "users")[0]
            is_blocked = "blockid" in row
            return frozenset() if is_blocked else frozenset(map(str, row.get("groups", ())))

    def _texts(self, **which: str) -> Iterator[SourcePage]:
        question = {
            "prop": "revisions|info|pageprops",
            "rvprop": "ids|timestamp|content",
            "rvslots": "main",
            "ppprop": "disambiguation",
        }
        pages = self._pages({**question, **which})
        return (_source_page(page) for page in pages if page.get("revisions"))

    def _pages(self, question: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The pages of the answer, each whole, however many requests that takes."""
        more: dict[str, Any] = {}
        pages: dict[str, dict[str, Any]] = {}
        while True:
            answer = self._ask({"action": "query", **question, **more})
            with understood():
                # An empty answer has no pages, or a list of none; without pages there is no query.
                for key, page in (answer.get("query", {}).get("pages") or {}).items():
                    pages.setdefault(key, {}).update(page)
                is_last = "continue" not in answer
                more = {} if is_last else row_in(answer, "continue")
            if "batchcomplete" in answer:
                yield from pages.values()
                pages = {}
            if is_last:
                return

    def budget(self) -> Budget:
        """What may still be asked in this hour, and how long a request took so far."""
        host = urlsplit(self.api_url).hostname or ""
        user = self._site.userinfo if self._site.logged_in() else {}
        allowed = budget_for(host, frozenset(user.get("rights", ())), is_logged_in=bool(user))
        request_s = self._seconds / self._requests if self._requests else allowed.request_s
        return replace(allowed, used=self._requests, request_s=request_s)

    def requests_for(self, pages: int) -> int:
        """How many requests it takes to fetch so many pages."""
        return math.ceil(pages / self._group)

    def _ask(self, question: dict[str, Any]) -> Any:
        """The answer, after as much waiting as the wiki asks for, if that is not too long."""
        for _ in range(MOST_WAITS):
            try:
                return self._ask_once(question)
            except WikiUnavailable as error:
                if not 0 < error.retry_after_s <= LONGEST_POLITE_WAIT_S:
                    raise
                self._wait(error.retry_after_s)
        return self._ask_once(question)

    def _ask_once(self, question: dict[str, Any]) -> Any:
        with _AT_ONCE, told_plainly(), told_to_wait():
            begun = time.monotonic()
            answer = self._site.simple_request(maxlag=MAX_LAG_S, **question).submit()
            self._requests += 1
            self._seconds += time.monotonic() - begun
            return answer


def _listed(pages: Iterable[dict[str, Any]]) -> list[Listed]:
    found = (_listed_page(page) for page in pages if "missing" not in page and "lastrevid" in page)
    return sorted(found, key=lambda page: page.page_id)


@understood()
def _listed_page(page: dict[str, Any]) -> Listed:
    return Listed(
        id_in(page, "pageid"), text_in(page, "title"), id_in(page, "ns"), id_in(page, "lastrevid")
    )


@understood()
def _changed(row: dict[str, Any]) -> Changed | None:
    """The pages that an entry is about: of a move, that which it left and that which it went to.

    None where neither can be an article.
    """
    logged = row.get("logparams", {})
    moved_to = text_in(logged, "target_title", "") if isinstance(logged, dict) else ""
    if row.get("ns") != 0 and not moved_to:
        return None
    titles = tuple(title for title in (text_in(row, "title", ""), moved_to) if title)
    return Changed(titles, id_in(row, "pageid", 0), text_in(row, "timestamp"))


@understood()
def _source_page(page: dict[str, Any]) -> SourcePage:
    revision = rows_in(page, "revisions")[0]
    slot = row_in(row_in(revision, "slots"), "main")
    return SourcePage(
        page_id=id_in(page, "pageid"),
        title=text_in(page, "title"),
        namespace=id_in(page, "ns"),
        revision_id=id_in(revision, "revid"),
        timestamp=text_in(revision, "timestamp"),
        text=text_in(slot, "*") if "*" in slot else None,
        model=text_in(slot, "contentmodel", "wikitext"),
        is_disambiguation="disambiguation" in page.get("pageprops", {}),
    )


def _slices(values: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    return (values[at : at + size] for at in range(0, len(values), size))


def _joined(values: Iterable[object]) -> str:
    return "|".join(map(str, values))
