"""Makes the protocol D part of docs/results.md: insertion and orphans on every corpus.

    python scripts/insertion.py [--data FOLDER] [--work FOLDER] [--corpora NAMES] [--systems NAMES] [--seeds N] [--minutes N]

The exports are looked for in WIKIBOT_DATA, else in ../shared/data. What is in the work folder is not measured again: it can be stopped
and taken up. The tables show what there is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from measuring import EXPORTS, measure_missing, measuring_arguments, read_corpus, write_tables
from threadpoolctl import threadpool_limits

from crtm.corpus import Corpus
from crtm.experiments.insertion import SYSTEMS, evaluate_seed
from crtm.experiments.insertion_tables import markdown
from crtm.experiments.orphans import evaluate_orphans_seed

CORPORA = [name for name in EXPORTS if name != "en-superheroes-leads"]


def one_split(task: Callable[..., Any], corpus: Callable[[], Corpus], seed: int) -> Any:
    """What the task gives on one split."""
    with threadpool_limits(1, user_api="blas"):
        return task(corpus(), seed, n_jobs=1)


def main() -> None:
    """Measure what is missing, then write the tables."""
    parser = measuring_arguments(__doc__, "paper", ",".join(CORPORA))
    parser.add_argument("--tasks", default="insertion,orphans")
    parser.add_argument("--systems", default=",".join(SYSTEMS), help="of protocol D")
    parser.add_argument("--seeds", type=int, default=10)
    given = parser.parse_args()
    tasks: dict[str, Callable[..., Any]] = {
        "insertion": partial(evaluate_seed, systems=given.systems.split(",")),
        "orphans": evaluate_orphans_seed,
    }
    until = time.monotonic() + 60 * given.minutes
    for name in given.corpora.split(","):
        folder = given.work / name
        folder.mkdir(parents=True, exist_ok=True)
        corpus = lru_cache(partial(read_corpus, name, given.data, given.work))
        for seed in range(given.seeds):
            for task in given.tasks.split(","):
                measure_missing(
                    folder / f"{task}-{seed}.json",
                    until,
                    partial(one_split, tasks[task], corpus, seed),
                )
    write_tables(given.docs / "results.md", {"protocol D": markdown(given.work, CORPORA)})


if __name__ == "__main__":
    main()
