"""The process of the jobs: started by the service, or by itself where a platform wants it apart.

A small parent starts it again if it ends; it ends with the service that has started it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from wikibot.config import Settings
from wikibot.jobs.scheduler import run_jobs
from wikibot.jobs.work import planned_jobs
from wikibot.logs import set_up_log
from wikibot.processes import Parent, end_with_parent
from wikibot.store import open_store


def serve_jobs(settings: Settings) -> None:
    """Run the jobs until interrupted; refuses settings that cannot be used."""
    with open_store(settings.text("db")) as store:
        planned_jobs(store, settings)
    parent = Parent(lambda: _work(settings))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        parent.run(1)
    except KeyboardInterrupt:
        pass  # stopping is how serving ends
    finally:
        parent.stop()


def _work(settings: Settings) -> None:
    set_up_log(settings.text("log_format"))
    with open_store(settings.text("db")) as store:
        run_jobs(store, planned_jobs(store, settings))


def start_beside(settings: Settings) -> subprocess.Popen[bytes] | None:
    """The jobs run in a process that ends with this one; None where there are none to run."""
    with open_store(settings.text("db")) as store:
        if not planned_jobs(store, settings):
            return None
    chosen = {"WIKIBOT_DB": settings.text("db"), "WIKIBOT_LOG_FORMAT": settings.text("log_format")}
    return subprocess.Popen(
        [sys.executable, "-m", "wikibot", "serve", "--jobs-only"],
        env={**os.environ, **chosen},  # not on the command line, which others can read
        stdout=subprocess.DEVNULL,
        preexec_fn=lambda: end_with_parent(signal.SIGTERM),
    )
