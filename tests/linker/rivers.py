"""A wiki of thirty rivers, small enough to be learned in seconds and large enough for the ranker.

Rivers link their neighbours; half of them also link a far one, which the others only mention.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.fetch.exports import write_export
from wikibot.config import Settings, load_settings
from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.store import Store, open_store

BEGINNINGS, ENDS = ("Al", "Ber", "Cor", "Dal", "Ek", "Fen"), ("a", "en", "is", "om", "ur")
NAMES = [begin + end for begin in BEGINNINGS for end in ENDS]
RIVERS = {
    f"River {name}": f"The '''River {name}''' flows from the hills to the [[sea]]. It joins the "
    f"[[River {NAMES[n - 1]}]] near a [[mill]], and trout live in both of them.\n\n== Length ==\n"
    + ("The [[River {}]] is as long." if n % 2 else "The River {} is as long.").format(NAMES[n - 9])
    for n, name in enumerate(NAMES)
} | {"Sea": "The '''sea''' is salt water.", "Mill": "A '''mill''' grinds corn by a river."}

# Thirty pages teach little: what is proposed at all has a low probability.
EVERY_PROPOSAL: dict[str, Any] = {
    "min_probability": 0.0, "min_probability_linked": 0.0, "words_per_link": 1,
}  # fmt: skip


def every_proposal(**more: Any) -> Settings:
    """Settings under which everything that the rules allow is proposed."""
    return load_settings(environ={}, **(EVERY_PROPOSAL | more))


def rivers_store(folder: Path) -> Store:
    """A database in the folder that holds the rivers; nothing was learned from them yet."""
    store = open_store(folder / "w.db", create=True)
    export = write_export(folder / "rivers.xml", RIVERS)
    fetch_export(store, ExportOptions(export, processes=1))
    return store
