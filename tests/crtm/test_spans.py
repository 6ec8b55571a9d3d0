"""Runs of words as anchors: all words of a text, borders of anchors, candidates, columns, and what is learned of them."""

import itertools

import numpy as np
import pytest

from crtm import CRTM, Corpus
from crtm.borders import Counts, count_borders, mixed, run_keys
from crtm.experiments.protocol import hide_links
from crtm.span_features import COLUMNS, LEAD_WORDS, SpanPage, lead_codes, occurrences_before
from crtm.spans import PRIOR, anchors_between, best_spans, learn_spans, reader_of, unlearned
from crtm.tokenize import (
    CAPITAL,
    CLOSING,
    FIRST,
    HAS_LETTER,
    IN_LINK,
    LINE_BREAK,
    LINK_BEGINS,
    OPENING,
    SPACE,
    STOP,
    split_words,
    word_code,
)

PLACES = 24
QUICK = {"n_topics": 6, "max_iter": 6, "vector_size": 8}
TEXT = "In 1962 a (Green Lantern) of Oa fell. He rose\nSee Apollo 11"


def records(extra=""):
    """Places with names of three words, of which the middle one is in every text; each page links three others."""
    names = [f"Alpha{chr(97 + i)} of Beta{chr(97 + i)}" for i in range(PLACES)]
    made = []
    for i, name in enumerate(names):
        text, links = f"{name} is a place of note. {extra}", []
        for other in ((i + 1) % PLACES, (i + 5) % PLACES, (i + 7) % PLACES):
            start = len(text) + 5
            text += f"then {names[other]} lies near. "
            links.append([start, start + len(names[other]), names[other]])
        made.append({"title": name, "text": text, "links": links})
    return made


def test_all_words_of_a_text_are_kept_with_their_places_and_looks():
    words = split_words(TEXT).text_words
    told = [TEXT[a:b] for a, b in zip(words.starts, words.ends, strict=True)]
    assert told == [
        "In", "1962", "a", "Green", "Lantern", "of", "Oa", "fell", "He", "rose", "See", "Apollo", "11",
    ]  # fmt: skip
    assert ((words.looks & CAPITAL) > 0).tolist() == [w[0].isupper() for w in told]
    assert ((words.looks & HAS_LETTER) == 0).tolist() == [w.isdigit() for w in told]
    assert [t for t, look in zip(told, words.looks, strict=True) if look & FIRST] == ["In", "He", "See"]  # fmt: skip


def test_the_characters_beside_a_word_are_told_by_kind():
    words = split_words(TEXT).text_words
    before, after = words.edges & 15, words.edges >> 4
    assert (before[0], after[0]) == (LINE_BREAK, SPACE)
    assert (before[3], after[4]) == (OPENING, CLOSING)
    assert after[7] == STOP and (after[9], before[10]) == (LINE_BREAK, LINE_BREAK)
    assert after[12] == LINE_BREAK


def test_words_of_east_asia_have_edges_too():
    words = split_words("東京。大阪").text_words
    assert len(words.starts) == 2 and (words.edges[0] >> 4) not in (SPACE, LINE_BREAK)


def test_codes_of_a_word_s_forms_share_their_upper_bits():
    assert word_code("pilsāta") >> 12 == word_code("pilsātys") >> 12
    assert word_code("pilsāta") != word_code("pilsātys")
    assert word_code("pilsāta") >> 12 != word_code("upe") >> 12


def test_links_mark_the_words_of_their_anchors_and_hiding_them_takes_the_marks_away():
    corpus = Corpus.from_records(records())
    looks = corpus.words_of_text(0).looks
    assert (looks & LINK_BEGINS > 0).sum() == 3 and (looks & IN_LINK > 0).sum() == 9
    hidden = np.zeros(len(corpus.links), dtype=bool)
    hidden[0] = True
    left = corpus.without(hidden)
    assert (left.words_of_text(0).looks & IN_LINK > 0).sum() == 6
    assert (corpus.words_of_text(0).looks & IN_LINK > 0).sum() == 9
    others = [(corpus.words_of_text(d).looks == left.words_of_text(d).looks).all() for d in range(1, PLACES)]  # fmt: skip
    assert all(others)


def test_a_part_of_a_corpus_keeps_the_words_of_its_texts():
    corpus = Corpus.from_records(records())
    part = corpus.chosen(np.array([7, 2]))
    for number, own in enumerate((7, 2)):
        for one, other in zip(part[number].text_words, corpus[own].text_words, strict=True):
            np.testing.assert_array_equal(one, other)


def test_borders_count_words_pairs_and_whole_anchors():
    record = {"title": "A", "text": "the Green Lantern met Oa", "links": [[4, 17, "B"], [22, 24, "X"]]}  # fmt: skip
    corpus = Corpus.from_records([record, {"title": "B", "text": "Green Lantern"}], min_documents=1)
    borders = count_borders(corpus.text_words, corpus.text_offsets[:-1])
    codes = {w: np.array([word_code(w)], dtype=np.uint64) for w in ("the", "green", "lantern", "met", "oa")}  # fmt: skip
    assert borders.words.at(codes["green"]).tolist() == [[1, 1, 0]]
    assert borders.words.at(codes["lantern"]).tolist() == [[1, 0, 1]]
    assert borders.words.at(codes["oa"]).tolist() == [[1, 1, 1]]
    assert borders.words.at(codes["met"]).tolist() == [[0, 0, 0]]
    assert borders.pairs.at(mixed(codes["green"], codes["lantern"])).tolist() == [[1, 0]]
    assert borders.pairs.at(mixed(codes["the"], codes["green"])).tolist() == [[0, 1]]
    name = np.concatenate([codes["green"], codes["lantern"]])
    whole = run_keys(name, np.array([0]), np.array([2]))
    assert borders.anchors.at(whole).tolist() == [[1]]
    assert borders.anchors.at(run_keys(name, np.array([0]), np.array([1]))).tolist() == [[0]]


