"""What one page's text says, as plain values that travel between processes."""

from __future__ import annotations

from typing import Any, NamedTuple

from wikibot.wikitext.page import PageText, read_page
from wikibot.wikitext.rules import SiteRules

# Grows with every change that makes the same text give other rows, so that pages are read again.
READER_VERSION = 1
SUMMARY_LENGTH = 400


class Analysis(NamedTuple):
    """A page's links (in the order of LINK_FIELDS) and what it says about itself."""

    redirect_to: str | None = None
    is_disambiguation: bool = False
    exclusion: str | None = None
    summary: str = ""
    categories: tuple[str, ...] = ()
    links: tuple[tuple[Any, ...], ...] = ()
    disagreements: int = 0


def analyse(title: str, text: str, rules: SiteRules, *, user: str = "") -> tuple[Any, ...]:
    """The values of an Analysis; raises BadWikitext where the page cannot be read safely."""
    page = read_page(text, rules, title)
    target = page.redirect_target
    return tuple(
        Analysis(
            redirect_to=target.text if target else None,
            is_disambiguation=page.is_disambiguation,
            exclusion=_exclusion(page, user),
            summary="" if target else page.first_sentence[:SUMMARY_LENGTH],
            categories=tuple(_category_title(name) for name in page.categories),
            links=() if target else _links(page),
            disagreements=len(page.disagreements),
        )
    )


def _links(page: PageText) -> tuple[tuple[Any, ...], ...]:
    return tuple(
        (
            link.target,
            link.anchor,
            link.start,
            link.end,
            link.anchor_start,
            link.anchor_end,
            link.sentence_start,
            link.sentence_end,
            link.in_prose,
        )
        for link in page.links
        if link.is_page_link
    )


def _category_title(name: str) -> str:
    """'Category:Rivers' without its namespace, whose name differs from wiki to wiki."""
    return name.partition(":")[2]


def _exclusion(page: PageText, user: str) -> str | None:
    said = page.exclusion(user)
    return said[:200] if said else None
