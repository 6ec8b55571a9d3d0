"""The never-link list: one way to write it, three places it comes from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.review import sample
from wikibot.never_list import NeverList, never_list, read_file_list, read_page_list
from wikibot.store import Store, never_links, open_store, queue
from wikibot.store.decisions import Voice
from wikibot.store.suggestions import never_list as stored_never_list
from wikibot.wikitext import SiteRules

ENGLISH = SiteRules.for_language("en")

PAGE = """{{Protected}}
Wikibot proposes no link for what is listed here. Please discuss it on the [[Project talk:Bots]] page.

== Everyday words ==
* light
* ''New  York'' <!-- so often meant otherwise -->
<!--
* commented out
-->
== Targets ==
* [[glass]]
* [[:United Kingdom|the UK]]
* target: Tide
== Pages ==
* page: [[Main Page]]
* Page: Lighthouse_keeper
* light
"""


def test_a_wiki_page_lists_words_targets_and_pages() -> None:
    assert read_page_list(PAGE, ENGLISH) == [
        ("word", "light"),
        ("word", "New York"),
        ("target", "Glass"),
        ("target", "United Kingdom"),
        ("target", "Tide"),
        ("page", "Main Page"),
        ("page", "Lighthouse keeper"),
    ]


def test_a_file_is_written_alike_and_may_leave_out_the_stars() -> None:
    text = "# words\nlight  # a remark\n* fog\n[[glass]]\n\npage: Main Page\n"
    assert read_file_list(text, ENGLISH) == [
        ("word", "light"),
        ("word", "fog"),
        ("target", "Glass"),
        ("page", "Main Page"),
    ]


@pytest.mark.parametrize(
    "text", ["", "* \n*\n", "* <!-- open", "no list at all", "* [[]]\n* word:"]
)
def test_an_empty_or_broken_list_forbids_no_title(text: str) -> None:
    entries = read_page_list(text, ENGLISH)
    assert never_list(iter(entries)).targets == frozenset()


def test_an_unclosed_comment_hides_the_rest_as_it_does_on_the_wiki() -> None:
    assert read_page_list("* light\n<!-- \n* fog", ENGLISH) == [("word", "light")]


def test_words_are_compared_in_any_letter_case() -> None:
    listed = never_list(iter([("word", "Light")]))
    assert listed.forbids_words("LIGHT")
    assert never_list(iter([("word", "fog-horn")])).forbids_words("Fog horn")
    assert not listed.forbids_words("lights")


def test_a_redirect_on_the_list_stands_for_its_page() -> None:
    listed = NeverList(targets=frozenset({"UK"})).following({"UK": "United Kingdom"})
    assert listed.targets == {"UK", "United Kingdom"}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return sample.make_store(tmp_path / "w.db")


def keep(store: Store, source: str, *entries: tuple[str, str]) -> None:
    with store.writing() as session:
        never_links.keep_listed(session, 1, source, entries, added_by="test")


def waiting(store: Store) -> set[str]:
    with store.reading() as session:
        return {line.anchor for line in queue.every_line(session, queue.Filters(1))}


def test_the_queue_follows_a_list_that_changes(store: Store) -> None:
    before = waiting(store)
    keep(store, "wiki", ("word", "Tides"), ("target", "Foghorn"))
    assert before - waiting(store) == {"tides", "fog horn"}
    keep(store, "wiki", ("word", "Tides"))
    assert before - waiting(store) == {"tides"}
    keep(store, "wiki")
    assert waiting(store) == before


def test_each_place_keeps_its_own_entries_and_all_count(store: Store) -> None:
    with store.writing() as session:
        never_links.never_link(session, 1, "word", "prisms", Voice("Ann", "web"))
    keep(store, "file", ("word", "tides"))
    keep(store, "wiki", ("word", "tides"), ("page", "Harbour"))
    keep(store, "file")
    with store.reading() as session:
        listed = stored_never_list(session, 1)
    assert listed.words == {"prisms", "tides"}
    assert listed.pages == {"Harbour"}
    assert "tides" not in waiting(store)


def test_keeping_the_same_list_changes_nothing(store: Store) -> None:
    keep(store, "wiki", ("word", "tides"))
    with store.reading() as session:
        first = never_links.entries(session, 1)
    keep(store, "wiki", ("word", "tides"))
    with store.reading() as session:
        assert never_links.entries(session, 1) == first


def test_the_store_opens_again_with_the_list(tmp_path: Path, store: Store) -> None:
    keep(store, "wiki", ("target", "Tide"))
    store.close()
    with open_store(tmp_path / "w.db") as again, again.reading() as session:
        assert stored_never_list(session, 1).targets == {"Tide"}
