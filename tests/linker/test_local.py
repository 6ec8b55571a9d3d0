"""Links that stand on a page tell how its editors link, and never tell what is to be found."""

from __future__ import annotations

import numpy as np
import pytest

from tests.linker.wikis import Wiki, learned, page_of
from wikibot.linker.counts import WORD_BUCKETS, count, word_buckets
from wikibot.linker.features import local
from wikibot.linker.page import Page
from wikibot.linker.topics import PageTopics

# Pages that link every name of a metal, to a page of the set or to one outside it.
METALS = {
    "Iron": "Iron is a metal. It rusts.",
    "Gold": "Gold is a metal. It shines like [[brass]].",
    **{f"Mine {n}": f"Mine {n} gave [[Iron]] and [[zinc]] and some [[tin]] too." for n in range(6)},
    "Eager": "Here [[zinc]] was found, and [[brass]], and [[tin]], near iron and near gold.",
    "Lazy": "Here zinc was found, and brass, and [[tin]], near iron and near gold.",
    "Bare": "Here zinc was found, and brass, and tin, near iron and near gold.",
}


@pytest.fixture(scope="module")
def metals() -> Wiki:
    return learned(METALS)


def rates(wiki: Wiki, page: Page, topics: PageTopics | None = None) -> dict[str, np.ndarray]:
    rows = wiki.rows(page)
    assert len(rows)
    own = count(page, wiki.number(page.title), wiki.knowledge.names, wiki.knowledge.titles)
    return local.columns(page, rows, wiki.knowledge, own, topics)


def test_a_page_that_links_more_than_others_has_higher_rates(metals: Wiki) -> None:
    eager, lazy = (rates(metals, metals.page(title)) for title in ("Eager", "Lazy"))
    for name in ("page_link_rate", "near_link_rate"):
        assert eager[name].min() > lazy[name].max(), name


def test_on_a_page_without_links_nothing_is_said(metals: Wiki) -> None:
    for name, value in rates(metals, metals.page("Bare")).items():
        assert not value.any(), name


def test_a_hidden_link_leaves_no_trace_in_the_rates_of_its_own_words(metals: Wiki) -> None:
    # The page with the link to Iron hidden must look like the page that never had it.
    linked = page_of("Here is [[zinc]] and [[Iron]] and brass.", "Mine 9")
    never = page_of("Here is [[zinc]] and Iron and brass.", "Mine 9")
    hidden = linked.hide(np.array([title == "Iron" for title in linked.links.target]))
    found = [
        local.columns(page, metals.rows(page), metals.knowledge, None, None)
        for page in (hidden, never)
    ]
    for name in found[0]:
        assert np.array_equal(found[0][name], found[1][name]), name


def test_a_page_never_speaks_for_itself_in_the_share_of_other_pages(metals: Wiki) -> None:
    page, number = metals.page("Eager"), metals.number("Eager")
    own = metals.parts[number]
    without = metals.knowledge.minus([own])
    ours = local.word_shares(page, metals.knowledge, own)
    assert np.allclose(ours, local.word_shares(page, without, None), atol=0.02)
    brass = [page.word(n).lower() for n in range(len(page))].index("brass")
    kept = local.word_shares(page, metals.knowledge, None)
    assert ours[brass] < kept[brass]


def test_words_in_like_contexts_count_by_crtm(metals: Wiki) -> None:
    page = metals.page("Eager")
    vectors = np.random.default_rng(0).normal(size=(len(page), 6)).astype(np.float32)
    topics = PageTopics(np.ones(2, dtype=np.float32) / 2, vectors[0], vectors)
    found = rates(metals, page, topics)["crtm_link_rate"]
    assert np.isfinite(found).all() and found.any()


def test_capitals_have_buckets_of_their_own() -> None:
    buckets = word_buckets(page_of("Iron iron Iron tin"))
    assert buckets[0] == buckets[2] == buckets[1] + 1
    assert buckets.min() >= 0 and buckets.max() < WORD_BUCKETS
    assert (buckets % 2).tolist() == [1, 0, 1, 0]
