"""Why a link is proposed, in words: message ids with arguments, and their English.

Ids and arguments are stored, so that a page in another language can say the same. Every reason names
evidence that a person can check.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wikibot.linker.candidates import Candidates
from wikibot.linker.features import Features
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.names import BOLD_NAME, INFLECTED, REDIRECT, SIMILAR, STRIPPED, TITLE
from wikibot.linker.page import Page

Reason = dict[str, Any]

ENGLISH: Mapping[str, str] = {
    "linked-elsewhere": "'{anchor}' links here on {links} of the {mentions} other pages that mention it",
    "linked-on-the-other": "'{anchor}' links here on the only other page that mentions it",
    "linked-on-all": "'{anchor}' links here on all {mentions} other pages that mention it",
    "is-title": "'{anchor}' is the page's title",
    "is-redirect": "'{anchor}' is another name of the page",
    "is-bold-name": "the page gives '{anchor}' as one of its names",
    "is-form": "'{anchor}' is a form of '{title}'",
    "in-box": "a box on the page names the target",
    "links-back": "the target links back",
    "linked-together": "other pages link both",
    "shares-words": "both speak of {words}",
    "beside-link": "the sentence links to '{title}', which belongs with the page",
    "alike": "the text around it is like that of the page",
    "chosen-by-reviewer": "this target was chosen by a reviewer",
    "few-links": "the wiki has too few links to learn from: by titles and topics alone",
    # Reasons of earlier versions, which may still be in a queue.
    "is-scattered": "all words of '{title}' stand in this sentence",
    "no-name": "no name of the page stands here, but the text reads as if '{anchor}' meant it",
    "shared-topics": "this sentence and the target share topics: {topics}",
}
OFTEN_LINKED_TOGETHER = 0.2  # cosine of the pages that link either


def reason(message: str, **arguments: Any) -> Reason:
    """A reason as it is stored."""
    return {"id": message, "args": arguments}


def reasons(
    page: Page,
    row: int,
    rows: Candidates,
    features: Features,
    knowledge: Knowledge,
    *,
    is_fallback: bool = False,
) -> list[Reason]:
    """Why this candidate: the name first, then what relates the two pages."""
    found = [reason("few-links")] if is_fallback else []
    found += _name(page, row, rows, knowledge)
    if features["in_box"][row]:
        found.append(reason("in-box"))
    if features["links_back"][row] > 0:
        found.append(reason("links-back"))
    elif features["linked_together"][row] > OFTEN_LINKED_TOGETHER:
        found.append(reason("linked-together"))
    return found


def _name(page: Page, row: int, rows: Candidates, knowledge: Knowledge) -> list[Reason]:
    anchor = page.written(int(rows.first[row]), int(rows.length[row]))
    links, kind = int(rows.pair_links[row]), int(rows.kind[row])
    if links:
        return [linked_on(anchor, links, max(int(rows.name_mentions[row]), links))]
    if kind & (TITLE | STRIPPED):
        return [reason("is-title", anchor=anchor)]
    if kind & REDIRECT:
        return [reason("is-redirect", anchor=anchor)]
    if kind & BOLD_NAME:
        return [reason("is-bold-name", anchor=anchor)]
    if kind & (INFLECTED | SIMILAR):
        title = knowledge.titles.titles[int(rows.target[row])]
        return [reason("is-form", anchor=anchor, title=title)]
    return []


def linked_on(anchor: str, links: int, mentions: int) -> Reason:
    """That so many of the other pages which mention the anchor link it to the target."""
    if mentions == 1:
        return reason("linked-on-the-other", anchor=anchor)
    if links == mentions:
        return reason("linked-on-all", anchor=anchor, mentions=mentions)
    return reason("linked-elsewhere", anchor=anchor, links=links, mentions=mentions)


def in_english(found: Sequence[Reason]) -> list[str]:
    """Each reason as a clause; an id that is not known is given as it is."""
    return [_clause(one) for one in found]


def _clause(one: Reason) -> str:
    pattern = ENGLISH.get(one["id"], one["id"])
    arguments = {key: _shown(value) for key, value in one.get("args", {}).items()}
    return pattern.format(**arguments)


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def sentence(found: Sequence[Reason]) -> str:
    """All reasons in one sentence."""
    clauses = "; ".join(in_english(found))
    return clauses[:1].upper() + clauses[1:] + "." if clauses else ""
