"""A link that a person changed passes what a proposal passes: on the page, in the terminal, by script."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests.review.conftest import Browser
from tests.review.test_commands import run
from tests.review.test_decisions import ALICE, line
from tests.review.test_terminal import finish, press, start
from wikibot import review
from wikibot.errors import BadInput
from wikibot.store import Store, decisions, never_links
from wikibot.store.tables import Link, Page, Suggestion

FOG_HORN = 2  # proposal "fog horn" on "Lighthouse"


def page_id(store: Store, title: str) -> int:
    with store.reading() as session:
        return session.query(Page).where(Page.title == title).one().id


def never(kind: str, value: str) -> Callable[[Store], None]:
    def add(store: Store) -> None:
        with store.writing() as session:
            never_links.never_link(session, 1, kind, value, ALICE)

    return add


def mark(title: str, **values: object) -> Callable[[Store], None]:
    def change(store: Store) -> None:
        with store.writing() as session:
            page = session.query(Page).where(Page.title == title).one()
            for name, value in values.items():
                setattr(page, name, value)

    return change


def link_to_glass(store: Store) -> None:
    with store.writing() as session:
        session.query(Link).where(Link.page_id == 1).update({"target_id": page_id(store, "Glass")})


@dataclass(frozen=True, slots=True)
class Refused:
    """What makes "Glass" no target for proposal 2, and what is then said."""

    made_so: Callable[[Store], None]
    says: str


REFUSED = {
    "on the never-link list": Refused(never("target", "Glass"), "never-link list"),
    "a disambiguation page": Refused(mark("Glass", is_disambiguation=True), "disambiguation page"),
    "a red link": Refused(mark("Glass", redirect_to="Nowhere"), "No page of that name"),
    "linked already": Refused(link_to_glass, "links to “Glass” already"),
}


@pytest.fixture(params=REFUSED)
def refused(store: Store, request: pytest.FixtureRequest) -> Refused:
    case = REFUSED[request.param]
    case.made_so(store)
    return case


def test_the_page_refuses_such_a_target(browser: Browser, store: Store, refused: Refused) -> None:
    before = line(store, FOG_HORN)
    page = browser.get("/proposal/2/target?q=foghorn")
    answer = browser.press(page, "/proposal/2/target", target_id=page_id(store, "Glass"))
    assert answer.status_code == 422
    assert refused.says in answer.text
    assert line(store, FOG_HORN) == before


def test_a_script_is_refused_such_a_target(store: Store, refused: Refused) -> None:
    before = line(store, FOG_HORN)
    with pytest.raises(BadInput, match=re.escape(refused.says)):
        run(store, "decide", "2", "approve", "--target", "Glass")
    assert line(store, FOG_HORN) == before


def test_the_terminal_refuses_such_a_target(store: Store) -> None:
    link_to_glass(store)
    child = start(store)
    press(child, "j")
    press(child, "t", "part of the title > ")
    press(child, "glas\r", "which")
    assert "already" in " ".join(press(child, "1").split())
    finish(child)
    assert line(store, FOG_HORN).state == "pending"


def test_no_page_links_to_itself(browser: Browser, store: Store) -> None:
    page = browser.get("/proposal/2/target?q=foghorn")
    answer = browser.press(page, "/proposal/2/target", target_id=page_id(store, "Lighthouse"))
    assert "“Lighthouse” would link to itself." in answer.text


def widened_onto_a_link(store: Store) -> None:
    """The word after "fog horn" is now followed by a link."""
    with store.writing() as session:
        page, row = session.get_one(Page, 1), session.get_one(Suggestion, FOG_HORN)
        page.wikitext = page.wikitext.replace(
            "fog horn, which could", "fog horn aboard [[ship]] could"
        )
        row.sentence_end = row.sentence_end + 20


def test_an_anchor_is_not_widened_up_to_another_link(browser: Browser, store: Store) -> None:
    widened_onto_a_link(store)
    answer = browser.press(browser.get("/proposal/2"), "/proposal/2/move", step="widen-end")
    assert answer.status_code == 422
    assert "“fog horn aboard” would stand right beside another link." in answer.text
    with pytest.raises(BadInput, match="right beside another link"):
        run(store, "decide", "2", "approve", "--anchor", "fog horn aboard")
    assert line(store, FOG_HORN).anchor == "fog horn"


def test_an_anchor_is_not_moved_onto_a_word_of_the_never_link_list(store: Store) -> None:
    never("word", "a fog horn")(store)
    child = start(store)
    press(child, "j")
    assert "never-link list" in " ".join(press(child, "b").split())
    finish(child)
    with pytest.raises(BadInput, match="never-link list"):
        review.move(store, FOG_HORN, "widen-start", ALICE, version=1)
    assert line(store, FOG_HORN).anchor == "fog horn"


def test_a_rule_that_the_settings_switch_off_is_not_asked(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    widened_onto_a_link(store)
    monkeypatch.setenv("WIKIBOT_RULES_OFF", "number, beside-link")
    review.move(store, FOG_HORN, "widen-end", ALICE, version=1)
    assert line(store, FOG_HORN).anchor == "fog horn aboard"


def test_a_script_approves_other_words_and_another_target(store: Store) -> None:
    done = run(store, "decide", "2", "approve", "--anchor", "a fog horn", "--target", "Glass")
    assert "Approved" in done.output
    assert line(store, FOG_HORN).state == "rejected"
    new = line(store, 12)
    assert (new.state, new.wikitext) == ("approved", "[[Glass|a fog horn]]")
    with store.reading() as session:
        assert [said.source for said in decisions.history(session, 12)] == ["command", "command"]


@pytest.mark.parametrize("words", ["thick fog", "", "horn\n", "no such words"])
def test_words_that_are_not_there_are_refused(store: Store, words: str) -> None:
    with pytest.raises(BadInput, match="is not where “fog horn” stands"):
        review.reword(store, FOG_HORN, words, ALICE)


def test_only_an_approval_takes_other_words(store: Store) -> None:
    assert run(store, "decide", "2", "reject", "--anchor", "fog").exit_code == 2
    assert run(store, "decide", "2", "skip", "--target", "Glass").exit_code == 2
    assert line(store, FOG_HORN).state == "pending"
