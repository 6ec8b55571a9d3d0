"""Text to words, JSON lines to arrays."""

import json

import numpy as np
import pytest

from crtm import Corpus, CorpusError
from crtm.corpus import ELSEWHERE, UNLINKED, encode
from crtm.counts import make_contexts, make_counts
from crtm.tables import document_phrases, phrase_table, stem_table, stems_of, word_table
from crtm.tokenize import CAPITAL, CAPITAL_AFTER, CAPITAL_BEFORE, FIRST, SHOUTED, split_words
from tests.crtm.reference import anchor_weights
from tests.crtm.worlds import planted_corpus


def corpus_of(*records, **options):
    return Corpus.from_records(records, **{"min_documents": 1, "max_share": 1.0, **options})


def test_words_are_lower_cased_with_inner_hyphens_parted_by_apostrophes_and_no_numbers():
    words = split_words("Spider-Man's 1962 X a_b don’t 3rd")
    assert words.words == ["spider-man", "don", "3rd"]


def test_offsets_are_code_points_of_the_text():
    text = "Zürich 🜁 lies at 𝒜 lake"
    words = split_words(text)
    assert [text[a:b].lower() for a, b in zip(words.starts, words.ends, strict=True)] == words.words


def test_sentences_end_at_full_stops_before_letters_and_at_line_breaks():
    words = split_words("One two. Three at 3.14 four? five\nsix")
    assert words.sentences.tolist() == [0, 0, 1, 1, 1, 2, 3]


def test_shapes_tell_capitals_and_their_neighbours():
    shapes = dict(
        zip((w := split_words("The Green Lantern met DC fans")).words, w.shapes, strict=True)
    )
    assert shapes["the"] == CAPITAL | FIRST | CAPITAL_AFTER
    assert shapes["green"] == CAPITAL | CAPITAL_BEFORE | CAPITAL_AFTER
    assert shapes["lantern"] == CAPITAL | CAPITAL_BEFORE
    assert shapes["dc"] == CAPITAL | SHOUTED
    assert shapes["fans"] == CAPITAL_BEFORE


def test_words_in_too_few_or_too_many_documents_are_dropped():
    records = [
        {"title": f"T{i}", "text": f"common w{i}w pair{i // 2}x", "links": []} for i in range(8)
    ]
    corpus = Corpus.from_records(records)
    assert corpus.vocabulary.words == ("pair0x", "pair1x", "pair2x", "pair3x")


def test_links_inside_the_corpus_are_kept_and_all_others_only_marked():
    corpus = corpus_of(
        {
            "title": "A",
            "text": "see bee and sea",
            "links": [[4, 7, "B"], [12, 15, "Nowhere"], [0, 3, "A"]],
        },
        {"title": "B", "text": "bee", "links": []},
    )
    assert len(corpus.links) == 1 and corpus.links.target[0] == 1
    assert corpus[0].linked.tolist() == [0, 1, UNLINKED, ELSEWHERE]


def test_duplicate_links_count_once_and_anchors_without_known_words_are_counted_apart():
    corpus = corpus_of(
        {"title": "A", "text": "see bee 7", "links": [[4, 7, "B"], [4, 7, "B"], [8, 9, "B"]]},
        {"title": "B", "text": "bee", "links": []},
    )
    assert len(corpus.links) == 1 and corpus.dropped_links == 1


def test_without_hides_links_and_forgets_them_in_the_tokens():
    corpus = planted_corpus(6)
    hidden = np.zeros(len(corpus.links), bool)
    hidden[0] = True
    fewer = corpus.without(hidden)
    link = corpus.links[0:1]
    assert len(fewer.links) == len(corpus.links) - 1
    assert (fewer.linked[link.first[0] : link.last[0]] == UNLINKED).all()
    assert (corpus.linked[link.first[0] : link.last[0]] == link.target[0]).all()


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{not json", "not JSON lines"),
        ("[1]", 'no "title"'),
        ('{"title": "A"}', 'no "text"'),
        ('{"title": "A", "text": "a", "links": [[0, 9, "B"]]}', "outside its text"),
        ('{"title": "A", "text": "a", "links": [[0]]}', "is not [start, end"),
    ],
)
def test_a_bad_line_is_refused_with_a_sentence(tmp_path, line, what):
    path = tmp_path / "corpus.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(CorpusError) as refused:
        Corpus.from_jsonl(path)
    assert what in str(refused.value)


def test_a_missing_file_and_a_title_twice_are_refused(tmp_path):
    with pytest.raises(CorpusError, match="could not be read"):
        Corpus.from_jsonl(tmp_path / "none.jsonl")
    with pytest.raises(CorpusError, match='the title "A"'):
        corpus_of({"title": "A", "text": "x"}, {"title": "A", "text": "y"})


