"""Where a link may stand in wikitext, exact spans, links put in and taken out.

Pure functions on text. All offsets are code points in the exact wikitext.

    page = read_page(text, site, title)     everything about a page, parsed once
    page.spans                              where a link may stand
    page.links                              the links it has, with places, anchors and sentences
    page.sentences, page.words(span)        prose, cut up
    insert_links(text, insertions, site)    the text with the links
    remove_links(text, insertions)          the text without them again
    check_edit(before, after, insertions)   raises UnsafeEdit unless only these links are new
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wikibot.errors import BadWikitext, UnsafeEdit
from wikibot.wikitext.admit import admit
from wikibot.wikitext.rules import SiteRules

if TYPE_CHECKING:
    from wikibot.wikitext.check import check_edit
    from wikibot.wikitext.edit import Insertion, insert_links, link_markup, remove_links
    from wikibot.wikitext.links import WikiLink
    from wikibot.wikitext.page import PageText, Template, read_page, redirect_target
    from wikibot.wikitext.scanner import Heading
    from wikibot.wikitext.sentences import Sentence, Word, at_word_boundary
    from wikibot.wikitext.spans import Disagreement, Span
    from wikibot.wikitext.titles import Title, normalise_title

__all__ = [
    "BadWikitext",
    "Disagreement",
    "Heading",
    "Insertion",
    "PageText",
    "Sentence",
    "SiteRules",
    "Span",
    "Template",
    "Title",
    "UnsafeEdit",
    "WikiLink",
    "Word",
    "admit",
    "at_word_boundary",
    "check_edit",
    "existing_links",
    "insert_links",
    "link_markup",
    "linkable_spans",
    "normalise_title",
    "read_page",
    "redirect_target",
    "remove_links",
    "words",
]

# Where the names are that are loaded when they are first used: the parser takes its time.
_MODULES = {
    "check": ("check_edit",),
    "edit": ("Insertion", "insert_links", "link_markup", "remove_links"),
    "links": ("WikiLink",),
    "page": ("PageText", "Template", "read_page", "redirect_target"),
    "scanner": ("Heading",),
    "sentences": ("Sentence", "Word", "at_word_boundary"),
    "spans": ("Disagreement", "Span"),
    "titles": ("Title", "normalise_title"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def linkable_spans(text: str, site: SiteRules, title: str | None = None) -> list[Span]:
    """Where a link may stand on the page, in order."""
    from wikibot.wikitext.page import read_page

    return read_page(text, site, title).spans


def existing_links(text: str, site: SiteRules, title: str | None = None) -> list[WikiLink]:
    """Every internal link of the page, in order."""
    from wikibot.wikitext.page import read_page

    return read_page(text, site, title).links


def words(text: str, site: SiteRules, *, start: int = 0) -> list[Word]:
    """The words of a piece of plain text; `start` is added to every offset."""
    from wikibot.wikitext.sentences import find_words

    return find_words(text, site.language, start=start)
