"""A wiki's pages brought to the ranker, from the database or from an export."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from wikibot.errors import BadWikitext
from wikibot.fetch.export import ExportReader
from wikibot.fetch.source import SourcePage
from wikibot.fetch.workers import Workers
from wikibot.ranking.prose import Prose, packed_prose, read_prose
from wikibot.ranking.wiki import Wiki, assemble
from wikibot.store.pages import PageRow
from wikibot.wikitext import SiteRules, redirect_target

_WORTH_PROCESSES = 3_000_000  # characters below which starting processes costs more than it saves

Advance = Callable[[int], None]


def nothing(_: int) -> None:
    """Nobody watches."""


def read_rows(
    rows: Sequence[PageRow], rules: SiteRules, *, processes: int = 0, advance: Advance = nothing
) -> dict[int, Prose]:
    """The prose of each page that can be read safely, by row id."""
    readable = [row for row in rows if not row.problem]
    pages = [
        SourcePage(row.id, row.title, row.namespace, row.revision_id, "", row.wikitext)
        for row in readable
    ]
    return {page.page_id: prose for page, prose in _read(pages, rules, processes, advance)}


def _read(
    pages: Sequence[SourcePage], rules: SiteRules, processes: int, advance: Advance
) -> Iterator[tuple[SourcePage, Prose]]:
    if sum(len(page.text or "") for page in pages) < _WORTH_PROCESSES:
        yield from _read_here(pages, rules, advance)
        return
    with Workers(packed_prose, rules, processes) as workers:
        for answer in workers.read(pages):
            advance(1)
            if answer.value is not None:
                yield answer.page, Prose.unpacked(answer.value)


def _read_here(
    pages: Iterable[SourcePage], rules: SiteRules, advance: Advance
) -> Iterator[tuple[SourcePage, Prose]]:
    for page in pages:
        advance(1)
        try:
            prose = read_prose(page.title, page.text or "", rules)
        except BadWikitext:
            continue
        if prose is not None:
            yield page, prose


def wiki_of_export(path: Path, *, processes: int = 0, advance: Advance = nothing) -> Wiki:
    """The articles of an export; pages that cannot be read safely are left out."""
    reader = ExportReader(path)
    header = reader.header()
    rules = SiteRules.from_export(header.language or "en", header.namespaces, case=header.case)
    articles, redirects = [], {}
    for page in reader.pages():
        if page.namespace or page.model != "wikitext":
            continue
        target = redirect_target(page.text or "", rules)
        if target is None:
            articles.append(page)
        else:
            redirects[page.title] = target.text
    return assemble([prose for _, prose in _read(articles, rules, processes, advance)], redirects)
