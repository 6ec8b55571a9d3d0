"""Each case is run forwards, backwards, and through the check; forbidden places are refused."""

from __future__ import annotations

import pytest

from tests.wikitext.cases import Case, read_cases
from wikibot.wikitext import UnsafeEdit, check_edit, insert_links, remove_links

CASES = list(read_cases())
every_case = pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.theme}: {c.name}")


def test_case_names_are_unique() -> None:
    names = [(case.theme, case.name) for case in CASES]
    assert len(names) == len(set(names))


def test_every_theme_has_several_cases() -> None:
    for theme in {case.theme for case in CASES}:
        assert sum(case.theme == theme for case in CASES) >= 3, theme


@every_case
def test_links_stand_where_the_case_says(case: Case) -> None:
    assert insert_links(case.before, case.linkable(), case.site) == case.after


@every_case
def test_taking_the_links_out_gives_the_text_back(case: Case) -> None:
    assert remove_links(case.after, case.linkable()) == case.before


@every_case
def test_the_edit_passes_the_check(case: Case) -> None:
    check_edit(case.before, case.after, case.linkable(), case.site, case.title)


@every_case
def test_a_link_on_any_other_mention_is_refused(case: Case) -> None:
    linkable = case.linkable()
    for mention in case.mentions():
        if mention not in linkable:
            with pytest.raises(UnsafeEdit):
                after = insert_links(case.before, [mention], case.site)
                check_edit(case.before, after, [mention], case.site, case.title)


@every_case
def test_a_second_run_finds_the_same_page_plus_the_links(case: Case) -> None:
    before, after = case.page().links, len(case.linkable())
    again = type(case)(**{**vars(case), "before": case.after}).page().links
    assert len(again) == len(before) + after
