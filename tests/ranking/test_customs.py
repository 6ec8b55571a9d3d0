"""What the links that stand on a page say of mentions in contexts alike."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from wikibot.ranking.aptness import WordVectors
from wikibot.ranking.candidates import find_candidates
from wikibot.ranking.customs import customs_column
from wikibot.ranking.lessons import all_hidden, study

from tests.ranking.small import make_wiki

WATER, STEAM = ("fish", "reeds", "shore"), ("wheels", "steam", "coal")
WATER_AROUND, STEAM_AROUND = (f" {' and '.join(4 * words)} " for words in (WATER, STEAM))
# Pike and Crank are no pages of the wiki: links to them always stand. Half of the pages link them.
OTHERS = {
    f"Other{n}": f"{'[[Pike]]' if n % 2 else 'Pike'} and {'[[Crank]]' if n % 2 else 'Crank'}."
    for n in range(8)
} | {"Trout": "A fish.", "Piston": "Of steam."}


def told(
    town: str, others: Mapping[str, str] = OTHERS, *, is_known: bool = False
) -> dict[str, float]:
    """What each target is told on the page Town, whose links to pages of the wiki are hidden."""
    wiki = make_wiki({"Town": town, **others})
    known = np.ones(wiki.size, dtype=bool)
    known[0] = is_known
    studied, hidden = study(wiki, known, None), all_hidden(wiki)
    pages = np.arange(wiki.size) == 0
    rows = find_candidates(
        wiki, studied.names, studied.mentions, studied.knowledge, hidden=hidden, pages=pages
    )
    table = np.array([[1, 0], [0, 1]], dtype=np.float32)
    number = [0 if w.lower() in WATER else 1 if w.lower() in STEAM else -1 for w in wiki.spelling]
    vectors = WordVectors.of(table, np.array(number, dtype=np.int64))
    values = customs_column(wiki, known, vectors, rows, hidden)
    return {wiki.titles[t]: float(v) for t, v in zip(rows.target, values, strict=True)}


def town(pike: str, trout: str, crank: str, piston: str) -> str:
    """A page with a passage on the water and one on the engine, two mentions in the midst of each."""
    passages = ((WATER_AROUND, pike, trout), (STEAM_AROUND, crank, piston))
    return "\n\n".join(f"so{around}{a} or {b}{around}so." for around, a, b in passages)


def test_links_speak_for_mentions_in_contexts_alike_and_words_left_alone_against_them() -> None:
    found = told(town("[[Pike]]", "Trout", "Crank", "Piston"))
    assert found["Trout"] > 0.3
    assert found["Piston"] < -0.3


def test_words_in_small_letters_say_nothing_of_names() -> None:
    others = {title: text.replace("Pike", "pike") for title, text in OTHERS.items()}
    found = told(town("[[pike]]", "Trout", "[[Crank]]", "Piston"), others)
    assert found["Trout"] < 0.1 < found["Piston"]


def test_a_hidden_link_tells_nothing_of_itself_or_of_its_like() -> None:
    plain = told(town("[[Pike]]", "Trout", "Crank", "Piston"))
    linked = told(town("[[Pike]]", "[[Trout]]", "Crank", "[[Piston]]"))
    assert linked == pytest.approx(plain)


def test_what_is_usual_is_what_other_pages_do() -> None:
    # Only Town has these words. Were its own links counted, one would be expected and surprise nobody.
    plain = {f"Plain{n}": "Bream or [[Pike]] or Crank or [[Lever]]." for n in range(80)}
    others = {**plain, "Trout": "A fish.", "Piston": "Of steam."}
    text = town("[[Barbel]]", "Trout", "Gear", "Piston")
    unknown, known = (told(text, others, is_known=is_known) for is_known in (False, True))
    assert known == pytest.approx(unknown, abs=0.03)


def test_a_page_without_words_that_speak_is_told_nothing() -> None:
    assert told("Trout") == {"Trout": 0}
