"""Counts are sums over pages: any order, any grouping, and what was added can be taken out."""

from __future__ import annotations

import random
from dataclasses import fields
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.linker.wikis import Wiki, assert_same, learned, page_of, towns
from wikibot.linker.counts import (
    CONTEXT_BUCKETS,
    Counts,
    PageCounts,
    context_buckets,
    count,
    link_targets,
)
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.names import key_of, words_of


def zero(wiki: Wiki) -> Counts:
    names = wiki.knowledge.names
    return Counts.zero(wiki.knowledge.size, len(names), len(names.target))


def name_number(wiki: Wiki, name: str) -> int:
    found, number = wiki.knowledge.names.find(np.array([key_of(words_of(name))], dtype=np.uint64))
    assert found[0]
    return int(number[0])


def titles(wiki: Wiki, numbers: np.ndarray) -> list[str]:
    return [wiki.knowledge.titles.titles[number] for number in numbers.tolist()]


SEAS = {
    "Sea": "The '''sea''' is water.",
    "Lake": "A '''lake''' is water.",
    "Fish": 'The [[sea]] and the sea again. It is "a sea and a [[lake]]" there.',
    "Boat": "{{Box|on=[[Lake]]}} A boat floats on the sea.\n\n== See also ==\n* [[Fish]]",
    "Net": "''[[Sea]]'' nets, ''the [[Sea]]'' and the [[Nowhere]]. [[Net]] itself.",
}


@pytest.fixture(scope="module")
def seas() -> Wiki:
    return learned(SEAS, {"Ocean": "Sea"})


def test_what_a_page_teaches_is_the_same_after_packing(seas: Wiki) -> None:
    for number, page in enumerate(seas.pages):
        part = count(page, number, seas.knowledge.names, seas.knowledge.titles)
        again = PageCounts.unpacked(part.packed())
        for field in fields(part):
            np.testing.assert_array_equal(getattr(again, field.name), getattr(part, field.name))


