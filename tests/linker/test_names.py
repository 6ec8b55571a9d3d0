"""Names, their forms, where they are mentioned, and the sums that they come from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.linker.wikis import Wiki, learned, page_of, words
from wikibot.linker.inflection import (
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
    HINT_BITS_PER_NAME,
    INFLECTED,
    LEAST_HINT_BITS,
    MOST_BOLD_NAMES,
    MOST_WORDS,
    REDIRECT,
    SIMILAR,
    STRIPPED,
    TITLE,
    NameCounts,
    Titles,
    anchors_of,
    find_mentions,
    find_names,
    hint_of,
    hint_places,
    key_of,
    link_names,
    names_in_text,
    without_brackets,
    words_of,
)


def kind_of(wiki: Wiki, name: str, target: str) -> int:
    """How the name came to the target, 0 where it did not."""
    names = wiki.knowledge.names
    is_name, number = names.find(np.array([key_of(words_of(name))], dtype=np.uint64))
    if not is_name[0]:
        return 0
    _, pair = names.pairs_of(number)
    here = pair[names.target[pair] == wiki.knowledge.titles.number[target]]
    return int(names.kind[here[0]]) if len(here) else 0


def test_a_rule_is_a_pair_of_endings_with_the_number_of_titles_that_showed_it() -> None:
    pairs = [(("latveja",), ("latvejā",)), (("suomeja",), ("suomejā",)), (("riga",), ("riga",))]
    rules = learn_rules(pairs)
    assert rules["a", "ā"] == 2
    assert rules["ā", "a"] == 1
    assert len(rules) == 2


def test_a_short_common_beginning_teaches_nothing() -> None:
    assert learn_rules([(("abc",), ("abd",))]) == {}


def test_names_of_unequal_length_teach_nothing() -> None:
    assert learn_rules([(("river", "avon"), ("rivers",))]) == {}


def test_forms_come_from_rules_and_must_be_words_of_the_wiki() -> None:
    found = dict(inflection({("a", "ā"): 5.0}, ["vuoceja", "vuocejā"]).variants("vuoceja"))
    assert found["vuocejā"] == 5.0
    assert "vuocej" not in found


def test_a_rule_seen_once_is_not_believed() -> None:
    found = dict(inflection({("a", "ā"): 1.0}, ["katā"]).variants("kata"))
    assert found == {"katā": 1.0}  # by its accents alone
    assert inflection({("a", "um"): 1.0}, ["katum"]).variants("kata") == []


def test_no_rule_makes_a_form_as_certain_as_the_name() -> None:
    found = dict(inflection({("s", "a"): 1000.0}, ["pogosta"]).variants("pogosts"))
    assert found["pogosta"] == STRONGEST < CERTAIN


def test_a_word_is_not_a_form_of_itself() -> None:
    assert inflection({}, ["mountain"]).variants("mountain") == []


def test_a_long_common_beginning_alone_makes_a_weak_form() -> None:
    assert inflection({}, ["asgardians"]).variants("asgardian") == [("asgardians", UNRULED)]
    assert inflection({}, ["asgarxyzuvw"]).variants("asgardian") == []


def test_forms_without_accents_are_found() -> None:
    assert inflection({}, ["kaurismaki"]).variants("kaurismäki") == [("kaurismaki", 1.0)]
    assert plain("ÀÉö") == "AEo"


@pytest.mark.parametrize(
    ("name", "anchor", "expected"),
    [
        (("latveja",), ("latvejā",), True),
        (("new", "latveja"), ("new", "latvejas"), True),
        (("latveja",), ("new", "latveja"), False),
        (("sea",), ("ocean",), False),
    ],
)
def test_forms_differ_in_their_endings_alone(name, anchor, expected) -> None:
    assert is_form_of(name, anchor) is expected


@pytest.mark.parametrize(
    ("title", "name"),
    [("Jinx (comics)", "Jinx"), ("AC/DC", "AC/DC"), ("(I) X", "(I) X"), ("A (b) (c)", "A (b)")],
)
def test_the_bracketed_part_is_not_a_name(title: str, name: str) -> None:
    assert without_brackets(title) == name


def test_words_of_a_name_are_lower_case_and_cut_at_hyphens() -> None:
    assert words_of("Spider-Man's Foe") == ("spider", "man", "s", "foe")


def test_keys_tell_names_apart_by_order_and_number_of_words() -> None:
    keys = {key_of(name) for name in (("a", "b"), ("b", "a"), ("a",), ("a", "b", "a"), ())}
    assert len(keys) == 5
    assert key_of(("Thor",)) == key_of(("thor",))


WIKI = {
    "Jinx (comics)": "'''Jinx''' or '''Lady Luck''' is a character.",
    "Thor": "'''Thor''' is a god. Many [[Asgardian]]s know him.",
    "Asgardian": "An Asgardian lives in Asgard.",
    "Paris, Texas": "A town.",
    "Mercury": "{{disambiguation}} Mercury may be many things.",
    "Story": "Jinx met Lady Luck, the Thunderer, [[Thor|the big one]] and two Asgardians of Paris.",
}
REDIRECTS = {"Thunderer": "Thor", "Donner (god)": "Thunderer", "Loop": "Loop 2", "Loop 2": "Loop"}


@pytest.fixture(scope="module")
def wiki() -> Wiki:
    return learned(WIKI, REDIRECTS)


@pytest.mark.parametrize(
    ("name", "target", "kind"),
    [
        ("Thor", "Thor", TITLE),
        ("Jinx (comics)", "Jinx (comics)", TITLE),
        ("Jinx", "Jinx (comics)", STRIPPED),
        ("Paris", "Paris, Texas", STRIPPED),
        ("Thunderer", "Thor", REDIRECT),
        ("Donner", "Thor", REDIRECT),
        ("Lady Luck", "Jinx (comics)", BOLD_NAME),
        ("the big one", "Thor", ANCHOR),
        ("Asgardians", "Asgardian", ANCHOR),
    ],
)
def test_a_name_knows_how_it_came_to_its_page(
    wiki: Wiki, name: str, target: str, kind: int
) -> None:
    assert kind_of(wiki, name, target) & kind


@pytest.mark.parametrize("name", ["Mercury", "many things", "Loop", "god"])
def test_what_names_no_article_is_not_a_name(wiki: Wiki, name: str) -> None:
    assert not any(kind_of(wiki, name, title) for title in WIKI)


def test_an_unseen_form_of_a_title_is_a_name_by_the_rules_of_other_titles() -> None:
    wiki = learned(
        {
            "Bank": "x", "Road": "x", "Lamp": "x", "Tree": "One tree here.",
            "A": "See [[bank]]s, [[road]]s and [[lamp]]s.", "B": "Two trees stand. Treehouses too.",
        }
    )  # fmt: skip
    assert kind_of(wiki, "trees", "Tree") == INFLECTED
    assert kind_of(wiki, "treehouses", "Tree") == 0


def test_a_form_that_no_rule_explains_is_only_similar() -> None:
    wiki = learned({"Asgardian": "x", "B": "Two Asgardians."})
    assert kind_of(wiki, "asgardians", "Asgardian") == SIMILAR


def test_a_title_of_too_many_words_is_not_a_name() -> None:
    long = " ".join(f"w{n}" for n in range(MOST_WORDS + 1))
    wiki = learned({f"W{long[1:]}": "x", "B": "y"})
    assert kind_of(wiki, long, f"W{long[1:]}") == 0


def test_likeness_is_one_for_the_title_and_small_for_another_word(wiki: Wiki) -> None:
    names, titles = wiki.knowledge.names, wiki.knowledge.titles
    by_key = {int(key): n for n, key in enumerate(names.keys)}
    pair = {
        name: int(names.first[by_key[key_of(words_of(name))]]) for name in ("Thor", "Thunderer")
    }
    assert names.target[pair["Thor"]] == names.target[pair["Thunderer"]] == titles.number["Thor"]
    assert names.likeness[pair["Thor"]] == 1
    # ^thor$ has 4 runs of three letters, ^thunderer$ 9; they share "^th".
    assert names.likeness[pair["Thunderer"]] == pytest.approx(2 * 1 / 13)


def test_redirects_are_followed_to_the_page_where_they_end() -> None:
    titles = Titles.of(["A", "B"], {"C": "D", "D": "B", "E": "F", "A": "B"})
    assert titles.number == {"A": 0, "B": 1, "C": 1, "D": 1}


def test_a_page_that_is_no_part_of_the_wiki_gives_no_name() -> None:
    counts = NameCounts()
    counts.add(page_of("'''X''' is by [[Nobody|some words]].", "Gone"))
    names = find_names(Titles.of(["Here"], {}), counts, [False])
    assert len(names) == 1


def mentioned(wiki: Wiki, text: str) -> list[str]:
    page = page_of(text)
    found = find_mentions(page, wiki.knowledge.names)
    ranges = zip(found.first.tolist(), found.length.tolist(), strict=True)
    return [" ".join(page.spelled(first, length)) for first, length in ranges]


def test_mentions_are_found_in_any_case_and_in_the_order_of_places(wiki: Wiki) -> None:
    assert mentioned(wiki, "LADY luck, thor and Jinx.") == ["LADY luck", "thor", "Jinx"]


def test_overlapping_names_are_all_found() -> None:
    wiki = learned({"New York": "x", "York": "x", "York City": "x"})
    assert mentioned(wiki, "In New York City.") == ["New York", "York", "York City"]


def test_a_name_is_not_found_across_blocks() -> None:
    wiki = learned({"Green Lantern": "x"})
    assert mentioned(wiki, "A Green\n\nLantern. A Green{{x}} Lantern.") == []
    assert mentioned(wiki, "A green ''lantern''.") == ["green lantern"]


def test_a_page_without_words_mentions_nothing(wiki: Wiki) -> None:
    assert mentioned(wiki, "") == []


def test_names_in_plain_text_are_found(wiki: Wiki) -> None:
    found = names_in_text(" ally thor with lady luck ", wiki.knowledge.names)
    assert len(found) == 2


def test_each_link_knows_which_name_its_words_are(wiki: Wiki) -> None:
    page = page_of("See [[Thor|the big one]], [[Thor|nothing such]] and [[Thor]].")
    is_name, name = link_names(page, wiki.knowledge.names)
    assert is_name.tolist() == [True, False, True]
    assert wiki.knowledge.names.keys[name[0]] == key_of(("the", "big", "one"))


def test_anchors_are_in_lower_case_and_each_counts_once() -> None:
    page = page_of("[[Thor]] and [[thor]] and [[Thor|THOR]] and [[Thor|him]].")
    assert anchors_of(page) == {("thor", "Thor"), ("him", "Thor")}


def test_a_page_gives_only_so_many_bold_names() -> None:
    bold = "".join(f" '''Name{n}''' and" for n in range(MOST_BOLD_NAMES + 3))
    counts = NameCounts()
    counts.add(page_of(f"{bold} so on."))
    assert len(counts.bold) <= MOST_BOLD_NAMES


def test_links_of_a_page_may_be_left_out_of_the_sums() -> None:
    page = page_of("The [[sea]] is deep.")
    counts = NameCounts()
    counts.add(page, links=False)
    assert not counts.anchors
    assert set(counts.words) == {word.lower() for word in words(page)}


TEXTS = st.lists(st.sampled_from(["[[Thor]]", "sea", "[[Sea|the deep]]", "'''Odin'''", "Thor"]), max_size=6)  # fmt: skip


def counted(texts: list[list[str]]) -> NameCounts:
    counts = NameCounts()
    for number, text in enumerate(texts):
        counts.add(page_of(" ".join(text), f"P{number}"))
    return counts


@given(st.lists(TEXTS, max_size=3), st.lists(TEXTS, max_size=3))
@settings(max_examples=25, deadline=None)
def test_sums_of_names_can_be_added_and_taken_away(ours: list, theirs: list) -> None:
    x, y = counted(ours), counted(theirs)
    assert x + y == y + x
    assert x + y - y == x
    assert x - x == NameCounts()


@given(st.lists(TEXTS, min_size=1, max_size=4))
@settings(max_examples=25, deadline=None)
def test_a_page_that_is_counted_out_leaves_nothing(texts: list) -> None:
    counts = counted(texts)
    for number, text in enumerate(texts):
        counts.add(page_of(" ".join(text), f"P{number}"), times=-1)
    assert counts + NameCounts() == NameCounts()


def test_keys_that_are_no_names_are_seldom_searched_for_however_many_names_there_are() -> None:
    random = np.random.default_rng(1)
    for size in (10, 50_000):
        keys = np.unique(random.integers(0, 2**64, size, dtype=np.uint64))
        others = random.integers(0, 2**64, 10_000, dtype=np.uint64)
        hint = hint_of(keys)
        assert len(hint) * 8 <= max(2 * LEAST_HINT_BITS, 2 * HINT_BITS_PER_NAME * size)
        byte, bit = hint_places(keys, len(hint))
        assert np.all(hint[byte] & bit)
        byte, bit = hint_places(others, len(hint))
        assert np.count_nonzero(hint[byte] & bit) <= 0.15 * len(others)
