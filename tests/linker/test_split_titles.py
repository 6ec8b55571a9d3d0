"""Titles whose words stand apart in one sentence are candidates; elsewhere they are not."""

from __future__ import annotations

import numpy as np
import pytest

from tests.linker.wikis import Wiki, assert_same, learned, page_of
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.names import SPLIT

DISTRICTS = {
    "Aglyuna district": "The Aglyuna district is large.",
    "Preili district": "The Preili district is small.",
    "Anna Rancane": "Anna Rancane is a poet.",
    "Jane": "A name.",
    "Border": "Near are the Aglyuna, Preili and Rezne districts.",
    "Apart": "The Preili road is old. The next district is far.",
    "Index": "See Rancane, Anna for more.",
}


@pytest.fixture(scope="module")
def districts() -> Wiki:
    return learned(DISTRICTS)


def test_each_title_of_a_list_with_one_head_is_found(districts: Wiki) -> None:
    assert districts.found("Border") == [
        ("Aglyuna", "Aglyuna district"),
        ("Preili", "Preili district"),
    ]


def test_words_of_two_sentences_are_not_a_title(districts: Wiki) -> None:
    assert districts.found("Apart") == []


def test_a_name_in_another_order_is_found_where_its_words_stand(districts: Wiki) -> None:
    page = districts.page("Index")
    rows = districts.rows(page)
    assert [page.written(a, b) for a, b in zip(rows.first, rows.length, strict=True)] == [
        "Rancane, Anna"
    ]
    assert (rows.kind == SPLIT).all()


def test_what_is_linked_already_or_carries_a_link_is_left_out(districts: Wiki) -> None:
    draft = page_of("The [[Preili district|Preili]], Aglyuna and Rezne districts.", "Draft")
    assert districts.found(draft) == [("Aglyuna", "Aglyuna district")]


def test_a_title_that_stands_as_it_is_needs_no_splitting(districts: Wiki) -> None:
    rows = districts.rows(page_of("From the Preili district to another district.", "Draft"))
    assert not (rows.kind & SPLIT).any()


def test_single_letters_are_not_words_of_a_title() -> None:
    wiki = learned(
        {"日本": "日本は国。", "東京": "本の日。", "A b": "A b.", "Page": "b or A here."}
    )
    assert not len(wiki.knowledge.texts.split.rarest)


def test_split_titles_are_saved_with_the_rest(
    districts: Wiki, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("knowledge") / "k.arrays"
    districts.knowledge.save(path)
    assert_same(Knowledge.open(path).texts.split, districts.knowledge.texts.split)


def test_counts_say_that_no_name_stands_there(districts: Wiki) -> None:
    rows, features = districts.features("Border")
    assert not rows.pair_links.any() and not rows.name_mentions.any()
    assert np.all(features["is_split"] == 1)
