"""The queue: which proposals wait, in which order, and what a reviewer sees of one.

The order is by priority (probable links first, and among like ones those of underlinked pages),
and the newest first among equals; a reviewer's place in it is the last proposal seen, so that
deciding, adding and filtering never skips one.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, func, or_, select
from sqlalchemy.orm import Session, aliased

from wikibot.store import pages
from wikibot.store.engine import KEPT
from wikibot.store.pages import PageRow, WikiRow
from wikibot.store.pages import wikis as wikis
from wikibot.store.reservations import is_free_for
from wikibot.store.tables import Category, CategoryMember, Page, Suggestion

OPEN_STATES = ("pending", "skipped")
STATES = (
    "pending",
    "skipped",
    "approved",
    "rejected",
    "published",
    "kept",
    "reverted",
    "undone",
    "stale",
)
ANY_STATE = "any"
# How many titles are looked at before redirects and disambiguation pages are sorted out.
CANDIDATES = 200
# Beyond so many, nobody wants to know exactly; to count them all takes longer than to find them.
COUNTED = 1_000
# So many pages are few: their proposals are found sooner than by walking the queue.
FEW = 1_000

# In a longer queue than this it takes long to count, and the figures hold for so many seconds.
LONG_QUEUE = 50_000
KEPT_S = 30.0

TargetPage = aliased(Page, name="target_page")
# What a list of proposals can be sorted by.
COLUMNS: dict[str, Any] = {
    "probability": Suggestion.probability,
    "link": Suggestion.anchor,
    "page": Page.title,
    "target": TargetPage.title,
    "state": Suggestion.state,
}


@dataclass(frozen=True, slots=True)
class Filters:
    """Which proposals a reviewer wants to see; the texts match any part of a title."""

    wiki_id: int
    state: str = "pending"
    page: str = ""
    target: str = ""
    category: str = ""
    low: float = 0.0
    high: float = 1.0
    free_for: str = ""  # leave out what others than this reviewer have on the screen


@dataclass(frozen=True, slots=True)
class Line:
    """A proposal in a list."""

    id: int
    version: int
    state: str
    page_id: int
    page: str
    target_id: int
    target: str
    start: int
    end: int
    anchor: str
    wikitext: str
    sentence_start: int
    sentence_end: int
    sentence: str
    probability: float
    reasons: list[Any]
    revision_id: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposal with all that is needed to decide it."""

    line: Line
    page: PageRow
    target: PageRow
    wiki: WikiRow

    @property
    def is_open(self) -> bool:
        return self.line.state in OPEN_STATES

    @property
    def is_current(self) -> bool:
        """Does the span still fit the text that the database holds?"""
        return self.line.revision_id == self.page.revision_id


@dataclass(frozen=True, slots=True)
class Title:
    """A page by its name, with its first sentence."""

    id: int
    title: str
    summary: str


@dataclass(frozen=True, slots=True)
class Batch:
    """The proposals that share a page or a target: how many, and how probable they are."""

    page_id: int
    title: str
    size: int
    mean: float
    low: float


def wiki_of_page(session: Session, page_id: int) -> WikiRow:
    """The wiki that a page of the database belongs to."""
    wiki_id = session.scalar(select(Page.wiki_id).where(Page.id == page_id))
    return next(wiki for wiki in wikis(session) if wiki.id == wiki_id)


def proposal(session: Session, proposal_id: int) -> Proposal | None:
    """The proposal with everything around it, or None."""
    row = session.get(Suggestion, proposal_id)
    if row is None:
        return None
    page, target = pages.page_by_id(session, row.page_id), pages.page_by_id(session, row.target_id)
    wiki = next(wiki for wiki in wikis(session) if wiki.id == row.wiki_id)
    assert page is not None and target is not None, "foreign keys hold"
    return Proposal(
        line=_line(row, page.title, target.title),
        page=page,
        target=target,
        wiki=wiki,
    )


def first_id(session: Session, filters: Filters) -> int | None:
    """The proposal at the head of the queue."""
    return _top(session, _matching_ids(session, filters))


def last_id(session: Session, filters: Filters) -> int | None:
    """The proposal at the end of the queue."""
    return _top(session, _matching_ids(session, filters), backwards=True)


def id_after(session: Session, filters: Filters, proposal_id: int) -> int | None:
    """The next proposal after this one's place, whatever became of this one."""
    return _neighbour(session, filters, proposal_id, backwards=False)


def id_before(session: Session, filters: Filters, proposal_id: int) -> int | None:
    """The proposal in front of this one's place."""
    return _neighbour(session, filters, proposal_id, backwards=True)


