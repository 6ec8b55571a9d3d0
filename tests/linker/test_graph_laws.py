"""Links between pages as the linker counts them, on wikis made by chance beside slow twins."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.linker.generated import Draft, Mention, texts_of, wikis
from tests.linker.wikis import Wiki, learned
from wikibot.linker.features.relatedness import relatedness
from wikibot.linker.knowledge import Rows
from wikibot.linker.training import count_links, gold_targets, some_hidden, truth

laws = settings(max_examples=15, deadline=None)


def graph_of(drafts: dict[str, Draft]) -> dict[str, set[str]]:
    """The pages that each page links to, read from the drafts; links to itself do not count."""
    found: dict[str, set[str]] = {}
    for title, draft in drafts.items():
        linked = {
            part.title
            for block in draft.blocks
            for part in block
            if isinstance(part, Mention) and part.is_linked
        }
        found[title] = {other for other in linked if other in drafts and other != title}
    return found


def linking(graph: dict[str, set[str]], target: str) -> set[str]:
    return {title for title, linked in graph.items() if target in linked}


@given(wikis())
@laws
def test_the_graph_is_that_of_the_links(drafts: dict[str, Draft]) -> None:
    graph = graph_of(drafts)
    knowledge = (wiki := learned(texts_of(drafts))).knowledge
    titles = knowledge.titles.titles
    for title in drafts:
        number = wiki.number(title)
        out = knowledge.counts.graph[number].indices.tolist()
        assert {titles[one] for one in out} == graph[title]
        incoming = {titles[one] for one in knowledge.in_links[number][0].tolist()}
        assert incoming == linking(graph, title)
        assert knowledge.in_degree[number] == len(incoming)
        assert knowledge.out_degree[number] == len(graph[title])


def milne_witten(graph: dict[str, set[str]], one: str, other: str) -> float:
    """1 - (log(max) - log(shared)) / (log(pages) - log(min)), 0 where nothing links both."""
    ours, theirs = linking(graph, one), linking(graph, other)
    shared = len(ours & theirs)
    if not shared:
        return 0.0
    sizes = sorted((len(ours), len(theirs)))
    distance = math.log(sizes[1]) - math.log(shared)
    value = 1 - distance / max(math.log(len(graph)) - math.log(sizes[0]), 1e-3)
    return max(0.0, value)


@given(wikis())
@laws
def test_relatedness_is_milne_and_wittens_measure(drafts: dict[str, Draft]) -> None:
    graph, wiki = graph_of(drafts), learned(texts_of(drafts))
    titles = wiki.knowledge.titles.titles
    everything = np.arange(len(titles))
    found = relatedness(everything, everything, wiki.knowledge, None)
    for a, one in enumerate(titles):
        for b, other in enumerate(titles):
            assert found[a, b] == pytest.approx(milne_witten(graph, one, other), abs=1e-4)
    assert np.allclose(found, found.T)


@given(wikis(), st.data())
@laws
def test_relatedness_leaves_out_what_the_page_itself_links(
    drafts: dict[str, Draft], data: st.DataObject
) -> None:
    title = data.draw(st.sampled_from(list(drafts)))
    wiki = learned(texts_of(drafts))
    graph = graph_of(drafts) | {title: set()}
    titles = wiki.knowledge.titles.titles
    everything = np.arange(len(titles))
    own = wiki.own(wiki.page(title))
    found = relatedness(everything, everything, wiki.knowledge, own)
    for a, one in enumerate(titles):
        for b, other in enumerate(titles):
            assert found[a, b] == pytest.approx(milne_witten(graph, one, other), abs=1e-4)


def linked_in_prose(wiki: Wiki, title: str) -> set[str]:
    page = wiki.page(title)
    titles = wiki.knowledge.titles.titles
    return {titles[number] for number in gold_targets(page, wiki.number(title), wiki.knowledge)}


@given(wikis())
@laws
def test_links_to_find_are_those_to_other_pages_each_target_once(
    drafts: dict[str, Draft],
) -> None:
    graph, wiki = graph_of(drafts), learned(texts_of(drafts))
    for title in drafts:
        assert linked_in_prose(wiki, title) == graph[title]
    expected = sum(len(linked) for linked in graph.values())
    assert count_links(wiki.pages, wiki.knowledge) == expected


@given(wikis())
@laws
def test_what_is_hidden_is_found_again_among_the_candidates_or_has_no_name(
    drafts: dict[str, Draft],
) -> None:
    """Truth on the bare page: right targets are the links, and every link's place is exact."""
    graph, wiki = graph_of(drafts), learned(texts_of(drafts))
    titles = wiki.knowledge.titles.titles
    for page in wiki.pages:
        number = wiki.number(page.title)
        rows = wiki.rows(page.hide())
        is_linked, is_place = truth(page, number, rows, wiki.knowledge)
        for at in range(len(rows)):
            target = titles[int(rows.target[at])]
            assert bool(is_linked[at]) == (target in graph[page.title])
            place = (int(rows.first[at]), int(rows.first[at] + rows.length[at]), target)
            links = zip(page.links.first, page.links.last, page.links.target, strict=True)
            assert bool(is_place[at]) == (place in {(int(a), int(b), t) for a, b, t in links})
        assert not (is_place & ~is_linked).any()


