"""A wiki's pages brought to the ranker, from the database or from an export."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from wikibot import __version__
from wikibot.errors import BadWikitext
from wikibot.fetch.export import ExportReader
from wikibot.fetch.source import SourcePage
from wikibot.fetch.workers import Workers
from wikibot.ranking.prose import FORMAT, Prose, packed_prose
from wikibot.ranking.wiki import Wiki, assemble
from wikibot.store.pages import PageRow
from wikibot.store.readings import Reading
from wikibot.wikitext import SiteRules, redirect_target

_WORTH_PROCESSES = 3_000_000  # characters below which starting processes costs more than it saves

Advance = Callable[[int], None]


def nothing(_: int) -> None:
    """Nobody watches."""


def read_rows(
    rows: Sequence[PageRow],
    rules: SiteRules,
    kept: Mapping[int, Reading],
    *,
    processes: int = 0,
) -> tuple[dict[int, Prose], dict[int, Reading]]:
    """The prose of each page that can be read safely, by row id, and the readings that are new.

    What was `kept` of earlier readings is taken where the page and the rules are what they were.
    """
    program = f"{__version__} {FORMAT}\n{rules.to_json()}"
    marks = {row.id: _mark(program, row) for row in rows if not row.problem}
    fitting = {row_id: kept[row_id] for row_id in marks.keys() & kept.keys()
               if kept[row_id].mark == marks[row_id]}  # fmt: skip
    known = {row_id: prose for row_id, one in fitting.items() if (prose := _unpacked(one))}
    pages = [
        SourcePage(row.id, row.title, row.namespace, row.revision_id, "", row.wikitext)
        for row in rows
        if row.id in marks and row.id not in known
    ]
    read = _read(pages, rules, processes, nothing)
    new = {page.page_id: Reading(marks[page.page_id], packed) for page, packed in read}
    return known | {row_id: Prose.unpacked(one.content) for row_id, one in new.items()}, new


def _unpacked(reading: Reading) -> Prose | None:
    """The prose; None where the bytes are damaged, so that the page is read again."""
    try:
        return Prose.unpacked(reading.content)
    except (zlib.error, ValueError, KeyError, TypeError):
        return None


def _mark(program: str, row: PageRow) -> str:
    """All that a reading depends on: the program with its rules, and the page's title and text."""
    said = f"{program}\n{row.title}\n{row.wikitext}"
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def _read(
    pages: Sequence[SourcePage], rules: SiteRules, processes: int, advance: Advance
) -> Iterator[tuple[SourcePage, bytes]]:
    if sum(len(page.text or "") for page in pages) < _WORTH_PROCESSES:
        yield from _read_here(pages, rules, advance)
        return
    with Workers(packed_prose, rules, processes) as workers:
        for answer in workers.read(pages):
            advance(1)
            if answer.value is not None:
                yield answer.page, answer.value


def _read_here(
    pages: Iterable[SourcePage], rules: SiteRules, advance: Advance
) -> Iterator[tuple[SourcePage, bytes]]:
    for page in pages:
        advance(1)
        try:
            packed = packed_prose(page.title, page.text or "", rules)
        except BadWikitext:
            continue
        if packed is not None:
            yield page, packed


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
    read = _read(articles, rules, processes, advance)
    return assemble([Prose.unpacked(packed) for _, packed in read], redirects)
