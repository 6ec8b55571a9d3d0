"""How long proposals take for every page of an export, from a trained model, and how it grows.

    python benchmarks/suggest_speed.py EXPORT

Prints JSON: seconds for the whole wiki and for half of its pages, and the ratio of their rates.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.store import open_store
from wikibot.suggest import Wanted, suggest
from wikibot.train import load_wiki, train


def main() -> None:
    """Fetch, train, then time `suggest` twice: on half of the pages and on all."""
    export = Path(sys.argv[1])
    with (
        tempfile.TemporaryDirectory() as folder,
        open_store(Path(folder) / "w.db", create=True) as store,
    ):
        fetch_export(store, ExportOptions(export))
        trained = train(store)
        titles = load_wiki(store).wiki.titles
        half = _timed(store, Wanted(pages=titles[: len(titles) // 2]))
        whole = _timed(store, Wanted())
    report = {
        "pages": len(titles),
        "train_seconds": trained.seconds,
        "suggest_seconds": whole,
        "milliseconds_per_page": round(1000 * whole / len(titles), 2),
        "half_of_the_pages_seconds": half,
    }
    print(json.dumps(report, indent=2))


def _timed(store: object, wanted: Wanted) -> float:
    begun = time.perf_counter()
    suggest(store, wanted=wanted)  # type: ignore[arg-type]
    return round(time.perf_counter() - begun, 2)


if __name__ == "__main__":
    main()
