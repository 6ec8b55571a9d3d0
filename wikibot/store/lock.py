"""One at a time: a lock that belongs to a database and goes with the process that holds it."""

from __future__ import annotations

import fcntl
import os
import stat
import time
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sqlalchemy import text

from wikibot.errors import StoreError, WikiUnavailable
from wikibot.message import message
from wikibot.store.engine import Store

LOOK_S = 0.2  # between two looks whether it is our turn


@contextmanager
def only_one(store: Store, what: str, *, patience_s: float = 0.0) -> Iterator[None]:
    """No other process does WHAT with this database meanwhile; refuses if one does for PATIENCE_S.

    The lock is released by the operating system or the server, even after SIGKILL.
    """
    holding = _file_lock if store.path else _server_lock
    deadline = time.monotonic() + patience_s
    with ExitStack() as held:
        while True:
            try:
                held.enter_context(holding(store, what))
                break
            except WikiUnavailable:
                if time.monotonic() >= deadline:
                    raise
            time.sleep(LOOK_S)
        yield


def _busy(what: str) -> WikiUnavailable:
    return WikiUnavailable(message("another-process-is-busy", what))


@contextmanager
def _file_lock(store: Store, what: str) -> Iterator[None]:
    assert store.path is not None
    # However the database is named, the lock has one name.
    database = Path(os.path.realpath(store.path))
    _refuse_second_names(database)
    with os.fdopen(_open_lock(Path(f"{database}.{what}.lock")), "r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _busy(what) from None
        yield


def _refuse_second_names(database: Path) -> None:
    """SQLite's journal and our lock go by the name, so that a second one would part them."""
    names = database.stat().st_nlink
    if names > 1:
        raise StoreError(
            f"{database} has {names} names (hard links), under which two processes would not see "
            "each other. Nothing was done; make a copy instead of a link, and remove the link."
        )


def _open_lock(path: Path) -> int:
    """A descriptor of the lock's file, which is never emptied, nor anything that it points to."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        why = "it is a symbolic link" if path.is_symlink() else error.strerror
        raise StoreError(f"{path} could not be opened ({why}), so nothing was done.") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise StoreError(f"{path} is not a file, so nothing was done. Remove it and try again.")
    return descriptor


@contextmanager
def _server_lock(store: Store, what: str) -> Iterator[None]:
    key = zlib.crc32(f"wikibot {what}".encode())
    with store.writer.connect() as connection:
        query = text("select pg_try_advisory_lock(:key)")
        if not connection.execute(query, {"key": key}).scalar_one():
            raise _busy(what)
        connection.commit()  # the lock belongs to the session; no transaction stays open
        try:
            yield
        finally:
            connection.execute(text("select pg_advisory_unlock(:key)"), {"key": key})
            connection.commit()
