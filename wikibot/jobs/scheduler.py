"""One process runs the jobs, one after the other; killed at any time, the next one goes on.

A job that was running when its process ended runs again at once: each of them is safe to repeat,
since changes are handled again from the last kept position, and edits go through the outbox.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

from wikibot.errors import WikibotError, WikiUnavailable
from wikibot.message import message, said
from wikibot.store import Store, jobs
from wikibot.store.lock import only_one

log = logging.getLogger(__name__)
LOCK = "jobs"
WAIT_FOR_LOCK_S = 5.0


@dataclass(frozen=True, slots=True)
class Planned:
    """A job's function, which returns a sentence about what it did, and how often it runs."""

    run: Callable[[], str]
    every: timedelta


def run_jobs(
    store: Store,
    planned: Mapping[str, Planned],
    *,
    wait: Callable[[float], None] = time.sleep,
    make: Callable[[], Any] | None = None,
) -> None:
    """Runs the jobs until the process ends; while another process does, waits for its turn."""
    while True:
        try:
            with only_one(store, LOCK):
                scheduler_of(store, planned, (make or _blocking)()).start()
            return
        except WikiUnavailable:
            wait(WAIT_FOR_LOCK_S)


def scheduler_of(store: Store, planned: Mapping[str, Planned], scheduler: Any) -> Any:
    """The scheduler with these jobs, at the times that the database has for them."""
    from apscheduler.events import (
        EVENT_JOB_ERROR,
        EVENT_JOB_EXECUTED,
        EVENT_JOB_MAX_INSTANCES,
        EVENT_JOB_MISSED,
    )
    from apscheduler.executors.pool import ThreadPoolExecutor
    from apscheduler.triggers.interval import IntervalTrigger

    from wikibot.jobs.kept_jobs import KeptJobs

    with store.writing() as session:
        due = jobs.plan(session, planned.keys(), datetime.now(timezone.utc))
    kept = KeptJobs(store)
    ends = EVENT_JOB_EXECUTED | EVENT_JOB_ERROR | EVENT_JOB_MISSED | EVENT_JOB_MAX_INSTANCES
    scheduler.add_listener(kept.ended, ends)
    scheduler.configure(
        jobstores={"default": kept},
        executors={"default": ThreadPoolExecutor(1)},  # pywikibot has one account in a process
        job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
        timezone=timezone.utc,
    )
    for name, job in planned.items():
        scheduler.add_job(
            run_once,
            IntervalTrigger(seconds=max(1.0, job.every.total_seconds()), timezone=timezone.utc),
            args=(store, name, job.run),
            id=name,
            next_run_time=due[name],
        )
    return scheduler


def _blocking() -> Any:
    from apscheduler.schedulers.blocking import BlockingScheduler

    return BlockingScheduler()


def run_once(store: Store, name: str, function: Callable[[], str]) -> None:
    """The job has run, and its row and the log say how it went; nothing it raises ends the others."""
    with store.writing() as session:
        jobs.begin(session, name, _now())
    begun = time.monotonic()
    result, error = "", None  # sentences
    try:
        result = function()
    except WikibotError as raised:
        error = said(raised)
    except Exception as raised:
        error = message("job-failed-unexpectedly", type(raised).__name__)
        log.exception("job %s failed unexpectedly", name)
    seconds = time.monotonic() - begun
    with store.writing() as session:
        jobs.finish(session, name, _now(), seconds=seconds, result=result, error=error)
    _tell(name, seconds, result, error)


def _tell(name: str, seconds: float, result: str, error: str | None) -> None:
    told = {"job": name, "seconds": round(seconds, 3)}
    if error is None:
        log.info("job %s: %s", name, result, extra={"told": told | {"outcome": "done"}})
    else:
        log.warning("job %s: %s", name, error, extra={"told": told | {"outcome": "failed"}})


def _now() -> datetime:
    return datetime.now(timezone.utc)
