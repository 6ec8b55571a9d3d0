"""Residuals: what editors did beyond what was expected, smoothed over like pages and targets."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest

from tests.linker.wikis import assert_same
from wikibot.linker import residuals as module
from wikibot.linker.residuals import LEAST_SCORE, PRIOR_VARIANCE, Residuals

# Pages 0 and 1 point the same way, page 2 between them and page 3, which points elsewhere.
VECTORS = np.array([[1, 0], [1, 0], [0.6, 0.8], [0, 1]], dtype=np.float32)
TOPICS = np.array([[0.9, 0.1], [0.8, 0.2], [0.4, 0.6], [0.1, 0.9]], dtype=np.float32)


def residuals(**changes: object) -> Residuals:
    columns = {
        "page": np.array([2, 0, 1]),
        "target": np.array([3, 1, 3]),
        "score": np.array([0.2, 0.5, 0.75], dtype=np.float32),
        "is_linked": np.array([True, True, False]),
        "depth": np.array([1.0, 0.0, 2.0], dtype=np.float32),
        "topics": TOPICS,
    }
    return Residuals.of(**(columns | changes))


def smoothed(of: Residuals, number: int, target: int, *, depth: float = 0.0) -> float:
    vector = VECTORS[number] if number >= 0 else VECTORS[0]
    found = of.smoothed(
        number, TOPICS[number], vector, VECTORS, np.array([target]),
        np.array([depth], dtype=np.float32),
    )  # fmt: skip
    return float(found[0])


def test_residuals_are_kept_in_the_order_of_pages() -> None:
    kept = residuals()
    assert kept.pages.tolist() == [0, 1, 2]
    assert kept.first.tolist() == [0, 1, 2, 3]
    assert kept.target.tolist() == [1, 3, 3]
    assert kept.error == pytest.approx([0.5, -0.75, 0.8])
    assert kept.variance == pytest.approx([0.25, 0.1875, 0.16])


def test_what_scored_next_to_nothing_is_not_kept_whatever_came_of_it() -> None:
    low = LEAST_SCORE / 2
    kept = residuals(score=np.array([low, low, 0.75], dtype=np.float32))
    assert kept.pages.tolist() == [1]


def test_residuals_are_smoothed_by_hand() -> None:
    of = residuals()
    # Page 0 is like page 1 (1) and page 2 (0.6), which both tell of target 3.
    weight = {1: 1.0, 2: 0.6**2}
    near = {1: exp(-2) * weight[1], 2: exp(-1) * weight[2]}
    expected = (near[1] * -0.75 + near[2] * 0.8) / (
        near[1] * 0.1875 + near[2] * 0.16 + PRIOR_VARIANCE
    )
    assert smoothed(of, 0, 3) == pytest.approx(expected, rel=1e-5)


def test_a_page_never_gets_residuals_of_its_own() -> None:
    alone = residuals(score=np.array([0.001, 0.5, 0.001], dtype=np.float32))
    assert alone.pages.tolist() == [0]
    assert smoothed(alone, 0, 1) == 0
    assert smoothed(alone, 1, 1) > 0
    assert smoothed(alone, -1, 1) > 0  # a draft like page 0


def test_pages_that_are_not_alike_give_nothing() -> None:
    alone = residuals(score=np.array([0.001, 0.5, 0.001], dtype=np.float32))
    assert smoothed(alone, 3, 1) == 0


def test_targets_that_are_not_alike_give_nothing() -> None:
    alone = residuals(score=np.array([0.001, 0.5, 0.001], dtype=np.float32))
    assert smoothed(alone, 1, 3) == 0


def test_without_targets_or_residuals_there_is_nothing_to_smooth() -> None:
    of = residuals()
    nothing = np.zeros(0, dtype=np.int64)
    empty = of.smoothed(0, TOPICS[0], VECTORS[0], VECTORS, nothing, nothing.astype(np.float32))
    assert empty.shape == (0,)
    none = residuals(score=np.zeros(3, dtype=np.float32))
    assert smoothed(none, 0, 3) == 0


def test_renumbered_residuals_say_the_same_of_the_same_pages() -> None:
    number = np.array([3, 0, 2, 1])
    back = np.argsort(number)
    other = residuals().renumbered(number)
    for old in range(4):
        found = other.smoothed(
            int(number[old]), TOPICS[old], VECTORS[old], VECTORS[back], number[[1, 3]],
            np.array([0.5, 1.5], dtype=np.float32),
        )  # fmt: skip
        expected = residuals().smoothed(
            old, TOPICS[old], VECTORS[old], VECTORS, np.array([1, 3]),
            np.array([0.5, 1.5], dtype=np.float32),
        )  # fmt: skip
        assert found == pytest.approx(expected, abs=1e-6)


def test_renumbering_back_leaves_nothing_changed() -> None:
    number = np.array([3, 0, 2, 1])
    assert_same(residuals().renumbered(number).renumbered(np.argsort(number)), residuals())


def test_pages_and_targets_that_are_gone_take_their_residuals_along() -> None:
    without_target = residuals().renumbered(np.array([0, 1, 2, -1]))
    assert without_target.pages.tolist() == [0]
    without_page = residuals().renumbered(np.array([0, -1, 1, 2]))
    assert without_page.pages.tolist() == [1]
    assert without_page.target.tolist() == [2]
    assert without_page.error == pytest.approx([0.8])


def test_each_page_keeps_its_own_topics_when_numbers_change() -> None:
    of = residuals()
    other = of.renumbered(np.array([2, 1, 0, 3]))
    by_page = dict(zip(other.pages.tolist(), other.topics.tolist(), strict=True))
    assert by_page == {2: of.topics[0].tolist(), 1: of.topics[1].tolist(), 0: of.topics[2].tolist()}


def test_in_a_large_wiki_only_pages_with_a_common_main_topic_are_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "FEW_PAGES", 1)
    monkeypatch.setattr(module, "main_topics", lambda topics: np.argmax(topics, axis=1)[:, None])
    of = residuals()
    # The main topic of page 2 is another one than that of page 0, so only page 1 is asked.
    near, alike = of._near(0, TOPICS[0], VECTORS[0], VECTORS)
    assert of.pages[near].tolist() == [1]
    assert alike == pytest.approx([1])


def test_depth_is_a_logarithm_so_that_early_words_differ_more() -> None:
    alone = residuals(score=np.array([0.001, 0.5, 0.001], dtype=np.float32))
    here, far = (smoothed(alone, 1, 1, depth=depth) for depth in (0.0, log(11)))
    assert 0 < far < here / 5
