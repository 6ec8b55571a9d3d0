"""What CRTM says of candidates: its words, its likeness, its scores, on a small wiki."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from wikibot.ranking.features import CRTM as CRTM_COLUMN
from wikibot.ranking.features import with_links_standing
from wikibot.ranking.lessons import (
    SITUATIONS,
    all_hidden,
    candidates_of,
    lessons_from_links,
    some_hidden,
    study,
)
from wikibot.ranking.names import POINTED
from wikibot.ranking.ranker import learn_ranker
from wikibot.ranking.topics import TopicReader, corpus_of, records
from wikibot.ranking.wiki import Wiki

from crtm import CRTM, Corpus
from tests.ranking.small import candidates, make_wiki, studied


def pages() -> dict[str, str]:
    """Villages with lakes and machines with wheels, who link their own kind."""
    found = {
        f"Village{n}": f"A small village-green by the lake. The lake and the church of [[Village{(n + 1) % 30}]] "
        f"are old, as are the lake and the church of Village{(n + 2) % 30}."
        for n in range(30)
    }
    found |= {
        f"Engine{n}": f"An engine with a wheel and a piston. The wheel of [[Engine{(n + 1) % 30}]] turns the "
        f"piston of Engine{(n + 2) % 30}."
        for n in range(30)
    }
    return found


@pytest.fixture(scope="module")
def wiki() -> Wiki:
    return make_wiki(pages())


@pytest.fixture(scope="module")
def reader(wiki: Wiki) -> TopicReader:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shown = np.ones(len(wiki.links), dtype=bool)
        corpus = Corpus.from_records(records(wiki, shown), max_share=0.6)
        model = CRTM(4, max_iter=3, vector_size=8, n_jobs=1).fit(corpus)
    return TopicReader(model, wiki)


def test_links_stand_where_their_words_are(wiki: Wiki) -> None:
    for record in records(wiki, np.ones(len(wiki.links), dtype=bool)):
        assert [record["text"][start:end] for start, end, _ in record["links"]] == [
            target for _, _, target in record["links"]
        ]


def test_links_that_are_not_shown_are_not_told(wiki: Wiki) -> None:
    hidden = records(wiki, np.zeros(len(wiki.links), dtype=bool))
    assert not any(record["links"] for record in hidden)


def test_words_are_those_that_crtm_reads_hyphens_included(wiki: Wiki, reader: TopicReader) -> None:
    for page in (0, 7, 45):
        document, token = reader._document(wiki, page)
        part = slice(wiki.offsets[page], wiki.offsets[page + 1])
        expected = np.where(token >= 0, document.words[np.maximum(token, 0)], -1)
        assert reader.vectors.number[part].tolist() == expected.tolist()
    known = {reader.model.vocabulary_.words[n] for n in reader.vectors.number.tolist() if n >= 0}
    assert "village-green" in known


def test_a_word_with_a_hanging_mark_is_known_by_what_crtm_reads_of_it() -> None:
    text = "The word नमस्ते is a greeting here"
    wiki = make_wiki({f"P{n}": text for n in range(3)} | {"Q": "Other words stand here"})
    corpus = Corpus.from_records(records(wiki, np.zeros(0, dtype=bool)), max_share=1.0)
    with pytest.warns(UserWarning, match="no links"):
        model = CRTM(2, max_iter=1, vector_size=2, n_jobs=1).fit(corpus)
    reader = TopicReader(model, wiki)
    for page in range(2):
        document, token = reader._document(wiki, page)
        expected = np.where(token >= 0, document.words[np.maximum(token, 0)], -1)
        part = slice(wiki.offsets[page], wiki.offsets[page + 1])
        assert reader.vectors.number[part].tolist() == expected.tolist()


def test_pages_of_one_kind_are_alike(reader: TopicReader) -> None:
    ours = reader.likeness.between(np.array([0, 0]), np.array([1, 31]))
    assert ours[0] > 0.5 > 0 > ours[1]


def test_shared_topics_go_by_words_that_both_pages_use(wiki: Wiki, reader: TopicReader) -> None:
    village, other = wiki.titles.index("Village3"), wiki.titles.index("Village9")
    first = int(wiki.offsets[village])
    told = reader.shared_words(wiki, first, other)
    assert told and all(word in pages()["Village3"].casefold() for word in told)
    assert not set(reader.shared_words(wiki, first, wiki.titles.index("Engine4"))) & {
        "lake",
        "wheel",
    }


def test_a_shared_topic_goes_by_another_word_than_those_to_avoid(
    wiki: Wiki, reader: TopicReader
) -> None:
    village, other = wiki.titles.index("Village3"), wiki.titles.index("Village9")
    first = int(wiki.offsets[village])
    told = reader.shared_words(wiki, first, other)
    instead = reader.shared_words(wiki, first, other, avoid={*told})
    assert instead and not set(instead) & set(told)


def test_a_page_that_the_model_has_not_seen_gets_topics_and_a_likeness(reader: TopicReader) -> None:
    more = make_wiki(pages() | {"Hamlet": "A lake and a church, and by the lake a village-green."})
    again = TopicReader(reader.model, more)
    assert again.topics[60].sum() == pytest.approx(1, abs=1e-4)
    assert again.likeness.between(np.array([60]), np.array([0]))[0] > 0.5


def test_crtm_scores_the_mentions_whose_words_it_knows(wiki: Wiki, reader: TopicReader) -> None:
    of = study(wiki, np.ones(wiki.size, dtype=bool), reader)
    rows = candidates(of, hidden=True)
    scores = reader.scores(wiki, rows)
    known = reader.vectors.number[rows.first] >= 0
    assert np.isfinite(scores[known]).all()
    assert np.isnan(scores[~known]).all()


def test_without_crtm_neither_columns_nor_likeness_nor_pointing_are_left(
    wiki: Wiki, reader: TopicReader
) -> None:
    everywhere = np.ones(wiki.size, dtype=bool)
    of = study(wiki, everywhere, reader)
    _, features = candidates_of(of, all_hidden(wiki), everywhere)
    rows, plain = candidates_of(replace(of, topics=None), all_hidden(wiki), everywhere)
    assert features.likeness is not None
    assert any(name.startswith(CRTM_COLUMN) for name in features.names)
    assert plain.likeness is None
    assert not any(name.startswith(CRTM_COLUMN) for name in plain.names)
    assert not (rows.kind & POINTED).any()


def test_customs_are_told_by_the_links_that_stand(wiki: Wiki, reader: TopicReader) -> None:
    everywhere = np.ones(wiki.size, dtype=bool)
    of = study(wiki, everywhere, reader)
    rows, bare = candidates_of(of, all_hidden(wiki), everywhere)
    nothing = np.zeros(len(wiki.links), dtype=bool)
    linked = with_links_standing(wiki, of.knowledge, rows, nothing, bare, reader)
    again = with_links_standing(wiki, of.knowledge, rows, all_hidden(wiki), linked, reader)
    name = f"{CRTM_COLUMN}customs"
    last = rows.target == (rows.page + 2) % 30  # mentioned by all villages, and linked by none
    assert linked.column(name)[last].mean() > bare.column(name)[last].mean()
    assert again.column(name) == pytest.approx(bare.column(name), abs=1e-5)


def test_a_ranker_remembers_only_where_there_is_a_likeness(wiki: Wiki, reader: TopicReader) -> None:
    everywhere = np.ones(wiki.size, dtype=bool)
    of = study(wiki, everywhere, reader.learn_aptness(wiki, everywhere))
    lessons = lessons_from_links(of, everywhere)
    ranker = learn_ranker(lessons)
    assert ranker.memory is not None
    assert set(ranker.memory.titles) == set(wiki.titles)
    rows, features = candidates_of(of, all_hidden(wiki), everywhere)
    told = ranker.rank(rows, features)
    assert np.isfinite(told.probability).all()
    assert learn_ranker(lessons_from_links(studied(pages()), everywhere)).memory is None


def test_a_page_on_which_no_link_stands_is_learned_from_once() -> None:
    of = studied(
        pages() | {"Lonely": "By Village1 and Village2 stands Engine3, and none is linked."}
    )
    everywhere = np.ones(of.wiki.size, dtype=bool)
    lessons = lessons_from_links(of, everywhere)
    situation = lessons.code // of.wiki.size**2
    assert set(situation[lessons.page == 60].tolist()) == {0}
    for number, share in enumerate(SITUATIONS, start=1):
        standing = of.wiki.links.page[~some_hidden(of.wiki, share)]
        assert set(lessons.page[situation == number].tolist()) <= set(standing.tolist())


def test_a_corpus_has_a_document_for_each_page(wiki: Wiki) -> None:
    corpus = corpus_of(wiki, np.ones(len(wiki.links), dtype=bool))
    assert corpus.titles == wiki.titles
