"""Which texts may be given to the parser at all."""

from __future__ import annotations

import re

from wikibot.errors import BadWikitext
from wikibot.message import message

# MediaWiki's own limit for a page ($wgMaxArticleSize) is 2 MiB.
MAX_CHARACTERS = 2_097_152

# MediaWiki itself stores none of these; tab, line feed and carriage return are allowed.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
# Characters that the parser would read in vain; the worst patterns take it a microsecond each.
MAX_PARSE_COST = 3_000_000


def admit(text: str) -> None:
    """Nothing happens if the parser can be trusted with these characters, else BadWikitext."""
    if len(text) > MAX_CHARACTERS:
        raise BadWikitext(message("wikitext-too-long", f"{MAX_CHARACTERS:,}"))
    if found := _CONTROL.search(text):
        raise BadWikitext(
            message("wikitext-control-character", f"U+{ord(found[0]):04X}", found.start())
        )


def admit_cost(parse_cost: int) -> None:
    """BadWikitext if markup that is never closed would keep the parser busy for seconds.

    For every opener without its closer the parser reads to the end of the page and comes back,
    so its time is the sum of these distances: 52 s for 32 kB of "{{a|".
    """
    if parse_cost > MAX_PARSE_COST:
        raise BadWikitext(message("wikitext-too-much-open"))
