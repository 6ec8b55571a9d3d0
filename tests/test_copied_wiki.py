"""Benchmark wikis made of copies look like the wiki that was copied."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.copied_wiki import Original, cipher_of, copied_pages, write_wiki
from wikibot.demo import build_export
from wikibot.fetch.export import ExportReader

LINK = re.compile(r"\[\[([^\[\]|#:]+)(?:[|#][^\[\]]*)?\]\]")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Original:
    return Original.read(build_export(tmp_path_factory.mktemp("demo") / "demo.xml"))


def articles(pages: list[tuple[str, str]]) -> int:
    return sum(not text.startswith("#") for _, text in pages)


def links_that_lead_somewhere(pages: list[tuple[str, str]]) -> float:
    titles = {title for title, _ in pages}
    targets = [found.strip() for _, text in pages for found in LINK.findall(text)]
    there = sum(target[:1].upper() + target[1:] in titles for target in targets)
    return there / len(targets)


def test_a_cipher_is_a_bijection_that_keeps_case_and_vowels() -> None:
    table = cipher_of(3, seed=1)
    assert sorted(table.values()) == sorted(table)
    assert {chr(table[ord(vowel)]) for vowel in "aeiou"} == set("aeiou")
    assert "Transistor".translate(table) == "transistor".translate(table).capitalize()


def test_copies_have_as_many_articles_as_asked_for_and_titles_of_their_own(
    original: Original,
) -> None:
    pages = list(copied_pages(original, 1000))
    assert articles(pages) == 1000
    assert len({title for title, _ in pages}) == len(pages)


def test_links_of_copies_lead_to_pages_as_often_as_those_of_the_original(
    original: Original,
) -> None:
    one = [(page.title, page.text or "") for page in original.pages]
    many = list(copied_pages(original, 4 * articles(one)))
    assert links_that_lead_somewhere(many) == pytest.approx(
        links_that_lead_somewhere(one), abs=0.05
    )


def test_lengths_of_copies_are_those_of_the_original(original: Original) -> None:
    one = [len(page.text or "") for page in original.pages]
    many = [len(text) for _, text in copied_pages(original, 1000)]
    assert sum(many) / len(many) == pytest.approx(sum(one) / len(one), rel=0.1)


def test_the_same_seed_gives_the_same_export_that_can_be_read(
    original: Original, tmp_path: Path
) -> None:
    source = build_export(tmp_path / "demo.xml")
    first, again = (write_wiki(tmp_path / name, source, 500) for name in ("a.xml", "b.xml"))
    assert first.read_bytes() == again.read_bytes()
    titles = [page.title for page in ExportReader(first).pages()]
    assert titles == [title for title, _ in copied_pages(original, 500)]


def test_names_of_other_copies_do_not_turn_up_on_a_page(original: Original) -> None:
    """Else the candidates of a page would grow with the number of copies."""
    words = replace(original, common=frozenset(("and", "with", "or", "not")))
    names = [
        name
        for copy in range(1, 200)
        for name in words.rename_for(copy, seed=1)("Ab NL Be").split()
    ]
    assert len(set(names)) == len(names)
    assert not {name.lower() for name in names} & {"ab", "nl", "be", *words.common}
    assert all(name.isupper() for name in names[1::3])
