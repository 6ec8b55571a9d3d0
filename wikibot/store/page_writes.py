"""Writing what was fetched: a batch of pages at a time, then the links' and redirects' targets.

Everything here can be done again after a kill at any point: a batch is one transaction, and the
targets are worked out anew from the pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import datetime, timezone
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, bindparam, case, delete, exists, insert, or_, select, update
from sqlalchemy.orm import Session, aliased

from wikibot.store.bulk import insert_rows
from wikibot.store.tables import (
    Category,
    CategoryMember,
    Link,
    Page,
    Suggestion,
    Wiki,
)
from wikibot.wikitext.rules import SiteRules

PLAIN = {"synchronize_session": False}  # no mapped objects live in these sessions
SLICE = 500  # rows named in one IN (...)
GONE = " #gone "  # no real title has a '#'
GONE_PROBLEM = "The page is no longer on the wiki."


class KnownPage(NamedTuple):
    """What is remembered of a page, to tell whether it must be read again."""

    id: int
    page_id: int
    title: str
    revision_id: int
    read_with: str
    in_set: bool
    fetched_for: str | None


class PageRecord(NamedTuple):
    """A page that was read, ready to be written."""

    page_id: int
    title: str
    namespace: int
    revision_id: int
    timestamp: datetime | None
    wikitext: str
    summary: str
    in_set: bool
    fetched_for: str | None
    redirect_to: str | None
    is_disambiguation: bool
    exclusion: str | None
    problem: str | None
    read_with: str
    categories: Sequence[str]
    links: Sequence[Sequence[Any]]  # in the order of LINK_FIELDS


LINK_FIELDS = (
    "target_title",
    "anchor",
    "start",
    "end",
    "anchor_start",
    "anchor_end",
    "sentence_start",
    "sentence_end",
    "in_prose",
)
_COLUMNS = tuple(name for name in PageRecord._fields if name not in ("categories", "links"))


def save_wiki(
    session: Session,
    name: str,
    rules: SiteRules,
    *,
    article_url: str | None = None,
    api_url: str | None = None,
) -> int:
    """The wiki is known under its name with these rules; its row id."""
    import json

    values = {
        "language": rules.language,
        "capital_links": rules.capital_links,
        "site_rules": json.loads(rules.to_json()),
        **({"article_url": article_url} if article_url else {}),
        **({"api_url": api_url} if api_url else {}),
    }
    found = session.execute(select(Wiki.id).where(Wiki.name == name)).scalar()
    if found is None:
        found = session.execute(
            insert(Wiki).values(name=name, **values).returning(Wiki.id)
        ).scalar_one()
    else:
        session.execute(update(Wiki).where(Wiki.id == found).values(**values))
    return found


def finish_wiki(session: Session, wiki_id: int) -> None:
    """The wiki's pages are known to be complete as of now."""
    now = datetime.now(timezone.utc)
    session.execute(update(Wiki).where(Wiki.id == wiki_id).values(fetched_at=now))


def known_pages(session: Session, wiki_id: int, page_ids: Sequence[int]) -> dict[int, KnownPage]:
    """What is remembered of these pages, by the wiki's page id."""
    columns = [getattr(Page, name) for name in KnownPage._fields]
    found: dict[int, KnownPage] = {}
    for some in _slices(page_ids):
        query = select(*columns).where(Page.wiki_id == wiki_id, Page.page_id.in_(some))
        found.update((row.page_id, KnownPage(*row)) for row in session.execute(query))
    return found


def save_pages(session: Session, wiki_id: int, records: Sequence[PageRecord]) -> None:
    """The pages, their links and categories are as in RECORDS; targets are not yet resolved.

    A page is known by the wiki's page id, so that a moved page keeps its row and with it every
    suggestion and decision.
    """
    known = known_pages(session, wiki_id, [record.page_id for record in records])
    _make_way(session, wiki_id, records)
    old = [record for record in records if record.page_id in known]
    new = [record for record in records if record.page_id not in known]
    if old:
        ids = [known[record.page_id].id for record in old]
        _forget_content(session, ids)
        _update_pages(session, ids, old)
    if new:
        rows = [{"wiki_id": wiki_id, **_values(record)} for record in new]
        session.execute(insert(Page), rows)
    _save_content(session, wiki_id, records)


def newest_of_titles(
    session: Session, wiki_id: int, records: Sequence[PageRecord], stored: Set[int]
) -> list[PageRecord]:
    """RECORDS without those whose title belongs to a newer page.

    Real dumps have a title twice when a page moved while they were written. The other page is one
    of RECORDS, or one of STORED, the wiki's ids of the pages that the same source has brought.
    """
    newest = {
        holder.title: (holder.revision_id, holder.page_id)
        for holder in _holders(session, wiki_id, [record.title for record in records])
        if holder.page_id in stored
    }
    for record in records:
        this = (record.revision_id, record.page_id)
        newest[record.title] = max(this, newest.get(record.title, this))
    return [r for r in records if newest[r.title] == (r.revision_id, r.page_id)]


