"""Whatever is offered as a place for a link is safe, on good pages and on damaged ones."""

from __future__ import annotations

import os
from itertools import pairwise

import mwparserfromhell
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mwparserfromhell.nodes import Comment, ExternalLink, Heading, Template, Text, Wikilink

from tests.wikitext.damage import damaged_pages
from wikibot.wikitext import (
    BadWikitext,
    Insertion,
    PageText,
    SiteRules,
    check_edit,
    insert_links,
    read_page,
    remove_links,
)
from wikibot.wikitext import parse as markup

SITES = {code: SiteRules.for_language(code) for code in ("en", "de", "ja", "ar")}
TARGETS = ("Paris", "London", "Paris (city)", "Category:Towns", "/sub")

MANY = 10_000 if os.environ.get("WIKIBOT_ALL_PAGES") else 2_500

few = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def read(text: str, site: SiteRules) -> PageText | None:
    try:
        return read_page(text, site, "A page")
    except BadWikitext:
        return None


def offered(page: PageText) -> list[tuple[int, int]]:
    """Every word of the page that may be linked, and every pair of words."""
    found = []
    for span in page.spans:
        words = page.words(span)
        found += [(word.start, word.end) for word in words]
        found += [(a.start, b.end) for a, b in pairwise(words)]
    return [(start, end) for start, end in found if page.allows(start, end)]


def check_offers(page: PageText, data: st.DataObject) -> None:
    """Any choice of the offered places can be linked, checked, and unlinked again."""
    text, site, places = page.text, page.site, offered(page)
    if not places:
        return
    chosen = data.draw(st.lists(st.sampled_from(places), max_size=4, unique=True))
    insertions, end = [], 0
    for start, stop in sorted(chosen):
        if start >= end:
            target = data.draw(st.sampled_from(TARGETS))
            insertions.append(Insertion(start, stop, target))
            end = stop
    after = insert_links(text, insertions, site)
    assert remove_links(after, insertions) == text
    check_edit(text, after, insertions, site, "A page")
    shown = (mwparserfromhell.parse(one).strip_code(collapse=False) for one in (text, after))
    assert len(set(shown)) == 1, "a reader sees what was there before"


def check_offsets(page: PageText) -> None:
    """Spans, sentences and links lie in the text, in order, and say what they promise."""
    spans = [(0, 0), *((s.start, s.end) for s in page.spans)]
    assert all(a[1] <= b[0] < b[1] for a, b in pairwise(spans))
    ends = [(0, 0), *((s.start, s.end) for s in page.sentences)]
    assert all(a[1] <= b[0] < b[1] for a, b in pairwise(ends))
    for link in page.links:
        assert page.text[link.start : link.end].startswith("[[" + link.raw_target)
        assert not any(s.start < link.end and link.start < s.end for s in page.spans)


def check_against_tree(page: PageText) -> None:
    """The walk over the tokens finds the nodes of mwparserfromhell's own tree at their places."""
    tree = mwparserfromhell.parse(page.text)
    assert str(tree) == page.text
    kinds = {
        Wikilink: markup.LINK,
        Template: markup.TEMPLATE,
        Heading: markup.HEADING,
        Comment: markup.COMMENT,
        ExternalLink: markup.EXTERNAL,
    }
    at, wanted, leaves = 0, [], []
    for node in tree.nodes:
        end = at + len(str(node))
        if type(node) in kinds:
            wanted.append((kinds[type(node)], at, end))
        elif isinstance(node, Text):
            leaves.append((at, end))
        at = end
    # Text in <small> and its like counts as prose for us; for the tree it is deeper down.
    assert set(wanted) <= {(n.kind, n.start, n.end) for n in page.nodes if n.where == 0}
    assert set(leaves) <= {(leaf.start, leaf.end) for leaf in page.leaves if leaf.where == 0}


site_codes = st.sampled_from(sorted(SITES))


@few
@given(damaged_pages(), site_codes, st.data())
def test_every_offered_place_is_safe(text: str, code: str, data: st.DataObject) -> None:
    if page := read(text, SITES[code]):
        check_offers(page, data)


@few
@given(damaged_pages(), site_codes)
def test_offsets_are_exact(text: str, code: str) -> None:
    if page := read(text, SITES[code]):
        check_offsets(page)


@few
@given(damaged_pages(), site_codes)
def test_the_walk_agrees_with_the_tree(text: str, code: str) -> None:
    if page := read(text, SITES[code]):
        check_against_tree(page)


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.timeout(3600)
@settings(few, max_examples=MANY)
@given(damaged_pages(), site_codes, st.data())
def test_damaged_pages_keep_every_promise_at_length(
    text: str, code: str, data: st.DataObject
) -> None:
    if page := read(text, SITES[code]):
        check_offsets(page)
        check_against_tree(page)
        check_offers(page, data)
