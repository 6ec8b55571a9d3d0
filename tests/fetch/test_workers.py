"""Pages are read by several processes, in order, and a bad page harms only itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.fetch.tasks import obey
from tests.waiting import wait_until
from wikibot.errors import BadInput
from wikibot.fetch import workers as module
from wikibot.fetch.workers import Answer, Workers
from wikibot.source import SourcePage
from wikibot.wikitext.rules import SiteRules

GERMAN = SiteRules.for_language("de")
REPOSITORY = Path(__file__).parents[2]


def pages(*texts: str) -> list[SourcePage]:
    return [SourcePage(n, f"P{n}", 0, n, "", text) for n, text in enumerate(texts)]


def answers(given: Iterable[SourcePage], processes: int = 2) -> list[Answer]:
    with Workers(obey, GERMAN, processes, seconds_per_page=0.3) as workers:
        return list(workers.read(given))


def test_answers_come_in_the_order_of_the_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_PAGES", 3)
    given = pages(*("x" * n for n in range(40)))
    assert answers(given, 3) == [Answer(p, None, (p.title, "de", p.page_id)) for p in given]


def test_no_pages_give_no_answers() -> None:
    assert answers([]) == []


def test_a_page_that_hangs_or_crashes_is_skipped_and_the_others_are_read() -> None:
    found = answers(pages("a", "hang", "b", "crash", "refuse", "fail", "swallow memory", "c"))
    problems = {answer.page.title: answer.problem for answer in found if answer.problem}
    assert problems == {
        "P1": "The page took longer than 0.3 s to read. It is skipped.",
        "P3": "The wikitext parser crashed on the page. It is skipped.",
        "P4": "Not safe.",
        "P5": "The page could not be read (ValueError: a bug).",
        "P6": "The page could not be read (MemoryError: ).",
    }
    assert [answer.value for answer in found if not answer.problem] == [
        ("P0", "de", 1),
        ("P2", "de", 1),
        ("P7", "de", 1),
    ]


def test_a_worker_that_cannot_work_ends_the_run_with_a_sentence() -> None:
    with pytest.raises(BadInput, match="A reading process ended with code 3"):
        answers(pages("exit"))


def test_only_a_few_batches_are_taken_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_PAGES", 1)
    monkeypatch.setattr(module, "BATCHES_AHEAD", 2)
    taken = 0

    def endless() -> Iterator[SourcePage]:
        nonlocal taken
        while True:
            taken += 1
            yield SourcePage(taken, "P", 0, 1, "", "x")

    with Workers(obey, GERMAN, 1) as workers:
        stream = workers.read(endless())
        for _ in range(5):
            next(stream)
    assert taken < 12


def test_no_process_is_left_however_the_block_ends() -> None:
    with pytest.raises(KeyboardInterrupt), Workers(obey, GERMAN, 2) as workers:
        stream = workers.read(pages("x") * 3)
        next(stream)
        pids = [process.pid for process in workers._processes.values()]
        raise KeyboardInterrupt
    assert pids
    assert not any(is_running(pid) for pid in pids if pid is not None)


ORPHANS = """
import os, signal
from tests.fetch.tasks import obey
from wikibot.source import SourcePage
from wikibot.fetch.workers import Workers
from wikibot.wikitext.rules import SiteRules
if __name__ == "__main__":
    workers = Workers(obey, SiteRules.for_language("en"), 2)
    next(workers.read([SourcePage(1, "P", 0, 1, "", "x")]))
    print(*(process.pid for process in workers._processes.values()), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.crash
def test_workers_end_when_their_parent_is_killed() -> None:
    command = [sys.executable, "-c", ORPHANS]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=60)
    assert done.returncode == -signal.SIGKILL
    pids = [int(word) for word in done.stdout.split()]
    assert len(pids) == 2
    wait_until(
        lambda: not any(map(is_running, pids)), within_s=30, what="the end of the orphaned workers"
    )


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state != "Z"
