"""What is true of every corpus, whatever texts and links it was made of."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crtm import Corpus, CorpusError
from crtm.corpus import ELSEWHERE, UNLINKED, encode
from crtm.counts import REACH_WORDS, make_contexts, make_counts, sentence_ranges
from crtm.tables import PHRASE_COLUMNS, phrase_columns, word_table
from crtm.tokenize import split_words

WORDS = ["bee", "sea", "tea", "Kea", "lee", "fee", "x", "7", "a-b"]
TITLES = ["A", "B", "C", "D"]


@st.composite
def documents(draw, title):
    parts = draw(st.lists(st.sampled_from([*WORDS, ".", "\n"]), max_size=25))
    text = " ".join(parts)
    links = []
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 9)))
        links.append([start, end, draw(st.sampled_from([*TITLES, "Nowhere"]))])
    return {"title": title, "text": text, "links": links}


@st.composite
def worlds(draw):
    return [draw(documents(title)) for title in TITLES[: draw(st.integers(1, 4))]]


def corpus_of(records, **options):
    return Corpus.from_records(records, **{"min_documents": 1, "max_share": 1.0, **options})


@given(worlds())
def test_tokens_are_the_known_words_of_each_text_in_order(records):
    corpus = corpus_of(records)
    for number, record in enumerate(records):
        words = [corpus.vocabulary.words[word] for word in corpus[number].words]
        assert words == split_words(record["text"]).words


@given(worlds())
def test_links_join_two_documents_and_cover_a_token_of_their_source(records):
    corpus = corpus_of(records)
    links = corpus.links
    assert (links.source != links.target).all()
    assert (links.first < links.last).all()
    for source, first, last, start, end in zip(
        links.source, links.first, links.last, links.start, links.end, strict=True
    ):
        assert corpus.offsets[source] <= first and last <= corpus.offsets[source + 1]
        assert (corpus.starts[first:last] < end).all() and (corpus.ends[first:last] > start).all()


@given(worlds())
def test_no_link_is_kept_twice_and_none_is_lost_unseen(records):
    corpus = corpus_of(records)
    rows = list(zip(*(getattr(corpus.links, name) for name in corpus.links.__slots__), strict=True))
    assert len(rows) == len(set(rows)) and rows == sorted(rows)
    wanted = Counter()
    for record in records:
        for start, end, target in record["links"]:
            if target in corpus.index and target != record["title"]:
                wanted[record["title"], target, start, end] += 1
    repeated = sum(count - 1 for count in wanted.values())
    assert len(corpus.links) + corpus.dropped_links >= len(wanted)
    assert len(corpus.links) + corpus.dropped_links <= len(wanted) + repeated


@given(worlds())
def test_a_token_tells_a_link_only_where_one_stands(records):
    corpus = corpus_of(records)
    for number, record in enumerate(records):
        document = corpus[number]
        for start, end, linked in zip(document.starts, document.ends, document.linked, strict=True):
            names = [t for a, b, t in record["links"] if a < end and b > start]
            told = {corpus.index.get(name, ELSEWHERE) for name in names}
            assert int(linked) in (told or {UNLINKED})


@given(worlds())
def test_a_document_of_the_corpus_is_encoded_as_the_corpus_has_it(records):
    corpus = corpus_of(records)
    for number, record in enumerate(records):
        again, own = encode(record, corpus.vocabulary, corpus.index), corpus[number]
        assert again.number == own.number and again.title == own.title
        for name in ("words", "starts", "ends", "sentences", "shapes", "linked"):
            np.testing.assert_array_equal(getattr(again, name), getattr(own, name))


@given(worlds())
def test_hiding_all_links_leaves_none_and_hiding_none_changes_nothing(records):
    corpus = corpus_of(records)
    every, none = np.ones(len(corpus.links), bool), np.zeros(len(corpus.links), bool)
    blind = corpus.without(every)
    assert not len(blind.links)
    for first, last in zip(corpus.links.first, corpus.links.last, strict=True):
        assert (blind.linked[first:last] == UNLINKED).all()
    same = corpus.without(none)
    assert same.sha256 == corpus.sha256
    np.testing.assert_array_equal(same.linked, corpus.linked)
    np.testing.assert_array_equal(same.text_words.looks, corpus.text_words.looks)


@given(worlds(), st.randoms(use_true_random=False))
def test_another_order_of_documents_has_the_same_words_and_links(records, random):
    shuffled = list(records)
    random.shuffle(shuffled)
    one, other = corpus_of(records), corpus_of(shuffled)
    assert one.vocabulary == other.vocabulary

    def named(corpus):
        links = corpus.links
        return {
            (corpus.titles[s], corpus.titles[t], int(a), int(b))
            for s, t, a, b in zip(links.source, links.target, links.start, links.end, strict=True)
        }

    assert named(one) == named(other)


@given(worlds(), st.integers(1, 3), st.sampled_from([0.25, 0.5, 1.0]))
def test_the_vocabulary_is_the_words_of_enough_but_not_too_many_documents(records, least, share):
    corpus = corpus_of(records, min_documents=least, max_share=share)
    counts = Counter(word for r in records for word in set(split_words(r["text"]).words))
    most = max(share * len(records), least)
    assert corpus.vocabulary.words == tuple(
        sorted(word for word, count in counts.items() if least <= count <= most)
    )


@settings(max_examples=30)
@given(records=worlds())
def test_json_lines_keep_everything(tmp_path_factory, records):
    path = tmp_path_factory.mktemp("corpus") / "corpus.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    read = Corpus.from_jsonl(path, min_documents=1, max_share=1.0)
    assert read.sha256 == corpus_of(records).sha256


def test_the_hash_changes_with_words_titles_and_links_and_not_with_anything_else():
    page = {"title": "A", "text": "bee sea", "links": [[0, 3, "B"]]}
    other = {"title": "B", "text": "tea"}
    first = corpus_of([page, other]).sha256
    assert corpus_of([dict(page), dict(other)]).sha256 == first
    changed = [
        [{**page, "text": "bee tea"}, other],
        [{**page, "links": []}, other],
        [{**page, "links": [[4, 7, "B"]]}, other],
        [{**page, "title": "C"}, other],
        [other, page],
    ]
    assert len({corpus_of(records).sha256 for records in changed} | {first}) == 6


@pytest.mark.parametrize("links", [None, 7, {"0": "B"}])
def test_links_that_are_not_a_list_are_refused_by_name(links):
    with pytest.raises(CorpusError, match='The links of "A" are not a list'):
        corpus_of([{"title": "A", "text": "bee", "links": links}])


@pytest.mark.parametrize("link", [[-1, 2, "B"], [2, 1, "B"], [0, 99, "B"]])
def test_a_link_outside_its_text_is_refused_by_name(link):
    with pytest.raises(CorpusError, match='A link of "A" lies outside'):
        corpus_of([{"title": "A", "text": "bee", "links": [link]}])


@pytest.mark.parametrize(
    "link", [["0", "3"], {"start": 0}, [0, 3, 7], "abc", [0.5, 3, "B"], ["0", "3", "B"], None]
)
def test_a_link_that_is_no_triple_is_refused_by_name(link):
    with pytest.raises(CorpusError, match='link of "A"'):
        corpus_of([{"title": "A", "text": "bee", "links": [link]}])


# -- cells and contexts -------------------------------------------------------------------------------------------------


@given(worlds())
def test_cells_count_every_token_once(records):
    corpus = corpus_of(records)
    for tied in (True, False):
        word_counts = make_counts(corpus, tied=tied)
        assert (
            word_counts.count.sum() == len(corpus.words)
            and len(word_counts.doc_ptr) == len(corpus) + 1
        )
        np.testing.assert_array_equal(word_counts.word[word_counts.of_token], corpus.words)
        for d in range(len(corpus)):
            own = slice(word_counts.doc_ptr[d], word_counts.doc_ptr[d + 1])
            assert word_counts.count[own].sum() == corpus.lengths[d]


@given(worlds())
def test_sentence_ranges_are_the_runs_of_one_sentence_in_one_document(records):
    corpus = corpus_of(records)
    begins, ends = sentence_ranges(corpus)
    owner = np.repeat(np.arange(len(corpus)), corpus.lengths)
    for token in range(len(corpus.words)):
        same = (corpus.sentences == corpus.sentences[token]) & (owner == owner[token])
        assert np.flatnonzero(same).tolist() == list(range(begins[token], ends[token]))


@given(worlds(), st.sampled_from(["anchor", "uniform", "positional", "attention"]))
def test_a_context_holds_its_anchor_and_its_weights_sum_to_one(records, kind):
    corpus = corpus_of(records)
    vectors = np.random.default_rng(0).standard_normal((len(corpus.vocabulary), 3))
    word_counts = make_counts(corpus, tied=False)
    contexts = make_contexts(corpus, word_counts, kind, vectors, sharpness=2.0, sigma=3.0)
    assert len(contexts.pair_ptr) == len(corpus.links) + 1
    for link in range(len(corpus.links)):
        pairs = slice(contexts.pair_ptr[link], contexts.pair_ptr[link + 1])
        anchor = set(range(corpus.links.first[link], corpus.links.last[link]))
        assert anchor <= set(contexts.pair_cell[pairs].tolist())
        assert contexts.pair_weight[pairs].sum() == pytest.approx(1, rel=1e-5)


def test_the_context_of_a_sentence_without_end_reaches_only_so_far():
    words = " ".join(f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(400))
    start = len(" ".join(words.split()[:200])) + 1
    corpus = corpus_of(
        [{"title": "A", "text": words, "links": [[start, start + 3, "B"]]}, {"title": "B", "text": "waa"}]
    )  # fmt: skip
    word_counts = make_counts(corpus, tied=False)
    none = np.zeros((len(corpus.vocabulary), 1))
    contexts = make_contexts(corpus, word_counts, "uniform", none, sharpness=1.0, sigma=3.0)
    assert contexts.pair_cell.tolist() == list(range(200 - REACH_WORDS, 201 + REACH_WORDS))


def test_whole_documents_as_contexts_have_no_pairs_of_their_own():
    corpus = corpus_of(
        [{"title": "A", "text": "bee sea", "links": [[0, 3, "B"]]}, {"title": "B", "text": "tea"}]
    )
    none = np.zeros((len(corpus.vocabulary), 1))
    word_counts = make_counts(corpus, tied=True)
    contexts = make_contexts(corpus, word_counts, "document", none, sharpness=1.0, sigma=3.0)
    assert contexts.whole and contexts.pair_ptr.tolist() == [0, 0]
    assert not len(contexts.pair_cell) and contexts.link_ptr.tolist() == [0, 1, 1]


# -- tables -------------------------------------------------------------------------------------------------------------


@given(worlds())
def test_the_word_table_counts_and_places_each_word(records):
    corpus = corpus_of(records)
    table = word_table(corpus)
    for d in range(len(corpus)):
        own = slice(table.ptr[d], table.ptr[d + 1])
        words = corpus[d].words.tolist()
        assert table.column[own].tolist() == sorted(set(words))
        for word, values in zip(table.column[own].tolist(), table.values[own], strict=True):
            assert values[1] == pytest.approx(np.log1p(words.count(word)), rel=1e-5)
            assert values[2] == pytest.approx(np.log1p(words.index(word)), rel=1e-5)


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), min_size=1, max_size=40))
def test_phrases_hash_into_range_and_alike_every_time(pairs):
    left, right = (np.array(side, dtype=np.int32) for side in zip(*pairs, strict=True))
    columns = phrase_columns(left, right)
    assert (columns >= 0).all() and (columns < PHRASE_COLUMNS).all()
    np.testing.assert_array_equal(columns, phrase_columns(left, right))


def test_phrases_of_a_vocabulary_hardly_ever_collide():
    left, right = np.meshgrid(np.arange(60, dtype=np.int32), np.arange(60, dtype=np.int32))
    columns = phrase_columns(left.ravel(), right.ravel())
    assert len(set(columns.tolist())) > 0.98 * len(columns)
