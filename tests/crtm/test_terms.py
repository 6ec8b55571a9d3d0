"""The link function's terms: what each column says, and what it must not know."""

import numpy as np
import pytest

from crtm import CRTM, Corpus, pipeline
from crtm.corpus import UNLINKED, encode
from crtm.em import State
from crtm.linkfunction import initial
from crtm.progress import CHECK_EVERY_ITERATIONS, PATIENCE_CHECKS, Iteration, Progress
from crtm.scoring import best_of_words, looked_up
from crtm.tables import PHRASE_COLUMNS, capital_share, phrase_columns, word_table
from crtm.term_weights import (
    NOT_THERE,
    Rows,
    fit_weights,
    learn_weights,
    link_rows,
    pair_columns,
    prior_weights,
    weighted,
)
from crtm.terms import (
    COLUMNS,
    PLAIN,
    TERMS,
    aptness,
    chosen_columns,
    linked_columns,
    plain_columns,
    word_facts,
)
from crtm.vectors import pmi_vectors, shifted_pmi, skipgram_vectors, unit_rows
from tests.crtm import reference
from tests.crtm.worlds import THEMES, planted_corpus, planted_records

QUICK = {"n_topics": 6, "max_iter": 4, "vector_size": 8}


def corpus_of(*records):
    return Corpus.from_records(records, min_documents=1, max_share=1.0)


@pytest.fixture(scope="module")
def corpus():
    return planted_corpus()


@pytest.fixture(scope="module")
def model(corpus):
    return CRTM(**QUICK).fit(corpus)


@pytest.fixture(scope="module")
def prepared(corpus):
    return pipeline.prepare(corpus, CRTM(**QUICK))


def column(columns, name):
    return columns[:, PLAIN.index(name)]


def test_every_column_belongs_to_one_term_and_has_a_prior_weight():
    names = [name for term in TERMS for name in COLUMNS[term]]
    assert len(names) == len(set(names)) and set(prior_weights()) == set(names)
    assert chosen_columns(("case", "topics")) == [*COLUMNS["topics"], *COLUMNS["case"]]


def test_a_word_that_is_always_linked_is_apter_than_one_that_never_is():
    corpus = corpus_of(
        {"title": "A", "text": "bee sea tea bee sea", "links": [[0, 3, "B"], [12, 15, "B"]]},
        {"title": "B", "text": "bee tea tea", "links": [[0, 3, "A"]]},
    )
    facts = word_facts(corpus, word_table(corpus))
    words = np.array([corpus.vocabulary.index[word] for word in ("bee", "tea")])
    apt, unapt = aptness(facts, words)
    assert apt > 0 > unapt


def test_aptness_without_own_links_is_that_of_a_corpus_without_them():
    corpus = planted_corpus(12)
    facts = word_facts(corpus, word_table(corpus))
    link = corpus.links[0:1]
    words = corpus.words[link.first[0] : link.last[0]]
    own = aptness(facts, words, 1.0)
    linked, seen = facts.linked[words] - 1, facts.seen[words] - 1
    expected = np.log((linked + 3 * facts.link_share) / ((seen + 3) * facts.link_share))
    np.testing.assert_allclose(own, expected, rtol=1e-5)
    assert (own < aptness(facts, words)).all()


def test_a_target_s_own_links_do_not_show_in_the_columns_for_it(corpus):
    link = corpus.links[0:1]
    source, target = int(link.source[0]), int(link.target[0])
    facts, document = word_facts(corpus, word_table(corpus)), corpus[source]
    pair = (corpus.links.source == source) & (corpus.links.target == target)
    blind = corpus.without(pair)[source]
    for name in ("first_place", "place", "repeated", "capital"):
        ours = column(plain_columns(document, facts, target), name)
        np.testing.assert_array_equal(ours, column(plain_columns(blind, facts), name))
    np.testing.assert_array_equal(linked_columns(document, target), linked_columns(blind, UNLINKED))


def test_linked_columns_tell_the_token_and_its_word():
    corpus = corpus_of(
        {"title": "A", "text": "bee sea bee tea", "links": [[0, 3, "B"]]},
        {"title": "B", "text": "x1 yy"},
    )
    elsewhere, share = linked_columns(corpus[0], UNLINKED).T
    assert elsewhere.tolist() == [1, 0, 0, 0] and share.tolist() == [0.5, 0, 0.5, 0]
    assert not linked_columns(corpus[0], 1).any()


