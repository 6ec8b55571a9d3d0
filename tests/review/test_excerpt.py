"""A page as its readers see it, every piece at its exact place."""

from __future__ import annotations

import pytest

from tests.review.sample import ENGLISH, HEBREW
from wikibot.excerpt import Block, block_at, blocks, mark
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
