"""Columns, places and links of a page, and the law that no column tells where a link is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.linker.wikis import ENGLISH, assert_same, links, page_of, words
from wikibot.linker.page import (
    AFTER_QUOTE,
    ALL_CAPS,
    APOSTROPHE,
    BLOCK,
    BOLD,
    DIGIT,
    DOT,
    HYPHEN,
    IN_BRACKETS,
    LETTER,
    LISTED,
    NUMBERED,
    PUNCTUATION,
    SENTENCE,
    SPACE,
    UPPER,
    Page,
    number_of_range,
    packed_page,
    read,
    word_key,
    word_keys,
)
from wikibot.wikitext import SiteRules


def column(page: Page, name: str) -> list[int]:
    return [int(value) for value in page.column(name)]


def has_flag(page: Page, flag: int) -> list[str]:
    """The words that carry the flag."""
    return [
        word for word, flags in zip(words(page), column(page, "flags"), strict=True) if flags & flag
    ]


def test_the_trail_of_a_link_belongs_to_its_last_word() -> None:
    page = page_of("Many [[mutant]]s live.")
    assert words(page) == ["Many", "mutants", "live"]
    assert links(page) == [("mutants", "Mutant")]


def test_words_of_a_piped_link_are_the_ones_shown() -> None:
    page = page_of("Seen by [[Norman Osborn|the Green Goblin]] today.")
    assert page.text == "Seen by the Green Goblin today."
    assert links(page) == [("the Green Goblin", "Norman Osborn")]


@pytest.mark.parametrize(
    ("text", "gap"),
    [
        ("one two", SPACE),
        ("one-two", HYPHEN),
        ("one's", APOSTROPHE),
        ("one\u2019s", APOSTROPHE),
        ("S.A", DOT),
        ("one, two", PUNCTUATION),
        ("one. Two", SENTENCE),
        ("one\n\ntwo", BLOCK),
        ("one<ref>x</ref> two", BLOCK),
        ("one {{x}} two", BLOCK),
        ("one ''two''", SPACE),
        ("one [[two]]", SPACE),
        ("[[one]] [[two]]", SPACE),
    ],
)
def test_what_stands_between_two_words(text: str, gap: int) -> None:
    assert column(page_of(text), "gap")[1] == gap


def test_the_first_word_of_a_page_follows_a_block() -> None:
    assert column(page_of("one two"), "gap")[0] == BLOCK


def test_runs_in_italics_are_numbered() -> None:
    page = page_of("See ''The Thanos Imperative'' and ''Thor''.")
    assert column(page, "italic") == [0, 1, 1, 1, 0, 2]


def test_italics_around_a_link_count_for_its_words() -> None:
    page = page_of("See ''[[Thor]]'' and [[Hulk|''Hulk'']] now.")
    assert [bool(run) for run in column(page, "italic")] == [False, True, False, True, False]


def test_quotations_are_numbered() -> None:
    assert column(page_of('He said "Thor is here" and left.'), "quote") == [0, 0, 1, 1, 1, 0, 0]


def test_sections_and_paragraphs_are_numbered_in_order() -> None:
    page = page_of("one\n\ntwo\n\n== Past ==\nthree\n\n=== War ===\nfour")
    assert column(page, "section") == [0, 0, 1, 2]
    assert column(page, "paragraph") == [0, 1, 2, 3]
    assert page.headings == ((2, "Past"), (3, "War"))


def test_sentences_are_numbered_and_can_be_read_back() -> None:
    page = page_of("The sea is deep. The [[lake]] is not.")
    assert column(page, "sentence") == [0, 0, 0, 0, 1, 1, 1, 1]
    start, end = page.sentence_around(5, 1)
    assert page.text[start:end] == "The lake is not."


def test_words_in_lists_are_flagged_whether_they_are_linked_or_not() -> None:
    page = page_of("Plain words.\n* [[Thor]] and Loki")
    assert has_flag(page, LISTED) == ["Thor", "and", "Loki"]


def test_bold_words_are_flagged_whether_they_are_linked_or_not() -> None:
    page = page_of("Words.\n\n== Past ==\nHe is '''great''' and '''[[Thor]]'''.")
    assert has_flag(page, BOLD) == ["great", "Thor"]


def test_shapes_of_words_are_flagged() -> None:
    page = page_of("The NASA of 1990 and x2")
    assert has_flag(page, UPPER) == ["The", "NASA"]
    assert has_flag(page, ALL_CAPS) == ["NASA"]
    assert has_flag(page, DIGIT) == ["1990"]
    assert has_flag(page, LETTER) == ["The", "NASA", "of", "and", "x2"]


def test_what_opens_before_a_word_is_flagged() -> None:
    page = page_of('Amazing (Fantasy series) ran to issue #15 and "Turning Point" was it')
    assert has_flag(page, IN_BRACKETS) == ["Fantasy"]
    assert has_flag(page, NUMBERED) == ["15"]
    assert has_flag(page, AFTER_QUOTE) == ["Turning"]


def test_links_outside_prose_are_kept_apart() -> None:
    page = page_of("{{Infobox|ally=[[Thor|the god]]}}\nText.\n\n== See also ==\n* [[Loki]]")
    assert len(page.links) == 0
    assert page.box_links == ("Thor",)
    assert page.list_links == ("Loki",)
    assert page.box == " ally the god "


def test_a_link_in_a_comment_is_nowhere() -> None:
    page = page_of("Text <!-- [[Thor]] --> here.")
    assert (len(page.links), page.box_links, page.list_links) == (0, (), ())


def test_categories_templates_and_bold_names_are_read() -> None:
    page = page_of("{{Box}}'''Jinx''' or '''Lady Luck''' is a [[Person]].\n\n[[Category:Heroes]]")
    assert page.categories == ("Heroes",)
    assert page.templates == ("Box",)
    assert page.bold_names == ("Jinx", "Lady Luck")


def test_a_redirect_is_not_a_page() -> None:
    assert read("Old", "#REDIRECT [[New]]", ENGLISH) is None
    assert packed_page("Old", "#REDIRECT [[New]]", ENGLISH) is None


def test_a_page_without_linkable_words_is_a_page() -> None:
    assert packed_page("Empty", "{{x}}", ENGLISH) is not None


def test_scripts_without_spaces_are_cut_into_words() -> None:
    page = page_of("ベルリンは、ドイツの首都である。", rules=SiteRules.for_language("ja"))
    assert len(page) > 3
    assert "".join(words(page)) == "ベルリンはドイツの首都である"


def test_letters_with_marks_stay_whole() -> None:
    assert words(page_of("हिन्दी भाषा", rules=SiteRules.for_language("hi"))) == ["हिन्दी", "भाषा"]


def test_the_number_of_a_word_does_not_depend_on_its_case() -> None:
    assert word_key("Thor") == word_key("tHOR") != word_key("Thors")
    assert word_keys(["Thor", "sea"]).tolist() == [word_key("thor"), word_key("sea")]


def test_covered_words_are_those_of_links() -> None:
    page = page_of("A [[b c]] d [[e]]s f.")
    assert [w for w, is_covered in zip(words(page), page.covered(), strict=True) if is_covered] == [
        "b",
        "c",
        "es",
    ]


def test_hidden_links_are_gone_and_the_others_stay() -> None:
    page = page_of("A [[b]] c [[d]] e [[b]].")
    assert links(page.hide(np.array([True, False, True]))) == [("d", "D")]
    assert len(page.hide().links) == 0
    assert len(page.links) == 3


def test_where_removing_brackets_would_make_a_link_nothing_is_hidden() -> None:
    page = page_of("An odd [[[[Thor]]]] here.")
    assert page.text == "An odd [[[[Thor]]]] here."
    assert len(page.cuts) == 0


def test_links_inside_an_annotation_stay_and_the_others_can_be_hidden() -> None:
    page = page_of("It is [[About::a fork of [[Thor]] and [[Loki]] now]]. See [[Odin]].")
    assert links(page) == [("Odin", "Odin")]
    assert page.fixed_links == (("Thor", "Thor"), ("Loki", "Loki"))
    assert page.box_links == ()
    assert page.text == "It is [[About::a fork of [[Thor]] and [[Loki]] now]]. See Odin."
    again = page_of(page.text)
    assert_same(page.hide(), again, but=["cuts", "links.first", "links.last"])


def test_what_a_fixed_link_leads_to_counts_as_linked() -> None:
    page = page_of("It is [[About::a fork of [[Thor]] now]]. See Thor.")
    assert page.other_links == ("Thor",)


@pytest.mark.parametrize(
    ("offset", "number"), [(0, 0), (2, 1), (4, 1), (5, 0), (7, 2), (8, 2), (9, 0)]
)
def test_an_offset_is_in_the_range_that_holds_it(offset: int, number: int) -> None:
    found = number_of_range([(2, 5), (7, 9)], np.array([offset], dtype=np.int32))
    assert found.tolist() == [number]


# Pieces of made-up pages: what stands with its brackets, and what is left without them.
Piece = tuple[str, str]
WORD = st.sampled_from(
    ["sea", "Thor", "the", "a", "NASA", "1990", "élan", "Öl", "x-ray", "don't", "S.A."]
)
TARGET = st.sampled_from(["Thor", "Green Lantern", "Sea (water)", "Öl", "thor#Past"])


@st.composite
def link(draw: st.DrawFn) -> Piece:
    target = draw(TARGET)
    shown = draw(st.none() | st.lists(WORD, min_size=1, max_size=3).map(" ".join))
    trail = draw(st.sampled_from(["", "", "s", "'s", "-man"]))
    if shown is None:
        return f"[[{target}]]{trail}", f"{target}{trail}"
    return f"[[{target}|{shown}]]{trail}", f"{shown}{trail}"


def same(text: str) -> Piece:
    return text, text


PLAIN = WORD.map(same)
STYLED = st.tuples(st.sampled_from(["''", "'''", '"']), link() | PLAIN).map(
    lambda pair: (pair[0] + pair[1][0] + pair[0], pair[0] + pair[1][1] + pair[0])
)
BRACKETED = link().map(lambda piece: (f"({piece[0]})", f"({piece[1]})"))
NOT_PROSE = st.sampled_from(
    [
        "<ref>See [[Thor]].</ref>",
        "{{Box|[[Sea]]|b=Thor}}",
        "<!-- [[Thor]] -->",
        "<nowiki>[[x]]</nowiki>",
        "<br>",
    ]
).map(same)
PIECE = st.one_of(PLAIN, PLAIN, link(), link(), STYLED, BRACKETED, NOT_PROSE)


@st.composite
def block(draw: st.DrawFn) -> list[Piece]:
    """A paragraph, list item, heading, table or box as pieces."""
    start = draw(st.sampled_from(["", "", "", "* ", "# ", ": "]))
    joints = st.sampled_from([" ", " ", " ", ", ", ". ", " - ", "; "])
    found = [same(start)]
    for piece in draw(st.lists(PIECE, min_size=1, max_size=8)):
        found += [piece, same(draw(joints))]
    return [*found[:-1], same(draw(st.sampled_from([".", "", "?"])))]


HEADINGS = st.sampled_from(
    [
        "== Past ==",
        "=== War ===",
        "== See also ==\n* [[Sea]]\n\n== After ==",
        "{|\n| [[Thor]]\n|}",
        "{{Infobox|a=[[Sea]]}}",
    ]
).map(lambda text: [same(text)])
PAGES = st.lists(block() | HEADINGS, min_size=1, max_size=5)


def written(blocks: list[list[Piece]], side: int) -> str:
    return "\n\n".join("".join(piece[side] for piece in one) for one in blocks)


@given(PAGES)
@settings(max_examples=120, deadline=None)
def test_a_page_with_all_links_hidden_is_the_page_without_their_brackets(
    blocks: list[list[Piece]],
) -> None:
    page, bare = page_of(written(blocks, 0)), page_of(written(blocks, 1))
    assert page.text == bare.text
    assert_same(page.hide(), bare, but=["cuts", "links.first", "links.last"])
    assert not len(page.hide().links) and not len(bare.links)


@given(PAGES, st.randoms(use_true_random=False))
@settings(max_examples=120, deadline=None)
def test_hiding_some_links_is_reading_the_page_without_their_brackets(blocks, rng) -> None:
    page = page_of(written(blocks, 0))
    chosen = [[(piece[0] if rng.random() < 0.5 else piece[1],) for piece in one] for one in blocks]
    some = page_of(written(chosen, 0))
    assert_same(page.hide(), some.hide(), but=["cuts"])
    assert placed(page.hide(mask_of(page, keep=placed(some)))) == placed(some) <= placed(page)


def placed(page: Page) -> set[tuple[int, int, str]]:
    """The links that have words; those where none may be proposed have none."""
    found = zip(page.links.first.tolist(), page.links.last.tolist(), page.links.target, strict=True)
    return {one for one in found if one[1] > one[0]}


def mask_of(page: Page, keep: set[tuple[int, int, str]]) -> np.ndarray:
    """Which links are not to be kept."""
    found = zip(page.links.first.tolist(), page.links.last.tolist(), page.links.target, strict=True)
    return np.array([one not in keep for one in found], dtype=bool)


@given(PAGES)
@settings(max_examples=120, deadline=None)
def test_places_lead_back_to_the_wikitext(blocks: list[list[Piece]]) -> None:
    text = written(blocks, 0)
    page = page_of(text)
    for at in range(len(page)):
        start, end = page.place(at, 1)
        # Brackets may stand inside a word with a trail; nothing else is added to it.
        assert text[start:end].replace("]]", "") == page.word(at)
    for first, last, _ in zip(page.links.first, page.links.last, page.links.target, strict=True):
        if last > first:
            start, end = page.place(int(first), int(last - first))
            assert "]]" in text[start : end + 3]


@given(PAGES)
@settings(max_examples=120, deadline=None)
def test_a_packed_page_is_unpacked_as_it_was(blocks: list[list[Piece]]) -> None:
    page = page_of(written(blocks, 0))
    assert_same(Page.unpacked(page.packed()), page)


@pytest.mark.parametrize("text", ["", "{{x}}", "== A ==", "[[Thor]]", "'''x''' 𝔘 y"])
def test_a_page_of_few_words_is_unpacked_as_it_was(text: str) -> None:
    page = page_of(text)
    assert_same(Page.unpacked(page.packed()), page)


@given(st.text(alphabet="ab .'[]|{}\n=*\"é", max_size=60))
@settings(max_examples=120, deadline=None)
def test_any_text_is_read_with_places_inside_it(text: str) -> None:
    page = read("P", text, ENGLISH)
    if page is None:
        return
    for at in range(len(page)):
        start, end = page.place(at, 1)
        assert 0 <= start < end <= len(text)
        assert text[page.offset(int(page.columns[0, at]))] == page.word(at)[0]
    assert (page.links.first <= page.links.last).all() and (page.links.last <= len(page)).all()
