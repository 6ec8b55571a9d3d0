"""The probability of a link: its forms, what they tell both ends, and how they are learned."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from crtm import linkfunction
from crtm.linkfunction import LinkFunction, contrast_loss, contrast_update, initial, paper_update

NUMBERS = st.floats(-5, 5, allow_nan=False)
KINDS = ("identity", "learned", "full")


def function_of(kind, seed=0, n_topics=4):
    random = np.random.default_rng(seed)
    eta, matrix = random.random(n_topics) * 3, random.standard_normal((n_topics, n_topics))
    if kind == "full":
        return LinkFunction(eta, 0.4, full=matrix)
    return LinkFunction(eta, 0.4, projection=matrix if kind == "learned" else None)


def matrix_of(function):
    """Return W of E[log psi] = c . W t + nu."""
    if function.full is not None:
        return function.full
    q = np.eye(len(function.eta)) if function.projection is None else function.projection
    return q.T @ np.diag(function.eta) @ q


def topics(rows, seed=0, n_topics=4):
    return np.random.default_rng(seed).dirichlet(np.ones(n_topics), rows)


@pytest.mark.parametrize("kind", KINDS)
def test_all_forms_are_one_matrix_between_context_and_target(kind):
    function, contexts, targets = function_of(kind), topics(5, 1), topics(7, 2)
    matrix = matrix_of(function)
    np.testing.assert_allclose(
        function.score(contexts, targets), contexts @ matrix @ targets.T + 0.4, rtol=1e-6
    )
    np.testing.assert_allclose(function.to_context(targets), targets @ matrix.T, rtol=1e-9)
    np.testing.assert_allclose(function.to_target(contexts), contexts @ matrix, rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_what_is_told_to_either_end_weighs_the_same(kind, data):
    function = function_of(kind)
    context = data.draw(arrays(float, 4, elements=NUMBERS))
    target = data.draw(arrays(float, 4, elements=NUMBERS))
    one = context @ function.to_context(target[None])[0]
    other = function.to_target(context[None])[0] @ target
    assert one == pytest.approx(other, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_training_starts_where_equal_topics_attract(kind):
    function = initial(3, kind)
    np.testing.assert_allclose(matrix_of(function), np.eye(3))
    assert function.nu == 0


def test_the_paper_s_scores_are_eta_times_the_products_of_moved_topics():
    function, context, target = function_of("learned"), topics(1, 3)[0], topics(1, 4)[0]
    q = function.projection
    expected = function.eta @ ((q @ context) * (q @ target)) + function.nu
    assert function.score(context[None], target[None])[0, 0] == pytest.approx(expected, rel=1e-6)


# -- the printed update -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["identity", "learned"])
def test_the_printed_update_stays_finite_where_its_logarithms_would_not(kind):
    same = np.eye(3)[
        np.zeros(50, dtype=int)
    ]  # every link joins topic 0 with topic 0: L - 1'Pi is zero
    function = initial(3, kind)
    for _ in range(20):
        function = paper_update(function, same, same, rho=2000, rate=0.01)
        assert np.isfinite(function.eta).all() and np.isfinite(function.nu)
        assert function.eta[0] > max(function.eta[1:])


def test_the_printed_step_keeps_q_non_negative_with_rows_of_length_one():
    function = initial(4, "learned")
    for turn in range(30):
        function = paper_update(
            function, topics(40, turn), topics(40, turn + 1), rho=2000, rate=1.0
        )
        assert (function.projection >= 0).all()
        np.testing.assert_allclose(np.linalg.norm(function.projection, axis=1), 1, rtol=1e-5)


def test_the_printed_update_of_the_identity_never_grows_a_transform():
    function = paper_update(initial(4, "identity"), topics(9), topics(9, 1), rho=2000, rate=0.1)
    assert function.projection is None and function.full is None


def test_topics_that_links_share_get_the_larger_eta():
    contexts = np.array([[0.9, 0.05, 0.05]] * 30)
    function = paper_update(initial(3, "identity"), contexts, contexts, rho=2000, rate=0.01)
    assert function.eta.argmax() == 0


def test_more_imagined_negatives_make_links_less_likely():
    contexts, targets = topics(50), topics(50, 1)
    few, many = (
        paper_update(initial(4, "identity"), contexts, targets, rho=rho, rate=0.01).nu
        for rho in (200, 20000)
    )
    assert many < few


# -- learning by contrast -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_each_small_step_lowers_the_loss(kind):
    contexts, targets = topics(512, 5), topics(512, 6)
    targets = 0.3 * targets + 0.7 * contexts
    function = initial(4, kind)
    losses = [contrast_loss(function, contexts, targets)[0]]
    for _ in range(5):
        function = contrast_update(function, contexts, targets, rate=0.02)
        losses.append(contrast_loss(function, contexts, targets)[0])
    assert np.diff(losses).max() < 0


def test_the_loss_of_a_function_that_knows_nothing_is_that_of_guessing():
    function = LinkFunction(np.zeros(4), 0.0)
    loss, _, _ = contrast_loss(function, topics(16), topics(16, 1))
    assert loss == pytest.approx(np.log(16))


def test_the_constant_is_no_matter_of_contrast():
    contexts, targets = topics(20), topics(20, 1)
    losses = {
        round(contrast_loss(LinkFunction(np.ones(4), nu), contexts, targets)[0], 6)
        for nu in (-3.0, 0.0, 5.0)
    }
    assert len(losses) == 1


@pytest.mark.parametrize("links", [1, 2, 5, 127, 128, 129, 1000])
def test_batches_name_links_that_exist_whatever_their_number(links):
    for turn in (0, 1, 19):
        rows = linkfunction.batches(links, turn)
        assert rows.min() >= 0 and rows.max() < links
        assert len(rows) == linkfunction.STEPS * min(links, linkfunction.BATCH)


@pytest.mark.parametrize("links", [linkfunction.STRIDES[0], 2 * linkfunction.STRIDES[0]])
def test_batches_are_not_one_link_again_and_again(links):
    rows = linkfunction.batches(links, 0)
    assert len(set(rows.tolist())) > len(rows) / 2


def test_one_link_alone_can_be_learned_from():
    function = contrast_update(
        initial(3, "learned"), np.tile(topics(1, n_topics=3), (4, 1)), np.tile(topics(1, 1, 3), (4, 1)), rate=0.01
    )  # fmt: skip
    assert np.isfinite(function.eta).all() and np.isfinite(function.projection).all()
