"""The reader's view in a real browser: a click follows a contextual link."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import Open, Served
from tests.review import test_reading
from tests.review.sample import NOW
from wikibot.store.tables import Model

pytestmark = pytest.mark.browser

model_file = test_reading.model_file


@pytest.fixture
def trained(served: Served, model_file: Path) -> Served:
    served.store.folder.mkdir()
    shutil.copy(model_file, served.store.folder / "crtm.model")
    with served.store.writing() as session:
        session.add(
            Model(
                wiki_id=1, kind="crtm", path="crtm.model", sha256="x", parameters={}, figures={},
                created_at=NOW,
            )
        )  # fmt: skip
    return served


def test_what_was_read_before_is_linked_and_a_click_leads_there(
    trained: Served, open_page: Open
) -> None:
    page = open_page()
    for title in ("Fresnel lens", "Ship"):
        page.goto(f"{trained.root}/read/{title}")
    page.goto(f"{trained.root}/read/Lighthouse")
    link = page.locator(".is-context").first
    expect(link).to_be_visible()
    words, target = (
        link.inner_text(),
        (link.get_attribute("title") or "").removeprefix("Read before: "),
    )
    assert words.casefold() == target.casefold()
    link.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(target)
    expect(page.locator(".subtle").first).to_contain_text("Lighthouse")


def test_the_pages_own_links_are_followed_too(trained: Served, open_page: Open) -> None:
    page = open_page()
    page.goto(f"{trained.root}/read/Lighthouse")
    page.get_by_role("link", name="harbour", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Harbour")


def test_a_new_sitting_has_no_contextual_links(trained: Served, open_page: Open) -> None:
    page = open_page()
    page.goto(f"{trained.root}/read/Fresnel lens")
    page.goto(f"{trained.root}/read")
    page.get_by_role("button", name="Start a new sitting").click()
    page.goto(f"{trained.root}/read/Lighthouse")
    expect(page.get_by_text("bright lamp")).to_be_visible()
    expect(page.locator("[data-not-ready]")).to_have_count(0)
    expect(page.locator(".is-context")).to_have_count(0)


def test_topics_come_by_themselves_once_the_model_is_loaded(
    trained: Served, open_page: Open
) -> None:
    page = open_page()
    page.goto(f"{trained.root}/topics")
    expect(page.locator(".bar-fill")).to_have_count(4)
