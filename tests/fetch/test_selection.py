"""Categories and redirects of an export are found by a quick look, without parsing."""

from __future__ import annotations

import pytest

from wikibot.fetch.selection import (
    categories_below,
    category_finder,
    category_title,
    outline,
    refuse_unknown,
)
from wikibot.source import SourcePage, moment, site_name
from wikibot.wikitext.rules import SiteRules

ENGLISH = SiteRules.for_language("en")
GERMAN = SiteRules.for_language("de")


def page(number: int, title: str, text: str, namespace: int = 0) -> SourcePage:
    return SourcePage(number, title, namespace, number, "", text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[[Category:Rivers]]", ["Rivers"]),
        ("[[ category : rivers of_Wales |Severn]]", ["Rivers of Wales"]),
        ("[[CATEGORY:A]] and [[Category:B]] and [[Category:A|x]]", ["A", "B"]),
        ("[[:Category:Rivers]] is a link, [[Categories]] too", []),
        ("[[Category:]] [[Category: ]]", []),
    ],
)
def test_categories_are_found_as_people_write_them(text: str, found: list[str]) -> None:
    assert category_finder(ENGLISH)(text) == found


def test_categories_have_the_names_of_the_wikis_language() -> None:
    find = category_finder(GERMAN)
    assert find("[[Kategorie:Flüsse]] [[Category:Orte]]") == ["Flüsse", "Orte"]


@pytest.mark.parametrize(
    "given", ["Rivers", "rivers", "Category:rivers", ":Category:Rivers", " Rivers_ "]
)
def test_a_category_may_be_named_in_any_way(given: str) -> None:
    assert category_title(given, ENGLISH) == "Rivers"


def test_subcategories_are_followed_to_the_depth_and_no_further() -> None:
    parents = {"B": ["A"], "C": ["B"], "D": ["C"], "A": ["D"]}
    assert categories_below("A", parents, 0) == ["A"]
    assert categories_below("A", parents, 2) == ["A", "B", "C"]
    assert categories_below("A", parents, 99) == ["A", "B", "C", "D"]


def test_an_outline_knows_members_redirects_and_the_tree() -> None:
    found = outline(
        [
            page(1, "Severn", "[[Category:Rivers]]"),
            page(2, "Sabrina", "#REDIRECT [[Severn]] [[Category:Names]]"),
            page(3, "Hafren", "#redirect [[sabrina]]"),
            page(4, "Category:Rivers", "[[Category:Water]]", 14),
            page(5, "Talk:Severn", "[[Category:Rivers]]", 1),
        ],
        ENGLISH,
    )
    assert found.members_of(["Rivers", "Names"]) == {1}
    assert found.parents == {"Rivers": ["Water"]}
    assert found.redirects_to({hash("Severn")}) == {hash("Sabrina"), hash("Hafren")}
    assert found.ends_of({hash("Hafren")}) == {hash("Hafren"), hash("Sabrina"), hash("Severn")}
    assert found.redirects_to({hash("Nothing")}) == set()


def test_the_refusal_names_the_nearest_category_if_there_is_one() -> None:
    assert "Did you mean 'Rivers'?" in str(refuse_unknown("Rivres", ["Rivers", "Towns"], "a.xml"))
    assert "Did you mean" not in str(refuse_unknown("Planets", ["Towns"], "a.xml"))


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://en.wikipedia.org/wiki/$1", "en.wikipedia.org"),
        ("http://127.0.0.1:8080/index.php/$1", "127.0.0.1:8080"),
        ("https://example.org/a/w/index.php/$1", "example.org/a"),
        ("https://example.org/$1", "example.org"),
        (None, ""),
    ],
)
def test_a_wiki_is_named_by_its_address(address: str | None, name: str) -> None:
    assert site_name(address) == name


def test_a_time_that_cannot_be_read_is_no_time() -> None:
    assert moment("2024-05-06T07:08:09Z") is not None
    assert moment("yesterday") is None
