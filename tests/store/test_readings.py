"""Pages are read once: what they were read as is kept, on SQLite and on PostgreSQL."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
from sqlalchemy import delete, func, select, update
from wikibot.ranking.source import read_rows

from tests.fetch.exports import write_export
from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.store import Store
from wikibot.store.pages import articles, wiki_by_name
from wikibot.store.readings import Reading, keep_readings, readings
from wikibot.store.tables import Page, PageReading
from wikibot.train import StoredWiki, load_wiki, rules_without


@pytest.fixture
def fetched(store: Store, tmp_path: Path) -> Store:
    fetch_export(store, ExportOptions(write_export(tmp_path / "x.xml")))
    return store


def still_to_read(store: Store, *excluded: str) -> set[str]:
    """The titles of the pages that would be read anew."""
    with store.reading() as session:
        row = wiki_by_name(session)
        pages, kept = articles(session, row.id), readings(session, row.id)
    _, new = read_rows(pages, rules_without(row, frozenset(excluded)), kept)
    return {page.title for page in pages if page.id in new}


def shape(loaded: StoredWiki) -> list[object]:
    wiki = loaded.wiki
    columns = (wiki.word, wiki.start, wiki.end, wiki.gap, wiki.italic, wiki.link, wiki.elsewhere)
    return [wiki.titles, wiki.spelling, *(column.tolist() for column in columns)]


def test_a_wiki_is_read_once_and_is_the_same_afterwards(fetched: Store) -> None:
    first = load_wiki(fetched, keep=True)
    assert still_to_read(fetched) == set()
    again = load_wiki(fetched)
    assert shape(again) == shape(first)
    assert [p.sentences for p in again.wiki.pages] == [p.sentences for p in first.wiki.pages]


def test_nothing_is_kept_unless_asked_for(fetched: Store) -> None:
    load_wiki(fetched)
    with fetched.reading() as session:
        assert session.scalar(select(func.count()).select_from(PageReading)) == 0


def test_a_page_that_has_changed_is_read_again_and_no_other(fetched: Store) -> None:
    load_wiki(fetched, keep=True)
    title = load_wiki(fetched).wiki.titles[0]
    with fetched.writing() as session:
        session.execute(update(Page).where(Page.title == title).values(wikitext="All new words."))
    assert still_to_read(fetched) == {title}
    assert "new" in load_wiki(fetched, keep=True).wiki.pages[0].words
    assert still_to_read(fetched) == set()


@pytest.mark.parametrize("damage", [b"", b"\0\xff", zlib.compress(b"2\n{}"), zlib.compress(b"no")])
def test_a_damaged_reading_is_made_again(fetched: Store, damage: bytes) -> None:
    first = load_wiki(fetched, keep=True)
    with fetched.writing() as session:
        session.execute(update(PageReading).values(content=damage))
    assert still_to_read(fetched) == set(first.wiki.titles)
    assert shape(load_wiki(fetched, keep=True)) == shape(first)
    assert still_to_read(fetched) == set()


def test_other_rules_read_every_page_again(fetched: Store) -> None:
    titles = set(load_wiki(fetched, keep=True).wiki.titles)
    assert still_to_read(fetched, "Plot") == titles


def test_a_page_that_is_gone_is_not_kept_and_takes_its_reading_with_it(fetched: Store) -> None:
    page = load_wiki(fetched, keep=True).rows[0]
    with fetched.writing() as session:
        session.execute(delete(Page).where(Page.id == page.id))
        keep_readings(session, {page.id: Reading("mark", b"content")})
    with fetched.reading() as session:
        assert page.id not in readings(session, wiki_by_name(session).id)
