"""Saving from the page: checked, saved as a bot and as oneself, shown, and taken back."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from werkzeug.test import TestResponse

from tests.mediawiki import HUMAN
from tests.mediawiki.fixtures import UsePywikibot
from tests.publish.world import World
from tests.review.conftest import HOST, PORT, Browser
from wikibot.store.decisions import UNNAMED
from wikibot.web.app import create_app
from wikibot.web.publish_runs import RunsInThread
from wikibot.web.review_app import ReviewApp

pytestmark = pytest.mark.wiki

TEXT = "The Severn is a river. It rises in Wales."


@dataclass(frozen=True, slots=True)
class Page:
    """The page of a reviewer on this world's database."""

    browser: Browser
    runs: RunsInThread

    @classmethod
    def of(cls, world: World, reviewer: str = "Ann") -> Page:
        runs = RunsInThread()
        review_app = ReviewApp(world.store, reviewer, PORT, publish_runs=runs)
        client = create_app(review_app).test_client()
        client.get(f"/?token={review_app.token}", base_url=f"http://{HOST}")
        return cls(Browser(client, review_app), runs)

    def look(self) -> TestResponse:
        return self.browser.get("/publish")

    def press(self, page: TestResponse, action: str) -> TestResponse:
        """What the page shows once the order is carried out."""
        sent = self.browser.press(page, action)
        assert sent.status_code == 303, sent.text
        self.runs.join()
        return self.browser.get(sent.headers["Location"])

    def check(self) -> TestResponse:
        return self.press(self.look(), "/publish/check")

    def save(self) -> TestResponse:
        return self.press(self.check(), "/publish/save")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SETTLE_S", "LONGEST_WAIT_S"):
        monkeypatch.setenv(f"WIKIBOT_{name}", "0")


@pytest.fixture
def numbers(world: World, request: pytest.FixtureRequest, quick: None) -> list[int]:
    """Two pages with an approved link each."""
    world.page("River", "'''River''' is a word.")
    return [world.approved(world.page(title, TEXT), "river", "River") for title in titles(request)]


def titles(request: pytest.FixtureRequest) -> list[str]:
    return [f"{request.node.name} {letter}" for letter in "ab"]


def states(world: World, numbers: list[int]) -> list[str]:
    return [world.state(number) for number in numbers]


def test_everything_approved_is_shown_checked_saved_and_taken_back(
    world: World, numbers: list[int], request: pytest.FixtureRequest
) -> None:
    page = Page.of(world)
    first, second = titles(request)
    shown = page.look().text
    assert "2 links are approved, on 2 pages." in re.sub(r"\s+", " ", shown)
    assert shown.count("<ins>[[</ins>river<ins>]]</ins>") == 2
    world.person.do("protect", title=second, protections="edit=sysop")
    checked = page.check()
    assert "Save 1 page<" in checked.text and "Checked as LinkBot, a bot" in checked.text
    assert "protected" in checked.text and states(world, numbers) == ["approved"] * 2
    assert world.edits() == [], "a check writes nothing"
    saved = page.press(checked, "/publish/save")
    assert "1 page saved" in saved.text and states(world, numbers) == ["published", "approved"]
    (row,) = world.edits()
    assert f"index.php?diff={row.new_revision}" in saved.text
    assert world.person.text(first) == TEXT.replace("river", "[[river]]")
    undone = page.press(saved, "/publish/undo")
    assert "1 page taken back" in undone.text and states(world, numbers) == ["undone", "approved"]
    assert world.person.text(first) == TEXT


def test_as_oneself_there_is_no_bot_flag_and_the_summary_says_assisted(
    world: World, numbers: list[int], request: pytest.FixtureRequest, use_pywikibot: UsePywikibot
) -> None:
    use_pywikibot(world.wiki.api, account=HUMAN)
    page = Page.of(world, HUMAN.name)
    first = titles(request)[0]
    checked = page.check()
    assert "without a bot flag" in checked.text and f"Checked as {HUMAN.name}" in checked.text
    page.press(checked, "/publish/save")
    assert states(world, numbers) == ["published"] * 2
    (change,) = world.person.recent_changes(rctitle=first, rctype="edit")
    assert change["user"] == HUMAN.name and not change["bot"] and change["minor"]
    assert "assisted by wikibot, approved by Ann" in change["comment"]
    assert {row.sender for row in world.edits()} == {HUMAN.name}


def test_what_nobody_named_approved_is_the_persons_who_saves_and_never_a_bots(
    world: World, quick: None, use_pywikibot: UsePywikibot
) -> None:
    world.page("River", "'''River''' is a word.")
    number = world.suggest(world.page("Nobody named", TEXT), "river", "River")
    world.approve(number, reviewer=UNNAMED)
    assert "Nobody is named who approved proposal" in Page.of(world).check().text
    use_pywikibot(world.wiki.api, account=HUMAN)
    Page.of(world).save()
    newest = world.person.history("Nobody named")[0]
    assert newest["user"] == HUMAN.name and "; assisted by wikibot ·" in newest["comment"]
    assert UNNAMED not in newest["comment"]


def test_only_what_was_shown_is_saved(
    world: World, numbers: list[int], request: pytest.FixtureRequest
) -> None:
    page = Page.of(world)
    checked = page.check()
    late = world.approved(world.page("Approved late", TEXT), "river", "River")
    refused = page.browser.press(checked, "/publish/save")
    assert refused.status_code == 409 and "decided since this was checked" in refused.text
    assert states(world, [*numbers, late]) == ["approved"] * 3 and world.edits() == []
    assert "Check on the wiki" in page.look().text, "the old check is not shown for the new state"


def test_an_edit_sent_by_one_account_is_found_by_another(
    world: World, numbers: list[int], request: pytest.FixtureRequest, use_pywikibot: UsePywikibot
) -> None:
    first, second = titles(request)
    world.die_after_sending(first)
    use_pywikibot(world.wiki.api, account=HUMAN)
    page = Page.of(world, HUMAN.name)
    assert "1 edit was on its way when the program ended" in page.look().text
    page.save()
    assert states(world, numbers) == ["kept", "published"]
    assert [row["user"] for row in world.person.history(first)].count("LinkBot") == 1
    assert HUMAN.name not in {row["user"] for row in world.person.history(first)}
    assert world.person.history(second)[0]["user"] == HUMAN.name


def test_a_page_without_an_account_says_what_to_do(
    world: World, numbers: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pywikibot import config

    monkeypatch.setattr(config, "user_agent_description", "")
    checked = Page.of(world).check()
    assert "sets no user_agent_description" in checked.text and "Save " not in checked.text
    assert states(world, numbers) == ["approved"] * 2