def lines(session: Session, filters: Filters, *, limit: int = 50) -> list[Line]:
    """The LIMIT most probable of the matching proposals."""
    return sorted_lines(session, filters, "probability", descending=True, start=0, limit=limit)


def sorted_lines(
    session: Session, filters: Filters, by: str, *, descending: bool, start: int, limit: int
) -> list[Line]:
    """LIMIT of the matching proposals from the START-th on, sorted BY one of `COLUMNS`."""
    query = _matching_ids(session, filters)
    if by == "page":
        query = query.join(Page, Page.id == Suggestion.page_id)
    elif by == "target":
        query = query.join(TargetPage, TargetPage.id == Suggestion.target_id)
    column = COLUMNS[by]
    in_order = (
        (column.desc(), Suggestion.id.desc()) if descending else (column.asc(), Suggestion.id.asc())
    )
    return _lines_with(
        session, list(session.scalars(query.order_by(*in_order).offset(start).limit(limit)))
    )


def _lines_with(session: Session, ids: list[int]) -> list[Line]:
    found = {row[0].id: row for row in session.execute(_lines().where(Suggestion.id.in_(ids)))}
    return [_line(*found[one]) for one in ids]


def lines_to_target(session: Session, target_id: int, states: tuple[str, ...]) -> list[Line]:
    """The proposals that lead to one page, the most probable first."""
    query = (
        _lines()
        .where(Suggestion.target_id == target_id, Suggestion.state.in_(states))
        .order_by(Suggestion.probability.desc(), Suggestion.id)
    )
    return [_line(*row) for row in session.execute(query)]


def batches(
    session: Session, wiki_id: int, by: str, state: str, *, start: int, limit: int
) -> list[Batch]:
    """The proposals in one state grouped BY "page" or "target", the largest groups first."""
    column = {"page": Suggestion.page_id, "target": Suggestion.target_id}[by]
    groups = (
        select(column.label("page_id"), func.count().label("size"))
        .add_columns(func.avg(Suggestion.probability).label("mean"))
        .add_columns(func.min(Suggestion.probability).label("low"))
        .where(Suggestion.wiki_id == wiki_id, Suggestion.state == state)
        .group_by(column)
        .order_by(func.count().desc(), column)
        .offset(start)
        .limit(limit)
        .subquery()
    )
    query = (
        select(Page.id, Page.title, groups.c.size, groups.c.mean, groups.c.low)
        .join(groups, groups.c.page_id == Page.id)
        .order_by(groups.c.size.desc(), Page.title)
    )
    return [Batch(*row) for row in session.execute(query)]


def every_line(session: Session, filters: Filters, *, batch: int = 1000) -> Iterator[Line]:
    """All matching proposals, the most probable first; only their numbers are held at once."""
    query = _matching_ids(session, filters)
    ids = list(session.scalars(query.order_by(Suggestion.probability.desc(), Suggestion.id.desc())))
    for start in range(0, len(ids), batch):
        yield from _lines_with(session, ids[start : start + batch])


def lines_of_page(session: Session, page_id: int, states: tuple[str, ...]) -> list[Line]:
    """A page's proposals in the order of its text."""
    query = (
        _lines()
        .where(Suggestion.page_id == page_id, Suggestion.state.in_(states))
        .order_by(Suggestion.start, Suggestion.id)
    )
    return [_line(*row) for row in session.execute(query)]


def line_of_pair(session: Session, page_id: int, target_id: int) -> Line | None:
    """The newest proposal for a link from one page to another, whatever its state."""
    here = (Suggestion.page_id == page_id, Suggestion.target_id == target_id)
    query = _lines().where(*here).order_by(Suggestion.id.desc()).limit(1)
    return next((_line(*row) for row in session.execute(query)), None)


def count(session: Session, filters: Filters, *, at_most: int | None = None) -> int:
    """How many proposals match; counting stops at AT_MOST."""
    matching = _matching_ids(session, filters).limit(at_most).subquery()
    return session.scalar(select(func.count()).select_from(matching)) or 0


def count_states(session: Session, wiki_id: int) -> dict[str, int]:
    """How many proposals there are in each state.

    Readers of a very long queue are given figures up to half a minute old, so that fifty people do
    not keep the server busy with counting.
    """
    kept = session.info.get(KEPT, {})
    found, until = kept.get(("count_states", wiki_id), ({}, 0.0))
    now = time.monotonic()
    if now >= until:
        found = _count_states(session, wiki_id)
        if sum(found.values()) > LONG_QUEUE:
            kept["count_states", wiki_id] = found, now + KEPT_S
    return dict(found)


