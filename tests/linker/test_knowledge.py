"""What is known of a wiki: built from sums, saved and opened, and pages taken out of it again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.linker.wikis import Wiki, assert_same, learned, page_of, towns
from wikibot.errors import ModelError
from wikibot.linker import knowledge as module
from wikibot.linker.arrays import open_arrays, save_arrays
from wikibot.linker.counts import Counts
from wikibot.linker.knowledge import Knowledge, Rows, lookup, word_vector
from wikibot.linker.page import word_key
from wikibot.linker.policy import Policy
from wikibot.linker.ranker import Ranker
from wikibot.linker.score import score_page

EVERYTHING = Policy(min_probability=0.0, is_draft=True)


@given(st.lists(st.integers(0, 59), unique=True, max_size=20))
@settings(max_examples=10, deadline=None)
def test_taking_pages_out_is_counting_without_them(town_wiki: Wiki, gone: list[int]) -> None:
    knowledge = town_wiki.knowledge
    without = knowledge.minus(town_wiki.parts[n] for n in gone)
    zero = Counts.zero(knowledge.size, len(knowledge.names), len(knowledge.names.target))
    kept = zero.plus(part for part in town_wiki.parts if part.page not in gone)
    built = Knowledge.build(knowledge.titles, knowledge.names, kept, knowledge.texts)
    assert_same(without, built)
    assert [without.is_counted(n) for n in range(60)] == [n not in gone for n in range(60)]


def test_names_that_only_hidden_pages_use_are_the_only_difference_to_learning_without_them() -> (
    None
):
    texts = towns(30)
    known = [n % 3 > 0 for n in range(30)]
    everything, some = learned(texts), learned(texts, known=known)
    without = everything.knowledge.minus(
        part for part, is_known in zip(everything.parts, known, strict=True) if not is_known
    )
    for name in ("pages", "target_links", "upper_links", "inside_links", "all_links"):
        assert np.array_equal(getattr(without.counts, name), getattr(some.knowledge.counts, name))
    ours, theirs = without, some.knowledge
    is_name, number = theirs.names.find(ours.names.keys)
    assert np.array_equal(
        ours.counts.name_links[is_name], theirs.counts.name_links[number[is_name]]
    )
    assert np.array_equal(
        ours.counts.name_mentions[is_name], theirs.counts.name_mentions[number[is_name]]
    )
    assert not ours.counts.name_links[~is_name].any()
    assert_same(ours.in_links, theirs.in_links)


def test_pages_taken_out_and_put_back_leave_nothing_changed(town_wiki: Wiki) -> None:
    knowledge, some = town_wiki.knowledge, town_wiki.parts[5:25]
    assert_same(knowledge.minus(some).plus(some), knowledge)


@pytest.mark.parametrize("wiki_name", ["town_wiki", "topic_wiki"])
def test_what_is_saved_is_opened_as_it_was(
    wiki_name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    wiki: Wiki = request.getfixturevalue(wiki_name)
    wiki.knowledge.save(tmp_path / "k.arrays")
    assert_same(Knowledge.open(tmp_path / "k.arrays"), wiki.knowledge)


def test_opened_knowledge_gives_the_same_proposals(
    topic_wiki: Wiki, topic_ranker: Ranker, tmp_path: Path
) -> None:
    topic_wiki.knowledge.save(tmp_path / "k.arrays")
    opened = Knowledge.open(tmp_path / "k.arrays")
    ours, theirs = (
        [score_page(page, knowledge, topic_ranker, EVERYTHING) for page in topic_wiki.pages[:20]]
        for knowledge in (topic_wiki.knowledge, opened)
    )
    assert ours == theirs
    assert any(ours)


def test_the_same_knowledge_gives_the_same_file(town_wiki: Wiki, tmp_path: Path) -> None:
    again = learned(towns())
    assert town_wiki.knowledge.save(tmp_path / "a") == again.knowledge.save(tmp_path / "b")


def test_any_order_of_counting_gives_the_same_proposals(
    town_wiki: Wiki, town_ranker: Ranker
) -> None:
    knowledge = town_wiki.knowledge
    zero = Counts.zero(knowledge.size, len(knowledge.names), len(knowledge.names.target))
    parts = town_wiki.parts
    counts = zero.plus(parts[40:]) + (zero.plus(parts[::-1]) - zero.plus(parts[40:]))
    other = Knowledge.build(knowledge.titles, knowledge.names, counts, knowledge.texts)
    for page in town_wiki.pages[:10]:
        ours = score_page(page, knowledge, town_ranker, EVERYTHING)
        assert score_page(page, other, town_ranker, EVERYTHING) == ours


def test_knowledge_of_another_format_is_refused(town_wiki: Wiki, tmp_path: Path) -> None:
    town_wiki.knowledge.save(tmp_path / "k")
    arrays, header = open_arrays(tmp_path / "k")
    save_arrays(tmp_path / "old", arrays, {**header, "format": 0})
    with pytest.raises(ModelError, match=r"another version of wikibot\. Nothing was changed"):
        Knowledge.open(tmp_path / "old")


def test_a_changed_page_is_known_as_if_it_had_always_been_so() -> None:
    texts = towns(20)
    title = next(iter(texts))
    other = [one for one in texts if one.startswith("Village")][3]
    changed = {**texts, title: f"{texts[title]} The well of [[{other}]] is new."}
    before, after = learned(texts), learned(changed)
    number = before.number(title)
    # Names stay as they were learned, so only what depends on them alone can be compared.
    replaced = before.knowledge.replaced([(before.pages[number], after.pages[number])])
    for name in ("target_links", "all_links", "pages", "habits"):
        assert np.array_equal(
            getattr(replaced.counts, name), getattr(after.knowledge.counts, name)
        ), name
    assert replaced.texts.length[number] == len(after.pages[number])
    assert_same(replaced.in_links, after.knowledge.in_links)
    assert np.array_equal(replaced.in_degree, after.knowledge.in_degree)


def test_a_page_replaced_by_itself_changes_nothing(topic_wiki: Wiki) -> None:
    page = topic_wiki.pages[7]
    assert_same(topic_wiki.knowledge.replaced([(page, page)]), topic_wiki.knowledge)


def test_links_per_word_are_those_of_the_counted_pages() -> None:
    texts = {"A": "one two [[B]] four", "B": "one [[A]]", "C": "[[A]] [[B]] x y"}
    wiki = learned(texts, known=[True, True, False])
    assert wiki.knowledge.links_per_word == pytest.approx(2 / 6)


def test_a_page_may_have_as_many_links_as_the_densest_pages_of_its_length() -> None:
    wiki = learned({"A": "[[B]] " + "x " * 99, "B": "[[A]] [[C]] " + "x " * 98, "C": "x"})
    # Two links in 100 words and 100 more: the quantile lies just below the densest page.
    most = wiki.knowledge.most_links(100)
    assert 1.98 < most <= 2
    assert wiki.knowledge.most_links(300) == pytest.approx(2 * most)


def test_a_wiki_without_links_allows_none() -> None:
    assert learned({"A": "x", "B": "y"}).knowledge.most_links(1000) == 0


def test_only_titles_have_numbers_of_their_own() -> None:
    knowledge = learned({"Sea": "x"}, {"Ocean": "Sea"}).knowledge
    assert knowledge.number_of("Sea") == 0
    assert knowledge.number_of("Ocean") == knowledge.number_of("None") == -1
    assert knowledge.titles.number["Ocean"] == 0
    assert not knowledge.is_counted(-1)


def test_links_out_are_those_of_the_graph() -> None:
    wiki = learned({"A": "[[B]] {{x|[[C]]}}", "B": "x", "C": "[[A]]"})
    assert wiki.knowledge.links_out(0).tolist() == [1, 2]
    assert wiki.knowledge.links_out(1).tolist() == []
    assert wiki.knowledge.in_degree.tolist() == [1, 1, 1]
    assert wiki.knowledge.out_degree.tolist() == [2, 0, 1]
    assert wiki.knowledge.in_links[2][0].tolist() == [0]


def test_of_very_many_incoming_links_a_fixed_sample_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST_IN_LINKS", 50)
    graph = sparse.csr_matrix(np.ones((400, 400), dtype=np.int64))
    rows, sample, in_degree, _ = module._incoming(graph)
    assert (in_degree == 400).all()
    assert sample == pytest.approx(np.full(400, 50 / 400))
    assert 20 <= len(rows[0][0]) <= 90
    assert all(np.array_equal(rows[n][0], rows[0][0]) for n in range(400))


def test_word_vectors_have_unit_length_and_rare_words_weigh_more() -> None:
    texts = {"A": "sea fish sea", "B": "sea fish", "C": "sea hill", "D": "hill salt"}
    knowledge = learned(texts).knowledge
    column, weight = word_vector(
        page_of("sea fish"), knowledge.texts.vocabulary, knowledge.texts.idf
    )
    by_word = dict(zip(knowledge.texts.vocabulary[column].tolist(), weight.tolist(), strict=True))
    # idf: sea is on 3 of 4 pages, fish on 2; salt, on one alone, is not in the vocabulary.
    sea, fish = np.log(4 / 3), np.log(2)
    assert by_word[word_key("fish")] == pytest.approx(fish / np.hypot(sea, fish))
    assert word_key("salt") not in knowledge.texts.vocabulary.tolist()
    assert np.linalg.norm(weight) == pytest.approx(1)


def test_a_page_of_unknown_words_has_no_vector() -> None:
    knowledge = learned({"A": "sea", "B": "sea"}).knowledge
    column, weight = word_vector(page_of("qwertz"), knowledge.texts.vocabulary, knowledge.texts.idf)
    assert len(column) == len(weight) == 0


def test_titles_are_described_by_their_words_capitals_and_digits() -> None:
    texts = learned(
        {"Green Lantern (comics)": "x", "World war 2": "x", "1990": "x"}
    ).knowledge.texts
    assert texts.title_words.tolist() == [2, 3, 1]
    assert texts.title_capitals.tolist() == [1, 0, 0]
    assert texts.title_digits.tolist() == [0, 1, 1]


def test_near_pages_are_those_of_like_topics_and_never_the_page_itself(topic_wiki: Wiki) -> None:
    knowledge = topic_wiki.knowledge
    page = topic_wiki.pages[0]
    near, alike = knowledge.near(knowledge.topics.read(page), 0)
    assert alike[near == 0] == 0
    kinds = [knowledge.titles.titles[n].split()[0] for n in near[np.argsort(-alike)][:10].tolist()]
    assert kinds == ["Village"] * 10


def test_pages_that_are_not_counted_are_not_near(topic_wiki: Wiki) -> None:
    knowledge = topic_wiki.knowledge.minus(topic_wiki.parts[30:])
    near, _ = knowledge.near(knowledge.topics.read(topic_wiki.pages[0]), 0)
    assert near.tolist() == list(range(30))


def test_in_a_large_wiki_only_the_pages_with_most_of_a_main_topic_are_asked(
    topic_wiki: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FEW_PAGES", 10)
    monkeypatch.setattr(module, "NEAREST_PAGES", 5)
    monkeypatch.setattr(module, "PAGES_PER_TOPIC", 8)
    monkeypatch.setattr(module, "main_topics", lambda theta: np.argmax(theta, axis=1)[:, None])
    knowledge = topic_wiki.knowledge.plus([])
    said = knowledge.topics.read(topic_wiki.pages[0])
    near, alike = knowledge.near(said, 0)
    assert len(near) == len(alike) == 5
    share = knowledge.texts.topics[:, np.argmax(said.theta)]
    assert set(near.tolist()) <= set(np.argsort(-share)[:8].tolist())


def test_how_dense_links_are_is_known_without_looking_at_the_pages_again(
    topic_wiki: Wiki, tmp_path: Path
) -> None:
    knowledge = topic_wiki.knowledge
    knowledge.save(tmp_path / "k")
    words = int(knowledge.texts.length[knowledge.counts.pages > 0].sum())
    for one in (knowledge, Knowledge.open(tmp_path / "k")):
        assert one.links_per_word == knowledge.counts.all_links.sum() / words
        assert one.most_links(300) == pytest.approx(3 * one.most_links(33.4), rel=0.01)


def test_rows_can_be_gathered_and_replaced() -> None:
    rows = Rows.of(sparse.csr_matrix(np.array([[0, 2, 3], [0, 0, 0], [4, 0, 0]])))
    index, column, value = rows.gather(np.array([2, 0, 1]))
    assert (index.tolist(), column.tolist(), value.tolist()) == ([0, 1, 1], [0, 1, 2], [4, 2, 3])
    other = rows.with_row(0, np.array([0], dtype=np.int32), np.array([9], dtype=np.float32))
    assert [part.tolist() for part in other[0]] == [[0], [9]]
    assert [part.tolist() for part in other[2]] == [[0], [4]]
    assert [part.tolist() for part in rows[0]] == [[1, 2], [2, 3]]


def test_keys_are_looked_up_among_sorted_ones() -> None:
    among = np.array([2, 5, 9], dtype=np.uint64)
    at, there = lookup(among, np.array([5, 1, 10, 9], dtype=np.uint64))
    assert there.tolist() == [True, False, False, True]
    assert at[there].tolist() == [1, 2]
    assert not lookup(among[:0], among)[1].any()
