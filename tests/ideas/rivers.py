"""The rivers with two pages that nobody links to: one whose name occurs, one whose subject does."""

from __future__ import annotations

from pathlib import Path

from tests.fetch.exports import write_export
from tests.linker.rivers import RIVERS
from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.store import Store, open_store

ANGLING = "Angling"
TROUT = "Trout"
LONELY = {
    TROUT: "'''Trout''' are fish of cold rivers. They live near a mill, and in hills.",
    ANGLING: "'''Angling''' is a sport by the water. People stand near a mill and catch trout, "
    "which live in rivers that flow from the hills. [[Category:Sports]]",
}


def lonely_store(folder: Path) -> Store:
    """A database with the rivers and the two lonely pages; nothing was learned from them yet."""
    store = open_store(folder / "w.db", create=True)
    export = write_export(folder / "rivers.xml", RIVERS | LONELY)
    fetch_export(store, ExportOptions(export, processes=1))
    return store
