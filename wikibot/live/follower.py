"""The pages that a change is about are fetched again and scored; the queue is as they are now."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

from wikibot.config import Settings
from wikibot.errors import BadWikitext, ConfigError
from wikibot.fetch.analyse import analyse
from wikibot.fetch.from_wiki import crawl
from wikibot.fetch.workers import Workers
from wikibot.fetch.writer import PageWriter, reader_mark
from wikibot.in_force import settings_in_force
from wikibot.linker.page import columns_of
from wikibot.linker.score import score_page
from wikibot.linkers import Linkers, OpenLinker
from wikibot.live.batch import Batch
from wikibot.policies import left_alone_because
from wikibot.queue_rows import queue_rows
from wikibot.site.reading import WikiReader
from wikibot.source import Listed
from wikibot.store import Store
from wikibot.store.following import (
    Position,
    Renumbered,
    all_page_ids,
    keep_position,
    keep_proposals,
    known_by_title,
    position_of,
    sources_of_set,
    texts_of,
    waiting_revisions,
    withdraw_for,
)
from wikibot.store.lock import only_one
from wikibot.store.page_writes import (
    GONE,
    KnownPage,
    known_pages,
    mark_gone,
    resolve_links_of,
    resolve_targets,
)
from wikibot.store.pages import PageRow, WikiRow, article_ids, page_by_id
from wikibot.store.runs import latest_runs
from wikibot.store.suggestions import NewProposal, Queued, pending_count, put_in_queue
from wikibot.wikitext import read_page, redirect_target

ALL_PAGES = ""  # what pages of a whole export were fetched for
COMPARED_PAGES = 50  # to tell one wiki from another
REMEMBERED_PAGES = 10_000  # of which it is known that their newest revision was scored
CATEGORIES_KEPT = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Followed:
    """What came of some changes."""

    changed: int = 0  # pages with another text than before
    moved: int = 0
    gone: int = 0
    new: int = 0  # proposals
    refreshed: int = 0
    withdrawn: int = 0
    waiting: int = 0

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Fetched:
    """Row ids of what was fetched."""

    changed: frozenset[int] = frozenset()
    moved: frozenset[int] = frozenset()
    gone: frozenset[int] = frozenset()
    looked_at: frozenset[int] = frozenset()
    withdrawn: int = 0  # proposals about pages that are gone


class Follower:
    """Brings one wiki's pages and proposals up to date, batch by batch."""

    def __init__(self, store: Store, wiki: WikiRow, reader: WikiReader, settings: Settings) -> None:
        self.store, self.wiki, self._reader, self._settings = store, wiki, reader, settings
        self._linkers = Linkers(store, settings)
        self._rules = wiki.rules()
        self._workers = Workers(functools.partial(analyse, user=""), self._rules, 1)
        self._scored: OrderedDict[int, int] = OrderedDict()  # row id -> revision
        self._categories: tuple[datetime, dict[str, str]] | None = None

    def __enter__(self) -> Follower:
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.__exit__()

    def refuse_unlearned(self) -> None:
        """Refuse where there are no models to score pages with."""
        self._linkers.of(self.wiki)

    def refuse_other_wiki(self) -> None:
        """Refuse a wiki that has other pages than the database: every page would count as deleted."""
        with self.store.reading() as session:
            ids = all_page_ids(session, self.wiki.id)[:COMPARED_PAGES]
            known = known_pages(session, self.wiki.id, ids)
        there = {page.page_id: page.title for page in self._reader.current(sorted(known))}
        same = sum(there.get(page_id) == page.title for page_id, page in known.items())
        if 2 * same < len(known):
            raise ConfigError(
                f"{self._reader.api_url} is not the wiki of {self.wiki.name}: of {len(known)} pages in "
                f"the database it has {same} by the same number and title. Nothing was changed; check "
                "the address, or fetch that wiki first."
            )

    def position(self) -> Position:
        """How far the wiki was followed; at first, where its last fetch began."""
        with self.store.reading() as session:
            found = position_of(session, self.wiki.id)
            if found is not None:
                return found
            fetches = latest_runs(session, limit=50, command="fetch")
        starts = [run.started_at for run in fetches if run.wiki_id == self.wiki.id]
        begun = starts[0] if starts else self.wiki.fetched_at or datetime.now(timezone.utc)
        return Position(begun.strftime("%Y-%m-%dT%H:%M:%SZ"))

    def is_forgotten(self, position: Position) -> bool:
        """Does the wiki's list of changes begin only after this?"""
        oldest = self._reader.oldest_change()
        return not oldest or position.timestamp < oldest

    def everything(self) -> Batch:
        """All pages of the set, as if each had changed; for when the wiki has forgotten its changes."""
        with self.store.reading() as session:
            known = all_page_ids(session, self.wiki.id)
            sources = sources_of_set(session, self.wiki.id)
        listed = self._reader.articles() if ALL_PAGES in sources else []
        for category in sources - {ALL_PAGES}:
            listed += crawl(self._reader, category, self._depth(category)).pages.values()
        ids = frozenset((*known, *(page.page_id for page in listed)))
        now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        return Batch(frozenset(), ids, Position(now))

    def handle(self, batch: Batch) -> Followed:
        """The pages of the batch are as the wiki has them, and so are their proposals.

        Stopped anywhere, the same changes are handled again. Refuses while `wikibot suggest` runs.
        """
        if not len(batch):
            return Followed(waiting=self._waiting())
        fetched = self._fetch(batch)
        with only_one(self.store, "suggest"):
            queued = self._propose(fetched)
        return Followed(
            len(fetched.changed), len(fetched.moved), len(fetched.gone), *queued, self._waiting()
        )

    def keep(self, position: Position) -> None:
        """All changes up to here were handled."""
        with self.store.writing() as session:
            keep_position(session, self.wiki.id, position)

    def _waiting(self) -> int:
        with self.store.reading() as session:
            return pending_count(session, self.wiki.id)

    def _fetch(self, batch: Batch) -> _Fetched:
        """What changed is in the database, and what is gone is marked so."""
        known = self._known(batch)
        there = self._present(batch, known)
        gone = [page_id for page_id in known if page_id not in there]
        texts = self._texts(known.values())
        members = {page_id for page_id, page in known.items() if page.in_set}
        inside = [page for page in there.values() if page.page_id in members]
        outside = [page for page in there.values() if page.page_id not in members]
        writer = PageWriter(
            self.store, self.wiki.id, self._workers, read_with=reader_mark(self._rules, "")
        )
        self._update(writer, inside, None)
        for fetched_for, pages in self._sorted_out(outside, known).items():
            self._update(writer, pages, fetched_for)
        return self._settle(known, there, gone, texts)

    def _known(self, batch: Batch) -> dict[int, KnownPage]:
        with self.store.reading() as session:
            by_id = known_pages(session, self.wiki.id, sorted(batch.page_ids))
            return by_id | known_by_title(session, self.wiki.id, sorted(batch.titles))

    def _present(self, batch: Batch, known: Collection[int]) -> dict[int, Listed]:
        """The articles of the batch that are on the wiki now, under their present titles."""
        listed = self._reader.current(sorted({*batch.page_ids, *known}))
        listed += self._reader.named(sorted(batch.titles))
        return {page.page_id: page for page in listed if page.namespace == 0}

    def _texts(self, known: Collection[KnownPage]) -> dict[int, str]:
        with self.store.reading() as session:
            return texts_of(session, [page.id for page in known])

    def _update(self, writer: PageWriter, pages: list[Listed], fetched_for: str | None) -> None:
        outdated = writer.outdated(pages, fetched_for=fetched_for)
        for _ in writer.write(self._reader.pages(outdated), fetched_for=fetched_for):
            pass

    def _sorted_out(
        self, outside: list[Listed], known: Collection[int]
    ) -> dict[str | None, list[Listed]]:
        """Pages that are not of the set, by what brings them there now.

        None is for those that are kept outside: what is known already, and redirects to it.
        """
        kinds = self._reader.kinds([page.page_id for page in outside])
        redirects = self._redirects_to_known(
            [page_id for page_id, kind in kinds.items() if kind.is_redirect]
        )
        found: dict[str | None, list[Listed]] = {}
        for page in outside:
            kind = kinds.get(page.page_id)
            source = self._source(kind.categories) if kind and not kind.is_redirect else None
            if source is not None or page.page_id in redirects or page.page_id in known:
                found.setdefault(source, []).append(page)
        return found

    def _redirects_to_known(self, page_ids: list[int]) -> set[int]:
        texts = self._reader.pages(page_ids)
        ends = {page.page_id: redirect_target(page.text or "", self._rules) for page in texts}
        titles = {page_id: end.text for page_id, end in ends.items() if end is not None}
        with self.store.reading() as session:
            known = article_ids(session, self.wiki.id, sorted(set(titles.values())))
        return {page_id for page_id, title in titles.items() if title in known}

    def _source(self, categories: frozenset[str]) -> str | None:
        """What brings a page of these categories into the set, if anything does."""
        with self.store.reading() as session:
            if ALL_PAGES in sources_of_set(session, self.wiki.id):
                return ALL_PAGES
        below = self._categories_of_set()
        return next((below[name] for name in sorted(categories) if name in below), None)

    def _categories_of_set(self) -> dict[str, str]:
        """Each category that was looked into for the set, with the one that was asked for."""
        now = datetime.now(timezone.utc)
        if self._categories is None or now - self._categories[0] > CATEGORIES_KEPT:
            with self.store.reading() as session:
                sources = sources_of_set(session, self.wiki.id) - {ALL_PAGES}
            found = {
                name: source
                for source in sorted(sources)
                for name in crawl(self._reader, source, self._depth(source)).categories
            }
            self._categories = now, found
        return self._categories[1]

    def _depth(self, category: str) -> int:
        """How many levels of subcategories the last fetch of the category looked into."""
        with self.store.reading() as session:
            fetches = latest_runs(session, limit=200, command="fetch")
        for run in fetches:
            if run.wiki_id == self.wiki.id and run.options.get("category") == category:
                return int(run.options.get("depth", 0))
        return self._settings.whole("depth")

    def _settle(
        self,
        known: dict[int, KnownPage],
        there: dict[int, Listed],
        gone: list[int],
        texts: dict[int, str],
    ) -> _Fetched:
        """Links and redirects lead where they do now; what became of each page is told."""
        with self.store.writing() as session:
            gone_rows = frozenset(known[page_id].id for page_id in gone)
            withdrawn = withdraw_for(session, gone_rows)
            mark_gone(session, self.wiki.id, gone)
            now = known_pages(session, self.wiki.id, list(there))
            rows = {page.id: page for page in now.values()}
            after = texts_of(session, rows.keys())
            titles = {page.id: page.title for page in known.values()}
            back = {row for row in rows if GONE in titles.get(row, "")}
            changed = frozenset(row for row in rows if after[row] != texts.get(row) or row in back)
            renamed = {row for row, page in rows.items() if titles.get(row) != page.title}
            resolve_links_of(session, self.wiki.id, sorted(changed))
            if gone or renamed or self._has_redirect(after, texts, changed):
                resolve_targets(session, self.wiki.id)
            same = (now[page_id] for page_id in known.keys() & now.keys())
            keep_proposals(
                session,
                [
                    Renumbered(page.id, known[page.page_id].revision_id, page.revision_id)
                    for page in same
                    if page.id not in changed
                    and known[page.page_id].revision_id != page.revision_id
                ],
            )
        for row in gone_rows:
            self._scored.pop(row, None)
        moved = frozenset(renamed & titles.keys()) - back
        return _Fetched(changed, moved, gone_rows, frozenset(rows), withdrawn)

    def _has_redirect(
        self, after: dict[int, str], before: dict[int, str], changed: Collection[int]
    ) -> bool:
        """Has a page become a redirect, or ceased to be one, or does it lead elsewhere?"""
        return any(
            redirect_target(text, self._rules) is not None
            for row in changed
            for text in (after[row], before.get(row, ""))
        )

    def _propose(self, fetched: _Fetched) -> Queued:
        """Proposals for the pages whose newest revision was not scored yet."""
        self._linkers.refresh()
        found = self._linkers.of(self.wiki)
        due = self._due(fetched)
        proposals = [one for row in due for one in self._proposals(found, row)]
        asked = {row.id for row in due}
        with self.store.writing() as session:
            redirects = [row.id for row in due if row.redirect_to is not None]
            withdrawn = withdraw_for(session, redirects)
            queued = put_in_queue(session, self.wiki.id, None, proposals, asked, is_all=True)
        for row in due:
            self._remember(row)
        return queued._replace(withdrawn=queued.withdrawn + withdrawn + fetched.withdrawn)

    def _row(self, row_id: int) -> PageRow | None:
        with self.store.reading() as session:
            return page_by_id(session, row_id)

    def _due(self, fetched: _Fetched) -> list[PageRow]:
        """The pages to be scored: those with another text than their proposals were made for."""
        rows = [row for row in map(self._row, sorted(fetched.looked_at)) if row is not None]
        with self.store.reading() as session:
            waiting = waiting_revisions(session, fetched.looked_at)
        return [
            row
            for row in rows
            if self._scored.get(row.id) != row.revision_id
            and waiting.get(row.id) != {row.revision_id}
        ]

    def _remember(self, row: PageRow) -> None:
        self._scored[row.id] = row.revision_id
        self._scored.move_to_end(row.id)
        while len(self._scored) > REMEMBERED_PAGES:
            self._scored.popitem(last=False)

    def _proposals(self, found: OpenLinker, row: PageRow) -> list[NewProposal]:
        """Queue rows for a page, none where it is closed to us or was edited just now."""
        if not self._is_open(row):
            return []
        linker, models = found.linker, found.linker.models
        try:
            page = columns_of(read_page(row.wikitext, linker.rules, row.title), row.title)
        except BadWikitext:
            return []
        if page is None:
            return []
        policy = self._linkers.policy_for(found, row.title)
        best = score_page(page, models.knowledge, models.ranker, policy)
        with self.store.reading() as session:
            ids = article_ids(session, self.wiki.id, [proposal.target for proposal in best])
        return list(queue_rows(row, row.wikitext, page, best, ids, linker.rules))

    def _is_open(self, row: PageRow) -> bool:
        settings = settings_in_force(self.store, self.wiki, self._settings)
        return not left_alone_because(row, settings)
