"""An export in the database: pages, redirects, categories, links with exact places."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.fetch.database import content, link_ends, titles
from tests.fetch.exports import HEAD, PAGES, TAIL, pack, page_xml, write_export
from tests.store.reading import categories_of_pages
from wikibot.errors import BadExport, BadInput
from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.fetch.report import FetchReport
from wikibot.steps import Step
from wikibot.store import open_store
from wikibot.store.pages import (
    articles,
    links_of_page,
    links_of_wiki,
    page_by_title,
    pages_of_set,
    redirects,
    wiki_by_name,
)


def fetch(db: Path, export: Path, **options: object) -> FetchReport:
    with open_store(db, create=True) as store:
        return fetch_export(store, ExportOptions(export, processes=1, **options))  # type: ignore[arg-type]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "wiki.db"


@pytest.fixture
def export(tmp_path: Path) -> Path:
    return write_export(tmp_path / "dump.xml")


def test_every_article_and_redirect_is_stored_and_counted(db: Path, export: Path) -> None:
    report = fetch(db, export)
    assert (report.pages, report.redirects, report.links) == (3, 4, 6)
    assert report.links_within_set == 4
    assert (report.read, report.unchanged, report.skipped) == (7, 0, [])
    assert titles(db) == ["River", "Severn", "Shrewsbury"]
    assert titles(db, "redirect_to IS NOT NULL") == [
        "Loop A",
        "Loop B",
        "Old Severn",
        "River Severn",
    ]


def test_redirects_end_where_their_chain_ends_and_loops_end_nowhere(db: Path, export: Path) -> None:
    fetch(db, export)
    with open_store(db) as store, store.reading() as session:
        wiki = wiki_by_name(session)
        severn = page_by_title(session, wiki.id, "Severn")
        assert severn is not None
        assert redirects(session, wiki.id) == {"River Severn": severn.id, "Old Severn": severn.id}
        assert page_by_title(session, wiki.id, "old_Severn") == severn
        assert page_by_title(session, wiki.id, "Loop A") is None
        assert page_by_title(session, wiki.id, "Loop A", follow=False) is not None
        assert page_by_title(session, wiki.id, "Nowhere") is None


def test_links_lead_through_redirects_to_the_article(db: Path, export: Path) -> None:
    fetch(db, export)
    assert ("Shrewsbury", "River Severn", "Severn") in link_ends(db)
    assert ("Severn", "River", "River") in link_ends(db)
    assert ("Severn", "Wales", None) in link_ends(db)


def test_each_link_stands_exactly_where_the_database_says(db: Path, export: Path) -> None:
    fetch(db, export)
    with open_store(db) as store, store.reading() as session:
        wiki = wiki_by_name(session)
        pages = {page.id: page.wikitext for page in pages_of_set(session, wiki.id)}
        links = links_of_wiki(session, wiki.id)
    assert len(links) == 6
    for at in range(len(links)):
        text = pages[links.page_id[at]]
        whole = text[links.start[at] : links.end[at]]
        shown = text[links.anchor_start[at] : links.anchor_end[at]]
        sentence = text[links.sentence_start[at] : links.sentence_end[at]]
        assert whole.startswith("[[")
        assert whole.endswith(f"{shown}]]")
        assert links.anchor[at].startswith(shown)
        assert whole in sentence
        assert links.in_prose[at]
    assert "waters" in links.anchor  # with its link trail


def test_links_of_one_page_are_found(db: Path, export: Path) -> None:
    fetch(db, export)
    with open_store(db) as store, store.reading() as session:
        severn = page_by_title(session, wiki_by_name(session).id, "Severn")
        assert severn is not None
        assert list(links_of_page(session, severn.id).anchor) == ["river", "Wales", "the town"]


def test_categories_and_their_members_are_stored(db: Path, export: Path) -> None:
    fetch(db, export)
    with open_store(db) as store, store.reading() as session:
        wiki = wiki_by_name(session)
        severn = page_by_title(session, wiki.id, "Severn")
        assert severn is not None
        assert categories_of_pages(session, wiki.id)[severn.id] == ["Rivers"]


def test_a_page_remembers_revision_time_and_first_sentence(db: Path, export: Path) -> None:
    fetch(db, export)
    with open_store(db) as store, store.reading() as session:
        page = page_by_title(session, wiki_by_name(session).id, "Severn")
    assert page is not None
    assert (page.page_id, page.revision_id) == (1, 1001)
    assert page.timestamp is not None
    assert page.timestamp.isoformat() == "2024-05-06T07:08:09+00:00"
    assert page.summary == "The Severn is a river in Wales."


def test_the_wiki_is_known_by_its_host_with_the_rules_of_its_language(
    db: Path, export: Path
) -> None:
    fetch(db, export)
    with open_store(db) as store, store.reading() as session:
        wiki = wiki_by_name(session)
    assert (wiki.name, wiki.language) == ("wiki.example.org", "en")
    assert wiki.address("River Severn") == "https://wiki.example.org/wiki/River_Severn"
    assert wiki.rules().namespaces["category"] == 14


def test_a_category_brings_its_pages_and_the_redirects_to_them(db: Path, export: Path) -> None:
    report = fetch(db, export, category="rivers")
    assert (report.pages, report.redirects, report.category) == (1, 2, "Rivers")
    assert titles(db) == ["Severn"]
    assert titles(db, "redirect_to IS NOT NULL") == ["Old Severn", "River Severn"]


def test_depth_follows_subcategories_even_in_circles(db: Path, export: Path) -> None:
    assert fetch(db, export, category="Category:Geography", depth=9).pages == 2
    assert titles(db) == ["River", "Severn"]


def test_linked_targets_come_along_but_not_into_the_set(db: Path, export: Path) -> None:
    report = fetch(db, export, category="Towns", targets="linked")
    assert (report.pages, report.targets) == (1, 1)
    assert titles(db) == ["Shrewsbury"]
    assert ("Shrewsbury", "River Severn", "Severn") in link_ends(db)
    with open_store(db) as store, store.reading() as session:
        wiki = wiki_by_name(session)
        assert {page.title for page in articles(session, wiki.id)} == {"Shrewsbury", "Severn"}


def test_a_second_category_adds_to_the_set(db: Path, export: Path) -> None:
    fetch(db, export, category="Towns", targets="linked")
    report = fetch(db, export, category="Rivers")
    assert titles(db) == ["Severn", "Shrewsbury"]
    assert (report.read, report.unchanged) == (1, 2)  # Old Severn is new


def test_a_page_that_left_the_category_leaves_the_set(db: Path, tmp_path: Path) -> None:
    fetch(db, write_export(tmp_path / "a.xml"), category="Towns")
    moved = {**PAGES, "Shrewsbury": "No town.", "Ludlow": "[[Category:Towns]]"}
    report = fetch(db, write_export(tmp_path / "b.xml", moved), category="Towns")
    assert report.left_the_set == ["Shrewsbury"]
    assert titles(db) == ["Ludlow"]


def test_a_category_that_is_not_there_is_refused_with_the_nearest(db: Path, export: Path) -> None:
    with pytest.raises(BadInput, match=r"is in the category 'River'.*Did you mean 'Rivers'\?"):
        fetch(db, export, category="River")
    assert titles(db, "1") == []


def test_unchanged_pages_are_not_read_again(db: Path, tmp_path: Path) -> None:
    fetch(db, write_export(tmp_path / "a.xml"))
    before = content(db)
    report = fetch(db, write_export(tmp_path / "a.xml"))
    assert (report.read, report.unchanged) == (0, 7)
    assert content(db) == before


def test_only_the_page_with_a_new_revision_is_read_again(db: Path, tmp_path: Path) -> None:
    fetch(db, write_export(tmp_path / "a.xml"))
    changed = HEAD + page_xml(1, "Severn", "Only a [[river]] now.", revision=2001) + TAIL
    report = fetch(db, pack(tmp_path / "b.xml", changed.encode()))
    assert (report.read, report.unchanged, report.pages) == (1, 0, 3)
    assert {end for end in link_ends(db) if end[0] == "Severn"} == {("Severn", "River", "River")}


def test_pages_are_read_again_when_the_rules_changed(db: Path, tmp_path: Path) -> None:
    export = write_export(tmp_path / "a.xml")
    fetch(db, export)
    export.write_text(export.read_text().replace('xml:lang="en"', 'xml:lang="de"'))
    assert fetch(db, export).read == 7


def test_moved_pages_keep_their_row_even_when_titles_are_swapped(db: Path, tmp_path: Path) -> None:
    def rows() -> dict[int, tuple[int, str]]:
        with sqlite3.connect(db) as database:
            found = database.execute("SELECT page_id, id, title FROM pages").fetchall()
        database.close()
        return {page_id: (row, title) for page_id, row, title in found}

    fetch(db, write_export(tmp_path / "a.xml", {"A": "[[B]]", "B": "[[A]]", "C": "c"}))
    before = rows()
    swapped = HEAD + "".join(
        page_xml(number, title, text, revision=50 + number)
        for number, title, text in (
            (9, "C", "#REDIRECT [[D]]"),
            (1, "B", "b"),
            (2, "A", "a"),
            (3, "D", "c"),
        )
    )
    fetch(db, pack(tmp_path / "b.xml", (swapped + TAIL).encode()))
    after = rows()
    assert {page_id: after[page_id][0] for page_id in (1, 2, 3)} == {
        page_id: before[page_id][0] for page_id in (1, 2, 3)
    }
    assert [after[page_id][1] for page_id in (1, 2, 3, 9)] == ["B", "A", "D", "C"]


def test_a_title_taken_over_by_another_page_drops_the_old_one(db: Path, tmp_path: Path) -> None:
    fetch(db, write_export(tmp_path / "a.xml", {"A": "old", "B": "[[A]]"}))
    fetch(db, pack(tmp_path / "b.xml", (HEAD + page_xml(7, "A", "new") + TAIL).encode()))
    assert titles(db, "1") == ["A", "B"]
    assert ("B", "A", "A") in link_ends(db)


def test_other_kinds_of_pages_are_left_out(db: Path, tmp_path: Path) -> None:
    code = page_xml(2, "Code", "{}").replace("wikitext", "json")
    hidden = page_xml(3, "Hidden", "").replace("<text xml", '<text deleted="deleted" xml')
    talk = page_xml(4, "Talk:A", "[[A]]", namespace=1)
    pages = page_xml(1, "A", "a") + code + hidden + talk
    report = fetch(db, pack(tmp_path / "a.xml", f"{HEAD}{pages}{TAIL}".encode()))
    assert titles(db, "1") == ["A"]
    assert [page["title"] for page in report.skipped] == ["Code", "Hidden"]


def test_a_page_that_cannot_be_read_is_kept_with_its_reason(db: Path, tmp_path: Path) -> None:
    pages = {"Deep": "{{a|" * 8000, "Plain": "A [[Deep]] one."}
    report = fetch(db, write_export(tmp_path / "a.xml", pages))
    [skipped] = report.skipped
    assert skipped["title"] == "Deep"
    assert skipped["reason"].endswith("It is skipped.")
    assert titles(db, "problem IS NOT NULL") == ["Deep"]
    assert link_ends(db) == {("Plain", "Deep", "Deep")}


def test_the_same_page_twice_counts_once(db: Path, tmp_path: Path) -> None:
    pages = page_xml(1, "A", "first") + page_xml(1, "A", "second")
    assert fetch(db, pack(tmp_path / "a.xml", f"{HEAD}{pages}{TAIL}".encode())).pages == 1


@pytest.mark.parametrize("category", [None, "Many"])
def test_a_cut_export_is_usable_and_a_whole_one_completes_it(
    db: Path, tmp_path: Path, category: str | None
) -> None:
    many = {
        f"Page {n}": f"This is [[Page {n // 2}]], {'word ' * 300}[[Category:Many]]"
        for n in range(900)
    }
    whole = write_export(tmp_path / "whole.xml", many)
    cut = tmp_path / "cut.xml"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    with pytest.raises(BadExport, match="What was read before is kept"):
        fetch(db, cut, category=category)
    some = titles(db)
    assert 300 < len(some) < 900
    assert all(end is not None for _, _, end in link_ends(db))
    report = fetch(db, whole, category=category)
    assert (report.pages, report.unchanged) == (900, len(some))
    fetch(tmp_path / "fresh.db", whole, category=category)
    assert content(db) == content(tmp_path / "fresh.db")


def test_the_number_of_processes_does_not_change_the_database(tmp_path: Path, export: Path) -> None:
    for processes in (1, 3):
        with open_store(tmp_path / f"{processes}.db", create=True) as store:
            fetch_export(store, ExportOptions(export, processes=processes))
    assert content(tmp_path / "1.db") == content(tmp_path / "3.db")


def test_a_run_tells_its_options_steps_and_result(db: Path, export: Path) -> None:
    steps: list[Step] = []
    with open_store(db, create=True) as store:
        fetch_export(store, ExportOptions(export, processes=1), tell=steps.append)
        with sqlite3.connect(db) as database:
            [run] = database.execute("SELECT command, state, result FROM runs").fetchall()
        database.close()
    assert run[:2] == ("fetch", "done")
    assert '"pages": 3' in run[2]
    assert [step.name for step in steps] == ["Reading pages", "Resolving links"]
    assert steps[0].done == steps[0].total == export.stat().st_size


def test_a_refused_export_leaves_no_wiki_behind(db: Path, tmp_path: Path) -> None:
    with pytest.raises(BadExport):
        fetch(db, pack(tmp_path / "page.xml", b"<html></html>"))
    with sqlite3.connect(db) as database:
        assert database.execute("SELECT count(*) FROM wikis").fetchone() == (0,)
    database.close()


def revised(number: int, title: str, text: str, revision: int) -> str:
    return page_xml(number, title, text, revision=revision)


@pytest.mark.parametrize("between", [0, 1, 250])
@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_of_two_pages_with_one_title_the_newest_is_kept(
    db: Path, tmp_path: Path, order: tuple[int, int], between: int
) -> None:
    """As in real dumps; `between` puts them into different batches as well."""
    twins = {
        1: revised(1, "Twin", "The old text of the twin.", 10),
        2: revised(2, "Twin", "The new text of the twin.", 20),
    }
    others = "".join(page_xml(100 + n, f"Other {n}", "Some text.") for n in range(between))
    first, last = order
    path = pack(tmp_path / "d.xml", f"{HEAD}{twins[first]}{others}{twins[last]}{TAIL}".encode())
    for _ in range(2):  # and again, when it is all known
        report = fetch(db, path)
        assert titles(db, "title LIKE 'Twin%'") == ["Twin"]
        with open_store(db) as store, store.reading() as session:
            twin = page_by_title(session, wiki_by_name(session).id, "Twin")
            assert twin is not None and twin.revision_id == 20
        assert report.pages == between + 1
        assert [page["title"] for page in report.skipped] in ([], ["Twin"])


def test_a_page_that_took_over_a_title_is_not_mistaken_for_a_twin(db: Path, tmp_path: Path) -> None:
    before = revised(7, "Name", "The first page.", 50)
    fetch(db, pack(tmp_path / "a.xml", f"{HEAD}{before}{TAIL}".encode()))
    moved = revised(3, "Name", "Another page.", 40) + revised(7, "New name", "The first page.", 60)
    fetch(db, pack(tmp_path / "b.xml", f"{HEAD}{moved}{TAIL}".encode()))
    assert titles(db) == ["Name", "New name"]


def test_a_page_with_a_title_longer_than_any_wiki_allows_is_skipped(
    db: Path, tmp_path: Path
) -> None:
    report = fetch(db, write_export(tmp_path / "d.xml", {"é" * 128: "Text.", "é" * 127: "Text."}))
    assert titles(db) == ["é" * 127]
    assert [page["reason"] for page in report.skipped] == ["Its title has more than 255 bytes."]
