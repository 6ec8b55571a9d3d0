"""The memory of what people made of the like cases: like matters, and like phrases."""

from __future__ import annotations

import json

import numpy as np
import pytest
from wikibot.ranking.lessons import all_hidden, candidates_of
from wikibot.ranking.memory import Likeness, Memory
from wikibot.ranking.ranker import _calibrate
from wikibot.ranking.scenes import Scenes

from tests.ranking.small import studied

TITLES = ("Oak", "Elm", "Car", "Bus", "Root", "Leaf", "Wheel")
TREES, MACHINES = (1.0, 0.1), (0.1, 1.0)
KINDS = np.array([TREES, TREES, MACHINES, MACHINES, TREES, TREES, MACHINES], dtype=np.float32)
OAK, ELM, CAR, BUS, ROOT, LEAF, WHEEL = range(7)
NO_WORD = -1
WORDS = np.array([[1, 0], [0.9, 0.1], [0, 1], [0, 0]], dtype=np.float32)  # the last is none
GREEN, LUSH, LOUD = range(3)
OF, THE = 71, 72  # words, by numbers that last
Pair = tuple[int, int]


def scene(
    *, place: float = 0, before: int = 1, after: int = 2, word: int = GREEN, upper: bool = True
) -> Scenes:
    around = np.full((1, 10), NO_WORD)
    around[0, 0] = word
    return Scenes(
        np.array([place], np.float32), np.array([upper]), np.array([before]), np.array([after]), around
    )  # fmt: skip


def alike(count: int) -> Scenes:
    """Scenes that have nothing in common but their place."""
    parts = [scene(before=100 + 2 * n, after=101 + 2 * n) for n in range(count)]
    return Scenes.joined(parts)


@pytest.fixture
def likeness() -> Likeness:
    return Likeness.of(TITLES, KINDS, WORDS)


def learned(
    likeness: Likeness,
    *outcomes: tuple[int, int, bool],
    opinion: float = 0.5,
    scenes: Scenes | None = None,
) -> Memory:
    page, target, is_linked = (np.array(column) for column in zip(*outcomes, strict=True))
    opinions = np.full(len(page), opinion, dtype=np.float32)
    return Memory.learn(
        likeness, scenes or alike(len(page)), page, target, is_linked.astype(bool), opinions
    )


def matters(memory: Memory, likeness: Likeness, *pairs: Pair) -> list[float]:
    page, target = (np.array(column) for column in zip(*pairs, strict=True))
    scenes = Scenes.joined([scene() for _ in pairs])
    return memory.recall(likeness, scenes, page, target)[:, 0].tolist()


def phrases(memory: Memory, likeness: Likeness, pair: Pair, here: Scenes) -> float:
    return float(memory.recall(likeness, here, np.array(pair[:1]), np.array(pair[1:]))[0, 1])


def test_pages_of_one_kind_are_alike_and_others_are_not(likeness: Likeness) -> None:
    ours = likeness.between(np.array([OAK, OAK]), np.array([ELM, CAR]))
    assert ours[0] == pytest.approx(1, abs=1e-5)
    assert ours[1] < 0


def test_a_link_on_a_like_page_speaks_for_the_target(likeness: Likeness) -> None:
    memory = learned(likeness, (OAK, ROOT, True))
    same, other_page = matters(memory, likeness, (ELM, ROOT), (CAR, ROOT))
    assert same > 0.5
    assert other_page == 0


def test_a_mention_left_unlinked_on_a_like_page_speaks_against_it(likeness: Likeness) -> None:
    memory = learned(likeness, (OAK, ROOT, False))
    assert matters(memory, likeness, (ELM, ROOT))[0] < -0.5


def test_a_like_target_learns_too_and_another_does_not(likeness: Likeness) -> None:
    memory = learned(likeness, (OAK, ROOT, True))
    like, other = matters(memory, likeness, (ELM, LEAF), (ELM, WHEEL))
    assert like > 0.5
    assert other == 0


def test_a_mention_further_down_the_page_teaches_less(likeness: Likeness) -> None:
    far = Scenes.joined([scene(place=5.0, before=8, after=9)])
    memory = learned(likeness, (OAK, ROOT, True))
    below = learned(likeness, (OAK, ROOT, True), scenes=far)
    assert matters(below, likeness, (ELM, ROOT)) < matters(memory, likeness, (ELM, ROOT))


def test_nothing_of_a_page_is_remembered_for_itself(likeness: Likeness) -> None:
    memory = learned(likeness, (OAK, ROOT, True), (OAK, LEAF, False))
    assert matters(memory, likeness, (OAK, ROOT), (OAK, LEAF)) == [0, 0]


@pytest.mark.parametrize(
    ("here", "speaks"),
    [
        (scene(before=OF, after=0), True),
        (scene(before=0, after=THE), True),
        (scene(before=THE, after=OF), False),
        (scene(before=OF, after=0, upper=False), False),
        (scene(before=OF, after=0, word=LOUD), False),
    ],
    ids=["the word before", "the word after", "other words", "another case", "words unlike"],
)
def test_the_like_phrase_on_a_like_page_speaks_for_any_target(
    likeness: Likeness, here: Scenes, speaks: bool
) -> None:
    there = Scenes.joined(
        [scene(before=OF, after=THE, word=LUSH), scene(before=5, after=6, word=LOUD)]
    )
    memory = learned(likeness, (OAK, ROOT, True), (OAK, WHEEL, False), scenes=there)
    assert (phrases(memory, likeness, (ELM, BUS), here) > 0.3) is speaks
    assert phrases(memory, likeness, (CAR, BUS), here) == 0


