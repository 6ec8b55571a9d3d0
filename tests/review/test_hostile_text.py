"""Whatever a wiki, a model or a reviewer wrote is shown as text and is nothing else."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from urllib.parse import quote

import pytest

from tests.review import hostile
from tests.review.conftest import HOST, Browser
from tests.review.test_commands import run
from tests.review.test_security import both
from wikibot import diff
from wikibot.store import Store
from wikibot.store.pages import wikis
from wikibot.store.tables import Page, Suggestion
from wikibot.web.filters import GUIDELINES
from wikibot.web.report import diff_page

PATHS = (
    "/", "/?done=1", "/?done=2", "/proposal/1", "/proposal/2", "/proposal/4/target",
    "/proposal/4/target?q=%3Cscript%3E", "/queue", "/queue?state=any", "/page/1",
    "/page/1?diff=approved", "/article/1", "/batches/page", "/batches/target",
    "/batches/to/1", "/queue?sort=-%3Cscript%3E", "/statistics", "/topics", "/never", "/categories", "/few-links",
    "/decisions", "/board", "/saved", "/saved/b1", "/read", "/read?q=%22%3E%3Cb%3E",
    "/help", "/queue?page=%22%3E%3Cscript%3E&category=%3Cimg%3E&target=%27%3E&least=%3C",
    "/?state=%3Cscript%3E&wiki=%3Cscript%3E", "/proposal/99999", "/read/%3Cscript%3E",
    "/why?on=%3Cscript%3E&to=%3Cb%3E", "/ideas", "/ideas/list?to=%3Cscript%3E", "/proposal/1/same?version=1",
    "/publish", "/publish/run/1", "/publish/run/2", "/publish/run/3", "/publish/run/4",
)  # fmt: skip
OURS = {"script": 1, "img": 0, "i": 0}


class Reader(HTMLParser):
    """Collects what a browser would act upon."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name.startswith("on") or name == "style":
                self.wrong.append(f"<{tag} {name}>")
            if name in ("href", "src", "action", "formaction") and not is_ours(value or ""):
                self.wrong.append(f"<{tag} {name}={value}>")


def is_ours(address: str) -> bool:
    if address in GUIDELINES.values():
        return True
    return (address.startswith("/") and not address.startswith("//")) or address.startswith("#")


@pytest.fixture
def poisoned(store: Store) -> Store:
    with store.writing() as session:
        assert hostile.poison(session) > 80
    return store


@both
@pytest.mark.parametrize("path", PATHS)
def test_no_page_lets_text_become_markup(poisoned: Store, insider: Browser, path: str) -> None:
    page = insider.get(path)
    assert page.status_code in (200, 303, 404)
    reader = Reader()
    reader.feed(page.text)
    assert reader.wrong == []
    for tag, number in OURS.items():
        assert reader.tags.count(tag) <= number, f"<{tag}> in {path}"
    assert "49" not in reader.tags


def test_the_attacks_are_shown_so_that_a_reviewer_sees_them(
    poisoned: Store, browser: Browser
) -> None:
    assert "&lt;script&gt;window.pwned=1&lt;/script&gt;" in browser.get("/proposal/4").text


def test_the_written_report_lets_no_text_become_markup(poisoned: Store) -> None:
    with poisoned.reading() as session:
        wiki = wikis(session)[0]
        edits = list(diff.edits(session, wiki, "pending"))
    assert edits
    reader = Reader()
    reader.feed(diff_page(edits, wiki))
    assert reader.wrong == []
    assert "script" not in reader.tags
    assert "img" not in reader.tags


def test_a_wikis_address_that_is_no_web_address_is_not_linked(
    poisoned: Store, browser: Browser
) -> None:
    assert 'href="javascript' not in browser.get("/proposal/4").text


def test_every_page_of_the_site_is_among_the_poisoned_ones(browser: Browser) -> None:
    app = browser.client.application
    adapter = app.url_map.bind(HOST)
    asked = {adapter.match(path.partition("?")[0])[0] for path in PATHS}
    pages = {rule.endpoint for rule in app.url_map.iter_rules() if "GET" in (rule.methods or ())}
    assert pages - asked == {"static", "publish.patch"}


def test_the_patch_is_a_file_and_no_page_whatever_it_holds(
    poisoned: Store, browser: Browser
) -> None:
    patch = browser.get("/publish/patch")
    assert patch.mimetype == "text/x-diff" and patch.headers["X-Content-Type-Options"] == "nosniff"
    assert patch.headers["Content-Disposition"].startswith("attachment;")


def test_what_became_of_a_save_is_shown_as_text(poisoned: Store, browser: Browser) -> None:
    shown = [browser.get(f"/publish/run/{number}").text for number in range(1, 5)]
    for text in (browser.get("/publish").text, "".join(shown)):
        assert "&lt;img src=x onerror=window.pwned=1&gt;" in text


def test_a_page_with_a_hostile_title_is_read_as_text(poisoned: Store, browser: Browser) -> None:
    with poisoned.reading() as session:
        titles = [row.title for row in session.query(Page).limit(3)]
    for title in titles:
        page = browser.get(f"/read/{quote(title, safe='')}")
        reader = Reader()
        reader.feed(page.text)
        assert reader.wrong == []
        assert reader.tags.count("script") <= 1
        assert reader.tags.count("img") == 0


@pytest.mark.parametrize(
    "options", [["queue", "--json"], ["queue", "--csv"], ["diff", "--pending"]]
)
def test_what_programs_get_is_whole_however_hostile_the_text(
    poisoned: Store, options: list[str]
) -> None:
    """Quotes, line ends and formulas stay inside their field."""
    with poisoned.writing() as session:
        for row in session.query(Suggestion).all():
            row.anchor = '=1+1","x\n' + row.anchor
    shown = run(poisoned, *options).stdout
    if "--json" in options:
        assert all(row["anchor"].startswith('=1+1","x\n') for row in json.loads(shown))
    if "--csv" in options:
        rows = list(csv.DictReader(io.StringIO(shown)))
        assert all(None not in row and row["anchor"].startswith("'=1+1") for row in rows)
    if "diff" in options:
        assert not [
            line for line in shown.splitlines() if line[:1] not in ("", " ", "+", "-", "@", "\\")
        ]
