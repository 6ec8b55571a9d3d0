"""The report of an evaluation, from answers that were put together by hand."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikibot.evaluation import FIFTHS, SYSTEMS, Collected, Evaluation, fifth_of, figures
from wikibot.evaluation import Tested as Outcome
from wikibot.evaluation.metrics import Answers

PAGES = 3


def collected(found: list[tuple[int, float, bool]], *, kind: int = 2, seconds: float = 0.3) -> Collected:  # fmt: skip
    """Answers (page, score, is it right), each page's on its own as `evaluate` adds them."""
    whole = Collected(seconds=seconds)
    for page in range(PAGES):
        own = [one for one in found if one[0] == page]
        whole.page.append(np.array([p for p, _, _ in own], dtype=np.int64))
        whole.score.append(np.array([s for _, s, _ in own], dtype=np.float32))
        whole.is_right.append(np.array([r for _, _, r in own], dtype=bool))
        whole.is_exact.append(np.array([r for _, _, r in own], dtype=bool))
        whole.kind.append(np.full(len(own), kind, dtype=np.int64))
        whole.is_lower.append(np.array([s < 0.7 for _, s, _ in own], dtype=bool))
    return whole


OURS = [(0, 0.9, True), (0, 0.6, False), (1, 0.8, True), (2, 0.4, True)]
PLAIN = [(0, 0.9, False), (0, 0.6, True), (1, 0.8, True)]
QUEUE = [(0, 0.9, True), (1, 0.8, True)]


def an_outcome(**changes: Any) -> Outcome:
    """Three pages with four links to find."""
    found = {name: collected([]) for name in SYSTEMS} | {
        "wikibot": collected(OURS), "without_crtm": collected(PLAIN), "queue": collected(QUEUE),
    }  # fmt: skip
    given_fields: dict[str, Any] = {
        "gold": np.array([2, 1, 1]), "found": found, "refused": {"overlap": [3, 1]}, "covered": 3,
        "pages": PAGES,
    }  # fmt: skip
    return Outcome(**(given_fields | changes))


def report() -> dict[str, Any]:
    return Evaluation(an_outcome(), an_outcome(covered=2)).as_json()


def test_the_report_says_how_many_links_there_were_and_how_many_could_be_found() -> None:
    assert report()["pages"] == {"test": 3, "gold": 4}
    assert report()["coverage"] == 0.75


def test_every_system_is_in_the_report_with_the_same_figures() -> None:
    systems = report()["systems"]
    assert tuple(systems) == SYSTEMS
    usual = set(systems["tagme"])
    assert {"ap", "ap_interval", "precision_at_0.5", "recall_at_0.5", "top3_precision", "calibration_error"} < usual  # fmt: skip
    for name in SYSTEMS:
        more = set(systems[name]) - usual
        expected = {
            "wikibot": {"with_85_percent_of_links"},
            "queue": {"with_85_percent_of_links", "refused_by", "proposals_per_page"},
        }
        assert more == expected.get(name, set()), name


def test_figures_of_the_ranker_by_hand() -> None:
    ours = report()["systems"]["wikibot"]
    # In order: right, right, wrong, right, of four links.
    assert ours["ap"] == pytest.approx((1 + 1 + 3 / 4) / 4, abs=1e-4)
    assert ours["precision_at_0.5"] == pytest.approx(2 / 3, abs=1e-4)
    assert ours["recall_at_0.5"] == 0.5
    assert ours["recall_at_precision"] == {"0.75": 0.75, "0.8": 0.5, "0.9": 0.5, "0.95": 0.5}
    assert ours["seconds_per_page"] == pytest.approx(0.1)


def test_what_people_get_is_told_with_what_was_refused() -> None:
    queue = report()["systems"]["queue"]
    assert queue["proposals_per_page"] == pytest.approx(2 / 3, abs=1e-3)
    assert queue["refused_by"] == {"overlap": {"refused": 3, "right": 1}}
    assert (queue["precision_at_0.5"], queue["recall_at_0.5"]) == (1, 0.5)


def test_the_gain_by_topics_is_the_difference_of_average_precisions() -> None:
    gain = report()["crtm_gain"]
    without = (1 / 2 + 2 / 3) / 4  # wrong, right, right
    assert gain["ap"] == pytest.approx((1 + 1 + 3 / 4) / 4 - without, abs=1e-4)
    assert gain["interval"][0] <= gain["ap"] <= gain["interval"][1]


def test_groups_have_the_links_that_the_ranker_met_in_them() -> None:
    groups = report()["average_precision_by_group"]
    assert groups["the rest"]["links"] == 3
    assert groups["several targets"] == {"links": 0, "wikibot": 0, "without_crtm": 0}
    assert groups["small letters"]["links"] == 1
    # In small letters: one wrong of .6, then the right one of .4.
    assert groups["small letters"]["wikibot"] == 0.5


def test_a_system_that_finds_nothing_has_figures_of_nothing() -> None:
    nothing = report()["systems"]["crtm"]
    assert nothing["ap"] == nothing["recall_at_0.5"] == nothing["top3_precision"] == 0
    assert nothing["ap_interval"] == [0, 0]


def test_figures_are_rounded_to_four_places() -> None:
    third = np.array([True, False, False])
    answers = Answers(np.zeros(3, dtype=np.int64), np.full(3, 0.9, dtype=np.float32), third, third, np.array([3]))  # fmt: skip
    found = figures(answers)
    assert found["precision_at_0.5"] == 0.3333 and found["recall_at_0.5"] == 0.3333


@given(st.text(max_size=20))
def test_a_page_is_always_in_the_same_fifth(title: str) -> None:
    assert fifth_of(title) == fifth_of(title) in range(FIFTHS)


def test_fifths_are_about_a_fifth_and_do_not_follow_the_alphabet() -> None:
    sizes = Counter(fifth_of(f"Page {number}") for number in range(5000))
    assert len(sizes) == FIFTHS
    assert all(size == pytest.approx(1000, abs=100) for size in sizes.values())
    assert len({fifth_of(f"Page {number}") for number in range(20)}) == FIFTHS
