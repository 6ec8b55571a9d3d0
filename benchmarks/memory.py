"""How much memory and computing a command and all its descendants take, while it runs."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EVERY_SECONDS = 0.5


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
    """Bytes of one process; what several share counts in parts."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:")), 0)


class MemoryWatch:
    """The memory of a process and its descendants while it runs: (seconds, bytes)."""

    def __init__(self, pid: int) -> None:
        self.series: list[tuple[float, int]] = []
        self._pid, self._over, self._begun = pid, threading.Event(), time.perf_counter()
        self._thread = threading.Thread(target=self._watch)

    @property
    def most(self) -> int:
        return max((amount for _, amount in self.series), default=0)

    def __enter__(self) -> MemoryWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(EVERY_SECONDS):
            passed = time.perf_counter() - self._begun
            self.series.append((round(passed, 1), memory_of_tree(self._pid)))


@dataclass(frozen=True, slots=True)
class Measured:
    """What a command said (as JSON), and what it took."""

    report: dict[str, Any]
    seconds: float
    cpu_seconds: float
    most_bytes: int
    series: list[tuple[float, int]]


def measured_wikibot(words: Sequence[str]) -> Measured:
    """Run `wikibot WORDS --json`."""
    before, begun = _cpu_of_children(), time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "wikibot", *words, "--json"], stdout=subprocess.PIPE, text=True
    )
    with MemoryWatch(process.pid) as watch:
        out, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"wikibot {words[0]} ended with code {process.returncode}")
    seconds = time.perf_counter() - begun
    cpu = _cpu_of_children() - before
    return Measured(json.loads(out), seconds, cpu, watch.most, watch.series)


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
