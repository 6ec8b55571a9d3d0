"""Reasons in words, and the audit's figures."""

from __future__ import annotations

import json

import pytest

from wikibot.audit import (
    BAD,
    GOOD,
    SMALL_CHANGE,
    Draw,
    Reading,
    as_text,
    audit_lines,
    report,
    share,
)
from wikibot.errors import BadInput
from wikibot.i18n import texts
from wikibot.linker.explain import PARAMETERS, in_english, linked_on, reason, sentence
from wikibot.store.suggestions import Drawn
from wikibot.train import confidence

READINGS = [
    Reading("Trip", "Paris", "[[Paris]]", "In Paris.", probability, verdict, note)
    for probability, verdict, note in (
        (0.95, GOOD, ""), (0.95, SMALL_CHANGE, ""), (0.6, BAD, "another Paris"), (0.6, GOOD, ""),
    )
]  # fmt: skip


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
        "target share topics: time travel, Avengers; the target links to this page."
    )


@pytest.mark.parametrize(
    ("links", "mentions", "said"),
    [
        (1, 1, "'Kang' links here on the only other page that mentions it"),
        (2, 2, "'Kang' links here on both other pages that mention it"),
        (4, 4, "'Kang' links here on all 4 other pages that mention it"),
        (3, 4, "'Kang' links here on 3 of the 4 other pages that mention it"),
    ],
)
def test_how_many_pages_link_a_name_is_said_plainly(links: int, mentions: int, said: str) -> None:
    assert in_english([linked_on("Kang", links, mentions)]) == [said]


def test_an_unknown_reason_is_given_as_it_is() -> None:
    assert in_english([reason("of-the-future")]) == ["of-the-future"]
    assert sentence([]) == ""


def test_every_message_is_a_clause_without_a_full_stop() -> None:
    assert all(texts("en")[f"reason-{name}"][-1] != "." for name in PARAMETERS)


@pytest.mark.parametrize(("links", "word"), [(0, "very low"), (100, "low"), (5000, "good")])
def test_confidence_is_said_plainly(links: int, word: str) -> None:
    assert confidence(links).startswith(word)


def test_a_share_has_wilsons_interval() -> None:
    nine_of_ten = share("x", [True] * 9 + [False])
    assert (nine_of_ten.share, nine_of_ten.low, nine_of_ten.high) == (0.9, 0.5958, 0.9821)


def test_nothing_read_says_nothing() -> None:
    assert share("x", []).high == 1.0


def test_the_report_tells_good_from_small_changes_and_bands() -> None:
    found = report("w", 100, READINGS)
    assert found.accepted.share == 0.5
    assert found.accepted_or_small_change.share == 0.75
    assert [(band.of, band.read, band.good) for band in found.bands] == [
        ("0.90 to 1.00", 2, 1),
        ("0.50 to 0.75", 2, 1),
    ]
    assert "4 of 100 waiting proposals" in as_text(found)


def test_the_report_lists_what_was_not_good_with_the_readers_words() -> None:
    text = as_text(report("w", 100, READINGS))
    assert text.count("Trip: [[Paris]]") == 2
    assert text.index("Needs a small change:") < text.index("Refused:")
    assert "In Paris. (another Paris)" in text


def test_a_draw_is_written_filled_in_and_counted() -> None:
    drawn = Drawn(1, "Trip", "Paris", "", "Paris", "[[Paris]]", "In Paris.", 0.9, [])
    rows = [json.loads(line) for line in Draw("w", 7, (drawn, drawn)).as_lines().splitlines()]
    assert [row["verdict"] for row in rows] == ["", ""]
    rows[0]["verdict"], rows[1]["verdict"], rows[1]["note"] = GOOD, BAD, "no"
    found = audit_lines("\n".join(map(json.dumps, rows)))
    assert (found.wiki, found.waiting, found.read, found.accepted.good) == ("w", 7, 2, 1)
    assert found.readings[1].note == "no"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "holds no draw"),
        ("not json", "Line 1 is not a line of a draw"),
        ("[]", "Line 1 is not a line of a draw"),
        ('{"wiki": "w", "waiting": 1, "page": "P", "probability": 1}', "Line 1 says None"),
    ],
)
def test_a_file_that_is_no_filled_in_draw_is_refused(text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        audit_lines(text)
