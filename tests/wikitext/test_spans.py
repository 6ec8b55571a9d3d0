"""Ranges of characters: merged, subtracted, overlapped, against a naive reckoning."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from wikibot.wikitext import SiteRules, linkable_spans, read_page
from wikibot.wikitext.spans import Range, merge, overlap, subtract

ENGLISH = SiteRules.for_language("en")

bounds = st.tuples(st.integers(0, 40), st.integers(1, 8)).map(lambda pair: (pair[0], sum(pair)))
ranges = st.lists(bounds, max_size=8)


def characters(some: list[Range]) -> set[int]:
    return {at for start, end in some for at in range(start, end)}


@given(ranges)
def test_merging_keeps_the_characters_and_parts_the_ranges(some: list[Range]) -> None:
    merged = merge(some)
    assert characters(merged) == characters(some)
    assert all(a[1] < b[0] for a, b in pairwise(merged))


@given(ranges, ranges)
def test_subtracting_leaves_what_is_in_the_first_alone(one: list[Range], two: list[Range]) -> None:
    left = list(subtract(merge(one), merge(two)))
    assert characters(left) == characters(one) - characters(two)
    assert all(start < end for start, end in left)


@given(ranges, ranges)
def test_overlapping_leaves_what_is_in_both(one: list[Range], two: list[Range]) -> None:
    both = list(overlap(merge(one), merge(two)))
    assert characters(both) == characters(one) & characters(two)


def test_a_span_ends_with_its_line() -> None:
    text = "one\ntwo\n\nthree"
    found = [text[s.start : s.end] for s in linkable_spans(text, ENGLISH)]
    assert found == ["one", "two", "three"]


def test_white_space_alone_is_no_span() -> None:
    assert linkable_spans("[[a]] [[b]]\n\n\t\n", ENGLISH) == []


def test_stray_marks_part_spans() -> None:
    text = "a __TOC__ b ~~~~ c [d] e {f} g | h > i"
    found = [text[s.start : s.end].strip() for s in linkable_spans(text, ENGLISH)]
    assert found == list("abcdefghi")


def test_an_unmatched_quote_parts_spans_too() -> None:
    text = "a ''b\nc"
    assert [text[s.start : s.end].strip() for s in linkable_spans(text, ENGLISH)] == ["a", "b", "c"]


def test_a_span_that_is_all_quoted_says_so() -> None:
    text = '"[[a]] song of two" and [[b]] "c"'
    spans = {text[s.start : s.end]: s.quoted for s in linkable_spans(text, ENGLISH)}
    assert spans[' song of two" and '] is False
    assert read_page(text, ENGLISH).is_quoted(7, 11)


def test_an_empty_page_has_no_spans() -> None:
    page = read_page("", ENGLISH)
    assert (page.spans, page.links, page.sentences, page.sections) == ([], [], [], [])
    assert page.first_sentence == ""
    assert not page.allows(0, 0)


def test_every_block_knows_its_kind() -> None:
    text = "plain\n* star\n# hash\n: indent\n** deep"
    kinds = {text[s.start : s.end].strip(): s.block for s in linkable_spans(text, ENGLISH)}
    assert kinds == {
        "plain": "paragraph",
        "star": "list",
        "hash": "list",
        "indent": "indent",
        "deep": "list",
    }
