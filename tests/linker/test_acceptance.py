"""What reviewers decide corrects the number that is shown, where it is shown to help."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import acceptance
from tests.linker.wikis import Wiki
from wikibot.linker.acceptance import (
    AS_RANKED,
    AS_READ,
    FACTS,
    FEWEST_DECISIONS,
    accepted,
    facts,
    learn_acceptance,
    prior,
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
    line, check = learn_acceptance(page, chance, known, said, AS_RANKED)
    assert check is not None and check.is_used
    assert check.loss_with < check.loss_without
    told = accepted(line, chance, known)
    assert abs(told.mean() - said.mean()) < 0.03 < chance.mean() - said.mean()


def test_what_reviewers_dislike_is_learned_for_that_alone() -> None:
    page, chance, known, said = reviews(-2.5, count=1000, fact=FACTS.index("is_lower"))
    line, _ = learn_acceptance(page, chance, known, said, AS_RANKED)
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
        rng.integers(0, 50, 300), chance, known, rng.random(300) < chance, AS_RANKED
    )
    assert check is not None
    assert check.is_used == (line != AS_RANKED)
    if check.is_used:
        assert np.abs(accepted(line, chance, known) - chance).mean() < 0.06


def test_few_decisions_change_nothing() -> None:
    page, chance, known, said = (part[: FEWEST_DECISIONS - 1] for part in reviews(-3))
    for before in (AS_RANKED, AS_READ):
        assert learn_acceptance(page, chance, known, said, before) == (before, None)


COLUMNS = {
    "is_title": (0, 0), "is_redirect": (1, 0), "share_to_target": (0.5, 0.5), "mention": (0, 9),
    "is_lower": (1, 0), "target_upper": (0.75, 1), "starts_upper": (0, 1), "upper_before": (3, 2),
    "upper_after": (0, 3), "is_listed": (0, 1), "italic_around": (3, -1), "quote_around": (-1, -1),
    "box_link": (0, 1), "list_link": (1, 0), "popularity": (1, 1), "mentioned": (1, 1),
    "crtm_context_target": (0.25, 0),
}  # fmt: skip


def features(**changed: tuple[float, float]) -> Features:
    values = np.array(list((COLUMNS | changed).values()), dtype=np.float32).T
    return Features(tuple(COLUMNS | changed), values)


def test_facts_are_read_from_features_by_name() -> None:
    said = [dict(zip(FACTS, row, strict=True)) for row in facts(features()).tolist()]
    assert said[0] == dict.fromkeys(FACTS, 0) | {
        "is_name": 1, "in_longer_title": 1, "unusual_lower_case": 0.5, "is_lower": 1, "list_link": 1,
        "context_similarity": 0.25,
    }  # fmt: skip
    assert said[1] == dict.fromkeys(FACTS, 0) | {
        "mention": 3, "capital_neighbour": 1, "is_listed": 1, "box_link": 1,
    }  # fmt: skip


def test_without_topics_nothing_is_known_of_the_context() -> None:
    known = features()
    without = Features(known.names[:-1], known.values[:, :-1])
    assert not facts(without)[:, FACTS.index("context_similarity")].any()


def test_a_title_in_quotation_marks_is_a_longer_title_too() -> None:
    found = facts(features(italic_around=(0, -1), quote_around=(-1, 2)))
    assert found[:, FACTS.index("in_longer_title")].tolist() == [0, 1]


def test_few_mentions_of_a_page_that_nobody_links_yet_hardly_speak_against_it() -> None:
    found = facts(features(share_to_target=(0.01, 0.01), popularity=(0, 1), mentioned=(0.7, 0.7)))
    new, old = found[:, FACTS.index("share_to_target")].tolist()
    assert -0.3 < new <= 0 and old < -4


def test_a_title_that_is_often_mentioned_and_never_linked_is_an_everyday_word() -> None:
    found = facts(features(share_to_target=(0, 0), popularity=(0, 0), mentioned=(1.1, 3.7)))
    seldom, often = found[:, FACTS.index("share_to_target")].tolist()
    assert often < -2 < -0.5 < seldom


def test_the_ranker_s_number_stands_on_pages_without_links() -> None:
    _, chance, known, _ = reviews(0)
    assert prior(False) == AS_RANKED
    assert accepted(prior(False), chance, known).tolist() == chance.tolist()


def test_what_readers_judged_is_what_the_line_of_pages_with_links_says() -> None:
    found = acceptance.report()
    assert found["line"] == pytest.approx(AS_READ, abs=0.011)
    assert prior(True) == AS_READ


@pytest.mark.parametrize("wiki", sorted(path.stem for path in acceptance.FOLDER.glob("*.jsonl")))
def test_verdicts_of_other_wikis_predict_those_of_a_wiki_better_than_its_ranker(wiki: str) -> None:
    found = acceptance.report()["wikis"][wiki]
    assert found["area_of_line"] > found["area_of_ranker"]
    assert found["loss_of_line"] < found["loss_of_ranker"]


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
