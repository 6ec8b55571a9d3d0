"""CRTM points to pages that no name in the text leads to, and says on which words."""

from __future__ import annotations

import numpy as np
import pytest
from wikibot.ranking.candidates import Candidates, standing_words
from wikibot.ranking.lessons import Study, all_hidden, candidates_of, study
from wikibot.ranking.names import POINTED
from wikibot.ranking.proposals import anchors_of
from wikibot.ranking.topics import TopicReader, records
from wikibot.ranking.wiki import Bools, Wiki

from crtm import CRTM, Corpus
from tests.ranking.small import make_wiki


def pages() -> dict[str, str]:
    """Towns at a river, peaks that link each other, and a page on the river's things that never names it."""
    found = {
        f"Town{n}": f"The town{n} lies at the [[Wide River|muddy water]]. Its mill{n} stands by the "
        "ferry, and the harbour is old."
        for n in range(20)
    }
    found |= {
        f"Peak{n}": f"The peak{n} has snow and a hut{n}. Climbers use the rope of [[Peak{(n + 1) % 20}]] "
        "on the glacier."
        for n in range(20)
    }
    found["Wide River"] = "A river with muddy water, a ferry and many a mill; the harbour is busy."
    found["Ferry Town"] = (
        "The ferry crosses the muddy stream, and the mill and the harbour are near."
    )
    return found


@pytest.fixture(scope="module")
def of() -> Study:
    wiki = make_wiki(pages())
    shown = np.ones(len(wiki.links), dtype=bool)
    corpus = Corpus.from_records(records(wiki, shown), max_share=0.6)
    reader = TopicReader(CRTM(4, max_iter=3, vector_size=8, n_jobs=1).fit(corpus), wiki)
    return study(wiki, np.ones(wiki.size, dtype=bool), reader)


def pointed(of: Study, hidden: Bools, *, pages: Bools | None = None) -> Candidates:
    everywhere = np.ones(of.wiki.size, dtype=bool)
    rows, features = candidates_of(of, hidden, everywhere if pages is None else pages)
    assert len(rows) == len(features.values)
    return rows.chosen((rows.kind & POINTED) > 0)


def as_it_is(wiki: Wiki) -> Bools:
    return np.zeros(len(wiki.links), dtype=bool)


def test_a_page_is_found_that_the_text_never_names(of: Study) -> None:
    rows = pointed(of, as_it_is(of.wiki))
    titles = of.wiki.titles
    found = {
        (titles[page], titles[target])
        for page, target in zip(rows.page.tolist(), rows.target.tolist(), strict=True)
    }
    assert ("Ferry Town", "Wide River") in found


def test_its_anchor_is_words_of_the_page(of: Study) -> None:
    rows = pointed(of, as_it_is(of.wiki))
    inside = (rows.first >= of.wiki.offsets[rows.page]) & (
        rows.first + rows.length <= of.wiki.offsets[rows.page + 1]
    )
    assert len(rows) and inside.all()
    assert all(anchors_of(of.wiki, rows))


def test_neither_the_page_itself_nor_a_target_it_names_or_links(of: Study) -> None:
    wiki = of.wiki
    rows, _ = candidates_of(of, as_it_is(wiki), np.ones(wiki.size, dtype=bool))
    only_pointed = (rows.kind & POINTED) > 0
    assert not np.isin(rows.code[only_pointed], rows.code[~only_pointed]).any()
    assert not np.isin(rows.code[only_pointed], wiki.linked_pairs()).any()
    assert not (rows.page == rows.target)[only_pointed].any()


def test_its_place_is_outside_the_links_that_stand(of: Study) -> None:
    rows = pointed(of, as_it_is(of.wiki))
    standing = standing_words(of.wiki, as_it_is(of.wiki))
    for first, length in zip(rows.first.tolist(), rows.length.tolist(), strict=True):
        assert not standing[first : first + length].any()


def test_candidates_stay_in_the_order_of_pages_targets_and_places(of: Study) -> None:
    rows, _ = candidates_of(of, all_hidden(of.wiki), np.ones(of.wiki.size, dtype=bool))
    assert np.array_equal(np.lexsort((rows.length, rows.first, rows.target, rows.page)),
                          np.arange(len(rows)))  # fmt: skip


def test_only_the_pages_that_are_asked_for(of: Study) -> None:
    only = np.zeros(of.wiki.size, dtype=bool)
    only[of.wiki.titles.index("Ferry Town")] = True
    assert set(pointed(of, as_it_is(of.wiki), pages=only).page.tolist()) == {int(only.argmax())}
