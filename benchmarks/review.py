"""How fast the review page answers with 100,000 proposals in the queue: JSON on standard output.

    python benchmarks/review.py [--proposals 100000] [--rounds 5] [--keep FOLDER]

Every page is asked for over a real socket, through waitress: every route, and for the two that have
filters every state with every kind of filter, at the start, in the middle and at the end of the
queue. Times are milliseconds by the clock, from the request to the last byte; the first request for
an address counts like all others. `cpu_ms` is the processor time of server and visitor together,
which tells more where other programs are at work. The database is made anew, with 20,000 pages, a long page of
190 kB, a trained model and decisions of all kinds; `--keep` leaves it in a folder for the next time.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.review_queue import LONG_PAGE, LONG_TITLE, fill, title
from tests.review.conftest import hidden_fields
from wikibot.store import Store, open_store, queue
from wikibot.web.review_app import ReviewApp
from wikibot.web.serve import get_ready, make_server, stop

LIMIT_MS = 100.0
FILTERS: dict[str, dict[str, Any]] = {
    "no filter": {},
    "a page": {"page": "harbour light 7"},
    "a common word": {"page": "harbour"},
    "one letter": {"page": "e"},
    "a common target": {"target": "lens"},
    "a category": {"category": "Category 7"},
    "a probability": {"low": 0.3, "high": 0.35},
    "all of them": {"page": "a", "target": "i", "category": "Category 7", "low": 0.1, "high": 0.9},
    "nothing like it": {"page": "zzzz"},
}


class Took(NamedTuple):
    """What an answer took: by the clock, and of the processor's time."""

    ms: float
    cpu_ms: float


@dataclass(frozen=True, slots=True)
class Visitor:
    """A browser with the reviewer's cookie that looks at its watch."""

    connection: HTTPConnection
    cookie: str

    def get(self, path: str) -> tuple[Took, str]:
        """What it took, and the page."""
        return self._ask("GET", path, None)

    def post(self, page: str, action: str, **chosen: Any) -> Took:
        """What it took to answer the form of PAGE with this action."""
        body = urlencode(hidden_fields(page, action) | chosen)
        return self._ask("POST", action, body)[0]

    def _ask(self, method: str, path: str, body: str | None) -> tuple[Took, str]:
        headers = {"Cookie": self.cookie, "Content-Type": "application/x-www-form-urlencoded"}
        start, used = time.perf_counter(), time.process_time()
        self.connection.request(method, path, body, headers)
        answer = self.connection.getresponse()
        page = answer.read()
        took = Took(1000 * (time.perf_counter() - start), 1000 * (time.process_time() - used))
        assert answer.status in (200, 303), f"{path}: {answer.status}"
        return took, page.decode()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--proposals", type=int, default=100_000)
    options.add_argument("--pages", type=int, default=20_000)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--keep", type=Path)
    chosen = options.parse_args()
    with contextlib.ExitStack() as stack:
        folder = chosen.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        path = folder / "queue.db"
        is_new = not path.exists()
        store = stack.enter_context(open_store(path, create=True))
        if is_new:
            fill(store, chosen.pages, chosen.proposals)
        with served(store) as visitor:
            report = measure(store, visitor, chosen.rounds)
    print(json.dumps({"proposals": chosen.proposals, **report}, indent=2))


@contextlib.contextmanager
def served(store: Store) -> Iterator[Visitor]:
    """A visitor of the real server, which runs in a thread of its own."""
    server, review_app = make_server(store, "bench", port=0)
    get_ready(review_app)
    thread = threading.Thread(target=server.run)
    thread.start()
    review_app.background.begin("first pages", int).result()  # a browser needs longer to start
    try:
        yield visitor_of(review_app)
    finally:
        stop(server)
        thread.join()


def visitor_of(review_app: ReviewApp) -> Visitor:
    connection = HTTPConnection("127.0.0.1", review_app.port)
    return Visitor(connection, f"{review_app.cookie_name}={review_app.cookie}")


def measure(store: Store, visitor: Visitor, rounds: int) -> dict[str, Any]:
    times = {
        name: [visitor.get(path)[0] for _ in range(rounds)] for name, path in routes(store).items()
    }
    times |= filtered(store, visitor, rounds)
    times |= forms(visitor, rounds)
    slowest = sorted(times, key=lambda name: -max(times[name]).ms)
    answers = [one for seen in times.values() for one in seen]
    return {
        "limit_ms": LIMIT_MS,
        "addresses": len(times),
        "answers": len(answers),
        **rounded(answers),
        "over_limit": {
            name: rounded(seen) for name, seen in times.items() if max(seen).ms >= LIMIT_MS
        },
        "slowest": {name: rounded(times[name]) for name in slowest[:20]},
        "pages": {name: rounded(times[name]) for name in routes(store)},
        "forms": {name: rounded(seen) for name, seen in times.items() if name.startswith("POST")},
    }


