"""Mapping over pages: a loop and processes agree, in the order of the items."""

from __future__ import annotations

import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from wikibot import engine
from wikibot.engine import WORTH_PROCESSES_ITEMS, ChildFailed, map_pages, run_apart

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
