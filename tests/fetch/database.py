"""What a database holds, as values that can be compared."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

TABLES = ("wikis", "pages", "categories", "category_members", "links")


def content(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every row that a fetch writes, row ids included, except the time of the fetch."""
    with sqlite3.connect(path) as database:
        found = {table: _rows(database, table) for table in TABLES}
    database.close()
    return found


def _rows(database: sqlite3.Connection, table: str) -> list[tuple[Any, ...]]:
    names = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
    kept = ", ".join(f'"{name}"' for name in names if name != "fetched_at")
    return sorted(database.execute(f"SELECT {kept} FROM {table}"), key=repr)


def titles(path: Path, condition: str = "in_set") -> list[str]:
    with sqlite3.connect(path) as database:
        rows = database.execute(f"SELECT title FROM pages WHERE {condition} ORDER BY title")
        found = [title for (title,) in rows]
    database.close()
    return found


def link_ends(path: Path) -> set[tuple[str, str, str | None]]:
    """(page, target before redirects, page where the link ends) of every link."""
    with sqlite3.connect(path) as database:
        rows = database.execute(
            "SELECT p.title, l.target_title, t.title FROM links l JOIN pages p ON p.id = l.page_id"
            " LEFT JOIN pages t ON t.id = l.target_id"
        )
        found = set(rows)
    database.close()
    return found
