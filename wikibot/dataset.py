"""A wiki's pages brought to the linker, from the database or from an export."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import overload

from wikibot import __version__
from wikibot.errors import BadWikitext, StoreError
from wikibot.fetch.export import ExportReader
from wikibot.fetch.from_export import export_rules
from wikibot.fetch.workers import Workers
from wikibot.linker.page import FORMAT, Page, packed_page
from wikibot.source import SourcePage
from wikibot.store import Store
from wikibot.store.pages import PageRow, WikiRow, articles, redirects, wiki_by_name
from wikibot.store.readings import Reading, readings
from wikibot.wikitext import SiteRules, redirect_target

WORTH_PROCESSES_CHARACTERS = 3_000_000  # less is read sooner than processes are started
UNPACKED_BYTES = 48 << 20  # of packed pages; more are unpacked anew each time

Advance = Callable[[int], None]


def ignore(_: int) -> None:
    """Nobody watches."""


class Pages(Sequence[Page]):
    """Pages kept in few bytes; those of a small wiki are unpacked once, others when asked for."""

    def __init__(self, packed: Sequence[bytes]) -> None:
        self._packed = packed
        small = sum(map(len, packed)) <= UNPACKED_BYTES
        self._pages: list[Page | None] | None = [None] * len(packed) if small else None

    def __len__(self) -> int:
        return len(self._packed)

    def stream(self) -> Iterator[Page]:
        """The pages one after the other, none of them kept."""
        return map(Page.unpacked, self._packed)

    @overload
    def __getitem__(self, index: int) -> Page: ...
    @overload
    def __getitem__(self, index: slice) -> Pages: ...
    def __getitem__(self, index: int | slice) -> Page | Pages:
        if isinstance(index, slice):
            return Pages(self._packed[index])
        if self._pages is None:
            return Page.unpacked(self._packed[index])
        page = self._pages[index]
        if page is None:
            page = self._pages[index] = Page.unpacked(self._packed[index])
        return page


@dataclass(frozen=True, slots=True)
class Dataset:
    """A wiki's articles; `rows` are those of the database, where they come from it."""

    pages: Pages
    redirects: Mapping[str, str]
    rules: SiteRules
    rows: tuple[PageRow, ...] = ()
    wiki: WikiRow | None = None
    marks: tuple[str, ...] = ()  # of each page: what its reading depends on
    new: Mapping[int, Reading] = field(default_factory=dict)  # readings that are not kept yet
    replaced: Mapping[str, bytes] = field(default_factory=dict)  # the readings that they replace


def load_dataset(
    store: Store,
    name: str | None = None,
    *,
    processes: int = 0,
) -> Dataset:
    """The wiki's pages from the database; what was read earlier and kept is not read again."""
    with store.reading() as session:
        wiki = wiki_by_name(session, name)
        pages = articles(session, wiki.id)
        ends = redirects(session, wiki.id)
        known = readings(session, wiki.id)
    rules = wiki.rules()
    packed, new = read_rows(pages, rules, known, processes=processes)
    kept = tuple(page for page in pages if page.id in packed)
    if not kept:
        raise StoreError("The database holds no page that can be read. Run `wikibot fetch` first.")
    titles = {page.id: page.title for page in pages}
    onward = {title: titles[end] for title, end in ends.items() if end in titles}
    marks = tuple((new.get(page.id) or known[page.id]).mark for page in kept)
    older = {page.title: known[page.id].content for page in kept if page.id in new.keys() & known}
    replaced = {title: content for title, content in older.items() if is_whole(content)}
    return Dataset(
        Pages([packed[page.id] for page in kept]), onward, rules, kept, wiki, marks, new, replaced
    )


def read_rows(
    rows: Sequence[PageRow],
    rules: SiteRules,
    kept: Mapping[int, Reading],
    *,
    processes: int = 0,
) -> tuple[dict[int, bytes], dict[int, Reading]]:
    """Each page that can be read safely, packed, by row id, and the readings that are new.

    What was `kept` of earlier readings is taken where the page and the rules are what they were.
    """
    program = program_mark(rules)
    marks = {row.id: mark_of(program, row.title, row.wikitext) for row in rows if not row.problem}
    known = {
        row_id: kept[row_id].content
        for row_id in marks.keys() & kept.keys()
        if kept[row_id].mark == marks[row_id] and is_whole(kept[row_id].content)
    }
    pages = [
        SourcePage(row.id, row.title, row.namespace, row.revision_id, "", row.wikitext)
        for row in rows
        if row.id in marks and row.id not in known
    ]
    read = _read(pages, rules, processes, ignore)
    new = {page.page_id: Reading(marks[page.page_id], packed) for page, packed in read}
    return known | {row_id: one.content for row_id, one in new.items()}, new


def is_whole(content: bytes) -> bool:
    """Can the bytes be unpacked? Where they are damaged, the page is read again."""
    try:
        length, _, rest = zlib.decompress(content).partition(b"\n")
    except zlib.error:
        return False
    return length.isdigit() and len(rest) > int(length)


def program_mark(rules: SiteRules) -> str:
    """What a reading depends on beside the page: this program and the wiki's rules."""
    return f"{__version__} {FORMAT}\n{rules.to_json()}"


def mark_of(program: str, title: str, wikitext: str) -> str:
    """All that a reading depends on."""
    said = f"{program}\n{title}\n{wikitext}"
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def _read(
    pages: Sequence[SourcePage], rules: SiteRules, processes: int, advance: Advance
) -> Iterator[tuple[SourcePage, bytes]]:
    if sum(len(page.text or "") for page in pages) < WORTH_PROCESSES_CHARACTERS:
        yield from _read_here(pages, rules, advance)
        return
    with Workers(packed_page, rules, processes) as workers:
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
            packed = packed_page(page.title, page.text or "", rules)
        except BadWikitext:
            continue
        if packed is not None:
            yield page, packed


def dataset_of_export(path: Path, *, processes: int = 0, advance: Advance = ignore) -> Dataset:
    """The articles of an export; pages that cannot be read safely are left out."""
    reader = ExportReader(path)
    rules = export_rules(reader.header())
    found, onward = [], {}
    for page in reader.pages():
        if page.namespace or page.model != "wikitext":
            continue
        target = redirect_target(page.text or "", rules)
        if target is None:
            found.append(page)
        else:
            onward[page.title] = target.text
    read = _read(found, rules, processes, advance)
    return Dataset(Pages([packed for _, packed in read]), onward, rules)
