"""Pages on their way into the database: those that changed are read, a batch is a transaction."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from wikibot.engine import in_groups
from wikibot.fetch.analyse import READER_VERSION, Analysis
from wikibot.fetch.workers import Answer, Workers
from wikibot.source import Listed, SourcePage, moment
from wikibot.store import Store
from wikibot.store.page_writes import (
    KnownPage,
    PageRecord,
    add_to_set,
    known_pages,
    newest_of_titles,
    save_pages,
)
from wikibot.wikitext.rules import SiteRules

LOOK_UP = 100  # pages whose revisions are looked up at once
COMMIT_PAGES = 400
COMMIT_CHARACTERS = 8_000_000
LONGEST_TITLE_BYTES = 255  # MediaWiki's own limit, without the namespace

Seen = TypeVar("Seen", Listed, SourcePage)


@dataclass(slots=True)
class Tally:
    """What happened to the pages that came."""

    read: int = 0
    unchanged: int = 0
    disagreements: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)


class PageWriter:
    """Writes pages of one wiki; `tally` counts."""

    def __init__(self, store: Store, wiki_id: int, workers: Workers, *, read_with: str) -> None:
        self._store, self._wiki_id, self._workers = store, wiki_id, workers
        self._read_with = read_with
        self._stored: set[int] = (
            set()
        )  # the wiki's ids of the pages that are as this source has them
        self.tally = Tally()

    def write(self, pages: Iterable[SourcePage], *, fetched_for: str | None) -> Iterator[int]:
        """Every page is stored; yields how many more are, after each transaction.

        FETCHED_FOR names what brings the pages into the set; None means they are only targets.
        """
        known: dict[int, KnownPage] = {}
        changed = self._changed(pages, known, fetched_for)
        for some in _in_transactions(self._workers.read(changed)):
            records = [
                self._record(answer, known.pop(answer.page.page_id, None), fetched_for)
                for answer in some
            ]
            self._save(records)
            self.tally.read += len(records)
            yield len(records)

    def _save(self, records: Sequence[PageRecord]) -> None:
        with self._store.writing() as session:
            newest = newest_of_titles(session, self._wiki_id, records, self._stored)
            save_pages(session, self._wiki_id, newest)
        kept = {record.page_id for record in newest}
        self._stored |= kept
        self.tally.skipped += [
            (record.title, "Another page has the same title and a newer revision.")
            for record in records
            if record.page_id not in kept
        ]

    def outdated(self, pages: Sequence[Listed], *, fetched_for: str | None) -> list[int]:
        """The wiki's ids of those pages that must be fetched; the others are kept as they are."""
        old: list[int] = []
        for some in in_groups(pages, LOOK_UP):
            same, fresh = self._sorted_out(some)
            self._keep(same, fetched_for)
            self.tally.seen.update(page.page_id for page in same)
            old += [page.page_id for page, _ in fresh if page.page_id not in self.tally.seen]
        return old

    def _changed(
        self, pages: Iterable[SourcePage], known: dict[int, KnownPage], fetched_for: str | None
    ) -> Iterator[SourcePage]:
        """The pages whose text is not in the database yet, as it is now."""
        for some in in_groups(self._readable(pages), LOOK_UP):
            same, fresh = self._sorted_out(some)
            self._keep(same, fetched_for)
            known.update((page.page_id, old) for page, old in fresh if old is not None)
            yield from (page for page, _ in fresh)

    def _sorted_out(
        self, pages: Sequence[Seen]
    ) -> tuple[list[KnownPage], list[tuple[Seen, KnownPage | None]]]:
        """What is remembered of the pages that did not change; the others, with their past."""
        with self._store.reading() as session:
            found = known_pages(session, self._wiki_id, [page.page_id for page in pages])
        past = [(page, found.get(page.page_id)) for page in pages]
        same = [old for page, old in past if old and self._is_same(page, old)]
        fresh = [(page, old) for page, old in past if not (old and self._is_same(page, old))]
        return same, fresh

    def _readable(self, pages: Iterable[SourcePage]) -> Iterator[SourcePage]:
        for page in pages:
            if page.page_id in self.tally.seen:
                continue  # the same page twice in one source: the first one counts
            self.tally.seen.add(page.page_id)
            if page.text is None:
                self.tally.skipped.append((page.title, "The wiki hides the text of its revision."))
            elif len(page.title.encode(errors="replace")) > LONGEST_TITLE_BYTES:
                reason = f"Its title has more than {LONGEST_TITLE_BYTES} bytes."
                self.tally.skipped.append((f"{page.title[:80]}…", reason))
            elif page.model != "wikitext":
                self.tally.skipped.append((page.title, f"It is not wikitext but {page.model}."))
            else:
                yield page

    def _is_same(self, page: Listed | SourcePage, old: KnownPage) -> bool:
        remembered = (old.title, old.revision_id, old.read_with)
        return remembered == (page.title, page.revision_id, self._read_with)

    def _keep(self, same: Sequence[KnownPage], fetched_for: str | None) -> None:
        self.tally.unchanged += len(same)
        self._stored.update(page.page_id for page in same)
        outside = [page.id for page in same if not page.in_set]
        if outside and fetched_for is not None:
            with self._store.writing() as session:
                add_to_set(session, outside, fetched_for)

    def _record(self, answer: Answer, old: KnownPage | None, fetched_for: str | None) -> PageRecord:
        page, problem, value = answer
        found = Analysis(*(value or ()))
        self.tally.disagreements += found.disagreements
        if problem:
            self.tally.skipped.append((page.title, problem))
        was_in_set = old is not None and old.in_set
        reason = old.fetched_for if old is not None and was_in_set else fetched_for
        return PageRecord(
            page_id=page.page_id,
            title=page.title,
            namespace=page.namespace,
            revision_id=page.revision_id,
            timestamp=moment(page.timestamp),
            wikitext=_storable(page.text or ""),
            summary=found.summary,
            in_set=reason is not None and found.redirect_to is None,
            fetched_for=reason,
            redirect_to=found.redirect_to,
            is_disambiguation=page.is_disambiguation or found.is_disambiguation,
            exclusion=found.exclusion,
            problem=problem,
            read_with=self._read_with,
            categories=found.categories,
            links=found.links,
        )


def reader_mark(rules: SiteRules, user: str) -> str:
    """A short mark that changes when the same text would give other rows."""
    said = f"{READER_VERSION}\n{user}\n{rules.to_json()}"
    return hashlib.sha256(said.encode()).hexdigest()[:12]


def _in_transactions(answers: Iterable[Answer], seconds: float = 2.0) -> Iterator[list[Answer]]:
    """Groups that are written together: not too many, not too long, not too late."""
    some: list[Answer] = []
    size, since = 0, 0.0
    for answer in answers:
        since = since if some else time.monotonic()
        some.append(answer)
        size += len(answer.page.text or "")
        late = time.monotonic() - since > seconds
        if len(some) >= COMMIT_PAGES or size >= COMMIT_CHARACTERS or late:
            yield some
            some, size = [], 0
    if some:
        yield some


def _storable(text: str) -> str:
    """TEXT where a database can hold it; a page with NUL or lone surrogates was refused anyway."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return ""
    return "" if "\0" in text else text
