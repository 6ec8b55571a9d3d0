"""Scores are what their parts say, for any document and any targets."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import digamma

from crtm import CRTM, Corpus
from crtm.corpus import UNLINKED, encode
from crtm.scoring import (
    DocumentScorer,
    Lookup,
    best_of_words,
    fold_in,
    looked_up,
    phrase_scores,
    token_topics,
)
from crtm.tables import PHRASE_COLUMNS, phrase_columns
from crtm.terms import COLUMNS, TERMS
from tests.crtm import reference
from tests.crtm.worlds import THEMES, planted_corpus

QUICK = {"n_topics": 5, "max_iter": 5, "vector_size": 8}


@pytest.fixture(scope="module")
def corpus():
    return planted_corpus(24)


@pytest.fixture(scope="module")
def model(corpus):
    return CRTM(**QUICK).fit(corpus)


@pytest.fixture(scope="module")
def topics(model):
    return model.fitted_.topics


def targets(*numbers):
    return np.array(numbers, dtype=np.int32)


# -- topics of tokens and documents -------------------------------------------------------------------------------------


def test_topics_of_tokens_are_beta_times_the_document_s_weights(model, topics, corpus):
    words, gamma = corpus[3].words, topics.gamma[3]
    phi = token_topics(topics, words, gamma)
    expected = topics.topic_word[words] * np.exp(digamma(gamma.astype(float)))
    np.testing.assert_allclose(phi, expected / expected.sum(axis=1, keepdims=True), rtol=1e-4)


def test_folding_in_equals_its_twin(model, topics, corpus):
    words = corpus[5].words
    distinct, counts = np.unique(words, return_counts=True)
    start = np.full(5, model.alpha + len(words) / 5)
    expected, _ = reference.document_step(
        distinct, counts.astype(float), topics.topic_word.astype(float), model.alpha, start, 0.0, 0.0, 20
    )  # fmt: skip
    np.testing.assert_allclose(
        fold_in(topics, words, model.scoring_params()), expected, rtol=5e-3, atol=5e-3
    )


def test_folding_in_does_not_care_for_the_order_of_words(model, topics, corpus):
    words = corpus[4].words
    shuffled = np.random.default_rng(0).permutation(words)
    np.testing.assert_array_equal(
        fold_in(topics, words, model.scoring_params()),
        fold_in(topics, shuffled, model.scoring_params()),
    )


def test_folding_in_all_tokens_keeps_their_number(model, topics, corpus):
    gamma = fold_in(topics, corpus[0].words, model.scoring_params())
    assert gamma.sum() == pytest.approx(5 * model.alpha + len(corpus[0]), rel=1e-4)


def test_a_page_folded_in_is_near_the_same_page_learned(model, corpus):
    for number in range(0, 24, 5):
        record_topics = model.transform(corpus[number])
        fitted = model.fitted_.topics.gamma[number]
        fitted = fitted / fitted.sum()
        assert record_topics @ fitted / np.linalg.norm(record_topics) > 0.8 * np.linalg.norm(fitted)


def test_contexts_are_the_attended_sentence(model, corpus):
    scorer = model.document_scorer(2)
    document = corpus[2]
    phi = token_topics(model.fitted_.topics, document.words, scorer.gamma)
    change = np.flatnonzero(np.diff(document.sentences, prepend=-1))
    begins = change[np.searchsorted(change, np.arange(len(document)), side="right") - 1]
    ends = np.append(change[1:], len(document))[np.searchsorted(change, begins, side="right") - 1]
    expected = reference.attention(
        document.words, begins, ends, model.fitted_.topics.vectors, model.sharpness, 0.0, phi
    )
    np.testing.assert_allclose(scorer.contexts, expected, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("context", ["document", "anchor", "uniform"])
def test_where_the_place_says_nothing_the_word_s_own_topics_are_its_context(corpus, context):
    scorer = CRTM(**QUICK, context=context, terms=()).fit(corpus).document_scorer(1)
    phi = token_topics(scorer.fitted.topics, scorer.document.words, scorer.gamma)
    np.testing.assert_array_equal(scorer.contexts, phi)


# -- lift and relation --------------------------------------------------------------------------------------------------


def test_the_lift_is_that_of_the_formula(model, topics):
    scorer, target = model.document_scorer(0), 6
    y = topics.topic_word[scorer.document.words] * topics.prior
    y = y * (scorer.contexts + 1e-4) ** model.temper
    y = y / y.sum(axis=1, keepdims=True)
    expected = np.log(y @ (topics.mean[target] / topics.prior) + 1e-6)
    np.testing.assert_allclose(scorer.lift(targets(target))[:, 0], expected, rtol=1e-3, atol=1e-4)


def test_topics_alone_lift_words_of_the_target_s_theme(model, corpus):
    scorer = model.document_scorer(
        encode({"title": "N", "text": "anvil violin"}, corpus.vocabulary, corpus.index)
    )
    forge, orchestra = 2, 1  # page 2 is of the forge, page 1 of the orchestra
    lift = scorer.lift(targets(forge, orchestra))
    assert lift[0, 0] > lift[0, 1] and lift[1, 1] > lift[1, 0]


def test_with_no_tempering_the_sentence_does_not_matter(corpus):
    model = CRTM(**QUICK, temper=0.0).fit(corpus)
    document = corpus[0]
    lift = model.document_scorer(0).lift(targets(3))[:, 0]
    for word in set(document.words.tolist()):
        assert np.ptp(lift[document.words == word]) < 1e-5


def test_relation_is_the_link_function_of_context_and_target(model, topics):
    scorer = model.document_scorer(7)
    expected = topics.function.score(scorer.contexts, topics.mean[[1, 4]])
    np.testing.assert_array_equal(scorer.relation(targets(1, 4)), expected)


# -- the whole score ----------------------------------------------------------------------------------------------------


def with_weights(model, **weights):
    fitted = model.fitted_
    silent = dict.fromkeys(fitted.weights, 0.0)
    return dataclasses.replace(fitted, weights={**silent, **weights})


@pytest.mark.parametrize(
    "column", [c for term in ("aptness", "case", "place") for c in COLUMNS[term]]
)
def test_a_plain_column_alone_gives_the_same_score_for_every_target(model, corpus, column):
    fitted = with_weights(model, **{column: 1.0})
    nothing = Lookup(
        np.zeros(len(corpus) + 1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32)
    )
    fitted = dataclasses.replace(fitted, words=nothing, stem_words=nothing)
    scorer = dataclasses.replace(model.document_scorer(0), fitted=fitted)
    unlinked = [d for d in range(1, len(corpus)) if d not in set(corpus[0].linked.tolist())]
    scores = scorer.scores(targets(*unlinked))
    np.testing.assert_array_equal(scores, np.repeat(scores[:, :1], len(unlinked), axis=1))


def test_a_word_in_the_target_s_text_beats_the_same_word_where_it_lacks(model, corpus):
    title = corpus.titles[3]
    word = corpus.vocabulary.index[title.lower()]
    scorer = model.document_scorer(
        encode({"title": "N", "text": f"near {title} there"}, corpus.vocabulary, corpus.index)
    )
    place = int(np.flatnonzero(scorer.document.words == word)[0])
    lacking = next(d for d in range(len(corpus)) if word not in corpus[d].words)
    scores = scorer.scores(targets(3, lacking))[place]
    assert scores[0] > scores[1]


def test_without_terms_the_score_is_the_paper_s(corpus):
    model = CRTM(**QUICK, terms=()).fit(corpus)
    scorer = model.document_scorer(0)
    np.testing.assert_array_equal(scorer.scores(targets(1, 2)), scorer.relation(targets(1, 2)))


def test_targets_asked_twice_get_the_same_score(model):
    scores = model.score_tokens(3, [5, 8, 5])
    np.testing.assert_array_equal(scores[:, 0], scores[:, 2])


def test_no_targets_give_no_columns(model, corpus):
    assert model.score_tokens(0, []).shape == (len(corpus[0]), 0)


def test_the_page_s_own_link_does_not_speak_for_or_against_its_target(model, corpus):
    link = corpus.links[0:1]
    source, target = int(link.source[0]), int(link.target[0])
    pair = (corpus.links.source == source) & (corpus.links.target == target)
    blind = corpus.without(pair)
    gamma = model.fitted_.topics.gamma[source]
    params = model.scoring_params()
    ours = DocumentScorer(model.fitted_, corpus[source], gamma, params).scores(targets(target))
    theirs = DocumentScorer(model.fitted_, blind[source], gamma, params).scores(targets(target))
    # aptness counts what the corpus saw, the link included; all else is the same
    apart = np.abs(ours - theirs)[:, 0]
    anchor = np.isin(corpus[source].words, corpus.words[link.first[0] : link.last[0]])
    np.testing.assert_allclose(apart[~anchor], 0, atol=1e-5)


# -- lookups ------------------------------------------------------------------------------------------------------------


@st.composite
def sparse_tables(draw):
    rows, width = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    dense = np.array(
        draw(st.lists(st.lists(st.integers(0, 3), min_size=width, max_size=width), min_size=rows, max_size=rows)),
        dtype=np.float32,
    )  # fmt: skip
    ptr = np.concatenate([[0], np.cumsum((dense != 0).sum(axis=1))]).astype(np.int64)
    column = np.concatenate([np.flatnonzero(row) for row in dense]).astype(np.int32)
    return dense, Lookup(ptr, column, dense[dense != 0])


@given(sparse_tables(), st.data())
def test_looking_up_is_reading_the_dense_table(tables, data):
    dense, table = tables
    columns = data.draw(st.lists(st.integers(0, dense.shape[1] - 1), max_size=8))
    rows = data.draw(st.lists(st.integers(0, dense.shape[0] - 1), max_size=5))
    found = looked_up(table, np.array(columns, np.int32), np.array(rows, np.int32), dense.shape[1])
    np.testing.assert_array_equal(
        found, dense[np.ix_(rows, columns)].T.reshape(len(columns), len(rows))
    )


def test_a_token_takes_the_better_of_its_two_phrases():
    corpus = Corpus.from_records(
        [{"title": "A", "text": "bee sea tea"}, {"title": "B", "text": "sea"}],
        min_documents=1, max_share=1.0,
    )  # fmt: skip
    left, right = phrase_columns(corpus[0].words[:-1], corpus[0].words[1:])
    order = np.argsort([left, right])
    table = Lookup(
        np.array([0, 2, 2]), np.array([left, right], np.int32)[order], np.array([1.0, 5.0], np.float32)[order]
    )  # fmt: skip
    scores = phrase_scores(table, corpus[0], targets(0, 1))
    assert scores[:, 0].tolist() == [1, 5, 5] and not scores[:, 1].any()
    assert left < PHRASE_COLUMNS and right < PHRASE_COLUMNS


@given(st.lists(st.integers(0, 4), min_size=1, max_size=20), st.integers(1, 3), st.integers(0, 99))
def test_the_best_of_a_word_is_the_largest_of_its_occurrences(words, n_targets, seed):
    corpus = Corpus.from_records(
        [{"title": "A", "text": " ".join(f"word{chr(97 + w)}" for w in words)}],
        min_documents=1, max_share=1.0,
    )  # fmt: skip
    scores = np.random.default_rng(seed).standard_normal((len(words), n_targets)).astype(np.float32)
    found, best = best_of_words(corpus[0], scores)
    assert found.tolist() == sorted(set(corpus[0].words.tolist()))
    for row, word in enumerate(found):
        np.testing.assert_array_equal(best[row], scores[corpus[0].words == word].max(axis=0))


# -- asking a model -----------------------------------------------------------------------------------------------------


def test_link_scores_of_a_new_page_prefer_its_theme(model, corpus):
    page = {"title": "N", "text": " ".join(THEMES["orchestra"])}
    scores = model.link_score(page, range(len(corpus)))
    theme = np.arange(len(corpus)) % 3
    assert scores[theme == 1].mean() > max(scores[theme == 0].mean(), scores[theme == 2].mean())


def test_link_scores_without_terms_are_the_link_function_s(corpus):
    model = CRTM(**QUICK, terms=(), context="document", projection="identity").fit(corpus)
    topics = model.fitted_.topics
    np.testing.assert_allclose(
        model.link_score(2, [4, 7]), topics.function.score(topics.mean[[2]], topics.mean[[4, 7]])[0], rtol=1e-3
    )  # fmt: skip


@pytest.mark.parametrize("longest", [1, 2, 6])
def test_spans_are_no_longer_than_asked(model, corpus, longest):
    words = corpus[0].text_words
    starts, ends = words.starts.tolist(), words.ends.tolist()
    for span in model.rank_spans(0, 3, longest=longest):
        assert ends.index(span.end) - starts.index(span.start) < longest


def test_terms_given_as_a_list_are_as_good_as_a_tuple(corpus):
    listed = CRTM(**QUICK, terms=list(TERMS)).fit(corpus)
    assert listed.get_params()["terms"] == list(TERMS)
    assert listed.rank_words(0, 3)[0][0] == CRTM(**QUICK).fit(corpus).rank_words(0, 3)[0][0]


def test_a_page_s_links_to_places_unknown_are_taken_words(model, corpus):
    title = corpus.titles[0]
    text = f"Water {title} bank"
    start = text.index(title)
    link = [start, start + len(title), "Elsewhere"]
    document = model.read({"title": "N", "text": text, "links": [link]})
    assert (document.linked != UNLINKED).tolist() == [False, True, False]
    free = model.score_tokens({"title": "N", "text": text}, [0])
    assert model.score_tokens(document, [0])[1, 0] < free[1, 0]
