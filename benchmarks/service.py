"""How long a decision takes when many people review in the service at once: JSON on standard output.

    python benchmarks/service.py [--reviewers 50] [--proposals 500000] [--sqlite | --db URL]
                                 [--think-s 2] [--decisions 20] [--workers 2] [--kills 1]

The service runs as it does in earnest, in processes of its own, with a PostgreSQL server of its own
(without fsync) unless told otherwise. Each reviewer does what the page's script does: sends the
decision, has the next proposal on the screen at once, since it was asked for meanwhile, asks for the
one after it, thinks for a while (at random, THINK_S on average) and decides again. `decide_ms` is a
decision until its answer is there, `next_ms` what is asked for meanwhile. The service is killed and
started again KILLS times under load; at the end, everything that it said was decided must be in the
database once.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import random
import re
import secrets
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sqlalchemy import select

from benchmarks.review_queue import fill
from tests.running_service import RunningService, running_service
from wikibot.roles import Profile
from wikibot.store import Store, accounts, open_store, queue
from wikibot.store.accounts import SealedTokens
from wikibot.store.tables import Decision
from wikibot.web.team_app import digest_of

PROCESSES = 2
PROPOSALS_PER_PAGE = 25
WIKI = 1
GOAL_MS = 100.0
TIMEOUT_S = 60
AHEAD = {"Wikibot-Ahead": "yes"}
CARD = re.compile(r'data-proposal="(\d+)"')
FORM = r'action="/proposal/{number}/decide".*?name="form_token" value="(\w+)".*?name="version" value="(\d+)"'


class Answer(NamedTuple):
    """What one decision took, in milliseconds, and what became of it."""

    proposal: int
    reviewer: str
    verdict: str
    decide_ms: float
    next_ms: float
    outcome: str  # done, faster, unknown (the service was killed), failed
    at_s: float  # the time of day when it was there


class Task(NamedTuple):
    """What the reviewers of one process do."""

    port: int
    cookie_name: str
    people: tuple[tuple[int, str], ...]  # numbers and cookies
    each: int
    think_s: float
    begin: float


def main() -> None:
    given = _arguments()
    with _database(given) as where, tempfile.TemporaryDirectory() as folder:
        _prepare(where, given.proposals)
        settings = {"WIKIBOT_WORKERS": str(given.workers), "WIKIBOT_RECHECK_MINUTES": "1440"}
        settings["WIKIBOT_OAUTH_URL"] = "http://127.0.0.1:9/rest.php"  # nobody need log in
        with running_service(where, Path(folder), **settings) as service:
            answers = run(service, where, given)
        with open_store(where) as store:
            checked = check(store, answers)
            name = store.reader.dialect.name
    print(json.dumps(report(answers, checked, database=name, **_told(given)), indent=2))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reviewers", type=int, default=50)
    parser.add_argument("--proposals", type=int, default=500_000)
    parser.add_argument("--decisions", type=int, default=20, help="by each reviewer")
    parser.add_argument("--think-s", type=float, default=2.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kills", type=int, default=1)
    parser.add_argument("--sqlite", action="store_true")
    parser.add_argument("--db", help="a file or URL that is filled if it is empty, and kept")
    return parser.parse_args()


def _told(given: argparse.Namespace) -> dict[str, Any]:
    names = ("reviewers", "proposals", "think_s", "workers", "kills")
    return {name: getattr(given, name) for name in names} | {"cores": os.cpu_count()}


@contextlib.contextmanager
def _database(given: argparse.Namespace) -> Iterator[str]:
    if given.db:
        yield given.db
    elif given.sqlite:
        with tempfile.TemporaryDirectory() as folder:
            yield str(Path(folder) / "wikibot.db")
    else:
        from tests.store.postgres import postgres_server

        with postgres_server() as server:
            yield server.new_database()


def _prepare(where: str, proposals: int) -> None:
    with open_store(where, create=True) as store:
        with store.reading() as session:
            is_filled = queue.first_id(session, queue.Filters(WIKI)) is not None
        if not is_filled:
            fill(store, proposals // PROPOSALS_PER_PAGE, proposals, with_model=False)
        with store.writer.connect() as connection:  # as autovacuum would within a minute
            raw = connection.execution_options(isolation_level="AUTOCOMMIT")
            raw.exec_driver_sql("VACUUM ANALYZE" if store.path is None else "ANALYZE")


def run(service: RunningService, where: str, given: argparse.Namespace) -> list[Answer]:
    """Everybody's answers; all begin at the same time, and the service is killed meanwhile."""
    with open_store(where) as store:
        people = [(number, _log_in(store, number)) for number in range(given.reviewers)]
    begin = time.time() + 10.0  # the processes are up by then
    tasks = [
        Task(
            service.port,
            f"wikibot_team_{service.port}",
            tuple(people[at::PROCESSES]),
            given.decisions,
            given.think_s,
            begin,
        )
        for at in range(PROCESSES)
    ]
    with multiprocessing.get_context("spawn").Pool(len(tasks)) as pool:
        pending = pool.map_async(_review_all, tasks)
        _kill(service, begin, given)
        return [answer for answers in pending.get() for answer in answers]


def _kill(service: RunningService, begin: float, given: argparse.Namespace) -> None:
    """The service is killed and started again, KILLS times within the time that the work takes."""
    lasts_s = given.decisions * max(given.think_s, 0.5)
    for turn in range(1, given.kills + 1):
        time.sleep(max(0.0, begin + lasts_s * turn / (given.kills + 1) - time.time()))
        service.kill()
        service.start()


