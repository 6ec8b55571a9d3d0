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
from wikibot.web.background import KEPT, Background
from wikibot.web.review_app import ReviewApp


@pytest.fixture
def background() -> Iterator[Background]:
    """With a patience that is over at once."""
    made = Background(patience_s=0)
    yield made
    made.stop()


def test_what_is_not_ready_is_none_and_is_there_when_it_is(background: Background) -> None:
    go_on = Event()
    calls = []

    def work() -> str:
        calls.append(1)
        go_on.wait()
        return "found"

    assert background.ask("key", work) is None
    assert background.ask("key", work) is None
    go_on.set()
    background.begin("key", work).result()
    assert background.ask("key", work) == "found"
    assert len(calls) == 1


def test_another_key_is_other_work(background: Background) -> None:
    for word in ("one", "two"):
        background.begin(word, partial(str, word)).result()
        assert background.ask(word, partial(str, word)) == word


def test_what_fails_is_raised_and_tried_again(background: Background) -> None:
    def fail() -> str:
        raise ModelError("no model")

    for _ in range(2):
        with pytest.raises(ModelError, match="no model"):
            background.begin("key", fail).result()
        with pytest.raises(ModelError, match="no model"):
            background.ask("key", fail)
    background.begin("key", partial(str, "now")).result()
    assert background.ask("key", fail) == "now"


def test_only_the_newest_results_are_kept(background: Background) -> None:
    for number in range(KEPT + 1):
        background.begin(number, partial(str, number)).result()
    again = partial(str, "done again")
    assert background.begin(KEPT, again).result() == str(KEPT)
    assert background.begin(0, again).result() == "done again"


def test_a_process_does_work_that_would_hold_up_the_server(background: Background) -> None:
    future = background.begin("pid", os.getpid, in_process=True)
    assert future.result(timeout=60) != os.getpid()
    assert background.begin("sum", partial(operator.add, 1, 2), in_process=True).result(60) == 3


@pytest.fixture
def long_page(store: Store) -> Store:
    """The page with proposals is longer than what is read at once."""
    with store.writing() as session:
        page = session.get_one(Page, 1)
        page.wikitext += "\n\n== More ==\n" + "Waves break on the rocks below. " * 600
    assert len(ENGLISH["Lighthouse"]) < page_view.SHORT
    return store


def test_a_long_page_is_there_at_once_and_its_diff_a_little_later(long_page: Store) -> None:
    review_app = ReviewApp(long_page, "alice", PORT, background=Background(patience_s=0))
    client = create_app(review_app).test_client()
    client.get(f"/?token={review_app.token}", base_url=f"http://{HOST}")
    first = page(client)
    assert "data-not-ready" in first
    assert 'href="/page/1?diff=all">Look again' in first
    assert "Fresnel lens</bdi>" in first, "the proposals do not wait"
    for future in list(review_app.background._asked.values()):
        future.result(timeout=60)
    second = page(client)
    assert "data-not-ready" not in second
    assert "<ins>[[</ins>Fresnel lens<ins>]]</ins>" in second
    review_app.background.stop()


def page(client: FlaskClient) -> str:
    answer = client.get("/page/1", base_url=f"http://{HOST}")
    assert answer.status_code == 200
    return answer.text
