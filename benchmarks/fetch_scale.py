"""python benchmarks/fetch_scale.py [--sizes 25000 100000]

Memory and time of `wikibot fetch --export` on invented exports of two sizes: memory of all
processes together must stay flat, time must grow no faster than the pages.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from memory import measured_wikibot
from synthetic import write_export


def fetch(folder: Path, pages: int) -> dict[str, Any]:
    export = write_export(folder / f"{pages}.xml.bz2", pages)
    words = ["fetch", "--export", str(export), "--db", str(folder / f"{pages}.db")]
    done = measured_wikibot(words)
    report, seconds = done.report, done.seconds
    return {
        "pages_in_export": pages,
        "pages": report["pages"],
        "redirects": report["redirects"],
        "links": report["links"],
        "links_within_set": report["links_within_set"],
        "seconds": round(seconds, 1),
        "pages_per_second": round(pages / seconds, 1),
        "memory_mb": round(done.most_bytes / 1e6),
        "database_mb": round((folder / f"{pages}.db").stat().st_size / 1e6),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs=2, type=int, default=[25_000, 100_000])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        small, large = (fetch(Path(folder), pages) for pages in given.sizes)
    result = {
        "runs": [small, large],
        "ratio_of_pages": large["pages_in_export"] / small["pages_in_export"],
        "ratio_of_seconds": round(large["seconds"] / small["seconds"], 2),
        "ratio_of_memory": round(large["memory_mb"] / small["memory_mb"], 2),
    }
    json.dump(result, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
