"""The laws of the linker on wikis made by chance, with the ranker that needs no learning."""

from __future__ import annotations

import random
import tempfile
from dataclasses import fields, replace
from functools import reduce
from itertools import pairwise
from operator import add
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.linker.generated import TITLES, Draft, texts_of, wikis
from tests.linker.wikis import Wiki, arrays_of, assert_same, learned, page_of
from wikibot.linker.counts import Counts, count
from wikibot.linker.fallback import MOST, Fallback
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.names import find_mentions, key_of
from wikibot.linker.page import BLOCK, Page
from wikibot.linker.policy import Policy
from wikibot.linker.score import Proposal, missing_share, priority, score_candidates, score_page
from wikibot.never_list import NeverList

laws = settings(max_examples=15, deadline=None)
EVERYTHING = Policy(min_probability=0.0, is_draft=True)
RANKER = Fallback()


def proposals(wiki: Wiki, page: Page, policy: Policy = EVERYTHING) -> list[Proposal]:
    return score_page(page, wiki.knowledge, RANKER, policy)


def told(found: list[Proposal]) -> list[tuple[str, int, int, float]]:
    """What a reviewer would see, whatever the numbers of pages are."""
    return sorted((one.target, one.start, one.end, round(one.probability, 5)) for one in found)


def nothing(knowledge: Knowledge) -> Counts:
    return Counts.zero(knowledge.size, len(knowledge.names), len(knowledge.names.target))


# Sums over pages.


@given(wikis(), st.randoms(use_true_random=False), st.integers(1, 4))
@laws
def test_counts_are_the_same_in_any_order_and_grouping(
    drafts: dict[str, Draft], rng: random.Random, groups: int
) -> None:
    wiki = learned(texts_of(drafts))
    parts = list(wiki.parts)
    rng.shuffle(parts)
    split = [nothing(wiki.knowledge).plus(parts[n::groups]) for n in range(groups)]
    assert_same(reduce(add, split), wiki.knowledge.counts)


@given(wikis(), st.data())
@laws
def test_knowledge_without_a_page_is_built_without_it(
    drafts: dict[str, Draft], data: st.DataObject
) -> None:
    knowledge = (wiki := learned(texts_of(drafts))).knowledge
    gone = data.draw(st.sets(st.integers(0, knowledge.size - 1)))
    kept = nothing(knowledge).plus(part for part in wiki.parts if part and part.page not in gone)
    built = Knowledge.build(knowledge.titles, knowledge.names, kept, knowledge.texts)
    without = knowledge.minus(wiki.parts[number] for number in sorted(gone))
    assert_same(without, built)
    assert_same(without.plus(wiki.parts[number] for number in sorted(gone)), knowledge)


@given(wikis())
@laws
def test_a_page_counted_alone_is_its_part_of_the_whole(drafts: dict[str, Draft]) -> None:
    wiki = learned(texts_of(drafts))
    for number, page in enumerate(wiki.pages):
        alone = count(page, number, wiki.knowledge.names, wiki.knowledge.titles)
        for field in fields(alone):
            ours, theirs = getattr(alone, field.name), getattr(wiki.parts[number], field.name)
            assert np.array_equal(ours, theirs), field.name


@given(wikis())
@laws
def test_no_count_exceeds_the_number_of_pages(drafts: dict[str, Draft]) -> None:
    counts = (wiki := learned(texts_of(drafts))).knowledge.counts
    for name in ("name_links", "name_mentions", "pair_links", "target_links", "target_mentions"):
        values = getattr(counts, name)
        assert (values >= 0).all() and (values <= len(wiki.pages)).all(), name
    assert (counts.name_links <= counts.name_mentions).all()


@given(wikis())
@laws
def test_what_is_saved_gives_the_same_proposals(drafts: dict[str, Draft]) -> None:
    wiki = learned(texts_of(drafts))
    with tempfile.TemporaryDirectory() as folder:
        wiki.knowledge.save(Path(folder) / "k.arrays")
        opened = Knowledge.open(Path(folder) / "k.arrays")
        assert_same(opened, wiki.knowledge)
        for page in wiki.pages:
            again = score_page(page, opened, RANKER, EVERYTHING)
            assert again == proposals(wiki, page)


@given(wikis(), st.randoms(use_true_random=False))
@laws
def test_the_order_of_pages_changes_no_proposal(
    drafts: dict[str, Draft], rng: random.Random
) -> None:
    texts = texts_of(drafts)
    titles = list(texts)
    rng.shuffle(titles)
    ours, theirs = learned(texts), learned({title: texts[title] for title in titles})
    for title in texts:
        assert told(proposals(ours, ours.page(title))) == told(
            proposals(theirs, theirs.page(title))
        )


# No label leaks.


