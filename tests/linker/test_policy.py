"""Each rule refuses what it must and allows what is nearly the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.linker.wikis import Wiki, learned, page_of
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.page import Page
from wikibot.linker.policy import (
    BY_NAME,
    FEW_LINKS,
    RULES,
    Habits,
    Places,
    Policy,
    habits_of,
    refused_by,
)
from wikibot.never_list import NeverList

NO_HABITS, PLAIN = Habits(), Policy()
ALL_HABITS = Habits(in_quotations=True, beside_links=True, in_compounds=True, in_preformatted=True)


def places(
    page: Page,
    anchor: str,
    target: str = "Thor",
    *,
    habits: Habits = NO_HABITS,
    unclear: bool = False,
) -> Places:
    """The first place where these words, between spaces, stand on the page."""
    wanted = anchor.split()
    starts = [n for n in range(len(page)) if page.spelled(n, len(wanted)) == wanted]
    assert starts, f"{anchor} is on the page"
    return Places(
        page,
        np.array(starts[:1]),
        np.array([len(wanted)]),
        [target],
        np.array([unclear]),
        "en",
        habits,
    )


def refusal(text: str, anchor: str, policy: Policy = PLAIN, **more: object) -> str:
    """The rule that refuses the words of the text, "" where none does."""
    title = str(more.pop("title", "Page"))
    return refused_by(places(page_of(text, title), anchor, **more), policy)[0]


NEVER = Policy(
    never=NeverList(frozenset({"green lantern"}), frozenset({"Thor"}), frozenset({"Story"}))
)
EXCLUDED = Policy(
    excluded_templates=frozenset({"Draft"}),
    excluded_categories=frozenset({"Secret"}),
    excluded_sections=frozenset({"trivia"}),
)


@pytest.mark.parametrize(
    ("rule", "refused", "allowed"),
    [
        ("never-list", ("See Thor now.", "Thor", NEVER), ("See Loki now.", "Loki", NEVER)),
        ("excluded", ("{{Draft}} See Thor now.", "Thor", EXCLUDED), ("{{Drafts}} See Thor now.", "Thor", EXCLUDED)),
        ("excluded", ("See Thor. [[Category:Secret]]", "Thor", EXCLUDED), ("See Thor. [[Category:Open]]", "Thor", EXCLUDED)),
        ("excluded-section", ("x\n\n== Trivia ==\nSee Thor.", "Thor", EXCLUDED), ("x\n\n== Trivial ==\nSee Thor.", "Thor", EXCLUDED)),
        ("excluded-section", ("x\n\n== Trivia ==\ny\n\n=== Old ===\nThor.", "Thor", EXCLUDED), ("x\n\n== Trivia ==\ny\n\n== Old ==\nThor.", "Thor", EXCLUDED)),
        ("excluded-section", ("x\n\n=== Trivia ===\nThor.", "Thor", EXCLUDED), ("Thor.\n\n== Trivia ==\nx", "Thor", EXCLUDED)),
        ("plain-text", ("The Green ''Lantern'' shone.", "Green Lantern"), ("The ''Green Lantern'' shone.", "Green Lantern")),
        ("plain-text", ("The Green. Lantern oil.", "Green Lantern"), ("The Green Lantern oil.", "Green Lantern")),
        ("plain-text", ("The Green (Lantern oil).", "Green Lantern"), ("The (Green Lantern oil).", "Green Lantern")),
        ("plain-text", ("The (Green) Lantern oil.", "Green Lantern"), ("The Green Lantern (oil).", "Green Lantern")),
        ("plain-text", ("The oil (of Green) Lantern Men.", "Green Lantern Men"), ("The (oil) Green Lantern Men.", "Green Lantern Men")),
        ("plain-text", ('The Green "Lantern" oil.', "Green Lantern"), ("The 'Green Lantern' oil.", "Green Lantern")),
        ("plain-text", ("Old.\n\n== A ==\nThe Green '''Lantern''' oil.", "Green Lantern"), ("Old.\n\n== A ==\nThe '''Green Lantern''' oil.", "Green Lantern")),
        ("beside-link", ("The [[god]] Thor came.", "Thor"), ("The [[god]], Thor, came.", "Thor")),
        ("beside-link", ("The Thor [[god]] came.", "Thor"), ("The Thor ([[god]]) came.", "Thor")),
        ("compound", ("The Thor-like one.", "Thor"), ("The Thor like one.", "Thor")),
        ("compound", ("The non-Thor one.", "Thor"), ("The non Thor one.", "Thor")),
        ("compound", ("It is Odin's sea.", "s"), ("It is Odin, s and t.", "s")),
        ("possessive", ("The Green Lantern's oil.", "Lantern s"), ("The Green Lantern's oil.", "Green Lantern")),
        ("own-name", ("See the page here.", "page"), ("See the pages here.", "pages")),
        ("own-name", ("'''It''' or '''Thor''' is here. See Thor.", "Thor"), ("'''It''' is here. See Thor.", "Thor")),
        ("own-name", ("'''Mighty Thor of Asgard''' came. See the mighty Thor of Asgard.", "Thor"), ("'''Mighty Thor of Asgard''' came. See Thor.", "Thor")),
        ("linked-words", ("The [[god|Thor]] came. See THOR.", "THOR"), ("The [[god|Thor]] came. See Thor now.", "Thor now")),
        ("linked-words", ("Text.\n\n== [[Nowhere|Thor]] ==\nSee Thor.", "Thor"), ("Text.\n\n== Thor ==\nSee Thor.", "Thor")),
        ("quotation", ('He said "Thor is here" then.', "Thor"), ('He read "Thor" then.', "Thor")),
    ],
)  # fmt: skip
def test_a_rule_refuses_one_case_and_allows_the_one_beside_it(rule, refused, allowed) -> None:
    assert refusal(*refused) == rule
    assert refusal(*allowed, target="Loki") == ""


def test_a_title_that_differs_in_letter_case_alone_is_the_page_itself() -> None:
    assert (
        refusal("See range here.", "range", title="Range Voting", target="Range voting")
        == "own-name"
    )
    assert refusal("See range here.", "range", title="Range Voting", target="Range") == ""


def test_words_that_are_linked_in_another_section_may_be_linked_again_where_sections_count() -> (
    None
):
    text = "The [[god|Thor]] came.\n\n== Later ==\nSee Thor."
    assert refusal(text, "Thor") == "linked-words"
    assert refusal(text, "Thor", Policy(scope="section")) == ""


def test_a_disambiguation_page_is_not_a_target() -> None:
    assert refusal("See Thor now.", "Thor", unclear=True) == "disambiguation"
    assert refusal("See Thor now.", "Thor", unclear=False) == ""


@pytest.mark.parametrize("anchor", ["Green Lantern", "GREEN lantern"])
def test_words_on_the_never_list_are_refused_in_any_case(anchor: str) -> None:
    assert refusal(f"The {anchor} shone.", anchor, NEVER, target="Loki") == "never-list"
    assert refusal(f"The {anchor} oil shone.", f"{anchor} oil", NEVER, target="Loki") == ""


def test_a_page_on_the_never_list_gets_nothing() -> None:
    assert refusal("The sea.", "sea", NEVER, target="Sea", title="Story") == "never-list"
    assert refusal("The sea.", "sea", NEVER, target="Sea", title="Stories") == ""


def test_a_target_on_the_never_list_is_refused_by_any_name() -> None:
    assert refusal("The Thunderer came.", "Thunderer", NEVER, target="Thor") == "never-list"
    assert refusal("The Thunderer came.", "Thunderer", NEVER, target="Loki") == ""


def test_the_title_without_its_brackets_is_the_pages_own_name() -> None:
    assert refusal("The jinx came.", "jinx", title="Jinx (comics)") == "own-name"
    assert refusal("The jinxes came.", "jinxes", title="Jinx (comics)") == ""


@pytest.mark.parametrize(
    ("text", "anchor", "habit"),
    [
        ("The [[god]] Thor came.", "Thor", "beside_links"),
        ("The Thor-like one.", "Thor", "in_compounds"),
        ('He said "Thor is here" then.', "Thor", "in_quotations"),
        ("Text.\n See Thor.", "Thor", "in_preformatted"),
    ],
)
def test_a_habit_of_the_wiki_allows_what_others_refuse(text: str, anchor: str, habit: str) -> None:
    assert refusal(text, anchor) != ""
    assert refusal(text, anchor, habits=Habits(**{habit: True})) == ""
    assert refusal(text, anchor, habits=replace(ALL_HABITS, **{habit: False})) != ""


@pytest.mark.parametrize(
    ("text", "anchor", "policy"),
    [
        ("See Thor now.", "Thor", NEVER),
        ("The page here.", "page", Policy()),
        ("The Green ''Lantern'' shone.", "Green Lantern", Policy()),
    ],
)
def test_no_habit_allows_what_the_other_rules_refuse(
    text: str, anchor: str, policy: Policy
) -> None:
    assert refusal(text, anchor, policy, habits=ALL_HABITS) != ""


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_a_rule_that_is_off_refuses_nothing(name: str) -> None:
    text, anchor, policy, more = {
        "never-list": ("See Thor now.", "Thor", NEVER, {}),
        "excluded": ("{{Draft}} See Thor.", "Thor", EXCLUDED, {}),
        "excluded-section": ("x\n\n== Trivia ==\nSee Thor.", "Thor", EXCLUDED, {}),
        "disambiguation": ("See Thor.", "Thor", Policy(), {"unclear": True}),
        "plain-text": ("A Green ''Lantern''.", "Green Lantern", Policy(), {}),
        "beside-link": ("The [[god]] Thor.", "Thor", Policy(), {}),
        "compound": ("A Thor-like one.", "Thor", Policy(), {}),
        "possessive": ("A Lantern's oil.", "Lantern s", Policy(), {}),
        "own-name": ("A page here.", "page", Policy(), {}),
        "linked-words": ("The [[god|Thor]] came. See Thor.", "Thor", Policy(), {}),
        "quotation": ('He said "Thor is here" then.', "Thor", Policy(), {}),
        "preformatted": ("Text.\n See Thor.", "Thor", Policy(), {}),
    }[name]
    assert refusal(text, anchor, policy, **more) == name
    assert refusal(text, anchor, replace(policy, off=frozenset({name})), **more) != name


def test_the_first_rule_that_refuses_is_named() -> None:
    text = "The [[god]] page-like."
    assert refusal(text, "page") == "beside-link"
    assert refusal(text, "page", Policy(off=frozenset({"beside-link"}))) == "compound"
    assert refusal(text, "page", Policy(off=frozenset({"beside-link", "compound"}))) == "own-name"


def test_every_rule_has_a_name_of_its_own_and_says_why() -> None:
    assert len(BY_NAME) == len(RULES) == 12
    assert all(rule.says for rule in RULES)


def with_habits(knowledge: Knowledge, places: list[int], habits: list[int]) -> Knowledge:
    counts = replace(knowledge.counts, mention_places=np.array(places), habits=np.array(habits))
    return replace(knowledge, counts=counts)


@pytest.fixture(scope="module")
def wiki() -> Wiki:
    return learned({"Thor": "x", "P": "By [[Thor]]."})


@pytest.mark.parametrize(
    ("habits", "expected"),
    [
        ([1000, 100, 0], (True, False)),
        ([1000, 30, 100], (False, True)),
        ([1000, 54, 54], (False, False)),
        ([1000, 55, 55], (True, True)),
        ([10, 5, 5], (False, False)),  # too few links to show a habit
        ([FEW_LINKS, 2 * FEW_LINKS, 0], (True, False)),
    ],
)
def test_habits_are_what_a_good_share_of_links_do(
    wiki: Wiki, habits: list[int], expected: tuple
) -> None:
    found = habits_of(with_habits(wiki.knowledge, [0] * 6, habits))
    assert (found.beside_links, found.in_compounds) == expected


@pytest.mark.parametrize(
    ("quotations", "expected"),
    [
        ([1000, 500, 100, 50], True),  # linked in quotations as elsewhere
        ([1000, 500, 100, 14], True),
        ([1000, 500, 100, 5], False),
        ([1000, 500, 100, 0], False),
        ([0, 0, 0, 0], False),
        ([1000, 0, 100, 0], False),
    ],
)
def test_a_wiki_links_in_quotations_if_it_does_so_often_enough(
    wiki: Wiki, quotations: list[int], expected: bool
) -> None:
    found = habits_of(with_habits(wiki.knowledge, [*quotations, 0, 0], [0, 0, 0]))
    assert found.in_quotations is expected


@pytest.mark.parametrize(
    ("preformatted", "expected"),
    [
        ([100, 50], True),  # linked there as elsewhere
        ([100, 14], True),
        ([100, 13], False),
        ([2, 2], True),
        ([1, 1], False),  # too few mentions to show a habit
        ([0, 0], False),
    ],
)
def test_a_wiki_links_in_preformatted_lines_only_if_its_links_show_it(
    wiki: Wiki, preformatted: list[int], expected: bool
) -> None:
    found = habits_of(with_habits(wiki.knowledge, [1000, 500, 0, 0, *preformatted], [0, 0, 0]))
    assert found.in_preformatted is expected


def test_candidates_are_places(wiki: Wiki) -> None:
    page = page_of("Then Thor and Thor came.", "Draft")
    found = Places.of(page, wiki.rows(page), wiki.knowledge)
    assert (found.first.tolist(), found.last.tolist()) == ([1, 3], [1, 3])
    assert list(found.targets) == ["Thor", "Thor"]
    assert refused_by(found, Policy()) == ["", ""]
