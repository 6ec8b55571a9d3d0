"""What is known of a wiki: its pages, redirects, categories and links, as light rows.

Rows are plain tuples and columns plain lists: a wiki of a hundred thousand pages and a million
links is read in seconds, which objects of the mapper would not allow.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, case, func, select
from sqlalchemy.orm import Session, aliased

from wikibot.errors import StoreError
from wikibot.store.tables import Category, Link, Page, Wiki

if TYPE_CHECKING:  # The rules of wikitext are only loaded where text is read.
    from wikibot.wikitext.rules import SiteRules


class WikiRow(NamedTuple):
    """A wiki and the rules its text is written by."""

    id: int
    name: str
    api_url: str | None
    article_url: str | None
    language: str
    site_rules: dict[str, Any]
    fetched_at: datetime | None

    def rules(self, *, link_scope: str = "page") -> SiteRules:
        """What `wikibot.wikitext` needs to know of this wiki."""
        from wikibot.wikitext.rules import SiteRules

        return SiteRules.from_json(json.dumps({**self.site_rules, "link_scope": link_scope}))

    def address(self, title: str) -> str | None:
        """Where a reader finds the page, if the wiki's address is known."""
        from urllib.parse import quote

        name = quote(title.replace(" ", "_"), safe="/:,!()*")
        return self.article_url.replace("$1", name) if self.article_url else None


class PageRow(NamedTuple):
    """A page as it was at one revision; `redirect_id` is where a chain of redirects ends."""

    id: int
    page_id: int
    title: str
    namespace: int
    revision_id: int
    timestamp: datetime | None
    wikitext: str
    summary: str
    in_set: bool
    redirect_to: str | None
    redirect_id: int | None
    is_disambiguation: bool
    exclusion: str | None
    problem: str | None


@dataclass(frozen=True, slots=True)
class LinkColumns:
    """Links as columns of equal length, in the order of pages and places."""

    id: Sequence[int]
    page_id: Sequence[int]
    target_id: Sequence[int | None]
    start: Sequence[int]
    end: Sequence[int]
    anchor_start: Sequence[int]
    anchor_end: Sequence[int]
    sentence_start: Sequence[int]
    sentence_end: Sequence[int]
    in_prose: Sequence[bool]
    anchor: Sequence[str]
    target_title: Sequence[str]

    def __len__(self) -> int:
        return len(self.id)


_PAGE = [getattr(Page, name) for name in PageRow._fields]
_WIKI = [getattr(Wiki, name) for name in WikiRow._fields]
_NEWEST = (Wiki.fetched_at.desc().nulls_last(), Wiki.id.desc())
_LINK = [getattr(Link, name) for name in LinkColumns.__slots__]


def wikis(session: Session) -> list[WikiRow]:
    """Every wiki in the database, the one that was fetched last in front."""
    return [WikiRow(*row) for row in session.execute(select(*_WIKI).order_by(*_NEWEST))]


def wiki_names(session: Session) -> list[str]:
    """The names of the wikis, in the same order."""
    return list(session.scalars(select(Wiki.name).order_by(*_NEWEST)))


def wiki_by_name(session: Session, name: str | None = None) -> WikiRow:
    """The wiki of that name, else the one that was fetched last; refuses where there is none."""
    known = wikis(session)
    if not known:
        raise StoreError("The database holds no wiki yet. Run `wikibot fetch` first.")
    found = next((wiki for wiki in known if name in (None, wiki.name)), None)
    if found is None:
        names = ", ".join(wiki.name for wiki in known)
        raise StoreError(f"The database holds no wiki {name!r}; it holds {names}.")
    return found


def is_article(page: type[Page] = Page) -> ColumnElement[bool]:
    """The condition for a page of the set: neither a redirect nor gone from the wiki."""
    return page.in_set & page.redirect_to.is_(None)


def pages_of_set(session: Session, wiki_id: int) -> list[PageRow]:
    """The articles that were asked for, disambiguation pages among them, redirects not."""
    return _pages(session, select(*_PAGE).where(Page.wiki_id == wiki_id, is_article()))


def articles(session: Session, wiki_id: int) -> list[PageRow]:
    """The articles of the set and those fetched as targets of its links; no redirects."""
    query = select(*_PAGE).where(Page.wiki_id == wiki_id, Page.redirect_to.is_(None), ~Page.is_gone)
    return _pages(session, query)


def article_titles(session: Session, wiki_id: int) -> dict[int, str]:
    """The titles of the articles by row id."""
    query = select(Page.id, Page.title)
    query = query.where(Page.wiki_id == wiki_id, Page.redirect_to.is_(None), ~Page.is_gone)
    return {row.id: row.title for row in session.execute(query)}


def page_by_id(session: Session, row_id: int) -> PageRow | None:
    """The page with this row id."""
    return next(iter(_pages(session, select(*_PAGE).where(Page.id == row_id))), None)


def page_by_title(
    session: Session, wiki_id: int, title: str, *, follow: bool = True
) -> PageRow | None:
    """The page of that title, or the one at the end of its redirects; None if there is none."""
    capital = session.execute(select(Wiki.capital_links).where(Wiki.id == wiki_id)).scalar_one()
    wanted = _as_stored(title, capital=capital)
    query = select(*_PAGE).where(Page.wiki_id == wiki_id, Page.title == wanted)
    page = next(iter(_pages(session, query)), None)
    if page is None or page.redirect_to is None or not follow:
        return page
    return None if page.redirect_id is None else page_by_id(session, page.redirect_id)


