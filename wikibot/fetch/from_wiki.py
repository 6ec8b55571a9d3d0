"""`wikibot fetch CATEGORY`: a live wiki's category is in the database."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from wikibot.errors import BadInput, WikiUnavailable
from wikibot.fetch import never_page
from wikibot.fetch.ahead import read_ahead
from wikibot.fetch.analyse import analyse
from wikibot.fetch.report import FetchReport, fetch_report, recording
from wikibot.fetch.selection import category_title, refuse_unknown
from wikibot.fetch.workers import Workers
from wikibot.fetch.writer import PageWriter, reader_mark
from wikibot.message import message
from wikibot.site.budget import announcement
from wikibot.site.reading import WikiReader
from wikibot.source import CATEGORY_NAMESPACE, Listed, SourcePage, site_name
from wikibot.steps import Step, Tell, silent
from wikibot.store import Store
from wikibot.store.page_writes import (
    absent_from_set,
    drop_from_set,
    finish_wiki,
    known_outside,
    mark_gone,
    missing_redirect_targets,
    resolve_targets,
    save_wiki,
)
from wikibot.store.pages import missing_targets
from wikibot.store.runs import recorded_run
from wikibot.wikitext.rules import SiteRules

AHEAD = 500  # pages fetched before they are read
LARGE_FETCH_PAGES = 1000  # of which it is said beforehand what they will take
ROUNDS = 5  # of redirects to redirects; MediaWiki itself follows one


@dataclass(frozen=True, slots=True)
class WikiOptions:
    """What to take from a live wiki."""

    category: str
    depth: int = 0
    targets: str = "none"  # or 'linked': also what the category's pages link to
    processes: int = 0
    user: str = ""
    never_link_page: str = ""


@dataclass(slots=True)
class Crawl:
    """The articles below a category, and the categories that were looked into."""

    pages: dict[int, Listed] = field(default_factory=dict)
    categories: set[str] = field(default_factory=set)


def fetch_wiki(
    store: Store,
    reader: WikiReader,
    options: WikiOptions,
    *,
    tell: Tell = silent,
    announce: Callable[[str], None] = lambda _: None,
) -> FetchReport:
    """The category's pages, the redirects to them, categories and links are in STORE.

    Only pages whose revision changed are fetched. Stopped anywhere, the same call goes on. ANNOUNCE is
    told before a large fetch what it will take.
    """
    told = {"category": options.category, "depth": options.depth, "targets": options.targets}
    with recorded_run(store, "fetch", {**told, "wiki": reader.api_url}) as run:
        work = _WikiFetch(store, reader, options, recording(tell, run), announce)
        run.belongs_to(work.wiki_id)
        report = work.run()
        run.result.update(report.as_json())
    return report


def crawl(reader: WikiReader, root: str, depth: int, *, tell: Tell = silent) -> Crawl:
    """What stands in ROOT and its subcategories down to DEPTH, each once, circles or not."""
    found = Crawl(categories={root})
    level = [root]
    for step in range(depth + 1):
        below: list[str] = []
        for category in level:
            for page in reader.category_members(category):
                if page.namespace == CATEGORY_NAMESPACE:
                    name = page.title.partition(":")[2]
                    if name not in found.categories and step < depth:
                        found.categories.add(name)
                        below.append(name)
                else:
                    found.pages[page.page_id] = page
            tell(Step(message("step-listing-category"), pages=len(found.pages)))
        level = below
    return found


class _WikiFetch:
    """One fetch of one category."""

    def __init__(
        self,
        store: Store,
        reader: WikiReader,
        options: WikiOptions,
        tell: Tell,
        announce: Callable[[str], None],
    ) -> None:
        self._started = time.monotonic()
        self._announce = announce
        self._store, self._reader, self._options, self._tell = store, reader, options, tell
        self._rules = SiteRules.from_siteinfo(reader.siteinfo())
        self._name = site_name(reader.article_url)
        self._category = category_title(options.category, self._rules)
        self._deleted: list[str] = []
        self._left: list[str] = []
        with store.writing() as session:
            self.wiki_id = save_wiki(
                session,
                self._name,
                self._rules,
                article_url=reader.article_url,
                api_url=reader.api_url,
            )

    def run(self) -> FetchReport:
        found = crawl(self._reader, self._category, self._options.depth, tell=self._tell)
        if not found.pages:
            raise self._no_such_category()
        task = functools.partial(analyse, user=self._options.user)
        mark = reader_mark(self._rules, self._options.user)
        with Workers(task, self._rules, self._options.processes) as workers:
            writer = PageWriter(self._store, self.wiki_id, workers, read_with=mark)
            try:
                self._fetch_all(writer, found)
            except WikiUnavailable:
                self._resolve(found)  # what came before the connection was lost can be used
                raise
        self._resolve(found)
        self._read_never_page()
        return fetch_report(
            self._store,
            self.wiki_id,
            writer.tally,
            wiki=self._name,
            category=self._category,
            seconds=time.monotonic() - self._started,
            left=self._left,
            deleted=self._deleted,
        )

    def _read_never_page(self) -> None:
        title = never_page.page_title(self._options.never_link_page, self._rules)
        if title:
            text = self._reader.text(title)
            never_page.keep_page(self._store, self.wiki_id, self._rules, title, text)

    def _no_such_category(self) -> BadInput:
        similar = self._reader.categories_like(self._category)
        return refuse_unknown(self._category, similar, self._name)

    def _fetch_all(self, writer: PageWriter, found: Crawl) -> None:
        pages = sorted(found.pages.values(), key=lambda page: page.page_id)
        self._update(writer, pages, fetched_for=self._category)
        self._fetch_redirects(writer, list(found.pages))
        if self._options.targets == "linked":
            self._fetch_targets(writer)
        self._look_after_the_unseen(writer, found)

    def _update(
        self, writer: PageWriter, pages: Sequence[Listed], *, fetched_for: str | None
    ) -> None:
        outdated = writer.outdated(pages, fetched_for=fetched_for)
        if outdated:
            self._tell_cost(len(outdated))
            source = self._reader.pages(outdated)
            self._write(writer, source, len(outdated), fetched_for=fetched_for)

    def _tell_cost(self, pages: int) -> None:
        if pages >= LARGE_FETCH_PAGES:
            requests = self._reader.requests_for(pages)
            self._announce(announcement(pages, requests, self._reader.budget()))

    def _write(
        self,
        writer: PageWriter,
        pages: Iterator[SourcePage],
        total: int,
        *,
        fetched_for: str | None,
    ) -> None:
        done = 0
        ahead = read_ahead(pages, AHEAD)
        for more in writer.write(ahead, fetched_for=fetched_for):
            done += more
            self._tell(Step(message("step-fetching-pages"), done, total, done))

    def _fetch_redirects(self, writer: PageWriter, page_ids: Sequence[int]) -> None:
        """The redirects to the pages are stored, and those to these redirects, and so on."""
        known = set(page_ids)
        for _ in range(ROUNDS):
            self._tell(Step(message("step-finding-redirects")))
            found = self._reader.redirects_to(page_ids)
            fresh = [page for page in found if page.page_id not in known]
            if not fresh:
                return
            self._update(writer, fresh, fetched_for=None)
            page_ids = [page.page_id for page in fresh]
            known.update(page_ids)

    def _fetch_targets(self, writer: PageWriter) -> None:
        """What the set links to is stored, through redirects; what does not exist is not."""
        asked: set[str] = set()
        for _ in range(ROUNDS):
            with self._store.reading() as session:
                wanted = missing_targets(session, self.wiki_id)
                wanted += missing_redirect_targets(session, self.wiki_id)
            fresh = [title for title in dict.fromkeys(wanted) if title not in asked]
            if not fresh:
                return
            asked.update(fresh)
            self._write(writer, self._reader.pages_by_title(fresh), len(fresh), fetched_for=None)

    def _look_after_the_unseen(self, writer: PageWriter, found: Crawl) -> None:
        """Pages that were not met this time have left the set, changed, moved or are gone."""
        linked = self._options.targets == "linked"
        with self._store.reading() as session:
            left = absent_from_set(session, self.wiki_id, self._category, found.pages.keys())
            outside = known_outside(session, self.wiki_id, targets=linked)
        unseen = {*left, *outside} - writer.tally.seen
        there = self._reader.current(sorted(unseen))
        gone = unseen - {page.page_id for page in there}
        with self._store.writing() as session:
            drop_from_set(session, self.wiki_id, left)
            self._deleted = mark_gone(session, self.wiki_id, sorted(gone))
        self._left = [title for page_id, title in left.items() if page_id not in gone]
        self._update(writer, there, fetched_for=None)

    def _resolve(self, found: Crawl) -> None:
        self._tell(Step(message("step-resolving-links")))
        with self._store.writing() as session:
            resolve_targets(session, self.wiki_id)
            finish_wiki(session, self.wiki_id)
