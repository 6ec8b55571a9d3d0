"""What `wikibot follow` keeps and asks: how far it has come, and which pages a change is about."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from sqlalchemy import bindparam, delete, insert, or_, select, update
from sqlalchemy.orm import Session

from wikibot.store.page_writes import KnownPage, known_pages
from wikibot.store.tables import Page, Suggestion
from wikibot.store.task_tables import FollowPosition

SLICE = 500  # rows named in one IN (...)


class Position(NamedTuple):
    """How far a wiki's changes were handled: by time, and by place in the event stream."""

    timestamp: str
    event_id: str = ""


def position_of(session: Session, wiki_id: int) -> Position | None:
    """How far the wiki was followed; None where it never was."""
    query = select(FollowPosition.timestamp, FollowPosition.event_id)
    found = session.execute(query.where(FollowPosition.wiki_id == wiki_id)).one_or_none()
    return Position(*found) if found else None


def keep_position(session: Session, wiki_id: int, position: Position) -> None:
    """The wiki was followed up to here."""
    session.execute(delete(FollowPosition).where(FollowPosition.wiki_id == wiki_id))
    values = {**position._asdict(), "wiki_id": wiki_id}
    session.execute(insert(FollowPosition).values(values))


def known_by_title(session: Session, wiki_id: int, titles: Collection[str]) -> dict[int, KnownPage]:
    """The pages of these titles in the database, by the wiki's page id."""
    query = select(Page.page_id).where(Page.wiki_id == wiki_id)
    ids = [
        page_id
        for some in _slices(titles)
        for page_id in session.scalars(query.where(Page.title.in_(some)))
    ]
    return known_pages(session, wiki_id, ids)


def all_page_ids(session: Session, wiki_id: int) -> list[int]:
    """The wiki's ids of all pages that are not gone."""
    query = select(Page.page_id).where(Page.wiki_id == wiki_id, ~Page.is_gone)
    return list(session.scalars(query.order_by(Page.page_id)))


def sources_of_set(session: Session, wiki_id: int) -> set[str]:
    """What brought pages into the set: names of categories, "" for all pages."""
    query = select(Page.fetched_for).distinct()
    query = query.where(Page.wiki_id == wiki_id, Page.in_set, Page.fetched_for.is_not(None))
    return {source for source in session.scalars(query) if source is not None}


def texts_of(session: Session, row_ids: Collection[int]) -> dict[int, str]:
    """The wikitext of pages by row id."""
    return {
        row_id: text
        for some in _slices(row_ids)
        for row_id, text in session.execute(select(Page.id, Page.wikitext).where(Page.id.in_(some)))
    }


class Renumbered(NamedTuple):
    """A page, by row id, whose text is the same in two revisions."""

    row_id: int
    before: int
    now: int


def keep_proposals(session: Session, pages: Collection[Renumbered]) -> None:
    """Proposals that wait on these pages hold for the present revision: their text is the same."""
    if pages:
        query = update(Suggestion).where(
            Suggestion.page_id == bindparam("page"),
            Suggestion.revision_id == bindparam("before"),
            or_(Suggestion.state == "pending", Suggestion.state == "skipped"),
        )
        values = [{"page": one.row_id, "before": one.before, "now": one.now} for one in pages]
        session.connection().execute(query.values(revision_id=bindparam("now")), values)


def waiting_revisions(session: Session, row_ids: Collection[int]) -> dict[int, set[int]]:
    """The revisions that the proposals were made for which wait on these pages, by row id."""
    found: dict[int, set[int]] = {}
    for some in _slices(row_ids):
        query = select(Suggestion.page_id, Suggestion.revision_id).distinct()
        query = query.where(Suggestion.page_id.in_(some), Suggestion.state == "pending")
        for row_id, revision in session.execute(query):
            found.setdefault(row_id, set()).add(revision)
    return found


def withdraw_for(session: Session, row_ids: Collection[int]) -> int:
    """Nothing waits that is about these pages, as source or as target; how many proposals did."""
    count = 0
    for some in _slices(row_ids):
        about = Suggestion.page_id.in_(some) | Suggestion.target_id.in_(some)
        ids = list(
            session.scalars(select(Suggestion.id).where(about, Suggestion.state == "pending"))
        )
        query = update(Suggestion).where(Suggestion.id.in_(ids))
        session.execute(query.values(state="stale", version=Suggestion.version + 1))
        count += len(ids)
    return count


def _slices(values: Iterable[object]) -> Iterable[list[object]]:
    listed = list(values)
    return (listed[at : at + SLICE] for at in range(0, len(listed), SLICE))
