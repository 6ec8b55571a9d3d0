"""The written report of `wikibot diff --html`, opened from a file in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.review import hostile, sample
from tests.review.test_commands import run
from wikibot.store import Store, open_store

pytestmark = pytest.mark.browser


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return sample.make_store(tmp_path / "wiki.db")


def report(
    store: Store, folder: Path, chromium: Browser, **profile: object
) -> tuple[Page, list[str]]:
    """The report in a browser, and every address that it asked for."""
    file = folder / "diff.html"
    run(store, "diff", "--pending", "--html", str(file))
    page = chromium.new_context(**profile).new_page()  # type: ignore[arg-type]
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    page.goto(file.as_uri())
    return page, asked


def test_both_sides_stand_beside_each_other(
    store: Store, tmp_path: Path, chromium: Browser
) -> None:
    page, asked = report(store, tmp_path, chromium)
    expect(page.get_by_role("heading", level=2)).to_have_text(
        ["Foghorn", "Fresnel lens", "Harbour", "Lighthouse", "Prism"]
    )
    row = page.locator("tr.is-changed").first
    before, after = row.locator("td.before").bounding_box(), row.locator("td.after").bounding_box()
    assert before is not None
    assert after is not None
    assert before["x"] + before["width"] <= after["x"] + 1
    assert before["y"] == after["y"]
    assert row.locator("td.before ins").count() == 0
    expect(row.locator("td.after ins").first).to_have_text("[[")
    assert [one for one in asked if not one.startswith("file:")] == []


def test_the_style_travels_with_it(store: Store, tmp_path: Path, chromium: Browser) -> None:
    page, _ = report(store, tmp_path, chromium, color_scheme="dark")
    shade = "getComputedStyle(document.documentElement).backgroundColor"
    assert page.evaluate(shade) != "rgba(0, 0, 0, 0)"
    mark = page.locator("ins").first
    assert mark.evaluate("one => getComputedStyle(one).backgroundColor") != "rgba(0, 0, 0, 0)"


def test_a_right_to_left_wiki_is_set_right_to_left(tmp_path: Path, chromium: Browser) -> None:
    store = open_store(tmp_path / "he.db", create=True)
    with store.writing() as session:
        sample.add_wiki(session, "he", sample.HEBREW, sample.HEBREW_PROPOSALS)
    page, _ = report(store, tmp_path, chromium)
    cell = page.locator("td.after").first
    expect(cell).to_have_attribute("dir", "rtl")
    expect(cell).to_have_attribute("lang", "he")


def test_nothing_of_a_hostile_wiki_runs(store: Store, tmp_path: Path, chromium: Browser) -> None:
    with store.writing() as session:
        hostile.poison(session)
    page, asked = report(store, tmp_path, chromium)
    assert page.evaluate("window.pwned") is None
    assert page.locator("script, img, form, a").count() == 0
    assert [one for one in asked if not one.startswith("file:")] == []
