"""Whether a document links to another: what the words say, and who else links both."""

import numpy as np

from crtm import CRTM
from crtm.pairs import PAIR_COLUMNS, learn_pairs, pair_columns
from crtm.place_features import PlaceKnowledge
from tests.crtm.worlds import planted_corpus


def test_who_else_links_both_helps_to_predict_links() -> None:
    """On pages whose words say nothing, links of other pages do."""
    corpus = planted_corpus(15)
    model = CRTM(n_topics=4, max_iter=3, vector_size=8, seed=0).fit(corpus)
    knowledge = PlaceKnowledge(model.fitted_, corpus)
    ranker = learn_pairs(knowledge, model.link_score, 0)
    source = int(corpus.links.source[0])
    linked = np.unique(corpus.links.target[corpus.links.source == source])
    others = np.setdiff1d(np.arange(len(corpus)), np.append(linked, source))
    targets = np.concatenate([linked, others]).astype(np.int32)
    scores = ranker.scores(source, targets)
    assert scores[: len(linked)].min() > np.median(scores[len(linked) :])
    assert np.allclose(model.pair_score(source, targets), scores)


def test_the_link_that_is_asked_about_is_no_evidence_for_itself() -> None:
    """Columns of the graph are the same with the link and without it."""
    corpus = planted_corpus(15)
    model = CRTM(n_topics=4, max_iter=3, vector_size=8, seed=0).fit(corpus)
    source, target = int(corpus.links.source[0]), int(corpus.links.target[0])
    asked = np.array([target], dtype=np.int32)
    pair = (corpus.links.source == source) & (corpus.links.target == target)
    graph = slice(PAIR_COLUMNS.index("linked_back"), None)
    found = [
        pair_columns(PlaceKnowledge(model.fitted_, one), source, asked, np.zeros(1))[:, graph]
        for one in (corpus, corpus.without(pair))
    ]
    assert np.allclose(*found)
