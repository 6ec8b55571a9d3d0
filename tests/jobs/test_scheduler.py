"""The background work of the service: one process, jobs in the database, safe to kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from apscheduler.events import EVENT_JOB_MAX_INSTANCES
from apscheduler.jobstores.base import ConflictingIdError, JobLookupError
from apscheduler.schedulers.background import BackgroundScheduler

from tests.waiting import wait_until
from wikibot.config import load_settings
from wikibot.errors import BadInput, ConfigError, WikiUnavailable
from wikibot.jobs.kept_jobs import LOOK_EVERY, KeptJobs
from wikibot.jobs.scheduler import LOCK, Planned, run_jobs, run_once, scheduler_of
from wikibot.jobs.work import planned_jobs
from wikibot.store import Store, jobs, open_store
from wikibot.store.jobs import JobRow
from wikibot.store.lock import only_one

HOUR = timedelta(hours=1)


def row_of(store: Store, name: str) -> JobRow:
    with store.reading() as session:
        return next(job for job in jobs.jobs(session) if job.name == name)


def due_now(store: Store, *names: str) -> None:
    with store.writing() as session:
        jobs.plan(session, names, datetime.now(timezone.utc))


def fail(error: Exception) -> Callable[[], str]:
    def run() -> str:
        raise error

    return run


def test_a_run_leaves_when_it_was_how_long_it_took_and_what_it_did(store: Store) -> None:
    due_now(store, "watch")
    run_once(store, "watch", lambda: "3 of 4 edits kept.")
    row = row_of(store, "watch")
    assert (row.state, row.result, row.last_error) == ("waiting", "3 of 4 edits kept.", None)
    assert row.started_at and row.finished_at and row.started_at <= row.finished_at
    assert row.duration_s is not None and row.duration_s >= 0
    assert (row.runs, row.failures) == (1, 0)


def test_an_error_is_kept_as_its_sentence_until_a_run_succeeds(store: Store) -> None:
    due_now(store, "watch")
    run_once(store, "watch", fail(WikiUnavailable("The wiki does not answer.")))
    row = row_of(store, "watch")
    assert (row.last_error, row.failures) == ("The wiki does not answer.", 1)
    run_once(store, "watch", lambda: "done")
    row = row_of(store, "watch")
    assert (row.last_error, row.runs, row.failures) == (None, 2, 1)
    assert row.failed_at is not None, "when it failed last can still be seen"


def test_an_unexpected_error_neither_ends_the_worker_nor_shows_its_details(store: Store) -> None:
    due_now(store, "watch")
    run_once(store, "watch", fail(ValueError("token=abc")))
    assert row_of(store, "watch").last_error == (
        "It failed unexpectedly (ValueError); the log tells where."
    )


def test_a_job_that_was_killed_in_the_middle_is_due_at_once(store: Store) -> None:
    now = datetime.now(timezone.utc)
    due_now(store, "publish", "watch")
    with store.writing() as session:
        jobs.set_due(session, "publish", now + HOUR)
        jobs.set_due(session, "watch", now + HOUR)
        jobs.begin(session, "publish", now)
    with store.writing() as session:
        due = jobs.plan(session, ["publish", "watch"], now)
    assert due == {"publish": now, "watch": now + HOUR}
    assert "done again" in (row_of(store, "publish").last_error or "")


def test_a_job_that_is_switched_off_keeps_its_history_and_is_never_due(store: Store) -> None:
    due_now(store, "publish", "watch")
    due_now(store, "watch")
    assert row_of(store, "publish").next_run_at is None
    with store.writing() as session, pytest.raises(BadInput, match="switched off"):
        jobs.make_due(session, "publish", datetime.now(timezone.utc))


def test_the_scheduler_runs_what_is_due_and_plans_the_next_run_in_the_database(
    store: Store,
) -> None:
    ran = threading.Event()

    def run() -> str:
        ran.set()
        return "done"

    scheduler = scheduler_of(store, {"follow": Planned(run, HOUR)}, BackgroundScheduler())
    scheduler.start()
    try:
        assert ran.wait(30)
        wait_until(lambda: row_of(store, "follow").result == "done", within_s=30, what="its end")
    finally:
        scheduler.shutdown()
    planned = row_of(store, "follow").next_run_at
    assert planned is not None and planned > datetime.now(timezone.utc) + HOUR / 2


def test_somebody_can_make_a_job_run_at_once_from_another_process(store: Store) -> None:
    times: list[int] = []

    def run() -> str:
        times.append(1)
        return "done"

    scheduler = scheduler_of(store, {"follow": Planned(run, HOUR)}, BackgroundScheduler())
    scheduler.start()
    try:
        wait_until(lambda: row_of(store, "follow").runs == 1, within_s=30, what="the first run")
        with open_store(str(store.path)) as other, other.writing() as session:
            jobs.make_due(session, "follow", datetime.now(timezone.utc))
        wait_until(lambda: row_of(store, "follow").runs == 2, within_s=30, what="the second run")
    finally:
        scheduler.shutdown()


def test_who_wants_a_running_job_to_run_gets_another_run_after_it(store: Store) -> None:
    begun, go_on = threading.Semaphore(0), threading.Event()

    def run() -> str:
        begun.release()
        assert go_on.wait(60)
        return "done"

    scheduler = scheduler_of(store, {"follow": Planned(run, HOUR)}, BackgroundScheduler())
    looked = threading.Semaphore(0)
    scheduler.start()
    try:
        assert begun.acquire(timeout=60)
        with store.writing() as session:
            jobs.make_due(session, "follow", datetime.now(timezone.utc))
        scheduler.add_listener(lambda event: looked.release(), EVENT_JOB_MAX_INSTANCES)
        scheduler.wakeup()
        assert not looked.acquire(timeout=LOOK_EVERY.total_seconds() * 2), "it is not handed over"
        go_on.set()
        assert begun.acquire(timeout=60), "it runs again"
        wait_until(lambda: row_of(store, "follow").runs == 2, within_s=30, what="the second run")
    finally:
        go_on.set()
        scheduler.shutdown()
    planned = row_of(store, "follow").next_run_at
    assert planned is not None and planned > datetime.now(timezone.utc) + HOUR / 2


def test_the_kept_jobs_refuse_a_name_twice_and_an_unknown_one(store: Store) -> None:
    due_now(store, "follow")
    scheduler = scheduler_of(store, {}, BackgroundScheduler())
    kept = KeptJobs(store)
    job = scheduler.add_job(str, "interval", hours=1, id="follow")
    job.next_run_time = datetime.now(timezone.utc)
    kept.add_job(job)
    with pytest.raises(ConflictingIdError):
        kept.add_job(job)
    kept.remove_all_jobs()
    with pytest.raises(JobLookupError):
        kept.remove_job("follow")
    assert kept.get_next_run_time() is None and kept.lookup_job("follow") is None


def test_while_one_process_runs_the_jobs_another_waits(store: Store) -> None:
    waited: list[float] = []

    class Enough(Exception):
        pass

    def wait(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 2:
            raise Enough

    with only_one(store, LOCK), pytest.raises(Enough):
        run_jobs(store, {"follow": Planned(str, HOUR)}, wait=wait)
    assert len(waited) == 2
    with store.reading() as session:
        assert jobs.jobs(session) == [], "who waits touches nothing"


def test_only_what_is_configured_is_planned(store: Store) -> None:
    def names(**given: Any) -> set[str]:
        return set(planned_jobs(store, load_settings(environ={}, **given)))

    assert names() <= {"follow"}, "the bot's account is used only if somebody asks for it"
    assert "publish" in names(publish_to="page")
    assert "publish" not in names(publish_to="page", publish_minutes=0)
    assert {"collect", "watch"} <= names(collect_minutes=5, watch_minutes=60)


def test_an_unknown_place_to_publish_to_is_refused(store: Store) -> None:
    with pytest.raises(ConfigError, match="'articles'; it may name page") as refused:
        planned_jobs(store, load_settings(environ={}, publish_to="articles"))
    assert "Nothing was started" in str(refused.value)


def jobs_process(store: Store, folder: Path) -> subprocess.Popen[bytes]:
    """`wikibot serve --jobs-only` with one job, which fails at once as there is no account."""
    environment = {
        **os.environ, "WIKIBOT_DB": str(store.path), "WIKIBOT_WATCH_MINUTES": "1000",
        "WIKIBOT_FOLLOW_MINUTES": "0", "PYWIKIBOT_DIR": str(folder), "PYWIKIBOT_NO_USER_CONFIG": "2",
    }  # fmt: skip
    command = [sys.executable, "-m", "wikibot", "serve", "--jobs-only", "--log-format", "json"]
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)


def test_the_process_of_the_jobs_is_started_again_when_it_is_killed(
    store: Store, tmp_path: Path
) -> None:
    process = jobs_process(store, tmp_path)
    try:
        wait_until(lambda: runs(store) == 1, within_s=120, what="the first run")
        wait_until(lambda: row_of(store, "watch").state == "waiting", within_s=60, what="its end")
        assert "user-config.py" in (row_of(store, "watch").last_error or "")
        with store.writing() as session:
            jobs.begin(session, "watch", datetime.now(timezone.utc))  # as if it ran just now
        os.kill(child_of(process.pid), signal.SIGKILL)
        wait_until(lambda: runs(store) == 3, within_s=120, what="a run after the kill")
    finally:
        process.terminate()
        assert process.wait(timeout=60) == 0
    assert '"job": "watch"' in (tmp_path / "log").read_text()


def runs(store: Store) -> int:
    with store.reading() as session:
        return sum(job.runs for job in jobs.jobs(session))


def child_of(parent: int) -> int:
    return int(Path(f"/proc/{parent}/task/{parent}/children").read_text().split()[0])
