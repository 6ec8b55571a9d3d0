"""Links put in and taken out, and the check that has the last word."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wikibot.wikitext import (
    Insertion,
    SiteRules,
    UnsafeEdit,
    check,
    check_edit,
    insert_links,
    link_markup,
    remove_links,
)
from wikibot.wikitext.edit import place_links

ENGLISH = SiteRules.for_language("en")
TEXT = "Ann and Bob live in two villages near Paris."
ANN, BOB = Insertion(0, 3, "Ann"), Insertion(8, 11, "Bob Gray")
VILLAGES, PARIS = Insertion(24, 32, "Village"), Insertion(38, 43, "Paris")
AFTER = "[[Ann]] and [[Bob Gray|Bob]] live in two [[village]]s near [[Paris]]."


def test_several_links_at_once_in_any_order() -> None:
    assert insert_links(TEXT, [PARIS, ANN, VILLAGES, BOB], ENGLISH) == AFTER


def test_no_links_change_nothing() -> None:
    assert insert_links(TEXT, [], ENGLISH) == TEXT
    assert remove_links(TEXT, []) == TEXT
    check_edit(TEXT, TEXT, [], ENGLISH)


def test_links_are_taken_out_one_and_all() -> None:
    assert remove_links(AFTER, [ANN, BOB, VILLAGES, PARIS]) == TEXT
    assert remove_links("[[Ann]] and Bob", [ANN]) == "Ann and Bob"


def test_the_size_differs_by_the_inserted_characters_alone() -> None:
    placed = place_links(TEXT, [ANN, BOB, VILLAGES, PARIS], ENGLISH)
    assert len(AFTER) - len(TEXT) == sum(put.added for put in placed)
    assert [AFTER[put.start : put.end] for put in placed] == [
        *("[[Ann]]", "[[Bob Gray|Bob]]", "[[village]]", "[[Paris]]"),
    ]


@pytest.mark.parametrize(
    ("anchor", "target", "markup"),
    [
        ("Paris", "Paris", "[[Paris]]"),
        ("paris", "Paris", "[[paris]]"),
        ("PARIS", "Paris", "[[Paris|PARIS]]"),
        ("cats", "Cat", "[[cat]]s"),
        ("Cats", "cat", "[[Cat]]s"),
        ("cat's", "Cat", "[[Cat|cat's]]"),
        ("cat2s", "Cat", "[[Cat|cat2s]]"),
        ("Parisian", "Paris", "[[Paris]]ian"),
        ("the city", "Paris", "[[Paris|the city]]"),
        ("Towns", "Category:Towns", "[[:Category:Towns|Towns]]"),
        ("Category:Towns", "Category:Towns", "[[:Category:Towns|Category:Towns]]"),
        ("a.jpg", "File:A.jpg", "[[:File:A.jpg|a.jpg]]"),
        ("x", "fr:X", "[[:fr:X|x]]"),
        ("x", "/x", "[[:/x|x]]"),
    ],
)
def test_the_shortest_form(anchor: str, target: str, markup: str) -> None:
    insertion = Insertion(0, len(anchor), target)
    assert link_markup(anchor, insertion, ENGLISH) == markup
    assert remove_links(markup, [insertion]) == anchor


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("cats", 0, 3),
        ("cats", 1, 4),
        ("a [b] c", 3, 4),
        ("a b c", 1, 3),
        ("a b c", 2, 4),
        ("a|b", 0, 3),
        ("a ''b''", 0, 7),
        ("a\nb", 0, 3),
        ("a [[b]]", 0, 7),
        ("a {{b}}", 0, 7),
        ("a <b>", 0, 5),
        ("a", 1, 1),
        ("a", 0, 2),
        ("ab", 1, 0),
        ("  ", 0, 2),
        ("cafe\u0301", 0, 4),
    ],
)
def test_what_cannot_be_an_anchor(text: str, start: int, end: int) -> None:
    with pytest.raises(UnsafeEdit, match="Nothing was changed"):
        insert_links(text, [Insertion(start, end, "Target")], ENGLISH)


@pytest.mark.parametrize("target", ["", " ", "a|b", "a]b", "a[b", "{{a}}", "a\nb", "<a>", "a#b"])
def test_what_cannot_be_a_target(target: str) -> None:
    with pytest.raises(UnsafeEdit, match="target of a link"):
        insert_links("word", [Insertion(0, 4, target)], ENGLISH)


def test_overlapping_links_are_refused() -> None:
    with pytest.raises(UnsafeEdit, match="overlaps"):
        insert_links(TEXT, [Insertion(0, 7, "A"), Insertion(4, 11, "B")], ENGLISH)


@pytest.mark.parametrize(
    "text", ["Ann", "[[Ann", "[[Anna]]", "[[Bob|Ann]]", "[[Ann|Bob Gray]]", "x [[Ann]]"]
)
def test_a_link_that_is_not_where_it_was_put_is_not_taken_out(text: str) -> None:
    with pytest.raises(UnsafeEdit, match="not where it was put"):
        remove_links(text, [ANN])


def test_the_check_agrees_with_what_was_inserted() -> None:
    check_edit(TEXT, AFTER, [ANN, BOB, VILLAGES, PARIS], ENGLISH)


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        ("[[Ann]] and [[Bob Gray|Bob]] live in two villages near Paris!", "not what it was"),
        ("[[Ann]] and [[Bob Gray|Bob]] live in two villages near Paris. ", "not what it was"),
        ("[[Ann]] and [[Bob Gray|Bob]] live in two villages near [[Paris]].", "not what it was"),
        ("[[Ann]] and Bob live in two villages near Paris.", "not where it was put"),
        ("[[Ann|Ann]] and [[Bob Gray|Bob]] live in two villages near Paris.", "shortest form"),
        ("[[Ann]] and [[Bob White|Bob]] live in two villages near Paris.", "not where it was put"),
        ("[[Ann]] and [[Bob Gray|Bob]] live in two villages near Paris", "not what it was"),
    ],
)
def test_the_check_refuses_anything_else(after: str, reason: str) -> None:
    with pytest.raises(UnsafeEdit, match=reason):
        check_edit(TEXT, after, [ANN, BOB], ENGLISH)


@pytest.mark.parametrize(
    "before",
    [
        "{{x|Paris}}",
        "<ref>Paris</ref>",
        "== Paris ==",
        "<!-- Paris -->",
        "{|\n| Paris\n|}",
        "[http://x Paris town]",
        "{{x Paris",
        "<ref> Paris",
        "'''Paris''' is",
        "== See also ==\nParis",
        "#REDIRECT [[x]] Paris",
    ],
)
def test_the_check_refuses_a_link_in_a_forbidden_place(before: str) -> None:
    start = before.index("Paris")
    insertion = Insertion(start, start + 5, "Paris")
    after = insert_links(before, [insertion], ENGLISH)
    with pytest.raises(UnsafeEdit, match="No link may stand on 'Paris'"):
        check_edit(before, after, [insertion], ENGLISH)


def test_the_check_reads_the_page_with_the_rules_of_its_wiki() -> None:
    german = SiteRules.for_language("de")
    before, insertion = "die Häuserä", Insertion(4, 11, "Häuser")
    after = insert_links(before, [insertion], german)
    assert after == "die [[Häuser]]ä"
    check_edit(before, after, [insertion], german)
    with pytest.raises(UnsafeEdit, match="shortest form"):
        check_edit(before, after, [insertion], ENGLISH)


def test_a_case_sensitive_wiki_spells_the_target_out() -> None:
    site = replace(ENGLISH, capital_links=False)
    assert insert_links("cat", [Insertion(0, 3, "Cat")], site) == "[[Cat|cat]]"


def test_markup_that_moves_elsewhere_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = check.read_page

    def confused(text: str, site: SiteRules, title: str | None) -> object:
        return real(text.replace("{{x}}", "{{yy}}") if "[[" in text else text, site, title)

    monkeypatch.setattr(check, "read_page", confused)
    with pytest.raises(UnsafeEdit, match="Other markup"):
        check_edit("Ann {{x}}", "[[Ann]] {{x}}", [ANN], ENGLISH)


@pytest.mark.parametrize(
    "seen",
    [
        "[[Ann]]a {{x}}",
        "[[Anna]] {{x}}",
        "[[Ann]] {{y}}",
        "Ann {{x}}",
        "[[Ann]] [[{{x}}]]",
        "[[Ann",
    ],
)
def test_whatever_else_the_parser_sees_is_noticed(
    monkeypatch: pytest.MonkeyPatch, seen: str
) -> None:
    real = check.tokenize
    monkeypatch.setattr(check, "tokenize", lambda text: real(seen if "[[" in text else text))
    with pytest.raises(UnsafeEdit, match="More than the approved links"):
        check_edit("Ann {{x}}", "[[Ann]] {{x}}", [ANN], ENGLISH)
