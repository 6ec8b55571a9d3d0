"""Make text of others safe for a terminal."""

from __future__ import annotations

import re

# Control characters of both sets, among them the one that begins a command in a single byte.
OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def printable(text: str) -> str:
    """The text with nothing in it that a terminal would obey.

    >>> printable("a\\x9b31mb")
    'a�31mb'
    """
    return OBEYED.sub("�", text)
