"""Makes the protocol D part of docs/results.md: insertion and orphans on every corpus.

    python scripts/insertion.py [--data FOLDER] [--work FOLDER] [--corpora NAMES] [--seeds N] [--minutes N]

The exports are looked for in WIKIBOT_DATA, else in ../shared/data. What is in the work folder is not measured again: it can be stopped
and taken up. The tables show what there is.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from paper import EXPORTS, read_corpus, write
from threadpoolctl import threadpool_limits

from crtm.experiments.insertion import evaluate_seed
from crtm.experiments.insertion_tables import markdown
from crtm.experiments.orphans import evaluate_orphans_seed

ROOT = Path(__file__).resolve().parent.parent
TASKS = {"insertion": evaluate_seed, "orphans": evaluate_orphans_seed}


def main() -> None:
    """Measure what is missing, then write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    shared = Path(os.environ.get("WIKIBOT_DATA", ROOT.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=shared)
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "paper")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    corpora = [name for name in EXPORTS if name != "en-superheroes-leads"]
    parser.add_argument("--corpora", default=",".join(corpora))
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=1e6, help="begin nothing after so long")
    given = parser.parse_args()
    until = time.monotonic() + 60 * given.minutes
    for name in given.corpora.split(","):
        folder = given.work / name
        folder.mkdir(parents=True, exist_ok=True)
        corpus = None
        for seed in range(given.seeds):
            for task in given.tasks.split(","):
                file = folder / f"{task}-{seed}.json"
                if file.exists() or time.monotonic() > until:
                    continue
                corpus = corpus or read_corpus(name, given.data, given.work)
                with threadpool_limits(1, user_api="blas"):
                    write(file, TASKS[task](corpus, seed, n_jobs=1))
                sys.stderr.write(f"{time.strftime('%H:%M:%S')} {name} {file.stem}\n")
    document = given.docs / "results.md"
    before, _, rest = document.read_text(encoding="utf-8").partition("<!-- protocol D begins -->\n")
    after = rest.partition("<!-- protocol D ends -->\n")[2]
    tables = markdown(given.work, corpora)
    text = f"{before}<!-- protocol D begins -->\n{tables}\n<!-- protocol D ends -->\n{after}"
    document.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
