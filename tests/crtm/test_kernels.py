"""Each kernel equals its slow twin."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import digamma

from crtm import em, linkfunction
from crtm.counts import make_contexts, make_counts
from crtm.em import EMInputs, State
from crtm.kernels import (
    active_topics_of,
    add_rows,
    attend,
    exp_digamma,
    expected_topics,
    infer_documents,
    look_up,
    multiply_by_exp,
    scaled_rows,
)
from tests.crtm import reference
from tests.crtm.worlds import planted_corpus


def small_inputs(context="attention", *, alpha=0.3, steps=1, active=64, tied=True, jobs=2):
    corpus = planted_corpus(9)
    random = np.random.default_rng(5)
    vectors = random.standard_normal((len(corpus.vocabulary), 6)).astype(np.float32)
    word_counts = make_counts(corpus, tied=tied)
    contexts = make_contexts(corpus, word_counts, context, vectors, sharpness=2.0, sigma=3.0)
    return corpus, EMInputs(word_counts, contexts, alpha, steps, active, jobs)


def random_state(corpus, inputs, n_topics, *, seed=1, strength=4.0):
    """A state of single precision, as the library's own are: the twins count in double."""
    kind = np.float32
    random = np.random.default_rng(seed)
    beta = random.dirichlet(np.full(len(corpus.vocabulary), 0.5), n_topics).T + 1e-6
    beta /= beta.sum(axis=0)
    gamma = inputs.alpha + random.random((len(corpus), n_topics)) * 5
    context = random.dirichlet(np.ones(n_topics), len(corpus.links))
    eta = (random.random(n_topics) * strength).astype(kind)
    q = np.abs(random.standard_normal((n_topics, n_topics))).astype(kind)
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    function = linkfunction.LinkFunction(eta, 0.3, q)
    return State(beta.astype(kind), gamma.astype(kind), context.astype(kind), function, 0)


@pytest.mark.parametrize("x", np.logspace(-3, 8, 40))
def test_exp_digamma_is_the_textbook_function_over_eleven_orders_of_magnitude(x):
    assert exp_digamma(float(x)) == pytest.approx(float(np.exp(digamma(x))), rel=1e-8, abs=1e-300)


@pytest.mark.parametrize("size", [1e-6, 0.01, 0.3, 0.999, 1.5, 40.0])
def test_multiply_by_exp_is_exp_for_small_and_large_powers(size):
    powers = np.random.default_rng(0).uniform(-size, size, 50)
    powers[0] = size
    values = np.linspace(0.5, 2, 50)
    expected = values * np.exp(powers)
    multiply_by_exp(values, powers)
    np.testing.assert_allclose(values, expected, rtol=1e-7)


@pytest.mark.parametrize("context", ["attention", "uniform", "positional", "anchor", "document"])
@pytest.mark.parametrize("tied", [True, False])
def test_inference_equals_its_twin(context, tied):
    corpus, inputs = small_inputs(context, steps=3, tied=tied)
    state = random_state(corpus, inputs, 5)
    shared, to_context = em.messages(inputs, state)
    gamma, _, counts, _ = em.e_step(inputs, state)
    word_counts, expected_counts = inputs.word_counts, np.zeros_like(counts)
    for d in range(len(corpus)):
        own = slice(word_counts.doc_ptr[d], word_counts.doc_ptr[d + 1])
        expected, phi = reference.document_step(
            word_counts.word[own], word_counts.count[own], state.topic_word, inputs.alpha, state.gamma[d], shared[d],
            reference.cell_messages(inputs, d, to_context), 3,
        )  # fmt: skip
        np.testing.assert_allclose(gamma[d], expected, rtol=1e-5)
        np.add.at(expected_counts, word_counts.word[own], word_counts.count[own][:, None] * phi)
    np.testing.assert_allclose(counts, expected_counts, rtol=1e-4, atol=1e-7)


