"""What pages were read as, kept for the next time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import bindparam, delete, insert, select, update
from sqlalchemy.orm import Session

from wikibot.store.pages import PageRow
from wikibot.store.tables import Page
from wikibot.store.task_tables import LearnedPage, PageReading


class Reading(NamedTuple):
    """A page as packed prose, and a mark that tells of what it was made."""

    mark: str
    content: bytes


ROWS_AT_ONCE = 500  # that are in memory while pages are streamed, or written


def articles_with_readings(
    session: Session, wiki_id: int
) -> Iterator[tuple[PageRow, Reading | None]]:
    """Every article of the wiki with what is kept of it, few of them in memory at a time."""
    columns = [getattr(Page, name) for name in PageRow._fields]
    query = (
        select(*columns, PageReading.mark, PageReading.content)
        .outerjoin(PageReading, PageReading.page_id == Page.id)
        .where(Page.wiki_id == wiki_id, Page.redirect_to.is_(None), ~Page.is_gone)
        .order_by(Page.id)
        .execution_options(yield_per=ROWS_AT_ONCE)
    )
    for *values, mark, content in session.execute(query):
        yield PageRow._make(values), None if content is None else Reading(mark, content)


def wikitexts(session: Session, row_ids: Sequence[int]) -> dict[tuple[int, int], str]:
    """The wikitext of some pages, by row id and revision."""
    query = select(Page.id, Page.revision_id, Page.wikitext).where(Page.id.in_(row_ids))
    return {(row_id, revision): text for row_id, revision, text in session.execute(query)}


def keep_readings(session: Session, new: Mapping[int, Reading]) -> None:
    """These readings are kept, in place of older ones; a page that is gone by now has none."""
    there = sorted(new.keys() & set(session.scalars(select(Page.id))))
    for start in range(0, len(there), ROWS_AT_ONCE):
        some = there[start : start + ROWS_AT_ONCE]
        rows = [{"page_id": page_id, **new[page_id]._asdict(), "scored": None} for page_id in some]
        session.execute(delete(PageReading).where(PageReading.page_id.in_(some)))
        session.connection().execute(insert(PageReading), rows)


def scored_marks(session: Session, wiki_id: int) -> dict[int, str]:
    """For each page that was looked at, by row id, what its proposals were made of."""
    query = (
        select(PageReading.page_id, PageReading.scored)
        .join(Page, Page.id == PageReading.page_id)
        .where(Page.wiki_id == wiki_id, PageReading.scored.is_not(None))
    )
    return {page_id: mark for page_id, mark in session.execute(query) if mark is not None}


def keep_scored(session: Session, marks: Mapping[int, str]) -> None:
    """Remember what the proposals of these pages were made of."""
    if marks:
        query = update(PageReading).where(PageReading.page_id == bindparam("page"))
        values = [{"page": page_id, "scored_mark": mark} for page_id, mark in marks.items()]
        session.connection().execute(query.values(scored=bindparam("scored_mark")), values)


def keep_learned(session: Session, wiki_id: int, revisions: Mapping[int, int]) -> None:
    """These revisions of the wiki's pages, by row id, were learned from, and no others."""
    of_wiki = select(Page.id).where(Page.wiki_id == wiki_id)
    there = revisions.keys() & set(session.scalars(of_wiki))
    session.execute(delete(LearnedPage).where(LearnedPage.page_id.in_(of_wiki)))
    rows = [{"page_id": page_id, "revision_id": revisions[page_id]} for page_id in sorted(there)]
    if rows:
        session.connection().execute(insert(LearnedPage), rows)


def changed_since_learned(session: Session, wiki_id: int) -> tuple[int, int]:
    """How many articles are new, changed or gone since the models were learned, and of how many."""
    query = (
        select(LearnedPage.revision_id, Page.revision_id, Page.is_gone)
        .select_from(Page)
        .outerjoin(LearnedPage, LearnedPage.page_id == Page.id)
        .where(Page.wiki_id == wiki_id, Page.redirect_to.is_(None), Page.problem.is_(None))
    )
    pages = [
        (learned, None if gone else now)
        for learned, now, gone in session.execute(query)
        if learned is not None or not gone
    ]
    return sum(learned != now for learned, now in pages), len(pages)
