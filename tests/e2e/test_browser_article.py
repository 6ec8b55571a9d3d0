"""A whole page in a real Chromium: proposals in the text are decided and changed in place."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Open, Served
from tests.e2e.test_browser_review import PHONE, press, state_of, states
from tests.review import sample
from wikibot.store import never_links
from wikibot.store.decisions import Voice

pytestmark = pytest.mark.browser


@pytest.fixture
def article(served: Served, open_page: Open) -> Page:
    page = open_page()
    page.goto(f"{served.root}/article/1")
    expect(page.locator(".proposal")).to_have_count(6)
    return page


def words(page: Page, number: int) -> str:
    return page.locator(f"#p{number} mark").inner_text()


def point(page: Page, text: str) -> tuple[float, float]:
    """The middle of the first occurrence of a word in the article."""
    box = page.evaluate(
        """(text) => {
            const walk = document.createTreeWalker(document.querySelector(".reading"), 4);
            while (walk.nextNode()) {
                const at = walk.currentNode.data.indexOf(text);
                if (at < 0) continue;
                const range = document.createRange();
                range.setStart(walk.currentNode, at);
                range.setEnd(walk.currentNode, at + text.length);
                const box = range.getBoundingClientRect();
                return [box.left, box.right, (box.top + box.bottom) / 2];
            }
        }""",
        text,
    )
    return (box[0] + box[1]) / 2, box[2]


def test_headings_lists_links_and_bold_words_are_shown(article: Page) -> None:
    text = article.locator(".reading")
    expect(text.get_by_role("heading", name="Keepers")).to_be_visible()
    expect(text.locator(".item").first).to_have_text("A fog signal was as important as the light.")
    expect(text.get_by_role("link", name="harbour").first).to_have_attribute(
        "href", "https://en.example.org/wiki/Harbour"
    )
    expect(text.locator(".is-bold").first).to_have_text("lighthouse")
    expect(text).not_to_contain_text("[[")


def test_proposals_are_decided_in_place_by_the_mouse_and_taken_back(
    article: Page, served: Served
) -> None:
    article.get_by_role("button", name="Approve fog horn → Foghorn").click()
    expect(article.locator("#p2.is-approved")).to_be_visible()
    article.get_by_role("button", name="Reject tides → Tide").click()
    expect(article.locator("#p3.is-rejected")).to_be_visible()
    assert states(served) == {"approved": 1, "rejected": 1, "pending": 9}
    article.get_by_role("button", name="Undo fog horn → Foghorn").click()
    expect(article.locator("#p2.is-pending")).to_be_visible()
    assert states(served) == {"rejected": 1, "pending": 10}
    assert article.url.endswith("/article/1")


def test_proposals_are_decided_in_place_by_keys(article: Page, served: Served) -> None:
    press(article, "j")
    expect(article.locator("#p1")).to_be_focused()
    press(article, "a")
    expect(article.locator("#p1.is-approved")).to_be_visible()
    expect(article.locator("#p4")).to_be_focused()
    press(article, "r")
    expect(article.locator("#p4.is-rejected")).to_be_visible()
    press(article, "k")
    expect(article.locator("#p4")).to_be_focused()
    press(article, "u")
    expect(article.locator("#p4.is-pending")).to_be_visible()
    assert states(served) == {"approved": 1, "pending": 10}


def test_a_decision_in_place_moves_nothing_on_the_screen(article: Page) -> None:
    article.set_viewport_size({"width": 700, "height": 400})
    article.locator("#p3").scroll_into_view_if_needed()
    before = article.evaluate("scrollY")
    article.get_by_role("button", name="Approve tides → Tide").click()
    expect(article.locator("#p3.is-approved")).to_be_visible()
    assert article.evaluate("scrollY") == before


def test_words_are_changed_by_dragging_over_them(article: Page, served: Served) -> None:
    article.mouse.move(*point(article, "sounded"))
    article.mouse.down()
    article.mouse.move(*point(article, "horn"))
    article.mouse.up()
    expect(article.locator("#p2 mark")).to_have_text("sounded a fog horn")
    assert state_of(served, 2) == "pending"


def test_words_are_changed_by_clicking_a_proposal_and_then_a_word(article: Page) -> None:
    article.locator("#p2 mark").click()
    article.mouse.click(*point(article, "sounded"))
    expect(article.locator("#p2 mark")).to_have_text("sounded a fog horn")
    article.locator("#p2 mark").click()
    article.mouse.click(*point(article, "fog horn"))
    expect(article.locator("#p2 mark")).not_to_have_text("sounded a fog horn")


def test_words_that_cannot_carry_the_link_are_refused_with_a_reason(
    article: Page, served: Served
) -> None:
    with served.store.writing() as session:
        never_links.never_link(session, 1, "word", "sounded a fog horn", Voice("bob", "web"))
    article.locator("#p2 mark").click()
    article.mouse.click(*point(article, "sounded"))
    expect(article.get_by_role("alert")).to_contain_text("never-link list")
    expect(article.locator("#p2 mark")).to_have_text("fog horn")
    assert states(served) == {"pending": 11}


def test_words_are_chosen_by_dragging_on_the_card_too(served: Served, open_page: Open) -> None:
    page = open_page()
    page.goto(f"{served.root}/proposal/2")
    mark = page.locator(".prose mark").bounding_box()
    assert mark is not None
    middle = mark["y"] + mark["height"] / 2
    page.mouse.move(mark["x"] + mark["width"] - 8, middle)
    page.mouse.down()
    page.mouse.move(mark["x"] - 17, middle)  # at the start of "a"
    page.mouse.up()
    expect(page.locator(".prose mark")).to_have_text("a fog horn")


def test_without_the_script_the_same_buttons_work(served: Served, open_page: Open) -> None:
    page = open_page(java_script_enabled=False)
    page.goto(f"{served.root}/article/1")
    page.get_by_role("button", name="Approve fog horn → Foghorn").click()
    expect(page.locator("#p2.is-approved")).to_be_visible()
    assert state_of(served, 2) == "approved"


def test_a_phone_and_a_right_to_left_wiki_show_it_whole(served: Served, open_page: Open) -> None:
    with served.store.writing() as session:
        sample.add_wiki(session, "he", sample.HEBREW, sample.HEBREW_PROPOSALS)
    page = open_page(**PHONE)
    for number in (1, 13):
        page.goto(f"{served.root}/article/{number}")
        expect(page.locator(".proposal").first).to_be_visible()
        assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert page.evaluate("getComputedStyle(document.querySelector('.reading')).direction") == "rtl"
