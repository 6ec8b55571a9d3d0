"""Names, their forms, and where they are mentioned."""

from __future__ import annotations

import numpy as np
import pytest
from wikibot.ranking.inflection import STRONGEST, inflection, learn_rules, plain
from wikibot.ranking.mentions import find_mentions
from wikibot.ranking.names import CERTAIN, find_names, without_brackets, words_of

from tests.ranking.small import candidates, found_pairs, make_wiki, studied


def test_a_rule_is_a_pair_of_endings_with_the_number_of_titles_that_showed_it() -> None:
    pairs = [(("latveja",), ("latvejā",)), (("suomeja",), ("suomejā",)), (("riga",), ("riga",))]
    rules = learn_rules(pairs)
    assert rules["a", "ā"] == 2
    assert rules["ā", "a"] == 1
    assert len(rules) == 2


def test_a_short_common_beginning_teaches_nothing() -> None:
    assert learn_rules([(("abc",), ("abd",))]) == {}


def test_forms_come_from_rules_and_must_be_words_of_the_wiki() -> None:
    rules = {("a", "ā"): 5.0}
    found = dict(inflection(rules, ["vuoceja", "vuocejā"]).variants("vuoceja"))
    assert found["vuocejā"] == 5.0
    assert "vuocej" not in found


def test_no_rule_makes_a_form_as_certain_as_the_name() -> None:
    found = dict(inflection({("s", "a"): 1000.0}, ["pogosta"]).variants("pogosts"))
    assert found["pogosta"] == STRONGEST < CERTAIN


def test_forms_without_accents_are_found() -> None:
    assert inflection({}, ["kaurismaki"]).variants("kaurismäki") == [("kaurismaki", 1.0)]
    assert plain("ÀÉö") == "AEo"


@pytest.mark.parametrize(
    ("title", "name"), [("Jinx (comics)", "Jinx"), ("AC/DC", "AC/DC"), ("(I) X", "(I) X")]
)
def test_the_bracketed_part_is_no_name(title: str, name: str) -> None:
    assert without_brackets(title) == name


def test_words_of_a_name_are_lower_case_and_cut_at_hyphens() -> None:
    assert words_of("Spider-Man's Foe") == ("spider", "man", "s", "foe")


PAGES = {
    "Jinx (comics)": "'''Jinx''' or '''Lady Luck''' is a character.",
    "Thor": "'''Thor''' is a god. Many [[Asgardian]]s know him.",
    "Asgardian": "An Asgardian lives in Asgard.",
    "Story": "Jinx met Lady Luck, the Thunderer and two Asgardians with Asgardian swords.",
}
REDIRECTS = {"Thunderer": "Thor"}


def test_titles_redirects_bold_names_and_plurals_are_found() -> None:
    of = studied(PAGES, REDIRECTS)
    found = found_pairs(of, candidates(of))
    assert ("Story", "Jinx", "Jinx (comics)") in found
    assert ("Story", "Lady Luck", "Jinx (comics)") in found
    assert ("Story", "Thunderer", "Thor") in found
    assert ("Story", "Asgardians", "Asgardian") in found


def test_no_page_is_a_candidate_for_itself() -> None:
    of = studied(PAGES, REDIRECTS)
    assert all(page != target for page, _, target in found_pairs(of, candidates(of)))


def test_a_name_is_not_found_across_paragraphs() -> None:
    wiki = make_wiki({"Green Lantern": "x", "P": "A Green\n\nLantern. A Green Lantern."})
    names = find_names(wiki, np.ones(0, dtype=bool))
    mentions = find_mentions(wiki, names)
    assert [int(n) for n in mentions.length[wiki.page[mentions.first] == 1]].count(2) == 1


def test_a_disambiguation_page_has_no_names() -> None:
    of = studied({"Mercury": "{{disambiguation}} Mercury may be", "P": "Seen Mercury there."})
    assert found_pairs(of, candidates(of)) == set()


def test_an_empty_wiki_has_no_candidates() -> None:
    of = studied({"A": "", "B": "{{x}}"})
    assert len(candidates(of)) == 0
