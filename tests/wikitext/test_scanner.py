"""The scanner's own opinion, whatever the parser says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.wikitext.damage import damaged_pages
from wikibot.wikitext import SiteRules
from wikibot.wikitext.cells import caption_start, cell_syntax
from wikibot.wikitext.scanner import Zone, blank, scan

ENGLISH = SiteRules.for_language("en")


def zones(text: str, reason: str, site: SiteRules = ENGLISH) -> list[str]:
    """What the scanner forbids for this reason."""
    return [text[z.start : z.end] for z in scan(text, site).zones if z.reason == reason]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a <!-- b --> c", ["<!-- b -->"]),
        ("a <!-- b -- c", ["<!-- b -- c"]),
        ("<!-- a --><!-- b -->", ["<!-- a -->", "<!-- b -->"]),
        ("<!-- <nowiki> --> a", ["<!-- <nowiki> -->"]),
        ("<nowiki><!--</nowiki> a", []),
        ("a -- b > c", []),
    ],
)
def test_comments(text: str, found: list[str]) -> None:
    assert zones(text, "comment") == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a {{b}} c", ["{{b}}"]),
        ("{{a|{{b}}}}", ["{{a|{{b}}}}", "{{b}}"]),
        ("{{{a}}}", ["{{{a}}}"]),
        ("a }} b", []),
        ("<nowiki>{{</nowiki> }}", []),
        ("{ {a} }", []),
    ],
)
def test_templates(text: str, found: list[str]) -> None:
    assert zones(text, "template") == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<ref>a</ref> b", ["<ref>a</ref>"]),
        ('<ref name="a" /> b', ['<ref name="a" />']),
        ("<references/> b", ["<references/>"]),
        ("a<br>b<br/>c<br />", ["<br>", "<br/>", "<br />"]),
        ("<small>a</small>", ["<small>", "</small>"]),
        ("<div><div>a</div></div>", ["<div><div>a</div></div>", "<div>a</div>"]),
        ("<foo>a</foo>", ["<foo>", "</foo>"]),
        ("<math>a<b</math> c", ["<math>a<b</math>"]),
        ("<PRE>a</pre> b", ["<PRE>a</pre>"]),
        ("1 < 2 > 1", []),
    ],
)
def test_tags(text: str, found: list[str]) -> None:
    assert zones(text, "tag") == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a {{b\nc\n== d ==\ne", ["{{b\nc\n"]),
        ("a {{b\nc", ["{{b\nc"]),
        ("a [[b c\n== d ==\n", ["[[b c\n"]),
        ("a <ref>b\n== c ==\n", ["<ref>b\n"]),
        ("a <div b", ["<div b"]),
        ("{|\n| a\n== b ==\nc", ["{|\n| a\n"]),
        ("a -{b", ["-{b"]),
        ("a <foo b", []),
        ("a }} ]] </ref> b", []),
        ("{{a [[b}} c", ["[[b}} c"]),
        ("<ref>{{a</ref> b", []),
    ],
)
def test_what_is_never_closed(text: str, found: list[str]) -> None:
    assert zones(text, "unclosed") == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{|\n| a\n|}\nb", ["{|\n| a\n|}"]),
        (":{|\n| a\n|}", ["{|\n| a\n|}"]),
        ("a {| b |} c", []),
        ("{|\n{{a\n|}}\n|}", ["{|\n{{a\n|}}\n|}"]),
        ("<!-- x -->{|\n|}", ["{|\n|}"]),
    ],
)
def test_tables(text: str, found: list[str]) -> None:
    assert zones(text, "table") == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see http://a.b/c?d=e, f", ["http://a.b/c?d=e,"]),
        ("[http://a b c] d", ["[http://a b c]", "http://a"]),
        ("[//a b] c", ["[//a b]"]),
        ("[http://a b\nc", ["[http://a b", "http://a"]),
        ("mail mailto:a@b.c now", ["mailto:a@b.c"]),
        ("the news: good", []),
        ("Burn:Cycle and Re:Zero", []),
        ("urn:isbn:1 x", ["urn:isbn:1"]),
        ("ISBN 0-306-40615-2, p", ["ISBN 0-306-40615-2"]),
        ("RFC 2616 says", ["RFC 2616 "]),
        ("<ref>http://a</ref>", []),
        ("[1] a", []),
    ],
)
def test_addresses(text: str, found: list[str]) -> None:
    assert zones(text, "external link") == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a\n|b\n!c", ["|b", "!c"]),
        ("; a : b", ["; a "]),
        ("a\n----\nb", ["----"]),
        ("== a\nb", ["== a"]),
    ],
)
def test_lines(text: str, found: list[str]) -> None:
    assert zones(text, "line") == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a\n b\nc", [" b"]),
        (" a", [" a"]),
        ("<!-- x --> a", ["<!-- x --> a"]),
        ("<nowiki/> a", []),
        ("\n\n a", [" a"]),
        ("a\n* b", []),
    ],
)
def test_lines_that_start_with_a_space_are_preformatted(text: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in scan(text, ENGLISH).preformatted] == found


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("== a ==", [(2, "a")]),
        ("=a=\n===b===", [(1, "a"), (3, "b")]),
        ("== ''a'' == <!-- b -->", [(2, "a")]),
        ("=== a ==", [(2, "= a")]),
        ("x == a ==", []),
        ("== a == b", []),
        ("<!--\n== a ==\n-->", []),
        ("<pre>\n== a ==\n</pre>", []),
        ("==", []),
    ],
)
def test_headings(text: str, headings: list[tuple[int, str]]) -> None:
    assert [(h.level, h.title) for h in scan(text, ENGLISH).headings] == headings


def test_the_trail_of_a_link_is_forbidden_by_itself() -> None:
    assert zones("[[a]]bc d", "link") == ["[[a]]"]
    assert zones("[[a]]bc d", "trail") == ["bc"]
    assert zones("[[a]]éc d", "trail", SiteRules.for_language("fr")) == ["éc"]


def test_bold_names_are_forbidden_in_the_lead_only() -> None:
    text = "'''a''' b '''''c'''''\n== d ==\n'''e'''"
    assert zones(text, "bold name") == ["'''a'''", "'''''c'''''"]


def test_quotations_are_forbidden_and_short_titles_only_noted() -> None:
    text = 'He said "one two three four five six seven" of "one two".'
    assert zones(text, "quotation") == ['"one two three four five six seven"']
    noted = [text[a:b] for a, b in scan(text, ENGLISH).quoted]
    assert noted == ['"one two three four five six seven"', '"one two"']


@pytest.mark.parametrize(
    ("language", "text", "count"),
    [
        ("en", '"a" b "c"', 2),
        ("en", "“a” “b”", 2),
        ("en", '5" and 7" wide', 0),
        ("he", 'קמ"ר וק"מ', 0),
        ("de", "„a“ »b«", 2),
        ("fr", "« a » b « c »", 2),
        ("ja", "「a」『b』", 2),
        ("fi", "”a” b", 1),
        ("en", '"a\nb"', 0),
    ],
)
def test_quotation_marks_of_many_languages(language: str, text: str, count: int) -> None:
    assert len(scan(text, SiteRules.for_language(language)).quoted) == count


@pytest.mark.parametrize(
    ("text", "outer"),
    [
        ('She said, "he told us "no" and then he went home."', '"he told us "no" and then he went home."'),
        ('"One "two" three" and "four "five" six".', '"One "two" three"'),
        ('He saw "one" and "two", not "three".', None),
        ('A "great man. Later "Thor" came.', None),
        ('A "great man.\nLater "Thor" came."', None),
    ],
)  # fmt: skip
def test_a_quotation_may_hold_another(text: str, outer: str | None) -> None:
    around = [text[a:b] for a, b in scan(text, ENGLISH).quoted if text[a:b].count('"') > 2]
    assert (outer in around) if outer else not around


def test_blanking_moves_nothing() -> None:
    text = "a <!-- b --> {{c}} d"
    blanked = blank(text, [Zone(2, 12, "comment"), Zone(13, 18, "template")])
    assert blanked == "a " + "\0" * 10 + " " + "\1" * 5 + " d"
    assert blank(text, [Zone(2, 12, "comment")], keep=("comment",)) == text


def test_a_zone_inside_another_is_blanked_once() -> None:
    assert blank("abcdef", [Zone(1, 5, "tag"), Zone(2, 3, "tag")]) == "a\1\1\1\1f"


def test_the_content_of_cells_is_no_syntax() -> None:
    table = '{| class="x"\n|+ Title\n|-\n! a !! b\n|-\n| c || style="y" | d\n| e\nf\n|}'
    kept = list(table)
    for start, end in cell_syntax(table, 0):
        kept[start:end] = "·" * (end - start)
    assert "".join(kept).replace("·", "").split() == ["a", "b", "c", "d", "e", "f"]


@pytest.mark.parametrize(
    ("link", "caption"),
    [
        ("[[File:a.jpg|thumb|two words]]", "two words"),
        ("[[File:a.jpg|thumb]]", None),
        ("[[File:a.jpg|thumb|alt=two words]]", None),
        ("[[File:a.jpg]]", None),
        ("[[a|two words]]", None),
    ],
)
def test_where_a_caption_starts(link: str, caption: str | None) -> None:
    start = caption_start(link, 0, ENGLISH)
    assert (None if start is None else link[start:-2]) == caption


@settings(max_examples=100, deadline=None)
@given(damaged_pages(), st.sampled_from(("en", "de", "he", "zh")), st.booleans())
def test_zones_lie_in_the_text_and_in_order(text: str, code: str, wide: bool) -> None:
    site = replace(SiteRules.for_language(code), link_table_cells=wide, link_captions=wide)
    scanned = scan(text, site)
    assert all(0 <= z.start <= z.end <= len(text) for z in scanned.zones)
    assert scanned.zones == sorted(scanned.zones)
    assert scanned.parse_cost >= 0


@settings(max_examples=100, deadline=None)
@given(damaged_pages())
def test_text_after_a_page_never_frees_what_was_forbidden(text: str) -> None:
    """Closing everything after the fact may only happen beyond the end of the old text."""
    before = scan(text, ENGLISH)
    after = scan(text + "\n== End ==\nplain", ENGLISH)
    opened = [z for z in before.zones if z.reason == "unclosed"]
    kept = {(z.start, z.reason) for z in after.zones}
    assert all((z.start, z.reason) in kept for z in opened)
