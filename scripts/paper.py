"""Makes the tables of docs/paper.md: the paper's two tables on every corpus.

    python scripts/paper.py [--data FOLDER] [--work FOLDER] [--corpora NAMES] [--tables NAMES] [--models NAMES] [--minutes N]

The exports are looked for in WIKIBOT_DATA, else in ../shared/data. What is in the work folder is not measured again: it can be stopped
and taken up. The tables show what there is.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from crtm.corpus import Corpus
from crtm.experiments.evaluate import BASELINES, VARIANTS
from crtm.experiments.linkprediction import predict_links
from crtm.experiments.paper_tables import anchors_table, chosen_settings, links_table
from crtm.experiments.protocol import Split, hide_links
from crtm.experiments.settings import OF_THE_PAPER, choose, precision
from crtm.model import CRTM

ROOT = Path(__file__).resolve().parent.parent
EXPORTS = {
    "ltg": ("ltg.xml.bz2",),
    "en-electowiki": ("wikis/en-electowiki.xml.bz2",),
    "en-superheroes-leads": ("en-superheroes.xml.bz2", "--lead"),
    "ja-countries": ("wikis/ja-countries.xml.bz2",),
    "mr": ("wikis/mr.xml.bz2",),
    "it-small": ("it-small.xml.bz2",),
    "vls": ("wikis/vls.xml.bz2",),
    "hy": ("wikis/hy.xml.bz2",),
    "en-gentoo": ("wikis/en-gentoo.xml.bz2",),
    "fr-ekopedia": ("wikis/fr-ekopedia.xml.bz2",),
    "en-superheroes": ("en-superheroes.xml.bz2",),
}
SPLITS, DRAWS = 10, 5
ANCHORS = (*OF_THE_PAPER, "tagme", "crtm")  # the rows of the first table
LINKS = ("rtm", "crtm_paper", "crtm", "embeddings")  # groups of rows of the second


def read_corpus(name: str, data: Path, work: Path) -> Corpus:
    """The corpus of an export, which is read once and kept as JSON lines."""
    path = work / f"{name}.jsonl"
    if not path.exists():
        export, *options = EXPORTS[name]
        command = [sys.executable, "-m", "wikibot", "corpus", "--export", str(data / export), *options]  # fmt: skip
        unfinished = path.with_suffix(".part")
        with unfinished.open("wb") as out:
            subprocess.run(command, stdout=out, check=True)
        unfinished.replace(path)
    return Corpus.from_jsonl(path)


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


def jobs(name: str, tables: list[str], folder: Path, corpus: Callable[[], Corpus]) -> Iterator[tuple[Path, Callable[[], Any]]]:  # fmt: skip
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


def write(path: Path, content: Any) -> None:
    """Put the content there whole or not at all."""
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(content, indent=1), encoding="utf-8")
    unfinished.replace(path)


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def main() -> None:
    """Measure what is missing, then write the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    shared = Path(os.environ.get("WIKIBOT_DATA", ROOT.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=shared)
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "paper")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    parser.add_argument("--corpora", default=",".join(EXPORTS))
    parser.add_argument("--tables", default="links,paper,chosen")
    parser.add_argument("--models", default="", help="only these models")
    parser.add_argument("--minutes", type=float, default=1e6, help="begin nothing after so long")
    given = parser.parse_args()
    until = time.monotonic() + 60 * given.minutes
    for name in given.corpora.split(","):
        folder = given.work / name
        folder.mkdir(parents=True, exist_ok=True)
        corpus = lru_cache(lambda name=name: read_corpus(name, given.data, given.work))
        for file, measure in jobs(name, given.tables.split(","), folder, corpus):
            model = file.stem.split("-")[1]
            is_asked = not given.models or model in given.models.split(",")
            if is_asked and not file.exists() and time.monotonic() < until:
                write(file, measure())
                sys.stderr.write(f"{time.strftime('%H:%M:%S')} {name} {file.stem}\n")
    write_tables(given.docs / "paper.md", given.work)


def write_tables(document: Path, work: Path) -> None:
    """The tables stand in the document, each between the marks that name it."""
    text, corpora = document.read_text(encoding="utf-8"), list(EXPORTS)
    tables = {
        "paper": anchors_table(work, corpora, "paper", SPLITS),
        "chosen": anchors_table(work, corpora, "chosen", SPLITS),
        "settings": chosen_settings(work, corpora),
        "links": links_table(work, corpora, DRAWS),
    }
    for name, table in tables.items():
        before, _, rest = text.partition(f"<!-- {name} begins -->\n")
        text = f"{before}<!-- {name} begins -->\n{table}\n<!-- {name} ends -->{rest.partition(f'<!-- {name} ends -->')[2]}"
    document.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