def add_to_set(session: Session, row_ids: Sequence[int], fetched_for: str) -> None:
    """These pages are in the set, unless they are redirects, brought there by FETCHED_FOR."""
    for some in _slices(row_ids):
        session.execute(
            update(Page)
            .where(Page.id.in_(some), Page.redirect_to.is_(None), ~Page.in_set)
            .values(in_set=True, fetched_for=fetched_for)
        )


def absent_from_set(
    session: Session, wiki_id: int, fetched_for: str, seen: Set[int]
) -> dict[int, str]:
    """The pages that FETCHED_FOR brought into the set and that are not SEEN: wiki's id, title."""
    query = select(Page.page_id, Page.title).where(
        Page.wiki_id == wiki_id, Page.in_set, Page.fetched_for == fetched_for
    )
    return {row.page_id: row.title for row in session.execute(query) if row.page_id not in seen}


def drop_from_set(session: Session, wiki_id: int, page_ids: Iterable[int]) -> None:
    """These pages (the wiki's ids) are in the set no longer."""
    for some in _slices(list(page_ids)):
        ours = (Page.wiki_id == wiki_id) & Page.page_id.in_(some)
        session.execute(update(Page).where(ours).values(in_set=False))


def known_outside(session: Session, wiki_id: int, *, targets: bool) -> list[int]:
    """The wiki's ids of the redirects in the database, with TARGETS of all pages out of the set."""
    outside = Page.redirect_to.is_not(None) if not targets else ~Page.in_set
    query = select(Page.page_id).where(Page.wiki_id == wiki_id, ~Page.is_gone, outside)
    return list(session.execute(query.order_by(Page.page_id)).scalars())


def missing_redirect_targets(session: Session, wiki_id: int) -> list[str]:
    """Titles that redirects lead to and that are not in the database."""
    there = aliased(Page)
    query = (
        select(Page.redirect_to)
        .distinct()
        .outerjoin(there, (there.wiki_id == wiki_id) & (there.title == Page.redirect_to))
        .where(Page.wiki_id == wiki_id, Page.redirect_to.is_not(None), there.id.is_(None))
        .order_by(Page.redirect_to)
    )
    return [title for title in session.execute(query).scalars() if title is not None]


def _make_way(session: Session, wiki_id: int, records: Sequence[PageRecord]) -> None:
    """No other page holds a title of RECORDS: it was moved or deleted, or it would have come."""
    owner = {record.title: record.page_id for record in records}
    for holder in _holders(session, wiki_id, list(owner)):
        if holder.page_id != owner[holder.title]:
            away = update(Page).where(Page.id == holder.id)
            session.execute(away.values(title=f"{holder.title}{GONE}{holder.id}"))


def _holders(session: Session, wiki_id: int, titles: Sequence[str]) -> list[KnownPage]:
    """The pages in the database that have these titles."""
    columns = [getattr(Page, name) for name in KnownPage._fields]
    query = select(*columns).where(Page.wiki_id == wiki_id)
    return [
        KnownPage(*row)
        for some in _slices(titles)
        for row in session.execute(query.where(Page.title.in_(some)))
    ]


def _values(record: PageRecord) -> dict[str, Any]:
    values = {name: getattr(record, name) for name in _COLUMNS}
    return {**values, "is_gone": False}


def _update_pages(session: Session, ids: Sequence[int], records: Sequence[PageRecord]) -> None:
    changed: dict[str, Any] = {name: bindparam(f"new_{name}") for name in (*_COLUMNS, "is_gone")}
    statement = update(Page).where(Page.id == bindparam("row_id")).values(changed)
    rows = [
        {"row_id": row_id, **{f"new_{name}": value for name, value in _values(record).items()}}
        for row_id, record in zip(ids, records, strict=True)
    ]
    # Two pages may have swapped titles: give the old ones up first.
    titles = update(Page).where(Page.id == bindparam("row_id")).values(title=bindparam("gone"))
    away = [{"row_id": row_id, "gone": f"{GONE}{row_id}"} for row_id in ids]
    connection = session.connection()
    connection.execute(titles, away)
    connection.execute(statement, rows)


def _forget_content(session: Session, ids: Sequence[int]) -> None:
    for some in _slices(ids):
        session.execute(delete(Link).where(Link.page_id.in_(some)))
        session.execute(delete(CategoryMember).where(CategoryMember.page_id.in_(some)))


def _save_content(session: Session, wiki_id: int, records: Sequence[PageRecord]) -> None:
    known = known_pages(session, wiki_id, [record.page_id for record in records])
    rows = [(known[record.page_id].id, record) for record in records]
    links = [(row_id, *link) for row_id, record in rows for link in record.links]
    insert_rows(session, Link, ("page_id", *LINK_FIELDS), links)
    # In order of appearance, so that row ids do not depend on where a run was interrupted.
    titles = dict.fromkeys(title for record in records for title in record.categories)
    ids = _category_ids(session, wiki_id, list(titles))
    members = [
        (ids[title], row_id)
        for row_id, record in rows
        for title in dict.fromkeys(record.categories)
    ]
    insert_rows(session, CategoryMember, ("category_id", "page_id"), members)


