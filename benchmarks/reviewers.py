"""How long a decision takes when many people review one queue at once: JSON on standard output.

    python benchmarks/reviewers.py [--reviewers 50] [--proposals 500000] [--postgres | --db URL]
                                   [--think-s 2] [--decisions 20]

Each reviewer decides, is shown the next proposal with all that the page says about it, thinks for a
while (at random, THINK_S on average; 0 for as fast as they can) and decides again. `decide_ms` is
the decision until it is on disk, `next_ms` what is read for the next card, `answer_ms` both. The
reviewers are threads of a few processes. --postgres starts a server of its own, without fsync.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.review_queue import fill
from wikibot.errors import AlreadyDecided, BadInput, WikibotError
from wikibot.store import Store, decisions, open_store, queue
from wikibot.store.decisions import Voice

PROCESSES = 5
PROPOSALS_PER_PAGE = 25
WIKI = 1
GOAL_MS = 100.0


class Answer(NamedTuple):
    """What one decision took, in milliseconds, and what became of it."""

    decide_ms: float
    next_ms: float
    outcome: str  # done, faster, failed
    at_s: float  # the time of day when it was there

    @property
    def answer_ms(self) -> float:
        return self.decide_ms + self.next_ms


class Task(NamedTuple):
    """What the reviewers of one process do."""

    where: str
    numbers: tuple[int, ...]
    each: int
    think_s: float
    begin: float


def main() -> None:
    given = _arguments()
    with _database(given) as where:
        with open_store(where, create=True) as store:
            if given.postgres or not _is_filled(store):
                fill(
                    store, given.proposals // PROPOSALS_PER_PAGE, given.proposals, with_model=False
                )
        _analyse(where)
        answers = run(where, given.reviewers, given.decisions, given.think_s)
        with open_store(where) as store:
            name = store.reader.dialect.name
    print(json.dumps(report(answers, database=name, **_told(given)), indent=2))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reviewers", type=int, default=50)
    parser.add_argument("--proposals", type=int, default=500_000)
    parser.add_argument("--decisions", type=int, default=20, help="by each reviewer")
    parser.add_argument("--think-s", type=float, default=2.0)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--db", help="a file or URL that is filled if it is empty, and kept")
    return parser.parse_args()


def _told(given: argparse.Namespace) -> dict[str, Any]:
    names = ("reviewers", "proposals", "think_s")
    return {name: getattr(given, name) for name in names} | {"cores": os.cpu_count()}


@contextlib.contextmanager
def _database(given: argparse.Namespace) -> Iterator[str]:
    if given.postgres:
        from tests.store.postgres import postgres_server

        with postgres_server() as server:
            yield server.new_database()
    elif given.db:
        yield given.db
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield str(Path(folder) / "wikibot.db")


def _is_filled(store: Store) -> bool:
    with store.reading() as session:
        return queue.first_id(session, queue.Filters(WIKI)) is not None


def _analyse(where: str) -> None:
    """PostgreSQL's autovacuum would do this within a minute."""
    with open_store(where) as store, store.writer.connect() as connection:
        raw = connection.execution_options(isolation_level="AUTOCOMMIT")
        raw.exec_driver_sql("VACUUM ANALYZE" if store.path is None else "ANALYZE")


def run(where: str, reviewers: int, each: int, think_s: float) -> list[Answer]:
    """Everybody's answers; all begin at the same time."""
    shares = [tuple(range(reviewers))[at::PROCESSES] for at in range(PROCESSES)]
    begin = time.time() + 10.0  # the processes are up by then
    tasks = [Task(where, share, each, think_s, begin) for share in shares if share]
    with multiprocessing.get_context("spawn").Pool(len(tasks)) as pool:
        return [answer for answers in pool.map(_review_all, tasks) for answer in answers]


def _review_all(task: Task) -> list[Answer]:
    found: list[Answer] = []
    with open_store(task.where) as store:
        threads = [
            threading.Thread(
                target=lambda number=number: found.extend(_review(store, task, number))
            )
            for number in task.numbers
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return found


def _review(store: Store, task: Task, number: int) -> list[Answer]:
    """One reviewer, at a place of the queue of their own."""
    draw = random.Random(number)
    voice = Voice(f"reviewer {number}", "web")
    filters = queue.Filters(WIKI)
    at = _place(store, filters, draw)
    time.sleep(max(0.0, task.begin - time.time()) + draw.uniform(0, task.think_s))
    answers = []
    for _ in range(task.each):
        answer, at = _decide(store, filters, at, voice, draw)
        answers.append(answer)
        if task.think_s:
            time.sleep(draw.expovariate(1 / task.think_s))
    return answers


def _place(store: Store, filters: queue.Filters, draw: random.Random) -> int:
    with store.reading() as session:
        last = queue.last_id(session, filters)
        found = queue.id_after(session, filters, draw.randrange(1, 100_000))
    return found or last or 1


def _decide(
    store: Store, filters: queue.Filters, at: int, voice: Voice, draw: random.Random
) -> tuple[Answer, int]:
    verdict = draw.choice(("approve", "reject", "skip"))
    start = time.perf_counter()
    done, outcome = None, "done"
    try:
        with store.writing() as session:
            done = decisions.decide(session, at, verdict, voice)
    except (AlreadyDecided, BadInput):
        outcome = "faster"
    except WikibotError:
        outcome = "failed"
    decided = time.perf_counter()
    following = _look(store, filters, at, done, voice)
    took = (decided - start) * 1000, (time.perf_counter() - decided) * 1000
    return Answer(*took, outcome, time.time()), following


def _look(store: Store, filters: queue.Filters, at: int, done: int | None, voice: Voice) -> int:
    """Everything that the review page reads to show the next card."""
    with store.reading() as session:
        following = queue.id_after(session, filters, at) or queue.first_id(session, filters) or at
        queue.proposal(session, following)
        queue.count_states(session, WIKI)
        decisions.last_undoable(session, WIKI, voice.reviewer)
        if done is not None:
            decisions.decision(session, done)
    return following


def report(answers: list[Answer], **told: Any) -> dict[str, Any]:
    """The figures, and whether the goal was met."""
    counted = {
        name: sum(a.outcome == name for a in answers) for name in ("done", "faster", "failed")
    }
    figures = {
        name: _figures([getattr(answer, name) for answer in answers])
        for name in ("decide_ms", "next_ms", "answer_ms")
    }
    median = figures["answer_ms"]["median"]
    spent_s = max(a.at_s for a in answers) - min(a.at_s - a.answer_ms / 1000 for a in answers)
    return {
        **told,
        **counted,
        "per_second": round(counted["done"] / spent_s, 1),
        **figures,
        "goal_ms": GOAL_MS,
        "is_met": median <= GOAL_MS and not counted["failed"],
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
