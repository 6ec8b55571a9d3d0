"""Many people at once, through real connections: every proposal is decided once, every key opens once."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from urllib.parse import urlencode

import pytest

from tests.review.conftest import hidden_fields
from tests.review.server import serving
from wikibot.store import Store, decisions, queue
from wikibot.web.one_time_token import OneTimeToken
from wikibot.web.review_app import ReviewApp

PEOPLE = 6


def ask(
    review_app: ReviewApp, method: str, path: str, fields: dict[str, str] | None = None
) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", review_app.port, timeout=60)
    headers = {
        "Cookie": f"{review_app.cookie_name}={review_app.cookie}",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    connection.request(method, path, urlencode(fields or {}), headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def all_at_once(work: Callable[[int], int]) -> Counter[int]:
    """What each person got, all of whom began at the same moment."""
    barrier = threading.Barrier(PEOPLE)

    def begin(number: int) -> int:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(PEOPLE) as pool:
        return Counter(pool.map(begin, range(PEOPLE)))


@pytest.fixture
def review_apps(store: Store) -> Iterator[list[ReviewApp]]:
    """Two reviewers, each with a server of their own on the same database."""
    with serving(store, "alice") as first, serving(store, "bob") as second:
        yield [first, second]


def test_of_many_decisions_about_one_proposal_one_is_taken(
    store: Store, review_apps: list[ReviewApp]
) -> None:
    forms = [
        hidden_fields(ask(review_app, "GET", "/proposal/1")[1], "/proposal/1/decide")
        for review_app in review_apps
    ]

    def decide(number: int) -> int:
        verdict = ("approve", "reject", "skip")[number % 3]
        fields = forms[number % 2] | {"verdict": verdict}
        return ask(review_apps[number % 2], "POST", "/proposal/1/decide", fields)[0]

    assert all_at_once(decide) == {303: 1, 409: PEOPLE - 1}
    with store.reading() as session:
        said = decisions.history(session, 1)
        found = queue.proposal(session, 1)
    assert len(said) == 1
    assert found is not None
    assert found.line.state == decisions.STATE_AFTER[said[0].verdict]
    assert found.line.version == 2


def test_of_many_undos_of_one_decision_one_is_taken(
    store: Store, review_apps: list[ReviewApp]
) -> None:
    fields = hidden_fields(ask(review_apps[0], "GET", "/proposal/1")[1], "/proposal/1/decide")
    ask(review_apps[0], "POST", "/proposal/1/decide", fields | {"verdict": "approve"})
    page = ask(review_apps[0], "GET", "/")[1]
    form = hidden_fields(page, "/decision/1/undo")
    seen = all_at_once(lambda _: ask(review_apps[0], "POST", "/decision/1/undo", form)[0])
    assert seen[303] == 1
    with store.reading() as session:
        assert [said.verdict for said in decisions.history(session, 1)] == ["approve", "undo"]
        assert queue.count_states(session, 1)["pending"] == 11


def test_many_people_work_through_the_queue_without_treading_on_each_other(
    store: Store, review_apps: list[ReviewApp]
) -> None:
    def work(number: int) -> int:
        """Decides what is shown first, until nothing waits; returns how many were decided."""
        review_app, done = review_apps[number % 2], 0
        while 'action="/proposal/' in (page := ask(review_app, "GET", "/")[1]):
            action = "/proposal/" + page.partition('action="/proposal/')[2].partition('"')[0]
            action = action.replace("/move", "/decide")
            fields = hidden_fields(page, action) | {"verdict": "skip"}
            done += ask(review_app, "POST", action, fields)[0] == 303
        return done

    seen = all_at_once(work)
    assert sum(done * people for done, people in seen.items()) == 11
    with store.reading() as session:
        assert queue.count_states(session, 1)["skipped"] == 11
        assert all(len(decisions.history(session, number)) == 1 for number in range(1, 12))


def test_a_key_that_opens_once_opens_once_for_many() -> None:
    key = OneTimeToken()
    assert all_at_once(lambda _: int(key.take(key.value))) == {1: 1, 0: PEOPLE - 1}
