"""The last word before an edit is shown or sent: only the approved links are new."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Sequence
from typing import Any

from mwparserfromhell.parser import tokens

from wikibot.errors import BadWikitext, UnsafeEdit
from wikibot.message import message
from wikibot.wikitext.edit import Insertion, Placed, insert_links, place_links, remove_links
from wikibot.wikitext.links import WikiLink
from wikibot.wikitext.page import PageText, read_page
from wikibot.wikitext.parse import Node, tokenize
from wikibot.wikitext.rules import SiteRules
from wikibot.wikitext.titles import normalise_title


def check_edit(
    before: str,
    after: str,
    insertions: Sequence[Insertion],
    site: SiteRules | None = None,
    title: str | None = None,
) -> None:
    """Nothing happens if `after` is `before` with exactly these links, else UnsafeEdit.

    Taking the links out gives `before`; each stands where a link may stand; the parser, reading
    both texts afresh, sees the approved links, every other piece of markup where it was, and no
    other text.
    """
    rules = site or SiteRules.for_language("en")
    if remove_links(after, insertions) != before:
        raise UnsafeEdit(message("edit-changes-more"))
    if insert_links(before, insertions, rules) != after:
        raise UnsafeEdit(message("edit-not-shortest"))
    old, new = _read(before, rules, title), _read(after, rules, title)
    _check_places(old, insertions)
    _check_links(new, old, insertions, rules)
    _check_tokens(before, after, len(insertions))


def _read(text: str, site: SiteRules, title: str | None) -> PageText:
    try:
        return read_page(text, site, title)
    except BadWikitext as error:
        raise UnsafeEdit(message("edit-unreadable", error.args[0])) from error


def _check_places(page: PageText, insertions: Sequence[Insertion]) -> None:
    for insertion in insertions:
        if not page.allows(insertion.start, insertion.end):
            raise UnsafeEdit(
                message(
                    "edit-no-link-here",
                    repr(page.text[insertion.start : insertion.end]),
                    insertion.start,
                )
            )


def _check_links(
    new: PageText, old: PageText, insertions: Sequence[Insertion], site: SiteRules
) -> None:
    """Each approved link is there, and without them the page's markup is what it was."""
    links = {(link.start, link.end): link for link in new.links}
    placed = place_links(old.text, insertions, site)
    for put in placed:
        link = links.get((put.start, put.end))
        if link is None or not _is_approved(link, put.insertion, old.text, site):
            raise UnsafeEdit(
                message("edit-link-not-seen", repr(put.insertion.target), put.insertion.start)
            )
    added = {(put.start, put.end) for put in placed}
    kept = [node for node in new.nodes if (node.start, node.end) not in added]
    if _moved_back(kept, placed) != old.nodes:
        raise UnsafeEdit(message("edit-other-markup"))


def _is_approved(link: WikiLink, insertion: Insertion, before: str, site: SiteRules) -> bool:
    anchor = before[insertion.start : insertion.end]
    return (link.target, link.anchor) == (normalise_title(insertion.target, site).text, anchor)


def _moved_back(nodes: Sequence[Node], placed: Sequence[Placed]) -> list[Node]:
    """The nodes with the offsets that they had before the links were put in."""
    ends = [put.end for put in placed]
    shifts = [0, *itertools.accumulate(put.added for put in placed)]

    def back(offset: int) -> int:
        return offset - shifts[bisect.bisect_right(ends, offset)]

    return [
        node._replace(
            start=back(node.start),
            end=back(node.end),
            inner=back(node.inner),
            inner_end=back(node.inner_end),
        )
        for node in nodes
    ]


def _check_tokens(before: str, after: str, added: int) -> None:
    """The parser's tokens are the same for both but for those of the added links.

    Its tree, and the text that a reader sees, follow from the tokens.
    """
    old, new = _pieces(before), _pieces(after)
    at, position, opened, closed = 0, 0, 0, 0
    while position < len(new):
        piece = new[position]
        if at < len(old) and piece == old[at]:
            at += 1
        elif isinstance(piece, tokens.WikilinkOpen) and opened == closed:
            opened += 1
            position = _before_anchor(new, position)
        elif isinstance(piece, tokens.WikilinkClose) and opened > closed:
            closed += 1
        else:
            break
        position += 1
    if (at, position, opened, closed) != (len(old), len(new), added, added):
        raise UnsafeEdit(message("edit-more-than-approved"))


def _pieces(text: str) -> list[Any]:
    """The tokens of the text, plain text letter by letter: a link may begin within it."""
    found: list[Any] = []
    for token in tokenize(text):
        if isinstance(token, tokens.Text):
            found.extend(token["text"])
        else:
            found.append(token)
    return found


def _before_anchor(pieces: Sequence[Any], opening: int) -> int:
    """Where the text of the link that opens there is about to begin."""
    for position in range(opening + 1, len(pieces)):
        if isinstance(pieces[position], tokens.WikilinkSeparator):
            return position
        if isinstance(pieces[position], tokens.WikilinkClose):
            break
    return opening
