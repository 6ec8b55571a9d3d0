"""Words that herald a common noun are learned from the wiki's own links, and names after them are left."""

from __future__ import annotations

import numpy as np
import pytest
from wikibot.ranking.heralds import heralds
from wikibot.ranking.proposals import anchors_of
from wikibot.ranking.rules import BY_NAME, Options, Seen
from wikibot.ranking.signs import read_signs

from tests.ranking.small import candidates, studied

# Editors link "a lance" and "with Thor"; of a Golem they speak as of one among many.
BACKGROUND = {
    "Thor": "The god Thor lives. When Thor came, the great Thor won, and old Thor left.",
    "Golem": "The Golem is made of clay, and this Golem or that Golem is one Golem.",
    "Lance": "A lance is a weapon.",
    **{f"U{n}": "They ran with [[Thor]] from a [[lance]]." for n in range(9)},
    "Clay": "They met a [[Golem]].",
    "Town": "He wore a helmet. She saw a helmet. Here is a helmet. There is a helmet.",
}
WITHOUT_ARTICLES = {
    "Thor": "God Thor lives. When Thor came, great Thor won, and old Thor left.",
    **{f"U{n}": "They ran with [[Thor]] from [[lance]] of old." for n in range(9)},
    "Lance": "Lance is weapon.",
}


def refuses(rule: str, text: str, background: dict[str, str] | None = None) -> bool:
    """Does the rule refuse the first candidate of the text?"""
    of = studied({**(background or BACKGROUND), "Page": text})
    rows = candidates(of)
    rows = rows.chosen(rows.page == of.wiki.size - 1)
    assert len(rows), "no candidate"
    hidden = np.zeros(len(of.wiki.links), dtype=bool)
    sure = np.full(len(rows), 0.9, dtype=np.float32)
    signs = read_signs(of, rows, sure, np.zeros_like(sure), hidden)
    return bool(BY_NAME[rule].refuses(Seen(signs, of.wiki, Options(), anchors_of(of.wiki, rows)))[0])  # fmt: skip


def test_heralds_are_words_before_links_in_small_letters_and_not_before_names() -> None:
    wiki = studied(BACKGROUND).wiki
    found = heralds(wiki, np.zeros(len(wiki.links), dtype=bool))
    assert {word for word, number in wiki.vocabulary.items() if found[number]} == {"a"}


@pytest.mark.parametrize(
    ("rule", "text", "refused"),
    [
        ("one-of-many", "Once a Thor of another world came.", True),
        ("one-of-many", "Once they came with Thor.", False),
        ("one-of-many", "Once a Golem came.", False),
        ("named-after", "They came with the Thor helmet.", True),
        ("named-after", "They came and Thor smiled.", False),
        ("named-after", "They came with Thor. Helmet and all.", False),
        ("alias-of-link", "Here [[Jane Foster]] (later known as Thor) came.", True),
        ("alias-of-link", "Here Thor came. It was [[Jane Foster]] (later known as Thor).", True),
        ("alias-of-link", "Here [[Jane Foster]] (friends: Odin, Thor) came.", False),
        ("alias-of-link", "Here [[Jane Foster]] (whom Thor loves) came.", False),
        ("alias-of-link", "Here Jane Foster (later known as Thor) came.", False),
    ],
)
def test_a_rule_by_example(rule: str, text: str, refused: bool) -> None:
    assert refuses(rule, text) is refused


# Of a new Thor one page speaks after the other, and hardly one links him; of the god Thor all do.
TOLD_APART = {
    **BACKGROUND,
    "Hall": "He wore a new helmet. She saw a new helmet. Here is a god. There is a god.",
    **{f"V{n}": "They saw the god [[Thor]]." for n in range(9)},
    **{f"W{n}": "They saw the new Thor." for n in range(9)},
}


def test_a_word_behind_which_names_are_seldom_linked_tells_bearers_apart() -> None:
    assert refuses("one-of-many", "Once the new Thor came.", TOLD_APART)
    assert not refuses("one-of-many", "Once the god Thor came.", TOLD_APART)
    assert not refuses("one-of-many", "Once the new Thor came.")


def test_where_no_word_heralds_nouns_no_name_is_refused_for_it() -> None:
    assert not refuses("one-of-many", "Once Thor came.", WITHOUT_ARTICLES)
    assert not refuses("named-after", "They saw Thor helmet.", WITHOUT_ARTICLES)
