"""What others do, rebuilt: title match and TAGME on small wikis, by hand and beside slow twins."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

from tests.linker.generated import Draft, texts_of, wikis
from tests.linker.wikis import Wiki, learned, shown
from wikibot.evaluation.baselines import (
    LEAST_LINK_PROBABILITY,
    NEAR_BEST_VOTE,
    SURFACE_FORMS,
    tagme,
    title_match,
)
from wikibot.linker.candidates import Candidates
from wikibot.linker.features.relatedness import relatedness
from wikibot.linker.names import TITLE

laws = settings(max_examples=15, deadline=None)


def scores(wiki: Wiki, title: str, system) -> dict[tuple[str, str], float]:
    """(words, target) with the score of each candidate on the page without links."""
    page = wiki.page(title).hide()
    rows = wiki.rows(page)
    found = system(rows, wiki.knowledge)
    return dict(zip(shown(page, rows, wiki.knowledge), found.tolist(), strict=True))


LAKES = {
    "Sea": "The sea is salt.",
    "Sea salt": "Salt of the [[sea]].",
    "Asgard (comics)": "A made-up place.",
    "P": "Asgard lies by the sea; [[sea salt]] is made there.",
}


def test_titles_match_wherever_they_stand_and_longer_ones_score_more() -> None:
    found = scores(learned(LAKES), "P", title_match)
    assert found["sea salt", "Sea salt"] > found["sea", "Sea"] > 0
    assert found["sea", "Sea"] == pytest.approx(3 / 23)
    assert found["Asgard", "Asgard (comics)"] == 0, "a part of a title is no title"


@given(wikis())
@laws
def test_a_title_match_looks_at_titles_alone(drafts: dict[str, Draft]) -> None:
    wiki = learned(texts_of(drafts))
    for page in wiki.pages:
        rows = wiki.rows(page.hide())
        for score, kind, target in zip(title_match(rows, wiki.knowledge), rows.kind, rows.target, strict=True):  # fmt: skip
            length = len(wiki.knowledge.titles.titles[int(target)])
            expected = length / (length + 20) if kind & TITLE else 0
            assert score == pytest.approx(expected)


def slow_tagme(rows: Candidates, wiki: Wiki) -> list[float]:
    """Ferragina and Scaiella's vote, one mention and one target at a time."""
    count = len(rows)
    likely = [(rows.name_links[i] + 0.5) / (rows.name_mentions[i] + 1) for i in range(count)]
    meanings = [sum(rows.span[j] == rows.span[i] for j in range(count)) for i in range(count)]
    common = [
        (rows.pair_links[i] + 0.1) / (rows.name_links[i] + 0.1 * meanings[i]) for i in range(count)
    ]
    fits = [
        i
        for i in range(count)
        if rows.kind[i] & SURFACE_FORMS and np.float32(likely[i]) >= LEAST_LINK_PROBABILITY
    ]
    if not fits:
        return [0.0] * count
    targets = sorted({int(rows.target[i]) for i in fits})
    numbers = np.array(targets)
    related = relatedness(numbers, numbers, wiki.knowledge, None)
    rel = {(a, b): float(related[targets.index(a), targets.index(b)]) if a != b else 0.0 for a in targets for b in targets}  # fmt: skip
    weight: dict[int, dict[int, float]] = {}
    for i in fits:
        weight.setdefault(int(rows.name[i]), {})[int(rows.target[i])] = common[i]
    vote = {
        (name, target): sum(of[a] * rel[a, target] for a in of) / len(of)
        for name, of in weight.items()
        for target in targets
    }
    total = [0.0] * count
    for i in fits:
        name, target = int(rows.name[i]), int(rows.target[i])
        total[i] = sum(vote[other, target] for other in weight if other != name)
    taken = []
    for i in fits:
        own = [j for j in fits if rows.name[j] == rows.name[i]]
        best = max(total[j] for j in own)
        near = [j for j in own if total[j] >= (1 - NEAR_BEST_VOTE) * best - 1e-9]
        if i in near and common[i] >= max(common[j] for j in near) - 1e-9:
            taken.append(i)
    others = sorted({int(rows.target[i]) for i in taken})
    found = [0.0] * count
    for i in taken:
        coherence = sum(rel[int(rows.target[i]), o] for o in others) / max(1, len(others) - 1)
        found[i] = (likely[i] + coherence) / 2
    return found


@given(wikis())
@laws
def test_tagme_is_the_vote_that_its_authors_describe(drafts: dict[str, Draft]) -> None:
    wiki = learned(texts_of(drafts))
    for page in wiki.pages:
        rows = wiki.rows(page.hide())
        assert tagme(rows, wiki.knowledge).tolist() == pytest.approx(slow_tagme(rows, wiki), abs=1e-4)  # fmt: skip


def test_the_company_of_a_mention_decides_what_it_means() -> None:
    """Mercury beside Venus is the planet, beside iron the metal."""
    planets = "[[Venus]] and [[Mars]] and [[Mercury (planet)|Mercury]]."
    metals = "[[Iron]] and [[Zinc]] and [[Mercury (metal)|Mercury]]."
    texts = {
        **{f"Sky {n}": planets for n in range(4)},
        **{f"Ore {n}": metals for n in range(4)},
        **dict.fromkeys(("Venus", "Mars", "Iron", "Zinc"), "Nothing."),
        "Mercury (planet)": "A planet.",
        "Mercury (metal)": "A metal.",
        "Night": "Venus, Mars, Mercury.",
        "Mine": "Iron, Zinc, Mercury.",
    }
    wiki = learned(texts)
    night, mine = scores(wiki, "Night", tagme), scores(wiki, "Mine", tagme)
    assert night["Mercury", "Mercury (planet)"] > 0 == night["Mercury", "Mercury (metal)"]
    assert mine["Mercury", "Mercury (metal)"] > 0 == mine["Mercury", "Mercury (planet)"]


def test_words_that_are_hardly_ever_linked_are_dropped() -> None:
    texts = {"Sea": "Salt."} | {f"P{n}": "By the sea." for n in range(60)} | {"Q": "The [[sea]]."}
    wiki = learned(texts)
    page = wiki.page("P0")
    rows = wiki.rows(page)
    likely = (rows.name_links + 0.5) / (rows.name_mentions + 1)
    found = tagme(rows, wiki.knowledge)
    for score, chance in zip(found.tolist(), likely.tolist(), strict=True):
        assert (score > 0) == (chance >= LEAST_LINK_PROBABILITY)


@given(wikis())
@laws
def test_scores_are_shares(drafts: dict[str, Draft]) -> None:
    wiki = learned(texts_of(drafts))
    for page in wiki.pages:
        rows = wiki.rows(page)
        for system in (tagme, title_match):
            found = system(rows, wiki.knowledge)
            assert found.dtype == np.float32 and len(found) == len(rows)
            assert all(0 <= score <= 1 and math.isfinite(score) for score in found.tolist())
