"""What a fitted model promises."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import crtm
from crtm import CRTM, Corpus, NotFittedError, ParameterError
from crtm.experiments.linkprediction import hide_pairs, pair_auc
from crtm.experiments.protocol import hide_links
from crtm.terms import COLUMNS, TERMS
from tests.crtm.worlds import THEMES, planted_corpus, planted_records

QUICK = {"n_topics": 6, "max_iter": 8, "vector_size": 8}


@pytest.fixture(scope="module")
def corpus():
    return planted_corpus()


@pytest.fixture(scope="module")
def model(corpus):
    return CRTM(**QUICK).fit(corpus)


def test_the_public_names_are_exactly_these_sorted():
    assert crtm.__all__ == sorted(crtm.__all__, key=str)
    assert all(hasattr(crtm, name) for name in crtm.__all__)


def test_parameters_are_stored_as_given():
    given = {
        "n_topics": 7,
        "context": "uniform",
        "projection": "full",
        "terms": ("topics",),
        "seed": 3,
    }
    assert given.items() <= CRTM(**given).get_params().items()
    assert repr(CRTM(**CRTM(**given).get_params())) == repr(CRTM(**given))


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"context": "page"}, "context='page'"),
        ({"projection": "best"}, "projection='best'"),
        ({"n_topics": 0}, "n_topics=0"),
        ({"terms": ("topics", "titles")}, "titles"),
        ({"update": "magic"}, "update='magic'"),
    ],
)
def test_a_parameter_without_meaning_is_refused_by_name(corpus, wrong, named):
    with pytest.raises(ParameterError, match=named):
        CRTM(**wrong).fit(corpus)


def test_nothing_is_known_before_fit():
    with pytest.raises(NotFittedError):
        CRTM().rank_words(0, 1)


def test_distributions_sum_to_one(model):
    np.testing.assert_allclose(model.topic_word_.sum(axis=1), 1, rtol=1e-3)
    np.testing.assert_allclose(model.doc_topic_.sum(axis=1), 1, rtol=1e-3)


def test_planted_topics_are_recovered(corpus):
    model = CRTM(n_topics=3, max_iter=25, vector_size=8, seed=1).fit(corpus)
    theme = np.array([d % 3 for d in range(len(corpus))])
    found = model.doc_topic_.argmax(axis=1)
    assert all(len(set(found[theme == t])) == 1 for t in range(3)) and len(set(found)) == 3
    for t, words in enumerate(THEMES.values()):
        top = model.top_words(int(found[theme == t][0]), 12)
        assert len(set(top) & set(words)) >= 6


def test_planted_links_are_recovered(corpus):
    split = hide_links(corpus, 0)
    model = CRTM(**QUICK).fit(split.training)
    hits = [
        model.rank_words(int(source), int(target))[0][0] == corpus.titles[target].lower()
        for source, target in zip(split.test.source, split.test.target, strict=True)
    ]
    assert np.mean(hits) > 0.9


def test_a_word_s_score_is_the_best_of_its_occurrences(model, corpus):
    scores, words = model.score_tokens(2, [5])[:, 0], corpus[2].words
    for word, score in model.rank_words(2, 5):
        assert score == scores[words == corpus.vocabulary.index[word]].max()


def test_many_targets_at_once_are_scored_as_one_by_one(model, corpus):
    together = model.score_tokens(1, range(len(corpus)))
    for target in (0, 4, 7):
        np.testing.assert_allclose(
            together[:, target], model.score_tokens(1, [target])[:, 0], rtol=1e-4, atol=1e-4
        )


def test_a_view_of_a_page_answers_as_the_page_does(model):
    scorer = model.document_scorer(2)
    np.testing.assert_array_equal(model.score_tokens(scorer, [5]), model.score_tokens(2, [5]))
    assert model.rank_spans(scorer, 5) == model.rank_spans(2, 5)
    assert model.rank_words(scorer, 5) == model.rank_words(2, 5)
    assert model.read(scorer) is scorer.document


def test_targets_may_be_named_by_title(model, corpus):
    np.testing.assert_array_equal(
        model.score_tokens(0, [corpus.titles[3]]), model.score_tokens(corpus.titles[0], [3])
    )
    with pytest.raises(ParameterError, match="Atlantis"):
        model.score_tokens(0, ["Atlantis"])
    with pytest.raises(ParameterError, match="99"):
        model.link_score(0, [99])


def test_spans_lie_at_word_boundaries_and_hold_the_anchor(corpus):
    split = hide_links(corpus, 1)
    model = CRTM(**QUICK).fit(split.training)
    link = split.test
    best = model.rank_spans(int(link.source[0]), int(link.target[0]))
    words = corpus[int(link.source[0])].text_words
    starts, ends = set(words.starts.tolist()), set(words.ends.tolist())
    assert all(span.start in starts and span.end in ends for span in best)
    assert best == sorted(best, key=lambda span: -span.score)
    exact = [
        (s := model.rank_spans(int(a), int(b))[0]).start == c and s.end == d
        for a, b, c, d in zip(link.source, link.target, link.start, link.end, strict=True)
    ]
    assert np.mean(exact) > 0.7


def test_link_score_prefers_pages_of_the_same_theme(model, corpus):
    scores = model.link_score(0, range(1, len(corpus)))
    same = np.array([d % 3 == 0 for d in range(1, len(corpus))])
    assert scores[same].mean() > scores[~same].mean()


def test_link_score_gathers_the_evidence_of_all_words(model):
    tokens = model.score_tokens(0, [3, 4])
    expected = np.log(np.exp(tokens.astype(float)).sum(axis=0))
    np.testing.assert_allclose(model.link_score(0, [3, 4]), expected, rtol=1e-4)
    assert np.isneginf(model.link_score({"title": "N", "text": "xyzzy"}, [3, 4])).all()


def test_hidden_page_pairs_are_told_from_others_nearly_always(corpus):
    training, hidden = hide_pairs(corpus, 0)
    fitted_model = CRTM(**QUICK).fit(training)
    assert pair_auc(corpus, hidden, fitted_model.link_score, 0) > 0.95


def test_an_unseen_page_is_folded_in_without_changing_the_model(model, corpus):
    before = model.topic_word_.copy()
    theta = model.transform({"title": "New", "text": " ".join(THEMES["forge"] * 3)})
    assert theta.sum() == pytest.approx(1, rel=1e-4)
    forge = model.doc_topic_[2::3].mean(axis=0)
    assert theta @ forge > theta @ model.doc_topic_[0::3].mean(axis=0)
    np.testing.assert_array_equal(before, model.topic_word_)


def test_a_draft_is_scored_at_its_own_offsets(model, corpus):
    title = corpus.titles[0]
    text = f"A boat near {title} in the valley."
    ranked = model.rank_spans({"title": "Draft", "text": text}, 0)
    assert text[ranked[0].start : ranked[0].end] == title


def test_a_page_without_known_words_has_no_anchors_and_even_topics(model):
    strange = {"title": "New", "text": "xyzzy plugh"}
    assert model.rank_words(strange, 0) == [] and model.rank_spans(strange, 0) == []
    assert model.score_tokens(strange, [0, 1]).shape == (0, 2)
    assert np.ptp(model.transform(strange)) == pytest.approx(0, abs=1e-6)


def test_shared_topics_name_what_sentence_and_target_have_in_common(model, corpus):
    document = corpus[0]
    shared = model.shared_topics(0, 3, start=int(document.starts[8]), end=int(document.ends[8]))
    assert shared and all(0 < weight <= 1 for _, weight in shared)
    assert shared == sorted(shared, key=lambda pair: -pair[1])
    assert model.shared_topics(0, 3, start=10**6, end=10**6 + 1) == []


def test_a_word_already_linked_elsewhere_is_a_worse_anchor():
    records = planted_records()
    title = records[0]["title"]
    text = f"Water bank {title} flood. "
    model = CRTM(**QUICK).fit(Corpus.from_records(records, min_documents=1, max_share=1))
    start = text.index(title)
    free = model.score_tokens({"title": "N", "text": text}, [0])
    taken = model.score_tokens(
        {"title": "N", "text": text, "links": [[start, start + len(title), records[6]["title"]]]},
        [0],
    )
    assert taken[2, 0] < free[2, 0]


def test_every_variant_of_the_paper_fits_and_ranks(corpus):
    for context in ("document", "anchor", "uniform", "positional", "attention"):
        for projection in ("identity", "learned", "full"):
            for update in ("paper", "contrast"):
                if update == "paper" and projection == "full":
                    continue
                model = CRTM(
                    4,
                    context=context,
                    projection=projection,
                    update=update,
                    terms=(),
                    max_iter=3,
                    vector_size=4,
                ).fit(corpus)
                scores = np.array([score for _, score in model.rank_words(0, 3)])
                assert np.isfinite(scores).all() and np.isfinite(model.eta_).all()


@pytest.mark.parametrize("term", TERMS)
def test_a_term_switched_off_has_no_weight(corpus, term):
    model = CRTM(**{**QUICK, "max_iter": 2}, terms=tuple(set(TERMS) - {term})).fit(corpus)
    assert all(model.weights_[column] == 0 for column in COLUMNS[term])


def test_the_same_seed_gives_the_same_bytes(corpus, tmp_path):
    for name in ("one", "two"):
        model = CRTM(**QUICK).fit(corpus)
        model.history_ = []  # seconds differ
        model.save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_the_number_of_blas_threads_does_not_change_a_byte(corpus):
    topics = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            topics.append(CRTM(**QUICK).fit(corpus).topic_word_.tobytes())
    assert topics[0] == topics[1]


def test_one_job_or_two_rank_the_same_anchors_first(corpus, model):
    alone = CRTM(**QUICK, n_jobs=1).fit(corpus)
    for source, target in ((0, 3), (1, 4), (2, 8)):
        assert alone.rank_words(source, target)[0][0] == model.rank_words(source, target)[0][0]


def test_a_thousand_topics_fit_and_a_document_keeps_few_of_them(corpus):
    model = CRTM(1000, max_iter=6, vector_size=8).fit(corpus)
    gamma = model.fitted_.topics.gamma
    assert ((gamma > model.alpha + 1e-6).sum(axis=1) <= model.active_topics).all()
    assert np.isfinite(model.score_tokens(0, [3, 6])).all()
    assert model.rank_words(0, 3)[0][0] in {title.lower() for title in corpus.titles}


def test_another_seed_gives_other_topics(corpus, model):
    assert not np.array_equal(CRTM(**QUICK, seed=9).fit(corpus).topic_word_, model.topic_word_)


def test_the_order_of_documents_does_not_matter(corpus, model):
    records = planted_records()
    order = np.random.default_rng(0).permutation(len(records))
    other = CRTM(**QUICK).fit(
        Corpus.from_records([records[i] for i in order], min_documents=1, max_share=1)
    )
    np.testing.assert_allclose(other.doc_topic_, model.doc_topic_[order], atol=2e-3)
    ranked, again = (
        model.rank_words(records[0]["title"], records[3]["title"]),
        other.rank_words(records[0]["title"], records[3]["title"]),
    )
    assert ranked[0][0] == again[0][0]


def test_validation_keeps_the_best_state_and_stops_when_it_no_longer_helps(corpus):
    split = hide_links(corpus, 0)
    told = []
    model = CRTM(**{**QUICK, "max_iter": 60}).fit(split.training, split.validation, told.append)
    scores = [one.validation for one in told if one.validation is not None]
    assert model.n_iter_ == len(told) < 60
    assert scores[-1] <= max(scores) and len(scores) - 1 - int(np.argmax(scores)) == 2


def test_likelihood_rises(model):
    values = [one.likelihood for one in model.history_]
    assert values[0] < values[-1] < 0


def test_a_checkpoint_taken_up_gives_the_result_of_an_uninterrupted_run(corpus, tmp_path):
    whole = CRTM(**{**QUICK, "max_iter": 10}).fit(corpus)

    class Stop(Exception):
        pass

    def stop(iteration):
        if iteration.number == 7:
            raise Stop

    path = tmp_path / "checkpoint"
    with pytest.raises(Stop):
        CRTM(**{**QUICK, "max_iter": 10}).fit(corpus, None, stop, checkpoint=path)
    assert path.exists()
    resumed = CRTM(**{**QUICK, "max_iter": 10}).fit(corpus, checkpoint=path)
    np.testing.assert_array_equal(resumed.topic_word_, whole.topic_word_)
    assert resumed.weights_ == whole.weights_
    assert not path.exists()


def test_a_checkpoint_keeps_the_best_state_that_validation_found(corpus, tmp_path):
    split = hide_links(corpus, 0)
    options = {**QUICK, "max_iter": 30}
    whole = CRTM(**options).fit(split.training, split.validation)
    path = tmp_path / "checkpoint"
    with pytest.raises(ZeroDivisionError):
        CRTM(**options).fit(
            split.training, split.validation, lambda told: 1 // (11 - told.number), checkpoint=path
        )
    resumed = CRTM(**options).fit(split.training, split.validation, checkpoint=path)
    np.testing.assert_array_equal(resumed.doc_topic_, whole.doc_topic_)
    assert [one.validation for one in resumed.history_] == [
        one.validation for one in whole.history_
    ]


def test_a_checkpoint_of_other_parameters_is_refused(corpus, tmp_path):
    path = tmp_path / "checkpoint"
    with pytest.raises(ZeroDivisionError):
        CRTM(**QUICK).fit(
            corpus,
            None,
            lambda told: 1 // (6 - told.number) if told.number == 6 else None,
            checkpoint=path,
        )
    with pytest.raises(crtm.ModelFileError, match="other parameters"):
        CRTM(**{**QUICK, "alpha": 0.7}).fit(corpus, checkpoint=path)


# -- edges --------------------------------------------------------------------------------------------------------------


def fitted(*records, **options):
    return CRTM(**{**QUICK, **options}).fit(
        Corpus.from_records(records, min_documents=1, max_share=1.0)
    )


def test_no_links_at_all_is_lda_with_a_warning():
    with pytest.warns(UserWarning, match="as in LDA"):
        model = fitted({"title": "A", "text": "bee sea tea"}, {"title": "B", "text": "sea bee"})
    assert model.rank_words(0, 1)


def test_an_empty_corpus_is_refused():
    with pytest.raises(ParameterError, match="no documents"):
        CRTM().fit(Corpus.from_records([]))


def test_one_document_and_more_topics_than_documents():
    with pytest.warns(UserWarning):
        model = fitted({"title": "A", "text": "bee sea tea bee"}, n_topics=50)
    assert model.doc_topic_.shape == (1, 50) and np.isfinite(model.doc_topic_).all()


def test_empty_documents_are_kept_with_even_topics():
    model = fitted(
        {"title": "A", "text": "bee sea", "links": [[0, 3, "B"]]},
        {"title": "B", "text": "bee tea"},
        {"title": "C", "text": ""},
    )
    np.testing.assert_allclose(model.doc_topic_[2], 1 / 6, rtol=1e-5)
    assert model.rank_words(2, 0) == [] and len(model.rank_words(0, 2)) == 2


def test_texts_without_any_known_word_still_fit():
    with pytest.warns(UserWarning):
        model = CRTM(**QUICK).fit(
            Corpus.from_records([{"title": "A", "text": "one"}, {"title": "B", "text": "two"}])
        )
    assert model.rank_words(0, 1) == []


def test_links_to_oneself_and_outside_do_no_harm():
    model = fitted(
        {
            "title": "A",
            "text": "bee sea",
            "links": [[0, 3, "A"], [4, 7, "Nowhere"], [0, 3, "B"], [0, 3, "B"]],
        },
        {"title": "B", "text": "bee tea"},
    )
    assert len(model.corpus_.links) == 1 and model.rank_words(0, 1)[0][0] == "bee"


def test_a_document_of_a_hundred_thousand_words():
    random = np.random.default_rng(0)
    words = [f"w{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{i}" for i in range(3000)]
    long = " ".join(words[i] for i in random.integers(0, 3000, 100_000)) + "."
    model = fitted(
        {"title": "A", "text": long, "links": [[0, 5, "B"]]},
        {"title": "B", "text": " ".join(words[:50])},
        max_iter=2,
    )
    assert np.isfinite(model.score_tokens(0, [1])).all()
