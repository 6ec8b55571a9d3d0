"""The baselines do what their papers say, by hand-made examples."""

from itertools import pairwise

import numpy as np
import pytest

from crtm import Corpus
from crtm.experiments.baselines import lexical
from crtm.experiments.baselines.lexical import run_around_best
from crtm.experiments.baselines.tagme import LEAST_PROBABILITY, Tagme
from tests.crtm.worlds import planted_corpus


def corpus_of(*records):
    return Corpus.from_records(records, min_documents=1, max_share=1.0)


def link(text, anchor, target, nth=0):
    """Return a link on the n-th occurrence of the anchor."""
    start = -1
    for _ in range(nth + 1):
        start = text.index(anchor, start + 1)
    return [start, start + len(anchor), target]


def page(title, text, *links):
    return {"title": title, "text": text, "links": [link(text, *one) for one in links]}


# -- TAGME --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def planets():
    """Two bearers of a name: mercury is mostly the planet, once the metal."""
    return corpus_of(
        page("Sun", "near mercury and venus", ("mercury", "Mercury"), ("venus", "Venus")),
        page("Orbit", "mercury then venus", ("mercury", "Mercury"), ("venus", "Venus")),
        page("Metal", "liquid mercury alloy", ("mercury", "Quicksilver")),
        page("Poem", "mercury mercury venus"),
        page("Mercury", "planet", ("planet", "Orbit")),
        page("Venus", "planet", ("planet", "Orbit")),
        page("Quicksilver", "alloy"),
    )


def mention_of(tagme, source, word):
    corpus = tagme.corpus
    number = corpus.vocabulary.index[word]
    words = corpus[corpus.index[source]].words
    return next(m for m in tagme.mentions(corpus.index[source]) if words[m.first] == number)


def test_link_probability_is_the_share_of_occurrences_that_are_links(planets):
    tagme = Tagme(planets)
    assert mention_of(tagme, "Poem", "mercury").probability == pytest.approx(3 / 5)
    assert mention_of(tagme, "Poem", "venus").probability == pytest.approx(2 / 3)


def test_commonness_is_the_share_of_links_that_lead_there(planets):
    senses = mention_of(Tagme(planets), "Poem", "mercury").senses
    assert senses == {
        planets.index["Mercury"]: pytest.approx(2 / 3),
        planets.index["Quicksilver"]: pytest.approx(1 / 3),
    }


def test_related_neighbours_vote_for_the_sense_they_share_links_with(planets):
    tagme = Tagme(planets)
    poem = planets.index["Poem"]
    by_target = {
        name: tagme.confidence(poem, planets.index[name])[0][1]
        for name in ("Mercury", "Quicksilver")
    }
    assert by_target["Mercury"] > by_target["Quicksilver"]
    mercury, venus, metal = (planets.index[name] for name in ("Mercury", "Venus", "Quicksilver"))
    assert tagme.relatedness(mercury, venus) == 1 and tagme.relatedness(metal, venus) == 0


def test_relatedness_is_the_same_both_ways_and_between_zero_and_one():
    corpus = planted_corpus()
    tagme = Tagme(corpus)
    for one in range(0, len(corpus), 5):
        for other in range(0, len(corpus), 7):
            there, back = tagme.relatedness(one, other), tagme.relatedness(other, one)
            assert there == back and 0 <= there <= 1


def test_relatedness_is_the_formula_of_milne_and_witten():
    records = [
        page(f"S{i}", "bee sea", ("bee", "B"), *([("sea", "C")] if i < 2 else [])) for i in range(4)
    ]
    corpus = corpus_of(*records, page("B", "bee"), page("C", "sea"))
    distance = (np.log(4) - np.log(2)) / (np.log(6) - np.log(2))
    assert Tagme(corpus).relatedness(corpus.index["B"], corpus.index["C"]) == pytest.approx(
        1 - distance
    )


def test_the_longest_anchor_at_a_place_wins_and_mentions_never_overlap():
    corpus = corpus_of(
        page("A", "the green lantern corps", ("green lantern", "GL"), ("corps", "C")),
        page("B", "green lantern corps", ("green lantern corps", "GLC")),
        page("GL", "ring"),
        page("C", "army"),
        page("GLC", "rings"),
    )
    tagme = Tagme(corpus)
    for source in range(len(corpus)):
        mentions = tagme.mentions(source)
        assert all(a.last <= b.first for a, b in pairwise(mentions))
    assert [(m.first, m.last) for m in tagme.mentions(corpus.index["A"])] == [(1, 4)]


def test_an_anchor_that_hardly_ever_is_one_is_no_mention():
    often = " ".join(["bee"] * 99)
    corpus = corpus_of(page("A", f"bee {often}", ("bee", "B")), page("B", "sea"))
    assert LEAST_PROBABILITY > 1 / 100
    assert Tagme(corpus).mentions(0) == []


