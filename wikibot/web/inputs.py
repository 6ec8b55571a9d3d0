"""The threat: values that no text column, number column or encoding can hold.

Numbers beyond 64 bits, halves of surrogate pairs and NUL characters would end as an error of ours.
They are refused here, before any view sees them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flask import abort, request
from werkzeug.routing import IntegerConverter, Map

from wikibot.web.i18n import msg

MAX_ROW_NUMBER = 2**63 - 1


class RowNumberConverter(IntegerConverter):
    """Whole numbers in a path that a database row can have; an address with another is not found."""

    def __init__(self, map: Map, **options: Any) -> None:
        super().__init__(map, **({"max": MAX_ROW_NUMBER} | options))


def row_number(text: str) -> int:
    """The number in a query or form; ValueError for what no row can have."""
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(MAX_ROW_NUMBER))
    value = int(text) if is_number else -1
    if not 0 <= value <= MAX_ROW_NUMBER:
        raise ValueError(text)
    return value


def refuse_unstorable_text() -> None:
    """Every text in the request can be stored and sent back."""
    if not all(map(_is_storable, _texts())):
        abort(400, msg("this-request-holds-characters"))


def _texts() -> Iterator[str | None]:
    """Every name and value; None for what is not UTF-8 at all."""
    yield request.path
    try:
        read = (request.args, request.form, request.cookies)
    except UnicodeDecodeError:
        yield None
        return
    for values in read:
        for name, value in values.items(multi=True):
            yield name
            yield value


def _is_storable(text: str | None) -> bool:
    """Is it text that UTF-8 and a database column can hold?"""
    if text is None or "\0" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
