"""Wikis of a few lines, read by the real reader."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from wikibot.ranking.candidates import Candidates, find_candidates
from wikibot.ranking.lessons import Study, study
from wikibot.ranking.prose import Prose, read_prose
from wikibot.ranking.wiki import Wiki, assemble

from wikibot.wikitext import SiteRules

ENGLISH = SiteRules.for_language("en")


def prose(text: str, title: str = "Page", rules: SiteRules = ENGLISH) -> Prose:
    """The prose of one page."""
    found = read_prose(title, text, rules)
    assert found is not None
    return found


def make_wiki(pages: Mapping[str, str], redirects: Mapping[str, str] | None = None) -> Wiki:
    """A wiki of these pages."""
    return assemble([prose(text, title) for title, text in pages.items()], redirects or {})


def studied(pages: Mapping[str, str], redirects: Mapping[str, str] | None = None) -> Study:
    """A wiki whose links are all known, without topics."""
    wiki = make_wiki(pages, redirects)
    return study(wiki, np.ones(wiki.size, dtype=bool), None)


def candidates(of: Study, *, hidden: bool = False) -> Candidates:
    """All candidates, with no link hidden or with every link between pages hidden."""
    wiki = of.wiki
    hide = (wiki.links.target >= 0) if hidden else np.zeros(len(wiki.links), dtype=bool)
    everywhere = np.ones(wiki.size, dtype=bool)
    return find_candidates(wiki, of.names, of.mentions, of.knowledge, hidden=hide, pages=everywhere)


def found_pairs(of: Study, rows: Candidates) -> set[tuple[str, str, str]]:
    """(page, words, target) of the candidates."""
    titles, words = of.wiki.titles, of.wiki.spelling
    columns = zip(
        rows.page.tolist(), rows.first.tolist(), rows.length.tolist(), rows.target.tolist(),
        strict=True,
    )  # fmt: skip
    return {(titles[p], " ".join(words[f : f + n]), titles[t]) for p, f, n, t in columns}
