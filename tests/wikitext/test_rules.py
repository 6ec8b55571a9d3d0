"""A wiki's rules, from its language, its export, its siteinfo, and back from the database."""

from __future__ import annotations

from typing import Any

import pytest

from wikibot.wikitext import SiteRules, normalise_title
from wikibot.wikitext.languages import EXCLUDED_SECTIONS, LINK_TRAILS, NAMESPACES
from wikibot.wikitext.rules import fold_name, trail_pattern

MINIDUMPS = ("ar", "de", "el", "fi", "fr", "he", "hu", "it", "ja", "ko", "ru", "th", "tr", "zh")

SITEINFO: dict[str, Any] = {
    "query": {
        "general": {
            "lang": "lv",
            "case": "first-letter",
            "linktrail": "/^([a-zā]+)(.*)$/sDu",
            "linkprefixcharset": "",
        },
        "namespaces": {
            "-1": {"id": -1, "case": "first-letter", "name": "Īpašs", "canonical": "Special"},
            "0": {"id": 0, "case": "first-letter", "name": "", "subpages": False},
            "2": {"id": 2, "name": "Dalībnieks", "canonical": "User", "subpages": True},
            "14": {"id": 14, "name": "Kategorija", "canonical": "Category"},
            "100": {"id": 100, "name": "Portāls", "canonical": "Portal"},
        },
        "namespacealiases": [{"id": 100, "alias": "P"}],
        "magicwords": [
            {"name": "redirect", "aliases": ["#PĀRVIRZĪT", "#REDIRECT"], "case-sensitive": False},
            {"name": "notoc", "aliases": ["__BEZSATURA__", "__NOTOC__"]},
        ],
        "extensiontags": ["<ref>", "<quiz>"],
        "functionhooks": ["if", "time"],
    }
}


@pytest.mark.parametrize("code", [*MINIDUMPS, "ltg", "en"])
def test_each_language_knows_its_own_names(code: str) -> None:
    site = SiteRules.for_language(code)
    assert {6, 10, 14} <= set(site.namespaces.values())
    assert site.namespaces["category"] == 14
    assert site.namespaces["file"] == 6
    assert site.namespaces["image"] == 6
    assert len(site.excluded_sections) >= 5
    assert site.namespace_names[0] == ""


@pytest.mark.parametrize("code", sorted(NAMESPACES))
def test_no_name_means_two_namespaces(code: str) -> None:
    seen: dict[str, int] = {}
    for item in NAMESPACES[code].split():
        number, names = item.split(":", 1)
        for name in names.split(","):
            assert seen.setdefault(fold_name(name), int(number)) == int(number)


def test_every_table_speaks_of_the_same_languages() -> None:
    assert set(LINK_TRAILS) <= set(NAMESPACES)
    assert set(EXCLUDED_SECTIONS) == set(NAMESPACES)


def test_an_unknown_language_gets_english_names_and_its_own_code() -> None:
    site = SiteRules.for_language("tlh")
    assert site.language == "tlh"
    assert site.namespaces["category"] == 14
    assert site.is_excluded_section("References")


def test_a_variant_of_a_language_gets_its_names() -> None:
    assert SiteRules.for_language("de-at").namespaces["kategorie"] == 14


@pytest.mark.parametrize(
    ("code", "text", "length"),
    [
        ("en", "es and", 2),
        ("en", " es", 0),
        ("en", "Es", 0),
        ("en", "é", 0),
        ("fr", "éx ", 2),
        ("ru", "а да", 1),
        ("zh", "abc", 0),
        ("ja", "abcの", 3),
        ("ltg", "ā", 1),
        ("ar", "ين", 2),
        ("ar", "\u064b", 1),
        ("ca", "'s", 2),
        ("ca", "''s", 0),
    ],
)
def test_the_trail_of_each_language(code: str, text: str, length: int) -> None:
    assert SiteRules.for_language(code).trail_length(text, 0) == length


