"""Reservations: a proposal on one reviewer's screen is not shown to the others for some minutes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, delete, exists, select
from sqlalchemy.orm import Session

from wikibot.store.tables import Reservation, Suggestion


@dataclass(frozen=True, slots=True)
class Held:
    """Who has a proposal on the screen, and until when others wait for it."""

    reviewer: str
    until: datetime


def reserve(
    session: Session,
    proposal_id: int,
    reviewer: str,
    now: datetime,
    until: datetime,
    *,
    state: str = "pending",
) -> bool:
    """Is the proposal this reviewer's until then? No, if somebody else has or has decided it."""
    if not _take(session, proposal_id, reviewer, now, until):
        return False
    # Looked at afterwards: who decides a proposal changes its state and ends the reservation at once.
    found = session.scalar(select(Suggestion.state).where(Suggestion.id == proposal_id))
    if found != state:
        release(session, proposal_id)
    return found == state


def _take(
    session: Session, proposal_id: int, reviewer: str, now: datetime, until: datetime
) -> bool:
    session.execute(delete(Reservation).where(Reservation.until <= now))
    if session.connection().dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert
    else:
        from sqlalchemy.dialects.sqlite import insert  # type: ignore[assignment]
    wanted = insert(Reservation).values(suggestion_id=proposal_id, reviewer=reviewer, until=until)
    taken = wanted.on_conflict_do_update(
        index_elements=[Reservation.suggestion_id],
        set_={"until": until},
        where=Reservation.reviewer == reviewer,
    )
    # What it returns tells whether it is ours: PostgreSQL's driver counts no inserted rows.
    return session.scalar(taken.returning(Reservation.suggestion_id)) is not None


def release(session: Session, proposal_id: int) -> None:
    """Nobody has the proposal."""
    session.execute(delete(Reservation).where(Reservation.suggestion_id == proposal_id))


def held(session: Session, proposal_id: int, now: datetime) -> Held | None:
    """Who has the proposal now, or None."""
    row = session.get(Reservation, proposal_id)
    return Held(row.reviewer, row.until) if row is not None and row.until > now else None


def is_free_for(reviewer: str, now: datetime) -> ColumnElement[bool]:
    """A condition on proposals: nobody else has them on the screen."""
    return ~exists().where(
        Reservation.suggestion_id == Suggestion.id,
        Reservation.reviewer != reviewer,
        Reservation.until > now,
    )
