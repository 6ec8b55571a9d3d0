"""MediaWiki itself as the judge: what it shows is unchanged, and exactly our links are new."""

from __future__ import annotations

import random
from html.parser import HTMLParser

import pytest

from tests.mediawiki.people import Person
from tests.mediawiki.wiki import ADMIN, Wiki
from tests.wikitext.cases import read_cases
from tests.wikitext.damage import BLOCKS, MARKS, PROSE
from wikibot.wikitext import (
    BadWikitext,
    Insertion,
    SiteRules,
    insert_links,
    normalise_title,
    read_page,
)

pytestmark = [pytest.mark.wiki, pytest.mark.timeout(900)]


class Shown(HTMLParser):
    """The text of a page as a reader sees it, and the texts of its links."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.links, self._open = "", [], False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self._open = True
            self.links.append("")

    def handle_endtag(self, tag: str) -> None:
        self._open = self._open and tag != "a"

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._open:
            self.links[-1] += data


@pytest.fixture(scope="module")
def reader(shared_wiki: Wiki) -> Person:
    return shared_wiki.person(ADMIN)


def show(reader: Person, text: str) -> Shown:
    answer = reader.post(
        "parse",
        text=text,
        title="A page",
        contentmodel="wikitext",
        prop="text",
        disableeditsection=1,
        disabletoc=1,
        disablelimitreport=1,
    )
    return Shown(answer["parse"]["text"])


def assert_only_new_links(reader: Person, before: str, insertions: list[Insertion]) -> None:
    """MediaWiki shows the same text, and the anchors as links besides those that were there."""
    site = SiteRules.for_language("en")
    old, new = show(reader, before), show(reader, insert_links(before, insertions, site))
    assert new.text == old.text, before
    added = [before[i.start : i.end] for i in insertions]
    assert sorted(new.links) == sorted(old.links + added), before


def test_mediawiki_shows_every_case_as_before(reader: Person) -> None:
    checked = 0
    for case in read_cases():
        if case.site.language == "en" and case.site.capital_links and case.linkable():
            assert_only_new_links(reader, case.before, case.linkable())
            checked += 1
    assert checked > 80


def damaged(chance: random.Random) -> str:
    text = "".join(chance.choices(PROSE + BLOCKS, k=chance.randint(3, 10)))
    for _ in range(chance.randint(0, 4)):
        at = chance.randint(0, len(text))
        end = at + chance.randint(0, 8) * chance.randint(0, 1)
        text = text[:at] + chance.choice(MARKS) * chance.randint(0, 1) + text[end:]
    return text


def some_places(text: str, chance: random.Random) -> list[Insertion]:
    page = read_page(text, SiteRules.for_language("en"), "A page")
    words = [word for span in page.spans for word in page.words(span)]
    fit = [w for w in words if page.allows(w.start, w.end) and w.text.isascii()]
    chosen = chance.sample(fit, min(3, len(fit)))
    return [Insertion(word.start, word.end, "Some target") for word in chosen]


def test_mediawiki_shows_damaged_pages_as_before(reader: Person) -> None:
    chance = random.Random(6)
    checked = 0
    for _ in range(150):
        text = damaged(chance)
        try:
            insertions = some_places(text, chance)
        except BadWikitext:
            continue
        if insertions:
            assert_only_new_links(reader, text, insertions)
            checked += 1
    assert checked > 75


TITLES = (
    *(
        "paris",
        "New_York",
        " a  b ",
        "talk:paris",
        "user_talk : ann",
        "category:towns",
        "image:a.jpg",
    ),
    *("école", "ßa", "ŉa", "ǆa", "ა", "project:x", "Burn:Cycle", "ﬁa", "ᾳa", "ⅷ", "ⓐ", "ꭰ", "𐐨a"),
    *("A\u200eB", "Caf%C3%A9", "AT&amp;T", "x\u00a0y", ":Paris", "2001: A", "i", "ı", "ſa", "ʼn"),
)


@pytest.mark.parametrize("raw", TITLES)
def test_titles_are_normalised_as_mediawiki_does(reader: Person, raw: str) -> None:
    site = SiteRules.from_siteinfo(
        reader.query(
            meta="siteinfo",
            siprop="general|namespaces|namespacealiases|magicwords|extensiontags|functionhooks",
        )
    )
    answer = reader.post(
        "parse",
        text=f"[[{raw}|x]] [[:{raw}|x]]",
        contentmodel="wikitext",
        prop="links|categories|images",
    )
    parsed = answer["parse"]
    wanted = {link["title"] for link in parsed["links"]}
    assert normalise_title(raw, site).text in wanted
