"""The page that says why a link is missing."""

from __future__ import annotations

import pytest

from tests.review.conftest import Browser
from tests.review.test_decisions import decide
from wikibot.store import Store


@pytest.mark.parametrize("path", ["/proposal/1", "/page/1", "/article/1"])
def test_the_question_is_one_click_away_and_knows_the_page(browser: Browser, path: str) -> None:
    assert 'href="/why?on=Lighthouse" data-key="y"' in browser.get(path).text


def test_the_form_asks_for_what_is_not_known_yet(browser: Browser) -> None:
    shown = browser.get("/why?on=Lighthouse").text
    assert 'name="on" value="Lighthouse"' in shown
    assert shown.count("autofocus") == 1
    assert 'id="answer"' not in shown


def test_what_the_queue_holds_is_told_with_a_link_to_it(browser: Browser, store: Store) -> None:
    shown = browser.get("/why?on=Lighthouse&to=Tide").text
    assert "It is proposed: proposal 3 waits" in shown
    assert 'href="/proposal/3"' in shown and "<mark>tides</mark>" in shown
    decide(store, 3, "reject")
    assert "It was rejected as proposal 3" in browser.get("/why?on=Lighthouse&to=Tide").text


def test_the_answer_is_in_the_readers_language(browser: Browser) -> None:
    german = {"Accept-Language": "de"}
    shown = browser.get("/why?on=Lighthouse&to=Nowhere", headers=german).text
    assert "Es gibt keine Seite „Nowhere“ in der Datenbank" in shown
    refused = browser.get("/why?on=Lighthous&to=Tide", headers=german).text
    assert "Gemeint vielleicht: Lighthouse?" in refused


def test_where_nothing_was_learned_the_page_says_what_to_do(browser: Browser) -> None:
    shown = browser.get("/why?on=Tide&to=Ship")
    assert shown.status_code == 200
    assert "Run `wikibot train` first" in shown.text


def test_titles_are_shown_as_text_and_never_as_markup(browser: Browser) -> None:
    shown = browser.get("/why?on=Lighthouse&to=<script>alert(1)</script>").text
    assert "<script>alert" not in shown
    assert "&lt;script&gt;" in shown
