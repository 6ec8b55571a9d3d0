"""Pages are read once: what they were read as is kept, on SQLite and on PostgreSQL."""

from __future__ import annotations

import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import delete, func, select, update

from tests.fetch.exports import write_export
from wikibot.dataset import Dataset, Loading, load_dataset
from wikibot.engine import Spool
from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.store import Store
from wikibot.store.pages import wiki_by_name
from wikibot.store.readings import Reading, articles_with_readings, keep_readings
from wikibot.store.tables import Page
from wikibot.store.task_tables import PageReading


@pytest.fixture
def fetched(store: Store, tmp_path: Path) -> Store:
    fetch_export(store, ExportOptions(write_export(tmp_path / "x.xml")))
    return store


def load(store: Store) -> Dataset:
    """The wiki is read, and what is new is kept, as `train` and `suggest` do."""
    dataset = load_dataset(store)
    with store.writing() as session:
        keep_readings(session, dataset.new)
    return dataset


def titles_of(dataset: Dataset) -> list[str]:
    return [page.title for page in dataset.pages]


def still_to_read(store: Store, **rules: object) -> set[str]:
    """The titles of the pages that would be read anew."""
    with store.reading() as session:
        row = wiki_by_name(session)
        loading = Loading(replace(row.rules(), **rules), Spool())
        loading.read(articles_with_readings(session, row.id), processes=1)
    return {page.title for page in loading.rows if page.id in loading.new}


def shape(dataset: Dataset) -> list[bytes]:
    return [page.packed() for page in dataset.pages]


def test_a_wiki_is_read_once_and_is_the_same_afterwards(fetched: Store) -> None:
    first = load(fetched)
    assert still_to_read(fetched) == set()
    again = load_dataset(fetched)
    assert again.new == {}
    assert shape(again) == shape(first)


def test_reading_alone_keeps_nothing(fetched: Store) -> None:
    assert load_dataset(fetched).new
    with fetched.reading() as session:
        assert session.scalar(select(func.count()).select_from(PageReading)) == 0


def test_a_page_that_has_changed_is_read_again_and_no_other(fetched: Store) -> None:
    title = titles_of(load(fetched))[0]
    with fetched.writing() as session:
        session.execute(update(Page).where(Page.title == title).values(wikitext="All new words."))
    assert still_to_read(fetched) == {title}
    changed = load(fetched)
    assert changed.pages[0].text == "All new words."
    assert set(changed.replaced) == {title}
    assert still_to_read(fetched) == set()


@pytest.mark.parametrize("damage", [b"", b"\0\xff", zlib.compress(b"2\n{}"), zlib.compress(b"no")])
def test_a_damaged_reading_is_made_again(fetched: Store, damage: bytes) -> None:
    first = load(fetched)
    with fetched.writing() as session:
        session.execute(update(PageReading).values(content=damage))
    assert still_to_read(fetched) == set(titles_of(first))
    assert shape(load(fetched)) == shape(first)
    assert still_to_read(fetched) == set()


def test_other_rules_read_every_page_again(fetched: Store) -> None:
    titles = set(titles_of(load(fetched)))
    assert still_to_read(fetched, language="de") == titles


def test_a_page_that_is_gone_is_not_kept_and_takes_its_reading_with_it(fetched: Store) -> None:
    page = load(fetched).rows[0]
    with fetched.writing() as session:
        session.execute(delete(Page).where(Page.id == page.id))
        keep_readings(session, {page.id: Reading("mark", b"content")})
    with fetched.reading() as session:
        kept = dict(articles_with_readings(session, wiki_by_name(session).id))
    assert page.id not in {row.id for row in kept}
