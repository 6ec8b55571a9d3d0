"""The last word before an edit is shown or sent: only the approved links are new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import mwparserfromhell

from wikibot.errors import BadWikitext, UnsafeEdit
from wikibot.wikitext.edit import Insertion, insert_links, remove_links
from wikibot.wikitext.page import PageText, read_page
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
    both texts afresh, sees the same page with only these links added and the same visible text.
    """
    rules = site or SiteRules.for_language("en")
    if remove_links(after, insertions) != before:
        raise UnsafeEdit("Without the new links the page is not what it was. Nothing was sent.")
    if insert_links(before, insertions, rules) != after:
        raise UnsafeEdit("The new links are not in their shortest form. Nothing was sent.")
    old, new = _read(before, rules, title), _read(after, rules, title)
    _check_places(old, insertions)
    _check_links(old, new, insertions, rules)
    _check_shown(before, after)


def _read(text: str, site: SiteRules, title: str | None) -> PageText:
    try:
        return read_page(text, site, title)
    except BadWikitext as error:
        raise UnsafeEdit(f"The page cannot be read safely: {error} Nothing was sent.") from error


def _check_places(page: PageText, insertions: Sequence[Insertion]) -> None:
    for insertion in insertions:
        if not any(s.start <= insertion.start and insertion.end <= s.end for s in page.spans):
            raise UnsafeEdit(
                f"No link may stand on {page.text[insertion.start : insertion.end]!r} at "
                f"character {insertion.start}. Nothing was sent."
            )


def _check_links(
    old: PageText, new: PageText, insertions: Sequence[Insertion], site: SiteRules
) -> None:
    """The links after are the links before and the approved ones; all else is as it was."""
    had = Counter((link.target, link.anchor, link.fragment) for link in old.links)
    has = Counter((link.target, link.anchor, link.fragment) for link in new.links)
    approved = Counter(
        (normalise_title(i.target, site).text, old.text[i.start : i.end], "") for i in insertions
    )
    if has != had + approved:
        raise UnsafeEdit("Other links than the approved ones have changed. Nothing was sent.")
    if [t.name for t in old.templates] != [t.name for t in new.templates]:
        raise UnsafeEdit("The page's templates have changed. Nothing was sent.")
    if [h.title for h in old.sections] != [h.title for h in new.sections]:
        raise UnsafeEdit("The page's sections have changed. Nothing was sent.")


def _check_shown(before: str, after: str) -> None:
    old, new = mwparserfromhell.parse(before), mwparserfromhell.parse(after)
    if old.strip_code(collapse=False) != new.strip_code(collapse=False):
        raise UnsafeEdit("The visible text of the page has changed. Nothing was sent.")
