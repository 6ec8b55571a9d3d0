"""The review page in a real browser: by keys, by mouse, by two people, without JavaScript."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Open, Served
from tests.review import sample
from wikibot.store import queue, tables

pytestmark = pytest.mark.browser

MARKED = ".prose mark"
PHONE = {"viewport": {"width": 375, "height": 720}, "is_mobile": True, "has_touch": True}


def states(served: Served) -> dict[str, int]:
    with served.store.reading() as session:
        counts = queue.count_states(session, 1)
    return {state: number for state, number in counts.items() if number}


def state_of(served: Served, proposal_id: int) -> str:
    with served.store.reading() as session:
        found = queue.proposal(session, proposal_id)
    assert found is not None
    return found.line.state


def expect_anchor(page: Page, anchor: str) -> None:
    expect(page.locator(MARKED)).to_have_text(anchor)


def press(page: Page, key: str) -> None:
    """Presses a key once the page listens to keys, as no person could be too fast for it."""
    page.locator("html[data-keys]").wait_for(state="attached")
    page.keyboard.press(key)


def test_the_whole_flow_by_keys(served: Served, open_page: Open) -> None:
    page = open_page()
    assert "token" not in page.url
    expect_anchor(page, "Fresnel lens")
    press(page, "a")
    expect_anchor(page, "fog horn")
    expect(page.locator(".status")).to_contain_text("Approved")
    press(page, "r")
    expect(page.locator("#reject-menu")).to_have_attribute("open", "")
    press(page, "2")
    expect_anchor(page, "tides")
    expect(page.locator(".status")).to_contain_text("Rejected (Wrong target)")
    press(page, "s")
    expect_anchor(page, "prisms")
    assert states(served) == {"approved": 1, "rejected": 1, "skipped": 1, "pending": 8}
    press(page, "u")
    expect_anchor(page, "tides")
    assert states(served) == {"approved": 1, "rejected": 1, "pending": 9}
    press(page, "j")
    expect_anchor(page, "prisms")
    press(page, "k")
    expect_anchor(page, "tides")


def test_the_anchor_is_widened_and_narrowed_by_keys(served: Served, open_page: Open) -> None:
    page = open_page()
    press(page, "j")
    expect_anchor(page, "fog horn")
    press(page, "b")
    expect_anchor(page, "a fog horn")
    press(page, "B")
    expect_anchor(page, "fog horn")
    press(page, "W")
    expect_anchor(page, "fog")
    expect(page.locator(".code ins")).to_have_text("[[Foghorn|fog]]")
    press(page, "w")
    expect_anchor(page, "fog horn")
    press(page, "u")
    expect_anchor(page, "fog")


def test_an_anchor_that_cannot_be_changed_says_why(served: Served, open_page: Open) -> None:
    page = open_page()
    page.goto(f"{served.root}/proposal/3")
    press(page, "W")
    expect(page.get_by_role("alert")).to_contain_text("only one word")
    assert state_of(served, 3) == "pending"


def test_another_target_is_searched_for_while_typing(served: Served, open_page: Open) -> None:
    page = open_page()
    page.goto(f"{served.root}/proposal/2")
    press(page, "t")
    field = page.get_by_role("searchbox")
    expect(field).to_be_focused()
    field.fill("glas")
    choice = page.get_by_role("button", name="Glass")
    expect(choice).to_be_visible()
    choice.click()
    expect(page.locator("#target-title")).to_have_text("Glass")
    expect(page.locator(".code ins")).to_have_text("[[Glass|fog horn]]")
    assert state_of(served, 2) == "rejected"


def test_escape_leads_back_from_the_choice_of_a_target(served: Served, open_page: Open) -> None:
    page = open_page()
    press(page, "t")
    expect(page.get_by_role("searchbox")).to_be_focused()
    press(page, "Escape")
    expect_anchor(page, "Fresnel lens")


def test_letters_typed_into_a_field_are_not_keys(served: Served, open_page: Open) -> None:
    page = open_page()
    press(page, "r")
    page.get_by_label("In your own words").fill("")
    page.get_by_label("In your own words").press_sequentially("assure")
    expect_anchor(page, "Fresnel lens")
    page.get_by_role("button", name="5 Other").click()
    expect_anchor(page, "fog horn")
    with served.store.reading() as session:
        from wikibot.store import decisions

        assert decisions.history(session, 1)[0].note == "assure"


def test_escape_closes_a_menu_and_nothing_is_decided(served: Served, open_page: Open) -> None:
    page = open_page()
    press(page, "r")
    press(page, "Escape")
    expect(page.locator("#reject-menu")).not_to_have_attribute("open", "")
    press(page, "1")
    expect_anchor(page, "Fresnel lens")
    assert states(served) == {"pending": 11}


def test_the_whole_flow_by_mouse(served: Served, open_page: Open) -> None:
    page = open_page()
    page.get_by_role("button", name="Approve").click()
    expect_anchor(page, "fog horn")
    page.locator("summary", has_text="Reject").click()
    page.get_by_role("button", name="Everyday word").click()
    expect_anchor(page, "tides")
    page.get_by_role("button", name="Skip").click()
    expect_anchor(page, "prisms")
    page.get_by_role("button", name="Undo").click()
    expect_anchor(page, "tides")
    page.get_by_role("link", name="Next").click()
    expect_anchor(page, "prisms")
    page.get_by_role("link", name="Diff of this page").click()
    expect(page.get_by_role("heading", name="Proposals on this page")).to_be_visible()
    expect(page.locator(".diff ins").first).to_be_visible()
    assert states(served) == {"approved": 1, "rejected": 1, "pending": 9}


def test_a_page_is_approved_above_a_probability(served: Served, open_page: Open) -> None:
    page = open_page()
    press(page, "d")
    page.get_by_label("Tick from").fill("90")
    page.get_by_role("button", name="Tick", exact=True).click()
    expect(page.locator("[name=pick]:checked")).to_have_count(2)
    page.get_by_role("button", name="Approve").click()
    expect(page.locator("#announcer")).to_have_text("Approved: 2 proposals")
    assert states(served) == {"approved": 2, "pending": 9}


def test_never_link_takes_the_word_out_of_the_queue(served: Served, open_page: Open) -> None:
    page = open_page()
    page.goto(f"{served.root}/proposal/5")
    press(page, "n")
    page.get_by_role("button", name="the word “lighthouse”").click()
    expect(page.locator(".status")).to_contain_text("2 waiting proposals left the queue")
    page.goto(f"{served.root}/never")
    page.get_by_role("button", name="Allow again lighthouse").click()
    expect(page.get_by_text("The list is empty")).to_be_visible()
    assert states(served) == {"pending": 11}


def test_two_browsers_at_once_decide_once(served: Served, open_page: Open) -> None:
    one, other = open_page(), open_page()
    expect_anchor(one, "Fresnel lens")
    expect_anchor(other, "Fresnel lens")
    press(one, "a")
    expect_anchor(one, "fog horn")
    press(other, "r")
    press(other, "1")
    expect(other.get_by_role("alert")).to_contain_text("alice was faster: Approved")
    expect(other.locator(".decided")).to_contain_text("approved")
    assert state_of(served, 1) == "approved"
    press(other, "j")
    expect_anchor(other, "fog horn")


def test_a_double_press_decides_once(served: Served, open_page: Open) -> None:
    page = open_page()
    page.evaluate(
        """() => {
            const button = document.querySelector('[data-key="a"]');
            button.click();
            button.click();
        }"""
    )
    expect_anchor(page, "fog horn")
    assert states(served) == {"approved": 1, "pending": 10}


def test_filters_narrow_the_queue_and_stay_while_reviewing(served: Served, open_page: Open) -> None:
    page = open_page()
    page.get_by_role("link", name="List").click()
    page.get_by_label("Page", exact=True).fill("harb")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("tbody tr")).to_have_count(2)
    page.get_by_role("link", name="Review these one by one").click()
    expect_anchor(page, "lighthouse")
    press(page, "a")
    expect_anchor(page, "breakwater")
    expect(page.locator(".filtered")).to_contain_text("1 proposal")
    press(page, "s")
    expect(page.get_by_role("heading", name="Nothing is waiting here")).to_be_visible()
    page.get_by_role("link", name="Clear them").click()
    expect_anchor(page, "Fresnel lens")


def test_skipped_proposals_are_offered_again_at_the_end(served: Served, open_page: Open) -> None:
    page = open_page()
    for left in range(10, -1, -1):
        press(page, "s")
        expect(page.locator(".counters")).to_contain_text(f"{left} waiting")
    page.get_by_role("link", name="Look at the skipped ones again").click()
    expect_anchor(page, "Fresnel lens")
    press(page, "a")
    expect_anchor(page, "fog horn")
    assert state_of(served, 1) == "approved"


def test_the_basic_flow_works_without_javascript(served: Served, open_page: Open) -> None:
    page = open_page(java_script_enabled=False)
    page.get_by_role("button", name="Approve").click()
    expect_anchor(page, "fog horn")
    page.locator("summary", has_text="Reject").click()
    page.get_by_role("button", name="Wrong target").click()
    expect_anchor(page, "tides")
    page.get_by_role("button", name="Skip").click()
    page.get_by_role("button", name="Undo").click()
    expect_anchor(page, "tides")
    page.get_by_role("link", name="Another target").click()
    page.get_by_role("searchbox").fill("moon")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_text("No other page has this in its title")).to_be_visible()
    assert states(served) == {"approved": 1, "rejected": 1, "pending": 9}


def test_a_phone_shows_everything_without_scrolling_sideways(
    served: Served, open_page: Open
) -> None:
    for language in ("de-DE", "fr-FR", "en-GB"):
        page = open_page(**PHONE | {"locale": language})
        for path in (
            *("/", "/queue", "/page/1", "/statistics", "/never", "/help", "/proposal/1/target"),
            *("/article/1", "/batches/target", "/batches/to/1", "/?state=kept"),
        ):
            page.goto(served.root + path)
            wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
            assert not wide, f"{path} is wider than the phone ({language})"
    page.goto(served.root)
    approve = page.get_by_role("button", name="Approve")
    expect(approve).to_be_in_viewport()
    box = approve.bounding_box()
    assert box is not None
    assert box["height"] >= 44
    approve.tap()
    expect_anchor(page, "fog horn")


def test_dark_mode_is_dark(served: Served, open_page: Open) -> None:
    page = open_page(color_scheme="dark")
    shade = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    channels = [int(number) for number in re.findall(r"\d+", shade)]
    assert max(channels[:3]) < 60


def test_a_right_to_left_wiki_is_shown_right_to_left(served: Served, open_page: Open) -> None:
    with served.store.writing() as session:
        sample.add_wiki(session, "he", sample.HEBREW, sample.HEBREW_PROPOSALS)
    page = open_page()
    prose = page.locator(".prose")
    expect(prose).to_have_attribute("dir", "rtl")
    expect(prose).to_have_attribute("lang", "he")
    assert page.evaluate("getComputedStyle(document.querySelector('.prose')).direction") == "rtl"
    assert page.evaluate("getComputedStyle(document.body).direction") == "ltr"
    press(page, "a")
    expect_anchor(page, "זכוכית")


def test_every_control_is_reached_by_the_tab_key_in_the_order_of_the_page(
    served: Served, open_page: Open
) -> None:
    page = open_page()
    names = []
    for _ in range(40):
        press(page, "Tab")
        name = page.evaluate("document.activeElement.textContent.trim().split(/\\s+/)[0]")
        names.append(name)
        ring = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        if page.evaluate("document.activeElement !== document.body"):
            assert ring != "none", f"{name} shows no focus"
    assert names[0] == "Go"
    for earlier, later in (("Review", "On"), ("On", "Approve"), ("Approve", "Reject")):
        assert names.index(earlier) < names.index(later)


def test_keys_can_be_switched_off(served: Served, open_page: Open) -> None:
    page = open_page()
    press(page, "?")
    page.get_by_label("Use these keys").uncheck()
    page.goto(served.root)
    press(page, "a")
    expect_anchor(page, "Fresnel lens")
    assert states(served) == {"pending": 11}


def test_the_interface_speaks_the_browsers_language(served: Served, open_page: Open) -> None:
    page = open_page(locale="de-AT")
    expect(page.get_by_role("button", name="Annehmen")).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "de"


def test_a_decision_needs_nothing_but_tab_and_enter(served: Served, open_page: Open) -> None:
    page = open_page()
    page.goto(f"{served.root}/help")
    page.get_by_label("Use these keys").uncheck()
    page.goto(served.root)
    tab_to(page, "Reject")
    page.keyboard.press("Enter")
    expect(page.locator("#reject-menu .menu-item").first).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect_anchor(page, "fog horn")
    expect(page.locator(".status")).to_contain_text("Rejected (Wrong target)")
    tab_to(page, "Approve")
    page.keyboard.press("Enter")
    expect_anchor(page, "tides")
    assert states(served) == {"approved": 1, "rejected": 1, "pending": 9}


def tab_to(page: Page, name: str) -> None:
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.trim()").startswith(name):
            return
    raise AssertionError(f"{name} is not reached")


@pytest.fixture
def with_long_page(served: Served) -> Served:
    with served.store.writing() as session:
        session.get_one(tables.Page, 1).wikitext += "\nWaves break on the rocks below." * 3000
    return served


def test_the_diff_of_a_long_page_comes_by_itself(with_long_page: Served, open_page: Open) -> None:
    page = open_page()
    page.goto(f"{with_long_page.root}/page/1")
    expect(page.locator(".proposals tbody tr")).to_have_count(6)
    expect(page.locator(".diff ins").first).to_have_text("[[")
    expect(page.locator("[data-not-ready]")).to_have_count(0)


def test_the_diff_of_a_long_page_is_a_click_away_without_javascript(
    with_long_page: Served, open_page: Open
) -> None:
    page = open_page(java_script_enabled=False)
    page.goto(f"{with_long_page.root}/page/1")
    for future in list(with_long_page.review_app.background._asked.values()):
        future.result(timeout=60)
    again = page.get_by_role("link", name="Look again")
    if again.count():
        again.click()
    expect(page.locator(".diff ins").first).to_have_text("[[")


def test_on_a_phone_the_diff_and_the_list_are_one_column(served: Served, open_page: Open) -> None:
    page = open_page(**PHONE)
    page.goto(f"{served.root}/page/1")
    expect(page.locator(".diff td.before").first).to_be_hidden()
    expect(page.locator(".diff td.after ins").first).to_be_visible()
    page.goto(f"{served.root}/queue")
    row, sentence = page.locator("tbody tr").first, page.locator("tbody .sentence").first
    expect(sentence).to_be_visible()
    inside, box = sentence.bounding_box(), row.bounding_box()
    assert inside is not None
    assert box is not None
    assert inside["x"] >= box["x"]
    assert inside["x"] + inside["width"] <= 376


def test_a_proposal_fits_a_laptops_screen(served: Served, open_page: Open) -> None:
    page = open_page(viewport={"width": 1280, "height": 720})
    page.goto(f"{served.root}/proposal/5")
    for shown in (".prose", ".target", ".why", ".result .code", ".anchor-tools"):
        expect(page.locator(shown)).to_be_in_viewport(ratio=1)
    bar, tools = (
        page.locator(".actions").bounding_box(),
        page.locator(".anchor-tools").bounding_box(),
    )
    assert bar is not None
    assert tools is not None
    assert tools["y"] + tools["height"] <= bar["y"]


def test_lists_and_choices_work_without_javascript(served: Served, open_page: Open) -> None:
    page = open_page(java_script_enabled=False)
    page.goto(f"{served.root}/queue")
    page.get_by_label("Target", exact=True).fill("light")
    page.get_by_label("Per cent from").fill("50")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("tbody tr")).to_have_count(2)
    page.goto(f"{served.root}/proposal/2/target?q=glass")
    page.get_by_role("button", name="Glass").click()
    expect(page.locator("#target-title")).to_have_text("Glass")
    page.locator("summary", has_text="Never link").click()
    page.get_by_role("button", name="links to “Glass”").click()
    expect(page.locator(".status")).to_contain_text("1 waiting proposal left the queue")
    page.goto(f"{served.root}/page/1")
    page.get_by_label("Tick from").fill("95")
    page.get_by_role("button", name="Tick", exact=True).click()
    page.get_by_role("button", name="Approve").click()
    expect(page.locator("#main h1")).to_have_text("Approved: 1 proposal")
    assert state_of(served, 1) == "approved"


@pytest.mark.parametrize(
    "path", ["/queue", "/page/13", "/proposal/12/target", "/read/מגדלור", "/never"]
)
def test_right_to_left_text_is_so_on_every_page_and_a_phone_shows_it_whole(
    served: Served, open_page: Open, path: str
) -> None:
    with served.store.writing() as session:
        sample.add_wiki(session, "he", sample.HEBREW, sample.HEBREW_PROPOSALS)
    page = open_page(**PHONE)
    page.goto(f"{served.root}{path}")
    expect(page.locator("body")).to_contain_text("he.example.org")
    sides = page.evaluate(
        "[...document.querySelectorAll('[lang=he][dir]')].map(one => getComputedStyle(one).direction)"
    )
    assert set(sides) <= {"rtl"}
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    marked = page.locator("[lang=he]")
    assert marked.count() > 0 or path == "/never"


@pytest.mark.parametrize("language", ["en-GB", "de-DE", "fr-FR"])
@pytest.mark.parametrize("width", [360, 375, 700, 1000, 1280])
def test_the_buttons_stand_in_one_row(
    served: Served, open_page: Open, language: str, width: int
) -> None:
    page = open_page(locale=language, viewport={"width": width, "height": 720})
    page.locator("#question").wait_for()
    tops = page.evaluate(
        """[...document.querySelectorAll(".actions-inner .button")]
            .filter((one) => one.checkVisibility() && !one.closest(".menu-body"))
            .map((one) => Math.round(one.getBoundingClientRect().top))"""
    )
    assert len(tops) >= 5
    assert len(set(tops)) == 1
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")


def test_a_decision_moves_neither_the_card_nor_the_buttons(served: Served, open_page: Open) -> None:
    page = open_page(viewport={"width": 1280, "height": 720})

    def places() -> list[object]:
        shown = ("#proposal", "[data-key=a]", "[data-key=r]", "[data-key=s]", "[data-key=u]")
        boxes = [page.locator(one).bounding_box() for one in shown]
        return [(box["x"], box["y"]) for box in boxes if box]

    before = places()
    assert len(before) == 5
    for key, anchor in (("a", "fog horn"), ("s", "tides"), ("u", "fog horn")):
        press(page, key)
        expect_anchor(page, anchor)
        assert places() == before


def test_the_keys_that_change_words_exist_on_every_keyboard(
    served: Served, open_page: Open
) -> None:
    """Letters only: brackets and braces need a third level on German keyboards."""
    page = open_page(locale="de-DE")
    keys = page.evaluate(
        "[...document.querySelectorAll('[data-key]')].map((one) => one.dataset.key)"
    )
    assert {"b", "B", "w", "W"} <= set(keys)
    assert all(re.fullmatch("[a-zA-Z]", key) for key in keys)


def test_more_or_fewer_words_opens_the_words_and_blocks_nothing(
    served: Served, open_page: Open
) -> None:
    page = open_page()
    page.goto(f"{served.root}/proposal/2")
    press(page, "r")
    expect(page.get_by_role("button", name="3 More or fewer words")).to_contain_text(
        "Blocks nothing"
    )
    press(page, "3")
    expect(page.locator("#words")).to_contain_text("Nothing is blocked. Choose the words:")
    expect(page.locator("[data-key=w]")).to_be_focused()
    assert states(served) == {"pending": 11}


def test_the_next_proposal_is_fetched_before_it_is_asked_for(
    served: Served, open_page: Open
) -> None:
    page = open_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(f"{request.method} {request.url}"))
    with page.expect_request(f"{served.root}/?after=1"):
        page.goto(served.root)
    page.wait_for_load_state("networkidle")
    asked.clear()
    press(page, "a")
    expect_anchor(page, "fog horn")
    assert asked[0] == f"POST {served.root}/proposal/1/decide"
    assert not any("done=" in one for one in asked), "the page was there already"
    assert "after=1&done=1" in page.url
    page.reload()
    expect_anchor(page, "fog horn")


def test_a_server_that_is_gone_is_said_to_be(served: Served, open_page: Open) -> None:
    page = open_page()
    page.context.route("**/decide", lambda route: route.abort())
    press(page, "a")
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer")
    assert states(served) == {"pending": 11}


def test_the_end_says_what_was_achieved_and_what_comes_next(
    served: Served, open_page: Open
) -> None:
    page = open_page()
    for left in range(10, -1, -1):
        press(page, "s" if left < 2 else "a")
        expect(page.locator(".counters")).to_contain_text(f"{left} waiting")
    end = page.locator(".card.is-empty")
    expect(end).to_contain_text("you have seen everything")
    expect(end.locator(".tiles > div").first).to_contain_text("9 approved, 0 rejected, 2 skipped")
    expect(end).to_contain_text("Publish 9 approved links")
    expect(end).to_contain_text("2 proposals were skipped.")


def test_a_page_that_changes_while_it_is_looked_at_says_so_before_the_decision(
    served: Served, open_page: Open
) -> None:
    page = open_page()
    expect_anchor(page, "Fresnel lens")
    with served.store.writing() as session:
        found = queue.proposal(session, 1)
        assert found is not None
        session.get_one(tables.Page, found.page.id).revision_id += 1
    expect(page.locator("#changed")).to_contain_text("has changed on the wiki")
    page.reload()
    expect(page.locator(".decided")).to_contain_text("has changed")
