"""A link that a person places passes the rules, by the store and the wikitext alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fetch.exports import write_export
from wikibot.errors import BadInput
from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.linker.policy import BY_NAME
from wikibot.manual_links import HAND_RULES, check_manual_link
from wikibot.store import Store, open_store
from wikibot.store.never_links import keep_listed
from wikibot.store.pages import page_by_title, wikis

PAGES = {
    "Lamp": (
        "A '''lamp''' gives light. It has a wick of [[cotton wool|wool]] thread and burns oil. "
        'He said "trim the wick tonight" in 1822 to a half-glass man. "Wick" is a word. '
        "The [[tower]] keeper knew Mercury well, and oil was dear.\n\n"
        "== Care ==\nKeep it clean.\n\n"
        "== See also ==\n* [[Oil]]\n"
    ),
    "Wick": "A '''wick''' draws oil.",
    "Oil": "'''Oil''' burns.",
    "Glass": "'''Glass''' is clear.",
    "Keeper": "A '''keeper''' keeps.",
    "Cotton": "'''Cotton''' is soft.",
    "Cotton wool": "#REDIRECT [[Cotton]]",
    "Fuel oil": "#REDIRECT [[Oil]]",
    "Mercury": "'''Mercury''' may be many things. {{disambiguation}}",
}


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("by-hand")
    export = write_export(folder / "lamp.xml", PAGES)
    with open_store(folder / "w.db", create=True) as store:
        fetch_export(store, ExportOptions(export, processes=1))
        yield store


def list_never(store: Store, *entries: tuple[str, str]) -> None:
    with store.writing() as session:
        keep_listed(session, 1, "file", entries, added_by="test")


@pytest.fixture
def store(made_once: Store) -> Iterator[Store]:
    yield made_once
    list_never(made_once)


def check(
    store: Store,
    anchor: str,
    target: str,
    *,
    nth: int = 0,
    off: frozenset[str] = frozenset(),
    scope: str = "page",
) -> None:
    with store.reading() as session:
        wiki = wikis(session)[0]
        source = page_by_title(session, wiki.id, "Lamp")
        to = page_by_title(session, wiki.id, target)
    assert source is not None
    start = -1
    for _ in range(nth + 1):
        start = source.wikitext.index(anchor, start + 1)
    check_manual_link(store, wiki, source, start, start + len(anchor), to, off=off, scope=scope)


def test_a_sound_link_passes(store: Store) -> None:
    check(store, "wick", "Wick")


@pytest.mark.parametrize(
    ("anchor", "target", "nth", "says"),
    [
        ("light", "Light", 0, "No page of that name"),
        ("lamp", "Lamp", 0, "link to itself"),
        ("Mercury", "Mercury", 0, "disambiguation page"),
        ("burns", "Cotton", 0, "links to “Cotton” already"),
        ("keeper", "Keeper", 0, "right beside another link"),
        ("thread", "Wick", 0, "right beside another link"),
        ("glass", "Glass", 0, "part of a compound word"),
        ("wick", "Wick", 1, "in a quotation"),
    ],
)
def test_each_rule_says_why_it_refuses(
    store: Store, anchor: str, target: str, nth: int, says: str
) -> None:
    with pytest.raises(BadInput, match=says) as refused:
        check(store, anchor, target, nth=nth)
    assert str(refused.value).endswith("Nothing was changed; choose another place or target.")


def test_a_name_alone_in_quotation_marks_may_be_linked(store: Store) -> None:
    check(store, "Wick", "Wick")


def test_a_link_in_see_also_does_not_count_as_a_link_in_the_text(store: Store) -> None:
    check(store, "oil", "Oil")


@pytest.mark.parametrize(
    "entry",
    [("word", "OIL"), ("target", "Oil"), ("target", "Fuel oil"), ("page", "Lamp")],
)
def test_the_never_link_list_holds_for_people_too(store: Store, entry: tuple[str, str]) -> None:
    list_never(store, entry)
    with pytest.raises(BadInput, match="never-link list"):
        check(store, "oil", "Oil")


def test_a_rule_that_is_switched_off_does_not_refuse(store: Store) -> None:
    check(store, "keeper", "Keeper", off=frozenset({"beside-link"}))


def test_once_a_section_a_link_in_another_section_does_not_count(store: Store) -> None:
    with pytest.raises(BadInput, match="links to “Cotton” already"):
        check(store, "clean", "Cotton")
    check(store, "clean", "Cotton", scope="section")


def test_rules_have_the_same_names_for_people_and_for_proposals() -> None:
    # These three need no rule for proposals: such candidates are not even looked for.
    always = {"red-link", "self-link", "one-link"}
    assert set(HAND_RULES) - always <= set(BY_NAME)
