"""Why a target is not proposed: each cause has a case, and none contradicts the scorer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.linker.wikis import ENGLISH, Wiki, learned, page_of, towns
from wikibot.linker.candidates import MANY_MENTIONS
from wikibot.linker.fallback import Fallback
from wikibot.linker.page import Page
from wikibot.linker.policy import BY_NAME, Policy
from wikibot.linker.ranker import Ranker
from wikibot.linker.score import LIMIT, OVERLAP, UNLIKELY, score_candidates, score_page
from wikibot.linker.why import (
    INSIDE_LINK,
    LINKED,
    NO_NAME,
    NO_PLACE,
    ONLY_HERE,
    SELDOM_LINKED,
    Finding,
    find_cause,
)
from wikibot.never_list import NeverList
from wikibot.wikitext.page import OBSTACLES

ANY_CHANCE = Policy(min_probability=0.0)
SEA = learned({"Sea": "'''Sea''' or '''the Main''' is water.", "Lake": "y", "Sea lion": "z", "Hill": "x"},
              {"Ocean": "Sea"})  # fmt: skip


def why(text: str, target: str = "Sea", policy: Policy = ANY_CHANCE, wiki: Wiki = SEA, ranker: Ranker | Fallback | None = None) -> Finding:  # fmt: skip
    """What became of a target on a page with this text."""
    ranker, rules = ranker or Fallback(), replace(ENGLISH, link_scope=policy.scope)
    page = page_of(text, "Draft", rules)
    scored = score_candidates(page, wiki.knowledge, ranker, policy)
    return find_cause(text, rules, scored, wiki.number(target), wiki.knowledge, ranker)


def words(text: str, found: Finding) -> list[str]:
    return [text[place.start : place.end] for place in found.places]


def test_a_proposed_target_has_no_cause_and_says_where_and_how_likely() -> None:
    text = "We saw it. The sea is deep. It ends."
    found = why(text)
    assert found.cause == ""
    assert words(text, found) == ["sea"]
    place = found.places[0]
    assert text[place.first : place.last] == "The sea is deep."
    assert found.probability is not None and 0 < found.probability < 1
    assert [one["id"] for one in found.reasons] == ["few-links", "is-title"]


RULES = {
    "never-list": ("The sea is deep.", Policy(0.0, never=NeverList(targets=frozenset({"Sea"})))),
    "excluded": ("{{Draft}} The sea is deep.", Policy(0.0, excluded_templates=frozenset({"Draft"}))),
    "excluded-section": ("x\n\n== Past ==\nThe sea.", Policy(0.0, excluded_sections=frozenset({"past"}))),
    "plain-text": ("The ''sea'' lion.", ANY_CHANCE),
    "beside-link": ("The [[Lake]] sea is deep.", ANY_CHANCE),
    "compound": ("The sea-like lake.", ANY_CHANCE),
    "own-name": ("'''It''' or '''sea''' is here.\n\n== Past ==\nThe sea.", ANY_CHANCE),
    "linked-words": ("The [[Lake|sea]] and the sea.", ANY_CHANCE),
    "quotation": ('He said "the sea is deep" then.', ANY_CHANCE),
    "preformatted": ("Text.\n The sea is deep.", ANY_CHANCE),
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_that_refuses_every_mention_is_the_cause(rule: str) -> None:
    text, policy = RULES[rule]
    target = "Sea lion" if rule == "plain-text" else "Sea"
    found = why(text, target, policy)
    assert found.cause == rule
    assert found.places[0].against == rule
    assert found.probability is not None
    assert why(text, target, replace(policy, off=frozenset({rule}))).cause == ""


def test_every_rule_has_a_case_here_or_never_refuses_a_candidate() -> None:
    """Disambiguation pages have no names, and the ending of a possessive is part of none."""
    assert RULES.keys() | {"disambiguation", "possessive"} == BY_NAME.keys()


def test_the_telling_mention_comes_first_and_the_others_keep_their_rules() -> None:
    text = "The deep-sea boat and the sea."
    found = why(text)
    assert (found.cause, [place.against for place in found.places]) == ("", ["", "compound"])


def test_too_low_a_probability_is_the_cause() -> None:
    found = why("The sea is deep.", policy=Policy(min_probability=0.99))
    assert found.cause == UNLIKELY
    assert found.probability is not None and found.probability < 0.99


def test_an_overlap_names_the_target_that_took_the_words() -> None:
    text = "A sea lion came."
    by_target = {target: why(text, target) for target in ("Sea", "Sea lion")}
    (lost,) = [one for one, found in by_target.items() if found.cause == OVERLAP]
    (won,) = by_target.keys() - {lost}
    assert by_target[won].cause == ""
    assert by_target[lost].rival == won


def test_a_limit_is_the_cause_where_others_are_more_likely() -> None:
    text = "The sea lion, the lake, the hill and the sea."
    causes = {t: why(text, t, Policy(0.0, per_page=1)).cause for t in ("Sea", "Lake", "Hill")}
    assert LIMIT in causes.values()
    assert set(causes.values()) <= {LIMIT, ""}


def test_a_target_that_the_page_links_is_linked_already() -> None:
    text = "The [[sea]] is deep. The sea is salt."
    found = why(text)
    assert (found.cause, words(text, found)) == (LINKED, ["sea"])
    assert why(f"{text}\n\n== Past ==\nThe lake.", policy=replace(ANY_CHANCE, scope="section")).cause == LINKED  # fmt: skip
    assert why(f"{text}\n\n== Past ==\nThe sea.", policy=replace(ANY_CHANCE, scope="section")).cause == ""  # fmt: skip


def test_a_redirect_that_is_linked_counts_as_its_target() -> None:
    assert why("The [[ocean]] is deep. The sea is salt.").cause == LINKED


def test_words_inside_another_link_name_that_link() -> None:
    text = "The [[Lake|inland sea]] is deep."
    found = why(text)
    assert (found.cause, found.rival, words(text, found)) == (INSIDE_LINK, "Lake", ["sea"])


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("It is deep.\n\n== The sea ==\nIt is salt.", "heading"),
        ("{| class=wikitable\n| the sea\n|}\nIt is salt.", "table"),
        ("{{Infobox|water=the sea}} It is salt.", "template"),
        ("[[File:A.png|thumb|The sea]] It is salt.", "caption"),
        ("It is salt.<ref>The sea, 1999</ref>", "reference"),
        ("It is salt. <!-- the sea -->", "comment"),
        ("It is salt. [[Category:Sea]]", "category"),
        ("It is salt.\n\n== See also ==\n* the sea", "excluded section"),
        ("See https://sea.example/sea or not.", "external link"),
        ("<nowiki>the sea</nowiki> is salt.", "tag"),
        ("'''Sea''' is salt.", "bold name"),
        ("; The sea\nIt is salt.", "line"),
        ("It is salt {{unclosed the sea", "unclosed"),
    ],
)
def test_a_name_where_no_link_may_stand_says_which_markup_is_around(text: str, place: str) -> None:
    found = why(text)
    assert (found.cause, found.places[0].against) == (NO_PLACE, place)
    assert words(text, found)[0].lower() == "sea"
    assert place in OBSTACLES


def test_a_place_that_readers_see_is_told_before_a_hidden_one() -> None:
    found = why("<!-- the sea --> Salt.\n\n== Sea ==\nx [[Category:Sea]]")
    assert [place.against for place in found.places] == ["heading", "comment", "category"]


@pytest.mark.parametrize("name", ["The main is deep.", "The ocean is deep."])
def test_any_known_name_or_form_is_a_mention(name: str) -> None:
    assert why(name).cause != NO_NAME


def test_a_page_that_does_not_name_the_target_says_so() -> None:
    for text in ("The lake is deep.", "", "{{x}}", "山と川", "123"):
        assert why(text).cause == NO_NAME


def test_a_word_that_hardly_anybody_links_says_how_many_do() -> None:
    pages = {f"Page {n}": "They sat by water." for n in range(MANY_MENTIONS - 1)}
    sea = {"Sea": "The '''sea''' or '''water''' is salt."}
    wiki = learned(pages | sea | {"Tale": "They sat by water."})
    text = "They swam in water."
    found = why(text, wiki=wiki)
    assert (found.cause, words(text, found)) == (SELDOM_LINKED, ["water"])
    assert (found.links, found.mentions) == (0, MANY_MENTIONS)
    assert why(text, wiki=learned(pages | sea)).cause == ""


def test_an_anchor_of_this_page_alone_says_so() -> None:
    wiki = learned({"Tale": "By [[Sea|water]].\n\n== Past ==\nBy water.", "Sea": "x", "Lake": "y"})
    rules, page = replace(ENGLISH, link_scope="section"), wiki.page("Tale")
    policy = replace(ANY_CHANCE, scope="section")
    scored = score_candidates(page, wiki.knowledge, Fallback(), policy)
    text = "By [[Sea|water]].\n\n== Past ==\nBy water."
    found = find_cause(text, rules, scored, wiki.number("Sea"), wiki.knowledge, Fallback())
    assert found.cause == ONLY_HERE
    assert found.places[0].start == text.rindex("water")


POLICIES = [
    Policy(),
    ANY_CHANCE,
    Policy(0.0, per_page=2, per_paragraph=1),
    Policy(0.2, scope="section", decided=frozenset({"Village Durvel"})),
    Policy(0.0, is_draft=True, never=NeverList(words=frozenset({"village durvel"}))),
]


@pytest.mark.parametrize("policy", POLICIES)
def test_why_never_contradicts_what_is_proposed(
    town_wiki: Wiki, town_ranker: Ranker, policy: Policy
) -> None:
    texts, rules = towns(), replace(ENGLISH, link_scope=policy.scope)
    titles = town_wiki.knowledge.titles.titles
    for page in town_wiki.pages[:6]:
        proposed = {one.target: one for one in score_page(page, town_wiki.knowledge, town_ranker, policy)}  # fmt: skip
        scored = score_candidates(page, town_wiki.knowledge, town_ranker, policy)
        for number, title in enumerate(titles):
            found = find_cause(
                texts[page.title], rules, scored, number, town_wiki.knowledge, town_ranker
            )
            assert (found.cause == "") == (title in proposed), (page.title, title)
            if title in proposed:
                told, one = found.places[0], proposed[title]
                assert (told.start, told.end) == (one.start, one.end)
                assert found.probability == one.probability
                assert list(found.reasons) == one.reasons


@given(st.text(alphabet="sea lionkhi[]{}|='\n<>-", max_size=60))
@settings(max_examples=80, deadline=None)
def test_any_text_has_an_answer_whose_places_are_in_it(text: str) -> None:
    found = why(text)
    for place in found.places:
        assert 0 <= place.first <= place.start < place.end <= place.last <= len(text)
    assert found.places or found.cause == NO_NAME


def test_a_page_as_it_was_packed_has_the_same_answer() -> None:
    text = "The deep-sea boat."
    page = Page.unpacked(page_of(text, "Draft").packed())
    scored = score_candidates(page, SEA.knowledge, Fallback(), ANY_CHANCE)
    found = find_cause(text, ENGLISH, scored, SEA.number("Sea"), SEA.knowledge, Fallback())
    assert found == why(text)