def article_ids(session: Session, wiki_id: int, titles: Sequence[str]) -> dict[str, int]:
    """The row ids of the articles that these titles name, through redirects; others are left out."""
    capital = session.execute(select(Wiki.capital_links).where(Wiki.id == wiki_id)).scalar_one()
    wanted = {title: _as_stored(title, capital=capital) for title in titles}
    query = select(Page.title, Page.id, Page.redirect_to, Page.redirect_id)
    query = query.where(Page.wiki_id == wiki_id)
    stored = sorted(set(wanted.values()))
    ends: dict[str, int | None] = {}
    for start in range(0, len(stored), 500):
        some = query.where(Page.title.in_(stored[start : start + 500]))
        for title, row_id, redirect_to, redirect_id in session.execute(some):
            ends[title] = row_id if redirect_to is None else redirect_id
    found = {title: ends.get(name) for title, name in wanted.items()}
    return {title: end for title, end in found.items() if end is not None}


def _as_stored(title: str, *, capital: bool) -> str:
    from wikibot.wikitext.titles import first_upper

    title = title.replace("_", " ").strip()
    return first_upper(title) if capital else title


def redirects(session: Session, wiki_id: int) -> dict[str, int]:
    """Titles of redirects, each with the row id of the article where it ends."""
    query = select(Page.title, Page.redirect_id).where(
        Page.wiki_id == wiki_id, Page.redirect_id.is_not(None)
    )
    return {title: target for title, target in session.execute(query) if target is not None}


def names_of(session: Session, wiki_id: int, titles: Iterable[str]) -> dict[str, set[str]]:
    """What the wiki calls these articles, in small letters: their titles and its links' words."""
    names = {title: {title.partition(" (")[0].casefold()} for title in titles}
    query = (
        select(Page.title, Link.anchor)
        .distinct()
        .join(Link, Link.target_id == Page.id)
        .where(Page.wiki_id == wiki_id, Page.title.in_(names), Link.in_prose)
    )
    for title, anchor in session.execute(query):
        names[title].add(anchor.casefold())
    return names


def redirects_to(session: Session, page_ids: Iterable[int]) -> dict[str, int]:
    """Titles of the redirects that end at one of these articles, each with the article's row id."""
    query = select(Page.title, Page.redirect_id).where(Page.redirect_id.in_(list(page_ids)))
    return {title: target for title, target in session.execute(query) if target is not None}


def links_of_wiki(session: Session, wiki_id: int) -> LinkColumns:
    """Every link on the articles of the set."""
    query = (
        select(*_LINK)
        .join(Page, Page.id == Link.page_id)
        .where(Page.wiki_id == wiki_id, is_article())
        .order_by(Link.page_id, Link.start)
    )
    return _columns(session, query)


def links_of_page(session: Session, row_id: int) -> LinkColumns:
    """Every link on one page."""
    return _columns(session, select(*_LINK).where(Link.page_id == row_id).order_by(Link.start))


def _pages(session: Session, query: Select[Any]) -> list[PageRow]:
    return [PageRow._make(row) for row in session.execute(query.order_by(Page.id))]


def _columns(session: Session, query: Select[Any]) -> LinkColumns:
    columns = list(zip(*session.execute(query), strict=True))
    return LinkColumns(*(columns or [()] * len(_LINK)))


def _counted(*conditions: ColumnElement[bool]) -> ColumnElement[int]:
    return func.count(case((and_(*conditions), 1)))


@dataclass(frozen=True, slots=True)
class Counts:
    """How much of a wiki is in the database."""

    pages: int
    redirects: int
    targets: int  # articles outside the set, fetched because the set links to them
    disambiguations: int
    excluded: int
    unreadable: int
    categories: int
    links: int
    links_within_set: int


def counts(session: Session, wiki_id: int) -> Counts:
    """How much of the wiki is in the database."""
    article, target = is_article(), aliased(Page)
    of_pages = select(
        _counted(article),
        _counted(Page.redirect_to.is_not(None)),
        _counted(~Page.in_set, Page.redirect_to.is_(None), ~Page.is_gone),
        _counted(article & Page.is_disambiguation),
        _counted(article, Page.exclusion.is_not(None)),
        _counted(article, Page.problem.is_not(None)),
    ).where(Page.wiki_id == wiki_id)
    on_set = select(func.count()).select_from(Link).join(Page, Page.id == Link.page_id)
    on_set = on_set.where(Page.wiki_id == wiki_id, article)
    within = on_set.join(target, target.id == Link.target_id).where(is_article(target))
    categories = select(func.count()).select_from(Category).where(Category.wiki_id == wiki_id)
    return Counts(
        *session.execute(of_pages).one(),
        categories=session.execute(categories).scalar_one(),
        links=session.execute(on_set).scalar_one(),
        links_within_set=session.execute(within).scalar_one(),
    )


def missing_targets(session: Session, wiki_id: int) -> list[str]:
    """Titles that articles of the set link to and that are not in the database."""
    there = aliased(Page)
    query = (
        select(Link.target_title)
        .distinct()
        .join(Page, Page.id == Link.page_id)
        .outerjoin(there, (there.wiki_id == wiki_id) & (there.title == Link.target_title))
        .where(Page.wiki_id == wiki_id, is_article(), there.id.is_(None))
        .order_by(Link.target_title)
    )
    return list(session.execute(query).scalars())
