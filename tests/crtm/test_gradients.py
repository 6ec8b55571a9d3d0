"""Every gradient equals finite differences; the bound never falls in an exact coordinate step."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from crtm import em, linkfunction, term_weights
from crtm.linkfunction import LinkFunction
from tests.crtm import reference
from tests.crtm.test_kernels import random_state, small_inputs


def inferred(inputs, state, d):
    """Return the state and the phi of document d after one exact coordinate step of that document."""
    shared, to_context = em.messages(inputs, state)
    word_counts = inputs.word_counts
    own = slice(word_counts.doc_ptr[d], word_counts.doc_ptr[d + 1])
    return reference.document_step(
        word_counts.word[own], word_counts.count[own], state.topic_word, inputs.alpha, state.gamma[d], shared[d],
        reference.cell_messages(inputs, d, to_context), 1,
    )  # fmt: skip


def consistent_start(inputs, state):
    """Return phi of all documents and the state with gamma and contexts that follow from it."""
    phi = [inferred(inputs, state, d)[1] for d in range(len(inputs.word_counts.doc_ptr) - 1)]
    return phi, with_phi(inputs, state, phi)


def with_phi(inputs, state, phi):
    word_counts, contexts, flat = inputs.word_counts, inputs.contexts, np.concatenate(phi)
    gamma = np.array(
        [
            inputs.alpha
            + (
                word_counts.count[word_counts.doc_ptr[d] : word_counts.doc_ptr[d + 1], None] * own
            ).sum(axis=0)
            for d, own in enumerate(phi)
        ]
    )
    context = np.array(
        [
            contexts.pair_weight[contexts.pair_ptr[i] : contexts.pair_ptr[i + 1]]
            @ flat[contexts.pair_cell[contexts.pair_ptr[i] : contexts.pair_ptr[i + 1]]]
            for i in range(len(contexts.target))
        ]
    )
    return em.State(state.topic_word, gamma, context, state.function, 0)


@pytest.mark.parametrize("context", ["attention", "uniform", "positional", "anchor", "document"])
@pytest.mark.parametrize("tied", [True, False])
def test_messages_are_the_gradient_of_the_link_term(context, tied):
    _, inputs = small_inputs(context, tied=tied)
    corpus, _ = small_inputs(context, tied=tied)
    state = random_state(corpus, inputs, 3)
    phi, state = consistent_start(inputs, state)
    shared, to_context = em.messages(inputs, state)
    word_counts, random = inputs.word_counts, np.random.default_rng(0)
    for d in random.choice(len(phi), 3, replace=False):
        analytic = reference.cell_messages(inputs, d, to_context) + shared[d]
        cell = int(random.integers(len(phi[d])))

        def moved(row, d=d, cell=cell):
            trial = [own.copy() for own in phi]
            trial[d][cell] = row
            return reference.link_term(inputs, state, trial)

        slope = approx_fprime(phi[d][cell], moved, 1e-6)
        count = word_counts.count[word_counts.doc_ptr[d] + cell]
        np.testing.assert_allclose(slope, count * analytic[cell], rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("context", ["attention", "document"])
def test_the_bound_never_falls_in_an_exact_coordinate_step(context):
    corpus, inputs = small_inputs(context)
    state = random_state(corpus, inputs, 4)
    phi, state = consistent_start(inputs, state)
    before = reference.bound(inputs, state, phi)
    for d in [*range(len(phi)), *range(len(phi))]:
        _, phi[d] = inferred(inputs, state, d)
        gamma_kept = state.gamma.copy()
        after_phi = reference.bound(inputs, state, phi)
        assert after_phi >= before - 1e-8
        state = with_phi(inputs, state, phi)
        after_gamma = reference.bound(inputs, state, phi)
        assert after_gamma >= after_phi - 1e-8
        assert np.delete(state.gamma, d, 0) == pytest.approx(np.delete(gamma_kept, d, 0))
        before = after_gamma


def test_the_bound_never_falls_when_beta_is_updated():
    corpus, inputs = small_inputs()
    phi, state = consistent_start(inputs, random_state(corpus, inputs, 4))
    counts = np.zeros_like(state.topic_word)
    np.add.at(
        counts, inputs.word_counts.word, inputs.word_counts.count[:, None] * np.concatenate(phi)
    )
    better = em.State(counts / counts.sum(axis=0) + 1e-300, *_rest(state))
    assert reference.bound(inputs, better, phi) >= reference.bound(inputs, state, phi) - 1e-8


def _rest(state):
    return state.gamma, state.context, state.function, 0


def link_topics(links=12, n_topics=4, seed=2):
    random = np.random.default_rng(seed)
    return random.dirichlet(np.ones(n_topics), links), random.dirichlet(np.ones(n_topics), links)


def test_contrast_slopes_equal_finite_differences_for_eta_and_q():
    contexts, targets = link_topics()
    random = np.random.default_rng(0)
    function = LinkFunction(random.random(4) * 3, 0.0, random.standard_normal((4, 4)))
    _, eta_slope, q_slope = linkfunction.contrast_loss(function, contexts, targets)

    def of_eta(eta):
        return linkfunction.contrast_loss(
            LinkFunction(eta, 0.0, function.projection), contexts, targets
        )[0]

    def of_q(q):
        return linkfunction.contrast_loss(
            LinkFunction(function.eta, 0.0, q.reshape(4, 4)), contexts, targets
        )[0]

    np.testing.assert_allclose(eta_slope, approx_fprime(function.eta, of_eta, 1e-6), atol=1e-6)
    np.testing.assert_allclose(
        q_slope.ravel(), approx_fprime(function.projection.ravel(), of_q, 1e-6), atol=1e-6
    )


def test_contrast_slopes_equal_finite_differences_for_the_identity_and_the_full_matrix():
    contexts, targets = link_topics()
    eta, full = np.array([1.0, 2.0, 0.5, 3.0]), np.random.default_rng(1).standard_normal((4, 4))
    _, eta_slope, none = linkfunction.contrast_loss(LinkFunction(eta, 0.0), contexts, targets)
    _, _, slope = linkfunction.contrast_loss(LinkFunction(eta, 0.0, full=full), contexts, targets)

    def of_full(w):
        return linkfunction.contrast_loss(
            LinkFunction(eta, 0.0, full=w.reshape(4, 4)), contexts, targets
        )[0]

    expected = approx_fprime(
        eta, lambda e: linkfunction.contrast_loss(LinkFunction(e, 0.0), contexts, targets)[0], 1e-6
    )
    np.testing.assert_allclose(eta_slope, expected, atol=1e-6)
    np.testing.assert_allclose(slope.ravel(), approx_fprime(full.ravel(), of_full, 1e-6), atol=1e-6)
    assert none is None


def test_contrast_update_tells_true_targets_from_others_better():
    contexts, targets = link_topics(links=60, seed=4)
    targets = (
        0.2 * targets + 0.8 * contexts[:, ::-1]
    )  # topic k of the context goes with topic K - k of the target
    function = linkfunction.initial(4, "learned")
    before = linkfunction.contrast_loss(function, contexts, targets)[0]
    for turn in range(30):
        rows = linkfunction.batches(60, turn)
        function = linkfunction.contrast_update(function, contexts[rows], targets[rows], rate=0.1)
    assert linkfunction.contrast_loss(function, contexts, targets)[0] < before
    np.testing.assert_allclose(np.linalg.norm(function.projection, axis=1), 1, rtol=1e-5)


def test_the_full_matrix_learns_a_direction_that_a_diagonal_cannot():
    random = np.random.default_rng(3)
    topic = random.integers(0, 4, 200)
    contexts = (0.9 * np.eye(4)[topic] + 0.025).astype(np.float32)
    targets = (0.9 * np.eye(4)[(topic + 1) % 4] + 0.025).astype(np.float32)
    losses = {}
    for kind in ("identity", "full"):
        function = linkfunction.initial(4, kind)
        for turn in range(60):
            rows = linkfunction.batches(200, turn)
            function = linkfunction.contrast_update(
                function, contexts[rows], targets[rows], rate=0.5
            )
        losses[kind] = linkfunction.contrast_loss(function, contexts, targets)[0]
    assert losses["full"] < losses["identity"] - 0.5
    assert function.full.argmax(axis=1).tolist() == [1, 2, 3, 0]


def test_batches_take_every_link_in_turn_and_never_more_than_there_are():
    assert sorted(linkfunction.batches(5, 0)[:5].tolist()) == [0, 1, 2, 3, 4]
    seen = np.concatenate([linkfunction.batches(2000, turn) for turn in range(4)])
    assert len(set(seen.tolist())) == 2000 and len(seen) == 4 * 4 * 128


def test_the_anchor_loss_gradient_equals_finite_differences():
    random = np.random.default_rng(0)
    columns, begins = random.standard_normal((30, 5)), np.array([0, 9, 20])
    right = np.zeros(30, bool)
    right[[2, 3, 11, 25]] = True
    weights, centre = random.standard_normal(5), random.standard_normal(5)
    rows = term_weights.Rows(columns, begins, right, random.uniform(1, 4, 30))
    _, slope = term_weights.anchor_loss(weights, columns, rows, centre)
    expected = approx_fprime(
        weights, lambda w: term_weights.anchor_loss(w, columns, rows, centre)[0], 1e-7
    )
    np.testing.assert_allclose(slope, expected, atol=1e-5)


def test_the_printed_update_is_the_closed_form_and_stays_finite():
    contexts, targets = link_topics(links=40)
    function = linkfunction.paper_update(
        linkfunction.initial(4, "identity"), contexts, targets, rho=2000, rate=0.01
    )
    similarity, prior = (contexts * targets).sum(axis=0), 1 / 16
    nu = np.log(40 - similarity.sum()) - np.log(2000 * (1 - 4 * prior) + 40 - similarity.sum())
    assert function.nu == pytest.approx(nu)
    np.testing.assert_allclose(
        function.eta, np.log(similarity) - np.log(similarity + 2000 * prior) - nu, rtol=1e-5
    )
    fitted = linkfunction.initial(4, "learned")
    for _ in range(200):
        fitted = linkfunction.paper_update(fitted, contexts, targets, rho=2000, rate=0.5)
    assert (
        np.isfinite(fitted.eta).all()
        and np.isfinite(fitted.projection).all()
        and np.isfinite(fitted.nu)
    )
    assert (fitted.projection >= 0).all()
