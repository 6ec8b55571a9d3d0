"""Words, gaps, italics, quotations and links of a page, with their places."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wikibot.ranking.prose import (
    APOSTROPHE,
    BLOCK,
    COLUMNS,
    HYPHEN,
    LISTED,
    PUNCTUATION,
    SENTENCE,
    SPACE,
    Prose,
    read_prose,
)

from tests.ranking.small import ENGLISH, prose
from wikibot.wikitext import SiteRules


def column(page: Prose, name: str) -> list[int]:
    return [int(value) for value in page.columns[COLUMNS.index(name)]]


def test_words_are_where_the_wikitext_has_them() -> None:
    text = "The [[Avengers|team]] met ''Spider-Man'' in [[New York]]ers' town."
    page = prose(text)
    for word, start, end in zip(
        page.words, column(page, "start"), column(page, "end"), strict=True
    ):
        assert text[start:end].replace("]]", "") == word


def test_a_link_trail_belongs_to_the_last_word_of_the_link() -> None:
    page = prose("Many [[mutant]]s live.")
    assert page.words == ["Many", "mutants", "live"]
    assert page.links == [(1, 2, "Mutant")]


def test_words_of_a_piped_link_are_the_ones_shown() -> None:
    page = prose("Seen by [[Norman Osborn|the Green Goblin]] today.")
    first, last, target = page.links[0]
    assert (page.words[first:last], target) == (["the", "Green", "Goblin"], "Norman Osborn")


@pytest.mark.parametrize(
    ("text", "gap"),
    [
        ("one two", SPACE),
        ("one-two", HYPHEN),
        ("one's", APOSTROPHE),
        ("one, two", PUNCTUATION),
        ("one. Two", SENTENCE),
        ("one\n\ntwo", BLOCK),
        ("one<ref>x</ref> two", BLOCK),
        ("one {{x}} two", BLOCK),
        ("one ''two''", SPACE),
        ("one [[two]]", SPACE),
    ],
)
def test_what_stands_between_two_words(text: str, gap: int) -> None:
    assert column(prose(text), "gap")[1] == gap


def test_italics_are_numbered_by_run() -> None:
    page = prose("See ''The Thanos Imperative'' and ''Thor''.")
    assert column(page, "italic") == [0, 1, 1, 1, 0, 2]


def test_quotations_are_numbered() -> None:
    assert column(prose('He said "Thor is here" and left.'), "quote") == [0, 0, 1, 1, 1, 0, 0]


def test_list_items_are_flagged() -> None:
    assert column(prose("* [[Thor]] and Loki"), "flags")[-1] == LISTED


def test_links_outside_prose_are_kept_apart() -> None:
    page = prose("{{Infobox|ally=[[Thor|the god]]}}\nText.\n\n== See also ==\n* [[Loki]]")
    assert page.links == []
    assert sorted(page.elsewhere) == ["Loki", "Thor"]
    assert page.aside == [("Thor", True)]
    assert page.box == " ally the god "


def test_a_redirect_has_no_prose() -> None:
    assert read_prose("Old", "#REDIRECT [[New]]", ENGLISH) is None


def test_scripts_without_spaces_are_cut_into_words() -> None:
    page = prose("ベルリンは、ドイツの首都である。", rules=SiteRules.for_language("ja"))
    assert len(page.words) > 3
    assert "".join(page.words) == "ベルリンはドイツの首都である"


def test_letters_with_marks_stay_whole() -> None:
    assert prose("हिन्दी भाषा", rules=SiteRules.for_language("hi")).words == ["हिन्दी", "भाषा"]


def test_prose_travels_between_processes_unchanged() -> None:
    page = prose("A [[b]] ''c''.{{Box|''[[d]]''}}")
    again = Prose.unpacked(page.packed())
    assert again.words == page.words
    assert np.array_equal(again.columns, page.columns)
    assert again.links == page.links
    assert again.aside == page.aside == [("D", False)]


@given(st.text(alphabet="ab .'[]|{}\n=*\"é", max_size=60))
def test_any_text_is_read_with_places_inside_it(text: str) -> None:
    page = prose(text) if read_prose("P", text, ENGLISH) else None
    if page is not None:
        assert all(0 <= a < b <= len(text) for a, b in zip(*page.columns[:2], strict=True))
        assert all(0 <= a < b <= len(page.words) for a, b, _ in page.links)