@given(wikis(), st.data())
@laws
def test_no_feature_of_a_held_out_page_depends_on_its_links(
    drafts: dict[str, Draft], data: st.DataObject
) -> None:
    title = data.draw(st.sampled_from(list(drafts)))
    mentions = drafts[title].mentions
    flipped = data.draw(st.sets(st.integers(0, max(0, mentions - 1))))
    texts = texts_of(drafts)
    others = texts | {title: drafts[title].text(frozenset(flipped))}
    known = [name != title for name in texts]
    ours, theirs = learned(texts, known=known), learned(others, known=known)
    assert_same(ours.knowledge, theirs.knowledge)
    left, right = (wiki.features(wiki.page(title).hide()) for wiki in (ours, theirs))
    assert_same(left[0], right[0])
    assert left[1].names == right[1].names
    assert np.array_equal(left[1].values, right[1].values)


@given(wikis(), st.data())
@laws
def test_scores_of_a_page_without_links_are_the_same_whether_they_were_hidden_or_never_set(
    drafts: dict[str, Draft], data: st.DataObject
) -> None:
    title = data.draw(st.sampled_from(list(drafts)))
    linked = frozenset(
        number for number, is_linked in enumerate(_links_of(drafts[title])) if is_linked
    )
    known = [name != title for name in drafts]
    wiki = learned(texts_of(drafts), known=known)
    hidden = wiki.page(title).hide()
    never = page_of(drafts[title].text(linked), title)
    ours, theirs = (score_candidates(page, wiki.knowledge, RANKER, EVERYTHING) for page in (hidden, never))  # fmt: skip
    for name in ("rows", "features", "ranked"):
        assert_same(getattr(ours, name), getattr(theirs, name))
    assert ours.refused == theirs.refused and ours.broken == theirs.broken


def _links_of(draft: Draft) -> list[bool]:
    return [part.is_linked for block in draft.blocks for part in block if not isinstance(part, str)]


# What is proposed.


@given(wikis())
@laws
def test_every_proposal_is_a_place_that_can_carry_the_link(drafts: dict[str, Draft]) -> None:
    wiki = learned(texts_of(drafts))
    for page in wiki.pages:
        text = drafts[page.title].text()
        found = proposals(wiki, page)
        assert len({one.target for one in found}) == len(found)
        ends = sorted((one.start, one.end) for one in found)
        assert all(a[1] <= b[0] for a, b in pairwise(ends))
        for one in found:
            assert one.target in drafts and one.target != page.title
            assert one.target not in page.links.target
            before = text[: one.start]
            assert before.count("[[") == before.count("]]"), "not inside a link"
            assert "[[" not in text[one.start : one.end]
            assert 0 < one.probability <= MOST and one.reasons
        chances = [one.probability for one in found]
        assert chances == sorted(chances, reverse=True)


@given(wikis())
@laws
def test_a_page_with_its_proposals_in_it_is_the_same_page_with_more_links(
    drafts: dict[str, Draft],
) -> None:
    wiki = learned(texts_of(drafts))
    for page in wiki.pages:
        text, found = drafts[page.title].text(), proposals(wiki, page)
        for one in sorted(found, key=lambda one: -one.start):
            words = text[one.start : one.end]
            text = f"{text[: one.start]}[[{one.target}|{words}]]{text[one.end :]}"
        linked = page_of(text, page.title)
        assert_same(linked.hide(), page.hide(), but=["cuts"])
        assert sorted(linked.links.target) == sorted(
            [*page.links.target, *(one.target for one in found)]
        )
        again = {one.target for one in proposals(wiki, linked)}
        assert not again & {one.target for one in found}


@given(wikis(), st.floats(0, MOST), st.floats(0, MOST))
@laws
def test_who_asks_for_more_certainty_gets_some_of_the_same(
    drafts: dict[str, Draft], one: float, other: float
) -> None:
    low, high = sorted((one, other))
    wiki = learned(texts_of(drafts))
    for page in wiki.pages:
        more = told(proposals(wiki, page, replace(EVERYTHING, min_probability=low)))
        fewer = told(proposals(wiki, page, replace(EVERYTHING, min_probability=high)))
        assert set(fewer) <= set(more)
        assert all(chance >= high - 1e-4 for *_, chance in fewer)


@given(wikis(), st.sets(st.sampled_from(TITLES)))
@laws
def test_only_targets_that_are_asked_for_and_not_decided_are_proposed(
    drafts: dict[str, Draft], some: set[str]
) -> None:
    wiki = learned(texts_of(drafts))
    for page in wiki.pages:
        asked = proposals(wiki, page, replace(EVERYTHING, targets=frozenset(some)))
        assert {one.target for one in asked} <= some
        left = proposals(wiki, page, replace(EVERYTHING, decided=frozenset(some)))
        assert not {one.target for one in left} & some


@given(wikis(), st.sampled_from(["Thor", "Sea", "Red River"]))
@laws
def test_a_target_on_the_never_list_is_proposed_nowhere(
    drafts: dict[str, Draft], target: str
) -> None:
    wiki = learned(texts_of(drafts))
    never = NeverList(targets=frozenset({target}))
    for page in wiki.pages:
        found = proposals(wiki, page, replace(EVERYTHING, never=never))
        assert target not in {one.target for one in found}


