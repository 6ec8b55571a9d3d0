"""Killed anywhere during a fetch and run again: the same database as an uninterrupted run."""

from __future__ import annotations

import os
import signal
import sqlite3
from pathlib import Path

import pytest

from tests.crash.killed_fetch import fetch
from tests.fetch.database import content
from tests.fetch.exports import HEAD, PAGES, TAIL, pack, page_xml, write_export

pytestmark = pytest.mark.crash

POINTS = 400 if os.environ.get("WIKIBOT_ALL_SCHEDULES") else 8

MANY = {
    **PAGES,
    **{
        f"Brook {n}": f"A [[river]] that joins [[Brook {n // 2}]]. [[Category:Rivers]]"
        f"[[Category:Part {n % 3}]]"
        for n in range(24)
    },
}


def whole_fetch(db: Path, export: Path) -> int:
    """The number of steps of a fetch that was not disturbed."""
    code, steps = fetch(db, export)
    assert code == 0
    return steps


def killed_fetch(db: Path, export: Path, last: int) -> None:
    assert fetch(db, export, last) == (-signal.SIGKILL, 0)
    with sqlite3.connect(db) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
    database.close()


def test_a_first_fetch_killed_anywhere_is_completed_by_the_next(tmp_path: Path) -> None:
    export = write_export(tmp_path / "dump.xml", MANY)
    steps = whole_fetch(tmp_path / "whole.db", export)
    wanted = content(tmp_path / "whole.db")
    for last in range(1, steps, max(1, steps // POINTS)):
        db = tmp_path / f"killed-{last}.db"
        killed_fetch(db, export, last)
        whole_fetch(db, export)
        assert content(db) == wanted, f"killed before step {last} of {steps}"


def test_an_update_killed_anywhere_is_completed_by_the_next(tmp_path: Path) -> None:
    old = write_export(tmp_path / "old.xml", MANY)
    changed = "".join(
        page_xml(
            number, title + " moved" * (number % 7 == 0), text + " More.", revision=5000 + number
        )
        for number, (title, text) in enumerate(MANY.items(), 1)
        if number % 3
    )
    new = pack(tmp_path / "new.xml", f"{HEAD}{changed}{TAIL}".encode())
    whole_fetch(tmp_path / "old.db", old)
    before = (tmp_path / "old.db").read_bytes()
    (tmp_path / "whole.db").write_bytes(before)
    steps = whole_fetch(tmp_path / "whole.db", new)
    wanted = content(tmp_path / "whole.db")
    for last in range(1, steps, max(1, steps // POINTS)):
        db = tmp_path / f"killed-{last}.db"
        db.write_bytes(before)
        killed_fetch(db, new, last)
        whole_fetch(db, new)
        assert content(db) == wanted, f"killed before step {last} of {steps}"


def test_several_kills_in_a_row_change_nothing(tmp_path: Path) -> None:
    export = write_export(tmp_path / "dump.xml", MANY)
    steps = whole_fetch(tmp_path / "whole.db", export)
    for part in (5, 4, 3, 2):
        killed_fetch(tmp_path / "killed.db", export, steps // part)
    whole_fetch(tmp_path / "killed.db", export)
    assert content(tmp_path / "killed.db") == content(tmp_path / "whole.db")
