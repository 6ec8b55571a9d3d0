"""Pages go in and come out the same, on SQLite and on PostgreSQL."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import func, select

from tests.fetch.exports import PAGES, write_export
from tests.store.filled import fill
from tests.store.reading import categories_of_pages
from wikibot.errors import StoreError
from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.store import Store
from wikibot.store.page_writes import (
    GONE_PROBLEM,
    PageRecord,
    absent_from_set,
    add_to_set,
    drop_from_set,
    finish_wiki,
    known_outside,
    known_pages,
    mark_gone,
    missing_redirect_targets,
    resolve_targets,
    save_pages,
    save_wiki,
)
from wikibot.store.pages import (
    articles,
    counts,
    links_of_wiki,
    missing_targets,
    page_by_id,
    page_by_title,
    pages_of_set,
    redirects,
    wiki_by_name,
    wiki_names,
    wikis,
)
from wikibot.store.tables import Decision, Page, Suggestion
from wikibot.wikitext.rules import SiteRules

ENGLISH = SiteRules.for_language("en")


def record(number: int, title: str, **values: object) -> PageRecord:
    """A page as the reader hands it over."""
    plain = PageRecord(
        page_id=number,
        title=title,
        namespace=0,
        revision_id=100 + number,
        timestamp=None,
        wikitext=f"{title} is here.",
        summary="",
        in_set=True,
        fetched_for="",
        redirect_to=None,
        is_disambiguation=False,
        exclusion=None,
        problem=None,
        read_with="1",
        categories=(),
        links=(),
    )
    return plain._replace(**values)


def link(target: str, start: int = 0) -> tuple[object, ...]:
    end = start + len(target) + 4
    return (target, target, start, end, start + 2, end - 2, 0, 99, True)


def stored(store: Store, *records: PageRecord) -> int:
    """The wiki's row id; the pages are in it and everything is resolved."""
    with store.writing() as session:
        wiki_id = save_wiki(session, "wiki.example.org", ENGLISH)
        save_pages(session, wiki_id, records)
        resolve_targets(session, wiki_id)
    return wiki_id


def ends(store: Store, wiki_id: int) -> list[tuple[str, str | None]]:
    with store.reading() as session:
        names = {page.id: page.title for page in articles(session, wiki_id)}
        links = links_of_wiki(session, wiki_id)
    pairs = zip(links.target_title, links.target_id, strict=True)
    return [(title, names.get(end) if end else None) for title, end in pairs]


def test_an_export_is_stored_alike_on_every_database(store: Store, tmp_path: Path) -> None:
    export = write_export(tmp_path / "dump.xml")
    report = fetch_export(store, ExportOptions(export, processes=1))
    assert (report.pages, report.redirects, report.links, report.links_within_set) == (3, 4, 6, 4)
    again = fetch_export(store, ExportOptions(export, processes=1))
    assert (again.read, again.unchanged) == (0, 7)
    with store.reading() as session:
        wiki = wiki_by_name(session)
        pages = {page.title: page.wikitext for page in pages_of_set(session, wiki.id)}
        assert pages == {title: PAGES[title] for title in ("Severn", "River", "Shrewsbury")}
        assert set(redirects(session, wiki.id)) == {"River Severn", "Old Severn"}
        assert missing_targets(session, wiki.id) == ["Wales", "Water"]


def test_redirect_chains_and_loops_are_resolved(store: Store) -> None:
    chain = [record(n, f"R{n}", in_set=False, redirect_to=f"R{n + 1}") for n in range(1, 6)]
    loop = [record(8, "L8", redirect_to="L9"), record(9, "L9", redirect_to="L8")]
    links = tuple(link(title, 20 * n) for n, title in enumerate(("R1", "L8", "R6", "Nowhere")))
    wiki = stored(store, *chain, *loop, record(6, "R6"), record(7, "Page", links=links))
    assert ends(store, wiki) == [("R1", "R6"), ("L8", None), ("R6", "R6"), ("Nowhere", None)]


def test_a_redirect_to_a_missing_page_is_a_missing_target(store: Store) -> None:
    wiki = stored(store, record(1, "A", redirect_to="B"), record(2, "C", redirect_to="A"))
    with store.reading() as session:
        assert missing_redirect_targets(session, wiki) == ["B"]
    stored(store, record(3, "B"))
    with store.reading() as session:
        assert missing_redirect_targets(session, wiki) == []
        assert page_by_title(session, wiki, "C") == page_by_title(session, wiki, "B")


def test_links_follow_when_a_redirect_is_pointed_elsewhere(store: Store) -> None:
    links = (link("R"),)
    pages = (record(1, "A"), record(2, "B"), record(3, "P", links=links))
    wiki = stored(store, *pages, record(4, "R", redirect_to="A"))
    assert ends(store, wiki) == [("R", "A")]
    stored(store, record(4, "R", revision_id=500, redirect_to="B"))
    assert ends(store, wiki) == [("R", "B")]
    stored(store, record(4, "R", revision_id=501))
    assert ends(store, wiki) == [("R", "R")]


