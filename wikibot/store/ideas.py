"""Ideas in the database: places where a few words about a page could be written, and what people said.

A pair of page and target has one idea. What was declined stays, so that it never comes back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from typing import Any, NamedTuple

from sqlalchemy import CursorResult, Select, exists, func, insert, select, update
from sqlalchemy.orm import Session, aliased

from wikibot.errors import AlreadyDecided, BadInput
from wikibot.message import message, word
from wikibot.store.decisions import Voice
from wikibot.store.tables import Category, CategoryMember, Link, Page, Suggestion
from wikibot.store.task_tables import Idea

STATES = ("pending", "accepted", "declined", "written", "stale")
STATE_AFTER = {"accept": "accepted", "decline": "declined"}
_DECIDED = ("accepted", "declined", "written")
_Target = aliased(Page, name="target")
_BY_SCORE = (Idea.score.desc(), Idea.id)


@dataclass(frozen=True, slots=True)
class NewIdea:
    """An idea as it is stored; offsets are in the page's wikitext."""

    page_id: int
    target_id: int
    revision_id: int
    start: int
    end: int
    sentence: str
    score: float
    reasons: list[dict[str, Any]]


class IdeaRow(NamedTuple):
    """An idea with the names of its pages; `is_current` tells whether its page is still as it was."""

    id: int
    page_id: int
    target_id: int
    page: str
    target: str
    target_summary: str
    revision_id: int
    start: int
    end: int
    sentence: str
    score: float
    reasons: list[Any]
    state: str
    version: int
    reviewer: str | None
    source: str | None
    note: str | None
    decided_at: datetime | None
    posted_on: str | None
    page_revision: int

    @property
    def is_current(self) -> bool:
        return self.revision_id == self.page_revision


_COLUMNS = (
    Idea.id, Idea.page_id, Idea.target_id, Page.title, _Target.title, _Target.summary,
    Idea.revision_id, Idea.start, Idea.end, Idea.sentence, Idea.score, Idea.reasons, Idea.state,
    Idea.version, Idea.reviewer, Idea.source, Idea.note, Idea.decided_at, Idea.posted_on,
    Page.revision_id,
)  # fmt: skip


def put_ideas(
    session: Session, wiki_id: int, run_id: int, ideas: Iterable[NewIdea], asked: Collection[int]
) -> int:
    """The ideas wait; those that waited for the `asked` targets and are not offered again are stale.

    What people have decided is not touched. Returns how many are new.
    """
    query = select(Idea.page_id, Idea.target_id, Idea.id, Idea.state).where(Idea.wiki_id == wiki_id)
    known = {(page, target): (number, state) for page, target, number, state in session.execute(query)}  # fmt: skip
    fresh: list[dict[str, Any]] = []
    offered = set()
    extra = {"wiki_id": wiki_id, "run_id": run_id, "state": "pending"}
    for idea in ideas:
        pair = (idea.page_id, idea.target_id)
        offered.add(pair)
        if pair not in known:
            now = datetime.now(timezone.utc)
            fresh.append({**asdict(idea), **extra, "version": 1, "created_at": now})
        elif known[pair][1] in ("pending", "stale"):
            changed = update(Idea).where(Idea.id == known[pair][0])
            session.execute(changed.values(**asdict(idea), **extra, version=Idea.version + 1))
    if fresh:
        session.execute(insert(Idea), fresh)
    gone = [
        number
        for pair, (number, state) in known.items()
        if state == "pending" and pair[1] in asked and pair not in offered
    ]
    _set_state(session, gone, "stale")
    return len(fresh)


def note_written(session: Session, wiki_id: int) -> int:
    """Ideas whose page links the target by now are written; returns how many these are."""
    linked = exists().where(
        Link.page_id == Idea.page_id, Link.target_id == Idea.target_id, Link.in_prose
    )
    query = select(Idea.id).where(
        Idea.wiki_id == wiki_id, Idea.state.in_(("pending", "accepted", "stale")), linked
    )
    numbers = list(session.scalars(query))
    _set_state(session, numbers, "written")
    return len(numbers)


def _set_state(session: Session, numbers: Collection[int], state: str) -> None:
    ordered = sorted(numbers)
    for start in range(0, len(ordered), 500):
        query = update(Idea).where(Idea.id.in_(ordered[start : start + 500]))
        session.execute(query.values(state=state, version=Idea.version + 1))


def decided_pairs(session: Session, wiki_id: int) -> frozenset[tuple[int, int]]:
    """Pairs of page and target that are not an idea again: people decided them, as ideas or as proposals."""
    ideas = select(Idea.page_id, Idea.target_id).where(
        Idea.wiki_id == wiki_id, Idea.state.in_(_DECIDED)
    )
    proposals = select(Suggestion.page_id, Suggestion.target_id).where(
        Suggestion.wiki_id == wiki_id, Suggestion.state != "stale"
    )
    return frozenset(
        (page, target) for query in (ideas, proposals) for page, target in session.execute(query)
    )


