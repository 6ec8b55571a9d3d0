"""One at a time: a lock that belongs to a database and goes with the process that holds it."""

from __future__ import annotations

import fcntl
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import text

from wikibot.errors import StoreError, WikiUnavailable
from wikibot.store.engine import Store


@contextmanager
def only_one(store: Store, what: str) -> Iterator[None]:
    """No other process does WHAT with this database meanwhile; refuses at once if one does.

    The lock is released by the operating system or the server, even after SIGKILL.
    """
    holding = _file_lock if store.path else _server_lock
    with holding(store, what):
        yield


def _busy(what: str) -> WikiUnavailable:
    return WikiUnavailable(
        f"Another process is busy with `wikibot {what}` on this database. Nothing was changed; "
        "try again when it has finished."
    )


@contextmanager
def _file_lock(store: Store, what: str) -> Iterator[None]:
    assert store.path is not None
    path = Path(f"{store.path}.{what}.lock")
    try:
        file = path.open("w")
    except OSError as error:
        raise StoreError(
            f"{path} could not be written ({error.strerror}), so nothing was done."
        ) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _busy(what) from None
        yield


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
