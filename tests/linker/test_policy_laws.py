"""The policy as a whole, on pages made by chance: rules by their order, switches and habits."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.linker.wikis import page_of
from wikibot.linker.page import Page
from wikibot.linker.policy import BY_NAME, RULES, Habits, Places, Policy, refused_by
from wikibot.never_list import NeverList

laws = settings(max_examples=40, deadline=None)
PIECES = st.sampled_from(
    ["Thor", "[[Sea]]", "Loki", "''Thor''", "'''Hero'''", '"Thor is here"', "Loki's", "Thor-like", "(Loki)",
     "the", "old.", "New", "well-known", '"Loki"', "[[Sea|Thor]]", "Thor (Loki)"]
)  # fmt: skip
STARTS = st.sampled_from(["", "", "* ", " ", "== Plot ==\n", "=== Past ===\n"])
TEXTS = st.lists(
    st.tuples(STARTS, st.lists(PIECES, min_size=1, max_size=6)), min_size=1, max_size=4
).map(lambda blocks: "\n\n".join(start + " ".join(pieces) for start, pieces in blocks))
POLICIES = st.builds(
    Policy,
    never=st.sampled_from([NeverList(), NeverList(words=frozenset({"loki"})), NeverList(targets=frozenset({"Thor"}))]),
    excluded_sections=st.sampled_from([frozenset(), frozenset({"plot"})]),
)  # fmt: skip
HABITS = st.builds(Habits, st.booleans(), st.booleans(), st.booleans(), st.booleans())
NAMES = sorted(BY_NAME)


NO_HABITS = Habits()


def places_on(page: Page, habits: Habits = NO_HABITS) -> Places:
    """Every run of one or two words, each as a mention of the page that it may name."""
    runs = [(n, k) for n in range(len(page)) for k in (1, 2) if n + k <= len(page)]
    first = np.array([n for n, _ in runs], dtype=np.int64)
    length = np.array([k for _, k in runs], dtype=np.int64)
    targets = [page.spelled(n, k)[0].capitalize() for n, k in runs]
    return Places(page, first, length, targets, np.zeros(len(runs), dtype=bool), "en", habits)


@given(TEXTS, POLICIES, HABITS)
@laws
def test_the_rule_that_is_named_is_the_first_that_refuses(
    text: str, policy: Policy, habits: Habits
) -> None:
    places = places_on(page_of(text, "Hero"), habits)
    alone = {rule.name: rule.refuses(places, policy) for rule in RULES}
    for at, name in enumerate(refused_by(places, policy)):
        refusing = [rule.name for rule in RULES if alone[rule.name][at]]
        assert name == (refusing[0] if refusing else "")


@given(TEXTS, POLICIES, st.sets(st.sampled_from(NAMES)))
@laws
def test_rules_that_are_off_are_never_named_and_others_refuse_as_before(
    text: str, policy: Policy, off: set[str]
) -> None:
    places = places_on(page_of(text, "Hero"))
    before = refused_by(places, policy)
    after = refused_by(places, replace(policy, off=frozenset(off)))
    for was, now in zip(before, after, strict=True):
        assert now not in off
        if was not in off:
            assert now == was
        elif now:
            assert list(BY_NAME).index(now) > list(BY_NAME).index(was)


@given(TEXTS, POLICIES)
@laws
def test_with_every_rule_off_nothing_is_refused(text: str, policy: Policy) -> None:
    places = places_on(page_of(text, "Hero"))
    assert not any(refused_by(places, replace(policy, off=frozenset(BY_NAME))))


@given(TEXTS, POLICIES, HABITS)
@laws
def test_a_habit_of_the_wiki_only_ever_allows(text: str, policy: Policy, habits: Habits) -> None:
    page = page_of(text, "Hero")
    without = refused_by(places_on(page), policy)
    with_habits = refused_by(places_on(page, habits), policy)
    for was, now in zip(without, with_habits, strict=True):
        assert was or not now


@given(TEXTS, POLICIES)
@laws
def test_a_place_is_judged_alone(text: str, policy: Policy) -> None:
    """The same answer whether it is asked about with others or by itself."""
    places = places_on(page_of(text, "Hero"))
    together = refused_by(places, policy)
    for at in range(len(places)):
        one = replace(
            places, first=places.first[at : at + 1], length=places.length[at : at + 1],
            targets=places.targets[at : at + 1], is_disambiguation=places.is_disambiguation[at : at + 1],
        )  # fmt: skip
        assert refused_by(one, policy) == together[at : at + 1]


@given(TEXTS)
@laws
def test_what_is_allowed_stands_whole_in_one_line_without_markup(text: str) -> None:
    page = page_of(text, "Hero")
    places = places_on(page)
    for name, first, length in zip(refused_by(places, Policy()), places.first.tolist(), places.length.tolist(), strict=True):  # fmt: skip
        if name or page.covered()[first : first + length].any():
            continue
        start, end = page.place(first, length)
        words = text[start:end]
        assert not re.search(r"'{2,}|\[\[|\]\]|\n", words)
        assert words.count("(") == words.count(")") and words.count('"') % 2 == 0
        assert text[end : end + 1] != "-" and text[start - 1 : start] != "-"
        assert words.lower() != "hero", "what the page is called"


@given(TEXTS, st.sampled_from(["loki", "thor", "the"]))
@laws
def test_words_on_the_never_list_are_refused_in_every_case_and_first(text: str, word: str) -> None:
    policy = Policy(never=NeverList(words=frozenset({word})))
    page = page_of(text, "Hero")
    places = places_on(page)
    for name, first, length in zip(refused_by(places, policy), places.first.tolist(), places.length.tolist(), strict=True):  # fmt: skip
        is_word = length == 1 and page.spelled(first, 1)[0].lower() == word
        assert (name == "never-list") == is_word or length > 1


@given(TEXTS)
@example("== Plot ==\nThor\n\n=== Past ===\nLoki\n\n== New ==\nThor")
@laws
def test_an_excluded_section_reaches_to_the_next_heading_of_its_level(text: str) -> None:
    page = page_of(text, "Hero")
    policy = Policy(excluded_sections=frozenset({"plot"}), off=frozenset(set(BY_NAME) - {"excluded-section"}))  # fmt: skip
    places = places_on(page)
    for name, first in zip(refused_by(places, policy), places.first.tolist(), strict=True):
        start, _ = page.place(first, 1)
        headings = re.findall(r"^(=+) (\w+) =+$", text[:start], re.MULTILINE)
        is_inside = False
        for level, title in headings:
            if len(level) == 2:
                is_inside = title == "Plot"
        assert (name == "excluded-section") == is_inside


@pytest.mark.parametrize("kind", ["template", "category"])
def test_a_page_with_an_excluded_template_or_category_gets_nothing(kind: str) -> None:
    text = "{{Stub}} Thor is here.\n\n[[Category:Gods]]"
    policy = Policy(
        excluded_templates=frozenset({"Stub"} if kind == "template" else ()),
        excluded_categories=frozenset({"Gods"} if kind == "category" else ()),
    )
    found = refused_by(places_on(page_of(text)), policy)
    assert found and set(found) == {"excluded"}
    assert "excluded" not in refused_by(places_on(page_of("Thor is here.")), policy)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Green '''Hero''' Lantern is.", "plain-text"),
        ("Green http://x.example Lantern is.", "plain-text"),
        ("Green [http://x.example here] Lantern is.", "plain-text"),
        ("Green&nbsp;Lantern is.", ""),
        ("Green, Lantern is.", ""),
        ("Green Lantern is.", ""),
    ],
)
def test_a_link_never_reaches_over_words_that_are_no_part_of_it(text: str, name: str) -> None:
    page = page_of(text, "Hero")
    places = places_on(page)
    at = page.spelled(0, len(page)).index("Green")
    chosen = np.flatnonzero((places.first == at) & (places.length == 2))[0]
    assert refused_by(places, Policy())[chosen] == name
