"""A page as its readers see it, every piece at its exact place."""

from __future__ import annotations

from time import process_time

import pytest

from tests.review.sample import ENGLISH, HEBREW
from wikibot.excerpt import (
    Block,
    Snippet,
    block_at,
    blocks,
    context_at,
    first_paragraph,
    mark,
    section_path,
    snippet,
    without_empty_brackets,
)
from wikibot.wikitext import SiteRules

EN = SiteRules.for_language("en")


def shown(text: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in blocks(text, EN)]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("One.\n\nTwo.", [("paragraph", "One."), ("paragraph", "Two.")]),
        ("== Head ==\nText", [("heading", "Head"), ("paragraph", "Text")]),
        ("* one\n* two", [("item", "one"), ("item", "two")]),
        ("A [[b|c]]s and [[D]].", [("paragraph", "A cs and D.")]),
        ("'''Bold''' and ''italic''", [("paragraph", "Bold and italic")]),
        ("a<ref>b</ref> c<!-- d -->", [("paragraph", "a c")]),
        ("[[File:x.png|thumb|caption]]Text[[Category:X]]", [("paragraph", "Text")]),
        ("{| class=x\n| cell\n|}\nText", [("paragraph", "Text")]),
        ("a &amp; b &lt;i&gt;", [("paragraph", "a & b <i>")]),
        ("see [http://x.y the site] now", [("paragraph", "see the site now")]),
        ("2<sup>100</sup> of H<sub>2</sub>O", [("paragraph", "2¹⁰⁰ of H₂O")]),
        ("the 1<sup>st</sup> <span style='x'>of [[b]]</span>", [("paragraph", "the 1st of b")]),
        ("a <math>x^2</math><ref>b <sup>2</sup></ref> c", [("paragraph", "a  c")]),
        ("{{Infobox|a=b}}\n", []),
        ("", []),
        ("  \n \n", []),
        ("[[:Category:X]]", [("paragraph", ":Category:X")]),
    ],
)
def test_what_a_reader_sees_is_shown(text: str, seen: list[tuple[str, str]]) -> None:
    assert shown(text) == seen


def test_a_template_in_the_text_is_named_not_shown() -> None:
    [block] = blocks("It is {{convert|5|km}} away.", EN)
    assert [(piece.kind, piece.text) for piece in block.pieces] == [
        ("text", "It is "),
        ("template", "convert"),
        ("text", " away."),
    ]


def test_headings_and_lists_know_their_depth() -> None:
    assert [block.level for block in blocks("=== Deep ===\n** item", EN)] == [3, 2]


def test_links_know_where_they_lead() -> None:
    [block] = blocks("[[harbour]] [[Tide|tides]] [[de:Hafen]] [http://x.y z]", EN)
    links = [
        (piece.text, piece.kind, piece.target) for piece in block.pieces if piece.kind != "text"
    ]
    assert links[:2] == [("harbour", "link", "Harbour"), ("tides", "link", "Tide")]
    assert ("z", "external", "") in links


@pytest.mark.parametrize("text", [*ENGLISH.values(), *HEBREW.values()])
def test_every_verbatim_piece_is_the_wikitext_at_its_place(text: str) -> None:
    for block in blocks(text, EN):
        for piece in block.pieces:
            if piece.kind == "text" and "&" not in text[piece.start : piece.end]:
                assert text[piece.start : piece.end] == piece.text


def marked(block: Block) -> str:
    return "".join(piece.text for piece in block.pieces if piece.is_marked)


def test_the_anchor_is_marked_in_its_paragraph_only() -> None:
    text = "A fog. \n\nThe fog lifts, the '''fog''' goes."
    start = text.index("fog lifts")
    block = block_at(text, EN, start, start + 3)
    assert marked(block) == "fog"
    assert block.text == "The fog lifts, the fog goes."
    assert sum(piece.is_marked for piece in block.pieces) == 1


def test_a_mark_over_several_pieces_marks_each() -> None:
    text = "The ''thick'' fog."
    [block] = blocks(text, EN)
    assert marked(mark(block, text.index("thick"), text.index("."))) == "thick fog"


def test_a_place_that_is_not_shown_is_shown_by_itself() -> None:
    text = "{{Infobox|name=Fog}}\nText."
    start = text.index("Fog")
    assert block_at(text, EN, start, start + 3).text == "Fog"


