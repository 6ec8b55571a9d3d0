"""Names and their forms on generated words, beside slow twins."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.linker.generated import TITLES, Draft, texts_of, wikis
from tests.linker.wikis import learned, page_of, words
from wikibot.linker.inflection import (
    FOLDED,
    STRONGEST,
    UNRULED,
    inflection,
    is_form_of,
    learn_rules,
    plain,
)
from wikibot.linker.names import (
    ANCHOR,
    BOLD_NAME,
    CERTAIN,
    KINDS,
    MOST_WORDS,
    REDIRECT,
    STRIPPED,
    TITLE,
    NameCounts,
    Titles,
    anchors_of,
    find_names,
    key_of,
    without_brackets,
    words_of,
)

laws = settings(max_examples=60, deadline=None)
STEMS = st.sampled_from(["latvej", "rig", "suom", "dau", "kaln", "mež"])
ENDINGS = st.sampled_from(["a", "ā", "as", "i", "ys", "", "ojom"])
WORDS = st.builds(lambda stem, ending: stem + ending, STEMS, ENDINGS)
NAMES = st.lists(WORDS, min_size=1, max_size=3).map(tuple)
PAIRS = st.lists(st.tuples(NAMES, NAMES), max_size=12)


def endings(ours: str, theirs: str) -> tuple[str, str] | None:
    """What is left after the longest common beginning, where it is long and the rest short."""
    shared = 0
    while shared < min(len(ours), len(theirs)) and ours[shared] == theirs[shared]:
        shared += 1
    left, right = ours[shared:], theirs[shared:]
    return (left, right) if ours != theirs and shared >= 3 and len(left) <= 4 and len(right) <= 4 else None  # fmt: skip


@given(PAIRS)
@laws
def test_rules_count_the_names_that_show_them(pairs: list) -> None:
    seen = defaultdict(set)
    for name, anchor in pairs:
        if len(name) == len(anchor):
            for ours, theirs in zip(name, anchor, strict=True):
                if found := endings(ours, theirs):
                    seen[found].add(name)
    expected: Counter[tuple[str, str]] = Counter()
    for (ours, theirs), names in seen.items():
        expected[ours, theirs] += len(names)
        expected[theirs, ours] += len(names) / 2
    assert learn_rules(pairs) == dict(expected)


@given(PAIRS, st.randoms(use_true_random=False))
@laws
def test_rules_do_not_depend_on_the_order_or_on_repeats(pairs: list, rng) -> None:
    shuffled = [*pairs, *pairs]
    rng.shuffle(shuffled)
    assert learn_rules(shuffled) == learn_rules(pairs)


@given(NAMES, NAMES)
@laws
def test_being_a_form_goes_both_ways(name: tuple[str, ...], anchor: tuple[str, ...]) -> None:
    assert is_form_of(name, anchor) == is_form_of(anchor, name)
    assert is_form_of(name, name)
    expected = len(name) == len(anchor) and all(
        a == b or endings(a, b) is not None for a, b in zip(name, anchor, strict=True)
    )
    assert is_form_of(name, anchor) == expected


@given(PAIRS, st.sets(WORDS, max_size=10), WORDS)
@laws
def test_forms_are_words_of_the_wiki_the_weightiest_first(
    pairs: list, vocabulary: set[str], word: str
) -> None:
    rules = learn_rules(pairs)
    found = inflection(rules, vocabulary).variants(word)
    assert {form for form, _ in found} <= vocabulary - {word}
    assert len({form for form, _ in found}) == len(found)
    weights = [weight for _, weight in found]
    assert weights == sorted(weights, reverse=True)
    for form, weight in found:
        ruled = min(rules.get(endings(word, form) or ("", ""), 0), STRONGEST)
        assert weight in {UNRULED, FOLDED, ruled}


@given(PAIRS, st.sets(WORDS, min_size=1, max_size=8))
@laws
def test_a_form_by_rule_is_found_wherever_its_rule_was_seen_twice(
    pairs: list, vocabulary: set[str]
) -> None:
    rules = learn_rules(pairs)
    forms = inflection(rules, vocabulary)
    for word in sorted(vocabulary):
        for other in sorted(vocabulary - {word}):
            rule = endings(word, other)
            if rule and rules.get(rule, 0) >= 2:
                found = dict(forms.variants(word))
                assert found[other] >= min(rules[rule], STRONGEST)


@given(st.text("aāeēoöuüñçcz", max_size=8))
@laws
def test_without_accents_a_word_keeps_its_letters(word: str) -> None:
    assert len(plain(word)) == len(word) and plain(word).isascii()
    assert plain(plain(word)) == plain(word)


@given(st.lists(st.text("abcä", min_size=1, max_size=4), min_size=1, max_size=5))
@laws
def test_a_key_is_that_of_the_words_in_their_order(name: list[str]) -> None:
    assert key_of(name) == key_of(tuple(name)) < 2**64
    if name != name[::-1]:
        assert key_of(name) != key_of(name[::-1])
    assert key_of([*name, "a"]) != key_of(name)
    assert key_of(["".join(name)]) != key_of(name) or len(name) == 1


@given(st.text("ab()\t ", max_size=14))
@laws
def test_only_the_last_brackets_of_a_title_are_no_part_of_its_name(title: str) -> None:
    name = without_brackets(title)
    assert title.startswith(name)
    rest = title[len(name) :].strip()
    assert not rest or (rest.startswith("(") and rest.endswith(")"))


@given(st.text(max_size=30))
@laws
def test_words_of_a_name_are_in_lower_case_and_stand_in_it(name: str) -> None:
    lower, at = name.lower(), 0
    for word in words_of(name):
        assert word == word.lower() and word
        at = lower.index(word, at) + len(word)


# Redirects.

LETTERS = "ABCDEF"
REDIRECTS = st.dictionaries(st.sampled_from(LETTERS), st.sampled_from(LETTERS + "X"), max_size=6)


@given(st.lists(st.sampled_from(LETTERS), unique=True, max_size=4), REDIRECTS)
@laws
def test_redirects_end_where_following_them_ends(
    titles: list[str], redirects: dict[str, str]
) -> None:
    found = Titles.of(titles, redirects)
    for name in LETTERS:
        end, steps = name, 0
        while end not in titles and end in redirects and steps < 10:
            end, steps = redirects[end], steps + 1
        if end in titles:
            assert found.titles[found.number[name]] == end
            assert found.ends()[name] == end
        else:
            assert name not in found.number
    assert list(found.titles) == titles


# The table of names.


@given(wikis())
@settings(max_examples=15, deadline=None)
def test_every_title_and_anchor_is_a_name_and_knows_how_it_came(drafts: dict[str, Draft]) -> None:
    wiki = learned(texts_of(drafts), {"The deep": "Sea", "Nowhere": "Atlantis"})
    expected: dict[tuple[tuple[str, ...], str], int] = defaultdict(int)
    for title in drafts:
        expected[words_of(title), title] |= TITLE
        if without_brackets(title) != title:
            expected[words_of(without_brackets(title)), title] |= STRIPPED
    if "Sea" in drafts:
        expected[words_of("The deep"), "Sea"] |= REDIRECT
    for page in wiki.pages:
        for anchor, target in anchors_of(page):
            if target in drafts:
                expected[tuple(anchor.split(" ")), target] |= ANCHOR
    names = wiki.knowledge.names
    for (name, target), kind in expected.items():
        is_name, number = names.find(np.array([key_of(name)], dtype=np.uint64))
        assert is_name[0], name
        _, pair = names.pairs_of(number)
        here = pair[names.target[pair] == wiki.number(target)]
        assert len(here) == 1
        assert int(names.kind[here[0]]) & kind == kind, (name, target)
        assert names.weight[here[0]] == CERTAIN


@given(wikis())
@settings(max_examples=15, deadline=None)
def test_the_table_of_names_is_sorted_and_complete(drafts: dict[str, Draft]) -> None:
    names = learned(texts_of(drafts)).knowledge.names
    assert (np.diff(names.keys.astype(object)) > 0).all()
    assert names.first[0] == 0 and names.first[-1] == len(names.target)
    assert (np.diff(names.first) > 0).all(), "a name of nothing is no name"
    is_name, number = names.find(names.keys)
    assert is_name.all() and np.array_equal(number, np.arange(len(names)))
    assert not names.find(names.keys + np.uint64(1))[0].all()
    index, pair = names.pairs_of(number)
    assert np.array_equal(pair, np.arange(len(names.target)))
    assert np.array_equal(names.name[pair], index)
    assert (names.kind > 0).all() and (names.kind < 1 << len(KINDS)).all()
    assert (names.likeness >= 0).all() and (names.likeness <= 1).all()


def test_a_name_in_bold_is_one_of_the_page_and_a_long_one_is_none() -> None:
    long = " ".join("abcdefghijkl"[: MOST_WORDS + 1])
    pages = [page_of("'''Mighty Thor''' is a god.", "Thor"), page_of("Text.", long)]
    counts = NameCounts()
    for page in pages:
        counts.add(page)
    titles = Titles.of([page.title for page in pages], {})
    names = find_names(titles, counts, [False, False], "en")
    is_name, number = names.find(
        np.array([key_of(words_of(name)) for name in ("mighty thor", long)], dtype=np.uint64)
    )
    assert is_name.tolist() == [True, False]
    _, pair = names.pairs_of(number[:1])
    assert int(names.kind[pair[0]]) == BOLD_NAME


@pytest.mark.parametrize("title", TITLES)
def test_a_title_is_as_like_itself_as_can_be(title: str) -> None:
    names = learned({title: "Nothing."}).knowledge.names
    best = float(names.likeness.max())
    assert best == pytest.approx(1.0)


@given(wikis())
@settings(max_examples=15, deadline=None)
def test_words_are_counted_once_per_page(drafts: dict[str, Draft]) -> None:
    counts, expected = NameCounts(), Counter()
    for title, text in texts_of(drafts).items():
        page = page_of(text, title)
        counts.add(page)
        expected.update({word.lower() for word in words(page)})
    assert counts.words == expected
