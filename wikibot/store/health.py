"""Is the database sound? Looks only; nothing is repaired or migrated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Connection, Engine, func, inspect, select
from sqlalchemy.exc import DatabaseError

from wikibot.store import schema
from wikibot.store.engine import Store, store_url
from wikibot.store.tables import Base, CheckedJson


@dataclass(frozen=True, slots=True)
class Health:
    """What a look at the database found; an empty list is good news."""

    schema_version: str | None
    newest_version: str
    damage: list[str]
    broken_references: list[str]
    server: str


def examine(where: str) -> Health:
    """The state of the database at WHERE, which must exist; an unreadable one is damage."""
    with Store(store_url(where)) as store:
        try:
            return Health(
                schema.current_version(store.reader),
                schema.newest_version(),
                _damage(store.reader),
                _broken_references(store.reader),
                _server(store.reader),
            )
        except DatabaseError as error:
            return Health(None, schema.newest_version(), [str(error.orig)], [], "unknown")


def _damage(engine: Engine) -> list[str]:
    if engine.dialect.name != "sqlite":
        return []
    with engine.connect() as connection:
        rows = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
    return [str(row) for row in rows if row != "ok"] + _broken_json(engine)


def _broken_json(engine: Engine) -> list[str]:
    """What SQLite itself takes for sound text, and we cannot read."""
    with engine.connect() as connection:
        counted = [
            (column, _unreadable(connection, column)) for column in _json_columns(connection)
        ]
    return [
        f"{n} rows of {column.table} have no JSON in {column.name}" for column, n in counted if n
    ]


def _json_columns(connection: Connection) -> Iterator[Column[Any]]:
    """Those that the database has: its schema may be older than ours."""
    known = inspect(connection)
    there = set(known.get_table_names())
    for table in (one for one in Base.metadata.sorted_tables if one.name in there):
        names = {one["name"] for one in known.get_columns(table.name)}
        columns = (one for one in table.columns if isinstance(one.type, CheckedJson))
        yield from (column for column in columns if column.name in names)


def _unreadable(connection: Connection, column: Column[Any]) -> int:
    return connection.execute(
        select(func.count()).select_from(column.table).where(func.json_valid(column) == 0)
    ).scalar_one()


def _broken_references(engine: Engine) -> list[str]:
    if engine.dialect.name != "sqlite":
        return []
    with engine.connect() as connection:
        rows = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    return [f"row {row[1]} of {row[0]} names a row of {row[2]} that is not there" for row in rows]


def _server(engine: Engine) -> str:
    name = "sqlite_version()" if engine.dialect.name == "sqlite" else "version()"
    with engine.connect() as connection:
        version = connection.exec_driver_sql(f"SELECT {name}").scalar_one()
    return f"SQLite {version}" if engine.dialect.name == "sqlite" else str(version).split(" on ")[0]
