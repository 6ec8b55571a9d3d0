"""What the parser is not trusted with, and how quickly the answer comes."""

from __future__ import annotations

import time

import pytest

from wikibot.wikitext import BadWikitext, SiteRules, UnsafeEdit, admit, check_edit, read_page
from wikibot.wikitext.admit import MAX_CHARACTERS, MAX_PARSE_COST
from wikibot.wikitext.scanner import scan

ENGLISH = SiteRules.for_language("en")

# Each of these kept mwparserfromhell's tokenizer busy for many seconds at 32 kB or more.
RUNAWAY = (
    *("{{a|", "{{a|b=", "{{{a|", "[[a|", "{|\n", "<ref>", "<b>", "<p>", '<ref name="', "<a b="),
    *(
        "<b ",
        "<div><b>",
        "{{a|''b",
        "<ref>{{a|",
        "{{a|[[b|",
        "[http://a ",
        "[//",
        "<!--",
        "<nowiki>",
    ),
)
# These look odd and are read in no time.
HARMLESS = (
    *("{{a}}", "[[a]]", "''a", "'''a''b", "== a ==\n", "&", "&nbsp;", "}}", "]]", "</b>", "“", "„"),
    *("«", '"a ', "...", "\n* a", "\n;", "\n ", "<br>", "<li>a", "<ref/>", "<!-- -->", "-", "__a"),
)


@pytest.mark.parametrize(
    "character", ["\0", "\x01", "\x08", "\x0b", "\x1f", "\x7f", "\ud800", "\udfff", "\uffff"]
)
def test_control_characters_and_lone_surrogates_are_refused(character: str) -> None:
    with pytest.raises(BadWikitext, match="control character"):
        read_page(f"a{character}[[b]]", ENGLISH)


@pytest.mark.parametrize("character", ["\t", "\n", "\r", "\u200f", "\U0001f600", "\u0301"])
def test_other_characters_are_admitted(character: str) -> None:
    assert read_page(f"a{character}[[b]]", ENGLISH).links[0].target == "B"


def test_a_page_larger_than_mediawiki_stores_is_refused() -> None:
    with pytest.raises(BadWikitext, match="characters"):
        admit("a" * (MAX_CHARACTERS + 1))


def test_a_page_of_the_greatest_size_is_admitted() -> None:
    admit("a" * MAX_CHARACTERS)


@pytest.mark.parametrize("pattern", RUNAWAY)
def test_runaway_markup_is_refused_at_once(pattern: str) -> None:
    text = pattern * (32_768 // len(pattern))
    start = time.process_time()
    with pytest.raises(BadWikitext, match="without closing it"):
        read_page(text, ENGLISH)
    assert time.process_time() - start < 5


@pytest.mark.parametrize("pattern", HARMLESS)
def test_odd_but_harmless_markup_is_read(pattern: str) -> None:
    text = pattern * (8_192 // len(pattern))
    start = time.process_time()
    page = read_page(text, ENGLISH)
    assert page.text == text
    assert len(page.spans) + len(page.links) + len(page.sentences) >= 0
    assert time.process_time() - start < 5


def test_a_few_unclosed_openers_on_a_long_page_are_read() -> None:
    page = read_page("Anna {{x <div> [[Bob\n== Later ==\n" + "Paris is large. " * 5000, ENGLISH)
    assert page.spans[0].section == ""
    assert page.spans[-1].section == "Later"


def test_a_balanced_page_costs_the_parser_nothing_in_vain() -> None:
    text = "{{a|[[b]]}} <ref>c</ref> <ref name=d/> <b>e</b> <br> <!-- f --> {|\n|g\n|}\n"
    assert scan(text * 100, ENGLISH).parse_cost == 0


def test_the_cost_is_the_distance_from_each_opener_to_the_end() -> None:
    assert scan("{{" + "a" * 98, ENGLISH).parse_cost == 100
    assert scan("a" * 50 + "{{" + "a" * 48 + "[[", ENGLISH).parse_cost == 52 + 2


def test_just_below_the_limit_the_parser_needs_less_than_five_seconds() -> None:
    count = int((MAX_PARSE_COST / 2) ** 0.5) - 1
    text = "{{a|" * count
    assert 0.99 * MAX_PARSE_COST < scan(text, ENGLISH).parse_cost < MAX_PARSE_COST
    start = time.process_time()
    read_page(text, ENGLISH)
    assert time.process_time() - start < 5


def test_the_reason_says_what_becomes_of_the_page() -> None:
    with pytest.raises(BadWikitext, match="It is skipped"):
        read_page("{{a|" * 8000, ENGLISH)


def test_an_edit_of_a_page_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(UnsafeEdit, match="cannot be read safely"):
        check_edit("a\0", "a\0", [], ENGLISH)
