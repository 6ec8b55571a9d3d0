"""Words, targets and pages that must never be proposed, as reviewers and admins say.

A new entry takes what is waiting and matches it out of the queue at once (`stale`); taking the
entry away puts it back. Nothing that somebody has decided is touched.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from sqlalchemy import ColumnElement, CursorResult, and_, exists, func, select, update
from sqlalchemy.orm import Session, aliased

from wikibot.errors import BadInput
from wikibot.message import message
from wikibot.never_list import plain
from wikibot.store import pages
from wikibot.store.decisions import Voice
from wikibot.store.queue import OPEN_STATES
from wikibot.store.tables import NeverLink, Page, Suggestion

KINDS = ("word", "target", "page")
FROM_REVIEW = "review"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the never-link list."""

    id: int
    kind: str
    value: str
    source: str
    added_by: str
    added_at: datetime


def entries(session: Session, wiki_id: int) -> list[Entry]:
    """The whole list of a wiki, newest first."""
    rows = session.scalars(
        select(NeverLink).where(NeverLink.wiki_id == wiki_id).order_by(NeverLink.id.desc())
    )
    return [_entry(row) for row in rows]


def never_link(session: Session, wiki_id: int, kind: str, value: str, voice: Voice) -> int:
    """KIND and VALUE are on the list; returns how many waiting proposals left the queue."""
    value = " ".join(value.split())
    if kind not in KINDS or not value:
        raise BadInput(message("Say a word, a target or a page that is never to be linked."))
    known = select(NeverLink.id).where(
        NeverLink.wiki_id == wiki_id,
        NeverLink.kind == kind,
        NeverLink.value == value,
        NeverLink.source == FROM_REVIEW,
    )
    if session.scalar(known) is None:
        session.add(
            NeverLink(
                wiki_id=wiki_id,
                kind=kind,
                value=value,
                source=FROM_REVIEW,
                added_by=voice.reviewer,
                added_at=voice.time,
            )
        )
    return _withdraw(session, wiki_id, kind, value)


def allow_again(session: Session, entry_id: int) -> Entry:
    """The entry is off the list, and what it had taken out of the queue waits again.

    Refuses entries that come from a file or the wiki: they are changed there.
    """
    row = session.get(NeverLink, entry_id)
    if row is None:
        raise BadInput(
            message("There is no entry {number} on the never-link list.", number=entry_id)
        )
    if row.source != FROM_REVIEW:
        raise BadInput(
            message(
                "“{value}” comes from the {source}; take it off the list there.",
                value=row.value,
                source=row.source,
            )
        )
    entry = _entry(row)
    session.delete(row)
    _let_follow(session, row.wiki_id, [(entry.kind, entry.value)])
    return entry


def keep_listed(
    session: Session,
    wiki_id: int,
    source: str,
    listed: Iterable[tuple[str, str]],
    *,
    added_by: str,
) -> None:
    """Of this source ('file', 'wiki') exactly these (kind, value) are listed; the queue follows."""
    query = select(NeverLink).where(NeverLink.wiki_id == wiki_id, NeverLink.source == source)
    known = {(row.kind, row.value): row for row in session.scalars(query)}
    wanted = dict.fromkeys(listed)
    gone = [entry for entry in known if entry not in wanted]
    fresh = [entry for entry in wanted if entry not in known]
    for entry in gone:
        session.delete(known[entry])
    now = datetime.now(timezone.utc)
    for kind, value in fresh:
        session.add(
            NeverLink(
                wiki_id=wiki_id, kind=kind, value=value, source=source, added_by=added_by,
                added_at=now,
            )
        )  # fmt: skip
    if gone or fresh:
        _let_follow(session, wiki_id, gone)


def _let_follow(session: Session, wiki_id: int, gone: Iterable[tuple[str, str]]) -> None:
    """What only the entries that are `gone` kept out waits again; what the list forbids does not."""
    session.flush()
    for kind, value in gone:
        _put_back(session, wiki_id, kind, value)
    for other in entries(session, wiki_id):
        _withdraw(session, wiki_id, other.kind, other.value)


def _withdraw(session: Session, wiki_id: int, kind: str, value: str) -> int:
    """What waits and is forbidden by the entry leaves the queue; returns how many."""
    waits = Suggestion.state.in_(OPEN_STATES)
    return _set_state(session, "stale", _forbidden(session, wiki_id, kind, value), waits)


def _put_back(session: Session, wiki_id: int, kind: str, value: str) -> None:
    """What the entry kept out waits again, if its page is as it was."""
    source = aliased(Page)
    fits = exists().where(
        source.id == Suggestion.page_id, source.revision_id == Suggestion.revision_id
    )
    forbidden = _forbidden(session, wiki_id, kind, value)
    _set_state(session, "pending", forbidden, Suggestion.state == "stale", fits)


def _forbidden(session: Session, wiki_id: int, kind: str, value: str) -> ColumnElement[bool]:
    """Is the proposal one that the entry forbids?"""
    here = Suggestion.wiki_id == wiki_id
    if kind == "word":
        return and_(here, Suggestion.anchor.in_(_anchors_like(session, wiki_id, value)))
    listed = pages.page_by_title(session, wiki_id, value)
    page_id = Suggestion.target_id if kind == "target" else Suggestion.page_id
    return and_(here, page_id == (listed.id if listed else None))


def _anchors_like(session: Session, wiki_id: int, word: str) -> list[str]:
    """The anchors that are this word in any letter case.

    SQLite folds the case of ASCII letters only, so Python compares those of about its length: a
    letter becomes one to three.
    """
    most = len(word.casefold())
    query = (
        select(Suggestion.anchor)
        .distinct()
        .where(Suggestion.wiki_id == wiki_id)
        .where(func.length(Suggestion.anchor).between((most + 2) // 3, most))
    )
    wanted = plain(word)
    return [anchor for anchor in session.scalars(query) if plain(anchor) == wanted]


def _set_state(session: Session, state: str, *which: ColumnElement[bool]) -> int:
    changed: CursorResult[Any] = session.execute(  # type: ignore[assignment]
        update(Suggestion)
        .where(*which)
        .values(state=state, version=Suggestion.version + 1)
        .execution_options(synchronize_session=False)
    )
    return changed.rowcount


def _entry(row: NeverLink) -> Entry:
    return Entry(row.id, row.kind, row.value, row.source, row.added_by, row.added_at)
