"""Decisions: each proposal is decided once, by one person, and every decision can be taken back.

A proposal's `version` grows with every change. A decision names the version that was on the
reviewer's screen; if it is no longer the current one, nothing happens and the reviewer is told
who was faster. The conditional UPDATE holds on PostgreSQL as well, where writers run side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from sqlalchemy import ColumnElement, CursorResult, delete, exists, func, select, update
from sqlalchemy.orm import Session, aliased

from wikibot.errors import AlreadyDecided, BadInput, InUse
from wikibot.message import Message, message, word
from wikibot.store import reservations
from wikibot.store.queue import OPEN_STATES, TargetPage
from wikibot.store.tables import Decision, Outbox, OutboxItem, Page, Suggestion

STATE_AFTER = {"approve": "approved", "reject": "rejected", "skip": "skipped"}
REASONS = ("everyday-word", "wrong-target", "span", "linked-nearby", "other")

_Own = aliased(Suggestion, name="own")
# What a decision or an edit may change, and what undoing it puts back.
CHANGEABLE = ("state", "start", "end", "anchor", "wikitext")

# Who decides where nobody has said who they are; publishing asks for a wiki account then.
UNNAMED = "local reviewer"


@dataclass(frozen=True, slots=True)
class Voice:
    """Who speaks, and through what: web, terminal, command, talk, import, watch, api."""

    reviewer: str
    source: str
    at: datetime | None = None

    @property
    def time(self) -> datetime:
        return self.at or datetime.now(timezone.utc)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a link would stand, and how it would be written there."""

    start: int
    end: int
    anchor: str
    wikitext: str


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """A decision as it is shown: what, why, who, when."""

    id: int
    suggestion_id: int
    verdict: str
    reason: str | None
    note: str | None
    reviewer: str
    source: str
    decided_at: datetime
    page: str
    target: str
    anchor: str
    is_undone: bool

    @property
    def is_undoable(self) -> bool:
        """Is it a decision that stands, and of a kind that can be taken back?"""
        return not self.is_undone and self.verdict in (*STATE_AFTER, "edit")


def decide(
    session: Session,
    proposal_id: int,
    verdict: str,
    voice: Voice,
    *,
    version: int | None = None,
    reason: str | None = None,
    note: str | None = None,
) -> int:
    """The proposal is approved, rejected or skipped, once; returns the decision's number.

    Refuses a proposal that is decided already or is not as it was at VERSION. An approval is
    also refused when the page has moved on or the link would overlap another approved one.
    """
    row = _open_row(session, proposal_id, version, voice)
    if verdict == "approve":
        _refuse_stale(session, row)
        _refuse_overlap(session, row)
    return _keep(session, row, verdict, voice, reason, note)


def dismiss(session: Session, proposal_id: int, voice: Voice, *, reason: str | None = None) -> int:
    """The link is rejected, also where its words are not in the stored text; returns the decision's number.

    Whoever edits the page sees a text that nobody has fetched yet.
    """
    row = _open_row(session, proposal_id, None, voice, states=(*OPEN_STATES, "stale"))
    return _keep(session, row, "reject", voice, reason, None)


def _keep(
    session: Session,
    row: Suggestion,
    verdict: str,
    voice: Voice,
    reason: str | None,
    note: str | None,
) -> int:
    proposal_id = row.id
    decision = Decision(verdict=verdict, reason=reason, note=note, before=_snapshot(row))
    _change(session, row, state=STATE_AFTER[verdict])
    reservations.release(session, proposal_id)
    return _record(session, proposal_id, decision, voice)


def move(session: Session, proposal_id: int, place: Place, voice: Voice, *, version: int) -> int:
    """The proposal stands at another place of its page; returns the edit's number in the log."""
    row = _open_row(session, proposal_id, version, voice)
    _refuse_stale(session, row)
    decision = Decision(verdict="edit", reason=None, note=None, before=_snapshot(row))
    _change(
        session,
        row,
        start=place.start,
        end=place.end,
        anchor=place.anchor,
        wikitext=place.wikitext,
    )
    return _record(session, proposal_id, decision, voice)


def retarget(
    session: Session, proposal_id: int, target_id: int, place: Place, voice: Voice, *, version: int
) -> int:
    """The old target is rejected as wrong, the new one waits in its stead; returns its number.

    Two rows, so that the rejected (page, target) stays rejected whatever becomes of the new one.
    """
    old = _open_row(session, proposal_id, version, voice)
    _refuse_stale(session, old)
    _refuse_known_pair(session, old.page_id, target_id)
    new = _sibling(old, target_id, place, voice.time)
    session.add(new)
    session.flush()
    before = _snapshot(old) | {"replaced_by": new.id}
    rejected = Decision(verdict="reject", reason="wrong-target", note=None, before=before)
    _change(session, old, state="rejected")
    _record(session, proposal_id, rejected, voice)
    _record(session, new.id, Decision(verdict="choose", reason=None, before=_snapshot(new)), voice)
    return new.id


