"""From candidates to proposals: overlaps, limits, order, and one page alone as in a run over all."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.linker.wikis import Wiki, learned, page_of
from wikibot import engine
from wikibot.engine import map_pages
from wikibot.linker.fallback import Fallback
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.page import Page
from wikibot.linker.policy import Policy
from wikibot.linker.ranker import Ranker
from wikibot.linker.score import (
    DECIDED,
    LEAST_ROOM,
    LIMIT,
    NOT_ASKED,
    OVERLAP,
    UNLIKELY,
    Proposal,
    missing_share,
    priority,
    room_for_links,
    score_candidates,
    score_page,
)
from wikibot.never_list import NeverList

EVERYTHING = Policy(min_probability=0.0, is_draft=True)


def score(page: Page, wiki: Wiki, ranker: Ranker, policy: Policy = EVERYTHING) -> list[Proposal]:
    return score_page(page, wiki.knowledge, ranker, policy)


def test_a_page_scored_alone_is_the_page_scored_in_a_run(
    topic_wiki: Wiki, topic_ranker: Ranker
) -> None:
    run = [score(page, topic_wiki, topic_ranker) for page in topic_wiki.pages]
    backwards = [score(page, topic_wiki, topic_ranker) for page in reversed(topic_wiki.pages)]
    assert run == backwards[::-1]
    packed = Page.unpacked(topic_wiki.pages[8].packed())
    assert score(packed, topic_wiki, topic_ranker) == run[8]
    assert sum(map(len, run)) > 60


def test_a_run_in_processes_gives_the_same_proposals(
    topic_wiki: Wiki, topic_ranker: Ranker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "WORTH_PROCESSES_ITEMS", 10)
    ask = partial(score, wiki=topic_wiki, ranker=topic_ranker)
    loop = list(map_pages(ask, topic_wiki.pages, processes=1))
    assert list(map_pages(ask, topic_wiki.pages, processes=2)) == loop
    assert loop == [ask(page) for page in topic_wiki.pages]


def test_a_draft_is_scored_without_being_known(town_wiki: Wiki, town_ranker: Ranker) -> None:
    text = "A new page on the lake of Village Durvel."
    found = score(page_of(text, "Draft"), town_wiki, town_ranker)
    assert [(one.target, text[one.start : one.end]) for one in found] == [
        ("Village Durvel", "Village Durvel")
    ]


def test_the_most_likely_proposal_comes_first(town_wiki: Wiki, town_ranker: Ranker) -> None:
    for page in town_wiki.pages[:20]:
        chances = [one.probability for one in score(page.hide(), town_wiki, town_ranker)]
        assert chances == sorted(chances, reverse=True)


def test_each_target_is_proposed_once_and_no_places_overlap(
    town_wiki: Wiki, town_ranker: Ranker
) -> None:
    for page in town_wiki.pages[:20]:
        found = score(page.hide(), town_wiki, town_ranker)
        targets = [one.target for one in found]
        assert len(set(targets)) == len(targets)
        taken = [word for one in found for word in range(one.first, one.first + one.length)]
        assert len(set(taken)) == len(taken)


def test_places_of_proposals_are_those_of_the_wikitext() -> None:
    wiki = learned({"Sea": "x", "Lake": "y"})
    text = "The [[Lake|big lake]] and [[Nowhere]] and ''the'' sea."
    (found,) = score_page(page_of(text, "Draft"), wiki.knowledge, Fallback(), EVERYTHING)
    assert (found.target, text[found.start : found.end]) == ("Sea", "sea")


def test_a_full_stop_that_belongs_to_the_name_is_part_of_the_link() -> None:
    wiki = learned({"Sold Inc.": "x", "Sea": "y"})
    text = "He led Sold Inc. until the sea. Then left."
    found = score_page(page_of(text, "Draft"), wiki.knowledge, Fallback(), EVERYTHING)
    assert {one.target: text[one.start : one.end] for one in found} == {
        "Sold Inc.": "Sold Inc.",
        "Sea": "sea",
    }


CITIES = {"New York": "x", "York": "y", "York City": "z"}


def refusals(
    text: str, wiki: Wiki, policy: Policy = EVERYTHING, ranker: Ranker | Fallback | None = None
) -> dict[str, str]:
    """What became of each target."""
    scored = score_candidates(page_of(text, "Draft"), wiki.knowledge, ranker or Fallback(), policy)
    titles = wiki.knowledge.titles.titles
    targets = [titles[target] for target in scored.rows.target[scored.row].tolist()]
    return dict(zip(targets, scored.refused, strict=True))


def test_of_overlapping_places_the_more_probable_one_wins() -> None:
    wiki = learned(CITIES)
    found = refusals("In New York City we sat.", wiki)
    assert sorted(found.values()) == ["", OVERLAP, OVERLAP]
    assert found["York"] == OVERLAP
    assert refusals("At York, in New York, by York City.", wiki) == dict.fromkeys(CITIES, "")


def test_a_target_whose_best_place_is_taken_gets_its_next_free_mention() -> None:
    wiki = learned(CITIES)
    page = page_of("We sat in New York City. Later we went to York by train.", "Draft")
    scored = score_candidates(page, wiki.knowledge, Fallback(), EVERYTHING)
    titles = [wiki.knowledge.titles.titles[n] for n in scored.rows.target[scored.row].tolist()]
    places = dict(zip(titles, scored.rows.first[scored.row].tolist(), strict=True))
    found = dict(zip(titles, scored.refused, strict=True))
    assert found["York"] == ""
    assert page.word(places["York"]) == "York"
    assert page.word(places["York"] - 1) == "to"


def test_a_target_refused_for_an_overlap_names_the_one_in_its_place() -> None:
    wiki = learned(CITIES)
    page = page_of("In New York City we sat.", "Draft")
    scored = score_candidates(page, wiki.knowledge, Fallback(), EVERYTHING)
    for group, why in enumerate(scored.refused):
        assert (scored.rival[group] >= 0) == (why == OVERLAP)
        if why == OVERLAP:
            assert scored.refused[scored.rival[group]] == ""


@given(st.lists(st.sampled_from(["New", "York", "City", "and", "by."]), min_size=1, max_size=14))
@settings(max_examples=60, deadline=None)
def test_a_target_is_refused_for_an_overlap_only_where_no_mention_is_free(
    city_wiki: Wiki, said: list[str]
) -> None:
    page = page_of(" ".join(said), "Draft")
    scored = score_candidates(page, city_wiki.knowledge, Fallback(), EVERYTHING)
    rows, taken = scored.rows, set()
    for group, why in enumerate(scored.refused):
        if why == "":
            row = scored.row[group]
            taken |= set(range(rows.first[row], rows.first[row] + rows.length[row]))
    for row, group in enumerate(rows.group.tolist()):
        words = set(range(rows.first[row], rows.first[row] + rows.length[row]))
        if scored.refused[group] == OVERLAP and not scored.broken[row]:
            assert words & taken


@pytest.fixture(scope="module")
def city_wiki() -> Wiki:
    return learned(CITIES)


def test_every_candidate_has_the_rule_that_it_breaks() -> None:
    wiki = learned({"Sea": "x"})
    page = page_of("The deep-sea boat and the sea.", "Draft")
    scored = score_candidates(page, wiki.knowledge, Fallback(), EVERYTHING)
    assert scored.broken == ("compound", "")


def test_what_is_less_likely_than_asked_is_refused() -> None:
    wiki = learned(CITIES)
    assert refusals("By York.", wiki, Policy(min_probability=0.9)) == {"York": UNLIKELY}
    assert refusals("By York.", wiki, Policy(min_probability=0.0)) == {"York": ""}


def test_what_people_decided_and_what_was_not_asked_is_refused() -> None:
    wiki = learned({"Sea": "x", "Lake": "y", "Hill": "z"})
    text = "The sea, the lake and the hill."
    policy = replace(EVERYTHING, decided=frozenset({"Sea"}), targets=frozenset({"Sea", "Lake"}))
    assert refusals(text, wiki, policy) == {"Sea": DECIDED, "Lake": "", "Hill": NOT_ASKED}


def test_a_rule_of_the_policy_is_named_before_anything_else() -> None:
    wiki = learned({"Sea": "x", "Lake": "y"})
    policy = Policy(min_probability=0.99, never=NeverList(targets=frozenset({"Sea"})))
    assert refusals("The sea and the lake.", wiki, policy) == {
        "Sea": "never-list",
        "Lake": UNLIKELY,
    }


def test_a_mention_that_the_rules_allow_is_taken_instead_of_one_they_refuse() -> None:
    wiki = learned({"Sea": "x"})
    page = page_of("The deep-sea boat and the sea.", "Draft")
    scored = score_candidates(page, wiki.knowledge, Fallback(), EVERYTHING)
    assert scored.refused == ("",)
    assert int(scored.rows.first[scored.row[0]]) == 6


@pytest.fixture(scope="module")
def lettered() -> Wiki:
    """Thirty pages whose names are proposed on any page, and links that show how many are usual."""
    names = [f"Name{n}x" for n in range(30)]
    texts = dict.fromkeys(names, "text")
    texts |= {
        "Dense": "[[Name0x]] [[Name1x]] [[Name2x]] [[Name3x]] [[Name4x]] [[Name5x]]" + " word" * 94
    }
    return learned(texts)


def words_with(names: int, words: int) -> str:
    return " and ".join(f"Name{n}x" for n in range(names)) + " word" * (words - 2 * names + 1)


def test_a_page_may_get_what_pages_of_its_length_have_less_its_links(lettered: Wiki) -> None:
    most = lettered.knowledge.most_links(100)
    assert most == pytest.approx(6)  # the densest page has 6 links in 100 words
    bare, linked = (
        page_of("word " * 100),
        page_of("[[Name0x]] [[Name1x]] [[Nowhere]]" + " word" * 97),
    )
    assert room_for_links(bare, lettered.knowledge, Policy()) == 6
    assert room_for_links(linked, lettered.knowledge, Policy()) == 4


def test_any_page_may_get_a_few(lettered: Wiki) -> None:
    full = page_of(" ".join(f"[[Name{n}x]]" for n in range(20)) + " word" * 80)
    assert room_for_links(full, lettered.knowledge, Policy()) == LEAST_ROOM


@given(st.integers(0, 40), st.integers(0, 400), st.integers(1, 500))
@settings(max_examples=40, deadline=None)
def test_settings_only_narrow_the_limit(
    lettered: Wiki, per_page: int, words_per_link: int, length: int
) -> None:
    page = page_of("word " * length)
    usual = room_for_links(page, lettered.knowledge, Policy())
    policy = Policy(per_page=per_page, words_per_link=words_per_link)
    room = room_for_links(page, lettered.knowledge, policy)
    assert 1 <= room <= usual
    assert not per_page or room <= per_page
    assert not words_per_link or room <= max(1, length // words_per_link)


def kept(text: str, wiki: Wiki, policy: Policy) -> int:
    found = refusals(text, wiki, policy)
    assert set(found.values()) <= {"", LIMIT}
    return sum(why == "" for why in found.values())


def test_no_more_is_proposed_than_there_is_room_for(lettered: Wiki) -> None:
    text, any_chance = words_with(20, 100), Policy(min_probability=0.0)
    assert kept(text, lettered, any_chance) == 6
    assert kept(text, lettered, replace(any_chance, per_page=2)) == 2
    assert kept(text, lettered, replace(any_chance, words_per_link=50)) == 2
    assert kept(text, lettered, replace(any_chance, per_page=25)) == 6


def test_a_draft_gets_every_link_that_passes(lettered: Wiki) -> None:
    assert kept(words_with(20, 100), lettered, EVERYTHING) == 20


def test_a_paragraph_gets_no_more_than_its_share(lettered: Wiki) -> None:
    text = "Name0x and Name1x and Name2x\n\nName3x and Name4x" + " word" * 90
    policy = Policy(min_probability=0.0, per_paragraph=1)
    assert kept(text, lettered, policy) == 2
    assert kept(text, lettered, replace(policy, per_paragraph=2)) == 4


def test_a_page_lacks_what_is_usual_for_its_length(lettered: Wiki) -> None:
    knowledge = lettered.knowledge
    usual = 100 / 130 * 6  # links per word: 6 in 100 words of one page and 30 of the others
    assert missing_share(page_of("word " * 100), knowledge) == 1
    assert missing_share(page_of("[[Sea]]" + " word" * 99), knowledge) == pytest.approx(
        1 - 1 / usual
    )
    assert missing_share(page_of("[[Sea]] " * 50), knowledge) == 0


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_tenths_of_probability_come_first_then_tenths_of_need(
    a: float, b: float, x: float, y: float
) -> None:
    assert 0 <= priority(a, x) <= 1
    if int(min(a, 0.9999) * 10) > int(min(b, 0.9999) * 10) or (
        int(min(a, 0.9999) * 10) == int(min(b, 0.9999) * 10)
        and int(min(x, 0.99) * 10) > int(min(y, 0.99) * 10)
    ):
        assert priority(a, x) >= priority(b, y)


def test_within_one_tenth_the_page_in_need_comes_first() -> None:
    assert priority(0.81, 0.9) > priority(0.89, 0.1)
    assert priority(0.91, 0.0) > priority(0.89, 1.0)
    assert priority(0.85, 0.5) > priority(0.82, 0.5)


def test_an_empty_page_gets_nothing(town_wiki: Wiki, town_ranker: Ranker) -> None:
    for text in ("", "Nothing known here.", "{{x}}"):
        assert score(page_of(text, "Draft"), town_wiki, town_ranker) == []


def test_by_section_a_target_may_be_proposed_again() -> None:
    wiki = learned({"Sea": "x"})
    text = "The [[sea]] is deep.\n\n== Past ==\nThe sea was deep."
    assert refusals(text, wiki) == {}
    assert refusals(text, wiki, replace(EVERYTHING, scope="section")) == {"Sea": ""}


def test_every_proposal_says_why(town_wiki: Wiki, town_ranker: Ranker) -> None:
    found = [
        one for page in town_wiki.pages[:10] for one in score(page.hide(), town_wiki, town_ranker)
    ]
    assert found
    assert all(one.reasons and 0 <= one.probability <= 1 for one in found)
    fallback = score_page(town_wiki.pages[0].hide(), town_wiki.knowledge, Fallback(), EVERYTHING)
    assert {one.reasons[0]["id"] for one in fallback} == {"few-links"}


def test_knowledge_is_left_as_it_was(town_wiki: Wiki, town_ranker: Ranker) -> None:
    knowledge: Knowledge = town_wiki.knowledge
    before = knowledge.counts.name_mentions.copy()
    score(town_wiki.pages[0], town_wiki, town_ranker)
    assert np.array_equal(knowledge.counts.name_mentions, before)
