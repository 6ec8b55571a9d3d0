"""A lock belongs to a database, whatever name it is called by, and harms no other file."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from wikibot.errors import StoreError, WikiUnavailable
from wikibot.store import Store, open_store
from wikibot.store.lock import only_one


def test_a_symbolic_link_to_the_database_has_the_same_lock(
    sqlite_store: Store, tmp_path: Path
) -> None:
    other = tmp_path / "elsewhere" / "same.db"
    other.parent.mkdir()
    other.symlink_to(tmp_path / "wiki.db")
    with (
        open_store(other) as same,
        only_one(sqlite_store, "publish"),
        pytest.raises(WikiUnavailable, match="busy"),
        only_one(same, "publish"),
    ):
        pass


def test_a_database_with_two_names_is_refused(sqlite_store: Store, tmp_path: Path) -> None:
    os.link(tmp_path / "wiki.db", tmp_path / "twin.db")
    with (
        open_store(tmp_path / "twin.db") as twin,
        pytest.raises(StoreError, match=r"has 2 names \(hard links\)"),
        only_one(twin, "publish"),
    ):
        pass
    (tmp_path / "twin.db").unlink()
    with only_one(sqlite_store, "publish"):
        pass


def test_a_symbolic_link_in_the_place_of_the_lock_is_not_followed(
    sqlite_store: Store, tmp_path: Path
) -> None:
    precious = tmp_path / "precious.txt"
    precious.write_text("keep me")
    (tmp_path / "wiki.db.publish.lock").symlink_to(precious)
    with pytest.raises(StoreError, match="symbolic link"), only_one(sqlite_store, "publish"):
        pass
    assert precious.read_text() == "keep me"


def test_a_pipe_in_the_place_of_the_lock_is_refused(sqlite_store: Store, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "wiki.db.publish.lock")
    with pytest.raises(StoreError, match="is not a file"), only_one(sqlite_store, "publish"):
        pass


def test_the_file_of_a_lock_belongs_to_its_owner_alone(sqlite_store: Store, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with only_one(sqlite_store, "publish"):
            mode = stat.S_IMODE((tmp_path / "wiki.db.publish.lock").stat().st_mode)
    finally:
        os.umask(before)
    assert mode == 0o600
