"""A publisher in a process of its own, to be killed.

The processes are forked from a server that has everything imported, so that hundreds of them are
cheap; each sets up pywikibot as a `user-config.py` would.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

from tests.mediawiki import BOT_PASSWORD
from wikibot.errors import WikibotError

context = multiprocessing.get_context("forkserver")
context.set_forkserver_preload(["tests.crash.preloaded"])

NOBODY = 65534


@dataclass(frozen=True, slots=True)
class Orders:
    """What a publisher process does, and where it dies: at the nth time it reaches `point`."""

    api: str
    folder: Path
    database: Path
    destination: str = "page"
    point: str = ""
    times: int = 1
    later_tries: int = 3
    disaster: str = ""
    by_job: bool = False  # the service publishes, as one of its jobs


def publish_in_child(orders: Orders) -> None:
    """Runs in the child: one publishing run; the exit code is the command's."""
    from tests.publish.world import QUICK
    from wikibot.config import load_settings
    from wikibot.publish.publisher import Choice, open_publisher
    from wikibot.publish.publishing import publish
    from wikibot.store import open_store

    settings = load_settings(
        environ={}, **QUICK, later_tries=orders.later_tries, publish_to=orders.destination
    )
    with configured_pywikibot(orders), open_store(orders.database) as store:
        if orders.by_job:
            publish_by_job(store, settings, orders)
        publisher = open_publisher(store, settings, Choice())
        at_point = Disaster(orders.point) if orders.disaster == "full disk" else None
        killer = Killer(orders.point, orders.times)
        publisher = replace(publisher, reached=at_point or killer, wait=lambda _: None)
        if orders.disaster == "unwritable":
            os.setuid(NOBODY)
        leave(publish, publisher, orders)


def publish_by_job(store: Any, settings: Any, orders: Orders) -> None:
    """The process of the service's jobs, which ends after one run of `publish`."""
    from datetime import datetime, timedelta, timezone

    from apscheduler.events import EVENT_JOB_ERROR, EVENT_JOB_EXECUTED
    from apscheduler.schedulers.background import BackgroundScheduler

    from wikibot.jobs.scheduler import LOCK, Planned, scheduler_of
    from wikibot.jobs.work import Work
    from wikibot.store import jobs
    from wikibot.store.lock import only_one
    from wikibot.store.pages import wiki_by_name

    killer = Killer(orders.point, orders.times)

    class KilledWork(Work):
        def _publisher(self) -> Any:
            return replace(super()._publisher(), reached=killer, wait=lambda _: None)

    with store.reading() as session:
        wiki = wiki_by_name(session)
    done = threading.Event()
    with only_one(store, LOCK):
        work = KilledWork(store, wiki, settings)
        planned = {"publish": Planned(work.publish, timedelta(hours=1))}
        scheduler = scheduler_of(store, planned, BackgroundScheduler())
        scheduler.add_listener(lambda event: done.set(), EVENT_JOB_EXECUTED | EVENT_JOB_ERROR)
        scheduler.start()
        with store.writing() as session:
            jobs.make_due(session, "publish", datetime.now(timezone.utc))
        done.wait()
    os._exit(0)


def leave(publish: Any, publisher: Any, orders: Orders) -> None:
    """The process ends as the command would, its last sentence in the folder."""
    try:
        report = publish(publisher, orders.destination)
        sentence, code = report.stopped, report.exit_code
    except WikibotError as error:
        sentence, code = str(error), error.exit_code
    if orders.disaster:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        (orders.folder / "sentence").write_text(sentence)
    os._exit(code)


@dataclass(frozen=True, slots=True)
class Disaster:
    """From a point on the disk takes nothing more from this process."""

    point: str

    def __call__(self, point: str) -> None:
        if point == self.point:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            no_limit = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, no_limit))


@dataclass(slots=True)
class Killer:
    """Ends its own process, at once and without any cleaning up, at a point."""

    point: str
    times: int

    def __call__(self, point: str) -> None:
        if point == self.point:
            self.times -= 1
            if self.times == 0:
                os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def configured_pywikibot(orders: Orders) -> Iterator[None]:
    from wikibot.site.connect import load_pywikibot

    load_pywikibot()
    from pywikibot import config

    name, _, suffix = BOT_PASSWORD.name.partition("@")
    orders.folder.mkdir(parents=True, exist_ok=True)
    (orders.folder / "throttle.ctrl").touch()
    password = orders.folder / "user-password.cfg"
    if not password.exists():
        password.write_text(f"({name!r}, BotPassword({suffix!r}, {BOT_PASSWORD.password!r}))\n")
        password.chmod(0o600)
    config.base_dir = str(orders.folder)
    config.family = config.mylang = "proxied"
    config.family_files["proxied"] = orders.api
    config.usernames["proxied"] = {"proxied": name}
    config.password_file = password.name
    config.user_agent_description = "the tests of wikibot"
    config.put_throttle = config.minthrottle = 0
    config.max_retries, config.retry_wait, config.retry_max = 1, 0, 0
    config.socket_timeout = (5, 2.0)
    yield


def start(orders: Orders) -> ForkServerProcess:
    process = context.Process(target=publish_in_child, args=(orders,), daemon=True)
    process.start()
    return process


def kill(process: Any) -> None:
    os.kill(process.pid, signal.SIGKILL)