def test_a_page_that_is_gone_is_forgotten_unless_somebody_decided_on_it(store: Store) -> None:
    fill(store)
    with store.writing() as session:
        titles = mark_gone(session, 1, [1, 3])
        resolve_targets(session, 1)
    assert titles == ["Page 1", "Page 3"]
    with store.reading() as session:
        kept = page_by_id(session, 1)
        assert kept is not None
        assert (kept.in_set, kept.problem) == (False, GONE_PROBLEM)
        assert kept.title.startswith("Page 1 ")
        assert page_by_id(session, 3) is None
        assert page_by_title(session, 1, "Page 1") is None
        assert [page.title for page in articles(session, 1)] == ["Page 2"]
        assert set(links_of_wiki(session, 1).target_id) == {None}
        decisions = select(func.count()).select_from(Decision)
        assert session.execute(decisions).scalar_one() == 1
        assert session.execute(select(Suggestion.page_id)).scalar_one() == 1


def test_a_page_that_comes_back_takes_up_its_row_again(store: Store) -> None:
    fill(store)
    with store.writing() as session:
        mark_gone(session, 1, [1])
        resolve_targets(session, 1)
        save_pages(session, 1, [record(1, "Page 1")])
        resolve_targets(session, 1)
    with store.reading() as session:
        page = page_by_title(session, 1, "Page 1")
        assert page is not None
        assert (page.id, page.in_set, page.problem) == (1, True, None)
        assert set(links_of_wiki(session, 1).target_id) == {1}


def test_the_set_grows_and_shrinks_by_what_brought_pages_into_it(store: Store) -> None:
    wiki = stored(
        store,
        record(1, "A", fetched_for="Rivers"),
        record(2, "B", fetched_for="Towns"),
        record(3, "T", in_set=False, fetched_for=None),
        record(4, "R", in_set=False, fetched_for=None, redirect_to="A"),
    )
    with store.writing() as session:
        assert absent_from_set(session, wiki, "Rivers", {9}) == {1: "A"}
        assert absent_from_set(session, wiki, "Rivers", {1}) == {}
        assert known_outside(session, wiki, targets=False) == [4]
        assert known_outside(session, wiki, targets=True) == [3, 4]
        drop_from_set(session, wiki, [1])
        rows = known_pages(session, wiki, [3, 4])
        add_to_set(session, [row.id for row in rows.values()], "Rivers")
    with store.reading() as session:
        assert [page.title for page in pages_of_set(session, wiki)] == ["B", "T"]


def test_many_pages_are_looked_up_in_slices(store: Store) -> None:
    wiki = stored(store, *(record(n, f"P{n}", categories=("All",)) for n in range(1, 1203)))
    with store.reading() as session:
        assert len(known_pages(session, wiki, range(1, 2000))) == 1202
        assert len(categories_of_pages(session, wiki)) == 1202
        assert counts(session, wiki).pages == 1202


def test_pages_that_cannot_be_read_are_counted_and_keep_the_reason(store: Store) -> None:
    wiki = stored(store, record(1, "A", problem="Too deep."), record(2, "B"))
    with store.reading() as session:
        assert [page.problem for page in pages_of_set(session, wiki)] == ["Too deep.", None]
        assert counts(session, wiki).unreadable == 1


def test_of_several_wikis_the_one_fetched_last_needs_no_name(store: Store) -> None:
    with store.reading() as session, pytest.raises(StoreError, match="holds no wiki yet"):
        wiki_by_name(session)
    stored(store)
    with store.writing() as session:
        first = wiki_by_name(session)
        assert first.name == "wiki.example.org"
        finish_wiki(session, first.id)
        other = save_wiki(session, "other.example.org", SiteRules.for_language("de"))
        assert wiki_by_name(session) == wiki_by_name(session, "wiki.example.org"), "not fetched yet"
        finish_wiki(session, other)
    with store.reading() as session:
        assert [wiki.language for wiki in wikis(session)] == ["de", "en"]
        assert wiki_names(session) == ["other.example.org", "wiki.example.org"]
        assert wiki_by_name(session).rules().language == "de"
        assert wiki_by_name(session, "wiki.example.org").id == first.id
        with pytest.raises(StoreError, match="no wiki 'third'"):
            wiki_by_name(session, "third")


def test_a_wikis_rules_survive_the_database(store: Store) -> None:
    with store.writing() as session:
        rules = SiteRules.for_language("he")
        save_wiki(session, "he.example.org", rules, article_url="https://he.example.org/wiki/$1")
    with store.reading() as session:
        wiki = wiki_by_name(session)
    assert wiki.rules() == rules
    assert wiki.address("א ב?") == "https://he.example.org/wiki/%D7%90_%D7%91%3F"


def test_page_numbers_of_two_wikis_do_not_mix(store: Store) -> None:
    stored(store, record(1, "A", links=(link("B"),)))
    with store.writing() as session:
        other = save_wiki(session, "other.example.org", ENGLISH)
        save_pages(session, other, [record(1, "B"), record(2, "A", redirect_to="B")])
        resolve_targets(session, other)
    with store.reading() as session:
        assert session.execute(select(func.count()).select_from(Page)).scalar_one() == 3
    assert ends(store, 1) == [("B", None)]
