"""No label leaks: where the links of a page are not known, nothing depends on them."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

from tests.linker.wikis import Wiki, assert_same, learned, made_topics, towns
from wikibot.linker.counts import link_targets
from wikibot.linker.training import Decisions, training_rows

MENTION = re.compile(
    r"\[\[((?:Village|Engine|Singer) \w+)\]\]|((?:Village|Engine|Singer) [A-Z]\w+)"
)
HELD_OUT = 4  # one page in so many


def relinked(text: str, rng: random.Random) -> str:
    """The same text with other links: each mention is linked or not by chance."""
    lead, rest = text.split("'''", 2)[:2], text.split("'''", 2)[2]
    toss = lambda found: (  # noqa: E731
        f"[[{found[1] or found[2]}]]" if rng.random() < 0.5 else found[1] or found[2]
    )
    return "'''".join([*lead, MENTION.sub(toss, rest)])


def with_other_links(texts: dict[str, str], seed: int) -> dict[str, str]:
    """The held-out pages have other links."""
    rng = random.Random(seed)
    return {
        title: relinked(text, rng) if number % HELD_OUT == 0 else text
        for number, (title, text) in enumerate(texts.items())
    }


def held_out(texts: dict[str, str]) -> Wiki:
    known = [number % HELD_OUT > 0 for number in range(len(texts))]
    return learned(texts, known=known, topics=made_topics(texts))


@pytest.fixture(scope="module")
def wikis() -> tuple[Wiki, Wiki]:
    texts = towns(40)
    return held_out(texts), held_out(with_other_links(texts, 1))


def test_the_held_out_pages_differ_in_their_links_alone(wikis: tuple[Wiki, Wiki]) -> None:
    changed = 0
    for number, (ours, theirs) in enumerate(zip(wikis[0].pages, wikis[1].pages, strict=True)):
        assert_same(ours.hide(), theirs.hide(), but=["cuts"])
        same_links = ours.links.target == theirs.links.target
        assert number % HELD_OUT == 0 or same_links
        changed += not same_links
    assert changed >= 8


def test_what_is_known_does_not_depend_on_links_of_held_out_pages(wikis: tuple[Wiki, Wiki]) -> None:
    assert_same(wikis[0].knowledge, wikis[1].knowledge)


def test_no_feature_of_any_candidate_depends_on_hidden_links(wikis: tuple[Wiki, Wiki]) -> None:
    rows_seen = 0
    for number in range(0, 40, HELD_OUT):
        ours, theirs = (wiki.features(wiki.pages[number].hide()) for wiki in wikis)
        assert_same(ours[0], theirs[0])
        assert ours[1].names == theirs[1].names
        differing = [
            name for name in ours[1].names if not np.array_equal(ours[1][name], theirs[1][name])
        ]
        assert differing == []
        rows_seen += len(ours[0])
    assert rows_seen > 40


def test_rows_to_learn_from_do_not_depend_on_links_of_held_out_pages(
    wikis: tuple[Wiki, Wiki],
) -> None:
    ours, theirs = (
        training_rows(wiki.pages, wiki.knowledge, wiki.parts, Decisions()) for wiki in wikis
    )
    assert_same(ours, theirs)
    assert not (ours.page % HELD_OUT == 0).any()


def test_linked_and_unlinked_mentions_in_lists_look_alike_once_links_are_hidden() -> None:
    texts = {
        "Thor": "x", "Loki": "y", "P": "Words here.\n* [[Thor]]\n* Loki", "Q": "Words here.\n* Thor\n* [[Loki]]",
    }  # fmt: skip
    wiki = learned(texts)
    for title in ("P", "Q"):
        rows, features = wiki.features(wiki.page(title).hide())
        assert len(rows) == 2
        assert features["is_listed"].tolist() == [1, 1]


def test_a_page_in_training_with_all_links_hidden_is_not_told_its_own_links(
    town_wiki: Wiki,
) -> None:
    rows = training_rows(town_wiki.pages, town_wiki.knowledge, town_wiki.parts, Decisions())
    bare = rows.hidden == 1
    assert (rows.column("own_links_here")[bare] == 0).all()
    assert (rows.column("link_before")[bare] == 0).all()
    assert (rows.column("links_near")[bare] == 0).all()


def test_counts_of_a_page_with_hidden_links_leave_out_what_it_really_linked(
    town_wiki: Wiki,
) -> None:
    """The wiki as it is, one page bare: what the page itself taught is taken off every count."""
    knowledge = town_wiki.knowledge
    for page, part in list(zip(town_wiki.pages, town_wiki.parts, strict=True))[:10]:
        without = Wiki(town_wiki.pages, knowledge.minus([part]), town_wiki.parts)
        linked = np.unique(link_targets(page, knowledge.titles))
        rows, features = without.features(page.hide())
        share = (
            knowledge.counts.target_links[rows.target] - np.isin(rows.target, linked) + 0.05
        ) / (knowledge.counts.target_mentions[rows.target] - 1 + 0.5)
        assert features["target_share"] == pytest.approx(share, rel=1e-5)
