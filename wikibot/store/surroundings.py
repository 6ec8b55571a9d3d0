"""What a reviewer wants to know around a proposal: the target's place in the wiki, and its rivals."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from wikibot.store import queue
from wikibot.store.tables import Category, CategoryMember, Link, Page
from wikibot.wikitext.titles import first_upper

# How many titles that begin with the words are looked at, redirects among them.
NAMES_READ = 40
# How many links of a disambiguation page are looked at.
MEANINGS_READ = 60
# How many of the words are looked up by themselves.
WORDS_READ = 6


@dataclass(frozen=True, slots=True)
class OtherTarget:
    """A page that the same words could mean; `links` counts the links that these words carry to it."""

    id: int
    title: str
    summary: str
    links: int


def count_linking_pages(session: Session, page_id: int, *, at_most: int) -> int:
    """How many pages link to this one; counting stops at AT_MOST."""
    linking = select(Link.page_id).where(Link.target_id == page_id).distinct().limit(at_most)
    return session.scalar(select(func.count()).select_from(linking.subquery())) or 0


def categories_of(session: Session, page_id: int, *, limit: int) -> list[str]:
    """The categories that the page stands in, by name."""
    query = (
        select(Category.title)
        .join(CategoryMember, CategoryMember.category_id == Category.id)
        .where(CategoryMember.page_id == page_id)
        .order_by(Category.title)
        .limit(limit)
    )
    return list(session.scalars(query))


def places_linking(session: Session, page_id: int, target_id: int) -> list[int]:
    """Where on the page links to the target stand already, in boxes and lists too."""
    query = select(Link.start).where(Link.page_id == page_id, Link.target_id == target_id)
    return sorted(session.scalars(query))


def other_targets(
    session: Session, wiki_id: int, words: str, *, without: tuple[int, ...], limit: int
) -> list[OtherTarget]:
    """Pages that the words could mean: of that name, or listed on its disambiguation page.

    Those that these words link to most often come first.
    """
    titles = queue.articles_at(session, _candidates(session, wiki_id, words))
    found = {title.id: title for title in titles if title.id not in without}
    linked = _count_links(session, words, list(found))
    others = [
        OtherTarget(title.id, title.title, title.summary, linked.get(title.id, 0))
        for title in found.values()
    ]
    return sorted(others, key=lambda other: -other.links)[:limit]


def _candidates(session: Session, wiki_id: int, words: str) -> list[int]:
    """Row ids, in the order of the index of titles; no scan, however many pages there are."""
    name = first_upper(" ".join(words.split()))
    parts = [first_upper(part) for part in words.split()[:WORDS_READ]]
    # A title of more than the words goes on with a blank, a bracket or a comma.
    longer = (_begins(f"{name}{mark}") for mark in (" (", ", ", " "))
    named = [Page.title == name, *longer, Page.title.in_(parts)]
    query = select(Page.id, Page.is_disambiguation).where(Page.wiki_id == wiki_id)
    rows = [
        row
        for condition in named
        for row in session.execute(query.where(condition).order_by(Page.title).limit(NAMES_READ))
    ]
    lists = [row_id for row_id, is_disambiguation in rows if is_disambiguation]
    meanings = _meanings(session, lists) if lists else []
    return list(dict.fromkeys((*(row_id for row_id, _ in rows), *meanings)))


def _meanings(session: Session, lists: list[int]) -> list[int]:
    """The pages that these disambiguation pages list, in their order."""
    meant = select(Link.target_id).where(Link.page_id.in_(lists), Link.target_id.is_not(None))
    found = session.scalars(meant.order_by(Link.page_id, Link.start).limit(MEANINGS_READ))
    return list(filter(None, found))


def _begins(start: str) -> ColumnElement[bool]:
    """The titles that begin so, as a range, which the index of titles answers."""
    return (Page.title >= start) & (Page.title < start[:-1] + chr(ord(start[-1]) + 1))


def _count_links(session: Session, words: str, page_ids: list[int]) -> dict[int, int]:
    written = or_(Link.anchor == words, Link.anchor == first_upper(words))
    query = (
        select(Link.target_id, func.count())
        .where(Link.target_id.in_(page_ids), written)
        .group_by(Link.target_id)
    )
    return {target: number for target, number in session.execute(query) if target is not None}
