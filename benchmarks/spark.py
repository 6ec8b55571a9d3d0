"""python -m benchmarks.spark [--db FILE] [--export FILE] [--pages N] [--times N]

What a second Spark worker is worth, and what Spark costs beside the local engine on the same cores: pages
are counted and proposals are found with two processes of this machine, on a stand-alone cluster with one
worker of one core, and on one with two. Each is done several times in turn; the least time counts. Prints
JSON.

FILE is a database that something was learned from (`wikibot train`); without it, one is made of the export.
Needs Java and PySpark (the extra `spark`).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from tests.spark.conftest import ADDRESS, SparkCluster
from wikibot.config import load_settings
from wikibot.dataset import load_dataset
from wikibot.engine import map_pages
from wikibot.engine.spark import spark_engine
from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.models import open_models
from wikibot.policies import policy_of
from wikibot.store import Store, open_store
from wikibot.suggest import EVERYTHING, Work
from wikibot.train import train

DATA = Path(os.environ.get("WIKIBOT_DATA", Path(__file__).parents[2] / "shared" / "data"))
SMALL = "--driver-memory 512m --conf spark.executor.memory=512m --conf spark.ui.enabled=false"


def learned_database(export: Path, path: Path) -> Path:
    """A database with the export's pages and what was learned from them."""
    with open_store(path, create=True) as store:
        fetch_export(store, ExportOptions(export))
        train(store)
    return path


def proposing_seconds(store: Store, pages: int) -> tuple[float, int]:
    """How long it takes to find the proposals of so many pages, and how many there are."""
    dataset = load_dataset(store)
    assert dataset.wiki is not None
    settings = load_settings()
    models = open_models(store, dataset.wiki.id)
    work = Work(
        store, dataset, models, policy_of(store, dataset.wiki, settings), EVERYTHING, settings
    )
    work.numbers = work.numbers[:pages]
    asked = list(work.asked())
    begun = time.perf_counter()
    found = sum(len(rows or ()) for rows in map_pages(work.score_page(), asked))
    return time.perf_counter() - begun, found


@contextmanager
def cluster_of(workers: int, folder: Path) -> Iterator[str]:
    """The address of a cluster with so many workers of one core each."""
    cluster = SparkCluster(folder)
    folder.mkdir()
    os.environ |= {
        "PYSPARK_SUBMIT_ARGS": f"{SMALL} pyspark-shell",
        "PYSPARK_PYTHON": sys.executable,
    }
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    try:
        cluster.master = cluster.start("Master", "--port", "0", until=ADDRESS)[1]
        for _ in range(workers):
            cluster.start_worker()
        yield cluster.master
    finally:
        cluster.stop()


def measured(store: Store, pages: int, times: int, folder: Path) -> dict[str, Any]:
    """The least seconds of each way to work, and their ratios."""
    ways: dict[str, Callable[[], Any]] = {
        "local_two_processes": nullcontext,
        "spark_one_worker": lambda: on_workers(1, folder),
        "spark_two_workers": lambda: on_workers(2, folder),
    }
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    proposals = set()
    for _ in range(times):
        for way, entered in ways.items():
            with entered():
                spent, found = proposing_seconds(store, pages)
            seconds[way].append(round(spent, 2))
            proposals.add(found)
    assert len(proposals) == 1, "every engine finds the same proposals"
    least = {way: min(spent) for way, spent in seconds.items()}
    return {
        "most_pages": pages,
        "proposals": proposals.pop(),
        "seconds": seconds,
        "two_workers_against_one": round(least["spark_one_worker"] / least["spark_two_workers"], 2),
        "spark_against_local": round(least["spark_two_workers"] / least["local_two_processes"], 2),
    }


@contextmanager
def on_workers(workers: int, folder: Path) -> Iterator[None]:
    """Map on a new cluster whose executors are up."""
    place = Path(tempfile.mkdtemp(dir=folder))
    with cluster_of(workers, place / "cluster") as master, spark_engine(master, place):
        list(map_pages(str, range(4 * workers)))
        yield


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", type=Path)
    parser.add_argument("--export", type=Path, default=DATA / "ltg.xml.bz2")
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--times", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        database = given.db or learned_database(given.export, folder / "w.db")
        with open_store(database) as store:
            json.dump(measured(store, given.pages, given.times, folder), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
