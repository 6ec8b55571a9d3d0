"""Ideas in a real Chromium: read, decided by keys, taken back."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import Open, Served
from tests.e2e.test_browser_review import PHONE, press
from tests.review.test_ideas_view import add_idea, state_of

pytestmark = pytest.mark.browser


def test_ideas_are_decided_by_keys_and_taken_back(served: Served, open_page: Open) -> None:
    first = add_idea(
        served.store, "Ship", "Wick", "It anchors in a harbour when the tide is low.", 0.9
    )
    second = add_idea(served.store, "Fog", "Wick", "Ships slow down in fog.", 0.4)
    page = open_page()
    page.get_by_role("link", name="Ideas").click()
    expect(page.locator("#idea mark").first).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Wick")
    press(page, "a")
    expect(page.locator(f"#idea[data-idea='{second}']")).to_be_visible()
    assert state_of(served.store, first) == "accepted"
    press(page, "r")
    expect(page.get_by_role("heading", name="No ideas are waiting")).to_be_visible()
    assert state_of(served.store, second) == "declined"
    press(page, "u")
    expect(page.locator(f"#idea[data-idea='{second}']")).to_be_visible()
    assert state_of(served.store, second) == "pending"
    page.get_by_role("link", name="To write (1)").click()
    expect(page.get_by_role("link", name="Write them now Ship")).to_have_attribute(
        "href", "https://en.example.org/wiki/Ship?action=edit"
    )


def test_an_idea_fits_a_phone(served: Served, open_page: Open) -> None:
    add_idea(served.store, "Fog", "Wick", "Ships slow down in fog.", 0.4)
    page = open_page(**PHONE)
    page.goto(f"{served.root}/ideas")
    expect(page.get_by_role("button", name="I will write it")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
