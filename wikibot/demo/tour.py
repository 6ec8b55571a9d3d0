"""The tour: the demo wiki fetched, learned and searched for missing links, and the best of it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from wikibot import diff
from wikibot.demo import build_export
from wikibot.errors import StoreError
from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.store import Store, queue
from wikibot.store.pages import wikis
from wikibot.store.queue import Line
from wikibot.suggest import suggest
from wikibot.train import train

WIKI = "demowiki"
SHOWN = 10

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Best:
    """The most probable proposals, one per page, and what their pages would become."""

    waiting: int
    lines: tuple[Line, ...]
    patch: str


def learn_demo_wiki(store: Store, tell: Tell) -> None:
    """STORE holds the demo wiki, a model of it and proposals; TELL hears of each step.

    Refuses a database that holds another wiki, so that nobody's work is mixed with the demo.
    """
    _refuse_other_wikis(store)
    with tempfile.TemporaryDirectory() as folder:
        export = build_export(Path(folder) / "demo.xml")
        fetched = fetch_export(store, ExportOptions(export, processes=1))
    tell(f"Fetched {fetched.pages} pages with {fetched.links} links in {fetched.seconds:.1f} s.")
    trained = train(store)
    tell(f"Learned from them in {trained.seconds:.1f} s.")
    made = suggest(store)
    tell(f"Proposed {made.new} more in {made.seconds:.1f} s.")


def best_proposals(store: Store) -> Best:
    """The ten most probable proposals and the diff of their pages."""
    with store.reading() as session:
        wiki = next(wiki for wiki in wikis(session) if wiki.name == WIKI)
        filters = queue.Filters(wiki.id)
        lines = _one_per_page(queue.every_line(session, filters))
        patches = [
            diff.unified(edit)
            for line in lines
            for edit in diff.edits(session, wiki, "pending", page=line.page)
        ]
        return Best(queue.count(session, filters), lines, "".join(patches))


def _one_per_page(lines: Iterable[Line]) -> tuple[Line, ...]:
    """The first lines, each of another page: a tour shows variety."""
    chosen: dict[str, Line] = {}
    for line in lines:
        chosen.setdefault(line.page, line)
        if len(chosen) == SHOWN:
            break
    return tuple(chosen.values())


def _refuse_other_wikis(store: Store) -> None:
    with store.reading() as session:
        others = [wiki.name for wiki in wikis(session) if wiki.name != WIKI]
    if others:
        raise StoreError(
            f"The database holds {others[0]}, and the demo would be mixed with it. Nothing was "
            "changed; run the demo in another folder, or name another file with --db."
        )
