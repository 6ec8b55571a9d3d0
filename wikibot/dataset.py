"""A wiki's pages brought to the linker, from the database or from an export."""

from __future__ import annotations

import hashlib
import itertools
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import overload

from wikibot import __version__
from wikibot.engine import Spool, tell_done
from wikibot.errors import BadWikitext, StoreError
from wikibot.fetch.export import ExportReader
from wikibot.fetch.from_export import export_rules
from wikibot.fetch.workers import Workers
from wikibot.linker.page import FORMAT, Page, packed_page
from wikibot.source import SourcePage
from wikibot.store import Store
from wikibot.store.pages import PageRow, WikiRow, redirects, wiki_by_name
from wikibot.store.readings import Reading, articles_with_readings
from wikibot.wikitext import SiteRules, redirect_target

WORTH_PROCESSES_CHARACTERS = 3_000_000  # less is read sooner than processes are started
UNPACKED_BYTES = 12 << 20  # of packed pages; more are unpacked anew each time

Advance = Callable[[int], None]


def ignore(_: int) -> None:
    """Nobody watches."""


class Pages(Sequence[Page]):
    """Pages kept packed on disk; those of a small wiki are unpacked once, others when asked for."""

    def __init__(self, packed: Spool, places: Sequence[int]) -> None:
        self._packed, self._places = packed, places
        small = packed.size_bytes <= UNPACKED_BYTES
        self._pages: list[Page | None] | None = [None] * len(places) if small else None

    def __len__(self) -> int:
        return len(self._places)

    def packed(self, index: int) -> bytes:
        """One page as it is kept."""
        return self._packed[self._places[index]]

    def stream(self, *, most: int = 0) -> Iterator[Page]:
        """The pages one after the other, none of them kept; at most so many, evenly spread."""
        for place in evenly(self._places, most) if most else self._places:
            yield Page.unpacked(self._packed[place])

    @overload
    def __getitem__(self, index: int) -> Page: ...
    @overload
    def __getitem__(self, index: slice) -> Pages: ...
    def __getitem__(self, index: int | slice) -> Page | Pages:
        if isinstance(index, slice):
            return Pages(self._packed, self._places[index])
        if self._pages is None:
            return Page.unpacked(self._packed[self._places[index]])
        page = self._pages[index]
        if page is None:
            page = self._pages[index] = Page.unpacked(self._packed[self._places[index]])
        return page


def evenly(numbers: Sequence[int], most: int) -> Sequence[int]:
    """At most so many of the numbers, evenly spread.

    >>> evenly(range(10), 3)
    [0, 4, 9]
    """
    if len(numbers) <= most:
        return numbers
    return [numbers[round(i * (len(numbers) - 1) / max(1, most - 1))] for i in range(most)]


class NewReadings(Mapping[int, Reading]):
    """Readings that are not kept yet, by row id; their content is on disk."""

    def __init__(self, packed: Spool, marks: Mapping[int, str], places: Mapping[int, int]) -> None:
        self._packed, self._marks, self._places = packed, marks, places

    def __getitem__(self, row_id: int) -> Reading:
        return Reading(self._marks[row_id], self._packed[self._places[row_id]])

    def __iter__(self) -> Iterator[int]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


@dataclass(frozen=True, slots=True)
class Dataset:
    """A wiki's articles; `rows` are those of the database, without texts, where they come from it."""

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
    """The wiki's pages from the database; what was read earlier and kept is not read again.

    No more than a few pages are in memory at a time.
    """
    with store.reading() as session:
        wiki = wiki_by_name(session, name)
        ends = redirects(session, wiki.id)
        loading = Loading(wiki.rules(), Spool(store.folder))
        loading.read(articles_with_readings(session, wiki.id), processes)
    if not loading.places:
        raise StoreError("The database holds no page that can be read. Run `wikibot fetch` first.")
    return loading.dataset(wiki, ends)


class Loading:
    """Pages on their way from the database to a file of packed pages."""

    def __init__(self, rules: SiteRules, packed: Spool) -> None:
        self.rules, self.packed, self.program = rules, packed, program_mark(rules)
        self.rows: list[PageRow] = []  # without their texts
        self.marks: dict[int, str] = {}
        self.places: dict[int, int] = {}  # in the file, by row id
        self.new: dict[int, int] = {}
        self.older: dict[int, int] = {}  # readings that new ones replace

    def read(self, stream: Iterable[tuple[PageRow, Reading | None]], processes: int) -> None:
        """Every page that can be read safely is in the file."""
        for page, packed in _read(self._unread(stream), self.rules, processes, ignore):
            self.new[page.page_id] = self.packed.append(packed)
        self.places |= self.new

    def _unread(self, stream: Iterable[tuple[PageRow, Reading | None]]) -> Iterator[SourcePage]:
        """The pages to read: of the others, what was kept is taken."""
        for row, kept in stream:
            self.rows.append(row._replace(wikitext="", summary=""))
            if row.problem:
                continue
            tell_done(len(self.rows))
            mark = self.marks[row.id] = mark_of(self.program, row.title, row.wikitext)
            if kept is not None and is_whole(kept.content):
                place = self.packed.append(kept.content)
                (self.places if kept.mark == mark else self.older)[row.id] = place
            if row.id not in self.places:
                yield SourcePage(
                    row.id, row.title, row.namespace, row.revision_id, "", row.wikitext
                )

    def dataset(self, wiki: WikiRow, ends: Mapping[str, int]) -> Dataset:
        """The pages in the order of their rows, with what is new of them."""
        rows = tuple(row for row in self.rows if row.id in self.places)
        titles = {row.id: row.title for row in self.rows}
        return Dataset(
            pages=Pages(self.packed, [self.places[row.id] for row in rows]),
            redirects={title: titles[end] for title, end in ends.items() if end in titles},
            rules=self.rules,
            rows=rows,
            wiki=wiki,
            marks=tuple(self.marks[row.id] for row in rows),
            new=NewReadings(self.packed, self.marks, self.new),
            replaced={titles[n]: self.packed[self.older[n]] for n in self.older if n in self.new},
        )


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
    pages: Iterable[SourcePage], rules: SiteRules, processes: int, advance: Advance
) -> Iterator[tuple[SourcePage, bytes]]:
    rest = iter(pages)
    first: list[SourcePage] = []
    while sum(len(page.text or "") for page in first) < WORTH_PROCESSES_CHARACTERS:
        some = list(itertools.islice(rest, 100))
        if not some:
            yield from _read_here(first, rules, advance)
            return
        first += some
    with Workers(packed_page, rules, processes) as workers:
        for answer in workers.read(itertools.chain(first, rest)):
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
    packed, onward = Spool(), {}

    def found() -> Iterator[SourcePage]:
        for page in reader.pages():
            if page.namespace or page.model != "wikitext":
                continue
            target = redirect_target(page.text or "", rules)
            if target is None:
                yield page
            else:
                onward[page.title] = target.text

    for _, content in _read(found(), rules, processes, advance):
        packed.append(content)
    return Dataset(Pages(packed, range(len(packed))), onward, rules)
