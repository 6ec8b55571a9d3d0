"""The paper's baselines for link prediction, on graphs small enough to know the answer."""

import numpy as np
import pytest

from crtm import Corpus
from crtm.experiments import embeddings
from crtm.experiments.linkprediction import predict_links
from crtm.vectors import unit_rows
from tests.crtm.worlds import planted_corpus


def corpus_of(texts, links):
    """Return documents named A, B, ... with the texts; a link goes from the first word of its source."""
    records = [
        {"title": chr(65 + i), "text": text, "links": [[0, 2, chr(65 + t)] for s, t in links if s == i]}
        for i, text in enumerate(texts)
    ]  # fmt: skip
    return Corpus.from_records(records, min_documents=1, max_share=1.0)


@pytest.fixture(scope="module")
def path():
    """A - B - C, each with one word of its own."""
    return corpus_of(["aa", "bb", "cc"], [(0, 1), (1, 2)])


@pytest.fixture(scope="module")
def cliques():
    """Two groups of four documents, linked inside only; texts tell nothing."""
    links = [(i, j) for i in range(8) for j in range(8) if i != j and i // 4 == j // 4]
    return corpus_of([f"{chr(97 + i) * 2} same" for i in range(8)], links)


def test_two_steps_on_a_path_are_what_a_walker_does(path):
    expected = [[0.25, 0.5, 0.25], [0.25, 0.5, 0.25], [0.25, 0.5, 0.25]]
    np.testing.assert_allclose(embeddings.two_steps(path).todense(), expected)


def test_rle_mixes_seven_tenths_of_the_neighbours_words(path):
    vectors = embeddings.rle(path, 0, words=np.eye(3))
    np.testing.assert_allclose(vectors[0], [0.3 + 0.7 * 0.25, 0.7 * 0.5, 0.7 * 0.25], atol=1e-6)


def test_tadw_alternates_between_exact_minima():
    random = np.random.default_rng(0)
    proximity, texts = random.random((6, 6)), random.standard_normal((3, 6))
    right = random.standard_normal((2, 3))
    left = embeddings._tadw_left(proximity, right @ texts)
    residual = proximity - left.T @ right @ texts
    np.testing.assert_allclose((right @ texts) @ residual.T, 0.5 * 0.2 * left, atol=1e-9)
    right = embeddings._tadw_right(proximity, left, texts)
    residual = proximity - left.T @ right @ texts
    np.testing.assert_allclose(left @ residual @ texts.T, 0.5 * 0.2 * right, atol=1e-9)


def test_two_linked_gaussians_settle_where_words_and_neighbour_balance():
    pair = corpus_of(["aa", "bb"], [(0, 1)])
    one, other = embeddings.geld(pair, 0, words=np.eye(2))
    apart, together = one - other, one + other
    # D1 = .15 x1 + .85 D2 and D2 likewise: D1 - D2 = .15 / 1.85 (x1 - x2), D1 + D2 = x1 + x2
    np.testing.assert_allclose(np.abs(apart / together), 0.15 / 1.85, rtol=0.25)
    assert one[0] > one[1] and other[1] > other[0]


def test_a_gaussian_without_neighbours_stays_at_its_words():
    alone = embeddings.geld(corpus_of(["aa", "bb"], []), 0, words=np.eye(2))
    np.testing.assert_allclose(unit_rows(alone), np.eye(2), atol=1e-6)


def test_walks_between_two_documents_alternate():
    pair = corpus_of(["aa", "bb"], [(0, 1)])
    counts = embeddings.walk_counts(embeddings.neighbours(pair), np.random.default_rng(0))
    # 160 walks of 40; at the odd distances 1, 3, 5 of the window the two documents meet
    assert counts[0, 1] == counts[1, 0] == 160 * (39 + 37 + 35)
    assert counts[0, 0] + counts[1, 1] == 2 * 160 * (38 + 36)


def test_a_document_without_links_is_walked_nowhere():
    counts = embeddings.walk_counts(
        embeddings.neighbours(corpus_of(["aa", "bb", "cc"], [(0, 1)])), np.random.default_rng(0)
    )
    assert counts[2].nnz == 0 and counts[:, 2].nnz == 0


@pytest.mark.parametrize("name", ["rle", "geld", "tadw", "gvnr_t"])
def test_documents_of_one_clique_are_nearer_than_those_of_two(cliques, name):
    words = np.random.default_rng(0).standard_normal((len(cliques.vocabulary), 16))
    vectors = unit_rows(embeddings.EMBEDDINGS[name](cliques, 0, words=words))
    near = vectors @ vectors.T
    within = near[:4, :4][~np.eye(4, dtype=bool)]
    assert within.min() > near[:4, 4:].max()


def test_link_prediction_measures_all_four_beside_ours():
    small = {"n_topics": 4, "max_iter": 2, "vector_size": 8}
    found = predict_links(planted_corpus(15), [0], {"crtm": small}, embeddings=True)
    assert set(found) == {"crtm", "tfidf", "rle", "geld", "tadw", "gvnr_t"}
    assert all(0 <= value <= 1 for values in found.values() for value in values)
    assert found["rle"][0] > 0.6
