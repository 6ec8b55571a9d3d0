"""Read the fields of an answer of the wiki: each is of the type we expect, or nothing is believed.

A proxy, a captive portal or a broken extension can answer anything in the place of api.php.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from wikibot.errors import WikiUnavailable
from wikibot.message import message

# What Python raises when a value is missing, or is not what it was taken for.
MISREAD = (LookupError, TypeError, ValueError, AttributeError, AssertionError, RuntimeError)
LARGEST_ID = 2**63 - 1

Answer = Mapping[str, Any]


@contextmanager
def understood() -> Iterator[None]:
    """Turn whatever is odd about an answer into WikiUnavailable, in one sentence."""
    try:
        yield
    except MISREAD as error:
        raise WikiUnavailable(message("answer-not-understood", describe(error))) from error


def describe(error: BaseException) -> str:
    """Name what went wrong in one short line."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:120]}" if lines else type(error).__name__


def text_in(row: Answer, key: str, default: str | None = None) -> str:
    """The text of a field; refuses another type, and half characters that no wiki stores."""
    value = row[key] if default is None else row.get(key, default)
    if not isinstance(value, str):
        raise TypeError(f"{key!r} is not text")
    value.encode()
    return value


def id_in(row: Answer, key: str, default: int | None = None) -> int:
    """The number of a page or revision; refuses another type and numbers out of range."""
    value = row[key] if default is None else row.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LARGEST_ID:
        raise TypeError(f"{key!r} is not an id")
    return value


def row_in(row: Answer, key: str) -> dict[str, Any]:
    """The object of a field."""
    value = row[key]
    if not isinstance(value, dict):
        raise TypeError(f"{key!r} is not an object")
    return value


def rows_in(row: Answer, key: str) -> list[dict[str, Any]]:
    """The list of objects of a field."""
    value = row[key]
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise TypeError(f"{key!r} is not a list of objects")
    return value


def texts_in(row: Answer, key: str) -> tuple[str, ...]:
    """The list of texts of a field."""
    value = row[key]
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise TypeError(f"{key!r} is not a list of texts")
    return tuple(value)
