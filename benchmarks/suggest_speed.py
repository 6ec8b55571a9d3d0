"""How long proposals take for every page of an export, from a trained model, and how it grows.

    python benchmarks/suggest_speed.py [EXPORT [FOLDER]]

With a FOLDER the database and its models are made there once and taken up again, so that only the
timing needs a quiet machine. Prints JSON: seconds for all pages, for half and a quarter of them (the
wiki is read as a whole each time), and what a process needs at most of memory.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from wikibot.dataset import load_dataset
from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.store import Store, open_store
from wikibot.suggest import Wanted, suggest
from wikibot.train import train

DATA = Path(os.environ.get("WIKIBOT_DATA", Path(__file__).parents[2] / "shared" / "data"))


def main() -> None:
    """Fetch and train, unless that was done before, then time `suggest`."""
    export = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA / "en-superheroes.xml.bz2"
    if len(sys.argv) > 2:
        print(json.dumps(measured(export, Path(sys.argv[2])), indent=2))
        return
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measured(export, Path(folder)), indent=2))


def measured(export: Path, folder: Path) -> dict[str, Any]:
    """The report, with a database in the folder."""
    path = folder / "w.db"
    made = not path.exists()
    with open_store(path, create=made) as store:
        report: dict[str, Any] = {}
        if made:
            fetch_export(store, ExportOptions(export))
            report["train_seconds"] = train(store).seconds
        titles = tuple(row.title for row in load_dataset(store).rows)
        parts = {"quarter": titles[::4], "half": titles[::2], "all": ()}
        seconds = {name: _timed(store, Wanted(pages=pages)) for name, pages in parts.items()}
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        **report,
        "pages": len(titles),
        "suggest_seconds": seconds,
        "milliseconds_per_page": round(1000 * seconds["all"] / len(titles), 2),
        "megabytes": most // 1024,
    }


def _timed(store: Store, wanted: Wanted) -> float:
    begun = time.perf_counter()
    suggest(store, wanted=wanted)
    return round(time.perf_counter() - begun, 2)


if __name__ == "__main__":
    main()