def _count_states(session: Session, wiki_id: int) -> dict[str, int]:
    rows = session.execute(
        select(Suggestion.state, func.count())
        .where(Suggestion.wiki_id == wiki_id)
        .group_by(Suggestion.state)
    )
    return dict.fromkeys(STATES, 0) | dict(rows.all())


def pages_with(
    session: Session,
    wiki_id: int,
    states: tuple[str, ...],
    *,
    low: float = 0.0,
    only: Collection[int] | None = None,
) -> list[Title]:
    """The pages that have proposals in these states, or those of ONLY that are, by title."""
    held = select(Suggestion.page_id).where(
        Suggestion.wiki_id == wiki_id, Suggestion.state.in_(states), Suggestion.probability >= low
    )
    query = select(Page.id, Page.title, Page.summary).where(Page.id.in_(held)).order_by(Page.title)
    titles = [Title(*row) for row in session.execute(query)]
    if only is None:
        return titles
    # There may be more of them than a statement can name.
    pairs = session.execute(held.with_only_columns(Suggestion.id, Suggestion.page_id))
    pages = {page for number, page in pairs if number in only}
    return [title for title in titles if title.id in pages]


def find_titles(session: Session, wiki_id: int, text: str, *, limit: int = 12) -> list[Title]:
    """Pages that could be linked to, by any part of their name: whole names and beginnings first.

    Redirects lead to their page; disambiguation pages and redirects to nowhere are left out.
    """
    rank = case((_written_as(text), 0), (_starting(text), 1), else_=2)
    # The first step stays inside the index of titles; rows with whole pages in them are slow.
    named = (
        select(Page.id, Page.title)
        .where(Page.wiki_id == wiki_id, _titled(Page.title, text))
        .order_by(rank, func.length(Page.title), Page.title)
        .limit(CANDIDATES)
    )
    return articles_at(session, list(session.scalars(named)))[:limit]


def articles_at(session: Session, page_ids: list[int]) -> list[Title]:
    """The articles that these pages are or lead to, once each, in the order of the pages.

    Disambiguation pages and redirects to nowhere are left out.
    """
    goal = aliased(Page, name="goal")
    query = (
        select(Page.id, goal.id, goal.title, goal.summary)
        .join(goal, goal.id == func.coalesce(Page.redirect_id, Page.id))
        .where(Page.id.in_(page_ids), goal.namespace == 0)
        .where(goal.is_disambiguation.is_(False), goal.redirect_to.is_(None))
    )
    titles = {row[0]: Title(*row[1:]) for row in session.execute(query)}
    return list({titles[one].id: titles[one] for one in page_ids if one in titles}.values())


def categories(session: Session, wiki_id: int, *, limit: int = 1000) -> list[str]:
    """The names of the categories that hold pages."""
    held = select(CategoryMember.category_id)
    query = (
        select(Category.title)
        .where(Category.wiki_id == wiki_id, Category.id.in_(held))
        .order_by(Category.title)
        .limit(limit)
    )
    return list(session.scalars(query))


def _written_as(text: str) -> ColumnElement[bool]:
    from wikibot.wikitext.titles import first_upper

    spellings = _spellings(text)
    return Page.title.in_({*spellings, *(first_upper(one) for one in spellings)})


def _starting(text: str) -> ColumnElement[bool]:
    return or_(
        *(Page.title.istartswith(spelling, autoescape=True) for spelling in _spellings(text))
    )


def _titled(column: Any, text: str) -> ColumnElement[bool]:
    return or_(*(column.icontains(spelling, autoescape=True) for spelling in _spellings(text)))


def _spellings(text: str) -> list[str]:
    text = " ".join(text.replace("_", " ").split())
    if text.isascii():
        return [text]
    # SQLite folds case in ASCII only; a Greek or Cyrillic title needs its capital asked for.
    return list(dict.fromkeys((text, text[:1].upper() + text[1:], text.casefold(), text.title())))


def _lines() -> Select[Any, Any, Any]:
    return (
        select(Suggestion, Page.title, TargetPage.title)
        .join(Page, Page.id == Suggestion.page_id)
        .join(TargetPage, TargetPage.id == Suggestion.target_id)
    )


def _line(row: Suggestion, page: str, target: str) -> Line:
    return Line(
        id=row.id,
        version=row.version,
        state=row.state,
        page_id=row.page_id,
        page=page,
        target_id=row.target_id,
        target=target,
        start=row.start,
        end=row.end,
        anchor=row.anchor,
        wikitext=row.wikitext,
        sentence_start=row.sentence_start,
        sentence_end=row.sentence_end,
        sentence=row.sentence,
        probability=row.probability,
        reasons=row.reasons,
        revision_id=row.revision_id,
        created_at=row.created_at,
    )


