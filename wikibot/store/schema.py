"""The schema's version, and the way from any older one to the newest."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, inspect

from wikibot.errors import StoreError

if TYPE_CHECKING:  # Alembic is only loaded where there is something to change.
    from alembic.config import Config


def migrations_folder() -> Path:
    """Where the migrations are, installed or in a checkout."""
    return Path(import_module("wikibot.migrations").__path__[0])


def alembic_config(connection: Any = None) -> Config:
    """Alembic's settings, with an open connection to work on."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(migrations_folder()))
    config.attributes["connection"] = connection
    return config


def versions() -> list[str]:
    """The versions that this program knows, in order; the names of the migrations begin with them."""
    return sorted(path.name[:4] for path in (migrations_folder() / "versions").glob("[0-9]*.py"))


def newest_version() -> str:
    """The version that this program writes."""
    return versions()[-1]


def current_version(engine: Engine) -> str | None:
    """The version of the schema in the database; None for an empty one. Reads only."""
    with engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        return connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()


def bring_up_to_date(reader: Engine, writer: Engine, path: Path | None) -> None:
    """The database has the newest schema; an older one was first copied beside itself.

    Only reads when nothing is to be done, so that a busy or read-only database can be looked at.
    """
    current, newest = current_version(reader), newest_version()
    if current == newest:
        return
    if current is None and inspect(reader).get_table_names():
        raise StoreError(
            f"{path or reader.url.database} holds tables of another program. Nothing was changed; "
            "name another file with --db."
        )
    if current is not None:
        _refuse_newer(current, path)
        _back_up(path, current)
    upgrade(writer)


def upgrade(engine: Engine, version: str = "head") -> None:
    """The schema is at `version`; foreign keys are off meanwhile, or a batch step would
    delete every child row of the table it rebuilds."""
    from alembic import command

    _run(engine, lambda config: command.upgrade(config, version))


def downgrade(engine: Engine, version: str) -> None:
    """The schema is back at `version`."""
    from alembic import command

    _run(engine, lambda config: command.downgrade(config, version))


def _run(engine: Engine, step: Callable[[Config], None]) -> None:
    with engine.connect() as connection:
        _switch_foreign_keys(connection, "OFF")
        try:
            with connection.begin():
                before = _row_counts(connection)
                step(alembic_config(connection))
                _refuse_losses(before, _row_counts(connection))
                _refuse_broken_references(connection)
        finally:
            _switch_foreign_keys(connection, "ON")


def _row_counts(connection: Connection) -> dict[str, int]:
    names = inspect(connection).get_table_names()
    return {
        name: int(connection.exec_driver_sql(f'SELECT count(*) FROM "{name}"').scalar_one())
        for name in names
        if name != "alembic_version"
    }


def _refuse_losses(before: dict[str, int], after: dict[str, int]) -> None:
    """A table that is still there has all its rows, or the step is undone."""
    for name, rows in before.items():
        if after.get(name, rows) < rows:
            raise StoreError(
                f"The change of the schema would have lost {rows - after[name]} rows of {name}. "
                "It was undone and nothing was changed; please report this."
            )


def _refuse_broken_references(connection: Connection) -> None:
    """Foreign keys were not watched during the step, so they are looked at afterwards."""
    if connection.dialect.name != "sqlite":
        return
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    if broken:
        raise StoreError(
            f"The change of the schema would have left {len(broken)} rows of {broken[0][0]} "
            "pointing nowhere. It was undone and nothing was changed; please report this."
        )


def _switch_foreign_keys(connection: Connection, state: str) -> None:
    # Inside a transaction the pragma would do nothing, so it goes to the driver.
    if connection.dialect.name == "sqlite":
        driver = connection.connection.driver_connection
        assert driver is not None
        driver.execute(f"PRAGMA foreign_keys = {state}")


def _refuse_newer(current: str, path: Path | None) -> None:
    if current not in versions():
        raise StoreError(
            f"{path or 'The database'} was written by a newer version (schema {current}). "
            "Nothing was changed; update this program."
        )


def _back_up(path: Path | None, version: str) -> None:
    """A copy as it was, beside the file; SQLite copies, so that no half-written page is in it."""
    if path is None:
        return
    backup = path.with_name(f"{path.name}.{version}.backup")
    unfinished = backup.with_name(f"{backup.name}.part")
    unfinished.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(unfinished)) as copy:
        source.backup(copy)
    unfinished.replace(backup)
