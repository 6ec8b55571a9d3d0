"""`wikibot fetch --export FILE`: an export's pages are in the database; those of a table likewise."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from wikibot.errors import BadExport
from wikibot.fetch import never_page
from wikibot.fetch.analyse import analyse
from wikibot.fetch.export import ExportHeader, ExportReader
from wikibot.fetch.report import FetchReport, fetch_report, recording
from wikibot.fetch.selection import (
    Outline,
    categories_below,
    category_title,
    outline,
    refuse_unknown,
)
from wikibot.fetch.workers import Workers
from wikibot.fetch.writer import PageWriter, reader_mark
from wikibot.message import message
from wikibot.source import SourcePage, site_name
from wikibot.steps import Step, Tell, silent
from wikibot.store import Store
from wikibot.store.page_writes import (
    absent_from_set,
    drop_from_set,
    finish_wiki,
    resolve_targets,
    save_wiki,
)
from wikibot.store.pages import missing_targets, wikis
from wikibot.store.runs import recorded_run
from wikibot.wikitext.rules import SiteRules


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What to take from an export."""

    path: Path
    category: str | None = None
    depth: int = 0
    targets: str = "none"  # or 'linked': also what the category's pages link to
    processes: int = 0
    user: str = ""
    never_link_page: str = ""


def fetch_export(store: Store, options: ExportOptions, *, tell: Tell = silent) -> FetchReport:
    """The export's pages, redirects, categories and links are in STORE.

    Refuses a file that is no export before anything is written. Where the file is cut short or
    damaged, what stands before is kept and usable, and the same call goes on from there.
    """
    return _fetched(store, options, ExportReader(options.path), tell)


def fetch_table(
    store: Store, options: ExportOptions, reader: PageSource, *, tell: Tell = silent
) -> FetchReport:
    """The pages of a table are in STORE, as those of an export would be."""
    return _fetched(store, options, reader, tell)


def _fetched(store: Store, options: ExportOptions, reader: PageSource, tell: Tell) -> FetchReport:
    header = reader.header()
    told = {"export": str(options.path), "category": options.category, "depth": options.depth}
    with recorded_run(store, "fetch", {**told, "targets": options.targets}) as run:
        work = _ExportFetch(store, options, reader, header, recording(tell, run))
        run.belongs_to(work.wiki_id)
        report = work.run()
        run.result.update(report.as_json())
    return report


class PageSource(Protocol):
    """An export, or a table that is read like one."""

    def header(self) -> ExportHeader:
        """What it says of its wiki."""
        ...

    def pages(self) -> Iterator[SourcePage]:
        """The pages, from the first one each time."""
        ...

    def place(self) -> tuple[int, int | None, int]:
        """How much was read, of how much, and how many pages."""
        ...


def wiki_name(header: ExportHeader, path: Path) -> str:
    """What the export's wiki is called: its host, else its database, else the file."""
    return site_name(header.article_url) or header.dbname or path.name.split(".")[0]


def export_rules(header: ExportHeader) -> SiteRules:
    """The rules that an export's header and its language suggest."""
    return SiteRules.from_export(header.language or "en", header.namespaces, case=header.case)


