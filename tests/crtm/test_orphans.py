"""Places for documents that nobody links to: what the weights are learned from, and what a chance means."""

from __future__ import annotations

import numpy as np

from crtm.corpus import Corpus
from crtm.orphans import CHANCE_COLUMNS, FEWEST_RIGHT, Example, fit_chance, hidden_targets


def example(value: float, *, is_right: bool) -> Example:
    columns = np.zeros(len(CHANCE_COLUMNS))
    columns[0], columns[1] = 1, value
    return columns, is_right


def test_chances_follow_the_examples() -> None:
    right = [example(1 + n / 100, is_right=True) for n in range(40)]
    wrong = [example(n / 100, is_right=False) for n in range(60)]
    weights = fit_chance([*right, *wrong])
    chances = [1 / (1 + np.exp(-row @ weights)) for row, _ in (right[-1], wrong[0])]
    assert chances[0] > 0.9 and chances[1] < 0.1


def test_few_right_examples_teach_no_chance() -> None:
    few = [example(1, is_right=True)] * (FEWEST_RIGHT - 1) + [example(0, is_right=False)] * 90
    assert not fit_chance(few).any()


def test_hidden_targets_leave_neither_links_nor_names_on_the_pages_that_linked_them() -> None:
    records = [
        {"title": "Mill", "text": "A mill stands by the river Ouse.", "links": [[27, 31, "Ouse"]]},
        {"title": "Ouse", "text": "The Ouse is a river with a mill.", "links": [[27, 31, "Mill"]]},
        {"title": "Weir", "text": "A weir in the Ouse slows the river.", "links": []},
    ]
    corpus = Corpus.from_records(records, min_documents=1, max_share=1.0)
    ouse = corpus.index["Ouse"]
    left = hidden_targets(corpus, np.array([ouse]))
    word = corpus.vocabulary.index["ouse"]
    assert left.links.target.tolist() == [corpus.index["Mill"]]
    assert word not in left[corpus.index["Mill"]].words
    assert word in left[corpus.index["Weir"]].words  # it names the target without a link