def _log_in(store: Store, number: int) -> str:
    """The cookie of a reviewer who has logged in, as far as the database knows."""
    cookie, now = secrets.token_urlsafe(32), datetime.now(timezone.utc)
    who = Profile(str(number), _name(number), frozenset({"user", "autoconfirmed"}), 100)
    with store.writing() as session:
        account = accounts.remember(session, WIKI, who, SealedTokens("sealed", None, None), now)
        until = now + timedelta(days=1)
        accounts.start_session(session, account, digest_of(cookie), now, until)
    return cookie


def _name(number: int) -> str:
    return f"Reviewer {number}"


def _review_all(task: Task) -> list[Answer]:
    found: list[Answer] = []
    threads = [
        threading.Thread(target=lambda one=one: found.extend(Reviewer(task, *one).review()))
        for one in task.people
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


class Reviewer:
    """One person with one browser."""

    def __init__(self, task: Task, number: int, cookie: str) -> None:
        self.task, self.name = task, _name(number)
        self.draw = random.Random(number)
        self.headers = {
            "Host": f"127.0.0.1:{task.port}",
            "Cookie": f"{task.cookie_name}={cookie}",
            "Content-Type": "application/x-www-form-urlencoded",
            "Sec-Fetch-Site": "same-origin",
        }
        self.connection = HTTPConnection("127.0.0.1", task.port, timeout=TIMEOUT_S)

    def review(self) -> list[Answer]:
        """As many decisions as are asked for."""
        pause_s = self.draw.uniform(0, self.task.think_s)
        time.sleep(max(0.0, self.task.begin - time.time()) + pause_s)
        page = self.look("/")
        answers = []
        for _ in range(self.task.each):
            answer, page = self.decide(page)
            answers.append(answer)
            time.sleep(self.draw.expovariate(1 / self.task.think_s) if self.task.think_s else 0)
        return answers

    def decide(self, page: str) -> tuple[Answer, str]:
        """The decision about what is on the screen, and the page after it."""
        number = int(_found(CARD, page)[1])
        form = _found(re.compile(FORM.format(number=number), re.DOTALL), page)
        verdict = self.draw.choice(("approve", "reject", "skip"))
        fields = urlencode({"form_token": form[1], "version": form[2], "verdict": verdict})
        start = time.perf_counter()
        status = self.ask("POST", f"/proposal/{number}/decide", fields, {"Wikibot-Has-Next": "yes"})
        decided = time.perf_counter()
        following = self.look(f"/?after={number}", AHEAD)
        took = (decided - start) * 1000, (time.perf_counter() - decided) * 1000
        outcome = {200: "done", 303: "done", 409: "faster", 422: "faster", 0: "unknown"}
        told = outcome.get(status[0], "failed")
        return Answer(number, self.name, verdict, *took, told, time.time()), following

    def look(self, path: str, more: dict[str, str] | None = None) -> str:
        """A page; asked for again while the service is down."""
        while True:
            status, text = self.ask("GET", path, more=more)
            if status == 200:
                return text
            if status:
                raise RuntimeError(f"{path} was answered with {status}: {text[:500]}")
            time.sleep(0.1)

    def ask(
        self, method: str, path: str, body: str | None = None, more: dict[str, str] | None = None
    ) -> tuple[int, str]:
        """Status and text; 0 where no answer came."""
        try:
            self.connection.request(method, path, body, self.headers | (more or {}))
            answer = self.connection.getresponse()
            return answer.status, answer.read().decode()
        except (OSError, HTTPException):
            self.connection.close()
            return 0, ""


def _found(pattern: re.Pattern[str], page: str) -> re.Match[str]:
    found = pattern.search(page)
    if found is None:
        raise RuntimeError(f"no {pattern.pattern} in: {page[:2000]}")
    return found


def check(store: Store, answers: list[Answer]) -> dict[str, int]:
    """What the database holds, against what the reviewers were told."""
    with store.reading() as session:
        query = select(Decision.suggestion_id, Decision.reviewer, Decision.verdict)
        rows = session.execute(query.where(Decision.reviewer.startswith("Reviewer "))).all()
    held = Counter((row[0], row[1], row[2]) for row in rows)
    deciders: dict[int, set[str]] = {}
    for proposal, reviewer, _verdict in held:
        deciders.setdefault(proposal, set()).add(reviewer)
    said = Counter((a.proposal, a.reviewer, a.verdict) for a in answers if a.outcome == "done")
    return {
        "lost": sum((said - held).values()),
        "decided_twice": sum(n > 1 for n in held.values())
        + sum(len(names) > 1 for names in deciders.values()),
        "in_database": sum(held.values()),
    }


def report(answers: list[Answer], checked: dict[str, int], **told: Any) -> dict[str, Any]:
    """The figures, and whether the goal was met."""
    names = ("done", "faster", "unknown", "failed")
    counted = {name: sum(a.outcome == name for a in answers) for name in names}
    # While the service is down, everybody waits for it; that is not how long a decision takes.
    usual = [a for a in answers if a.outcome != "unknown"]
    figures = {
        "decide_ms": _figures([a.decide_ms for a in usual]),
        "next_ms": _figures([a.next_ms for a in usual]),
    }
    spent_s = max(a.at_s for a in answers) - min(a.at_s for a in answers)
    is_sound = not (counted["failed"] or checked["lost"] or checked["decided_twice"])
    return {
        **told,
        **counted,
        **checked,
        "per_second": round(counted["done"] / spent_s, 1),
        **figures,
        "goal_ms": GOAL_MS,
        "is_met": figures["decide_ms"]["median"] <= GOAL_MS and is_sound,
    }


def _figures(values: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    return {
        "median": round(cuts[49], 1),
        "p95": round(cuts[94], 1),
        "max": round(max(values), 1),
    }


if __name__ == "__main__":
    main()
