"""What people who review together look at: work by category, pages with few links, their own
decisions, what was saved in one go and what became of it, and who has done how much.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from wikibot.store import outbox
from wikibot.store.decisions import DecisionRecord, is_of, records
from wikibot.store.outbox import OutboxRow
from wikibot.store.queue import Batch
from wikibot.store.review_statistics import Fate, work_since
from wikibot.store.tables import (
    Category,
    CategoryMember,
    Decision,
    Link,
    Outbox,
    OutboxItem,
    Page,
    Suggestion,
)


@dataclass(frozen=True, slots=True)
class FewLinks:
    """A page with waiting proposals, and how many links its text has."""

    page_id: int
    title: str
    links: int
    waiting: int


@dataclass(frozen=True, slots=True)
class Saved:
    """What was saved in one go: how many edits, and the states of their links."""

    batch: str
    begun_at: datetime
    edits: int
    links: Counter[str]


@dataclass(frozen=True, slots=True)
class SavedLink:
    """One link of an edit, as it stands now."""

    proposal_id: int
    target: str
    wikitext: str
    state: str
    approver: str


@dataclass(frozen=True, slots=True)
class SavedEdit:
    """One edit of a batch, with its links."""

    edit: OutboxRow
    links: tuple[SavedLink, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """One reviewer's work: decisions that stand, and what became of links they approved."""

    reviewer: str
    work: Counter[str]
    fate: Fate


def by_category(session: Session, wiki_id: int, *, start: int, limit: int) -> list[Batch]:
    """The waiting proposals by category of their pages, the largest group first."""
    size = func.count().label("size")
    query = (
        select(
            Category.id,
            Category.title,
            size,
            func.avg(Suggestion.probability),
            func.min(Suggestion.probability),
        )
        .join(CategoryMember, CategoryMember.category_id == Category.id)
        .join(Suggestion, Suggestion.page_id == CategoryMember.page_id)
        .where(Suggestion.wiki_id == wiki_id, Suggestion.state == "pending")
        .group_by(Category.id, Category.title)
        .order_by(size.desc(), Category.title)
        .offset(start)
        .limit(limit)
    )
    return [Batch(*row) for row in session.execute(query)]


def with_few_links(session: Session, wiki_id: int, *, start: int, limit: int) -> list[FewLinks]:
    """The pages with waiting proposals whose text has the fewest links."""
    waiting = (
        select(Suggestion.page_id, func.count().label("number"))
        .where(Suggestion.wiki_id == wiki_id, Suggestion.state == "pending")
        .group_by(Suggestion.page_id)
        .subquery()
    )
    links = (
        select(func.count())
        .where(Link.page_id == waiting.c.page_id, Link.in_prose.is_(True))
        .scalar_subquery()
        .label("links")
    )
    query = (
        select(Page.id, Page.title, links, waiting.c.number)
        .join(waiting, waiting.c.page_id == Page.id)
        .order_by(links, Page.title)
        .offset(start)
        .limit(limit)
    )
    return [FewLinks(*row) for row in session.execute(query)]


def decisions_of(
    session: Session, wiki_id: int, reviewer: str, *, before: int | None, limit: int
) -> list[DecisionRecord]:
    """What one person has decided, newest first; BEFORE continues a list."""
    theirs = is_of(wiki_id) & (Decision.reviewer == reviewer)
    if before is not None:
        theirs &= Decision.id < before
    return records(session, theirs, limit=limit)


def saved_batches(session: Session, wiki_id: int, *, limit: int) -> list[Saved]:
    """What was saved to articles, the newest batch first."""
    is_ours = (Outbox.wiki_id == wiki_id, Outbox.kind == "page", Outbox.state == "done")
    newest = (
        select(Outbox.batch, func.min(Outbox.created_at), func.count())
        .where(*is_ours)
        .group_by(Outbox.batch)
        .order_by(func.max(Outbox.id).desc())
        .limit(limit)
    )
    found = session.execute(newest).all()
    states = _states(session, [row[0] for row in found])
    return [Saved(batch, begun, number, states[batch]) for batch, begun, number in found]


def saved_edits(session: Session, wiki_id: int, batch: str) -> list[SavedEdit]:
    """The edits of one batch, newest first, with those who approved their links."""
    rows = outbox.edits(session, wiki_id, batch=batch, kinds=("page",))
    ids = [item.suggestion_id for row in rows for item in row.items]
    known = {link.id: link for link in outbox.links_with_ids(session, ids)}
    return [
        SavedEdit(
            row,
            tuple(
                SavedLink(one.id, one.target, one.wikitext, one.state, one.approver)
                for item in row.items
                if (one := known.get(item.suggestion_id)) is not None
            ),
        )
        for row in rows
    ]


def board(session: Session, wiki_id: int, since: datetime, until: datetime) -> list[Standing]:
    """Who has decided how much since SINCE, and what became of their links saved before UNTIL."""
    work = work_since(session, wiki_id, since)
    fates = fates_by_approver(session, wiki_id, until)
    found = [
        Standing(name, work.get(name, Counter()), fates.get(name, Fate(0, 0)))
        for name in {*work, *fates}
    ]
    return sorted(found, key=lambda one: (-one.work.total(), -one.fate.kept, one.reviewer))


def fates_by_approver(session: Session, wiki_id: int, until: datetime) -> dict[str, Fate]:
    """Of the links saved before UNTIL, how many are kept and how many reverted, by approver."""
    saved = (
        select(OutboxItem.suggestion_id)
        .join(Outbox, Outbox.id == OutboxItem.outbox_id)
        .where(Outbox.wiki_id == wiki_id, Outbox.kind == "page", Outbox.state == "done")
        .where(Outbox.sent_at < until)
    )
    query = (
        select(Decision.reviewer, Suggestion.state, func.count(Suggestion.id.distinct()))
        .join(Suggestion, Suggestion.id == Decision.suggestion_id)
        .where(Suggestion.id.in_(saved), Suggestion.state.in_(("kept", "reverted")))
        .where(Decision.verdict == "approve", Decision.undone.is_(False))
        .group_by(Decision.reviewer, Suggestion.state)
    )
    counted: dict[str, Counter[str]] = {}
    for reviewer, state, number in session.execute(query):
        counted.setdefault(reviewer, Counter())[state] = number
    return {name: Fate(one["kept"], one["reverted"]) for name, one in counted.items()}


def _states(session: Session, batches: list[str]) -> dict[str, Counter[str]]:
    query = (
        select(Outbox.batch, Suggestion.state, func.count())
        .join(OutboxItem, OutboxItem.outbox_id == Outbox.id)
        .join(Suggestion, Suggestion.id == OutboxItem.suggestion_id)
        .where(Outbox.batch.in_(batches), Outbox.kind == "page", Outbox.state == "done")
        .group_by(Outbox.batch, Suggestion.state)
    )
    found: dict[str, Counter[str]] = {batch: Counter() for batch in batches}
    for batch, state, number in session.execute(query):
        found[batch][state] = number
    return found
