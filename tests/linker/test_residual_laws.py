"""Residuals of generated cases, beside a slow twin that follows the description word by word."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wikibot.linker.residuals import LEAST_SCORE, PRIOR_VARIANCE, Residuals

laws = settings(max_examples=40, deadline=None)
PAGES, DIMENSIONS = 6, 3


@st.composite
def cases(draw: st.DrawFn) -> dict[str, np.ndarray]:
    """(page, target) pairs with scores and outcomes, in any order."""
    size = draw(st.integers(0, 12))
    whole = st.integers(0, PAGES - 1)
    columns = {
        "page": [draw(whole) for _ in range(size)],
        "target": [draw(whole) for _ in range(size)],
        "score": [draw(st.integers(0, 20)) / 20 for _ in range(size)],
        "is_linked": [draw(st.booleans()) for _ in range(size)],
        "depth": [draw(st.integers(0, 8)) / 4 for _ in range(size)],
    }
    kinds = {"page": np.int64, "target": np.int64, "score": np.float32, "depth": np.float32}
    return {name: np.array(v, dtype=kinds.get(name, bool)) for name, v in columns.items()}


def vectors(seed: int) -> np.ndarray:
    """A direction for each page, of unit length."""
    found = np.random.default_rng(seed).normal(size=(PAGES, DIMENSIONS))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


TOPICS = np.full((PAGES, 2), 0.5, dtype=np.float32)


def residuals(case: dict[str, np.ndarray]) -> Residuals:
    return Residuals.of(**case, topics=TOPICS)


def slow_twin(
    case: dict[str, np.ndarray], number: int, direction: np.ndarray, target: int, depth: float
) -> float:
    """The weighted mean of what came more or less often than expected."""
    errors, variances = 0.0, 0.0
    for at in range(len(case["page"])):
        page, score = int(case["page"][at]), float(case["score"][at])
        alike = float(direction[page] @ direction[number])
        if np.float32(score) < np.float32(LEAST_SCORE) or page == number or alike <= 0:
            continue
        chance = min(max(score, 0.001), 0.999)
        near = max(0.0, float(direction[target] @ direction[case["target"][at]])) ** 2
        near *= np.exp(-abs(depth - float(case["depth"][at])))
        errors += alike**2 * near * (float(case["is_linked"][at]) - chance)
        variances += alike**2 * near * chance * (1 - chance)
    return errors / (variances + PRIOR_VARIANCE)


@given(cases(), st.integers(0, 50), st.integers(0, PAGES - 1), st.integers(0, PAGES - 1), st.integers(0, 8))  # fmt: skip
@laws
def test_residuals_are_smoothed_as_the_description_says(
    case: dict[str, np.ndarray], seed: int, number: int, target: int, eighths: int
) -> None:
    direction, depth = vectors(seed), eighths / 4
    found = residuals(case).smoothed(
        number, TOPICS[number], direction[number], direction, np.array([target]),
        np.array([depth], dtype=np.float32),
    )  # fmt: skip
    expected = slow_twin(case, number, direction, target, depth)
    assert found.tolist() == pytest.approx([expected], abs=1e-4)


@given(cases(), st.randoms(use_true_random=False))
@laws
def test_the_order_of_cases_on_different_pages_does_not_matter(
    case: dict[str, np.ndarray], rng
) -> None:
    order = list(range(len(case["page"])))
    rng.shuffle(order)
    shuffled = residuals({name: column[order] for name, column in case.items()})
    ours = residuals(case)
    assert np.array_equal(shuffled.pages, ours.pages)
    assert np.array_equal(shuffled.first, ours.first)
    for page in range(len(ours.pages)):
        part = slice(ours.first[page], ours.first[page + 1])
        left, right = (sorted(zip(r.target[part].tolist(), r.error[part].tolist(), strict=True)) for r in (ours, shuffled))  # fmt: skip
        assert left == right


@given(cases())
@laws
def test_a_page_is_never_told_of_itself(case: dict[str, np.ndarray]) -> None:
    direction = vectors(1)
    only = {name: column[case["page"] == 2] for name, column in case.items()}
    found = residuals(only).smoothed(
        2, TOPICS[2], direction[2], direction, np.arange(PAGES), np.zeros(PAGES, dtype=np.float32),
    )  # fmt: skip
    assert not found.any()


@given(cases(), st.permutations(range(PAGES)))
@laws
def test_other_numbers_for_the_same_pages_tell_the_same(
    case: dict[str, np.ndarray], numbers: list[int]
) -> None:
    number = np.array(numbers, dtype=np.int64)
    ours, direction = residuals(case), vectors(3)
    moved, elsewhere = ours.renumbered(number), np.empty_like(direction)
    elsewhere[number] = direction
    asked = np.arange(PAGES)
    depth = np.zeros(PAGES, dtype=np.float32)
    before = ours.smoothed(0, TOPICS[0], direction[0], direction, asked, depth)
    after = moved.smoothed(int(number[0]), TOPICS[0], direction[0], elsewhere, number[asked], depth)
    assert after == pytest.approx(before, abs=1e-4)


@given(cases(), st.sets(st.integers(0, PAGES - 1)))
@laws
def test_pages_that_are_gone_leave_with_their_cases(
    case: dict[str, np.ndarray], gone: set[int]
) -> None:
    number = np.array([-1 if n in gone else n for n in range(PAGES)])
    left = residuals(case).renumbered(number)
    is_left = np.array([p not in gone and t not in gone for p, t in zip(case["page"], case["target"], strict=True)], dtype=bool)  # fmt: skip
    expected = residuals({name: column[is_left] for name, column in case.items()})
    for field in fields(expected):
        ours, theirs = getattr(left, field.name), getattr(expected, field.name)
        assert np.array_equal(ours, theirs), field.name


def test_expectations_that_come_true_on_average_leave_nothing_behind() -> None:
    """A thousand cases of one half on a like page, every second of them linked."""
    size = 1000
    case = {
        "page": np.zeros(size, dtype=np.int64), "target": np.ones(size, dtype=np.int64),
        "score": np.full(size, 0.5, dtype=np.float32), "is_linked": np.arange(size) % 2 == 0,
        "depth": np.zeros(size, dtype=np.float32),
    }  # fmt: skip
    direction = np.ones((PAGES, DIMENSIONS), dtype=np.float32) / np.sqrt(np.float32(DIMENSIONS))
    found = residuals(case).smoothed(
        3, TOPICS[3], direction[3], direction, np.array([1]),
        np.zeros(1, dtype=np.float32),
    )  # fmt: skip
    assert found.tolist() == pytest.approx([0], abs=1e-4)


@pytest.mark.parametrize(("is_linked", "sign"), [(True, 1), (False, -1)])
def test_one_surprise_moves_little_and_many_move_much(is_linked: bool, sign: int) -> None:
    direction = np.ones((PAGES, DIMENSIONS), dtype=np.float32) / np.sqrt(np.float32(DIMENSIONS))
    moved = []
    for size in (1, 10, 1000):
        case = {
            "page": np.zeros(size, dtype=np.int64), "target": np.ones(size, dtype=np.int64),
            "score": np.full(size, 0.5, dtype=np.float32), "is_linked": np.full(size, is_linked),
            "depth": np.zeros(size, dtype=np.float32),
        }  # fmt: skip
        found = residuals(case).smoothed(
            3, TOPICS[3], direction[3], direction, np.array([1]),
            np.zeros(1, dtype=np.float32),
        )  # fmt: skip
        moved.append(sign * float(found[0]))
    assert 0 < moved[0] < moved[1] < moved[2]
    assert moved[0] == pytest.approx(0.5 / (0.25 + PRIOR_VARIANCE), rel=1e-4)
    assert moved[2] == pytest.approx(2, rel=0.01), "one over the spread of a toss"