def test_counts_of_nothing_answer_with_zeros():
    none = Counts.of(np.empty(0, dtype=np.uint64), np.empty((0, 2)))
    assert none.at(np.array([5], dtype=np.uint64)).tolist() == [[0, 0]]


@pytest.fixture(scope="module")
def fitted():
    split = hide_links(Corpus.from_records(records()), 0)
    return split, CRTM(**QUICK).fit(split.training)


def test_candidates_stay_in_their_sentence_and_out_of_other_links(fitted):
    _split, model = fitted
    source = 0
    reader = reader_of(model.document_scorer(source), 5, model.spans_.facts)
    page = reader.page
    runs = page.candidates(reader.cores(100), 6)
    assert len(runs.first) and (runs.sizes <= 6).all()
    for first, last in zip(runs.first, runs.last, strict=True):
        assert not page.inside[first:last].any()
        assert not page.breaks[first + 1 : last].any()


def test_links_to_the_target_itself_count_as_plain_text(fitted):
    split, _model = fitted
    link = split.training.links[0:1]
    source, target = int(link.source[0]), int(link.target[0])
    page = SpanPage(split.training[source], target)
    ((first, last),) = anchors_between(split.training, source, target)
    assert not page.inside[first:last].any()
    assert SpanPage(split.training[source], -1).inside[first:last].all()


def test_in_training_a_link_is_no_evidence_for_itself(fitted):
    split, model = fitted
    link = split.training.links[0:1]
    source, target = int(link.source[0]), int(link.target[0])
    anchors = anchors_between(split.training, source, target)
    scorer, facts = model.document_scorer(source), model.spans_.facts
    column = COLUMNS.index("anchors")
    told = []
    for leave_own_out in (False, True):
        reader = reader_of(scorer, target, facts, leave_own_out=leave_own_out)
        runs = reader.page.candidates(reader.cores(100), 6)
        pairs = zip(runs.first.tolist(), runs.last.tolist(), strict=True)
        right = [number for number, pair in enumerate(pairs) if pair in anchors]
        told.append(float(np.expm1(reader.columns(runs)[right[0], column])))
    assert told[0] - told[1] == pytest.approx(1, abs=1e-4)


def test_every_column_is_a_number(fitted):
    _split, model = fitted
    for target in range(1, 10):
        reader = reader_of(model.document_scorer(0), target, model.spans_.facts)
        columns = reader.columns(reader.page.candidates(reader.cores(100), 6))
        assert columns.shape[1] == len(COLUMNS) and np.isfinite(columns).all()
    assert set(PRIOR) <= set(COLUMNS)


def test_an_anchor_may_hold_words_outside_the_vocabulary(fitted):
    split, model = fitted
    assert "of" not in model.vocabulary_.index
    for number in range(len(split.test)):
        link = split.test[number : number + 1]
        best = model.rank_spans(int(link.source[0]), int(link.target[0]))[0]
        assert (best.start, best.end) == (int(link.start[0]), int(link.end[0]))


def test_spans_do_not_overlap_and_come_in_the_order_of_their_scores(fitted):
    _, model = fitted
    ranked = model.rank_spans(0, 3)
    assert ranked == sorted(ranked, key=lambda span: -span.score)
    by_place = sorted((span.start, span.end) for span in ranked)
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(by_place))


def test_without_links_the_weights_are_those_before_learning():
    bare = [{**record, "links": []} for record in records()]
    corpus = Corpus.from_records(bare)
    with pytest.warns(UserWarning, match="no links"):
        model = CRTM(**QUICK).fit(corpus)
    np.testing.assert_array_equal(model.spans_.weights, unlearned(model.spans_.facts).weights)
    found = best_spans(model.document_scorer(0), 3, model.spans_)
    assert found and all(np.isfinite(score) for _, _, score in found)


def test_learning_moves_the_weights_and_is_repeatable(fitted):
    split, model = fitted
    again = learn_spans(split.training, split.training.links, model.document_scorer)
    once_more = learn_spans(split.training, split.training.links, model.document_scorer)
    np.testing.assert_array_equal(again.weights, once_more.weights)
    assert np.abs(again.weights - unlearned(again.facts).weights).max() > 0.01


def test_leads_are_the_first_words_of_each_text():
    corpus = Corpus.from_records([{"title": "A", "text": "Oa fell"}, {"title": "B", "text": "x " * 40}])  # fmt: skip
    leads = lead_codes(corpus)
    assert leads.shape == (2, LEAD_WORDS)
    assert leads[0, :3].tolist() == [word_code("oa"), word_code("fell"), 0]


def test_another_corpus_brings_its_own_leads(fitted):
    _, model = fitted
    more = Corpus.from_records(records("Some more words. "), vocabulary=model.vocabulary_)
    moved = model.with_corpus(more)
    np.testing.assert_array_equal(moved.spans_.facts.leads, lead_codes(more))
    np.testing.assert_array_equal(moved.spans_.weights, model.spans_.weights)


def test_a_file_written_before_spans_were_learned_still_answers(fitted):
    from crtm.spans import SpanModel

    _, model = fitted
    old = SpanModel.from_file(None, {}, len(model.titles_))
    assert best_spans(model.document_scorer(0), 3, old)


def test_occurrences_are_counted_from_the_beginning():
    keys = np.array([3, 5, 3, 3, 5], dtype=np.uint64)
    assert occurrences_before(keys).tolist() == [0, 0, 1, 2, 1]
