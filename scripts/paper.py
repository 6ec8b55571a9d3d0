"""Makes the tables of docs/paper.md: the paper's two tables on every corpus.

    python scripts/paper.py [--data FOLDER] [--work FOLDER] [--corpora NAMES] [--tables NAMES] [--models NAMES] [--minutes N]

The exports are looked for in WIKIBOT_DATA, else in ../shared/data. What is in the work folder is not measured again: it can be stopped
and taken up. The tables show what there is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from measuring import (
    EXPORTS,
    measure_missing,
    measuring_arguments,
    read,
    read_corpus,
    write,
    write_tables,
)

from crtm.corpus import Corpus
from crtm.experiments.evaluate import BASELINES, VARIANTS
from crtm.experiments.linkprediction import predict_links
from crtm.experiments.paper_tables import anchors_table, chosen_settings, links_table
from crtm.experiments.protocol import Split, hide_links
from crtm.experiments.settings import OF_THE_PAPER, choose, precision
from crtm.model import CRTM

SPLITS, DRAWS = 10, 5
ANCHORS = (*OF_THE_PAPER, "tagme", "crtm")  # the rows of the first table
LINKS = ("rtm", "crtm_paper", "crtm", "embeddings")  # groups of rows of the second


def anchors(corpus: Corpus, model: str, seed: int, settings: dict[str, Any]) -> dict[str, Any]:
    """P@1 and P@5 of a model on one split."""
    split = hide_links(corpus, seed)
    begun = time.process_time()
    scorer = _fitted(model, split, seed, settings)
    seconds = time.process_time() - begun
    return {
        **asdict(precision(scorer, corpus, split.training, split.test)), "settings": settings,
        "cpu_seconds": seconds,
    }  # fmt: skip


def _fitted(model: str, split: Split, seed: int, settings: dict[str, Any]) -> Any:
    if model in BASELINES:
        return BASELINES[model](split.training)
    parameters = {**VARIANTS[model], **settings, "seed": seed, "n_jobs": 1}
    return CRTM(**parameters).fit(split.training, split.validation)


def chosen_anchors(corpus: Corpus, model: str, seed: int, folder: Path) -> dict[str, Any]:
    """The same with settings chosen once, on the validation links of the first split."""
    file = folder / f"settings-{model}.json"
    if not file.exists():
        write(file, choose(model, corpus, hide_links(corpus, 0), 0))
    return anchors(corpus, model, seed, read(file))


def links(corpus: Corpus, group: str, seed: int) -> dict[str, Any]:
    """The AUC of a group of systems on one draw of hidden page pairs."""
    variants = {group: VARIANTS[group]} if group in VARIANTS else {}
    found = predict_links(corpus, [seed], variants, embeddings=not variants)
    return {name: values[0] for name, values in found.items()}


def jobs(
    tables: list[str], folder: Path, corpus: Callable[[], Corpus]
) -> Iterator[tuple[Path, Callable[[], Any]]]:
    """Each file that belongs to the corpus, and what makes it."""
    for seed in range(max(SPLITS, DRAWS)):
        for model in ANCHORS if "paper" in tables and seed < SPLITS else ():
            yield (
                folder / f"paper-{model}-{seed}.json",
                lambda model=model, seed=seed: anchors(corpus(), model, seed, {}),  # type: ignore[misc]
            )
        for model in OF_THE_PAPER if "chosen" in tables and seed < SPLITS else ():
            yield (
                folder / f"chosen-{model}-{seed}.json",
                lambda model=model, seed=seed: chosen_anchors(corpus(), model, seed, folder),  # type: ignore[misc]
            )
        for model in LINKS if "links" in tables and seed < DRAWS else ():
            yield (
                folder / f"links-{model}-{seed}.json",
                lambda model=model, seed=seed: links(corpus(), model, seed),  # type: ignore[misc]
            )


def main() -> None:
    """Measure what is missing, then write the document."""
    parser = measuring_arguments(__doc__, "paper", ",".join(EXPORTS))
    parser.add_argument("--tables", default="links,paper,chosen")
    parser.add_argument("--models", default="", help="only these models")
    given = parser.parse_args()
    until = time.monotonic() + 60 * given.minutes
    for name in given.corpora.split(","):
        folder = given.work / name
        folder.mkdir(parents=True, exist_ok=True)
        corpus = lru_cache(partial(read_corpus, name, given.data, given.work))
        for file, measure in jobs(given.tables.split(","), folder, corpus):
            if not given.models or file.stem.split("-")[1] in given.models.split(","):
                measure_missing(file, until, measure)
    corpora = list(EXPORTS)
    tables = {
        "paper": anchors_table(given.work, corpora, "paper", SPLITS),
        "chosen": anchors_table(given.work, corpora, "chosen", SPLITS),
        "settings": chosen_settings(given.work, corpora),
        "links": links_table(given.work, corpora, DRAWS),
    }
    write_tables(given.docs / "paper.md", tables)


if __name__ == "__main__":
    main()
