"""Titles as MediaWiki reads them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikibot.wikitext import SiteRules, Title, normalise_title
from wikibot.wikitext.titles import decode_entities, first_upper

ENGLISH = SiteRules.for_language("en")
GERMAN = SiteRules.for_language("de")


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("Paris", "Paris"),
        ("paris", "Paris"),
        (" paris ", "Paris"),
        ("New_York", "New York"),
        ("New__York  City", "New York City"),
        ("_Paris_", "Paris"),
        ("New\u00a0York", "New York"),
        ("New\u3000York", "New York"),
        (":Paris", "Paris"),
        ("AT&amp;T", "AT&T"),
        ("AT&T", "AT&T"),
        ("AT&ampT", "AT&ampT"),
        ("Caf%C3%A9", "Café"),
        ("100%", "100%"),
        ("Caf&eacute;", "Café"),
        ("Caf&#233;", "Café"),
        ("Paris\u200e", "Paris"),
        ("Cafe\u0301", "Café"),
        ("\u202bParis\u202c", "Paris"),
        ("école", "École"),
        ("ßa", "Ssa"),
        ("ŉa", "ʼNa"),
        ("ǆa", "ǅa"),
        ("ა", "ა"),
        ("𐐨a", "𐐀a"),
        ("1920", "1920"),
        ("", ""),
    ],
)
def test_the_text_of_a_title(raw: str, text: str) -> None:
    assert normalise_title(raw, ENGLISH).text == text


@pytest.mark.parametrize(
    ("raw", "title"),
    [
        ("Paris#History", Title("Paris", 0, "History")),
        ("Paris # old_history ", Title("Paris", 0, "old history")),
        ("#History", Title("", 0, "History")),
        ("talk:paris", Title("Talk:Paris", 1)),
        ("User talk:ann", Title("User talk:Ann", 3)),
        ("user_talk : ann", Title("User talk:Ann", 3)),
        (":Category:towns", Title("Category:Towns", 14)),
        ("image:a.jpg", Title("File:A.jpg", 6)),
        ("File:a.jpg", Title("File:A.jpg", 6)),
        ("fr:Paris", Title("fr:Paris", 0, "", "fr")),
        (":fr:Paris", Title("fr:Paris", 0, "", "fr")),
        ("wikt:cat", Title("wikt:cat", 0, "", "wikt")),
        ("Burn:Cycle", Title("Burn:Cycle", 0)),
        ("2001: A Space Odyssey", Title("2001: A Space Odyssey", 0)),
    ],
)
def test_namespace_fragment_and_interwiki(raw: str, title: Title) -> None:
    assert normalise_title(raw, ENGLISH) == title


def test_localised_and_canonical_names_of_a_namespace_are_one() -> None:
    names = ("Kategorie:Ort", "kategorie:ort", "Category:Ort", "KATEGORIE:ort")
    assert {normalise_title(name, GERMAN) for name in names} == {Title("Kategorie:Ort", 14)}


def test_a_case_sensitive_wiki_keeps_the_first_letter() -> None:
    wiktionary = replace(ENGLISH, capital_links=False)
    assert normalise_title("cat", wiktionary).text == "cat"
    assert normalise_title("talk:cat", wiktionary).text == "Talk:cat"


@pytest.mark.parametrize(
    ("raw", "page", "text"),
    [
        ("/sub", "User:Ann/a", "User:Ann/a/sub"),
        ("/sub/", "User:Ann", "User:Ann/sub"),
        ("../", "User:Ann/a", "User:Ann"),
        ("../b", "User:Ann/a", "User:Ann/b"),
        ("../../c", "User:Ann/a/b", "User:Ann/c"),
        ("/sub", "Paris", "/sub"),
        ("../b", "Paris", "../b"),
    ],
)
def test_subpages_are_relative_where_the_namespace_has_them(raw: str, page: str, text: str) -> None:
    assert normalise_title(raw, ENGLISH, page=page).text == text


def test_a_title_without_a_page_names_none() -> None:
    assert not normalise_title("#here", ENGLISH).is_valid
    assert normalise_title("here", ENGLISH).is_valid


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), max_size=30))
def test_normalising_twice_changes_nothing_more(raw: str) -> None:
    once = normalise_title(raw, ENGLISH)
    if once.interwiki or "%" in once.text or "&" in once.text or "#" in once.text:
        return
    assert normalise_title(once.text, ENGLISH).text == once.text


@given(st.text(max_size=20))
def test_the_first_letter_is_all_that_changes(text: str) -> None:
    assert first_upper(text).endswith(text[1:])
    assert first_upper(text) == first_upper(first_upper(text)[:1]) + first_upper(text)[1:]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a&nbsp;b", "a\u00a0b"),
        ("&lt;&#x41;&#66;&gt;", "<AB>"),
        ("&amp", "&amp"),
        ("a & b", "a & b"),
    ],
)
def test_only_whole_entities_are_decoded(text: str, seen: str) -> None:
    assert decode_entities(text) == seen
