"""Titles whose words stand in one sentence, but not side by side."""

from __future__ import annotations

import numpy as np
import pytest
from wikibot.ranking.lessons import candidates_of
from wikibot.ranking.names import SCATTERED
from wikibot.ranking.proposals import anchors_of

from tests.ranking.small import studied

DISTRICTS = {
    "Preili District": "A district.",
    "Malta District": "A district.",
    "Anna Stone": "A poet.",
    "District": "An area.",
}


def found(text: str, **more: str) -> set[tuple[str, str]]:
    """(anchor, title) of the scattered titles on a page with this text."""
    of = studied({**DISTRICTS, **more, "Here": text})
    here = np.array([title == "Here" for title in of.wiki.titles])
    rows, _ = candidates_of(of, np.zeros(len(of.wiki.links), dtype=bool), here)
    rows = rows.chosen((rows.kind & SCATTERED) > 0)
    titles = (of.wiki.titles[target] for target in rows.target.tolist())
    return set(zip(anchors_of(of.wiki, rows), titles, strict=True))


def test_a_list_that_says_the_common_word_once_means_each_of_its_pages() -> None:
    assert found("It borders on the Preili, Malta and Ogre districts.") == {
        ("Preili", "Preili District"),
        ("Malta", "Malta District"),
    }


def test_the_family_name_may_come_first() -> None:
    assert found("Members: Brown, Jo; Stone, Anna; White, Max.") == {("Stone, Anna", "Anna Stone")}


@pytest.mark.parametrize(
    "text",
    [
        "It borders on Preili. The district is small.",
        "It borders on the Ogre district.",
        "The Preili District is small.",
        "It has [[Preili]] and other districts.",
        "The [[Preili District]] has Preili, and districts are small.",
        "Preili is a town.",
    ],
    ids=["two sentences", "a word is missing", "side by side", "in a link", "linked already", "one word"],
)  # fmt: skip
def test_there_is_none_where(text: str) -> None:
    assert ("Preili", "Preili District") not in found(text)


def test_a_disambiguation_page_is_not_meant() -> None:
    page = "{{Disambig}}\n* [[District]]"
    assert not found("The ogre of every district.", **{"Ogre District": page}) & {
        ("ogre", "Ogre District")
    }


def test_without_links_to_learn_from_none_is_proposed() -> None:
    from wikibot.ranking.fallback import Fallback

    of = studied({**DISTRICTS, "Here": "It borders on the Preili, Ogre and Malta districts."})
    rows, features = candidates_of(of, np.zeros(0, dtype=bool), np.ones(of.wiki.size, dtype=bool))
    ranked = Fallback().rank(rows, features)
    scattered = (rows.kind[ranked.row] & SCATTERED) > 0
    assert scattered.any()
    assert ranked.probability[scattered].max() < 0.1