class _ExportFetch:
    """One fetch from one export."""

    def __init__(
        self,
        store: Store,
        options: ExportOptions,
        reader: PageSource,
        header: ExportHeader,
        tell: Tell,
    ) -> None:
        self._started = time.monotonic()
        self._store, self._options, self._reader, self._tell = store, options, reader, tell
        self._name = wiki_name(header, options.path)
        self._rules = self._rules_from_before() or export_rules(header)
        self._damage: BadExport | None = None
        self._never_page: SourcePage | None = None
        with store.writing() as session:
            self.wiki_id = save_wiki(
                session, self._name, self._rules, article_url=header.article_url
            )

    def _rules_from_before(self) -> SiteRules | None:
        """What the wiki itself said when it was last fetched live, which an export only hints at."""
        with self._store.reading() as session:
            known = [wiki for wiki in wikis(session) if wiki.name == self._name and wiki.api_url]
        return known[0].rules() if known else None

    def run(self) -> FetchReport:
        options = self._options
        category = category_title(options.category, self._rules) if options.category else None
        task = functools.partial(analyse, user=options.user)
        left: list[str] = []
        with Workers(task, self._rules, options.processes) as workers:
            writer = PageWriter(
                self._store,
                self.wiki_id,
                workers,
                read_with=reader_mark(self._rules, options.user),
            )
            if category is None:
                self._write(writer, self._articles(), fetched_for="")
            else:
                left = self._write_category(writer, category)
        self._resolve()
        if self._damage is not None:
            raise self._damage
        return fetch_report(
            self._store,
            self.wiki_id,
            writer.tally,
            wiki=self._name,
            category=category,
            seconds=time.monotonic() - self._started,
            left=left,
        )

    def _write(
        self, writer: PageWriter, pages: Iterator[SourcePage], *, fetched_for: str | None
    ) -> None:
        for _ in writer.write(pages, fetched_for=fetched_for):
            self._tell_place(message("step-reading-pages"))

    def _tell_place(self, step: str) -> None:
        self._tell(Step(step, *self._reader.place()))

    def _pages(self) -> Iterator[SourcePage]:
        """The pages of the file, as far as it can be read; the damage is told at the very end."""
        never = never_page.page_title(self._options.never_link_page, self._rules)
        try:
            for page in self._reader.pages():
                if page.namespace and page.title == never:
                    self._never_page = page
                yield page
        except BadExport as error:
            self._damage = error

    def _articles(self) -> Iterator[SourcePage]:
        """The articles and redirects."""
        return (page for page in self._pages() if page.namespace == 0)

    def _write_category(self, writer: PageWriter, category: str) -> list[str]:
        found = outline(self._counted(), self._rules)
        wanted = categories_below(category, found.parents, self._options.depth)
        members = found.members_of(wanted)
        if not members:
            raise self._damage or refuse_unknown(category, found.members, str(self._options.path))
        self._write(writer, self._pages_in(members), fetched_for=category)
        self._write(writer, self._redirects_into(members, found), fetched_for=None)
        if self._options.targets == "linked":
            self._write_targets(writer, found)
        with self._store.writing() as session:
            left = absent_from_set(session, self.wiki_id, category, members)
            drop_from_set(session, self.wiki_id, left)
        return list(left.values())

    def _counted(self) -> Iterator[SourcePage]:
        for count, page in enumerate(self._pages(), 1):
            if count % 1000 == 0:
                self._tell_place(message("step-finding-category"))
            yield page

    def _pages_in(self, members: set[int]) -> Iterator[SourcePage]:
        return (page for page in self._pages() if page.page_id in members)

    def _redirects_into(self, members: set[int], found: Outline) -> Iterator[SourcePage]:
        titles = found.redirects_to({found.titles[page_id] for page_id in members})
        return self._by_title(titles) if titles else iter(())

    def _write_targets(self, writer: PageWriter, found: Outline) -> None:
        with self._store.reading() as session:
            missing = missing_targets(session, self.wiki_id)
        titles = found.ends_of({hash(title) for title in missing})
        self._write(writer, self._by_title(titles), fetched_for=None)

    def _by_title(self, titles: set[int]) -> Iterator[SourcePage]:
        return (
            page for page in self._pages() if page.namespace == 0 and hash(page.title) in titles
        )

    def _resolve(self) -> None:
        self._tell(Step(message("step-resolving-links")))
        with self._store.writing() as session:
            resolve_targets(session, self.wiki_id)
            finish_wiki(session, self.wiki_id)
        if self._never_page:
            title, text = self._never_page.title, self._never_page.text
            never_page.keep_page(self._store, self.wiki_id, self._rules, title, text)