def _matching_ids(session: Session, filters: Filters) -> Select[Any]:
    return select(Suggestion.id).where(*_conditions(session, filters))


def _conditions(session: Session, filters: Filters) -> list[ColumnElement[bool]]:
    """What the filters ask for, so that SQLite begins where there is less to look at.

    It cannot know how many pages a title filter leaves. We look: if there are few, the proposals of
    those pages are looked at; else the queue is walked in its order, which ends early where many
    match. "+ 0" hides a column from the index that would lead the other way.
    """
    sets = _page_sets(session, filters)
    is_narrow = any(isinstance(one, list) for _, one in sets)
    wiki_id = Suggestion.wiki_id + 0 if is_narrow else Suggestion.wiki_id
    wanted: list[ColumnElement[bool]] = [wiki_id == filters.wiki_id]
    if filters.free_for:
        wanted.append(is_free_for(filters.free_for, datetime.now(timezone.utc)))
    if filters.state != ANY_STATE:
        wanted.append(Suggestion.state == filters.state)
    if filters.low > 0:
        wanted.append(Suggestion.probability >= filters.low)
    if filters.high < 1:
        wanted.append(Suggestion.probability <= filters.high)
    return wanted + [_is_in(column, found) for column, found in sets]


def _is_in(column: Any, found: list[int] | Select[Any]) -> ColumnElement[bool]:
    """Is the page one of these few, or, where there are many, one that the query would find?"""
    if isinstance(found, list):
        return column.in_(found)  # type: ignore[no-any-return]
    return found.where(found.selected_columns[0] == column).correlate(Suggestion).exists()


PageSet = tuple[Any, list[int] | Select[Any]]


def _page_sets(session: Session, filters: Filters) -> list[PageSet]:
    """The columns that are filtered by pages, each with the pages' numbers, or how to find many.

    A session asks once: a page of the site asks the queue several times for the same filters.
    """
    known: dict[Filters, list[PageSet]] = session.info.setdefault("page sets", {})
    if filters not in known:
        known[filters] = _find_page_sets(session, filters)
    return known[filters]


def _find_page_sets(session: Session, filters: Filters) -> list[PageSet]:
    sets = []
    if filters.category:
        sets.append((Suggestion.page_id, _members(filters.wiki_id, filters.category)))
    if filters.page:
        sets.append((Suggestion.page_id, _pages_named(filters.wiki_id, filters.page)))
    if filters.target:
        sets.append((Suggestion.target_id, _pages_named(filters.wiki_id, filters.target)))
    return [(column, _few(session, query)) for column, query in sets]


def _few(session: Session, query: Select[Any]) -> list[int] | Select[Any]:
    """The numbers that the query finds, if they are few; else the query."""
    found = list(session.scalars(query.limit(FEW + 1)))
    return found if len(found) <= FEW else query


def _pages_named(wiki_id: int, text: str) -> Select[Any]:
    return select(Page.id).where(Page.wiki_id == wiki_id, _titled(Page.title, text))


def _members(wiki_id: int, category: str) -> Select[Any]:
    return (
        select(CategoryMember.page_id)
        .join(Category, Category.id == CategoryMember.category_id)
        .where(Category.wiki_id == wiki_id, Category.title == category)
    )


def _top(session: Session, query: Select[Any], *, backwards: bool = False) -> int | None:
    found: int | None = session.scalar(_ordered(query, backwards=backwards).limit(1))
    return found


def _ordered(query: Any, *, backwards: bool = False) -> Any:
    if backwards:
        return query.order_by(Suggestion.priority.asc(), Suggestion.id.asc())
    return query.order_by(Suggestion.priority.desc(), Suggestion.id.desc())


def _neighbour(
    session: Session, filters: Filters, proposal_id: int, *, backwards: bool
) -> int | None:
    query = _matching_ids(session, filters).where(
        _beyond(session, proposal_id, backwards=backwards)
    )
    return _top(session, query, backwards=backwards)


def _beyond(session: Session, proposal_id: int, *, backwards: bool) -> ColumnElement[bool]:
    """Everything on one side of a proposal's place; everything, if it does not exist."""
    priority = session.scalar(select(Suggestion.priority).where(Suggestion.id == proposal_id))
    if priority is None:
        return Suggestion.id > 0
    if backwards:
        here = and_(Suggestion.priority == priority, Suggestion.id > proposal_id)
        return and_(Suggestion.priority >= priority, or_(Suggestion.priority > priority, here))
    here = and_(Suggestion.priority == priority, Suggestion.id < proposal_id)
    return and_(Suggestion.priority <= priority, or_(Suggestion.priority < priority, here))