@given(wikis(), st.floats(0, 1))
@laws
def test_hiding_a_share_hides_all_links_to_a_target_and_always_the_same(
    drafts: dict[str, Draft], share: float
) -> None:
    wiki = learned(texts_of(drafts))
    for page in wiki.pages:
        hidden = some_hidden(page, wiki.knowledge, share)
        assert np.array_equal(hidden, some_hidden(page, wiki.knowledge, share))
        for target in set(page.links.target):
            own = [bool(h) for h, t in zip(hidden, page.links.target, strict=True) if t == target]
            assert len(set(own)) == 1
        inside = np.array([target in drafts for target in page.links.target], dtype=bool)
        assert not (hidden & ~inside).any()


@given(wikis())
@laws
def test_hiding_nothing_and_everything(drafts: dict[str, Draft]) -> None:
    wiki = learned(texts_of(drafts))
    for page in wiki.pages:
        assert not some_hidden(page, wiki.knowledge, 0).any()
        inside = [target in drafts for target in page.links.target]
        assert some_hidden(page, wiki.knowledge, 1).tolist() == inside


def test_about_the_asked_share_of_targets_is_hidden() -> None:
    titles = [f"Page {number}" for number in range(60)]
    texts = {t: " ".join(f"[[{o}]]" for o in titles if o != t) for t in titles[:30]}
    wiki = learned(texts | dict.fromkeys(titles[30:], "Nothing."))
    shares = [some_hidden(page, wiki.knowledge, 0.15).mean() for page in wiki.pages[:30]]
    assert np.mean(shares) == pytest.approx(0.15, abs=0.02)


# Rows of numbers.

MATRICES = st.lists(
    st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=5
).map(lambda rows: np.array(rows, dtype=np.float32))


@given(MATRICES, st.data())
@laws
def test_rows_hold_what_the_matrix_held(matrix: np.ndarray, data: st.DataObject) -> None:
    rows = Rows.of(sparse.csr_matrix(matrix))
    asked = data.draw(st.lists(st.integers(0, len(matrix) - 1), max_size=6))
    for number in range(len(matrix)):
        column, value = rows[number]
        assert column.tolist() == np.flatnonzero(matrix[number]).tolist()
        assert value.tolist() == matrix[number][matrix[number] != 0].tolist()
    index, column, value = rows.gather(np.array(asked, dtype=np.int64))
    dense = np.zeros((len(asked), 4), dtype=np.float32)
    dense[index, column] = value
    assert np.array_equal(dense, matrix[asked].reshape(len(asked), 4))


@given(MATRICES, st.data(), st.lists(st.integers(0, 3), min_size=4, max_size=4))
@laws
def test_a_row_is_replaced_and_the_others_stay(
    matrix: np.ndarray, data: st.DataObject, new: list[int]
) -> None:
    number = data.draw(st.integers(0, len(matrix) - 1))
    row = np.array(new, dtype=np.float32)
    column = np.flatnonzero(row).astype(np.int32)
    rows = Rows.of(sparse.csr_matrix(matrix)).with_row(number, column, row[column])
    expected = matrix.copy()
    expected[number] = row
    fresh = Rows.of(sparse.csr_matrix(expected))
    for name in ("first", "column", "value"):
        assert np.array_equal(getattr(rows, name), getattr(fresh, name)), name