def test_json_lines_give_the_same_corpus_as_records(tmp_path):
    records = [
        {"title": "A", "text": "bee there", "links": [[0, 3, "B"]]},
        {"title": "B", "text": "bee here"},
    ]
    path = tmp_path / "corpus.jsonl"
    path.write_text("\n\n".join(json.dumps(record) for record in records))
    assert (
        Corpus.from_jsonl(path, min_documents=1, max_share=1).sha256 == corpus_of(*records).sha256
    )


def test_a_new_document_is_encoded_with_the_corpus_s_words_and_titles():
    corpus = planted_corpus()
    document = encode(
        {"title": "New", "text": "zzz river bank", "links": [[4, 9, corpus.titles[2]]]},
        corpus.vocabulary,
        corpus.index,
    )
    assert document.number == -1
    assert [corpus.vocabulary.words[word] for word in document.words] == ["river", "bank"]
    assert document.linked.tolist() == [2, UNLINKED]


def test_tied_cells_count_each_word_of_a_document_once():
    corpus = corpus_of(
        {"title": "A", "text": "bee sea bee", "links": []},
        {"title": "B", "text": "sea", "links": []},
    )
    word_counts = make_counts(corpus, tied=True)
    assert word_counts.count.tolist() == [2, 1, 1] and word_counts.of_token.tolist() == [0, 1, 0, 2]
    assert make_counts(corpus, tied=False).count.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("kind", ["anchor", "uniform", "positional", "attention"])
def test_context_weights_equal_their_twin_and_never_leave_the_sentence(kind):
    corpus = planted_corpus(9)
    vectors = (
        np.random.default_rng(0).standard_normal((len(corpus.vocabulary), 5)).astype(np.float32)
    )
    word_counts = make_counts(corpus, tied=False)
    contexts = make_contexts(corpus, word_counts, kind, vectors, sharpness=1.0, sigma=3.0)
    for link in range(len(corpus.links)):
        pairs = slice(contexts.pair_ptr[link], contexts.pair_ptr[link + 1])
        assert contexts.pair_weight[pairs].sum() == pytest.approx(1, rel=1e-5)
        sentences = corpus.sentences[contexts.pair_cell[pairs]]
        assert (sentences == corpus.sentences[corpus.links.first[link]]).all()
        first, last = (
            int(place[link]) - contexts.pair_cell[pairs][0]
            for place in (corpus.links.first, corpus.links.last)
        )
        words = corpus.words[contexts.pair_cell[pairs]]
        expected = anchor_weights(kind, words, first, last, vectors, 1.0, 3.0)
        np.testing.assert_allclose(contexts.pair_weight[pairs], expected, rtol=1e-5)


def test_positional_weights_are_a_gaussian_and_anchor_weights_the_anchor():
    words, none = np.arange(5, dtype=np.int32), np.zeros((5, 1), np.float32)
    gauss = anchor_weights("positional", words, 2, 3, none, 1.0, 3.0)
    np.testing.assert_allclose(
        gauss / gauss[2], np.exp(-0.5 * (np.array([2, 1, 0, 1, 2]) / 3) ** 2), rtol=1e-5
    )
    assert anchor_weights("anchor", words, 1, 3, none, 1.0, 3.0).tolist() == [0, 0.5, 0.5, 0, 0]


def test_tables_know_where_a_word_first_stands_and_how_early_elsewhere():
    corpus = corpus_of(
        {"title": "A", "text": "bee sea bee", "links": []},
        {"title": "B", "text": "sea bee", "links": []},
    )
    table = word_table(corpus)
    bee = table.values[(table.column == 0)]
    np.testing.assert_allclose(bee[:, 1], np.log1p([2, 1]), rtol=1e-6)
    np.testing.assert_allclose(bee[:, 2], np.log1p([0, 1]), rtol=1e-6)
    np.testing.assert_allclose(bee[:, 3], np.log(np.array([1, 0.5]) / 1.5 + 1e-4), rtol=1e-5)


def test_inflected_forms_share_a_stem_s_cells():
    corpus = corpus_of({"title": "A", "text": "pilsāta pilsātys upe", "links": []})
    table = stem_table(corpus, stems_of(corpus.vocabulary))
    np.testing.assert_allclose(sorted(table.values[:, 1]), np.log1p([1, 2]), rtol=1e-6)


def test_phrases_are_two_words_one_character_apart():
    corpus = corpus_of({"title": "A", "text": "green lantern, corps lantern", "links": []})
    columns = document_phrases(corpus[0])
    assert (columns >= 0).tolist() == [True, False, True, False]
    assert set(phrase_table(corpus).column.tolist()) == set(columns[columns >= 0].tolist())
