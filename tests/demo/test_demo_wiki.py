"""The demo wiki: what a wiki has, linked as people link, and the same export each time."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from statistics import median
from xml.etree import ElementTree

import mwxml
import pytest

from wikibot.demo import NAMESPACES, DemoPage, build_export, demo_pages
from wikibot.wikitext import PageText, SiteRules, read_page

ROOTS = {"Electronics", "Physics", "Computing"}
# Left red on purpose, as on every wiki.
RED = {
    "Charles Babbage",
    "Georg Ohm",
    "Guglielmo Marconi",
    "Harry Nyquist",
    "Kurt Gödel",
    "Ludwig Boltzmann",
    "Niels Bohr",
    "Nikola Tesla",
    "Telephone",
    "Thomas Edison",
}
OF_THE_PAPER = {
    "Semiconductor",
    "Transistor",
    "MOSFET",
    "Computer",
    "Electron",
    "Dopant",
    "Moore's law",
}
MARKUP = {
    "a table": "{|",
    "a reference": "<ref>",
    "a comment": "<!--",
    "a formula": "<math>",
    "a quotation": "<blockquote>",
    "a list": "\n* ",
    "a numbered list": "\n# ",
    "a heading": "\n== ",
    "an infobox": "{{Infobox",
    "a preformatted line": "\n ADD",
    "nowiki": "<nowiki>",
}


@cache
def pages() -> dict[str, DemoPage]:
    return {page.title: page for page in demo_pages()}


@cache
def read(title: str) -> PageText:
    return read_page(pages()[title].text, SiteRules.for_language("en"), title)


@cache
def articles() -> list[str]:
    return [
        title
        for title, page in pages().items()
        if page.namespace == 0
        and page.redirect_to is None
        and title != "Main Page"
        and not read(title).is_disambiguation
    ]


def prose_words(title: str) -> int:
    return sum(len(s.text.split()) for s in read(title).sentences)


def test_there_are_enough_articles_of_an_encyclopedias_length() -> None:
    lengths = {title: prose_words(title) for title in articles()}
    assert len(lengths) >= 150
    assert not {title: n for title, n in lengths.items() if not 95 <= n <= 205}
    assert 120 <= median(lengths.values()) <= 160


def test_the_pages_of_the_papers_case_study_are_there() -> None:
    assert set(articles()) >= OF_THE_PAPER


def test_every_article_names_its_subject_in_bold_in_the_lead() -> None:
    assert [title for title in articles() if not read(title).bold_names] == []


def test_links_resolve_apart_from_the_deliberately_red_ones() -> None:
    missing = {
        link.target
        for title in articles()
        for link in read(title).links
        if link.is_page_link and link.target not in pages()
    }
    assert missing == RED


def test_no_article_links_to_itself_or_to_a_disambiguation_page() -> None:
    for title in articles():
        targets = {link.target for link in read(title).links}
        assert title not in targets
        assert not {t for t in targets if t in pages() and read(t).is_disambiguation}, title


def test_redirects_lead_straight_to_an_article() -> None:
    redirects = {t: p.redirect_to for t, p in pages().items() if p.redirect_to}
    assert len(redirects) >= 15
    assert set(redirects.values()) <= set(articles())


def test_every_article_is_in_a_category_below_one_of_the_three_roots() -> None:
    for title in articles():
        assert any(is_below_a_root(c) for c in read(title).categories), title


def is_below_a_root(category: str, depth: int = 0) -> bool:
    name = category.partition(":")[2]
    assert f"Category:{name}" in pages(), f"Category:{name} has no page"
    assert depth < 10, f"the categories above {name} form a ring"
    parents = read(f"Category:{name}").categories
    return name in ROOTS or any(is_below_a_root(parent, depth + 1) for parent in parents)


def test_it_has_what_other_wikis_have() -> None:
    titles = set(pages())
    assert {"Talk:Transistor", "Template:Disambig", "Category:Semiconductor devices"} <= titles
    assert sum(read(t).is_disambiguation for t in titles if pages()[t].namespace == 0) >= 2
    assert [t for t in articles() if read(t).forbids_bots()] == ["Albert Einstein"]


@pytest.mark.parametrize("markup", MARKUP.values(), ids=MARKUP)
def test_the_markup_of_real_pages_is_there(markup: str) -> None:
    assert any(markup in page.text for page in pages().values())


def test_one_page_is_written_from_right_to_left() -> None:
    text = pages()["ترانزستور"].text
    assert text.startswith("'''ال")
    assert sum("\u0600" <= letter <= "\u06ff" for letter in text) > 400


def test_links_are_written_in_the_three_ways_editors_use() -> None:
    text = "".join(pages()[title].text for title in articles())
    assert len(re.findall(r"\[\[[^]|:]+\]\](?![a-z])", text)) >= 500
    assert len(re.findall(r"\[\[[^]|:]+\]\][a-z]", text)) >= 100
    assert len(re.findall(r"\[\[[^]|:]+\|", text)) >= 70


def test_about_two_thirds_of_what_could_be_linked_is_linked() -> None:
    linked = unlinked = 0
    for title in articles():
        targets = {link.target for link in read(title).links}
        prose = f" {' '.join(s.text for s in read(title).sentences).lower()} "
        mentioned = {t for t in articles() if f" {t.lower()} " in prose and t != title}
        linked += len(mentioned & targets)
        unlinked += len(mentioned - targets)
    assert 0.55 <= linked / (linked + unlinked) <= 0.8


def test_the_export_is_well_formed_and_holds_every_page(tmp_path: Path) -> None:
    root = ElementTree.parse(build_export(tmp_path / "demo.xml")).getroot()
    space = "{http://www.mediawiki.org/xml/export-0.11/}"
    assert root.tag == f"{space}mediawiki"
    assert [e.text for e in root.iter(f"{space}title")] == list(pages())
    assert {int(e.attrib["key"]) for e in root.iter(f"{space}namespace")} == set(NAMESPACES)


def test_mwxml_reads_the_same_pages_from_the_export(tmp_path: Path) -> None:
    with build_export(tmp_path / "demo.xml").open(encoding="utf-8") as file:
        seen = {page.title: next(iter(page)).text for page in mwxml.Dump.from_file(file)}
    assert seen == {title: page.text for title, page in pages().items()}


def test_building_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = build_export(tmp_path / "a.xml"), build_export(tmp_path / "b.xml")
    assert first.read_bytes() == second.read_bytes()


def test_ids_and_time_stamps_are_unique(tmp_path: Path) -> None:
    with build_export(tmp_path / "demo.xml").open(encoding="utf-8") as file:
        rows = [
            (page.id, revision.id, str(revision.timestamp))
            for page in mwxml.Dump.from_file(file)
            for revision in page
        ]
    assert len(rows) == len(pages())
    for column in zip(*rows, strict=True):
        assert len(set(column)) == len(rows)
