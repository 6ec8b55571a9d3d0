"""Reading ahead keeps the order, passes trouble on, and stops when nobody listens."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from tests.waiting import wait_until
from wikibot.errors import WikiUnavailable
from wikibot.fetch.ahead import read_ahead


def test_things_come_in_order_and_end() -> None:
    assert list(read_ahead(range(100), 3)) == list(range(100))
    assert list(read_ahead([], 3)) == []


def test_trouble_comes_after_the_things_before_it() -> None:
    def broken() -> Iterator[int]:
        yield 1
        yield 2
        raise WikiUnavailable("gone")

    found = []
    with pytest.raises(WikiUnavailable, match="gone"):
        found.extend(read_ahead(broken(), 5))
    assert found == [] or found == [1, 2]
    stream = read_ahead(broken(), 5)
    assert [next(stream), next(stream)] == [1, 2]


def test_no_more_than_the_limit_is_taken_ahead() -> None:
    taken: list[int] = []

    def endless() -> Iterator[int]:
        number = 0
        while True:
            number += 1
            taken.append(number)
            yield number

    stream = read_ahead(endless(), 4)
    assert next(stream) == 1
    wait_until(lambda: len(taken) >= 5, within_s=10, what="the thread to be ahead")
    assert len(taken) <= 7
    stream.close()


def test_the_thread_ends_when_the_reader_goes_away() -> None:
    before = threading.active_count()
    stream = read_ahead(iter(range(10**9)), 2)
    next(stream)
    stream.close()
    wait_until(lambda: threading.active_count() <= before, within_s=10, what="the thread's end")
