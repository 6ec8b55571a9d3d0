"""python benchmarks/fetch_export.py [EXPORT] [--processes N] [--rounds N]

Time of `wikibot fetch --export` against a bare mwparserfromhell.parse of the same pages with the
same number of processes, turn by turn in one run. Both are timed from start to end, processes
included; the bare parse has its texts in memory and need not unpack, scan, split or store anything.
On a machine that does other things too, the ratio of computing time is the steadier one.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import time
from pathlib import Path

import mwparserfromhell

from wikibot.fetch.export import ExportReader
from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.fetch.report import FetchReport
from wikibot.store import open_store

DATA = Path(os.environ.get("WIKIBOT_DATA", Path(__file__).parents[2] / "shared" / "data"))


def parse(text: str) -> int:
    return len(mwparserfromhell.parse(text).nodes)


class Timed:
    """Seconds on the clock and seconds of computing, of this process and those it started."""

    def __enter__(self) -> Timed:
        self._clock, self._cpu = time.perf_counter(), computed()
        return self

    def __exit__(self, *_: object) -> None:
        self.clock = round(time.perf_counter() - self._clock, 2)
        self.cpu = round(computed() - self._cpu, 2)


def computed() -> float:
    return sum(os.times()[:4])


def bare_parse(texts: list[str], processes: int) -> Timed:
    with Timed() as timed:
        pool = multiprocessing.get_context("spawn").Pool(processes)
        for _ in pool.imap(parse, texts, chunksize=10):
            pass
        pool.close()
        pool.join()
    return timed


def fetch(export: Path, processes: int) -> tuple[Timed, FetchReport]:
    with (
        tempfile.TemporaryDirectory() as folder,
        Timed() as timed,
        open_store(Path(folder) / "wiki.db", create=True) as store,
    ):
        report = fetch_export(store, ExportOptions(export, processes=processes))
    return timed, report


def fetch_again(export: Path, processes: int) -> float:
    """The time of a second fetch, in which nothing has changed."""
    with tempfile.TemporaryDirectory() as folder:
        with open_store(Path(folder) / "wiki.db", create=True) as store:
            fetch_export(store, ExportOptions(export, processes=processes))
            started = time.perf_counter()
            fetch_export(store, ExportOptions(export, processes=processes))
        return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("export", nargs="?", type=Path, default=DATA / "en-superheroes.xml.bz2")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    texts = [page.text or "" for page in ExportReader(given.export).pages() if page.namespace == 0]
    bare, ours = [], []
    for _ in range(given.rounds):
        bare.append(bare_parse(texts, given.processes))
        timed, report = fetch(given.export, given.processes)
        ours.append(timed)
    result = {
        "export": given.export.name,
        "processes": given.processes,
        "characters": sum(map(len, texts)),
        "pages": report.pages,
        "redirects": report.redirects,
        "links": report.links,
        "links_within_set": report.links_within_set,
        "skipped": len(report.skipped),
        "bare_parse_seconds": [one.clock for one in bare],
        "fetch_seconds": [one.clock for one in ours],
        "ratio": round(min(one.clock for one in ours) / min(one.clock for one in bare), 3),
        "bare_parse_cpu_seconds": [one.cpu for one in bare],
        "fetch_cpu_seconds": [one.cpu for one in ours],
        "cpu_ratio": round(min(one.cpu for one in ours) / min(one.cpu for one in bare), 3),
        "unchanged_fetch_seconds": round(fetch_again(given.export, given.processes), 2),
    }
    json.dump(result, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