def undo(session: Session, decision_id: int, voice: Voice) -> int:
    """The proposal is as it was before the decision; returns the proposal's number.

    Refuses a decision that was followed by another on the same proposal, or acted upon.
    """
    decision = session.get(Decision, decision_id)
    if decision is None or decision.verdict not in (*STATE_AFTER, "edit"):
        raise BadInput(message("there-is-no-decision-to-take-back", decision_id))
    row = session.get_one(Suggestion, decision.suggestion_id)
    _refuse_late_undo(session, decision, row)
    _withdraw_replacement(session, decision)
    _change(session, row, **{name: decision.before[name] for name in CHANGEABLE})
    decision.undone = True
    taken_back = Decision(verdict="undo", reason=None, note=None, before=_snapshot(row))
    _record(session, row.id, taken_back, voice)
    return row.id


def last_undoable(session: Session, wiki_id: int, reviewer: str) -> int | None:
    """The reviewer's newest decision that has not been taken back."""
    return session.scalar(
        select(Decision.id)
        .where(
            is_of(wiki_id),
            Decision.reviewer == reviewer,
            Decision.verdict.in_((*STATE_AFTER, "edit")),
            Decision.undone.is_(False),
        )
        .order_by(Decision.id.desc())
        .limit(1)
    )


def history(session: Session, proposal_id: int) -> list[DecisionRecord]:
    """What was said about a proposal, oldest first."""
    return records(session, Decision.suggestion_id == proposal_id, limit=100)[::-1]


def latest(session: Session, wiki_id: int, *, limit: int) -> list[DecisionRecord]:
    """The newest decisions of a wiki."""
    return records(session, is_of(wiki_id), limit=limit)


def standing(session: Session, proposal_ids: Sequence[int]) -> dict[int, int]:
    """The proposals whose newest decision can be taken back, each with that decision's number."""
    query = (
        select(Decision.suggestion_id, func.max(Decision.id))
        .where(
            Decision.suggestion_id.in_(proposal_ids),
            Decision.verdict.in_((*STATE_AFTER, "edit")),
            Decision.undone.is_(False),
        )
        .group_by(Decision.suggestion_id)
    )
    return dict(session.execute(query).all())


def decision(session: Session, decision_id: int) -> DecisionRecord | None:
    """One decision, or None."""
    found = _records(session, Decision.id == decision_id)
    return found[0] if found else None


def is_of(wiki_id: int) -> ColumnElement[bool]:
    """A condition, not a join: with one, SQLite would begin at the wiki's thousands of proposals."""
    return exists().where(_Own.id == Decision.suggestion_id, _Own.wiki_id == wiki_id)


def records(session: Session, condition: Any, *, limit: int) -> list[DecisionRecord]:
    """The newest decisions that meet a condition."""
    newest = select(Decision.id).where(condition).order_by(Decision.id.desc()).limit(limit)
    ids = list(session.scalars(newest))
    return _records(session, Decision.id.in_(ids)) if ids else []


def _records(session: Session, condition: ColumnElement[bool]) -> list[DecisionRecord]:
    query = (
        select(Decision, Page.title, TargetPage.title, Suggestion.anchor)
        .join(Suggestion, Suggestion.id == Decision.suggestion_id)
        .join(Page, Page.id == Suggestion.page_id)
        .join(TargetPage, TargetPage.id == Suggestion.target_id)
        .where(condition)
        .order_by(Decision.id.desc())
    )
    return [_record_of(*row) for row in session.execute(query)]


def _record_of(row: Decision, page: str, target: str, anchor: str) -> DecisionRecord:
    return DecisionRecord(
        row.id,
        row.suggestion_id,
        row.verdict,
        row.reason,
        row.note,
        row.reviewer,
        row.source,
        row.decided_at,
        page,
        target,
        anchor,
        row.undone,
    )


def _open_row(
    session: Session,
    proposal_id: int,
    version: int | None,
    voice: Voice,
    *,
    states: Sequence[str] = OPEN_STATES,
) -> Suggestion:
    row = session.get(Suggestion, proposal_id)
    if row is None:
        raise BadInput(message("there-is-no-proposal-nothing-was", proposal_id))
    if row.state not in states or version not in (None, row.version):
        raise AlreadyDecided(_who_was_faster(session, row))
    _refuse_reserved(session, proposal_id, voice)
    return row


def _refuse_reserved(session: Session, proposal_id: int, voice: Voice) -> None:
    """Only people on pages wait for each other; an answer on a talk page has waited long enough."""
    held = reservations.held(session, proposal_id, voice.time) if voice.source == "web" else None
    if held is not None and held.reviewer != voice.reviewer:
        raise InUse(
            message(
                "has-proposal-on-the-screen-until",
                held.reviewer,
                proposal_id,
                f"{held.until:%H:%M}",
            )
        )


