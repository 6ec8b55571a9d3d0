"""Reasons in words, and the audit's figures."""

from __future__ import annotations

import pytest

from wikibot.audit import BAD, GOOD, SMALL_CHANGE, as_text, report, share
from wikibot.ranking.reasons import ENGLISH, in_english, reason, sentence
from wikibot.train import confidence


def test_reasons_are_read_as_one_sentence() -> None:
    said = sentence(
        [
            reason("linked-elsewhere", anchor="Kang", links=14, mentions=17),
            reason("shared-topics", topics=["time travel", "Avengers"]),
            reason("links-back"),
        ]
    )
    assert said == (
        "'Kang' links here on 14 of the 17 other pages that mention it; this sentence and the "
        "target share topics: time travel, Avengers; the target links back."
    )


def test_an_unknown_reason_is_given_as_it_is() -> None:
    assert in_english([reason("of-the-future")]) == ["of-the-future"]
    assert sentence([]) == ""


def test_every_message_is_a_clause_without_a_full_stop() -> None:
    assert all(text and text[-1] != "." for text in ENGLISH.values())


@pytest.mark.parametrize(("links", "word"), [(0, "Very low"), (100, "Low"), (5000, "Good")])
def test_confidence_is_said_plainly(links: int, word: str) -> None:
    assert confidence(links).startswith(word)


def test_a_share_has_wilsons_interval() -> None:
    nine_of_ten = share("x", [True] * 9 + [False])
    assert (nine_of_ten.share, nine_of_ten.low, nine_of_ten.high) == (0.9, 0.5958, 0.9821)


def test_nothing_read_says_nothing() -> None:
    assert share("x", []).high == 1.0


def test_the_report_tells_good_from_small_changes_and_bands() -> None:
    found = report("w", 100, [(0.95, GOOD), (0.95, SMALL_CHANGE), (0.6, BAD), (0.6, GOOD)])
    assert found.accepted.share == 0.5
    assert found.accepted_or_small_change.share == 0.75
    assert [(band.of, band.read, band.good) for band in found.bands] == [
        ("0.90 to 1.00", 2, 1),
        ("0.50 to 0.75", 2, 1),
    ]
    assert "4 of 100 waiting proposals" in as_text(found)
