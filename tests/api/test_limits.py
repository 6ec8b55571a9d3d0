"""Limits of rate and time by themselves."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.waiting import wait_until
from wikibot.api.errors import ApiError
from wikibot.api.rate import BURST_S, RateLimit
from wikibot.api.timed_calls import MOST_WAITING, TimedCalls


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_as_many_requests_pass_as_the_rate_allows() -> None:
    clock = Clock()
    limit = RateLimit(120, clock=clock)
    passed = 0
    for _ in range(600):
        clock.now += 0.1  # 600 requests in a minute
        passed += limit.wait_s("ann") == 0
    assert 120 <= passed <= 120 + 2 * BURST_S


def test_after_the_wait_the_request_passes() -> None:
    clock = Clock()
    limit = RateLimit(60, clock=clock)
    while not (wait := limit.wait_s("ann")):
        pass
    clock.now += wait
    assert limit.wait_s("ann") == 0


def test_users_have_limits_of_their_own() -> None:
    limit = RateLimit(1, clock=Clock())
    assert limit.wait_s("ann") == 0 and limit.wait_s("ann") > 0
    assert limit.wait_s("bob") == 0


def test_0_means_any_number() -> None:
    limit = RateLimit(0, clock=Clock())
    assert not any(limit.wait_s("ann") for _ in range(1000))


def test_processes_share_the_limit() -> None:
    limit = RateLimit(1)
    child = os.fork()
    if not child:
        os._exit(0 if limit.wait_s("ann") == 0 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert limit.wait_s("ann") > 0


def in_a_process(limit_s: float, ask: Callable[[TimedCalls], bool]) -> bool:
    """What ASK says from a thread, while the main thread of another process makes the calls."""
    child = os.fork()
    if not child:
        calls = TimedCalls(limit_s)
        calls.start_serving()
        threading.Thread(target=lambda: os._exit(0 if ask(calls) else 1)).start()
        calls.run()
    return os.waitpid(child, 0)[1] == 0


def is_refused(calls: TimedCalls, function: Callable[[], object], code: str) -> bool:
    try:
        calls.call(function)
    except ApiError as error:
        return error.code == code and error.status == 503
    return False


def spin() -> None:
    while True:
        pass


def test_a_call_that_takes_too_long_is_ended_and_the_next_one_is_made() -> None:
    assert in_a_process(
        0.3, lambda calls: is_refused(calls, spin, "too-long-taken") and calls.call(lambda: 7) == 7
    )


def test_what_waits_too_long_is_not_begun() -> None:
    begun: list[int] = []

    def ask(calls: TimedCalls) -> bool:
        with ThreadPoolExecutor(2) as threads:
            first = threads.submit(is_refused, calls, spin, "too-long-taken")
            wait_until(lambda: calls.is_busy, within_s=60, what="the first call")
            second = threads.submit(
                is_refused, calls, lambda: [spin(), begun.append(1)], "too-long-taken"
            )
            return first.result() and second.result() and not begun

    assert in_a_process(0.3, ask)


def test_an_error_of_the_call_reaches_who_asked() -> None:
    def ask(calls: TimedCalls) -> bool:
        with pytest.raises(ZeroDivisionError):
            calls.call(lambda: 1 // 0)
        return True

    assert in_a_process(5, ask)


def test_when_too_many_wait_more_are_refused_at_once() -> None:
    calls = TimedCalls(5)
    calls.start_serving()  # and nobody makes the calls
    threads = [
        threading.Thread(target=calls.call, args=(int,), daemon=True) for _ in range(MOST_WAITING)
    ]
    for thread in threads:
        thread.start()
    wait_until(lambda: calls.waiting >= MOST_WAITING, within_s=60, what="a full queue of calls")
    assert is_refused(calls, int, "busy")


def test_where_nobody_makes_calls_they_are_made_at_once() -> None:
    assert TimedCalls(5).call(lambda: 7) == 7
