"""Limits of rate and time by themselves."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

import pytest
from flask import Flask

from tests.waiting import wait_until
from wikibot.api.errors import ApiError, say_why
from wikibot.api.rate import BURST_S, RateLimit
from wikibot.api.room import leave_room
from wikibot.api.timed_calls import TimedCalls

Answer = TypeVar("Answer")


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


def is_refused(calls: TimedCalls, function: Callable[[], object]) -> bool:
    try:
        calls.call(function)
    except ApiError as error:
        return (error.status, error.code) == (503, "too-long-taken")
    return False


def spin() -> None:
    while True:
        pass


def in_threads(count: int, function: Callable[[], Answer]) -> list[Answer]:
    with ThreadPoolExecutor(count) as threads:
        asked = [threads.submit(function) for _ in range(count)]
        return [one.result(60) for one in asked]


def test_a_call_that_takes_too_long_is_ended_in_any_thread_and_the_next_one_is_made() -> None:
    calls = TimedCalls(0.2)
    assert in_threads(2, lambda: is_refused(calls, spin)) == [True, True]
    assert in_threads(2, lambda: calls.call(lambda: 7)) == [7, 7]
    assert is_refused(calls, spin), "in the main thread too"


def test_what_catches_every_error_is_ended_too() -> None:
    def stubborn() -> None:
        while True:
            with suppress(Exception):
                spin()

    assert in_threads(1, lambda: is_refused(TimedCalls(0.2), stubborn)) == [True]


class Deaf:
    """Python drops whatever is raised while an object is tidied up."""

    def __del__(self) -> None:
        end = time.monotonic() + 0.4
        while time.monotonic() < end:
            pass


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_call_that_does_not_hear_the_first_alarm_is_ended_by_a_later_one() -> None:
    def deaf_at_first() -> None:
        Deaf()
        spin()

    assert in_threads(1, lambda: is_refused(TimedCalls(0.2), deaf_at_first)) == [True]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_call_that_ends_without_having_heard_the_alarm_returns() -> None:
    def deaf() -> int:
        Deaf()
        return 7

    assert in_threads(1, lambda: TimedCalls(0.2).call(deaf)) == [7]


def test_what_waits_too_long_is_not_begun() -> None:
    calls, go_on = TimedCalls(0.2), threading.Event()
    begun: list[int] = []
    with ThreadPoolExecutor(1) as threads:
        threads.submit(TimedCalls.call, calls, lambda: go_on.wait(60))
        wait_until(lambda: calls.is_busy, within_s=60, what="the first call")
        assert is_refused(calls, lambda: begun.append(1))
        go_on.set()
    assert not begun


def test_one_call_is_made_at_a_time() -> None:
    calls = TimedCalls(60)
    inside: list[int] = []
    most: list[int] = []

    def compute() -> None:
        inside.append(1)
        most.append(len(inside))
        sum(range(20_000))
        inside.pop()

    in_threads(8, lambda: [calls.call(compute) for _ in range(10)])
    assert max(most) == 1 and len(most) == 80


def test_a_call_that_ends_just_in_time_is_never_interrupted_later() -> None:
    """The alarm and the end of the call meet again and again; neither may hit what comes after."""
    calls = TimedCalls(0.003)
    outcomes: Counter[bool] = Counter()

    def until_the_limit(extra_s: float) -> None:
        end = time.monotonic() + calls.limit_s + extra_s
        while time.monotonic() < end:
            pass

    def ask() -> None:
        for n in range(150):
            extra_s = (n % 15 - 4) / 500  # from at once to well beyond the limit
            outcomes[is_refused(calls, lambda extra_s=extra_s: until_the_limit(extra_s))] += 1
            sum(range(1_000))  # an alarm that was not taken back would end the thread here

    in_threads(1, ask)
    assert sum(outcomes.values()) == 150 and outcomes[True] and outcomes[False]


def test_an_error_of_the_call_reaches_who_asked_and_ends_its_turn() -> None:
    calls = TimedCalls(5)
    with pytest.raises(ZeroDivisionError):
        calls.call(lambda: 1 // 0)
    assert not calls.is_busy and calls.call(lambda: 7) == 7


def test_programs_leave_room_for_people() -> None:
    """While one request is being answered, the second is told to come back."""
    app = Flask(__name__)
    app.register_error_handler(ApiError, say_why)
    leave_room(app, 1)
    app.add_url_rule(
        "/", "busy", lambda: in_threads(1, lambda: app.test_client().get("/quick").json)[0]
    )
    app.add_url_rule("/quick", "quick", lambda: {"code": "fine"})
    client = app.test_client()
    for _ in range(3):
        assert client.get("/").get_json()["code"] == "busy"
        assert client.get("/quick").get_json()["code"] == "fine", "its place is free again"
    refused = client.get("/nothing")
    assert refused.status_code == 404 and client.get("/quick").status_code == 200
