"""python benchmarks/scale.py [--sizes 5000 25000] [--export FILE] [--folder FOLDER] [--plot FILE]

Time, computing and memory of `wikibot fetch`, `train` and `suggest` on wikis of several sizes, made of
copies of a real export (copied_wiki.py). Memory is that of all processes together. Prints JSON: every
stage of every size, how they grow, what Knowledge takes, and a cost model for larger wikis.

With a FOLDER the exports are kept there and taken up again; with --plot the memory is drawn over time.
With --as-is the export itself is measured, without copies; with --join, several real exports as one wiki.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from copied_wiki import write_wiki
from joined_wiki import join_exports
from memory import Measured, measured_wikibot

from wikibot.linker.knowledge import Knowledge

DATA = Path(os.environ.get("WIKIBOT_DATA", Path(__file__).parents[2] / "shared" / "data"))
STAGES = ("fetch", "train", "suggest")
LARGE_WIKI_PAGES = 7_000_000
CORES = (32, 128)


def run_of(export: Path, database: Path) -> dict[str, Any]:
    """All stages on one export, in a new database."""
    db = ["--db", str(database)]
    words = {"fetch": ["fetch", "--export", str(export), *db], "train": ["train", *db], "suggest": ["suggest", *db]}  # fmt: skip
    done: dict[str, Measured] = {}
    for stage in STAGES:
        done[stage] = one = measured_wikibot(words[stage])
        told = f"{stage}: {one.seconds:.1f} s, {one.cpu_seconds:.1f} s computing, {one.most_bytes / 1e6:.0f} MB"
        print(f"{export.name} {told}", file=sys.stderr, flush=True)
    pages = done["train"].report["pages"]
    stages = {stage: _figures(one, pages) for stage, one in done.items()}
    return {
        "pages": pages,
        "links": done["train"].report["links"],
        "proposals": done["suggest"].report["new"],
        "stages": stages,
        "seconds": round(sum(one.seconds for one in done.values()), 1),
        "cpu_seconds": round(sum(one.cpu_seconds for one in done.values()), 1),
        "memory_mb": max(one["memory_mb"] for one in stages.values()),
        "database_mb": round(database.stat().st_size / 1e6),
        "knowledge": knowledge_figures(database, pages),
        "memory_over_time": {stage: one.series for stage, one in done.items()},
    }


def _figures(one: Measured, pages: int) -> dict[str, Any]:
    return {
        "seconds": round(one.seconds, 1),
        "cpu_seconds": round(one.cpu_seconds, 1),
        "cpu_ms_per_page": round(1000 * one.cpu_seconds / pages, 2),
        "pages_per_second": round(pages / one.seconds, 1),
        "memory_mb": round(one.most_bytes / 1e6),
    }


def knowledge_figures(database: Path, pages: int) -> dict[str, Any]:
    """How large Knowledge is, and how long it takes to open."""
    (path,) = database.parent.rglob("knowledge-*.arrays")
    begun = time.perf_counter()
    knowledge = Knowledge.open(path)
    seconds = time.perf_counter() - begun
    size = path.stat().st_size
    return {
        "megabytes": round(size / 1e6, 1),
        "bytes_per_page": round(size / pages),
        "names": len(knowledge.names),
        "bytes_per_name": round(size / max(1, len(knowledge.names))),
        "seconds_to_open": round(seconds, 3),
    }


def growth(small: dict[str, Any], large: dict[str, Any]) -> dict[str, Any]:
    """How many times more the larger wiki takes."""
    ratio = {key: round(large[key] / small[key], 2) for key in ("pages", "seconds", "cpu_seconds", "memory_mb")}  # fmt: skip
    stages = {
        stage: {
            key: round(large["stages"][stage][key] / max(small["stages"][stage][key], 1e-9), 2)
            for key in ("cpu_seconds", "memory_mb")
        }
        for stage in STAGES
    }
    return {**ratio, "stages": stages}


def cost_model(run: dict[str, Any], efficiency: float = 0.8) -> dict[str, Any]:
    """Hours and bytes for a very large wiki, from what one page cost here.

    Fetching and proposing are shared by all cores, with the efficiency that the Spark benchmark
    measures. Learning is shared as far as it counts; the ranker and CRTM learn from samples of fixed
    size, so what they cost here is the most they cost there.
    """
    per_page = {stage: run["stages"][stage]["cpu_ms_per_page"] / 1000 for stage in STAGES}
    shared = LARGE_WIKI_PAGES * sum(per_page.values())
    return {
        "pages": LARGE_WIKI_PAGES,
        "hours": {str(n): round(shared / n / efficiency / 3600, 2) for n in CORES},
        "knowledge_gb": round(LARGE_WIKI_PAGES * run["knowledge"]["bytes_per_page"] / 1e9, 1),
        "database_gb": round(LARGE_WIKI_PAGES * run["database_mb"] / run["pages"] / 1e3, 1),
    }


def draw(runs: list[dict[str, Any]], path: Path) -> None:
    """Memory over time, one line per stage and size."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(STAGES), figsize=(12, 3.5), sharey=True)
    for axis, stage in zip(axes, STAGES, strict=True):
        for run in runs:
            seconds, amounts = zip(*run["memory_over_time"][stage], strict=True)
            axis.plot([s / seconds[-1] for s in seconds], [a / 1e6 for a in amounts], label=f"{run['pages']:,} pages")  # fmt: skip
        axis.set(title=stage, xlabel="share of the time", ylim=(0, None))
    axes[0].set_ylabel("MB, all processes")
    axes[-1].legend()
    figure.tight_layout()
    figure.savefig(path)


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", type=int, default=[5_000, 25_000])
    parser.add_argument("--export", type=Path, default=DATA / "wikis" / "vls.xml.bz2")
    parser.add_argument("--as-is", action="store_true")
    parser.add_argument("--join", nargs="+", type=Path, default=[])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--plot", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        runs = []
        for pages in [0] if given.as_is or given.join else given.sizes:
            export = given.export
            if given.join:
                export = join_exports(Path(scratch) / "joined.xml", given.join)
            if pages:
                export = (given.folder or Path(scratch)) / f"{given.export.name}-{pages}.xml"
                if not export.exists():
                    write_wiki(export, given.export, pages)
            folder = Path(scratch) / str(pages)
            folder.mkdir()
            runs.append(run_of(export, folder / "w.db"))
    if given.plot:
        draw(runs, given.plot)
    result = {"runs": runs, "growth": growth(runs[0], runs[-1]), "cost_model": cost_model(runs[-1])}
    json.dump(result, sys.stdout, indent=None if given.plot is None else 1)
    print()


if __name__ == "__main__":
    main()
