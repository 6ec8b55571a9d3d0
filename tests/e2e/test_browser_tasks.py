"""What reviewers come to do, in a real Chromium, with the number of clicks and keys that it takes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import Open, Served
from tests.e2e.hand import MOST_ACTIONS, Hand
from tests.review.test_decisions import decide
from wikibot.store import decisions, queue
from wikibot.web.filters import GUIDELINES

pytestmark = pytest.mark.browser


def find_the_guideline(hand: Hand) -> None:
    hand.page.context.route("https://**", lambda route: route.abort())
    with hand.page.expect_popup() as opened:
        hand.press("g")
    assert opened.value.url in (GUIDELINES["en"], "chrome-error://chromewebdata/")
    expect(hand.page.get_by_role("link", name="Guideline")).to_have_attribute(
        "href", GUIDELINES["en"]
    )


def undo_the_third_decision(hand: Hand) -> None:
    for number in range(1, 6):
        decide(hand.store, number, "approve")
    hand.page.reload()
    hand.link("Statistics")
    hand.button("Undo tides → Tide")
    expect(hand.page.locator("#question")).to_contain_text("tides")
    assert [hand.state(number) for number in range(1, 6)].count("approved") == 4
    assert hand.state(3) == "pending"


def approve_all_links_to_one_target(hand: Hand) -> None:
    hand.link("List")
    hand.link("By target")
    hand.link("Lighthouse")
    expect(hand.page.locator("tbody tr")).to_have_count(3)
    hand.button("Approve")
    expect(hand.page.locator("#main h1")).to_have_text("Approved: 3 proposals")
    assert {hand.state(number) for number in (5, 8, 11)} == {"approved"}


def see_why_a_link_is_missing(hand: Hand) -> None:
    decide(hand.store, 3, "reject", reason="everyday-word")
    hand.press("y")
    hand.type("tide")
    hand.press("Enter")
    expect(hand.page.locator("#answer")).to_contain_text("It was rejected as proposal 3 (alice")


def see_what_would_be_saved(hand: Hand) -> None:
    hand.press("d")
    expect(hand.page.locator(".diff ins").first).to_have_text("[[")


def give_the_link_another_word(hand: Hand) -> None:
    hand.page.goto(f"{hand.root}/proposal/2")
    hand.press("r")
    hand.press("3")
    expect(hand.page.locator("#words")).to_contain_text("Nothing is blocked")
    hand.press("W")
    expect(hand.page.locator(".prose mark")).to_have_text("fog")
    assert hand.state(2) == "pending"


def lead_the_link_elsewhere(hand: Hand) -> None:
    hand.page.goto(f"{hand.root}/proposal/2")
    hand.click(hand.page.locator(".others button", has_text="Fog"))
    expect(hand.page.locator("#target-title")).to_have_text("Fog")
    assert hand.state(2) == "rejected"


def reject_an_everyday_word(hand: Hand) -> None:
    hand.press("r")
    hand.press("1")
    expect(hand.page.locator(".prose mark")).to_have_text("fog horn")
    assert hand.state(1) == "rejected"


def never_link_a_word(hand: Hand) -> None:
    hand.page.goto(f"{hand.root}/proposal/5")
    hand.press("n")
    hand.button("the word “lighthouse”")
    expect(hand.page.locator(".status")).to_contain_text("2 waiting proposals left the queue")


def approve_what_is_likely_on_a_page(hand: Hand) -> None:
    hand.press("d")
    hand.button("Approve")
    expect(hand.page.locator("#main h1")).to_have_text("Approved: 4 proposals")
    assert hand.state(7) == "pending"


def read_more_of_the_text(hand: Hand) -> None:
    hand.page.goto(f"{hand.root}/proposal/2")
    hand.press("m")
    expect(hand.page.locator(".more-text").first).to_contain_text("A lighthouse is a tower")
    expect(hand.page.locator(".more-text").last).to_contain_text("A fog signal was")


def look_at_the_skipped_ones_again(hand: Hand) -> None:
    for number in range(1, 12):
        decide(hand.store, number, "skip")
    hand.page.goto(hand.root)
    hand.link("Look at the skipped ones again")
    expect(hand.page.locator(".prose mark")).to_have_text("Fresnel lens")


Task = Callable[[Hand], None]
# The same numbers are in docs/reviewing.md; saving, which needs a wiki, is in test_browser_publish.
TASKS: dict[Task, int] = {
    find_the_guideline: 1,
    undo_the_third_decision: 2,
    approve_all_links_to_one_target: 4,
    see_why_a_link_is_missing: 3,
    see_what_would_be_saved: 1,
    give_the_link_another_word: 3,
    lead_the_link_elsewhere: 1,
    reject_an_everyday_word: 2,
    never_link_a_word: 2,
    approve_what_is_likely_on_a_page: 2,
    read_more_of_the_text: 1,
    look_at_the_skipped_ones_again: 1,
}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.__name__)
def test_a_task_takes_so_many_clicks_and_keys(served: Served, open_page: Open, task: Task) -> None:
    hand = Hand(open_page(), served.store, served.root)
    task(hand)
    assert hand.actions == TASKS[task]
    assert hand.actions <= MOST_ACTIONS


def test_a_batch_is_taken_back_by_one_click(served: Served, open_page: Open) -> None:
    hand = Hand(open_page(), served.store, served.root)
    approve_all_links_to_one_target(hand)
    hand.button("Undo all of these")
    expect(hand.page.locator("#main h1")).to_have_text("Taken back: 3 proposals")
    with served.store.reading() as session:
        assert queue.count_states(session, 1)["pending"] == 11
        assert len(decisions.latest(session, 1, limit=50)) == 6, "nothing is forgotten"
