"""Where the scheduler keeps its jobs: the times in our database, the functions in the program.

APScheduler's own store for databases would write functions as pickles, which whoever can write to
the database could replace. Here a row holds a name and a moment, and the program knows the rest.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from apscheduler.jobstores.base import BaseJobStore, ConflictingIdError, JobLookupError

from wikibot.store import Store, jobs

# So often the scheduler looks, at least, whether somebody wants a job to run at once.
LOOK_EVERY = timedelta(seconds=2)


class KeptJobs(BaseJobStore):  # type: ignore[misc]  # APScheduler has no types
    """The jobs of one database."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self._known: dict[str, Any] = {}
        self._seen: dict[str, datetime] = {}
        self._busy: set[str] = set()

    def ended(self, event: Any) -> None:
        """A job that was handed out has ended; only now may it be due again.

        Who wants it to run once more meanwhile gets that afterwards.
        """
        self._busy.discard(event.job_id)

    def lookup_job(self, job_id: str) -> Any:
        return self._known.get(job_id)

    def get_due_jobs(self, now: datetime) -> list[Any]:
        due = [job for job in self.get_all_jobs() if job.next_run_time <= now]
        self._busy |= {job.id for job in due}  # the scheduler hands them out at once
        return due

    def get_next_run_time(self) -> datetime | None:
        times = [job.next_run_time for job in self.get_all_jobs()]
        return min([*times, datetime.now(timezone.utc) + LOOK_EVERY]) if self._known else None

    def get_all_jobs(self) -> list[Any]:
        """The jobs that may be due, each as due as the database says, the most urgent first."""
        with self._store.reading() as session:
            times = jobs.due_times(session)
        waiting = times.keys() - self._busy
        found = [job for name, job in self._known.items() if name in waiting]
        for job in found:
            job.next_run_time = self._seen[job.id] = times[job.id]
        return sorted(found, key=lambda job: (job.next_run_time, job.id))

    def add_job(self, job: Any) -> None:
        if job.id in self._known:
            raise ConflictingIdError(job.id)
        self._known[job.id] = job
        self._seen[job.id] = job.next_run_time

    def update_job(self, job: Any) -> None:
        """The job is due when the scheduler says, unless somebody has asked for another moment meanwhile."""
        if job.id not in self._known:
            raise JobLookupError(job.id)
        with self._store.writing() as session:
            jobs.put_off(session, job.id, self._seen[job.id], job.next_run_time)

    def remove_job(self, job_id: str) -> None:
        if self._known.pop(job_id, None) is None:
            raise JobLookupError(job_id)
        with self._store.writing() as session:
            jobs.set_due(session, job_id, None)

    def remove_all_jobs(self) -> None:
        for name in list(self._known):
            self.remove_job(name)
