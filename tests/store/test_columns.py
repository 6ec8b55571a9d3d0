"""No table or column is written that nobody reads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import wikibot.store.task_tables  # noqa: F401 (it completes Base.metadata)
from tests.store.filled import fill
from wikibot.store import Store, open_store, schema
from wikibot.store.tables import Base, Page

ROOT = Path(__file__).resolve().parents[2] / "wikibot"
# Which run made a row, and what it was asked for, is for a person who looks into the file.
FOR_PEOPLE = {
    "ideas.run_id", "models.run_id", "models.parameters", "runs.options", "suggestions.run_id",
}  # fmt: skip


def mentions() -> str:
    """All of the program but the tables themselves, pages of the site included."""
    files = [*ROOT.rglob("*.py"), *ROOT.rglob("*.html")]
    return "\n".join(f.read_text(encoding="utf-8") for f in files if f.name != "tables.py")


def test_every_column_is_read_somewhere() -> None:
    """Read is an attribute, or a field of the row that a query fills."""
    said = mentions()
    columns = [
        f"{table.name}.{column.name}"
        for table in Base.metadata.sorted_tables
        for column in table.columns
    ]
    names = {full: re.escape(full.partition(".")[2]) for full in columns}
    read = {full for full, name in names.items() if re.search(rf"[\w)\]]\.{name}\b(?!\()", said)}
    assert set(columns) - read - FOR_PEOPLE == set()


@pytest.mark.parametrize("gone", ["category_children", "pages.length", "links.raw_target"])
def test_what_nobody_read_is_gone(gone: str) -> None:
    table, _, column = gone.partition(".")
    known = Base.metadata.tables
    assert column not in known[table].columns if column else table not in known


def test_a_page_of_the_largest_wiki_fits_on_every_database(store: Store) -> None:
    """Wikidata's revisions are beyond 2^31, which PostgreSQL's INTEGER cannot hold."""
    fill(store)
    with store.writing() as session:
        session.get_one(Page, 1).revision_id = 2**31 + 1
        session.get_one(Page, 1).page_id = 2**40
    with store.reading() as session:
        assert session.get_one(Page, 1).page_id == 2**40


def test_an_older_database_keeps_all_that_people_did(tmp_path: Path) -> None:
    with open_store(tmp_path / "wiki.db", create=True) as store:
        fill(store)
        schema.downgrade(store.writer, "0004")
        with store.writer.begin() as connection:
            connection.exec_driver_sql("INSERT INTO category_children VALUES (1, 2)")
            connection.exec_driver_sql("UPDATE pages SET length = 7, protection = 'sysop'")
            tables = ("decisions", "suggestions", "outbox", "never_links", "pages", "links", "runs")
            before = {
                t: connection.exec_driver_sql(f"SELECT count(*) FROM {t}").scalar() for t in tables
            }
    with open_store(tmp_path / "wiki.db") as store, store.writer.connect() as connection:
        assert schema.current_version(store.reader) == schema.newest_version()
        for table, rows in before.items():
            assert connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar() == rows
