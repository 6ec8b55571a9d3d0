"""Hostile text in every column, in a real browser: nothing of it runs."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import Open, Served
from tests.review import hostile
from tests.review.test_hostile_text import PATHS

pytestmark = pytest.mark.browser


def test_no_text_of_a_wiki_is_ever_run(served: Served, open_page: Open) -> None:
    with served.store.writing() as session:
        hostile.poison(session)
    page = open_page()
    alarms: list[str] = []
    page.on("dialog", lambda dialog: alarms.append(dialog.message))
    page.on("request", lambda one: alarms.append(one.url) if served.root not in one.url else None)
    for path in PATHS:
        page.goto(served.root + path)
        assert page.evaluate("window.pwned") is None, path
        assert page.locator("form[action^='http://evil']").count() == 0, path
    assert alarms == []


def test_the_policy_stops_a_script_even_if_it_got_into_the_page(
    served: Served, open_page: Open
) -> None:
    page = open_page()
    page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.pwned = 1";
            document.body.append(script);
            const picture = document.createElement("img");
            picture.setAttribute("onerror", "window.pwned = 1");
            picture.src = "data:,x";
            document.body.append(picture);
        }"""
    )
    assert page.evaluate("window.pwned") is None
