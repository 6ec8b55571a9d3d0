"""`wikibot corpus`: the articles of an export or a database as plain prose with links, one JSON line each."""

from __future__ import annotations

import bisect
import functools
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from wikibot.fetch.export import ExportReader
from wikibot.fetch.from_export import export_rules
from wikibot.fetch.workers import Workers
from wikibot.source import SourcePage
from wikibot.store import Store
from wikibot.store.pages import articles, redirects, wiki_by_name
from wikibot.wikitext.page import PageText, read_page, redirect_target
from wikibot.wikitext.rules import SiteRules

_SPACE = re.compile(r"\s*\n\s*|[^\S\n]{2,}|[^\S\n ]")

Line = tuple[str, str, list[tuple[int, int, str]]]  # title, text, links (start, end, target)


def corpus_lines(export: Path, *, lead: bool = False, processes: int = 0) -> Iterator[str]:
    """A JSON object for each article: title, text, links [start, end, target title].

    Offsets are code points in `text`; targets are titles at the end of redirects. Redirects,
    disambiguation pages and pages that cannot be read safely are left out. LEAD keeps only what
    stands before the first heading.
    """
    reader = ExportReader(export)
    rules = export_rules(reader.header())
    onward = _redirects(reader, rules)
    pages = (page for page in reader.pages() if page.namespace == 0 and page.model == "wikitext")
    yield from _lines(pages, rules, onward, lead=lead, processes=processes)


def stored_lines(
    store: Store, wiki: str | None = None, *, lead: bool = False, processes: int = 0
) -> Iterator[str]:
    """The same of the articles that the database holds of a wiki."""
    with store.reading() as session:
        row = wiki_by_name(session, wiki)
        rows = [page for page in articles(session, row.id) if page.namespace == 0]
        titles = {page.id: page.title for page in rows}
        ends = redirects(session, row.id)
    onward = {title: titles[end] for title, end in ends.items() if end in titles}
    pages = (
        SourcePage(page.id, page.title, page.namespace, page.revision_id, "", page.wikitext)
        for page in rows
    )
    yield from _lines(pages, row.rules(), onward, lead=lead, processes=processes)


def _lines(
    pages: Iterable[SourcePage],
    rules: SiteRules,
    onward: dict[str, str],
    *,
    lead: bool,
    processes: int,
) -> Iterator[str]:
    for title, text, links in _read(pages, rules, lead=lead, processes=processes):
        ends = [[start, end, _end_of_chain(target, onward)] for start, end, target in links]
        line = {"title": title, "text": text, "links": ends}
        yield json.dumps(line, ensure_ascii=False)


def _redirects(reader: ExportReader, rules: SiteRules) -> dict[str, str]:
    found = {}
    for page in reader.pages():
        target = redirect_target(page.text or "", rules) if page.namespace == 0 else None
        if target is not None:
            found[page.title] = target.text
    return found


def _end_of_chain(title: str, onward: dict[str, str]) -> str:
    """Where redirects from TITLE end; TITLE itself where they go in circles."""
    here = title
    for _ in range(10):
        if here not in onward:
            return here
        here = onward[here]
    return title


def _read(
    pages: Iterable[SourcePage], rules: SiteRules, *, lead: bool, processes: int
) -> Iterator[Line]:
    task = functools.partial(corpus_line, lead=lead)
    with Workers(task, rules, processes) as workers:
        for answer in workers.read(pages):
            if answer.value is not None:
                yield (answer.page.title, *answer.value)


def corpus_line(
    title: str, text: str, rules: SiteRules, *, lead: bool
) -> tuple[str, list[tuple[int, int, str]]] | None:
    """(prose, links) of an article; None for a redirect or a disambiguation page."""
    page = read_page(text, rules, title)
    if page.redirect_target or page.is_disambiguation:
        return None
    return page_prose(page, lead=lead)


def page_prose(page: PageText, *, lead: bool) -> tuple[str, list[tuple[int, int, str]]]:
    """The page's prose, a line for each paragraph, and its links [start, end, target] in it.

    Sections that are left alone by name, such as See also, are left out.
    """
    seen = page.visible.seen
    kept = [(seen(start), seen(end)) for start, end in _kept_ranges(page, lead=lead)]
    prose = _Tidied(page.visible.text, kept)
    links = []
    for link in page.links:
        if link.in_prose and link.is_page_link and link.namespace == 0:
            trail = page.site.trail_length(page.text, link.end)
            place = prose.place(seen(link.anchor_start), seen(link.anchor_end) + trail)
            links += [(*place, link.target)] if place else []
    return prose.text, links


def _kept_ranges(page: PageText, *, lead: bool) -> Iterator[tuple[int, int]]:
    """The parts of the wikitext whose prose is wanted."""
    if lead:
        yield 0, page.lead_end
        return
    start, below = 0, 0  # the level of the excluded section we are in, or 0
    for heading in page.sections:
        if below and heading.level <= below:
            start, below = heading.start, 0
        if not below and page.site.is_excluded_section(heading.title):
            yield start, heading.start
            below = heading.level
    if not below:
        yield start, len(page.text)


class _Tidied:
    """Ranges of a text with white space folded; places in the text can be found in it."""

    def __init__(self, source: str, ranges: list[tuple[int, int]]) -> None:
        self._source: list[int] = []  # where each piece starts in the source,
        self._tidy: list[int] = []  # and in the tidy text
        self._length = 0
        self._pieces: list[str] = []
        for start, end in ranges:
            for found in _SPACE.finditer(source, start, end):
                self._add(source, start, found.start())
                self._join("\n" if "\n" in found[0] else " ")
                start = found.end()
            self._add(source, start, end)
        self.text = "".join(self._pieces).rstrip()

    def _add(self, source: str, start: int, end: int) -> None:
        if end > start:
            self._source.append(start)
            self._tidy.append(self._length)
            self._join(source[start:end])

    def _join(self, piece: str) -> None:
        if self._length or piece.strip():
            self._pieces.append(piece)
            self._length += len(piece)

    def place(self, start: int, end: int) -> tuple[int, int] | None:
        """Where source[start:end] stands now, without white space around it; None if nowhere."""
        first, last = self._at(start), self._at(end - 1)
        if first is None or last is None:
            return None
        shown = self.text[first : last + 1]
        first += len(shown) - len(shown.lstrip())
        return (first, first + len(shown.strip())) if shown.strip() else None

    def _at(self, offset: int) -> int | None:
        index = bisect.bisect_right(self._source, offset) - 1
        if index < 0:
            return None
        place = self._tidy[index] + offset - self._source[index]
        after = self._tidy[index + 1] if index + 1 < len(self._tidy) else len(self.text)
        return place if place < after else None