def test_case_columns_know_names_from_beginnings_of_sentences():
    corpus = corpus_of({"title": "A", "text": "Bee met Sea Tea. Tea met DC.", "links": []})
    facts = word_facts(corpus, word_table(corpus))
    columns = plain_columns(corpus[0], facts)
    words = [corpus.vocabulary.words[word] for word in corpus[0].words]
    assert dict(zip(words[:4], column(columns, "capital")[:4], strict=True)) == {
        "bee": 0, "met": 0, "sea": 1, "tea": 1,
    }  # fmt: skip
    assert column(columns, "lower").tolist() == [0, 1, 0, 0, 0, 1, 0]
    assert column(columns, "capital_after").tolist() == [0, 1, 1, 0, 0, 1, 0]
    assert column(columns, "shouted").tolist() == [0, 0, 0, 0, 0, 0, 1]


def test_capital_share_leaves_beginnings_of_sentences_out():
    corpus = corpus_of({"title": "A", "text": "Bee bee. Bee bee Sea", "links": []})
    share = dict(zip(corpus.vocabulary.words, capital_share(corpus), strict=True))
    assert share["bee"] == pytest.approx(0.5 / 3) and share["sea"] == pytest.approx(1.5 / 2)


def test_only_the_first_free_mention_is_the_first_place():
    corpus = corpus_of(
        {"title": "A", "text": "bee sea bee bee", "links": [[0, 3, "B"]]},
        {"title": "B", "text": "zz yy"},
    )
    facts = word_facts(corpus, word_table(corpus))
    assert column(plain_columns(corpus[0], facts), "first_place").tolist() == [0, 1, 1, 0]
    assert column(plain_columns(corpus[0], facts, 1), "first_place").tolist() == [1, 1, 0, 0]


def test_the_tables_summed_in_advance_give_the_score_of_the_columns(model, prepared, corpus):
    scorer = model.document_scorer(0)
    for target in (3, 6):
        columns = pair_columns(scorer, target, prepared.tables)
        expected = sum(model.weights_[name] * values for name, values in columns.items())
        got = scorer.scores(np.array([target], dtype=np.int32))[:, 0]
        shift = got - expected  # what every word lacks alike is left out of the tables
        np.testing.assert_allclose(shift, shift[0], atol=2e-3)


def test_a_missing_cell_adds_nothing(prepared):
    weights = {**prior_weights(), "word_tfidf": 2.0, "word_count": -1.0}
    names = COLUMNS["own_words"] + COLUMNS["early"]
    table = weighted(prepared.tables.words, weights, names)
    expected = (
        2.0 * (prepared.tables.words.values[:, 0] - NOT_THERE[0])
        - prepared.tables.words.values[:, 1]
    )
    np.testing.assert_allclose(table.value, expected, rtol=1e-4, atol=1e-5)
    nothing = looked_up(table, np.array([10**6 % 7], np.int32), np.zeros(0, np.int32), 50)
    assert nothing.shape == (1, 0)


def test_rows_hold_the_anchor_and_each_word_once(model, prepared, corpus):
    links = corpus.links[:4]
    rows = link_rows(links, model.document_scorer, prepared.tables, ["lift", "linked"])
    assert len(rows.begins) == len(
        set(zip(links.source.tolist(), links.target.tolist(), strict=True))
    )
    assert rows.columns.shape == (len(rows.right), 2)
    assert np.add.reduceat(rows.right, rows.begins).min() >= 1


def test_of_a_long_page_the_kept_words_stand_for_all(monkeypatch, model, prepared, corpus):
    names = ["lift", "linked"]
    everything = link_rows(corpus.links[:1], model.document_scorer, prepared.tables, names)
    monkeypatch.setattr("crtm.term_weights.MAX_OTHER_WORDS_PER_LINK", 4)
    fewer = link_rows(corpus.links[:1], model.document_scorer, prepared.tables, names)
    assert (everything.stands_for == 1).all() and len(fewer.right) < len(everything.right)
    assert fewer.right.sum() == everything.right.sum()
    assert abs(fewer.stands_for.sum() - everything.stands_for.sum()) < fewer.stands_for.max()


def test_word_vectors_come_from_the_shifted_information_of_neighbours(corpus):
    for jobs in (1, 2):
        found = shifted_pmi(corpus, jobs=jobs).toarray()
        np.testing.assert_allclose(found, reference.shifted_pmi(corpus), rtol=1e-4, atol=1e-4)


def test_two_jobs_make_the_same_rows_as_one(model, prepared, corpus):
    one, two = (
        link_rows(
            corpus.links, model.document_scorer, prepared.tables, ["lift", "aptness"], jobs=jobs
        )
        for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.columns, two.columns)
    np.testing.assert_array_equal(one.begins, two.begins)


