"""python benchmarks/fetch_scale.py [--sizes 25000 100000]

Memory and time of `wikibot fetch --export` on invented exports of two sizes: memory of all
processes together must stay flat, time must grow no faster than the pages.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from synthetic import write_export


def memory_of_tree(root: int) -> int:
    """Bytes in memory (proportional share) of a process and all its descendants."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    total, waiting = 0, [root]
    while waiting:
        pid = waiting.pop()
        waiting += children.get(pid, [])
        total += proportional_share(pid)
    return total


def proportional_share(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:")), 0)


class MemoryWatch:
    """The most memory that a process and its descendants had while it ran."""

    def __init__(self, pid: int) -> None:
        self.most, self._pid, self._over = 0, pid, threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> MemoryWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(0.25):
            self.most = max(self.most, memory_of_tree(self._pid))


def fetch(folder: Path, pages: int) -> dict[str, Any]:
    export = write_export(folder / f"{pages}.xml.bz2", pages)
    words = ["fetch", "--export", str(export), "--db", str(folder / f"{pages}.db"), "--json"]
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "wikibot", *words], stdout=subprocess.PIPE, text=True
    )
    with MemoryWatch(process.pid) as watch:
        out, _ = process.communicate()
    seconds = time.perf_counter() - started
    report = json.loads(out)
    return {
        "pages_in_export": pages,
        "pages": report["pages"],
        "redirects": report["redirects"],
        "links": report["links"],
        "links_within_set": report["links_within_set"],
        "seconds": round(seconds, 1),
        "pages_per_second": round(pages / seconds, 1),
        "memory_mb": round(watch.most / 1e6),
        "database_mb": round((folder / f"{pages}.db").stat().st_size / 1e6),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs=2, type=int, default=[25_000, 100_000])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        small, large = (fetch(Path(folder), pages) for pages in given.sizes)
    result = {
        "runs": [small, large],
        "ratio_of_pages": large["pages_in_export"] / small["pages_in_export"],
        "ratio_of_seconds": round(large["seconds"] / small["seconds"], 2),
        "ratio_of_memory": round(large["memory_mb"] / small["memory_mb"], 2),
    }
    json.dump(result, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
