"""The last word before an edit is shown or sent: only the approved links are new."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Sequence

import mwparserfromhell

from wikibot.errors import BadWikitext, UnsafeEdit
from wikibot.wikitext.edit import Insertion, Placed, insert_links, place_links, remove_links
from wikibot.wikitext.links import WikiLink
from wikibot.wikitext.page import PageText, read_page
from wikibot.wikitext.parse import Node
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
    both texts afresh, sees the approved links, every other piece of markup where it was, and the
    same visible text.
    """
    rules = site or SiteRules.for_language("en")
    if remove_links(after, insertions) != before:
        raise UnsafeEdit("Without the new links the page is not what it was. Nothing was sent.")
    if insert_links(before, insertions, rules) != after:
        raise UnsafeEdit("The new links are not in their shortest form. Nothing was sent.")
    old, new = _read(before, rules, title), _read(after, rules, title)
    _check_places(old, insertions)
    _check_links(new, old, insertions, rules)
    _check_shown(before, after)


def _read(text: str, site: SiteRules, title: str | None) -> PageText:
    try:
        return read_page(text, site, title)
    except BadWikitext as error:
        raise UnsafeEdit(f"The page cannot be read safely: {error} Nothing was sent.") from error


def _check_places(page: PageText, insertions: Sequence[Insertion]) -> None:
    for insertion in insertions:
        if not page.allows(insertion.start, insertion.end):
            raise UnsafeEdit(
                f"No link may stand on {page.text[insertion.start : insertion.end]!r} at "
                f"character {insertion.start}. Nothing was sent."
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
                f"The parser does not see the link to {put.insertion.target!r} that was put at "
                f"character {put.insertion.start}. Nothing was sent."
            )
    added = {(put.start, put.end) for put in placed}
    kept = [node for node in new.nodes if (node.start, node.end) not in added]
    if _moved_back(kept, placed) != old.nodes:
        raise UnsafeEdit("Other markup than the approved links has changed. Nothing was sent.")


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


def _check_shown(before: str, after: str) -> None:
    """mwparserfromhell's tree, which nothing else here uses, shows the same text for both."""
    old, new = mwparserfromhell.parse(before), mwparserfromhell.parse(after)
    if old.strip_code(collapse=False) != new.strip_code(collapse=False):
        raise UnsafeEdit("The visible text of the page has changed. Nothing was sent.")
