"""Where our links stand after others have edited: by the words around them, never by chance."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.publish.world import RULES
from wikibot.publish.places import (
    OwnLink,
    find_link,
    find_link_by_few_words,
    shown_by,
    stands_in,
)


def link_in(text: str, written: str, target: str) -> OwnLink:
    start = text.index(written)
    shown = shown_by(written)
    return OwnLink(1, target, text, start, start + len(written), len(shown), shown)


SHORT = link_in("One [[b]] two.", "[[b]]", "B")
TOWN = link_in(
    "* Gloucester, a town on the [[Severn]]\n* Worcester, a town on the Severn",
    "[[Severn]]",
    "Severn",
)
LISTED = link_in("Rivers:\n* [[Wye]]\n* Usk\n* Dee", "[[Wye]]", "Wye")


@pytest.mark.parametrize(
    ("live", "place"),
    [
        ("One [[b]] two.", 4),
        ("New. One [[b]] two.", 9),
        ("One [[b]] two. One [[b]] two.", None),
        ("One b two.", None),
        ("Changed [[b]] around.", None),
        ("[[b]] here and [[b]] there.", None),
        ("[[b]]", None),
    ],
)
def test_a_link_is_found_again_only_where_it_can_be_no_other(live: str, place: int | None) -> None:
    assert find_link(SHORT, live) == place


def test_the_same_words_on_another_line_are_another_place() -> None:
    moved = "* Gloucester, a town on the Severn\n* Worcester, a town on the [[Severn]]"
    assert find_link(TOWN, moved) is None
    assert not stands_in(TOWN, moved, RULES, "X")


def test_a_line_with_nothing_but_the_link_is_known_by_its_neighbours() -> None:
    assert find_link(LISTED, "More rivers.\n\nRivers:\n* [[Wye]]\n* Usk\n* Dee") == 24
    assert find_link(LISTED, "Rivers:\n* Usk\n\nSee also\n* [[Wye]]") is None


def test_a_rewritten_sentence_keeps_its_link_and_a_plain_one_has_lost_it() -> None:
    link = link_in("The Severn is a [[river]] in Wales.", "[[river]]", "River")
    assert stands_in(link, "In Wales the longest [[river]] is the Severn.", RULES, "X")
    assert not stands_in(link, "The Severn is a river in Wales. [[River]]s flow.", RULES, "X")
    assert not stands_in(link, "The Severn flows.", RULES, "X")


def test_words_on_one_side_find_a_link_whose_other_side_was_rewritten() -> None:
    link = link_in("The Severn is a long [[river]] in Wales.", "[[river]]", "River")
    live = "The Severn is a long [[river]] of England."
    assert find_link(link, live) is None and find_link_by_few_words(link, live) == 21


@given(st.text(alphabet="ab \n", max_size=60), st.text(alphabet="ab \n", max_size=60))
def test_a_link_is_never_found_without_words_around_it(before: str, after: str) -> None:
    link = link_in("* [[River]]", "[[River]]", "River")
    live = f"{before}[[River]]{after}"
    assert find_link(link, live) is None or live == link.text
    assert find_link_by_few_words(link, live) is None
