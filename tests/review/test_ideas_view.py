"""The review page's view of ideas: one at a time, decided, taken back, listed."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from tests.review.conftest import Browser
from wikibot.store import Store, ideas
from wikibot.store.ideas import NewIdea
from wikibot.store.tables import Page


def add_idea(store: Store, page: str, target: str, sentence: str, score: float) -> int:
    """An idea to write about TARGET after SENTENCE of PAGE; its number."""
    with store.writing() as session:
        rows = {row.title: row for row in session.scalars(select(Page))}
        start = rows[page].wikitext.index(sentence)
        reasons = [{"id": "shares-words", "args": {"words": ["lamp", "oil"]}}]
        new = NewIdea(
            rows[page].id, rows[target].id, rows[page].revision_id, start, start + len(sentence),
            sentence, score, reasons,
        )  # fmt: skip
        ideas.put_ideas(session, rows[page].wiki_id, None, [new], ())  # type: ignore[arg-type]
        return ideas.ideas(session, rows[page].wiki_id, states=ideas.STATES)[-1].id


@pytest.fixture
def two(store: Store) -> tuple[int, int]:
    first = add_idea(store, "Ship", "Wick", "It anchors in a harbour when the tide is low.", 0.9)
    return first, add_idea(store, "Fog", "Wick", "Ships slow down in fog.", 0.4)


def state_of(store: Store, number: int) -> str:
    with store.reading() as session:
        return ideas.idea(session, number).state


def test_an_idea_shows_its_sentence_the_target_and_the_reason(
    browser: Browser, two: tuple[int, int]
) -> None:
    text = browser.get("/ideas").text
    assert "Would a few words about" in text and "Both mention lamp, oil" in text
    assert "<mark>" in text and "It anchors in a harbour" in text
    assert "draws oil up to the flame" in text  # the first paragraph of the target
    assert "https://en.example.org/wiki/Ship?action=edit" in text


def test_an_accepted_idea_is_listed_as_to_be_written(
    browser: Browser, store: Store, two: tuple[int, int]
) -> None:
    page = browser.get("/ideas")
    answer = browser.press(page, f"/ideas/{two[0]}", verdict="accept")
    assert answer.status_code == 303
    assert state_of(store, two[0]) == "accepted"
    shown = browser.get(answer.headers["Location"]).text
    assert "Noted: words about" in shown and "Ships slow down in fog." in shown
    listed = browser.get("/ideas/list?state=accepted").text
    assert "It anchors in a harbour" in listed and "alice" in listed and "action=edit" in listed


def test_a_declined_idea_is_gone_until_it_is_taken_back(
    browser: Browser, store: Store, two: tuple[int, int]
) -> None:
    answer = browser.press(browser.get("/ideas"), f"/ideas/{two[0]}", verdict="decline")
    page = browser.get(answer.headers["Location"])
    assert "it does not come back" in page.text
    assert state_of(store, two[0]) == "declined"
    browser.press(page, f"/ideas/{two[0]}/undo")
    assert state_of(store, two[0]) == "pending"


def test_without_ideas_the_page_says_how_to_find_some(browser: Browser) -> None:
    assert "wikibot orphans" in browser.get("/ideas").text
    assert "There is nothing here yet" in browser.get("/ideas/list?state=declined").text
    assert browser.get("/ideas/list?state=none").status_code == 404


def test_an_idea_that_somebody_else_decided_is_not_decided_again(
    browser: Browser, store: Store, two: tuple[int, int]
) -> None:
    page = browser.get("/ideas")
    browser.press(page, f"/ideas/{two[0]}", verdict="accept")
    late = browser.press(page, f"/ideas/{two[0]}", verdict="decline")
    assert late.status_code == 409 and state_of(store, two[0]) == "accepted"


def test_a_form_that_is_not_ours_decides_nothing(
    browser: Browser, store: Store, two: tuple[int, int]
) -> None:
    answer = browser.post(f"/ideas/{two[0]}", {"verdict": "accept", "version": "1"})
    assert answer.status_code == 403 and state_of(store, two[0]) == "pending"


def test_an_idea_whose_page_has_changed_says_so(
    browser: Browser, store: Store, two: tuple[int, int]
) -> None:
    with store.writing() as session:
        row = session.scalars(select(Page).where(Page.title == "Ship")).one()
        row.revision_id, row.wikitext = 9_999, "A '''ship''' floats."
    text = browser.get("/ideas").text
    assert "The page has changed since" in text and "It anchors in a harbour" in text
