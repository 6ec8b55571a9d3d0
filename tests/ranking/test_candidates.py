"""What may be proposed, and counts that leave the page itself out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from wikibot.ranking.candidates import MENTIONS_PER_TARGET
from wikibot.ranking.lessons import all_hidden, only_elsewhere, some_hidden, truth

from tests.ranking.small import candidates, found_pairs, studied

PAGES = {
    "Thor": "'''Thor''' is a god.",
    "One": "First [[Thor]] came. Then Thor went.",
    "Two": "Here the [[Thor|Thunderer]] stands.",
    "Three": "The Thunderer, Thor, and [[Thor]].",
    "Four": "{{Box|[[Thor]]}} Thor again.",
}


def test_a_target_that_is_linked_is_no_candidate() -> None:
    of = studied(PAGES)
    assert {page for page, _, _ in found_pairs(of, candidates(of))} == {"Four"}


def test_a_hidden_link_is_text_again() -> None:
    of = studied(PAGES)
    found = found_pairs(of, candidates(of, hidden=True))
    assert ("One", "Thor", "Thor") in found
    assert ("Three", "Thunderer", "Thor") in found


def test_an_anchor_used_on_this_page_alone_is_not_given_away() -> None:
    of = studied({**PAGES, "Two": "Here the [[Thor|god of storms]] stands."})
    assert not any(words == "god of storms" for _, words, _ in found_pairs(of, candidates(of, hidden=True)))  # fmt: skip


def test_counts_leave_the_page_itself_out() -> None:
    of = studied(PAGES)
    rows = candidates(of, hidden=True)
    one = np.flatnonzero((rows.page == 1) & (rows.rank == 0))[0]
    assert rows.pair_links[one] == 1  # page Three alone; Two uses another name
    assert rows.mentions[one] == 2  # Three and Four; the bold name of Thor itself is no mention


def test_truth_is_the_target_and_the_place() -> None:
    of = studied(PAGES)
    rows = candidates(of, hidden=True)
    is_linked, is_place = truth(of.wiki, rows)
    one = rows.page == 1
    assert is_linked[one].all()
    assert is_place[one].tolist() == [True, False]


def test_a_target_linked_in_a_box_alone_counts_neither_way() -> None:
    of = studied(PAGES)
    rows = candidates(of, hidden=True)
    assert only_elsewhere(of.wiki, rows)[rows.page == 4].all()
    assert not only_elsewhere(of.wiki, rows)[rows.page == 1].any()


def test_only_the_first_mentions_of_a_target_are_looked_at() -> None:
    of = studied({"Thor": "A god.", "Many": "Thor came. " * 20})
    assert len(candidates(of)) == MENTIONS_PER_TARGET


def test_links_that_lead_out_of_the_wiki_are_never_hidden() -> None:
    of = studied({"A": "[[B]] and [[Elsewhere]]", "B": "x"})
    assert all_hidden(of.wiki).tolist() == [True, False]


def test_a_share_of_targets_is_hidden_with_all_their_links() -> None:
    pages = {f"P{i}": " ".join(f"[[P{j}]] x [[P{j}]]" for j in range(30)) for i in range(30)}
    wiki = studied(pages).wiki
    hidden = some_hidden(wiki, 0.5)
    assert 0.4 < hidden.mean() < 0.6
    code = wiki.code(wiki.links.page, wiki.links.target)
    for one in np.unique(code):
        assert len(set(hidden[code == one].tolist())) == 1


@pytest.mark.parametrize(("scope", "found"), [("page", set()), ("section", {"lance"})])
def test_a_target_is_linked_once_a_page_or_once_a_section(scope: str, found: set[str]) -> None:
    text = "He had a [[lance]], a fine lance.\n\n== More ==\nThe lance broke."
    of = studied({"Lance": "A '''lance''' is a weapon.", "Page": text})
    of = replace(of, wiki=replace(of.wiki, link_scope=scope))
    assert {words for _, words, _ in found_pairs(of, candidates(of))} == found
    assert len(candidates(of)) == len(found)
