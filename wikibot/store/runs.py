"""The record of what was done: one row for each call of a command that changes the database."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from typing import Any, NamedTuple

from sqlalchemy import Select, insert, select, update
from sqlalchemy.orm import Session

from wikibot.store.engine import Store
from wikibot.store.tables import Run

PROGRESS_EVERY_S = 2.0
STATES = ("running", "done", "failed", "interrupted")


class RunRow(NamedTuple):
    """One call of a command; `state` is running, done, failed or interrupted."""

    id: int
    wiki_id: int | None
    command: str
    options: dict[str, Any]
    state: str
    progress: dict[str, Any]
    result: dict[str, Any] | None
    started_at: datetime
    finished_at: datetime | None


class RecordedRun:
    """A run under way: tell it how far it is, and what came of it."""

    def __init__(self, store: Store, run_id: int) -> None:
        self._store = store
        self.id = run_id
        self.result: dict[str, Any] = {}
        self._told = 0.0

    def belongs_to(self, wiki_id: int) -> None:
        """The run is about this wiki."""
        self._write(wiki_id=wiki_id)

    def progress(self, **steps: Any) -> None:
        """How far the run is, for `wikibot status`; written every few seconds at most."""
        now = time.monotonic()
        if now - self._told >= PROGRESS_EVERY_S:
            self._told = now
            self._write(progress=steps)

    def finish(self, state: str) -> None:
        """The run has ended this way."""
        self._write(state=state, result=self.result, finished_at=_now())

    def _write(self, **values: Any) -> None:
        with self._store.writing() as session:
            session.execute(update(Run).where(Run.id == self.id).values(**values))


@contextmanager
def recorded_run(
    store: Store, command: str, options: Mapping[str, Any], *, wiki_id: int | None = None
) -> Iterator[RecordedRun]:
    """A row in `runs` tells of this block: running, then done, interrupted or failed and why.

    A run that was killed says `running` until the next run of the same command begins.
    """
    settle_killed(store, [command])
    run = begin_run(store, command, options, wiki_id=wiki_id)
    with ending(run):
        yield run


def begin_run(
    store: Store, command: str, options: Mapping[str, Any], *, wiki_id: int | None = None
) -> RecordedRun:
    """A row in `runs` says that the command is running."""
    row = insert(Run).values(
        wiki_id=wiki_id,
        command=command,
        options={key: value for key, value in options.items() if value is not None},
        state="running",
        progress={},
        started_at=_now(),
    )
    with store.writing() as session:
        return RecordedRun(store, session.execute(row.returning(Run.id)).scalar_one())


@contextmanager
def ending(run: RecordedRun) -> Iterator[None]:
    """However this block ends, the run's row says so."""
    try:
        yield
    except (KeyboardInterrupt, GeneratorExit):
        run.finish("interrupted")
        raise
    except BaseException as error:
        run.result["error"] = str(error) or type(error).__name__
        run.finish("failed")
        raise
    run.finish("done")


def latest_runs(session: Session, *, limit: int = 10, command: str | None = None) -> list[RunRow]:
    """The newest runs first."""
    query = _rows().order_by(Run.id.desc()).limit(limit)
    if command is not None:
        query = query.where(Run.command == command)
    return [RunRow(*row) for row in session.execute(query)]


def run_by_id(session: Session, run_id: int) -> RunRow | None:
    """One run."""
    row = session.execute(_rows().where(Run.id == run_id)).first()
    return None if row is None else RunRow(*row)


def _rows() -> Select[Any]:
    return select(*(getattr(Run, name) for name in RunRow._fields))


def last_done(session: Session, command: str, wiki_id: int) -> RunRow | None:
    """The newest run of the command on this wiki that came to its end."""
    found = (
        run
        for run in latest_runs(session, limit=50, command=command)
        if run.wiki_id == wiki_id and run.state == "done"
    )
    return next(found, None)


def settle_killed(store: Store, commands: Sequence[str]) -> None:
    """Runs of these commands that still say `running` were killed, and say so."""
    killed = update(Run).where(Run.command.in_(commands), Run.state == "running")
    with store.writing() as session:
        session.execute(killed.values(state="interrupted", finished_at=_now()))


def settle_ended(store: Store, run_id: int) -> None:
    """The process of a run has ended; if the run still says `running`, it was killed, and says so."""
    killed = update(Run).where(Run.id == run_id, Run.state == "running")
    with store.writing() as session:
        session.execute(killed.values(state="interrupted", finished_at=_now()))


def _now() -> datetime:
    return datetime.now(timezone.utc)
