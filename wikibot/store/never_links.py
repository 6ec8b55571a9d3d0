"""Words, targets and pages that must never be proposed, as reviewers and admins say.

A new entry takes what is waiting and matches it out of the queue at once (`stale`); taking the
entry away puts it back. Nothing that somebody has decided is touched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from sqlalchemy import ColumnElement, CursorResult, select, update
from sqlalchemy.orm import Session

from wikibot.errors import BadInput
from wikibot.message import message, word
from wikibot.never_list import plain
from wikibot.store import pages
from wikibot.store.decisions import Voice
from wikibot.store.queue import OPEN_STATES
from wikibot.store.tables import Page, Suggestion
from wikibot.store.task_tables import NeverLink

KINDS = ("word", "target", "page")
FROM_REVIEW = "review"
SLICE = 500  # values named in one statement


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
        raise BadInput(message("say-a-word-a-target-or-a-page"))
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
    return _withdraw(session, wiki_id, [(kind, value)])


def allow_again(session: Session, entry_id: int) -> Entry:
    """The entry is off the list, and what it had taken out of the queue waits again.

    Refuses entries that come from a file or the wiki: they are changed there.
    """
    row = session.get(NeverLink, entry_id)
    if row is None:
        raise BadInput(message("there-is-no-entry-on-the-never", entry_id))
    if row.source != FROM_REVIEW:
        raise BadInput(
            message("comes-from-the-take-it-off-the", row.value, word("source", row.source))
        )
    entry = _entry(row)
    session.delete(row)
    session.flush()
    _put_back(session, row.wiki_id, [(entry.kind, entry.value)])
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
    session.flush()
    _put_back(session, wiki_id, gone)
    _withdraw(session, wiki_id, fresh)


@dataclass(frozen=True, slots=True)
class _Forbidden:
    """What some entries forbid: anchors as they are written, and row ids of targets and pages."""

    anchors: list[str]
    targets: list[int]
    pages: list[int]

    def conditions(self) -> Iterator[ColumnElement[bool]]:
        """Which proposals they forbid, in slices that a statement can hold."""
        listed: list[tuple[Any, list[Any]]] = [
            (Suggestion.anchor, self.anchors),
            (Suggestion.target_id, self.targets),
            (Suggestion.page_id, self.pages),
        ]
        for column, values in listed:
            for start in range(0, len(values), SLICE):
                yield column.in_(values[start : start + SLICE])


def _withdraw(session: Session, wiki_id: int, entries: Sequence[tuple[str, str]]) -> int:
    """What waits and is forbidden by the entries leaves the queue; returns how many."""
    waits = (Suggestion.wiki_id == wiki_id, Suggestion.state.in_(OPEN_STATES))
    forbidden = _forbidden(session, wiki_id, entries)
    return sum(_set_state(session, "stale", *waits, one) for one in forbidden.conditions())


def _put_back(session: Session, wiki_id: int, gone: Sequence[tuple[str, str]]) -> None:
    """What only the entries that are GONE kept out waits again, if its page is as it was."""
    if not gone:
        return
    listed = _forbidden(
        session, wiki_id, [(one.kind, one.value) for one in entries(session, wiki_id)]
    )
    words, targets, held = set(listed.anchors), set(listed.targets), set(listed.pages)
    free = [
        number
        for number, anchor, target, page in _kept_out(session, wiki_id, gone)
        if anchor not in words and target not in targets and page not in held
    ]
    for start in range(0, len(free), SLICE):
        _set_state(session, "pending", Suggestion.id.in_(free[start : start + SLICE]))


def _kept_out(
    session: Session, wiki_id: int, gone: Sequence[tuple[str, str]]
) -> set[tuple[int, str, int, int]]:
    """(number, anchor, target, page) of what the entries took out of the queue and still fits."""
    query = (
        select(Suggestion.id, Suggestion.anchor, Suggestion.target_id, Suggestion.page_id)
        .join(Page, Page.id == Suggestion.page_id)
        .where(Suggestion.wiki_id == wiki_id, Suggestion.state == "stale")
        .where(Page.revision_id == Suggestion.revision_id)
    )
    conditions = _forbidden(session, wiki_id, gone).conditions()
    return {
        (number, anchor, target, page)
        for one in conditions
        for number, anchor, target, page in session.execute(query.where(one))
    }


def _forbidden(session: Session, wiki_id: int, entries: Sequence[tuple[str, str]]) -> _Forbidden:
    """What the entries forbid, found with a few statements however many they are."""
    named = {kind: [value for one, value in entries if one == kind] for kind in KINDS}
    anchors = _anchors_like(session, wiki_id, named["word"])
    ids = pages.article_ids(session, wiki_id, [*named["target"], *named["page"]])
    return _Forbidden(
        anchors,
        [ids[title] for title in named["target"] if title in ids],
        [ids[title] for title in named["page"] if title in ids],
    )


def _anchors_like(session: Session, wiki_id: int, words: Sequence[str]) -> list[str]:
    """The anchors that are one of these words, as the never-link list compares them.

    SQLite folds the case of ASCII letters only, so Python compares.
    """
    if not words:
        return []
    query = select(Suggestion.anchor).distinct().where(Suggestion.wiki_id == wiki_id)
    wanted = {plain(word) for word in words}
    return [anchor for anchor in session.scalars(query) if plain(anchor) in wanted]


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
