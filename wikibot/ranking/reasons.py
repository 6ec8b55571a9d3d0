"""Why a link is proposed, in words: message ids with arguments, and their English.

Ids and arguments are stored, so that a page in another language can say the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Reason = dict[str, Any]

ENGLISH: Mapping[str, str] = {
    "linked-elsewhere": "'{anchor}' links here on {links} of the {mentions} other pages that mention it",
    "linked-on-the-other": "'{anchor}' links here on the only other page that mentions it",
    "linked-on-all": "'{anchor}' links here on all {mentions} other pages that mention it",
    "is-title": "'{anchor}' is the page's title",
    "is-redirect": "'{anchor}' is another name of the page",
    "is-bold-name": "the page gives '{anchor}' as one of its names",
    "is-form": "'{anchor}' is a form of '{title}'",
    "is-scattered": "all words of '{title}' stand in this sentence",
    "no-name": "no name of the page stands here, but the text reads as if '{anchor}' meant it",
    "shared-topics": "this sentence and the target share topics: {topics}",
    "links-back": "the target links back",
    "linked-together": "other pages link both",
    "chosen-by-reviewer": "this target was chosen by a reviewer",
    "few-links": "the wiki has too few links to learn from: by titles and topics alone",
}


def reason(message: str, **arguments: Any) -> Reason:
    """A reason as it is stored."""
    return {"id": message, "args": arguments}


def linked_on(anchor: str, links: int, mentions: int) -> Reason:
    """That so many of the other pages which mention the anchor link it to the target."""
    if mentions == 1:
        return reason("linked-on-the-other", anchor=anchor)
    if links == mentions:
        return reason("linked-on-all", anchor=anchor, mentions=mentions)
    return reason("linked-elsewhere", anchor=anchor, links=links, mentions=mentions)


def in_english(reasons: Sequence[Reason]) -> list[str]:
    """Each reason as a clause; an id that is not known is given as it is."""
    return [_clause(one) for one in reasons]


def _clause(one: Reason) -> str:
    pattern = ENGLISH.get(one["id"], one["id"])
    arguments = {key: _shown(value) for key, value in one.get("args", {}).items()}
    return pattern.format(**arguments)


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def sentence(reasons: Sequence[Reason]) -> str:
    """All reasons in one sentence."""
    clauses = "; ".join(in_english(reasons))
    return clauses[:1].upper() + clauses[1:] + "." if clauses else ""