def test_a_page_without_known_anchors_scores_zero_and_has_no_span(planets):
    tagme = Tagme(planets)
    source, target = planets.index["Quicksilver"], planets.index["Sun"]
    assert not tagme.score_tokens(source, [target]).any()
    assert tagme.best_span(source, target) is None


def test_tokens_of_a_mention_share_its_score(planets):
    tagme = Tagme(planets)
    scores = tagme.score_tokens(planets.index["Poem"], [planets.index["Venus"]])[:, 0]
    assert scores[:2].tolist() == [0, 0] and scores[2] > 0


def test_the_span_of_tagme_is_the_whole_anchor():
    text = "meet the green lantern there"
    corpus = corpus_of(
        page("A", "the green lantern", ("green lantern", "GL")), page("B", text), page("GL", "ring")
    )
    start, end = Tagme(corpus).best_span(corpus.index["B"], corpus.index["GL"])
    assert text[start:end] == "green lantern"


def test_a_title_is_nothing_to_tagme():
    corpus = corpus_of(page("Venus", "star"), page("A", "see venus"))
    assert Tagme(corpus).best_span(1, 0) is None


# -- tf-idf, BM25, title ------------------------------------------------------------------------------------------------


def test_tfidf_weights_of_a_page_have_length_one():
    corpus = planted_corpus()
    table = lexical.tfidf(corpus).table
    for d in range(len(corpus)):
        own = table.value[table.ptr[d] : table.ptr[d + 1]]
        assert np.linalg.norm(own) == pytest.approx(1, rel=1e-5)


def test_tfidf_is_the_textbook_formula():
    corpus = corpus_of(page("A", "bee bee sea"), page("B", "sea tea"), page("C", "fee"))
    weights = np.array([(1 + np.log(2)) * np.log(3), np.log(1.5)])
    expected = weights / np.linalg.norm(weights)
    scores = lexical.tfidf(corpus).score_tokens(0, [0])[:, 0]
    np.testing.assert_allclose(scores, expected[[0, 0, 1]], rtol=1e-5)


def test_bm25_saturates_with_repetition_and_shrinks_with_length():
    filler = " ".join(f"w{chr(97 + i)}" for i in range(20))
    corpus = corpus_of(
        page("Once", "bee tea"), page("Twice", "bee bee"), page("Long", f"bee {filler}"), page("Ask", "bee"),
        page("Other", "tea"),
    )  # fmt: skip
    once, twice, long = (
        lexical.bm25(corpus).score_tokens(corpus.index["Ask"], [corpus.index[name]])[0, 0]
        for name in ("Once", "Twice", "Long")
    )
    assert long < once < twice < 2 * once


def test_title_words_beat_any_weight_and_ties_go_to_tfidf():
    corpus = corpus_of(
        page("Green Lantern", "green ring ring ring lantern"), page("Ask", "ring lantern green other"), page("X", "green"), page("Z", "zoo"),
    )  # fmt: skip
    scores = lexical.title(corpus).score_tokens(1, [0])[:, 0]
    ring, lantern, green, other = scores
    assert lantern > green > 1 > ring > other == 0


def test_a_title_of_unknown_words_falls_back_on_tfidf():
    corpus = corpus_of(page("???", "bee tea"), page("Ask", "bee sea"), page("Z", "zoo"))
    scores = lexical.title(corpus).score_tokens(1, [0])[:, 0]
    assert 0 < scores[0] < 1 and scores[1] == 0


def test_the_span_of_a_baseline_is_the_run_of_scored_words():
    text = "see the green lantern, corps there"
    corpus = corpus_of(
        page("Green Lantern Corps", "green lantern corps"), page("Ask", text), page("Z", "zoo")
    )
    start, end = lexical.title(corpus).best_span(1, 0)
    assert text[start:end] == "green lantern"


def test_a_run_stops_at_the_floor_at_gaps_and_at_the_ends():
    corpus = corpus_of(page("A", "bee sea  tea kea"))
    document = corpus[0]
    scores = np.array([2.0, 3.0, 2.0, 0.5])
    assert run_around_best(document, scores, floor=1.0) == (0, 7)
    assert run_around_best(document, scores[::-1].copy(), floor=1.0) == (9, 16)
    assert run_around_best(document, np.array([0.0, 0.0, 0.0, 9.0]), floor=1.0) == (13, 16)


def test_an_empty_page_has_no_span():
    corpus = corpus_of(page("A", "bee"), page("B", ""))
    assert lexical.tfidf(corpus).best_span(1, 0) is None
    assert lexical.tfidf(corpus).score_tokens(1, [0]).shape == (0, 1)
