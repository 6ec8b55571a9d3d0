"""Which texts may be given to the parser at all."""

from __future__ import annotations

import re

from wikibot.errors import BadWikitext

# MediaWiki's own limit for a page ($wgMaxArticleSize) is 2 MiB.
MAX_CHARACTERS = 2_097_152

# MediaWiki itself stores none of these; tab, line feed and carriage return are allowed.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_BRACES = re.compile(r"\{\{|\}\}|\[\[|\]\]|\{\||\|\}")
_DEEPEST = 60


def admit(text: str) -> None:
    """Nothing happens if the parser can be trusted with `text`, else BadWikitext says why not."""
    if len(text) > MAX_CHARACTERS:
        raise BadWikitext(
            f"The page has {len(text)} characters, more than {MAX_CHARACTERS}. It is skipped."
        )
    if found := _CONTROL.search(text):
        raise BadWikitext(
            f"The page has the control character U+{ord(found[0]):04X} at {found.start()}. "
            "It is skipped."
        )
    if deepest_nesting(text) > _DEEPEST:
        raise BadWikitext(
            f"The page opens more than {_DEEPEST} brackets without closing them. It is skipped."
        )


def deepest_nesting(text: str) -> int:
    """The greatest number of brackets open at one time, a closer taking back any opener."""
    depth = deepest = 0
    for found in _BRACES.finditer(text):
        depth = depth + 1 if found[0] in ("{{", "[[", "{|") else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest
