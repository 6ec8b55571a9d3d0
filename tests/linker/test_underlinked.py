"""Pages that lack links come first, among proposals that are about as probable."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.linker.small import learned
from wikibot.linker.score import missing_share, priority

FILLER = "word " * 38


def lacking(texts: Mapping[str, str]) -> list[float]:
    """Which share of its links each page lacks."""
    pages, knowledge = learned(texts)
    return [missing_share(page, knowledge) for page in pages]


def test_a_page_without_links_lacks_all_and_a_well_linked_one_none() -> None:
    shares = lacking(
        {
            "Bare": FILLER + "and no link",
            "Usual": FILLER + "[[Bare]] [[Dense]]",
            "Dense": "[[Bare]] and [[Usual]] and [[Else]] and [[More]] " + FILLER,
        }
    )
    bare, usual, dense = shares
    assert bare == 1.0
    assert usual == pytest.approx(0.05, abs=0.1)
    assert dense == 0.0


def test_need_is_in_proportion_to_length() -> None:
    shares = lacking(
        {
            "Short": FILLER + "[[Long]]",
            "Long": FILLER * 4 + "[[Short]]",
            "Else": FILLER + "[[Long]]",
        }
    )
    short, long, _ = shares
    assert short == 0.0
    assert 0.4 < long < 0.6


def test_a_wiki_without_links_or_words_has_no_favourites() -> None:
    assert lacking({"A": "", "B": "[[A]]"})[0] <= 1.0
    assert lacking({"A": "some words", "B": "more words"}) == [1.0, 1.0]


def test_among_like_probabilities_the_underlinked_page_comes_first() -> None:
    assert priority(0.91, 0.8) > priority(0.97, 0.1)


def test_a_clearly_more_probable_link_comes_first_whatever_its_page_lacks() -> None:
    assert priority(0.91, 0.0) > priority(0.89, 1.0)


def test_on_one_page_the_more_probable_link_comes_first() -> None:
    assert priority(0.97, 0.5) > priority(0.91, 0.5)


@pytest.mark.parametrize("probability", [0.0, 0.5, 0.99999, 1.0])
@pytest.mark.parametrize("need", [0.0, 0.5, 1.0])
def test_priority_stays_within_the_tenth_of_the_probability(
    probability: float, need: float
) -> None:
    assert 0 <= priority(probability, need) - int(min(probability, 0.9999) * 10) / 10 < 0.1 + 1e-6