def _who_was_faster(session: Session, row: Suggestion) -> Message:
    said = history(session, row.id)
    if not said:
        return message("proposal-is-by-now-nothing-was", row.id, word("state", row.state))
    return message(
        "proposal-is-by-now-said-at-utc",
        row.id,
        word("state", row.state),
        said[-1].reviewer,
        word("verdict", said[-1].verdict),
        f"{said[-1].decided_at:%Y-%m-%d %H:%M:%S}",
    )


def _refuse_stale(session: Session, row: Suggestion) -> None:
    query = select(Page.title, Page.revision_id).where(Page.id == row.page_id)
    page = session.execute(query).one()
    if page.revision_id != row.revision_id:
        raise BadInput(
            message(
                "has-changed-since-proposal-was",
                page.title,
                row.id,
                row.revision_id,
                page.revision_id,
            )
        )


def _refuse_overlap(session: Session, row: Suggestion) -> None:
    other = session.execute(
        select(Suggestion.id, Suggestion.wikitext).where(
            Suggestion.page_id == row.page_id,
            Suggestion.state == "approved",
            Suggestion.revision_id == row.revision_id,
            Suggestion.start < row.end,
            Suggestion.end > row.start,
            Suggestion.id != row.id,
        )
    ).first()
    if other is not None:
        raise BadInput(message("the-words-of-proposal-already", row.id, other.wikitext, other.id))


def _refuse_known_pair(session: Session, page_id: int, target_id: int) -> None:
    known = session.scalar(
        select(Suggestion).where(Suggestion.page_id == page_id, Suggestion.target_id == target_id)
    )
    if known is not None:
        raise BadInput(
            message("this-page-already-has-a-proposal", known.id, word("state", known.state))
        )


def _sibling(old: Suggestion, target_id: int, place: Place, now: datetime) -> Suggestion:
    return Suggestion(
        wiki_id=old.wiki_id,
        page_id=old.page_id,
        target_id=target_id,
        revision_id=old.revision_id,
        start=place.start,
        end=place.end,
        anchor=place.anchor,
        wikitext=place.wikitext,
        sentence_start=old.sentence_start,
        sentence_end=old.sentence_end,
        sentence=old.sentence,
        probability=old.probability,
        reasons=[{"id": "chosen-by-reviewer", "args": {}}],
        created_at=now,
    )


def _snapshot(row: Suggestion) -> dict[str, Any]:
    return {name: getattr(row, name) for name in CHANGEABLE}


def _change(session: Session, row: Suggestion, **values: Any) -> None:
    """The row has the new values and the next version, or somebody else was faster.

    Its object is read again when it is next looked at.
    """
    result = session.execute(
        update(Suggestion)
        .where(Suggestion.id == row.id, Suggestion.version == row.version)
        .values(version=row.version + 1, **values)
        .execution_options(synchronize_session=False)
    )
    assert isinstance(result, CursorResult)
    session.expire(row)
    if result.rowcount != 1:
        raise AlreadyDecided(_who_was_faster(session, row))


def _record(session: Session, proposal_id: int, decision: Decision, voice: Voice) -> int:
    decision.suggestion_id = proposal_id
    decision.reviewer = voice.reviewer
    decision.source = voice.source
    decision.decided_at = voice.time
    session.add(decision)
    session.flush()
    return decision.id


def _refuse_late_undo(session: Session, decision: Decision, row: Suggestion) -> None:
    newer = session.scalar(
        select(Decision.id)
        .where(
            Decision.suggestion_id == row.id, Decision.id > decision.id, Decision.undone.is_(False)
        )
        .where(Decision.verdict != "undo")
    )
    expected = STATE_AFTER.get(decision.verdict, decision.before["state"])
    if decision.undone or newer is not None or row.state != expected:
        raise AlreadyDecided(
            message("decision-cannot-be-taken-back-any", decision.id, _who_was_faster(session, row))
        )
    if _is_on_its_way(session, row.id):
        raise BadInput(message("proposal-is-on-its-way-to-the", row.id))


def _is_on_its_way(session: Session, proposal_id: int) -> bool:
    query = (
        select(OutboxItem.outbox_id)
        .join(Outbox, Outbox.id == OutboxItem.outbox_id)
        .where(OutboxItem.suggestion_id == proposal_id, Outbox.state.in_(("sent", "unknown")))
    )
    return session.scalar(query) is not None


def _withdraw_replacement(session: Session, decision: Decision) -> None:
    """The proposal that took this one's place is gone, unless somebody has decided it."""
    replaced_by = decision.before.get("replaced_by")
    if replaced_by is None:
        return
    new = session.get(Suggestion, replaced_by)
    if new is not None and new.state != "pending":
        raise BadInput(message("proposal-which-took-this-ones", new.id, word("state", new.state)))
    session.execute(delete(Suggestion).where(Suggestion.id == replaced_by))
