"""Make text of others safe for a terminal."""

from __future__ import annotations

import re

# Control characters of both sets, among them the one that begins a command in a single byte; the
# signs that turn the direction of whole lines; and halves of characters, which cannot be written.
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """The text with nothing in it that a terminal would obey.

    >>> printable("a\\x9b31mb")
    'a�31mb'
    """
    return OBEYED.sub("�", text)