def test_context_topics_are_the_weighted_topics_of_the_sentence():
    corpus, inputs = small_inputs(steps=1)
    state = random_state(corpus, inputs, 4)
    shared, to_context = em.messages(inputs, state)
    _, context, _, _ = em.e_step(inputs, state)
    word_counts, contexts = inputs.word_counts, inputs.contexts
    for link in range(len(contexts.target)):
        d = contexts.source[link]
        own = slice(word_counts.doc_ptr[d], word_counts.doc_ptr[d + 1])
        _, phi = reference.document_step(
            word_counts.word[own], word_counts.count[own], state.topic_word, inputs.alpha, state.gamma[d], shared[d],
            reference.cell_messages(inputs, d, to_context), 1,
        )  # fmt: skip
        pairs = slice(contexts.pair_ptr[link], contexts.pair_ptr[link + 1])
        expected = (
            contexts.pair_weight[pairs] @ phi[contexts.pair_cell[pairs] - word_counts.doc_ptr[d]]
        )
        np.testing.assert_allclose(context[link], expected, rtol=1e-5)
    np.testing.assert_allclose(context.sum(axis=1), 1, rtol=1e-5)


def test_with_few_active_topics_all_mass_lies_on_the_ones_that_matter():
    corpus, inputs = small_inputs(steps=4, active=3)
    state = random_state(corpus, inputs, 12)
    gamma, context, counts, _ = em.e_step(inputs, state)
    assert ((gamma > inputs.alpha + 1e-9).sum(axis=1) <= 3).all()
    np.testing.assert_allclose(counts.sum(), inputs.word_counts.count.sum(), rtol=1e-5)
    np.testing.assert_allclose(context.sum(axis=1), 1, rtol=1e-5)


def test_a_look_at_all_topics_is_one_step_without_the_links_of_single_tokens():
    corpus, inputs = small_inputs(active=3)
    state = random_state(corpus, inputs, 12)
    shared, to_context = em.messages(inputs, state)
    for d in range(3):
        words, number = cells_of(inputs, d)
        out = np.empty(12)
        expected_topics(words, number, state.topic_word, state.gamma[d], shared[d], out)
        none = np.zeros_like(reference.cell_messages(inputs, d, to_context))
        gamma, _ = reference.document_step(
            words, number, state.topic_word, inputs.alpha, state.gamma[d], shared[d], none, 1
        )
        np.testing.assert_allclose(out, gamma - inputs.alpha, rtol=1e-5)


@pytest.mark.parametrize("look", [True, False])
def test_inference_on_the_topics_that_matter_is_inference_with_no_others(look):
    corpus, inputs = small_inputs(steps=2, active=3)
    state = replace(random_state(corpus, inputs, 12), iteration=0 if look else 1)
    shared, to_context = em.messages(inputs, state)
    gamma, _, _, _ = em.e_step(inputs, state)
    for d in range(len(corpus)):
        words, number = cells_of(inputs, d)
        expected = state.gamma[d] - inputs.alpha
        if look:
            expected_topics(words, number, state.topic_word, state.gamma[d], shared[d], expected)
        chosen = np.argsort(-expected)[:3]
        own, _ = reference.document_step(
            words, number, state.topic_word[:, chosen], inputs.alpha, inputs.alpha + expected[chosen],
            shared[d][chosen], reference.cell_messages(inputs, d, to_context)[:, chosen], 2,
        )  # fmt: skip
        np.testing.assert_allclose(gamma[d][chosen], own, rtol=1e-5)
        assert np.delete(gamma[d], chosen) == pytest.approx(inputs.alpha)


def cells_of(inputs, d):
    own = slice(inputs.word_counts.doc_ptr[d], inputs.word_counts.doc_ptr[d + 1])
    return inputs.word_counts.word[own], inputs.word_counts.count[own]


@pytest.mark.parametrize(
    ("expected", "most", "chosen"),
    [
        ([5.0, 0.0, 3.0, 4.0], 2, [0, 3]),
        ([5.0, 0.001, 3.0, 0.002], 3, [0, 2]),
        ([0.0, 0.0, 0.0], 2, [0]),
        ([1.0, 1.0, 1.0], 2, [0, 1]),
        ([0.0, 2.0], 2, [0, 1]),
    ],
)
def test_the_topics_that_matter_are_the_largest_in_order_and_never_none(expected, most, chosen):
    assert active_topics_of(np.array(expected), most, 0.01).tolist() == chosen