def test_a_like_page_speaks_for_any_target_of_the_same_case(likeness: Likeness) -> None:
    memory = learned(likeness, (OAK, ROOT, True))
    name, noun = scene(), scene(upper=False)
    told = [
        float(memory.recall(likeness, here, np.array([page]), np.array([WHEEL]))[0, 2])
        for page, here in ((ELM, name), (ELM, noun), (CAR, name))
    ]
    assert told[0] > 0.5
    assert told[1:] == [0, 0]


def test_what_was_expected_teaches_little_and_what_was_ruled_out_nothing(
    likeness: Likeness,
) -> None:
    expected = learned(likeness, (OAK, ROOT, True), opinion=0.99)
    surprising = learned(likeness, (OAK, ROOT, True), opinion=0.2)
    assert matters(expected, likeness, (ELM, ROOT)) < matters(surprising, likeness, (ELM, ROOT))
    assert len(learned(likeness, (OAK, ROOT, True), opinion=0.001).page) == 0


def test_the_more_like_pages_agree_the_more_is_believed(likeness: Likeness) -> None:
    one = learned(likeness, (OAK, ROOT, True))
    two = learned(likeness, (OAK, ROOT, True), (ELM, LEAF, True))
    kinds = np.concatenate([KINDS, [TREES]]).astype(np.float32)
    new = Likeness.of((*TITLES, "Ash"), kinds, WORDS)
    assert matters(two, new, (7, ROOT)) > matters(one, new, (7, ROOT))


def test_pages_are_known_again_when_their_numbers_changed(likeness: Likeness) -> None:
    memory = learned(likeness, (OAK, ROOT, True), (CAR, WHEEL, True))
    back = Likeness(TITLES[::-1], likeness.vectors[::-1], WORDS)
    before, after = (
        matters(memory, likeness, (ELM, ROOT)),
        matters(memory, back, (6 - ELM, 6 - ROOT)),
    )
    assert before == pytest.approx(after)
    without_oak = Likeness(TITLES[1:], likeness.vectors[1:], WORDS)
    assert matters(memory, without_oak, (ELM - 1, ROOT - 1)) == [0]


def test_only_the_pages_most_alike_are_asked(
    likeness: Likeness, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = learned(likeness, (OAK, ROOT, True), (LEAF, ROOT, True))
    both = matters(memory, likeness, (ELM, ROOT))
    monkeypatch.setattr("wikibot.ranking.memory._NEAREST", 1)
    assert 0 < matters(memory, likeness, (ELM, ROOT))[0] < both[0]


def test_a_memory_is_the_same_after_it_was_written_and_read(likeness: Likeness) -> None:
    there = Scenes.joined([scene(before=OF), scene(place=2.5, word=LOUD, upper=False)])
    outcomes = ((OAK, ROOT, True), (CAR, WHEEL, False))
    memory = learned(likeness, *outcomes, opinion=0.25, scenes=there)
    again = Memory.from_dict(json.loads(json.dumps(memory.to_dict())))
    pairs = ((ELM, ROOT), (BUS, WHEEL))
    assert matters(memory, likeness, *pairs) == pytest.approx(matters(again, likeness, *pairs))
    here = scene(before=OF, word=LUSH)
    told = phrases(memory, likeness, (ELM, ROOT), here)
    assert told == pytest.approx(phrases(again, likeness, (ELM, ROOT), here))
    assert told != 0


def test_an_empty_memory_adds_nothing(likeness: Likeness) -> None:
    memory = learned(likeness, (OAK, ROOT, True), opinion=0.0)
    assert matters(memory, likeness, (ELM, ROOT)) == [0]


def test_a_scene_knows_the_neighbours_and_how_far_down_it_is() -> None:
    of = studied({"Here": "Old men of Rome the city, and again of Rome.", "Rome": "A city."})
    everywhere = np.ones(of.wiki.size, dtype=bool)
    rows, _ = candidates_of(of, all_hidden(of.wiki), everywhere)
    scenes = Scenes.of(of.wiki, np.arange(len(of.wiki.word)), rows)
    assert np.expm1(scenes.place).round().tolist() == [3, 9]
    assert scenes.before[0] == scenes.before[1]
    assert scenes.after.tolist()[1] == NO_WORD != scenes.after[0]
    assert scenes.is_upper.all()
    start = rows.first[0]
    assert scenes.around[0].tolist() == [
        start - 1, start - 2, start - 3, NO_WORD, NO_WORD, *range(start + 1, start + 6)
    ]  # fmt: skip


def test_a_memory_is_believed_as_far_as_it_was_right() -> None:
    random = np.random.default_rng(1)
    is_linked = random.random(2000) < 0.5
    odds, noise = np.zeros(2000), random.normal(size=2000)
    telling = is_linked - 0.5 + random.normal(size=2000) / 2
    evidence = np.stack([odds, telling, noise], axis=1)
    _, _, in_telling, in_noise = _calibrate(evidence, is_linked, np.ones(2000, np.float32))
    assert in_telling > 1
    assert in_noise == pytest.approx(0, abs=0.1)
    contrary = np.stack([odds, -telling, noise], axis=1)
    assert _calibrate(contrary, is_linked, np.ones(2000, np.float32))[2] == 0
