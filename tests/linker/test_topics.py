"""What CRTM's tables say of pages and mentions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from crtm import CRTM
from tests.linker.wikis import Wiki, learned, page_of, towns, words
from wikibot.linker import topics
from wikibot.linker.features import topics as columns
from wikibot.linker.page import word_key
from wikibot.linker.topics import (
    TopicTables,
    fit_topics,
    main_topics,
    record,
    topic_count,
    topic_keys,
    topic_passes,
    unit,
    units,
)

WORDS = ("sea", "boat", "lake", "fish")


def tables(vectors: np.ndarray | None = None) -> TopicTables:
    """Each word has an axis of its own, and one of two topics."""
    keys = np.array([word_key(word) for word in WORDS], dtype=np.uint64)
    shares = np.array([[0.8, 0.1], [0.2, 0.1], [0.0, 0.4], [0.0, 0.4]], dtype=np.float32)
    found = np.eye(4, columns.DIMENSIONS, dtype=np.float32) if vectors is None else vectors
    order = np.argsort(keys)
    return TopicTables(
        keys[order], shares[order], found[order], np.zeros(found.shape[1], dtype=np.float32)
    )


def test_the_vector_of_a_page_is_the_sum_of_its_words_at_unit_length() -> None:
    said = tables().read(page_of("sea sea sea fish fish fish fish unknown"))
    assert said.vector[:4] == pytest.approx([0.6, 0, 0, 0.8])
    assert said.words.shape == (8, columns.DIMENSIONS)
    assert said.words[7].tolist() == [0] * columns.DIMENSIONS


def test_the_centre_is_taken_off_before_pages_are_compared() -> None:
    plain = tables()
    centred = TopicTables(
        plain.keys, plain.topics, plain.vectors, plain.read(page_of("sea")).vector
    )
    assert centred.read(page_of("sea")).vector.tolist() == [0] * columns.DIMENSIONS
    assert centred.read(page_of("fish")).vector[:4] == pytest.approx([-(0.5**0.5), 0, 0, 0.5**0.5])


def test_topics_of_a_page_sum_to_one_and_follow_its_words() -> None:
    sea, lake = (tables().read(page_of(text)).theta for text in ("sea sea boat", "lake fish lake"))
    assert sea.sum() == pytest.approx(1)
    assert sea[0] > 0.9
    assert lake[1] > 0.9


def test_a_page_without_known_words_has_no_direction_and_equal_topics() -> None:
    said = tables().read(page_of("nothing such"))
    assert said.vector.tolist() == [0] * columns.DIMENSIONS
    assert said.theta == pytest.approx([0.5, 0.5])


def test_without_any_words_the_tables_say_nothing() -> None:
    empty = TopicTables(np.zeros(0, dtype=np.uint64), np.zeros((0, 2), dtype=np.float32), np.zeros((0, 3), dtype=np.float32), np.zeros(3, dtype=np.float32))  # fmt: skip
    said = empty.read(page_of("sea boat"))
    assert said.words.shape == (2, 3)
    assert not said.vector.any()


def test_words_joined_by_hyphens_are_one_word_to_crtm() -> None:
    keys = topic_keys(page_of("the Spider-Man saw Jean-Paul-Luc now")).tolist()
    assert keys[1] == keys[2] == word_key("spider-man")
    assert keys[4] == keys[5] == keys[6] == word_key("jean-paul-luc")
    assert keys[0] == word_key("the")


def test_a_record_gives_the_text_and_the_places_of_its_links() -> None:
    said = record(page_of("The [[Spider-Man|web-slinger]] met [[Thor]]s, once.\n\nThen left.", "P"))
    shown = [(said["text"][start:end], title) for start, end, title in said["links"]]
    assert shown == [("web-slinger", "Spider-Man"), ("Thors", "Thor")]
    assert said["title"] == "P"
    assert said["text"].endswith("\nThen left")


def test_a_record_may_be_cut_after_some_words() -> None:
    said = record(page_of("The [[sea]] and the [[lake]]."), words=2)
    assert said["text"] == "The sea"
    assert [title for _, _, title in said["links"]] == ["Sea"]


def test_scaling_gives_unit_length_or_zero() -> None:
    assert unit(np.array([3.0, 4.0])).tolist() == pytest.approx([0.6, 0.8])
    assert unit(np.array([1e-9, 0.0])).tolist() == [0, 0]
    assert units(np.array([[3.0, 4.0], [0.0, 0.0]])) == pytest.approx(
        np.array([[0.6, 0.8], [0, 0]])
    )


def test_main_topics_are_those_of_the_greatest_shares() -> None:
    assert main_topics(np.array([[0.1, 0.5, 0.0, 0.2, 0.15, 0.05]])).tolist() == [[1, 3, 4, 0]]
    assert main_topics(np.array([[0.3, 0.7]])).tolist() == [[1, 0]]


@pytest.mark.parametrize(("pages", "topics"), [(1, 8), (16, 8), (100, 20), (10**6, 150)])
def test_larger_wikis_have_more_topics(pages: int, topics: int) -> None:
    assert topic_count(pages) == topics


TEXTS = {
    "Lake": "fish lake fish",
    "Sea": "boat sea boat",
    "P1": "[[Lake]] fish boat",
    "P2": "[[Sea]] boat",
}


@pytest.fixture(scope="module")
def wiki() -> Wiki:
    return learned(TEXTS, topics=tables())


def test_mentions_contexts_pages_and_targets_are_compared(wiki: Wiki) -> None:
    page = page_of("boat lake boat fish", "Draft")
    length = np.sqrt(4 + 1 + 1)  # boat twice, lake and fish once
    lake = np.array([0, 0, 1, 2]) / np.sqrt(5)
    context = np.array([0, 2, 0, 1]) / np.sqrt(5)
    whole = np.array([0, 2, 1, 1]) / length
    expected = {
        "crtm_pages": lake @ whole,
        "crtm_mention_target": 1 / np.sqrt(5),
        "crtm_context_target": context @ lake,
        "crtm_context_page": context @ whole,
        "crtm_mention_2": 1,
        "crtm_mention_1": 0,
        "crtm_context_1": 2 / np.sqrt(5),
    }
    found = {name: wiki.feature(page, name, "lake", "Lake") for name in expected}
    assert found == pytest.approx(expected, abs=1e-5)


def test_links_on_like_pages_speak_for_a_link(topic_wiki: Wiki) -> None:
    knowledge = topic_wiki.knowledge
    page = page_of("The lake of Village Baldan and the meadow of Village Durvel.", "Draft")
    near, alike = knowledge.near(knowledge.topics.read(page), -1)
    weight = alike**columns.SHARPNESS
    rows, features = topic_wiki.features(page)
    links = np.asarray(knowledge.counts.linked.todense())[near].T @ weight
    mentions = np.asarray(knowledge.counts.mentioned.todense())[near].T @ weight
    is_name = 2 * knowledge.counts.upper_links >= np.maximum(knowledge.counts.inside_links, 1)
    for row, target in enumerate(rows.target.tolist()):
        alike_ones = is_name == is_name[target]
        usual = (links[alike_ones].sum() + 0.1) / (mentions[alike_ones].sum() + 1)
        prior = columns.PRIOR_MENTIONS
        share = (links[target] + prior * usual) / (mentions[target] + prior)
        assert features["crtm_like_share"][row] == pytest.approx(share, rel=1e-3)
        surplus = links[target] - mentions[target] * usual
        assert features["crtm_like_surplus"][row] == pytest.approx(surplus, rel=1e-3, abs=1e-3)


def test_without_topics_there_are_no_columns_of_crtm(town_wiki: Wiki) -> None:
    _, features = town_wiki.features(town_wiki.pages[0])
    assert not [name for name in features.names if name.startswith(columns.PREFIX)]


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize("full_batch_pages", [45, 30])
def test_tables_of_a_fitted_model_tell_kinds_of_pages_apart(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, full_batch_pages: int
) -> None:
    """Learned at once, and in batches of ten pages."""
    monkeypatch.setattr(topics, "FULL_BATCH_PAGES", full_batch_pages)
    monkeypatch.setattr(topics, "BATCH_PAGES", 10)
    pages = learned(towns(45)).pages
    told: list[int] = []
    model = fit_topics(iter(pages), 8, size=45, on_pages=told.append)
    assert told[-1] == 45 * topic_passes(45)
    assert len(told) == topic_passes(45) * (1 if full_batch_pages == 45 else 5)
    assert len(model.titles_) == full_batch_pages
    model.save(tmp_path / "topics.crtm")
    model = CRTM.load(tmp_path / "topics.crtm")
    found = TopicTables.of(model, pages)
    assert np.all(np.diff(found.keys.astype(object)) > 0)
    vectors = np.stack([found.read(page).vector for page in pages])
    alike = vectors @ vectors.T
    kinds = np.array([page.title.split()[0] for page in pages])
    same = kinds[:, None] == kinds
    apart = ~np.eye(len(pages), dtype=bool)
    assert alike[same & apart].mean() > alike[~same].mean() + 0.2
    assert words(pages[0])