def test_a_place_in_a_very_long_page_is_shown_by_its_own_paragraph() -> None:
    filler = "A '''bold''' line of [[filler]] text.\n\n" * 3000
    text = filler + "The fog lifts, the ''thick'' fog goes.\n\n" + filler
    start = text.index("thick")
    block = block_at(text, EN, start, start + 5)
    assert block.text == "The fog lifts, the thick fog goes."
    assert marked(block) == "thick"
    assert all(text[piece.start : piece.end] == piece.text for piece in block.pieces)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("'''Neon''' ({{IPA|x}}) is a gas.", "Neon is a gas."),
        ("Neon ({{lang|la|n}}, {{IPA|x}}) is.", "Neon is."),
        ("Neon ({{IPA|x}}; 1898) is.", "Neon (1898) is."),
        ("Neon (''[[x|y]]'') is.", "Neon (y) is."),
        ("call main() twice", "call main() twice"),
        ("a ({{convert|5|km}} away)", "a (convert away)"),
    ],
)
def test_templates_leave_no_empty_brackets(text: str, seen: str) -> None:
    [block] = blocks(text, EN)
    assert block.text == seen
    for piece in block.pieces:
        assert not piece.is_verbatim or text[piece.start : piece.end] == piece.text


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Neon () is.", "Neon is."),
        ("Neon ( , ; ) is.", "Neon is."),
        ("Neon (; 1898) is.", "Neon (1898) is."),
        ("call main() or f( )", "call main() or f( )"),
        ("(((", "((("),
        ("", ""),
    ],
)
def test_stored_sentences_lose_brackets_that_hold_nothing(text: str, seen: str) -> None:
    assert without_empty_brackets(text) == seen


@pytest.mark.parametrize("char", ["(", " ", "( ", "(;", ")", "=", "\n=", "(\ufffc"])
def test_cleaning_takes_time_in_proportion_to_the_text(char: str) -> None:
    def seconds(length: int) -> float:
        text = char * length
        start = process_time()
        without_empty_brackets(text)
        section_path(text, EN, len(text))
        return process_time() - start

    assert seconds(40_000) < 40 * max(seconds(4_000), 0.002)


def test_the_headings_above_a_place_are_its_path() -> None:
    text = "Lead\n== A [[b|c]] ==\none\n=== B ===\ntwo\n== C ==\nthree\n=not=\nfour"
    paths = {word: section_path(text, EN, text.index(word)) for word in ("Lead", "one", "two")}
    assert paths == {"Lead": (), "one": ("A c",), "two": ("A c", "B")}
    assert section_path(text, EN, text.index("three")) == ("C",)


def test_a_place_has_the_paragraphs_before_and_after_it() -> None:
    text = "\n\n".join(f"Paragraph {number}." for number in range(12))
    at = text.index("Paragraph 6")
    found = context_at(text, EN, at, at + 9)
    assert [block.text for block in found.before] == [f"Paragraph {n}." for n in (3, 4, 5)]
    assert [block.text for block in found.after] == [f"Paragraph {n}." for n in (7, 8, 9)]
    assert found.block.text == "Paragraph 6."


def test_a_page_begins_with_its_first_paragraph_of_prose() -> None:
    text = "{{Infobox}}\n{{hat}}\n----\n'''Neon''' ({{IPA|x}}) is a [[gas]].\n\nMore.\n== H ==\n"
    assert first_paragraph(text, EN, longest=100) == "Neon is a gas."
    assert first_paragraph(text, EN, longest=10) == "Neon is…"
    assert first_paragraph("== H ==\nText", EN, longest=100) == ""
    assert first_paragraph("", EN, longest=100) == ""


def test_a_sentence_is_cut_around_its_words() -> None:
    sentence = "the fog " * 30 + "and the fog horn " + "in the fog " * 30
    cut = snippet(sentence, "fog horn", 0.4, around=20)
    assert cut.words == "fog horn"
    assert cut.before.endswith("and the ")
    assert len(cut.before) <= 21
    assert len(cut.after) <= 21


def test_words_that_occur_often_are_cut_at_their_own_place() -> None:
    assert snippet("fog here and fog there", "fog", 0.6, around=30).before == "fog here and "
    assert snippet("fog here and fog there", "fog", 0.0, around=30).before == ""
    assert snippet("no such words", "fog", 0.5, around=30) == Snippet("no such words", "", "")