def test_a_trail_that_cannot_be_read_swallows_every_letter() -> None:
    assert trail_pattern("/^([a-z(+)(.*)$/sD").match("ěx") is not None


def test_a_trail_with_unicode_properties_is_understood() -> None:
    pattern = trail_pattern(r"/^([\p{L}]+)(.*)$/sDu")
    found = pattern.match("éя1")
    assert found is not None
    assert found.end() == 2


def test_right_to_left_languages_say_so() -> None:
    assert [code for code in MINIDUMPS if SiteRules.for_language(code).rtl] == ["ar", "he"]


def test_an_export_brings_its_own_names() -> None:
    site = SiteRules.from_export("de", {0: "", 4: "Vereinswiki", 14: "Rubrik"})
    assert normalise_title("Rubrik:x", site).namespace == 14
    assert normalise_title("Kategorie:x", site).text == "Rubrik:X"
    assert normalise_title("vereinswiki:x", site).namespace == 4


def test_an_export_may_be_case_sensitive() -> None:
    assert not SiteRules.from_export("en", {}, case="case-sensitive").capital_links
    assert SiteRules.from_export("en", {}, case="first-letter").capital_links


def test_siteinfo_is_taken_at_its_word() -> None:
    site = SiteRules.from_siteinfo(SITEINFO)
    assert site.language == "lv"
    assert site.trail_length("ax", 0) == 2
    assert site.namespaces["portāls"] == site.namespaces["p"] == site.namespaces["portal"] == 100
    assert site.namespace_names[14] == "Kategorija"
    assert site.redirect_words == ("#PĀRVIRZĪT", "#REDIRECT")
    assert "__BEZSATURA__" in site.switches
    assert {"ref", "quiz", "math"} <= site.extension_tags
    assert site.function_hooks == {"if", "time"}
    assert site.subpage_namespaces == {2}
    assert not site.rtl
    assert not site.link_prefix
    assert site.is_excluded_section("Atsauces")


def test_siteinfo_of_the_older_format_is_read_too() -> None:
    old = {
        "general": {"lang": "he", "rtl": "", "case": "case-sensitive", "linkprefixcharset": "a-z"},
        "namespaces": {"14": {"id": 14, "*": "קטגוריה", "canonical": "Category", "subpages": ""}},
        "namespacealiases": [{"id": 14, "*": "קט"}],
    }
    site = SiteRules.from_siteinfo(old)
    assert site.rtl
    assert site.link_prefix
    assert not site.capital_links
    assert site.namespaces["קט"] == 14
    assert site.subpage_namespaces == {14}


def test_an_interwiki_map_replaces_the_known_prefixes() -> None:
    query = {**SITEINFO["query"], "interwikimap": [{"prefix": "our"}]}
    site = SiteRules.from_siteinfo(query)
    assert normalise_title("our:x", site).interwiki == "our"
    assert normalise_title("fr:x", site).interwiki == ""


@pytest.mark.parametrize("code", [*MINIDUMPS, "ltg", "en", "xx"])
def test_rules_come_back_from_json_as_they_went(code: str) -> None:
    site = SiteRules.for_language(code)
    assert SiteRules.from_json(site.to_json()) == site


def test_siteinfo_rules_come_back_from_json_too() -> None:
    site = SiteRules.from_siteinfo(SITEINFO)
    assert SiteRules.from_json(site.to_json()) == site


@pytest.mark.parametrize("heading", ["See also", "see  also", "SEE ALSO", "See_also"])
def test_section_names_are_compared_loosely(heading: str) -> None:
    assert SiteRules.for_language("en").is_excluded_section(heading)


def test_disambiguation_templates_are_known_by_language() -> None:
    assert SiteRules.for_language("it").is_disambiguation_template("disambigua")
    assert SiteRules.for_language("it").is_disambiguation_template("Disambiguation")
    assert not SiteRules.for_language("it").is_disambiguation_template("Infobox")
