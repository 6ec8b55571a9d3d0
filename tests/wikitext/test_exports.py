"""Pages of every export at hand: exact offsets, links in and out again, the check agrees."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.wikitext.exports import DATA, exports, pages, site_of
from wikibot.wikitext import (
    BadWikitext,
    Insertion,
    PageText,
    check_edit,
    insert_links,
    read_page,
    remove_links,
)

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"no exports in {DATA}")
every_export = pytest.mark.parametrize("export", exports(), ids=lambda path: path.name)
# One page in so many is read, and the check, which reads a page four times over, made on one in so many.
READ, CHECKED = (1, 1) if os.environ.get("WIKIBOT_ALL_PAGES") else (8, 32)


def some_insertions(page: PageText, most: int = 5) -> list[Insertion]:
    """A few words of the page that may be linked, the same ones in every run."""
    chance = random.Random(len(page.text))
    spans = chance.sample(page.spans, min(most, len(page.spans)))
    words = (chance.choice(found) for span in spans if (found := page.words(span)))
    return [Insertion(w.start, w.end, "Target") for w in words if page.allows(w.start, w.end)]


def assert_exact(page: PageText) -> None:
    """Every offset of the page says what it promises."""
    text = page.text
    for link in page.links:
        assert text[link.start : link.start + 2] == "[["
        assert text[link.end - 2 : link.end] == "]]"
        assert link.start < link.anchor_start <= link.anchor_end == link.end - 2
        assert text[link.start + 2 :].startswith(link.raw_target)
    for span in page.spans:
        assert "\n" not in text[span.start : span.end]
        assert all(text[w.start : w.end] == w.text for w in page.words(span))
    ends = [0, *(s.end for s in page.sentences)]
    assert all(a <= s.start < s.end for a, s in zip(ends, page.sentences, strict=False))


@needs_data
@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.timeout(3600)
@every_export
def test_pages_keep_their_promises(export: Path) -> None:
    site, refused, read = site_of(export), 0, 0
    for number, (title, text) in enumerate(pages(export)):
        if number % READ:
            continue
        try:
            page = read_page(text, site, title)
        except BadWikitext:
            refused += 1
            continue
        read += 1
        assert_exact(page)
        insertions = some_insertions(page)
        after = insert_links(text, insertions, site)
        assert remove_links(after, insertions) == text
        if insertions and number % CHECKED == 0:
            check_edit(text, after, insertions, site, title)
    assert read > 0
    assert refused <= read // 500


@needs_data
@pytest.mark.parametrize("export", exports(small=True), ids=lambda path: path.name)
def test_a_page_of_each_language_keeps_its_promises(export: Path) -> None:
    for title, text in pages(export):
        page = read_page(text, site_of(export), title)
        assert_exact(page)
        insertions = some_insertions(page)
        assert insertions, "some word of the page may be linked"
        check_edit(text, insert_links(text, insertions, page.site), insertions, page.site, title)


@needs_data
@pytest.mark.parametrize("export", exports(small=True), ids=lambda path: path.name)
def test_most_links_that_stand_in_prose_stand_where_one_may_stand(export: Path) -> None:
    held = []
    for title, text in pages(export):
        page = read_page(text, site_of(export), title)
        unlinked, places = without_links(page)
        again = read_page(unlinked, page.site, title)
        held += [any(s.start <= a and b <= s.end for s in again.spans) for a, b in places]
    assert sum(held) >= 0.95 * len(held)


def without_links(page: PageText) -> tuple[str, list[tuple[int, int]]]:
    """The page with the links of its prose turned into text, and where their texts stand."""
    pieces, places, at, length = [], [], 0, 0
    for link in page.links:
        excluded = page.is_excluded(link.start)
        if not link.in_prose or not link.is_page_link or link.start < at or excluded:
            continue
        shown = page.text[link.anchor_start : link.anchor_end]
        pieces += [page.text[at : link.start], shown]
        length += link.start - at
        places.append((length, length + len(shown)))
        length, at = length + len(shown), link.end
    return "".join([*pieces, page.text[at:]]), places
