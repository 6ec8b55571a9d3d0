"""The steps of variational EM: nothing is lost, and links pull where they should."""

import numpy as np
import pytest
from scipy.special import digamma

from crtm import CRTM, Corpus, em, linkfunction, pipeline
from crtm.em import (
    FULL_LOOK_EVERY_ITERATIONS,
    mean_topics,
    messages,
    normalised,
    split_by_length,
    start,
)
from crtm.linkfunction import LinkFunction
from tests.crtm import reference
from tests.crtm.test_kernels import random_state, small_inputs
from tests.crtm.worlds import planted_corpus, planted_records


def first(corpus, inputs, *, seed=0, n_topics=5):
    function = linkfunction.initial(n_topics, "identity")
    return start(
        inputs, n_words=len(corpus.vocabulary), n_topics=n_topics, titles=corpus.titles, seed=seed, function=function,
    )  # fmt: skip


# -- the start ----------------------------------------------------------------------------------------------------------


def test_the_start_depends_on_the_seed_and_nothing_else():
    corpus, inputs = small_inputs()
    one, again, other = (first(corpus, inputs, seed=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one.topic_word, again.topic_word)
    assert not np.array_equal(one.topic_word, other.topic_word)


def test_the_start_is_the_same_for_documents_in_another_order():
    records = planted_records(12)
    order = np.random.default_rng(2).permutation(len(records))
    starts = []
    for pages in (records, [records[i] for i in order]):
        corpus = Corpus.from_records(pages, min_documents=1, max_share=1.0)
        prepared = pipeline.prepare(corpus, CRTM(4, vector_size=4))
        starts.append(first(corpus, prepared.inputs))
    np.testing.assert_allclose(starts[0].topic_word, starts[1].topic_word, rtol=1e-6)
    np.testing.assert_allclose(starts[0].gamma[order], starts[1].gamma, rtol=1e-6)


def test_every_topic_starts_as_words_of_some_documents():
    corpus, inputs = small_inputs()
    beta = first(corpus, inputs).topic_word
    np.testing.assert_allclose(beta.sum(axis=0), 1, rtol=1e-5)
    assert (beta > 0).all() and (beta.max(axis=0) > 1 / len(beta)).all()


def test_the_start_s_gamma_holds_all_tokens():
    corpus, inputs = small_inputs(alpha=0.3)
    gamma = first(corpus, inputs).gamma
    np.testing.assert_allclose(gamma.sum(axis=1), 5 * 0.3 + corpus.lengths, rtol=1e-5)


# -- small parts --------------------------------------------------------------------------------------------------------


def test_normalised_counts_are_distributions_that_rule_no_word_out():
    counts = np.array([[10.0, 0.0], [0.0, 0.0], [90.0, 5.0]], dtype=np.float32)
    beta = normalised(counts)
    np.testing.assert_allclose(beta.sum(axis=0), 1, rtol=1e-6)
    assert (beta > 0).all() and beta[2, 0] == pytest.approx(90.01 / 100.03, rel=1e-5)


def test_normalising_leaves_the_counts_as_they_were():
    counts = np.ones((3, 2), dtype=np.float32)
    normalised(counts)
    assert (counts == 1).all()


def test_mean_topics_are_gamma_without_the_prior_and_even_for_empty_documents():
    gamma = np.array([[3.1, 1.1, 0.1], [0.1, 0.1, 0.1]])
    means = mean_topics(gamma, 0.1, np.array([4.0, 0.0]))
    np.testing.assert_allclose(means, [[0.75, 0.25, 0], [1 / 3] * 3], rtol=1e-6)


@pytest.mark.parametrize("jobs", [1, 2, 3, 7])
@pytest.mark.parametrize("sizes", [[5], [1, 1, 1, 1], [0, 0, 9, 0], [100, 1, 1, 1], [0, 0]])
def test_shares_take_every_document_once_each_in_order(jobs, sizes):
    doc_ptr = np.concatenate([[0], np.cumsum(sizes)])
    shares = split_by_length(doc_ptr, jobs)
    assert len(shares) == jobs
    assert sorted(np.concatenate(shares).tolist()) == list(range(len(sizes)))
    assert all(np.all(np.diff(share) > 0) for share in shares)


def test_shares_get_as_many_long_documents_as_short_ones():
    sizes = [100] * 6 + [1] * 6
    one, two = split_by_length(np.concatenate([[0], np.cumsum(sizes)]), 2)
    assert np.sum(one < 6) == np.sum(two < 6) == 3


def test_shares_of_two_jobs_weigh_about_the_same():
    sizes = np.random.default_rng(0).integers(1, 50, 400)
    doc_ptr = np.concatenate([[0], np.cumsum(sizes)])
    one, two = (sizes[share].sum() for share in split_by_length(doc_ptr, 2))
    assert abs(one - two) <= sizes.max()


def test_lengths_count_tokens_and_empty_documents_are_zero():
    corpus = Corpus.from_records(
        [{"title": "A", "text": "bee bee sea"}, {"title": "B", "text": ""}, {"title": "C", "text": "tea"}],
        min_documents=1, max_share=1.0,
    )  # fmt: skip
    inputs = pipeline.prepare(corpus, CRTM(2, vector_size=2)).inputs
    assert inputs.lengths.tolist() == [3, 0, 1]


# -- messages -----------------------------------------------------------------------------------------------------------


def twin_messages(inputs, state):
    """Return what links tell, link by link, from the gradient in words."""
    contexts, function = inputs.contexts, state.function
    means = mean_topics(state.gamma, inputs.alpha, inputs.lengths)
    shared = np.zeros_like(means)
    for link in range(len(contexts.target)):
        source, target = contexts.source[link], contexts.target[link]
        own = means[source] if contexts.whole else state.context[link]
        shared[target] += function.to_target(own[None])[0]
        if contexts.whole:
            shared[source] += function.to_context(means[target][None])[0]
    return shared / np.maximum(inputs.lengths, 1)[:, None], function.to_context(means)


@pytest.mark.parametrize("context", ["attention", "document"])
def test_messages_equal_their_twin(context):
    corpus, inputs = small_inputs(context)
    state = random_state(corpus, inputs, 5)
    for ours, twin in zip(messages(inputs, state), twin_messages(inputs, state), strict=True):
        np.testing.assert_allclose(ours, twin, rtol=1e-5, atol=1e-7)


def test_a_document_without_links_hears_nothing():
    corpus = Corpus.from_records(
        [
            {"title": "A", "text": "bee sea", "links": [[0, 3, "B"]]},
            {"title": "B", "text": "bee"},
            {"title": "C", "text": "sea"},
        ],
        min_documents=1,
        max_share=1.0,
    )
    model = CRTM(3, vector_size=2)
    prepared = pipeline.prepare(corpus, model)
    shared, _ = messages(prepared.inputs, pipeline.first_state(prepared, model))
    assert shared[1].any() and not shared[2].any() and not shared[0].any()


# -- the step itself ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("context", ["attention", "document"])
@pytest.mark.parametrize("active", [3, 64])
def test_no_token_is_lost_in_a_step(context, active):
    corpus, inputs = small_inputs(context, steps=3, active=active)
    state = random_state(corpus, inputs, 8)
    gamma, _, counts, norms = em.e_step(inputs, state)
    np.testing.assert_allclose(counts.sum(), len(corpus.words), rtol=1e-5)
    np.testing.assert_allclose(
        counts.sum(axis=1), np.bincount(corpus.words, minlength=len(corpus.vocabulary)), rtol=1e-5
    )
    np.testing.assert_allclose(gamma.sum(axis=1), 8 * inputs.alpha + corpus.lengths, rtol=1e-5)
    assert (norms > 0).all()


def test_norms_are_the_words_probabilities_under_the_document_s_mixture():
    corpus, inputs = small_inputs(steps=1)
    state = random_state(corpus, inputs, 5, strength=0.0)
    norms = em.e_step(inputs, state)[3]
    word_counts = inputs.word_counts
    for d in range(len(corpus)):
        own = slice(word_counts.doc_ptr[d], word_counts.doc_ptr[d + 1])
        weight = np.exp(digamma(state.gamma[d]))
        expected = state.topic_word[word_counts.word[own]] @ (weight / weight.sum())
        np.testing.assert_allclose(norms[own], expected, rtol=1e-5)


def test_a_step_leaves_the_state_it_started_from_alone():
    corpus, inputs = small_inputs(steps=2)
    state = random_state(corpus, inputs, 5)
    before = [array.copy() for array in (state.topic_word, state.gamma, state.context)]
    em.e_step(inputs, state)
    for array, kept in zip((state.topic_word, state.gamma, state.context), before, strict=True):
        np.testing.assert_array_equal(array, kept)


def test_all_topics_are_looked_at_every_few_iterations():
    corpus, inputs = small_inputs(steps=1, active=2)
    state = random_state(corpus, inputs, 10)
    quiet = em.State(state.topic_word, np.full_like(state.gamma, inputs.alpha), *_rest(state, 1))
    quiet.gamma[:, :2] += (
        0.4  # only two topics are alive in any document, and they fit its words badly
    )
    quiet.topic_word[:, :2] *= 1e-6
    looked = em.State(quiet.topic_word, quiet.gamma, *_rest(state, FULL_LOOK_EVERY_ITERATIONS))
    alive = em.e_step(inputs, quiet)[0] > inputs.alpha + 1e-9
    assert not alive[:, 2:].any()
    found = em.e_step(inputs, looked)[0] > inputs.alpha + 1e-9
    assert found[:, 2:].any()


def _rest(state, iteration):
    return state.context, state.function, iteration


def test_strong_links_pull_the_topics_of_two_pages_together():
    corpus, inputs = small_inputs("document", steps=3)
    apart = []
    for strength in (0.0, 12.0):
        state = random_state(corpus, inputs, 4)
        function = LinkFunction(np.full(4, strength, np.float32), 0.0)
        for _ in range(15):
            state = em.State(state.topic_word, state.gamma, state.context, function, 0)
            state = em.State(state.topic_word, *em.e_step(inputs, state)[:2], function, 0)
        means = mean_topics(state.gamma, inputs.alpha, inputs.lengths)
        contexts = inputs.contexts
        apart.append(np.abs(means[contexts.source] - means[contexts.target]).sum(axis=1).mean())
    assert apart[1] < apart[0]


@pytest.mark.parametrize("context", ["attention", "uniform", "document"])
def test_the_bound_rises_over_whole_iterations(context):
    corpus, inputs = small_inputs(context, steps=1)
    state = random_state(corpus, inputs, 4, strength=1.0)
    bounds = []
    for _ in range(8):
        shared, to_context = messages(inputs, state)
        phi = []
        for d in range(len(corpus)):
            own = slice(inputs.word_counts.doc_ptr[d], inputs.word_counts.doc_ptr[d + 1])
            phi.append(
                reference.document_step(
                    inputs.word_counts.word[own], inputs.word_counts.count[own], state.topic_word, inputs.alpha, state.gamma[d],
                    shared[d], reference.cell_messages(inputs, d, to_context), 1,
                )[1]
            )  # fmt: skip
        gamma, found, counts, _ = em.e_step(inputs, state)
        beta = (counts + 1e-12) / (counts + 1e-12).sum(axis=0)
        state = em.State(beta, gamma, found, state.function, 1)
        bounds.append(reference.bound(inputs, state, phi))
    assert bounds[-1] > bounds[0] and np.diff(bounds).min() > -1e-3 * abs(bounds[0])


def test_without_links_a_step_is_lda_s():
    corpus = planted_corpus(9).without(np.ones(len(planted_corpus(9).links), bool))
    model = CRTM(4, vector_size=4, inner_steps=2)
    prepared = pipeline.prepare(corpus, model)
    state = pipeline.first_state(prepared, model)
    gamma, _, _, _ = em.e_step(prepared.inputs, state)
    word_counts = prepared.inputs.word_counts
    for d in range(len(corpus)):
        own = slice(word_counts.doc_ptr[d], word_counts.doc_ptr[d + 1])
        expected, _ = reference.document_step(
            word_counts.word[own], word_counts.count[own], state.topic_word.astype(float), 0.1, state.gamma[d].astype(float), 0.0, 0.0, 2,
        )  # fmt: skip
        np.testing.assert_allclose(gamma[d], expected, rtol=1e-3)
