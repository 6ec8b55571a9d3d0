"""The service's background jobs: when each is due, and how it went the last time."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from wikibot.errors import BadInput
from wikibot.message import message, restored, stored
from wikibot.store.task_tables import Job

KILLED = message("job-killed")


class JobRow(NamedTuple):
    """One job; `next_run_at` is None while it is switched off."""

    name: str
    next_run_at: datetime | None
    state: str
    started_at: datetime | None
    finished_at: datetime | None
    duration_s: float | None
    result: str
    last_error: str | None
    failed_at: datetime | None
    runs: int
    failures: int


def jobs(session: Session) -> list[JobRow]:
    """All jobs, by name."""
    columns = [getattr(Job, name) for name in JobRow._fields]
    rows = (JobRow(*row) for row in session.execute(select(*columns).order_by(Job.name)))
    return [
        row._replace(
            result=restored(row.result), last_error=row.last_error and restored(row.last_error)
        )
        for row in rows
    ]


def plan(session: Session, names: Collection[str], now: datetime) -> dict[str, datetime]:
    """When each of these jobs is due, and no other is; killed ones are due now.

    Only for the process that holds the lock of the jobs: nobody else runs one.
    """
    known = {job.name: job for job in session.scalars(select(Job))}
    for name in {*known, *names}:
        job = known.get(name)
        if job is None:
            session.add(Job(name=name, next_run_at=now))
            continue
        if job.state == "running":
            job.state, job.last_error, job.failed_at = "waiting", stored(KILLED), now
            job.failures += 1
            job.next_run_at = now
        job.next_run_at = (job.next_run_at or now) if name in names else None
    session.flush()
    return {row.name: row.next_run_at for row in jobs(session) if row.next_run_at is not None}


def due_times(session: Session) -> dict[str, datetime]:
    """The jobs that are switched on, with the moment at which each is due."""
    rows = session.execute(select(Job.name, Job.next_run_at).where(Job.next_run_at.is_not(None)))
    return {name: moment for name, moment in rows if moment is not None}


def set_due(session: Session, name: str, moment: datetime | None) -> None:
    """The job is due at this moment; None switches it off."""
    session.execute(update(Job).where(Job.name == name).values(next_run_at=moment))


def put_off(session: Session, name: str, seen: datetime, until: datetime) -> None:
    """The job is due later, unless somebody has changed when it is due since it was seen."""
    query = update(Job).where(Job.name == name, Job.next_run_at == seen)
    session.execute(query.values(next_run_at=until))


def make_due(session: Session, name: str, now: datetime) -> None:
    """The job is due now; refuses one that there is not or that is switched off."""
    query = update(Job).where(Job.name == name, Job.next_run_at.is_not(None))
    changed = session.execute(query.values(next_run_at=now).returning(Job.name)).all()
    if not changed:
        raise BadInput(message("admin-no-such-job"))


def begin(session: Session, name: str, now: datetime) -> None:
    """The job is running."""
    query = update(Job).where(Job.name == name)
    session.execute(query.values(state="running", started_at=now, runs=Job.runs + 1))


def finish(
    session: Session, name: str, now: datetime, *, seconds: float, result: str, error: str | None
) -> None:
    """The job has ended, with a sentence of what it did or why it failed."""
    values = {"state": "waiting", "finished_at": now, "duration_s": seconds}
    values["last_error"] = error and stored(error)
    if error is None:
        values["result"] = stored(result)
    else:
        values |= {"failed_at": now, "failures": Job.failures + 1}
    session.execute(update(Job).where(Job.name == name).values(**values))
