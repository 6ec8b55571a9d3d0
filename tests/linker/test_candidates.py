"""Where a link might stand: mentions that are free, of pages that are not linked yet."""

from __future__ import annotations

import numpy as np
import pytest

from tests.linker.wikis import Wiki, learned, page_of
from wikibot.linker.candidates import (
    MANY_MENTIONS,
    MENTIONS_PER_TARGET,
    Candidates,
    _is_plausible,
    find_candidates,
    member,
)
from wikibot.linker.counts import PageCounts
from wikibot.linker.names import ANCHOR, BOLD_NAME, SIMILAR, TITLE, find_mentions
from wikibot.linker.page import Page

WIKI = {
    "Thor": "'''Thor''' is a god.",
    "Loki": "'''Loki''' is a god. Thor knows Loki.",
    "Sea (water)": "It is salt.",
    "Sea (song)": "It is sung.",
    "Story": "[[Thor]] met Loki. Thor left. The sea rose.\n\n== End ==\nThor came. Loki went.",
    "Fable": "The [[Thor|Thunderer]] met [[Loki]] by the [[Sea (water)|sea]].",
}


@pytest.fixture(scope="module")
def wiki() -> Wiki:
    return learned(WIKI, {"Trickster": "Loki"})


def test_a_target_that_the_page_links_is_not_proposed_again(wiki: Wiki) -> None:
    assert ("Thor", "Thor") not in wiki.found("Story")
    assert ("Loki", "Loki") in wiki.found("Story")


def test_by_section_a_target_may_be_linked_once_in_each(wiki: Wiki) -> None:
    rows = wiki.rows("Story", scope="section")
    page = wiki.page("Story")
    thor = rows.first[rows.target == wiki.number("Thor")]
    assert page.column("section")[thor].tolist() == [1]


def test_a_page_is_not_a_candidate_for_itself(wiki: Wiki) -> None:
    assert wiki.found("Loki") == [("Thor", "Thor")]


def test_no_candidate_stands_inside_another_link(wiki: Wiki) -> None:
    page = page_of("[[Fable|Thor and others]] met Loki.", "Draft")
    assert wiki.found(page) == [("Loki", "Loki")]


def test_a_link_by_a_redirect_counts_as_a_link_to_its_end(wiki: Wiki) -> None:
    assert wiki.found(page_of("The [[Trickster]] is Loki.", "Draft")) == []


def test_a_link_in_a_box_leaves_the_mention_in_prose_a_candidate(wiki: Wiki) -> None:
    assert wiki.found(page_of("{{Box|[[Loki]]}} It is Loki.", "Draft")) == [("Loki", "Loki")]


def test_words_that_may_mean_two_pages_are_candidates_for_both(wiki: Wiki) -> None:
    rows = wiki.rows(page_of("The sea rose.", "Draft"))
    assert sorted(wiki.knowledge.titles.titles[n] for n in rows.target) == [
        "Sea (song)",
        "Sea (water)",
    ]
    assert rows.span.tolist() == [0, 0]
    assert rows.group.tolist() == [0, 1]


def test_mentions_of_a_target_are_ranked_by_their_places(wiki: Wiki) -> None:
    rows = wiki.rows(page_of("Loki, Thor, Loki and Loki.", "Draft"))
    loki = rows.target == wiki.number("Loki")
    assert rows.first[loki].tolist() == [0, 2, 4]
    assert rows.rank[loki].tolist() == [0, 1, 2]
    assert rows.count[loki].tolist() == [3, 3, 3]
    assert rows.rank[~loki].tolist() == [0]


def test_only_the_first_mentions_of_a_target_are_candidates(wiki: Wiki) -> None:
    rows = wiki.rows(page_of("Loki and " * 9, "Draft"))
    assert len(rows) == MENTIONS_PER_TARGET
    assert rows.count.tolist() == [9] * MENTIONS_PER_TARGET


def test_counts_leave_the_page_itself_out(wiki: Wiki) -> None:
    draft = wiki.rows(page_of("The sea and the Thunderer.", "Draft"))
    thunderer = draft.target == wiki.number("Thor")
    assert (draft.pair_links[thunderer], draft.name_mentions[thunderer]) == ([1], [1])
    hidden = wiki.page("Fable").hide()
    own = wiki.parts[wiki.number("Fable")]
    rows = find(wiki, hidden, own)
    # Only Fable itself says Thunderer: seen from there, the name is not known.
    assert not (rows.target == wiki.number("Thor")).any()
    sea = rows.target == wiki.number("Sea (water)")
    assert (rows.pair_links[sea], rows.name_links[sea], rows.name_mentions[sea]) == ([0], [0], [1])
    assert not (rows.kind[sea] & ANCHOR).any()


def find(wiki: Wiki, page: Page, own: PageCounts | None) -> Candidates:
    mentions = find_mentions(page, wiki.knowledge.names)
    return find_candidates(page, wiki.number(page.title), wiki.knowledge, mentions, own)


def test_the_share_is_that_of_pages_which_link_the_name_to_the_target(wiki: Wiki) -> None:
    rows = wiki.rows(page_of("The sea rose.", "Draft"))
    # Story and Fable mention the sea; Fable links it, to the water.
    by_title = dict(zip(rows.target.tolist(), rows.share.tolist(), strict=True))
    assert by_title[wiki.number("Sea (water)")] == pytest.approx(1.02 / 2.6)
    assert by_title[wiki.number("Sea (song)")] == pytest.approx(0.02 / 2.6)


def plausible(kind: int, links: int, mentions: int) -> bool:
    return bool(_is_plausible(np.array([kind]), np.array([links]), np.array([mentions]))[0])


@pytest.mark.parametrize(
    ("kind", "links", "mentions", "expected"),
    [
        (TITLE, 0, 0, True),
        (ANCHOR, 1, 5, True),
        (ANCHOR, 0, 5, False),  # an anchor that only this page uses
        (TITLE, 0, MANY_MENTIONS, True),
        (BOLD_NAME, 0, MANY_MENTIONS - 1, True),
        (BOLD_NAME, 0, MANY_MENTIONS, False),
        (SIMILAR, 1, MANY_MENTIONS, True),
        (TITLE, 0, 49, True),
        (TITLE, 0, 50, False),  # a word that hardly anybody links
        (TITLE, 1, 250, True),
        (TITLE, 1, 251, False),
    ],
)
def test_implausible_names_are_not_candidates(
    kind: int, links: int, mentions: int, expected: bool
) -> None:
    assert plausible(kind, links, mentions) is expected


def test_an_empty_page_has_no_candidates(wiki: Wiki) -> None:
    for scope in ("page", "section"):
        assert len(wiki.rows(page_of("", "Draft"), scope)) == 0
    assert len(learned({"A": "", "B": "{{x}}"}).rows("A")) == 0


def test_a_disambiguation_page_has_no_names() -> None:
    wiki = learned({"Mercury": "{{disambiguation}} Mercury may be", "P": "Seen Mercury there."})
    assert wiki.found("P") == []


def test_members_are_found_among_sorted_values() -> None:
    assert member(np.array([1, 4, 9]), np.array([1, 9])).tolist() == [True, False, True]
    assert member(np.array([1]), np.array([], dtype=np.int64)).tolist() == [False]