def test_a_stream_of_parts_in_groups_gives_the_same_sum(
    seas: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = zero(seas).plus(seas.parts)
    monkeypatch.setattr("wikibot.linker.counts.PARTS_AT_ONCE", 2)
    assert_same(zero(seas).plus(iter(seas.parts)), whole)


def test_a_page_counts_each_linked_target_once(seas: Wiki) -> None:
    part = seas.parts[seas.number("Net")]
    assert titles(seas, part.linked) == ["Sea"]
    assert titles(seas, part.links) == ["Sea", "Sea"]


def test_a_page_does_not_count_links_to_itself_or_out_of_the_wiki(seas: Wiki) -> None:
    part = seas.parts[seas.number("Net")]
    assert "Net" not in titles(seas, part.graph)
    assert link_targets(seas.page("Net"), seas.knowledge.titles).tolist()[2:] == [
        -1,
        seas.number("Net"),
    ]


def test_links_in_boxes_and_lists_are_in_the_graph_but_not_in_prose(seas: Wiki) -> None:
    part = seas.parts[seas.number("Boat")]
    assert titles(seas, part.graph) == ["Lake", "Fish"]
    assert titles(seas, part.linked) == []


def test_mentions_count_once_per_page(seas: Wiki) -> None:
    sea = name_number(seas, "sea")
    # Fish, Boat and Net say "sea", Fish and Net link it; a page's own name in bold is no mention.
    assert seas.knowledge.counts.name_mentions[sea] == 3
    assert seas.knowledge.counts.name_links[sea] == 2


def test_pages_that_mention_and_link_a_target_are_counted(seas: Wiki) -> None:
    counts, sea = seas.knowledge.counts, seas.number("Sea")
    assert counts.target_mentions[sea] == 3
    assert counts.target_links[sea] == 2
    assert counts.all_links[sea] == 3


def test_capitals_and_italics_of_links_are_counted(seas: Wiki) -> None:
    counts, sea = seas.knowledge.counts, seas.number("Sea")
    # Inside sentences: "The [[sea]]" and "''the [[Sea]]''"; at the start of one: "''[[Sea]]''".
    assert counts.inside_links[sea] == 2
    assert counts.upper_links[sea] == 1
    assert counts.italic_links[sea] == 2


def test_first_mentions_in_quotations_are_counted(seas: Wiki) -> None:
    mentions, linked, quoted, both, *_ = seas.parts[seas.number("Fish")].mention_places.tolist()
    assert (mentions, linked, quoted, both) == (2, 2, 1, 1)


@pytest.mark.parametrize(
    ("text", "habits"),
    [
        ("A [[sea]] and a [[lake]].", [2, 0, 0]),
        ("A [[sea]] [[lake]] here.", [2, 2, 0]),
        ("A [[sea]], [[lake]] here.", [2, 0, 0]),
        ("A [[sea]]-boat here.", [1, 0, 1]),
        ("A deep-[[sea]] boat.", [1, 0, 1]),
        ("No links.", [0, 0, 0]),
    ],
)
def test_links_beside_links_and_in_compounds_are_counted(
    seas: Wiki, text: str, habits: list[int]
) -> None:
    knowledge = seas.knowledge
    assert count(page_of(text), -1, knowledge.names, knowledge.titles).habits.tolist() == habits


def buckets(text: str, word: int) -> tuple[int, int]:
    before, after = context_buckets(page_of(text), np.array([word]), np.array([1]))
    return int(before[0]), int(after[0])


def test_contexts_are_the_words_around_and_the_case() -> None:
    assert buckets("by the sea here", 2) == buckets("on the lake here", 2)
    assert buckets("by the sea here", 2)[0] != buckets("by a sea here", 2)[0]
    assert buckets("by the sea here", 2)[1] != buckets("by the sea there", 2)[1]
    assert buckets("by the sea here", 2)[0] != buckets("by the Sea here", 2)[0]


def test_the_end_of_a_sentence_is_a_context_of_its_own() -> None:
    assert buckets("By the sea. Then home.", 2)[1] == buckets("By the sea. Now go.", 2)[1]
    assert buckets("By the sea. Then home.", 2)[1] == buckets("By the sea", 2)[1]
    assert buckets("By it. Sea here.", 2)[0] == buckets("For you. Sea now.", 2)[0]


def test_contexts_are_numbers_of_buckets() -> None:
    page = page_of(" ".join(f"w{n}" for n in range(300)))
    first = np.arange(300)
    for found in context_buckets(page, first, np.ones(300, dtype=np.int64)):
        assert (found >= 0).all() and (found < CONTEXT_BUCKETS).all()
        assert len(np.unique(found)) > 250


PARTS = st.lists(st.integers(0, 59), max_size=12)


@given(PARTS, PARTS)
@settings(max_examples=15, deadline=None)
def test_counts_of_both_are_the_sum_of_each(
    town_wiki: Wiki, ours: list[int], theirs: list[int]
) -> None:
    nothing, parts = zero(town_wiki), town_wiki.parts
    x, y = (nothing.plus(parts[n] for n in numbers) for numbers in (ours, theirs))
    both = nothing.plus(parts[n] for n in [*ours, *theirs])
    assert_same(x + y, both)
    assert_same(y + x, both)
    assert_same(x + nothing, x)


@given(PARTS, PARTS)
@settings(max_examples=15, deadline=None)
def test_what_was_added_can_be_taken_out(
    town_wiki: Wiki, ours: list[int], theirs: list[int]
) -> None:
    nothing, parts = zero(town_wiki), town_wiki.parts
    x, y = (nothing.plus(parts[n] for n in numbers) for numbers in (ours, theirs))
    assert_same(x + y - y, x)
    assert_same((x + y).plus((parts[n] for n in theirs), times=-1), x)
    assert_same(x - x, nothing)


@given(st.randoms(use_true_random=False), st.integers(1, 7))
@settings(max_examples=10, deadline=None)
def test_order_and_grouping_do_not_matter(town_wiki: Wiki, rng: random.Random, groups: int) -> None:
    parts = list(town_wiki.parts)
    rng.shuffle(parts)
    split = [zero(town_wiki).plus(parts[n::groups]) for n in range(groups)]
    rng.shuffle(split)
    assert_same(reduce(add, split), town_wiki.knowledge.counts)


def test_adding_pages_leaves_the_old_counts_as_they_were(town_wiki: Wiki) -> None:
    nothing = zero(town_wiki)
    nothing.plus(town_wiki.parts)
    assert_same(nothing, zero(town_wiki))


def test_counts_never_fall_below_nothing_when_all_pages_are_taken_out(town_wiki: Wiki) -> None:
    empty = town_wiki.knowledge.counts.plus(town_wiki.parts, times=-1)
    assert_same(empty, zero(town_wiki))


def test_the_order_of_pages_changes_only_their_numbers() -> None:
    texts = towns(20)
    forth = learned(texts)
    back = learned(dict(reversed(texts.items())))
    for title in texts:
        ours, theirs = forth.knowledge, back.knowledge
        a, b = forth.number(title), back.number(title)
        for name in ("target_mentions", "target_links", "upper_links", "all_links"):
            assert getattr(ours.counts, name)[a] == getattr(theirs.counts, name)[b]
        assert forth.found(title) == sorted_like(back.found(title), forth.found(title))
        assert isinstance(ours, Knowledge)


def sorted_like(found: list, example: list) -> list:
    """The same pairs in the order of the example; fails where one is missing."""
    assert sorted(found) == sorted(example)
    return sorted(found, key=example.index)
