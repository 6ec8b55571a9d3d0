"""How fast the review page answers with 100,000 proposals in the queue: JSON on standard output.

    python benchmarks/review.py [--proposals 100000] [--rounds 20]

Every page is asked for over a real socket, through waitress; times are milliseconds from the
request to the last byte. `cpu_ms` is the processor time of server and client together, which tells
more than the clock where other programs are at work. The database is made anew, with 20,000 pages
and decisions of all kinds.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sqlalchemy import insert

from tests.review.sample import NOW
from wikibot.store import Store, open_store
from wikibot.store.tables import Category, CategoryMember, Decision, Page, Suggestion, Wiki
from wikibot.web.desk import Desk
from wikibot.web.serve import make_server, stop
from wikibot.wikitext import SiteRules

LIMIT_MS = 100.0
WORDS = (
    "river",
    "bridge",
    "tower",
    "stone",
    "harbour",
    "light",
    "fog",
    "keeper",
    "glass",
    "lens",
    "wheel",
    "spring",
    "wall",
    "ship",
    "tide",
)
PARAGRAPH = "The old {a} stands near the {b}, and every {c} that passes the {d} can see its lamp. "


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--proposals", type=int, default=100_000)
    options.add_argument("--pages", type=int, default=20_000)
    options.add_argument("--rounds", type=int, default=20)
    chosen = options.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        open_store(Path(folder) / "queue.db", create=True) as store,
    ):
        fill(store, chosen.pages, chosen.proposals)
        report = measure(store, chosen.rounds, chosen.proposals)
    report["proposals"] = chosen.proposals
    print(json.dumps(report, indent=2))


def fill(store: Store, pages: int, proposals: int) -> None:
    """A wiki with so many pages and proposals, a fifth of which are decided."""
    draw = random.Random(1)
    rules = SiteRules.for_language("en")
    with store.writing() as session:
        session.add(
            Wiki(
                id=1, name="bench.example.org", language="en", linktrail=rules.linktrail,
                capital_links=True, namespaces=dict(rules.namespaces),
                article_url="https://bench.example.org/wiki/$1",
                site_rules=json.loads(rules.to_json()), fetched_at=NOW,
            )
        )  # fmt: skip
        session.flush()
        connection = session.connection()
        connection.execute(insert(Page), list(page_rows(draw, pages)))
        categories = [{"id": n, "wiki_id": 1, "title": f"Category {n}"} for n in range(1, 201)]
        connection.execute(insert(Category), categories)
        members = [{"category_id": n % 200 + 1, "page_id": n} for n in range(1, pages + 1)]
        connection.execute(insert(CategoryMember), members)
        rows = list(proposal_rows(draw, pages, proposals))
        connection.execute(insert(Suggestion), rows)
        connection.execute(insert(Decision), list(decision_rows(draw, rows)))


def page_rows(draw: random.Random, pages: int) -> Iterator[dict[str, Any]]:
    for number in range(1, pages + 1):
        text = "".join(
            PARAGRAPH.format(**dict(zip("abcd", draw.sample(WORDS, 4), strict=True)))
            + ("\n\n" if n % 6 == 5 else "")
            for n in range(40)
        )
        yield {
            "id": number, "wiki_id": 1, "page_id": number, "title": title(number), "namespace": 0,
            "revision_id": number, "wikitext": text, "length": len(text), "summary": text[:80],
            "in_set": True, "is_disambiguation": False,
        }  # fmt: skip


def title(number: int) -> str:
    return f"{WORDS[number % 15].title()} {WORDS[number // 15 % 15]} {number}"


def proposal_rows(draw: random.Random, pages: int, proposals: int) -> Iterator[dict[str, Any]]:
    states = draw.choices(
        ["pending", "approved", "rejected", "skipped"], weights=[80, 12, 6, 2], k=proposals
    )
    for number, state in enumerate(states):
        page = number % pages + 1
        target = (page + 1 + number // pages * 37) % pages + 1
        start = 8
        yield {
            "id": number + 1, "wiki_id": 1, "page_id": page, "target_id": target,
            "revision_id": page, "start": start, "end": start + 5, "anchor": "stone",
            "wikitext": f"[[{title(target)}|stone]]", "sentence_start": 0, "sentence_end": 60,
            "sentence": "The old stone stands near the river, and all can see its lamp.",
            "probability": round(draw.random(), 4), "reasons": [{"id": "title", "args": {}}],
            "state": state, "version": 1, "created_at": NOW,
        }  # fmt: skip


def decision_rows(draw: random.Random, rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    verdicts = {"approved": "approve", "rejected": "reject", "skipped": "skip"}
    for row in rows:
        if row["state"] in verdicts:
            yield {
                "suggestion_id": row["id"], "verdict": verdicts[row["state"]], "note": None,
                "reason": "everyday-word" if row["state"] == "rejected" else None,
                "reviewer": draw.choice(["alice", "bob"]), "source": "web", "decided_at": NOW,
                "undone": False, "before": {"state": "pending"},
            }  # fmt: skip


def paths(proposals: int) -> dict[str, str]:
    middle = proposals // 2
    return {
        "review": "/",
        "review, in the middle": f"/?after={middle}",
        "review, backwards": f"/?before={middle}",
        "proposal": f"/proposal/{middle}",
        "target search": f"/proposal/{middle}/target?q=harb",
        "list": "/queue",
        "list, deep": f"/queue?after={middle}",
        "list, any state": "/queue?state=any",
        "list by page": "/queue?page=harbour+light+7",
        "list by common word": "/queue?page=harbour",
        "list by target": "/queue?target=lens",
        "list by category": "/queue?category=Category+7",
        "list by probability": "/queue?low=0.3&high=0.35",
        "list that finds nothing": "/queue?page=zzzz",
        "review by common word": "/?page=harbour",
        "page with diff": "/page/77",
        "statistics": "/statistics",
        "never-link list": "/never",
        "read": "/read/" + title(77).replace(" ", "_"),
        "read, choose": "/read?q=fog",
        "help": "/help",
    }


def measure(store: Store, rounds: int, proposals: int) -> dict[str, Any]:
    server, desk = make_server(store, "bench", port=0)
    thread = threading.Thread(target=server.run)
    thread.start()
    times = {name: timed(desk, path, rounds) for name, path in paths(proposals).items()}
    stop(server)
    thread.join()
    worst = max(times.values(), key=lambda one: one["worst_ms"])
    return {
        "limit_ms": LIMIT_MS,
        "worst_ms": worst["worst_ms"],
        "most_cpu_ms": max(one["cpu_ms"] for one in times.values()),
        "all_medians_under_limit": all(one["median_ms"] < LIMIT_MS for one in times.values()),
        "all_under_limit": all(one["worst_ms"] < LIMIT_MS for one in times.values()),
        "pages": times,
    }


def timed(desk: Desk, path: str, rounds: int) -> dict[str, float]:
    connection = HTTPConnection("127.0.0.1", desk.port)
    headers = {"Cookie": f"{desk.cookie_name}={desk.cookie}"}
    seen, busy = [], []
    for _ in range(rounds + 1):
        start, used = time.perf_counter(), time.process_time()
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        seen.append(1000 * (time.perf_counter() - start))
        busy.append(1000 * (time.process_time() - used))
        assert answer.status == 200, f"{path}: {answer.status}"
    connection.close()
    warm = seen[1:]
    return {
        "first_ms": round(seen[0], 1),
        "median_ms": round(statistics.median(warm), 1),
        "worst_ms": round(max(warm), 1),
        "cpu_ms": round(statistics.median(busy[1:]), 1),
    }


if __name__ == "__main__":
    main()
