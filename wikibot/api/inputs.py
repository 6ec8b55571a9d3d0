"""What a request says, read field by field: each is of the type and size we expect, or it is refused."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from flask import request

from wikibot.api.errors import ApiError

Fields = Mapping[str, Any]

LARGEST_ID = 2**63 - 1
LONGEST_TITLE_BYTES = 511  # a title of 255 bytes, its namespace, and room for odd spellings
MOST_TITLES = 1000


def bad(field: str, wanted: str) -> ApiError:
    return ApiError(400, "bad-input", f"{field} must be {wanted}. Nothing was changed.")


def body() -> Fields:
    """The JSON object that the request carries; refuses any other type of content."""
    if not request.is_json:
        raise ApiError(
            415, "not-json", "The body must be JSON, with Content-Type: application/json."
        )
    try:
        found = request.get_json(silent=True)
    except RecursionError:  # lists in lists in lists
        found = None
    if not isinstance(found, dict):
        raise ApiError(400, "bad-input", "The body must be a JSON object. Nothing was changed.")
    return found


def text(fields: Fields, name: str, default: str | None = None) -> str:
    """Text that can be stored: no NUL, no half characters."""
    found = fields.get(name, default)
    if not isinstance(found, str):
        raise bad(name, "text")
    try:
        found.encode()
    except UnicodeEncodeError:
        raise bad(name, "text in Unicode, without lone surrogates") from None
    if "\0" in found:
        raise bad(name, "text without NUL")
    return found


def title(found: str, name: str = "title") -> str:
    """A page's title with spaces; refuses what no page can be called."""
    spelled = text({name: found}, name).replace("_", " ").strip()
    if not spelled or len(spelled.encode()) > LONGEST_TITLE_BYTES:
        raise bad(name, f"a page's title of {LONGEST_TITLE_BYTES} bytes at most")
    return spelled


def titles(fields: Fields, name: str) -> tuple[str, ...]:
    """A list of titles or headings."""
    found = fields.get(name, [])
    if not isinstance(found, list) or len(found) > MOST_TITLES:
        raise bad(name, f"a list of {MOST_TITLES} titles at most")
    return tuple(text({name: one}, name).strip() for one in found)


def number_of(fields: Fields, name: str) -> int:
    """The number of a page or revision; 0 where it is not given."""
    found = fields.get(name, 0)
    if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found <= LARGEST_ID:
        raise bad(name, "a whole number, 0 or more")
    return found


def share(found: Any, name: str, default: float) -> float:
    """A number from 0 to 1, of a query or of a body."""
    if found is None:
        return default
    try:
        value = float(found) if not isinstance(found, bool) else math.nan
    except (TypeError, ValueError):
        value = math.nan
    if not 0 <= value <= 1:
        raise bad(name, "a number from 0 to 1")
    return value


def count(found: Any, name: str, default: int, *, most: int) -> int:
    """A whole number from 0 to MOST, of a query or of a body."""
    if found is None:
        return default
    digits = str(found)
    if isinstance(found, bool) or not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
        raise bad(name, f"a whole number from 0 to {most}")
    if int(digits) > most:
        raise bad(name, f"a whole number from 0 to {most}")
    return int(digits)