def ideas(
    session: Session,
    wiki_id: int,
    *,
    states: Collection[str] = ("pending",),
    targets: Collection[int] | None = None,
    limit: int | None = None,
) -> list[IdeaRow]:
    """Ideas in these states, the best first."""
    query = _query().where(Idea.wiki_id == wiki_id, Idea.state.in_(states))
    if targets is not None:
        query = query.where(Idea.target_id.in_(targets))
    return [IdeaRow(*row) for row in session.execute(query.order_by(*_BY_SCORE).limit(limit))]


def idea(session: Session, number: int) -> IdeaRow:
    """The idea with this number; refuses one that is not there."""
    row = session.execute(_query().where(Idea.id == number)).one_or_none()
    if row is None:
        raise BadInput(message("there-is-no-idea-nothing-was", number))
    return IdeaRow(*row)


def next_idea(session: Session, wiki_id: int, *, after: int | None = None) -> IdeaRow | None:
    """The best waiting idea, or the first one after the idea `after`; at the end it begins again."""
    waiting = _query().where(Idea.wiki_id == wiki_id, Idea.state == "pending")
    here = session.get(Idea, after) if after is not None else None
    if here is not None:
        later = (Idea.score < here.score) | ((Idea.score == here.score) & (Idea.id > here.id))
        row = session.execute(waiting.where(later).order_by(*_BY_SCORE).limit(1)).one_or_none()
        if row is not None:
            return IdeaRow(*row)
    row = session.execute(waiting.order_by(*_BY_SCORE).limit(1)).one_or_none()
    return None if row is None else IdeaRow(*row)


def _query() -> Select[Any]:
    return (
        select(*_COLUMNS)
        .join(Page, Page.id == Idea.page_id)
        .join(_Target, _Target.id == Idea.target_id)
    )


def decide(
    session: Session,
    number: int,
    verdict: str,
    voice: Voice,
    *,
    version: int | None = None,
    note: str | None = None,
) -> IdeaRow:
    """The idea is accepted or declined, once; refuses one that is decided, or not as it was at VERSION."""
    _change(
        session, number, version, ("pending", "stale"), state=STATE_AFTER[verdict],
        reviewer=voice.reviewer, source=voice.source, note=note, decided_at=voice.time,
    )  # fmt: skip
    return idea(session, number)


def undo(session: Session, number: int) -> IdeaRow:
    """The decision about the idea is taken back, and it waits again."""
    _change(
        session, number, None, ("accepted", "declined"), state="pending",
        reviewer=None, source=None, note=None, decided_at=None,
    )  # fmt: skip
    return idea(session, number)


def _change(
    session: Session, number: int, version: int | None, states: tuple[str, ...], **values: Any
) -> None:
    found = idea(session, number)
    seen = found.version if version is None else version
    query = update(Idea).where(Idea.id == number, Idea.version == seen, Idea.state.in_(states))
    result = session.execute(query.values(**values, version=Idea.version + 1))
    assert isinstance(result, CursorResult)
    if not result.rowcount:
        raise AlreadyDecided(
            message("idea-is-and-not-as-you-saw-it", number, word("state", found.state))
        )


def note_posted(session: Session, numbers: Collection[int], title: str) -> None:
    """These ideas stand on that work list."""
    session.execute(update(Idea).where(Idea.id.in_(numbers)).values(posted_on=title))


def count_states(session: Session, wiki_id: int) -> dict[str, int]:
    """How many ideas are in each state."""
    query = select(Idea.state, func.count()).where(Idea.wiki_id == wiki_id).group_by(Idea.state)
    found: dict[str, int] = dict(session.execute(query).all())
    return {state: found.get(state, 0) for state in STATES}


def orphan_ids(session: Session, wiki_id: int, category: str | None = None) -> list[int]:
    """Articles of the set that no other article links in its prose, by title; of one category if named.

    Disambiguation pages are left out: nobody is meant to link them.
    """
    source = aliased(Page)
    linked = (
        exists()
        .where(Link.target_id == Page.id, Link.in_prose, Link.page_id != Page.id)
        .where(source.id == Link.page_id, source.redirect_to.is_(None), ~source.is_gone)
    )
    query = select(Page.id).where(
        Page.wiki_id == wiki_id, Page.in_set, Page.redirect_to.is_(None), ~Page.is_gone,
        ~Page.is_disambiguation, Page.namespace == 0, ~linked,
    )  # fmt: skip
    if category is not None:
        members = (
            select(CategoryMember.page_id)
            .join(Category, Category.id == CategoryMember.category_id)
            .where(Category.wiki_id == wiki_id, Category.title == category)
        )
        query = query.where(Page.id.in_(members))
    return list(session.scalars(query.order_by(Page.title)))


def has_category(session: Session, wiki_id: int, category: str) -> bool:
    """Does a page of the wiki stand in the category?"""
    query = select(Category.id).where(Category.wiki_id == wiki_id, Category.title == category)
    return session.scalar(query.limit(1)) is not None
