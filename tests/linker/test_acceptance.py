"""What reviewers decide corrects the number that is shown, where it is shown to help."""

from __future__ import annotations

import numpy as np
import pytest

from tests.linker.wikis import Wiki
from wikibot.linker.acceptance import (
    FACTS,
    FEWEST_DECISIONS,
    accepted,
    facts,
    learn_acceptance,
)
from wikibot.linker.calibration import expit
from wikibot.linker.features import Features
from wikibot.linker.policy import Policy
from wikibot.linker.ranker import Ranker
from wikibot.linker.score import score_candidates
from wikibot.linker.training import Decisions, learn_ranker


def reviews(offset: float, *, count: int = 400, fact: int | None = None) -> tuple[np.ndarray, ...]:
    """Decisions of people who accept more, or less, than the chances say (where a fact holds)."""
    rng = np.random.default_rng(7)
    page, chance = rng.integers(0, 60, count), rng.uniform(0.5, 0.99, count).astype(np.float32)
    known = (rng.random((count, len(FACTS))) < 0.3).astype(np.float32)
    moved = offset * (known[:, fact] if fact is not None else 1)
    likely = expit(np.log(chance / (1 - chance)) + moved)
    return page, chance, known, rng.random(count) < likely


def test_reviewers_who_are_stricter_lower_the_number() -> None:
    page, chance, known, said = reviews(-1.5)
    line, check = learn_acceptance(page, chance, known, said)
    assert check is not None and check.is_used
    assert check.loss_with < check.loss_without
    told = accepted(line, chance, known)
    assert abs(told.mean() - said.mean()) < 0.03 < chance.mean() - said.mean()


def test_what_reviewers_dislike_is_learned_for_that_alone() -> None:
    page, chance, known, said = reviews(-2.5, count=1000, fact=FACTS.index("is_lower"))
    line, _ = learn_acceptance(page, chance, known, said)
    lowered = accepted(line, chance, known) - chance
    has = known[:, FACTS.index("is_lower")] > 0
    assert lowered[has].mean() < -0.2
    assert abs(lowered[~has].mean()) < 0.05


@pytest.mark.parametrize("seed", range(5))
def test_decisions_that_teach_nothing_new_hardly_move_the_number(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chance = rng.uniform(0.5, 0.99, 300).astype(np.float32)
    known = np.zeros((300, len(FACTS)), dtype=np.float32)
    line, check = learn_acceptance(
        rng.integers(0, 50, 300), chance, known, rng.random(300) < chance
    )
    assert check is not None
    assert check.is_used == bool(line)
    if line:
        assert np.abs(accepted(line, chance, known) - chance).mean() < 0.06


def test_few_decisions_change_nothing() -> None:
    page, chance, known, said = (part[: FEWEST_DECISIONS - 1] for part in reviews(-3))
    assert learn_acceptance(page, chance, known, said) == ((), None)


def test_facts_are_read_from_features_by_name() -> None:
    names = ("is_lower", "is_similar", "is_listed", "quote_around", "box_link", "list_link")
    values = np.array([[1, 0, 0, -1, 0, 1], [0, 1, 1, 0, 1, 0]], dtype=np.float32)
    assert facts(Features(names, values)).tolist() == [[1, 0, 0, 0, 0, 1], [0, 1, 1, 1, 1, 0]]


def waiting(wiki: Wiki, ranker: Ranker) -> list[tuple[int, int, float]]:
    """(page, target, expected acceptance) of all that waits on pages as they are."""
    found = []
    for number, page in enumerate(wiki.pages):
        scored = score_candidates(page, wiki.knowledge, ranker, Policy(min_probability=0))
        for group, row in enumerate(scored.row.tolist()):
            target, chance = scored.rows.target[row], scored.ranked.acceptance[group]
            found.append((number, int(target), float(chance)))
    return found


def test_a_ranker_learns_from_people_who_refuse_what_it_proposes(
    town_wiki: Wiki, town_ranker: Ranker
) -> None:
    before = waiting(town_wiki, town_ranker)
    refused = frozenset((page, target) for page, target, _ in before if page % 2)
    assert len(refused) >= FEWEST_DECISIONS
    stricter = learn_ranker(
        town_wiki.pages, town_wiki.knowledge, town_wiki.parts, Decisions(refused=refused)
    )
    assert isinstance(stricter, Ranker)
    assert stricter.check is not None
    assert stricter.check.decisions == len(refused)
    assert stricter.check.accepted == 0
    after = waiting(town_wiki, stricter)
    unread = [n for n, (page, _, _) in enumerate(before) if not page % 2]
    assert np.mean([after[n][2] for n in unread]) < np.mean([before[n][2] for n in unread])
