"""Opening the database: SQLite in a file by default, PostgreSQL for a team.

SQLite's habits that this module exists for:
- Python's driver opens transactions late; a read followed by a write then fails "locked" at
  once, whatever the time-out. Writers begin IMMEDIATE, readers cannot write at all.
- WAL has a rare corruption race before SQLite 3.51.3; older versions keep the rollback journal.
"""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError,
    DataError,
    NoSuchModuleError,
    OperationalError,
)
from sqlalchemy.orm import Session

from wikibot.errors import BadInput, StoreError
from wikibot.store import schema
from wikibot.store.tables import DamagedValue, read_json

BUSY_TIMEOUT_MS = 15_000
TURN_S = (0.002, 0.008)  # the least and the most between two looks whether it is our turn
CACHE_KB = 65_536  # with SQLite's own 2 MB, resolving a million links takes half as long again
WAL_IS_SAFE = sqlite3.sqlite_version_info >= (3, 51, 3)


KEPT = "kept from session to session"


class Store:
    """The database, opened: `reading()` and `writing()` hand out sessions."""

    def __init__(self, url: URL) -> None:
        self.url = url
        self.writer = _engine(url, read_only=False)
        self.reader = _engine(url, read_only=True)
        self._kept: dict[Any, Any] = {}

    @property
    def path(self) -> Path | None:
        """The database's file, if it is one."""
        return sqlite_path(self.url)

    @property
    def folder(self) -> Path:
        """Where this database's model files live: `wiki.db` has `wiki.db.models/`."""
        path = self.path
        return path.with_name(path.name + ".models") if path else Path("wikibot.models")

    @property
    def address(self) -> str:
        """What `store_at` opens elsewhere, with the password if there is one: not to be shown."""
        return self.url.render_as_string(hide_password=False)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that cannot write."""
        kept = {KEPT: self._kept}  # what sessions may keep for those after them
        with _told_plainly(self), Session(self.reader, info=kept) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A session that commits when the block ends, and rolls back if it fails."""
        with _told_plainly(self), Session(self.writer) as session, session.begin():
            session.connection()  # takes the lock now, so that what is read stays true
            yield session

    def close(self) -> None:
        """No connection is left open."""
        self.writer.dispose()
        self.reader.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_store(where: str | Path, *, create: bool = False) -> Store:
    """The database at a path or URL, at the newest schema.

    Refuses a file that is not there (unless `create`), is not a database, or was written by a
    newer version. An older schema is migrated, after a backup beside it.
    """
    url = store_url(where)
    path = sqlite_path(url)
    if path and not path.exists() and not create:
        raise StoreError(
            f"There is no database at {path}. Nothing was changed. "
            "Run `wikibot fetch` first, or name another file with --db."
        )
    if path and not path.parent.exists():
        raise StoreError(f"The folder {path.parent} does not exist, so no database was made.")
    store = Store(url)
    with _told_plainly(store):
        schema.bring_up_to_date(store.reader, store.writer, path)
    return store


@cache
def store_at(address: str) -> Store:
    """The database at this address as it is, kept open for the life of the process."""
    return Store(make_url(address))


def store_url(where: str | Path) -> URL:
    """A path or a URL, as a URL."""
    if isinstance(where, str) and "://" in where:
        return _usable_url(where)
    return URL.create("sqlite", database=str(where))


def _usable_url(where: str) -> URL:
    """The address, if there is a driver for it."""
    try:
        url = make_url(where)
        if url.get_backend_name() in ("sqlite", "postgresql"):
            url.get_dialect().import_dbapi()
            return url
        why = f"{url.get_backend_name()} is not supported"
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        why = str(error).splitlines()[0].split(" from given URL")[0]
    except ImportError as error:
        why = f"{error.name} is not installed; run `pip install 'wikibot-links[postgres]'`"
    raise StoreError(
        f"{_without_password(where)} is not an address of a database that can be used ({why}). "
        "Nothing was changed; name a file, or postgresql+psycopg://USER@HOST/NAME."
    )


def _without_password(where: str) -> str:
    """What stands between :// and @ may be a secret.

    >>> _without_password("a://me:secret@host/b"), _without_password("a://host")
    ('a://…@host/b', 'a://host')
    """
    scheme, _, rest = where.partition("://")
    _, at, place = rest.rpartition("@")
    return f"{scheme}://…@{place}" if at else where


def sqlite_path(url: URL) -> Path | None:
    """The file that a URL names; None for a server."""
    is_file = url.get_backend_name() == "sqlite" and url.database not in (None, "", ":memory:")
    return Path(str(url.database)) if is_file else None


def _engine(url: URL, *, read_only: bool) -> Engine:
    if url.get_backend_name() != "sqlite":
        options = {"postgresql_readonly": True} if read_only else {}
        # No query of ours is long enough for its compilation to pay.
        return create_engine(url, execution_options=options, connect_args={"options": "-c jit=off"})
    engine = create_engine(url, json_deserializer=read_json)
    event.listen(engine, "connect", _set_up_read_only if read_only else _set_up)
    event.listen(engine, "begin", _begin_reading if read_only else _begin_writing)
    return engine


def _begin_reading(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def _begin_writing(connection: Connection) -> None:
    """Takes its turn among the writers.

    SQLite itself looks ten times a second; who asks more often gets in ahead of those who have
    waited long, so that everybody asks equally often here.
    """
    deadline = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    connection.exec_driver_sql("PRAGMA busy_timeout = 0")
    try:
        while True:
            try:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                return
            except OperationalError as error:
                if "locked" not in str(error.orig) or time.monotonic() > deadline:
                    raise
            time.sleep(random.uniform(*TURN_S))
    finally:
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")


def _set_up(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # SQLAlchemy begins, not the driver
    connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KB}")
    if WAL_IS_SAFE:
        connection.execute("PRAGMA journal_mode = WAL")


def _set_up_read_only(connection: Any, record: object) -> None:
    _set_up(connection, record)
    connection.execute("PRAGMA query_only = ON")


@contextmanager
def _told_plainly(store: Store) -> Iterator[None]:
    """Database trouble leaves this block as a StoreError in one sentence."""
    name = store.path or store.url.render_as_string(hide_password=True)
    try:
        yield
    except OperationalError as error:
        raise StoreError(_sentence(str(name), str(error.orig))) from error
    except DamagedValue as error:
        cause = f"malformed: {error}"
        raise StoreError(_sentence(str(name), cause)) from error
    except (OverflowError, DataError) as error:
        raise BadInput(
            "A number or a text is not one that a database can hold. Nothing was changed."
        ) from error
    except DatabaseError as error:
        if "file is not a database" in str(error.orig) or "malformed" in str(error.orig):
            raise StoreError(_sentence(str(name), str(error.orig))) from error
        raise


def _sentence(name: str, cause: str) -> str:
    cause = cause.strip().splitlines()[0] if cause.strip() else "no reason given"
    known = {
        "locked": f"{name} is in use by another process. Nothing was changed; try again when it has finished.",
        "disk is full": f"The disk is full: {name} could not be written. The last step was undone; free some space and run the same command again.",
        "readonly": f"{name} may not be written to. Nothing was changed; check the file's and the folder's permissions.",
        "not a database": f"{name} is not a database of this program. Nothing was changed; name another file with --db.",
        "malformed": f"{name} is damaged. Nothing was changed; run `wikibot doctor` and restore a backup.",
        "unable to open": f"{name} could not be opened. Nothing was changed; check that the folder exists and may be written to.",
    }
    for sign, sentence in known.items():
        if sign in cause:
            return sentence
    return f"The database {name} refused: {cause}. The last step was undone."
