"""Mapping over pages: a loop and processes agree, in the order of the items."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from wikibot import engine
from wikibot.engine import (
    WORTH_PROCESSES_ITEMS,
    ChildFailed,
    Spool,
    map_pages,
    run_apart,
    watching,
)
from wikibot.errors import ModelError

ITEMS = list(range(WORTH_PROCESSES_ITEMS + 37))


def test_a_loop_and_processes_agree() -> None:
    factor = 3  # processes are forked, so that the function may hold anything

    def times(item: int) -> int:
        return item * factor

    loop = list(map_pages(times, ITEMS, processes=1))
    assert loop == [item * 3 for item in ITEMS]
    assert list(map_pages(times, ITEMS, processes=2)) == loop
    assert list(map_pages(times, ITEMS, processes=3)) == loop


def test_many_items_are_mapped_in_other_processes() -> None:
    found = set(map_pages(lambda _: os.getpid(), ITEMS, processes=2))
    assert os.getpid() not in found
    assert 1 <= len(found) <= 2


def test_few_items_are_mapped_here() -> None:
    few = ITEMS[: WORTH_PROCESSES_ITEMS - 1]
    assert set(map_pages(lambda _: os.getpid(), few, processes=2)) == {os.getpid()}


def test_no_items_give_no_answers() -> None:
    assert list(map_pages(str, [])) == []


def test_answers_of_a_loop_come_one_by_one() -> None:
    seen = []
    answers = map_pages(seen.append, ITEMS, processes=1)
    next(answers)
    assert seen == [0]


@pytest.mark.parametrize("processes", [1, 2])
def test_an_error_reaches_the_caller_and_leaves_nothing_behind(processes: int) -> None:
    with pytest.raises(ZeroDivisionError):
        list(map_pages(lambda item: 1 // (item - 100), ITEMS, processes=processes))
    assert engine._function is None
    assert list(map_pages(str, ITEMS, processes=processes)) == [str(item) for item in ITEMS]


def test_items_of_a_stream_are_taken_as_they_are_needed() -> None:
    taken = []

    def stream() -> Iterator[int]:
        for item in range(10_000):
            taken.append(item)
            yield item

    answers = map_pages(str, stream(), processes=2)
    assert next(answers) == "0"
    answers.close()
    assert len(taken) < 1000


def test_a_process_that_is_killed_ends_the_run_in_one_sentence() -> None:
    def killed(item: int) -> int:
        if item == 150:
            os.kill(os.getpid(), signal.SIGKILL)
        return item

    with pytest.raises(ModelError, match="run the same command again"):
        list(map_pages(killed, ITEMS, processes=2))


def test_what_is_done_is_told_to_whoever_watches() -> None:
    told: list[tuple[int, int | None]] = []
    with watching(lambda done, total: told.append((done, total))):
        list(map_pages(str, ITEMS, processes=1))
        list(map_pages(str, iter(ITEMS[:3]), processes=1))
    assert told[: len(ITEMS)] == [(n + 1, len(ITEMS)) for n in range(len(ITEMS))]
    assert told[len(ITEMS) :] == [(1, None), (2, None), (3, None)]


def test_a_spool_gives_back_what_was_appended_in_any_order(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    contents = [bytes([n]) * n for n in range(50)]
    assert [spool.append(content) for content in contents] == list(range(50))
    assert [spool[n] for n in reversed(range(50))] == contents[::-1]
    assert spool[3:6] == contents[3:6] and spool[-1] == contents[-1]
    assert (len(spool), spool.size_bytes) == (50, sum(map(len, contents)))
    assert not list(tmp_path.iterdir()), "the file has no name that could be left behind"
    with pytest.raises(IndexError):
        spool[50]


def test_forked_processes_read_the_same_spool() -> None:
    spool = Spool()
    for item in ITEMS:
        spool.append(b"%d" % item)
    found = list(map_pages(lambda item: (int(spool[item]), os.getpid()), ITEMS, processes=2))
    assert [item for item, _ in found] == ITEMS
    assert os.getpid() not in {pid for _, pid in found}


def test_work_done_apart_leaves_its_files_and_takes_its_memory_along(tmp_path: Path) -> None:
    path = tmp_path / "pid"
    run_apart(lambda: path.write_text(str(os.getpid())) and None)
    assert int(path.read_text()) != os.getpid()


def test_work_apart_that_fails_is_told_with_its_code() -> None:
    with pytest.raises(ChildFailed, match="7"):
        run_apart(lambda: os._exit(7))


def test_work_apart_ends_when_it_is_not_waited_for_any_more(tmp_path: Path) -> None:
    before = {process.pid for process in multiprocessing.active_children()}

    def interrupted() -> None:
        os.kill(os.getppid(), signal.SIGUSR1)
        signal.pause()

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGUSR1, stop)
    try:
        with pytest.raises(KeyboardInterrupt):
            run_apart(interrupted)
    finally:
        signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    assert {process.pid for process in multiprocessing.active_children()} == before
