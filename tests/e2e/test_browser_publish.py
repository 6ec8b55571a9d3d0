"""From the last card to the wiki's history and back: review, publish and undo in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.chromium import PATIENCE_MS
from tests.e2e.hand import MOST_ACTIONS, Hand
from tests.mediawiki import ADMIN, HUMAN, Wiki
from tests.mediawiki.fixtures import UsePywikibot
from tests.publish.world import World
from tests.review.server import serving
from tests.review.test_decisions import decide

pytestmark = [pytest.mark.browser, pytest.mark.wiki]

TEXT = "The Severn is a river. It rises in Wales."


@pytest.fixture
def world(shared_wiki: Wiki, use_pywikibot: UsePywikibot, tmp_path: Path) -> Iterator[World]:
    """A contributor's own account, and two pages with a proposal each."""
    use_pywikibot(shared_wiki.api, account=HUMAN)
    made = World.make(shared_wiki, shared_wiki.person(ADMIN), tmp_path / "wikibot.db")
    made.page("River", "'''River''' is a word.")
    for title in ("Severn", "Thames"):
        made.suggest(made.page(title, TEXT), "river", "River")
    with made.store:
        yield made


@pytest.fixture
def page(chromium: Browser, world: World) -> Iterator[Page]:
    """The printed address, opened by a contributor without a shell."""
    with serving(world.store, HUMAN.name) as review_app:
        context = chromium.new_context(locale="en-GB", accept_downloads=True)
        context.set_default_timeout(PATIENCE_MS)
        opened = context.new_page()
        opened.goto(review_app.address)
        yield opened
        context.close()


def approve_all(page: Page) -> None:
    """Card by card, until nothing waits."""
    question = page.get_by_role("heading", level=1)
    for _ in range(2):
        asked = question.inner_text()
        page.get_by_role("button", name="Approve").click()
        expect(question).not_to_have_text(asked)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Nothing is waiting here")


def test_a_contributor_reviews_saves_and_takes_back_without_a_shell(
    world: World, page: Page
) -> None:
    approve_all(page)
    page.get_by_role("link", name="Publish 2 approved links").click()
    save = page.get_by_role("button", name="Save 2 pages")
    expect(save).to_be_visible()
    expect(page.locator("main")).to_contain_text(f"Checked as {HUMAN.name}")
    expect(page.locator("ins")).to_have_count(4)
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download patch").click()
    assert "+The Severn is a [[river]]." in Path(downloading.value.path()).read_text()
    save.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("2 pages saved")
    for title in ("Severn", "Thames"):
        newest = world.person.history(title)[0]
        assert newest["user"] == HUMAN.name and "assisted by wikibot" in newest["comment"]
        assert world.person.text(title) == TEXT.replace("river", "[[river]]")
    links = page.get_by_role("link", name="See the diff on the wiki")
    expect(links).to_have_count(2)
    newest = world.person.history("Severn")[0]["revid"]
    assert (links.first.get_attribute("href") or "").endswith(f"index.php?diff={newest}")
    page.get_by_role("button", name="Take all of this back").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("2 pages taken back")
    assert [world.person.text(title) for title in ("Severn", "Thames")] == [TEXT, TEXT]


def test_one_link_of_a_batch_is_taken_back_and_the_others_stay(world: World, page: Page) -> None:
    for number in (1, 2):
        decide(world.store, number, "approve")
    page.reload()
    page.get_by_role("link", name="Publish", exact=True).click()
    page.get_by_role("button", name="Save 2 pages").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("2 pages saved")
    page.get_by_role("link", name="Team", exact=True).click()
    page.get_by_role("link", name="What was saved", exact=True).click()
    page.locator('main a[href*="/saved/"]').first.click()
    severn = page.get_by_role("row").filter(has_text="Severn")
    severn.get_by_role("button", name="Take this link back").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("1 page taken back")
    assert world.person.text("Severn") == TEXT
    assert world.person.text("Thames") == TEXT.replace("river", "[[river]]")


def test_a_refusal_is_shown_in_plain_words_beside_what_can_be_saved(
    world: World, page: Page
) -> None:
    world.person.write("Thames", f"{{{{nobots}}}}{TEXT}")
    approve_all(page)
    page.get_by_role("link", name="Publish", exact=True).click()
    expect(page.get_by_role("button", name="Save 1 page")).to_be_visible()
    expect(page.get_by_label("Thames")).to_contain_text("asks bots to stay away with {{nobots}}")
    expect(page.get_by_label("Severn")).to_contain_text("All checks passed.")


def test_saving_and_taking_back_are_two_clicks_and_one(world: World, page: Page) -> None:
    for number in (1, 2):
        decide(world.store, number, "approve")
    page.reload()
    hand = Hand(page, world.store, page.url)
    hand.link("Publish", exact=True)
    hand.button("Save 2 pages")
    expect(page.get_by_role("heading", level=1)).to_have_text("2 pages saved")
    assert world.person.text("Severn") == TEXT.replace("river", "[[river]]")
    assert hand.actions == 2 <= MOST_ACTIONS
    hand.button("Take all of this back")
    expect(page.get_by_role("heading", level=1)).to_have_text("2 pages taken back")
    assert world.person.text("Severn") == TEXT
    assert hand.actions == 3 <= MOST_ACTIONS
