"""The memory of what like pages made of like targets."""

from __future__ import annotations

import json

import numpy as np
import pytest

from wikibot.ranking.memory import Likeness, Memory

TITLES = ("Oak", "Elm", "Car", "Bus", "Root", "Leaf", "Wheel")
TREES, MACHINES = (1.0, 0.1), (0.1, 1.0)
KINDS = np.array([TREES, TREES, MACHINES, MACHINES, TREES, TREES, MACHINES], dtype=np.float32)
OAK, ELM, CAR, BUS, ROOT, LEAF, WHEEL = range(7)


@pytest.fixture
def likeness() -> Likeness:
    return Likeness.of(TITLES, KINDS)


def learned(likeness: Likeness, *outcomes: tuple[int, int, bool], opinion: float = 0.5) -> Memory:
    page, target, is_linked = (np.array(column) for column in zip(*outcomes, strict=True))
    opinions = np.full(len(page), opinion, dtype=np.float32)
    return Memory.learn(likeness, page, target, is_linked.astype(bool), opinions)


def recalled(memory: Memory, likeness: Likeness, *pairs: tuple[int, int]) -> list[float]:
    page, target = (np.array(column) for column in zip(*pairs, strict=True))
    return memory.recall(likeness, page, target).tolist()


def test_pages_of_one_kind_are_alike_and_others_are_not(likeness: Likeness) -> None:
    ours = likeness.between(np.array([OAK, OAK]), np.array([ELM, CAR]))
    assert ours[0] == pytest.approx(1, abs=1e-5)
    assert ours[1] < 0


def test_a_link_on_a_like_page_speaks_for_the_target(likeness: Likeness) -> None:
    memory = learned(likeness, (OAK, ROOT, True))
    same, other_page = recalled(memory, likeness, (ELM, ROOT), (CAR, ROOT))
    assert same > 0.5
    assert other_page == 0


def test_a_mention_left_unlinked_on_a_like_page_speaks_against_it(likeness: Likeness) -> None:
    memory = learned(likeness, (OAK, ROOT, False))
    assert recalled(memory, likeness, (ELM, ROOT))[0] < -0.5


def test_a_like_target_learns_too_and_another_does_not(likeness: Likeness) -> None:
    memory = learned(likeness, (OAK, ROOT, True))
    like, other = recalled(memory, likeness, (ELM, LEAF), (ELM, WHEEL))
    assert like > 0.5
    assert other == 0


def test_nothing_of_a_page_is_remembered_for_itself(likeness: Likeness) -> None:
    memory = learned(likeness, (OAK, ROOT, True), (OAK, LEAF, False))
    assert recalled(memory, likeness, (OAK, ROOT), (OAK, LEAF)) == [0, 0]


def test_what_was_expected_teaches_little_and_what_was_ruled_out_nothing(
    likeness: Likeness,
) -> None:
    expected = learned(likeness, (OAK, ROOT, True), opinion=0.99)
    surprising = learned(likeness, (OAK, ROOT, True), opinion=0.2)
    assert (
        recalled(expected, likeness, (ELM, ROOT))[0]
        < recalled(surprising, likeness, (ELM, ROOT))[0]
    )
    assert len(learned(likeness, (OAK, ROOT, True), opinion=0.001).page) == 0


def test_the_more_like_pages_agree_the_more_is_believed(likeness: Likeness) -> None:
    one = learned(likeness, (OAK, ROOT, True))
    two = learned(likeness, (OAK, ROOT, True), (ELM, LEAF, True))
    new = Likeness.of((*TITLES, "Ash"), np.concatenate([KINDS, [TREES]]).astype(np.float32))
    assert recalled(two, new, (7, ROOT))[0] > recalled(one, new, (7, ROOT))[0]


def test_pages_are_known_again_when_their_numbers_changed(likeness: Likeness) -> None:
    memory = learned(likeness, (OAK, ROOT, True), (CAR, WHEEL, True))
    back = Likeness(TITLES[::-1], likeness.vectors[::-1])
    before, after = (
        recalled(memory, likeness, (ELM, ROOT)),
        recalled(memory, back, (6 - ELM, 6 - ROOT)),
    )
    assert before == pytest.approx(after)
    without_oak = Likeness(TITLES[1:], likeness.vectors[1:])
    assert recalled(memory, without_oak, (ELM - 1, ROOT - 1)) == [0]


def test_a_memory_is_the_same_after_it_was_written_and_read(likeness: Likeness) -> None:
    memory = learned(likeness, (OAK, ROOT, True), (CAR, WHEEL, False), opinion=0.25)
    again = Memory.from_dict(json.loads(json.dumps(memory.to_dict())))
    pairs = ((ELM, ROOT), (BUS, WHEEL))
    assert recalled(memory, likeness, *pairs) == pytest.approx(recalled(again, likeness, *pairs))


def test_many_pages_are_worked_on_in_parts_with_the_same_result(
    likeness: Likeness, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = learned(likeness, (OAK, ROOT, True), (CAR, WHEEL, False))
    pairs = tuple((page, target) for page in range(7) for target in range(7))
    whole = recalled(memory, likeness, *pairs)
    monkeypatch.setattr("wikibot.ranking.memory._TOGETHER", 2)
    assert recalled(memory, likeness, *pairs) == pytest.approx(whole)


def test_an_empty_memory_adds_nothing(likeness: Likeness) -> None:
    memory = learned(likeness, (OAK, ROOT, True), opinion=0.0)
    assert recalled(memory, likeness, (ELM, ROOT)) == [0]