def _category_ids(session: Session, wiki_id: int, titles: Sequence[str]) -> dict[str, int]:
    """The row ids of categories, made where they were not known."""
    found = _known_categories(session, wiki_id, titles)
    missing = [title for title in titles if title not in found]
    if missing:
        rows = [(wiki_id, title) for title in missing]
        insert_rows(session, Category, ("wiki_id", "title"), rows)
        found.update(_known_categories(session, wiki_id, missing))
    return found


def _known_categories(session: Session, wiki_id: int, titles: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for some in _slices(titles):
        query = select(Category.title, Category.id).where(
            Category.wiki_id == wiki_id, Category.title.in_(some)
        )
        found.update((title, row_id) for title, row_id in session.execute(query))
    return found


def resolve_targets(session: Session, wiki_id: int) -> None:
    """Every redirect and link leads to the article where it ends, or to nothing."""
    _settle_gone(session, wiki_id)
    _resolve_redirects(session, wiki_id)
    ours = select(Page.id).where(Page.wiki_id == wiki_id)
    _resolve_links(session, wiki_id, Link.page_id.in_(ours))


def resolve_links_of(session: Session, wiki_id: int, row_ids: Sequence[int]) -> None:
    """Every link of these pages does, where no page came, went, moved or became a redirect."""
    for some in _slices(row_ids):
        _resolve_links(session, wiki_id, Link.page_id.in_(some))


def _resolve_links(session: Session, wiki_id: int, which: ColumnElement[bool]) -> None:
    end = case((Page.redirect_to.is_(None), Page.id), else_=Page.redirect_id)
    wanted = (
        select(end)
        .where(Page.wiki_id == wiki_id, Page.title == Link.target_title)
        .scalar_subquery()
    )
    session.execute(
        update(Link).where(which, Link.target_id.is_distinct_from(wanted)).values(target_id=wanted),
        execution_options=PLAIN,
    )


def mark_gone(session: Session, wiki_id: int, page_ids: Sequence[int]) -> list[str]:
    """These pages (the wiki's ids) are no longer on the wiki; their titles."""
    titles = []
    for page in known_pages(session, wiki_id, page_ids).values():
        away = f"{page.title}{GONE}{page.id}"
        session.execute(update(Page).where(Page.id == page.id).values(title=away))
        titles.append(page.title)
    return titles


def _settle_gone(session: Session, wiki_id: int) -> None:
    """Pages that lost their title are marked as gone; those that nothing remembers are dropped."""
    lost = (Page.wiki_id == wiki_id) & Page.title.contains(GONE, autoescape=True)
    rows = list(session.execute(select(Page.id).where(lost)).scalars())
    remembered = exists().where(or_(Suggestion.page_id == Page.id, Suggestion.target_id == Page.id))
    for some in _slices(rows):
        session.execute(delete(Page).where(Page.id.in_(some), ~remembered), execution_options=PLAIN)
        _forget_content(session, some)
        gone = {"is_gone": True, "in_set": False, "redirect_to": None, "problem": GONE_PROBLEM}
        session.execute(update(Page).where(Page.id.in_(some)).values(gone))


def _resolve_redirects(session: Session, wiki_id: int) -> None:
    query = select(Page.id, Page.title, Page.redirect_to, Page.redirect_id).where(
        Page.wiki_id == wiki_id,
        or_(Page.redirect_to.is_not(None), Page.redirect_id.is_not(None)),
    )
    rows = session.execute(query).all()
    onward = {row.title: row.redirect_to for row in rows if row.redirect_to is not None}
    ends = {title: _end_of_chain(title, onward) for title in onward}
    ids = _page_ids(session, wiki_id, sorted({end for end in ends.values() if end is not None}))
    changed = [
        {"row_id": row.id, "end": end}
        for row in rows
        if (end := ids.get(ends.get(row.title) or "")) != row.redirect_id
    ]
    if changed:
        lead = update(Page).where(Page.id == bindparam("row_id"))
        session.connection().execute(lead.values(redirect_id=bindparam("end")), changed)


def _end_of_chain(title: str, onward: Mapping[str, str | None]) -> str | None:
    """Where the redirects from TITLE end; None for a loop.

    >>> _end_of_chain("A", {"A": "B", "B": "C"}), _end_of_chain("A", {"A": "B", "B": "A"})
    ('C', None)
    """
    seen = set()
    here: str | None = title
    while here is not None and here in onward:
        if here in seen:
            return None
        seen.add(here)
        here = onward[here]
    return here


def _page_ids(session: Session, wiki_id: int, titles: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for some in _slices(titles):
        query = select(Page.title, Page.id).where(Page.wiki_id == wiki_id, Page.title.in_(some))
        found.update((title, row_id) for title, row_id in session.execute(query))
    return found


def _slices(values: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (values[at : at + SLICE] for at in range(0, len(values), SLICE))
