"""python benchmarks/api.py [EXPORT | --db FILE] [--words 800] [--requests 400] [--clients 4]

Requests per second, latencies and memory of `wikibot serve --api-only` with two processes, asked for
link recommendations for pages of some 800 words, as JSON. On a machine that does other things too,
look at the requests per second of computing (`requests_per_s_by_cpu`, for two cores).
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from wikibot.store import open_store
from wikibot.store.pages import articles, wiki_by_name

DATA = Path(os.environ.get("WIKIBOT_DATA", Path(__file__).parents[2] / "shared" / "data"))
WORKERS = 2


def learned(export: Path, folder: Path) -> Path:
    """A database of the export, learned from."""
    database = folder / "wiki.db"
    for words in (["fetch", "--export", str(export)], ["train"]):
        command = [sys.executable, "-m", "wikibot", *words, "--db", str(database), "--json"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return database


def pages_of(database: Path, words: int) -> list[tuple[str, bytes]]:
    """Address and body of a request for each page, cut to so many words at the end of a line."""
    with open_store(database) as store, store.reading() as session:
        rows = articles(session, wiki_by_name(session).id)
    found = []
    for row in rows:
        parts = re.findall(r"\S+\s*", row.wikitext)
        if len(parts) >= words:
            text = "".join(parts[:words]).rpartition("\n")[0] or "".join(parts[:words])
            body = {"pageid": row.page_id, "revid": row.revision_id, "wikitext": text}
            path = (
                f"/v1/linkrecommendations/wikipedia/any/{quote(row.title, safe='')}?threshold=0.5"
            )
            found.append((path, json.dumps(body).encode()))
    if not found:
        raise SystemExit(f"No page has {words} words.")
    return found


def ask(place: str, requests: list[tuple[str, bytes]]) -> list[float]:
    """Milliseconds of each request, one after the other on one connection."""
    connection = http.client.HTTPConnection(place, timeout=120)
    taken = []
    for path, body in requests:
        begun = time.perf_counter()
        connection.request("POST", path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        taken.append(1000 * (time.perf_counter() - begun))
        assert answer.status == 200, answer.status
    connection.close()
    return taken


def children_of(process: int) -> list[int]:
    return [
        int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()
    ]


def cpu_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def own_memory_mb(process: int) -> float:
    """Memory of the process that is not a mapped file."""
    status = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"RssAnon:\s+(\d+) kB", status)
    assert found
    return round(int(found[1]) / 1024, 1)


def measure(database: Path, words: int, count: int, clients: int) -> dict[str, Any]:
    """The figures of one run."""
    pages = pages_of(database, words)
    requests = [pages[n % len(pages)] for n in range(count)]
    command = [sys.executable, "-m", "wikibot", "serve", "--api-only", "--db", str(database)]
    server = subprocess.Popen(
        [*command, "--workers", str(WORKERS)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found
        place = urlsplit(found[0]).netloc
        parts = [requests[n::clients] for n in range(clients)]
        with ThreadPoolExecutor(clients) as threads:
            list(threads.map(lambda part: ask(place, part[:10]), parts))
            workers = children_of(server.pid)
            before, begun = sum(map(cpu_s, workers)), time.perf_counter()
            taken = [
                ms for some in threads.map(lambda part: ask(place, part), parts) for ms in some
            ]
        seconds = time.perf_counter() - begun
        cpu = sum(map(cpu_s, workers)) - before
        memory = max(map(own_memory_mb, workers))
    finally:
        server.terminate()
        server.wait()
    return {
        "words": words,
        "pages": len(pages),
        "requests": len(taken),
        "clients": clients,
        "workers": WORKERS,
        "requests_per_s": round(len(taken) / seconds, 1),
        "requests_per_s_by_cpu": round(WORKERS * len(taken) / cpu, 1),
        "cpu_ms_per_request": round(1000 * cpu / len(taken), 1),
        "p50_ms": round(statistics.median(taken), 1),
        "p99_ms": round(statistics.quantiles(taken, n=100)[98], 1),
        "memory_mb_per_worker": memory,
        "load_of_machine": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("export", nargs="?", type=Path, default=DATA / "wikis" / "en-electowiki.xml.bz2")  # fmt: skip
    parser.add_argument("--db", type=Path, help="a database that was learned from already")
    parser.add_argument("--words", type=int, default=800)
    parser.add_argument("--requests", type=int, default=400)
    parser.add_argument("--clients", type=int, default=4)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = given.db or learned(given.export, Path(folder))
        print(json.dumps(measure(database, given.words, given.requests, given.clients), indent=2))


if __name__ == "__main__":
    main()
