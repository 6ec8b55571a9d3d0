"""The demo's export on a real MediaWiki: accepted whole, and shown as its authors meant it."""

from __future__ import annotations

import re

import pytest

from tests.mediawiki.wiki import ADMIN, Wiki
from wikibot.demo import build_export, demo_pages

pytestmark = pytest.mark.wiki


@pytest.fixture(scope="module")
def demo_wiki(shared_wiki: Wiki, tmp_path_factory: pytest.TempPathFactory) -> Wiki:
    """A wiki that has imported the demo."""
    shared_wiki.import_export(build_export(tmp_path_factory.mktemp("export") / "demo.xml"))
    return shared_wiki


def shown(wiki: Wiki, title: str) -> str:
    answer = wiki.person(ADMIN).get(action="parse", page=title, prop="text")
    return re.sub(r"<!--.*?-->", "", str(answer["parse"]["text"]), flags=re.S)


def test_every_page_arrives_with_its_text(demo_wiki: Wiki) -> None:
    # The installer's own main page is newer than the demo's.
    wanted = {page.title: page.text for page in demo_pages() if page.title != "Main Page"}
    titles, arrived = list(wanted), {}
    for start in range(0, len(titles), 50):
        arrived |= texts(demo_wiki, titles[start : start + 50])
    assert arrived == wanted


def texts(wiki: Wiki, titles: list[str]) -> dict[str, str]:
    named = {"titles": "|".join(titles), "prop": "revisions", "rvprop": "content"}
    pages = wiki.person(ADMIN).query(**named, rvslots="main")["pages"]
    return {page["title"]: page["revisions"][0]["slots"]["main"]["content"] for page in pages}


def test_an_infobox_becomes_a_table(demo_wiki: Wiki) -> None:
    html = shown(demo_wiki, "Transistor")
    assert 'class="infobox"' in html
    assert "{{" not in html


def test_a_disambiguation_page_says_so_and_is_in_its_category(demo_wiki: Wiki) -> None:
    assert "lists several meanings" in shown(demo_wiki, "Bus")


def test_nobots_shows_nothing(demo_wiki: Wiki) -> None:
    assert "obots" not in shown(demo_wiki, "Albert Einstein")
