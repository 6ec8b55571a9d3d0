"""Every page of the review site passes axe-core's rules, in light and dark, wide and narrow."""

from __future__ import annotations

from threading import Event

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Open, Served
from tests.review import sample
from wikibot import review
from wikibot.store.decisions import Voice

pytestmark = pytest.mark.browser

PATHS = (
    "/",
    "/proposal/3",
    "/proposal/2/target",
    "/queue",
    "/queue?state=any",
    "/batches/target",
    "/batches/page",
    "/batches/to/1",
    "/page/1",
    "/article/1",
    "/?state=kept",
    "/proposal/2?words=choose",
    "/statistics",
    "/topics",
    "/never",
    "/read",
    "/read/Lighthouse",
    "/help",
    "/proposal/999",
)
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
LAPTOP = {"viewport": {"width": 1280, "height": 720}}
DARK_PHONE = {
    "viewport": {"width": 390, "height": 844},
    "is_mobile": True,
    "has_touch": True,
    "color_scheme": "dark",
}


@pytest.fixture
def used(served: Served) -> Served:
    """A queue in the middle of work, so that every part of a page is there."""
    alice = Voice("alice", "web")
    review.decide(served.store, 1, "approve", alice)
    review.decide(served.store, 3, "reject", alice, reason="other", note="a note")
    review.move(served.store, 2, "widen-start", alice, version=1)
    return served


def violations(page: Page) -> list[str]:
    """What axe-core finds wrong: the rule, what it says, and the first element."""
    found = Axe().run(page, options=RULES).response["violations"]
    return [f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]}" for one in found]


def show_all(page: Page) -> None:
    """Make the window as high as the page: a bar at its foot hides what one has yet to scroll to."""
    size = page.viewport_size
    assert size is not None
    height = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": size["width"], "height": max(size["height"], height)})


@pytest.mark.parametrize("profile", [LAPTOP, DARK_PHONE], ids=["light, wide", "dark, narrow"])
def test_no_page_breaks_a_rule(used: Served, open_page: Open, profile: dict[str, object]) -> None:
    page = open_page(**profile)
    wrong = {}
    for path in PATHS:
        page.goto(used.root + path)
        show_all(page)
        if found := violations(page):
            wrong[path] = found
    assert wrong == {}


def test_a_page_that_still_looks_for_links_breaks_no_rule(used: Served, open_page: Open) -> None:
    finished = Event()
    used.review_app.background.begin("what comes before it", finished.wait)
    try:
        page = open_page(**DARK_PHONE)
        page.goto(f"{used.root}/read/Lighthouse")
        expect(page.get_by_role("link", name="Look again")).to_be_visible()
        assert violations(page) == []
    finally:
        finished.set()


def test_open_menus_break_no_rule(used: Served, open_page: Open) -> None:
    page = open_page(**LAPTOP)
    for label in ("Reject", "Never link"):
        page.locator("summary", has_text=label).click()
        assert violations(page) == []


def test_a_right_to_left_wiki_breaks_no_rule(used: Served, open_page: Open) -> None:
    with used.store.writing() as session:
        sample.add_wiki(session, "he", sample.HEBREW, sample.HEBREW_PROPOSALS)
    page = open_page(**LAPTOP)
    assert violations(page) == []


def test_what_was_done_is_said_by_a_live_region(used: Served, open_page: Open) -> None:
    page = open_page()
    page.get_by_role("button", name="Skip").click()
    region = page.locator("#announcer")
    assert region.get_attribute("aria-live") == "polite"
    expect(region).to_contain_text("Skipped: ")


def test_after_a_decision_the_keyboard_goes_on_at_the_proposal(
    used: Served, open_page: Open
) -> None:
    page = open_page()
    page.get_by_role("button", name="Skip").click()
    expect(page.locator("#proposal")).to_be_focused()