@given(wikis())
@laws
def test_each_target_has_one_fate_and_each_candidate_a_target(drafts: dict[str, Draft]) -> None:
    wiki = learned(texts_of(drafts))
    for page in wiki.pages:
        scored = score_candidates(page, wiki.knowledge, RANKER, EVERYTHING)
        targets = np.unique(scored.rows.target)
        assert len(scored.row) == len(scored.refused) == len(scored.rival) == len(targets)
        assert len(scored.broken) == len(scored.rows)
        assert np.array_equal(scored.rows.target[scored.row], targets)
        proposed = sum(not why for why in scored.refused)
        assert proposed == len(proposals(wiki, page))
        for why, rival in zip(scored.refused, scored.rival.tolist(), strict=True):
            assert (why == "overlap") == (rival >= 0)


@given(wikis())
@laws
def test_a_page_outside_a_run_is_scored_as_inside_it(drafts: dict[str, Draft]) -> None:
    """One page alone, after others, and twice: nothing is remembered in between."""
    wiki = learned(texts_of(drafts))
    alone = [told(proposals(wiki, page)) for page in wiki.pages]
    backwards = [told(proposals(wiki, page)) for page in reversed(wiki.pages)]
    assert alone == backwards[::-1]
    before = arrays_of(wiki.knowledge).keys()
    assert before == arrays_of(learned(texts_of(drafts)).knowledge).keys()


# Where names stand.


@given(wikis())
@laws
def test_mentions_are_all_runs_of_words_that_are_names(drafts: dict[str, Draft]) -> None:
    wiki = learned(texts_of(drafts))
    names = wiki.knowledge.names
    known = {int(key): number for number, key in enumerate(names.keys)}
    for page in wiki.pages:
        words = [word.lower() for word in page.spelled(0, len(page))]
        gap = page.column("gap")
        expected = []
        for first in range(len(words)):
            for length in range(1, min(10, len(words) - first) + 1):
                if length > 1 and gap[first + length - 1] == BLOCK:
                    break
                key = key_of(words[first : first + length])
                if key in known:
                    expected.append((first, length, known[key]))
        found = find_mentions(page, names)
        assert list(zip(found.first, found.length, found.name, strict=True)) == expected


@given(wikis())
@laws
def test_candidates_are_free_mentions_of_other_pages_that_are_not_linked(
    drafts: dict[str, Draft],
) -> None:
    wiki = learned(texts_of(drafts))
    titles = wiki.knowledge.titles
    for page in wiki.pages:
        rows, covered = wiki.rows(page), page.covered()
        linked = {titles.number.get(target, -1) for target in page.links.target}
        for first, length, target in zip(rows.first, rows.length, rows.target, strict=True):
            assert not covered[first : first + length].any()
            assert target != wiki.number(page.title) and target not in linked
        assert (rows.rank < rows.count).all() and (rows.rank >= 0).all()
        assert np.array_equal(np.unique(rows.group), np.arange(len(np.unique(rows.target))))


@given(wikis())
@laws
def test_counts_of_a_candidate_are_those_of_the_other_pages(drafts: dict[str, Draft]) -> None:
    """How many others link these words to the target, counted in the drafts themselves."""
    wiki = learned(texts_of(drafts))
    for page in wiki.pages:
        rows = wiki.rows(page)
        for at in range(len(rows)):
            words = " ".join(page.spelled(int(rows.first[at]), int(rows.length[at]))).lower()
            target = wiki.knowledge.titles.titles[int(rows.target[at])]
            others = [other for other in wiki.pages if other.title != page.title]
            linking = [other for other in others if (words, target) in _anchors(other)]
            assert rows.pair_links[at] == len(linking)
            by_name = [other for other in others if any(words == w for w, t in _anchors(other))]
            assert rows.name_links[at] <= len(by_name)
            assert rows.pair_links[at] <= rows.name_links[at] <= rows.name_mentions[at]


def _anchors(page: Page) -> set[tuple[str, str]]:
    """(words in lower case, target) of the links of a page."""
    found = set()
    places = zip(page.links.first, page.links.last, page.links.target, strict=True)
    for first, last, target in places:
        if last > first:
            found.add((" ".join(page.spelled(int(first), int(last - first))).lower(), target))
    return found


# The order of the queue.

SHARES = st.floats(0, 1)


@given(SHARES, SHARES, SHARES, SHARES)
def test_whole_tenths_of_probability_come_before_any_need(
    chance: float, other: float, need: float, other_need: float
) -> None:
    if int(min(chance, 0.9999) * 10) > int(min(other, 0.9999) * 10):
        assert priority(chance, need) > priority(other, other_need) - 1e-6
    assert 0 <= priority(chance, need) <= 1


@given(SHARES, SHARES, SHARES)
def test_of_equal_need_the_more_probable_comes_first(
    chance: float, other: float, need: float
) -> None:
    low, high = sorted((chance, other))
    assert priority(low, need) <= priority(high, need) + 1e-6


@given(wikis())
@laws
def test_a_page_that_gets_a_link_lacks_no_more_than_before(drafts: dict[str, Draft]) -> None:
    wiki = learned(texts_of(drafts))
    for page in wiki.pages:
        share = missing_share(page, wiki.knowledge)
        bare = missing_share(page.hide(), wiki.knowledge)
        assert 0 <= share <= bare <= 1
        if not len(page.links):
            assert share == bare == pytest.approx(1)
