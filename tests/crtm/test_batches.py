"""Mini-batches learn what full batches learn, from files, and their statistics add up to the last bit."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crtm import CRTM, Corpus, CorpusError, ParameterError, batches, em, linkfunction, pipeline
from crtm.batches import Statistics
from tests.crtm.worlds import planted_corpus, planted_records

QUICK = {"n_topics": 5, "vector_size": 6, "max_iter": 12, "n_jobs": 1}


def begun(corpus, model):
    vectors = pipeline.word_vectors(corpus, model)
    running = batches.begin(corpus, model, linkfunction.initial(model.n_topics, model.projection))
    return vectors, running


def same(one, other):
    for name in one.__dataclass_fields__:
        left, right = getattr(one, name), getattr(other, name)
        if name == "links":
            same(left, right)
        elif isinstance(left, np.ndarray) or name == "text_words":
            columns = ([left], [right]) if isinstance(left, np.ndarray) else (left, right)
            for a, b in zip(*columns, strict=True):
                np.testing.assert_array_equal(a, b)
                assert a.dtype == b.dtype
        else:
            assert left == right


# -- corpora in files ---------------------------------------------------------------------------------------------------


def test_a_streamed_corpus_is_the_corpus_of_the_same_records():
    records = planted_records(40)
    records[3]["links"].append([0, 4, "Nowhere"])
    same(Corpus.from_stream(iter(records)), Corpus.from_records(records))


def test_a_corpus_without_words_can_be_streamed():
    assert len(Corpus.from_stream(iter([{"title": "A", "text": ""}])).words) == 0


def test_a_stream_with_one_title_twice_is_refused():
    with pytest.raises(CorpusError, match='Two documents have the title "A"'):
        Corpus.from_stream(iter([{"title": "A", "text": "x"}] * 2))


def test_records_of_a_file_come_one_by_one_and_a_bad_line_is_refused_when_it_is_reached(tmp_path):
    path = tmp_path / "c.jsonl"
    path.write_text(json.dumps({"title": "A", "text": "word"}) + "\nnonsense\n")
    records = Corpus.iter_records(path)
    assert next(records)["title"] == "A"
    with pytest.raises(CorpusError, match="line 2 is not valid JSON"):
        next(records)


def test_chosen_documents_are_a_corpus_of_their_own():
    records = planted_records(30)
    corpus = Corpus.from_records(records)
    chosen = corpus.chosen(np.arange(0, 30, 3))
    again = Corpus.from_records(records[::3], vocabulary=corpus.vocabulary)
    assert chosen.sha256 == again.sha256
    np.testing.assert_array_equal(chosen.linked, again.linked)


def test_vectors_are_the_same_to_the_byte_however_many_words_are_counted_at_once(monkeypatch):
    corpus = planted_corpus()
    whole = pipeline.word_vectors(corpus, CRTM(**QUICK))
    monkeypatch.setattr("crtm.vectors.BLOCK_TOKENS", 37)
    np.testing.assert_array_equal(pipeline.word_vectors(corpus, CRTM(**QUICK)), whole)


# -- statistics ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["attention", "document"])
def world(request):
    corpus = Corpus.from_records(planted_records(24))
    model = CRTM(**QUICK, context=request.param)
    return corpus, model, *begun(corpus, model)


def told(world, documents):
    corpus, model, vectors, running = world
    arrays = batches._arrays(corpus, np.array(sorted(documents)), model, vectors)
    whole = model.context == "document"
    return batches.statistics(batches._batch(arrays, model, whole=whole), running, look=True)[0]


@settings(max_examples=25, deadline=None)
@given(owner=st.lists(st.integers(0, 2), min_size=24, max_size=24), order=st.permutations(range(3)))
def test_statistics_of_parts_add_up_to_those_of_the_whole_in_any_order(world, owner, order):
    parts = [[d for d in range(24) if owner[d] == part] for part in order]
    found = [told(world, part) for part in parts if part]
    total = found[0]
    for other in found[1:]:
        total = total + other
    same(total, told(world, range(24)))
    assert isinstance(total, Statistics)


@pytest.mark.parametrize("context", ["attention", "anchor", "document"])
def test_one_batch_of_everything_with_a_step_of_1_is_a_step_of_the_full_batch(context):
    corpus = Corpus.from_records(planted_records(30))
    model = CRTM(**QUICK, context=context)
    prepared = pipeline.prepare(corpus, model)
    state = pipeline.first_state(prepared, model)
    vectors, running = begun(corpus, model)
    parts = batches.make_batches(corpus, len(corpus), model, vectors)
    for _ in range(3):
        state, likelihood = pipeline.iterate(prepared, state, model)
        assert batches.run_pass(parts, running, model) == pytest.approx(likelihood, rel=1e-3)
    np.testing.assert_allclose(running.gamma, state.gamma, rtol=1e-2, atol=1e-2)
    np.testing.assert_allclose(running.topic_word(), state.topic_word, rtol=1e-2, atol=1e-5)
    np.testing.assert_allclose(running.function.eta, state.function.eta, rtol=1e-3)


def test_many_steps_that_change_some_rows_are_steps_of_the_whole_table(world):
    running = copy.deepcopy(world[3])
    shares = running.rows.astype(np.float64)
    for turn in range(30):  # far enough for the scale to become too small
        one = told(world, range(turn % 3, 24, 3))
        shares *= 0.4
        shares[one.words] += one.counts * (0.6 / one.tokens)
        running.move(one, 0.6)
    counts = shares * running.tokens + em.SMOOTHING
    np.testing.assert_allclose(running.topic_word(), counts / counts.sum(axis=0), rtol=1e-4)
    some = np.array([5, 2])
    np.testing.assert_array_equal(running.topic_word(some), running.topic_word()[some])


# -- learning -----------------------------------------------------------------------------------------------------------


def right_anchors(model, corpus, hidden):
    found = 0
    for source, target, first in zip(hidden.source, hidden.target, hidden.first, strict=True):
        anchor = corpus.vocabulary.words[corpus.words[first]]
        found += model.rank_words(int(source), int(target))[0][0] == anchor
    return found / len(hidden)


def test_mini_batches_and_the_full_batch_agree_on_held_out_links():
    whole = Corpus.from_records(planted_records(60))
    hidden = np.arange(len(whole.links)) % 5 == 0
    shown, links = whole.without(hidden), whole.links[hidden]
    full = CRTM(**QUICK).fit(shown)
    parts = CRTM(**QUICK).fit(shown, batch_size=13)
    assert right_anchors(parts, whole, links) >= right_anchors(full, whole, links) - 0.02
    assert parts.history_[-1].likelihood >= full.history_[-1].likelihood - 0.05


def test_an_iterator_of_records_teaches_what_the_corpus_teaches():
    records = planted_records(30)
    streamed = CRTM(**QUICK).fit(iter(records), batch_size=7)
    in_memory = CRTM(**QUICK).fit(Corpus.from_records(records), batch_size=7)
    np.testing.assert_array_equal(streamed.topic_word_, in_memory.topic_word_)
    assert streamed.rank_words(0, 3) == in_memory.rank_words(0, 3)


def test_batches_do_not_depend_on_the_order_of_documents():
    records = planted_records(30)
    one = CRTM(**QUICK).fit(iter(records), batch_size=7)
    other = CRTM(**QUICK).fit(iter(records[::-1]), batch_size=7)
    np.testing.assert_allclose(one.topic_word_, other.topic_word_, rtol=0.05, atol=1e-4)


def test_a_model_may_keep_fewer_documents_than_it_learned_from(tmp_path):
    model = CRTM(**QUICK).fit(iter(planted_records(40)), batch_size=10, keep_documents=25)
    assert len(model.titles_) == len(model.doc_topic_) == 25
    model.save(tmp_path / "m")
    assert CRTM.load(tmp_path / "m").titles_ == model.titles_


def test_partial_fit_with_steps_of_1_is_full_batch_learning():
    corpus = Corpus.from_records(planted_records(30))
    full = CRTM(**{**QUICK, "max_iter": 3}).fit(corpus)
    model = CRTM(**QUICK)
    for _ in range(3):
        model.partial_fit(corpus, step=1.0)
    np.testing.assert_allclose(model.doc_topic_, full.doc_topic_, atol=0.02)
    assert model.n_iter_ == 3


def test_partial_fit_goes_on_with_documents_it_has_not_seen():
    records = planted_records(60)
    model = CRTM(**QUICK)
    for _ in range(4):
        for first in range(0, 60, 20):
            model.partial_fit(iter(records[first : first + 20]))
    assert model.n_iter_ == 12
    assert model.titles_ == tuple(record["title"] for record in records[40:])
    assert model.history_[-1].likelihood > model.history_[2].likelihood


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"batch_size": 0}, "batch_size=0 must be a whole number of 1 or more"),
        ({"keep_documents": 3}, "give a batch_size as well"),
        ({"batch_size": 3, "checkpoint": "x"}, "checkpoint works without mini-batches only"),
    ],
)
def test_what_batches_cannot_do_is_refused(how, said):
    with pytest.raises(ParameterError, match=said):
        CRTM(**QUICK).fit(planted_corpus(), **how)


def test_the_paper_s_update_is_refused_in_batches():
    for work in ("fit", "partial_fit"):
        given = {"batch_size": 5} if work == "fit" else {}
        with pytest.raises(ParameterError, match="needs all links at once"):
            getattr(CRTM(**QUICK, update="paper"), work)(planted_corpus(), **given)


def test_an_impossible_step_and_another_vocabulary_are_refused():
    model = CRTM(**QUICK).partial_fit(planted_corpus())
    with pytest.raises(ParameterError, match="step=2 must be more than 0 and at most 1"):
        model.partial_fit(planted_corpus(), step=2)
    with pytest.raises(CorpusError, match="another vocabulary"):
        model.partial_fit(Corpus.from_records(planted_records(9), min_documents=1))
