"""Work that takes longer than a page: asked for again, found, never done twice."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterator
from functools import partial
from threading import Event

import pytest
from flask.testing import FlaskClient

from tests.review.conftest import HOST, PORT
from tests.review.sample import ENGLISH
from wikibot.errors import ModelError
from wikibot.store import Store
from wikibot.store.tables import Page
from wikibot.web import page_view
from wikibot.web.app import create_app
from wikibot.web.desk import Desk
from wikibot.web.soon import KEPT, Soon


@pytest.fixture
def soon() -> Iterator[Soon]:
    """With a patience that is over at once."""
    made = Soon(patience_s=0)
    yield made
    made.stop()


def test_what_is_not_ready_is_none_and_is_there_when_it_is(soon: Soon) -> None:
    go_on = Event()
    calls = []

    def work() -> str:
        calls.append(1)
        go_on.wait()
        return "found"

    assert soon.ask("key", work) is None
    assert soon.ask("key", work) is None
    go_on.set()
    soon.begin("key", work).result()
    assert soon.ask("key", work) == "found"
    assert len(calls) == 1


def test_another_key_is_other_work(soon: Soon) -> None:
    for word in ("one", "two"):
        soon.begin(word, partial(str, word)).result()
        assert soon.ask(word, partial(str, word)) == word


def test_what_fails_is_raised_and_tried_again(soon: Soon) -> None:
    def fail() -> str:
        raise ModelError("no model")

    for _ in range(2):
        with pytest.raises(ModelError, match="no model"):
            soon.begin("key", fail).result()
        with pytest.raises(ModelError, match="no model"):
            soon.ask("key", fail)
    soon.begin("key", partial(str, "now")).result()
    assert soon.ask("key", fail) == "now"


def test_only_the_newest_results_are_kept(soon: Soon) -> None:
    for number in range(KEPT + 1):
        soon.begin(number, partial(str, number)).result()
    again = partial(str, "done again")
    assert soon.begin(KEPT, again).result() == str(KEPT)
    assert soon.begin(0, again).result() == "done again"


def test_a_process_does_work_that_would_hold_up_the_server(soon: Soon) -> None:
    future = soon.begin("pid", os.getpid, in_process=True)
    assert future.result(timeout=60) != os.getpid()
    assert soon.begin("sum", partial(operator.add, 1, 2), in_process=True).result(60) == 3


@pytest.fixture
def long_page(store: Store) -> Store:
    """The page with proposals is longer than what is read at once."""
    with store.writing() as session:
        page = session.get_one(Page, 1)
        page.wikitext += "\n\n== More ==\n" + "Waves break on the rocks below. " * 600
    assert len(ENGLISH["Lighthouse"]) < page_view.SHORT
    return store


def test_a_long_page_is_there_at_once_and_its_diff_a_little_later(long_page: Store) -> None:
    desk = Desk(long_page, "alice", PORT, soon=Soon(patience_s=0))
    client = create_app(desk).test_client()
    client.get(f"/?token={desk.token}", base_url=f"http://{HOST}")
    first = page(client)
    assert "data-soon" in first
    assert 'href="/page/1?diff=all">Look again' in first
    assert "Fresnel lens</bdi>" in first, "the proposals do not wait"
    for future in list(desk.soon._asked.values()):
        future.result(timeout=60)
    second = page(client)
    assert "data-soon" not in second
    assert "<ins>[[</ins>Fresnel lens<ins>]]</ins>" in second
    desk.soon.stop()


def page(client: FlaskClient) -> str:
    answer = client.get("/page/1", base_url=f"http://{HOST}")
    assert answer.status_code == 200
    return answer.text
