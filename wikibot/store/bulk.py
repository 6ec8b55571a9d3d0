"""Many rows at once, straight to the driver.

The mapper and the compiler cost three times as much as SQLite itself on rows this small, and a
fetch writes a hundred of them for each page.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import insert
from sqlalchemy.orm import DeclarativeBase, Session


def insert_rows(
    session: Session,
    table: type[DeclarativeBase],
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
) -> None:
    """ROWS, each in the order of COLUMNS, which is that of the table, are in it.

    Values go as they are: only for columns of numbers, texts and truth values.
    """
    if not rows:
        return
    connection = session.connection()
    statement = insert(table.__table__)  # type: ignore[arg-type]
    compiled = statement.compile(dialect=connection.dialect, column_keys=list(columns))
    if compiled.positional:
        assert tuple(compiled.positiontup or ()) == tuple(columns)
        connection.exec_driver_sql(str(compiled), [tuple(row) for row in rows])
    else:
        named = [dict(zip(columns, row, strict=True)) for row in rows]
        connection.exec_driver_sql(str(compiled), named)