def test_as_many_active_topics_as_topics_changes_nothing():
    corpus, inputs = small_inputs(steps=4, active=6)
    state = random_state(corpus, inputs, 6)
    _, all_setting = small_inputs(steps=4, active=64)
    for some, every in zip(em.e_step(inputs, state), em.e_step(all_setting, state), strict=True):
        np.testing.assert_array_equal(some, every)


def test_one_job_or_two_differ_in_rounding_only():
    corpus, one = small_inputs(steps=2, jobs=1)
    _, two = small_inputs(steps=2, jobs=2)
    state = random_state(corpus, one, 5)
    for a, b in zip(em.e_step(one, state), em.e_step(two, state), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_an_empty_document_keeps_the_prior():
    def none(*shape):
        return np.zeros(shape, np.float32)

    gamma, alpha = none(1, 3) + 7, np.float32(0.1)
    infer_documents(
        np.array([0]), np.array([0, 0]), np.zeros(0, np.int32), none(0), none(2, 3) + 0.5, alpha,
        gamma, none(1, 3), np.zeros(2, np.int64), np.zeros(0, np.int32), np.zeros(1, np.int64),
        np.zeros(0, np.int64), none(0), none(1, 3), 2, 8, True, none(2, 3), none(0, 3), none(0),
    )  # fmt: skip
    np.testing.assert_array_equal(gamma, [[alpha, alpha, alpha]])


@pytest.mark.parametrize("sigma", [0.0, 2.5])
def test_attention_equals_its_twin(sigma):
    random = np.random.default_rng(3)
    words = random.integers(0, 7, 12).astype(np.int32)
    begins = np.array([0] * 5 + [5] * 7)
    ends = np.array([5] * 5 + [12] * 7)
    vectors = random.standard_normal((7, 4))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    phi = random.dirichlet(np.ones(3), 12)
    out = np.empty_like(phi)
    attend(words, begins, ends, vectors, 3.0, sigma, phi, out)
    expected = reference.attention(words, begins, ends, vectors, 3.0, sigma, phi)
    np.testing.assert_allclose(out, expected, rtol=1e-9)


def test_look_up_reads_the_sparse_rows_and_leaves_the_scratch_clean():
    dense = np.array([[0, 2, 0, 1], [0, 0, 0, 0], [5, 0, 3, 0]], dtype=np.float32)
    ptr, column = np.array([0, 2, 2, 4]), np.array([1, 3, 0, 2], dtype=np.int32)
    values = np.array([2, 1, 5, 3], dtype=np.float32)
    scratch, out = np.zeros(4, np.float32), np.empty((3, 2), np.float32)
    look_up(ptr, column, values, np.array([2, 0]), np.array([0, 1, 3]), scratch, out)
    np.testing.assert_array_equal(out, dense[[2, 0]][:, [0, 1, 3]].T)
    assert not scratch.any()


def test_rows_are_scaled_and_added_where_they_are_chosen_and_nowhere_else():
    random = np.random.default_rng(3)
    rows = random.random((6, 4), dtype=np.float32)
    factors, added = random.random(4, dtype=np.float32), random.random(4, dtype=np.float32)
    chosen, more = np.array([4, 0]), random.random((2, 4))
    scaled = scaled_rows(rows, chosen, factors, added)
    np.testing.assert_allclose(scaled, rows[chosen] * factors + added, rtol=1e-6)
    expected = rows.copy()
    expected[chosen] += np.float32(0.5) * more.astype(np.float32)
    total = add_rows(rows, chosen, more, 0.5)
    np.testing.assert_allclose(rows, expected, rtol=1e-6)
    np.testing.assert_allclose(total, more.sum(axis=0), rtol=1e-9)