def rounded(seen: list[Took]) -> dict[str, float]:
    return {
        "median_ms": round(statistics.median(took.ms for took in seen), 1),
        "worst_ms": round(max(took.ms for took in seen), 1),
        "median_cpu_ms": round(statistics.median(took.cpu_ms for took in seen), 1),
        "worst_cpu_ms": round(max(took.cpu_ms for took in seen), 1),
    }


def routes(store: Store) -> dict[str, str]:
    """Every route that has no filters, the long page first while nothing is in memory."""
    with store.reading() as session:
        middle = queue.lines(session, queue.Filters(1, low=0.5, high=0.5001), limit=1)[0].id
    return {
        "long page with diff": f"/page/{LONG_PAGE}",
        "long page, approved only": f"/page/{LONG_PAGE}?diff=approved",
        "topics": "/topics",
        "read": "/read/" + title(77).replace(" ", "_"),
        "read, the next": "/read/" + title(78).replace(" ", "_"),
        "read a long page": f"/read/{LONG_TITLE.replace(' ', '_')}",
        "read, choose": "/read?q=fog",
        "read, choose from all": "/read",
        "review": "/",
        "proposal": f"/proposal/{middle}",
        "target search": f"/proposal/{middle}/target?q=harb",
        "target search, one letter": f"/proposal/{middle}/target?q=e",
        "page with diff": "/page/77",
        "whole page": "/article/77",
        "a long page whole": f"/article/{LONG_PAGE}",
        "batches by target": "/batches/target",
        "batches by page": "/batches/page",
        "links to one target": "/batches/to/77",
        "list by page": "/queue?sort=page",
        "list by target": "/queue?sort=target",
        "list by words": "/queue?sort=link",
        "statistics": "/statistics",
        "never-link list": "/never",
        "help": "/help",
        "style": "/static/wikibot.css",
    }


def filtered(store: Store, visitor: Visitor, rounds: int) -> dict[str, list[Took]]:
    """The queue and the review page, by every state, every kind of filter and every place."""
    times = {}
    for state, (name, chosen) in product((*queue.STATES, queue.ANY_STATE), FILTERS.items()):
        for place, where in places(store, state, chosen).items():
            for route in ("/queue", "/") if "before" not in where else ("/",):
                path = f"{route}?{urlencode({'state': state, **in_address(chosen), **where})}"
                times[f"{route} {state}, {name}, {place}"] = [
                    visitor.get(path)[0] for _ in range(rounds)
                ]
    return times


def in_address(chosen: dict[str, Any]) -> dict[str, Any]:
    """The filters as an address has them: shares in per cent, under names of their own."""
    names = {"low": "least", "high": "most"}
    return {
        names.get(name, name): f"{100 * value:g}" if name in names else value
        for name, value in chosen.items()
    }


def places(store: Store, state: str, chosen: dict[str, Any]) -> dict[str, dict[str, int]]:
    """The start, the middle and the end of what the filters leave."""
    filters = queue.Filters(1, state=state, **chosen)
    with store.reading() as session:
        first, last = queue.first_id(session, filters), queue.last_id(session, filters)
        half = queue.lines(session, queue.Filters(1, state=queue.ANY_STATE, high=0.5), limit=1)
    if first is None or last is None:
        return {"the start": {}}
    return {
        "the start": {},
        "the middle": {"after": half[0].id},
        "the end": {"after": last},
        "backwards from the start": {"before": first},
    }


def forms(visitor: Visitor, rounds: int) -> dict[str, list[Took]]:
    """Every kind of form, sent as often as there are rounds."""
    times: dict[str, list[Took]] = {}
    for _ in range(rounds):
        for name, took in one_of_each(visitor):
            times.setdefault(f"POST {name}", []).append(took)
    return times


def one_of_each(visitor: Visitor) -> Iterator[tuple[str, Took]]:
    """A reviewer's minute; what was done is taken back, so that rounds are alike."""
    for form, chosen in (
        ("decide", {"verdict": "approve"}),
        ("decide", {"verdict": "reject"}),
        ("decide", {"verdict": "skip"}),
        ("move", {"step": "widen-start"}),
    ):
        page = visitor.get("/?least=20&most=80")[1]
        here = page.partition('action="/proposal/')[2].partition("/")[0]
        yield next(iter(chosen.values())), visitor.post(page, f"/proposal/{here}/{form}", **chosen)
        yield "undo", take_back(visitor, "/decision/")
    for kind, value in (("target", title(91)), ("word", "keeper")):
        page = visitor.get("/never")[1]
        yield f"never link a {kind}", visitor.post(page, "/never", kind=kind, value=value)
        yield f"allow the {kind} again", take_back(visitor, "/never/")


def take_back(visitor: Visitor, action: str) -> Took:
    """Sends the last form of its page whose action begins so."""
    page = visitor.get("/never" if action == "/never/" else "/")[1]
    rest = page.rpartition(f'action="{action}')[2].partition('"')[0]
    return visitor.post(page, action + rest)


if __name__ == "__main__":
    main()