def test_fitted_weights_find_the_column_that_decides():
    random = np.random.default_rng(0)
    columns = random.standard_normal((400, 3)).astype(np.float32)
    begins = np.arange(0, 400, 10)
    right = np.zeros(400, bool)
    right[begins + columns[:, 1].reshape(40, 10).argmax(axis=1)] = True
    weights = fit_weights(Rows(columns, begins, right, np.ones(400)), np.zeros(3))
    assert weights[1] > 1 and abs(weights[[0, 2]]).max() < 0.5 * weights[1]


def test_with_little_evidence_the_weights_stay_near_the_prior():
    columns = np.array([[1.0, 0.0], [0.0, 1.0]], dtype=np.float32)
    weights = fit_weights(
        Rows(columns, np.array([0]), np.array([True, False]), np.ones(2)), np.array([1.0, -1.0])
    )
    np.testing.assert_allclose(weights, [1, -1], atol=0.5)


def test_without_links_the_weights_are_the_prior_s(corpus, prepared):
    none = corpus.links[:0]
    assert learn_weights(none, {}.get, prepared.tables, TERMS, jobs=1) == prior_weights()
    assert not any(learn_weights(none, {}.get, prepared.tables, (), jobs=1).values())


def test_links_for_the_weights_do_not_depend_on_the_order_and_spread_over_sources(corpus):
    drawn = pipeline.drawn_links(corpus)
    assert np.bincount(drawn.source).max() <= pipeline.MAX_LINKS_PER_SOURCE
    records = planted_records()
    order = np.random.default_rng(1).permutation(len(records))
    shuffled = corpus_of(*(records[i] for i in order))
    again = pipeline.drawn_links(shuffled)

    def named(of, links):
        pairs = zip(links.source, links.target, links.start, strict=True)
        return [
            (of.titles[source], of.titles[target], int(start)) for source, target, start in pairs
        ]

    assert named(corpus, drawn) == named(shuffled, again)


def test_phrases_hash_into_the_table_and_depend_on_the_order():
    left, right = np.array([1, 2, 7], np.int32), np.array([2, 1, 7], np.int32)
    columns = phrase_columns(left, right)
    assert (columns >= 0).all() and (columns < PHRASE_COLUMNS).all() and columns[0] != columns[1]


# -- vectors and progress -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [pmi_vectors, skipgram_vectors])
def test_words_of_one_theme_are_nearer_to_each_other(corpus, make):
    vectors = make(corpus, 8, 0)
    index = corpus.vocabulary.index
    river, forge = (
        [index[word] for word in THEMES[theme] if word in index] for theme in ("river", "forge")
    )
    assert (vectors[river] @ vectors[river].T).mean() > (vectors[river] @ vectors[forge].T).mean()
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-4)


def test_factorised_vectors_are_repeatable_and_padded_for_tiny_vocabularies(corpus):
    np.testing.assert_array_equal(pmi_vectors(corpus, 8, 3), pmi_vectors(corpus, 8, 3))
    tiny = corpus_of({"title": "A", "text": "bee sea bee", "links": []})
    assert pmi_vectors(tiny, 16, 0).shape == (2, 16)


def test_unit_rows_leave_zeros_alone():
    np.testing.assert_array_equal(
        unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])), np.array([[0.6, 0.8], [0, 0]], np.float32)
    )


def state(number):
    return State(
        np.zeros((1, 1)), np.zeros((1, 1)), np.zeros((1, 1)), initial(1, "identity"), number
    )


def run(scores):
    progress = Progress.begin(state(0))
    for number, score in enumerate(scores, 1):
        progress = progress.after(state(number), Iteration(number, 0.0, 0.0, score))
    return progress


def test_without_validation_the_last_state_is_the_best():
    assert run([None, None]).best.iteration == 2


def test_the_best_state_is_kept_while_later_ones_are_worse():
    progress = run([0.5, None, 0.7, 0.6])
    assert progress.best.iteration == 3 and progress.best_score == 0.7 and progress.stale == 1


def test_learning_ends_after_patience_or_the_last_iteration():
    assert run([0.5] + [0.4] * PATIENCE_CHECKS).is_done(100)
    assert not run([0.5, 0.4]).is_done(100) and run([None] * 3).is_done(3)
    assert (
        run([None] * (CHECK_EVERY_ITERATIONS - 1)).is_check_due
        and not run([None] * CHECK_EVERY_ITERATIONS).is_check_due
    )


def test_best_of_words_takes_the_best_occurrence():
    corpus = corpus_of({"title": "A", "text": "bee sea bee", "links": []})
    words, best = best_of_words(corpus[0], np.array([[1.0], [5.0], [3.0]], np.float32))
    assert words.tolist() == [0, 1] and best[:, 0].tolist() == [3, 5]


def test_a_record_with_a_title_of_the_corpus_knows_its_number(corpus):
    record = {"title": corpus.titles[4], "text": "river bank"}
    assert encode(record, corpus.vocabulary, corpus.index).number == 4
