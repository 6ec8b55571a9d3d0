"""Wikis of a few lines, read by the real reader."""

from __future__ import annotations

from collections.abc import Mapping

from wikibot.linker.knowledge import Knowledge
from wikibot.linker.page import Page, read
from wikibot.linker.training import learn_knowledge
from wikibot.wikitext import SiteRules

ENGLISH = SiteRules.for_language("en")


def a_page(text: str, title: str = "Page", rules: SiteRules = ENGLISH) -> Page:
    """One page as the linker reads it."""
    found = read(title, text, rules)
    assert found is not None
    return found


def learned(
    texts: Mapping[str, str], redirects: Mapping[str, str] | None = None
) -> tuple[list[Page], Knowledge]:
    """The pages of a wiki, and what they teach, without topics."""
    pages = [a_page(text, title) for title, text in texts.items()]
    return pages, learn_knowledge(pages, redirects or {}, language="en")[0]
