"""What is shown around a proposal: facts about the target, and what else the words may mean."""

from __future__ import annotations

import pytest

from tests.review import sample
from tests.review.conftest import Browser
from wikibot.store import Store, queue, surroundings
from wikibot.store.tables import Link, Page


def titles(store: Store, words: str, **more: object) -> list[str]:
    with store.reading() as session:
        found = surroundings.other_targets(session, 1, words, without=(), limit=10, **more)  # type: ignore[arg-type]
    return [other.title for other in found]


@pytest.fixture
def mercuries(store: Store) -> Store:
    """A name with a disambiguation page, a redirect, and links that say which is meant."""
    texts = {
        "Mercury": "{{disambiguation}}\n* [[Quicksilver]]\n* [[Mercury (planet)]]\n",
        "Mercury (planet)": "The planet nearest the Sun. See [[Ship|mercury]].\n",
        "Quicksilver": "A liquid metal. Called [[Quicksilver|mercury]] by most.\n",
        "Mercury, Nevada": "#REDIRECT [[Ghost town]]\n",
        "Ghost town": "A place that people left, as by [[Quicksilver|mercury]] mines.\n",
        "Ship": "A large vessel.\n",
    }
    with store.writing() as session:
        wiki = sample.add_wiki(session, "de", texts, ())
        pages = {page.title: page for page in session.query(Page).where(Page.wiki_id == wiki.id)}
        pages["Mercury"].is_disambiguation = True
        pages["Mercury, Nevada"].redirect_to = "Ghost town"
        pages["Mercury, Nevada"].redirect_id = pages["Ghost town"].id
    return store


def test_what_words_may_mean_is_found_by_names_redirects_and_disambiguation_pages(
    mercuries: Store,
) -> None:
    with mercuries.reading() as session:
        found = surroundings.other_targets(session, 2, "mercury", without=(), limit=10)
    assert [other.title for other in found] == ["Quicksilver", "Mercury (planet)", "Ghost town"]
    assert [other.links for other in found] == [2, 0, 0]


def test_the_page_itself_and_the_target_are_not_offered(mercuries: Store) -> None:
    with mercuries.reading() as session:
        all_of_them = surroundings.other_targets(session, 2, "mercury", without=(), limit=10)
        first = all_of_them[0].id
        rest = surroundings.other_targets(session, 2, "mercury", without=(first,), limit=10)
    assert [other.id for other in rest] == [other.id for other in all_of_them[1:]]


def test_the_single_words_of_a_name_are_looked_up_too(store: Store) -> None:
    assert titles(store, "fog horn") == ["Fog"]
    assert titles(store, "nothing of this name") == []


def test_the_card_and_the_choice_of_a_target_list_others_before_any_search(
    browser: Browser,
) -> None:
    assert ">Fog</bdi></button>" in browser.get("/proposal/2").text
    page = browser.get("/proposal/2/target").text
    assert "What these words may mean" in page
    assert "Fog is a cloud that touches the ground." in page


def test_the_card_says_who_links_to_the_target_and_where_this_page_does(
    browser: Browser, store: Store
) -> None:
    first = browser.get("/proposal/2").text
    assert "no page links to it yet" in first
    assert "this page does not link to it yet" in first
    assert "Coasts" in first
    text = sample.ENGLISH["Lighthouse"]
    with store.writing() as session:
        for page_id, start in ((1, text.index("* [[Harbour]]")), (5, 1)):
            session.add(
                Link(
                    page_id=page_id, target_id=3, target_title="Foghorn",
                    anchor="x", start=start, end=start + 1, anchor_start=start,
                    anchor_end=start + 1, sentence_start=-1, sentence_end=-1, in_prose=False,
                )
            )  # fmt: skip
    page = browser.get("/proposal/2").text
    assert "2 pages link to it" in page
    assert "this page links to it already: See also" in page


def test_counting_who_links_stops_where_nobody_wants_to_know(store: Store) -> None:
    with store.reading() as session:
        harbour = next(one for one in queue.find_titles(session, 1, "Harbour"))
        assert surroundings.count_linking_pages(session, harbour.id, at_most=1000) == 1
        assert surroundings.count_linking_pages(session, harbour.id, at_most=0) == 0
