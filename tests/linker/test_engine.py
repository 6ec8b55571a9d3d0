"""Mapping over pages: a loop and processes agree, in the order of the items."""

from __future__ import annotations

import os

import pytest

from wikibot import engine
from wikibot.engine import WORTH_PROCESSES_ITEMS, map_pages

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
