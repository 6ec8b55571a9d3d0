"""Makes the protocol A part of docs/results.md: corpora, splits, all models, link prediction, case study, picture.

    python scripts/results.py [--data FOLDER] [--work FOLDER] [--corpora NAMES] [--models NAMES]

The exports are looked for in WIKIBOT_DATA, else in ../shared/data. Figures already in the work folder are not measured again: it can
be stopped and taken up, and two can work side by side on different corpora or models.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from crtm.casestudy import hidden_cases
from crtm.corpus import Corpus, read_records
from crtm.evaluate import evaluate, summary
from crtm.linkprediction import link_prediction_figures
from crtm.pictures import draw_roc
from crtm.report import by_corpus, curves, markdown, write_into
from crtm.terms import TERMS

ROOT = Path(__file__).resolve().parent.parent
EXPORTS = {
    "en-superheroes-leads": ("en-superheroes.xml.bz2", "--lead"),
    "en-superheroes-whole": ("en-superheroes.xml.bz2",),
    "ltg": ("ltg.xml.bz2",),
    "it-small": ("it-small.xml.bz2",),
}
FIRST = ("crtm", "rtm", "title", "tfidf", "bm25", "tagme")
OF_THE_PAPER = ("crtm_1", "crtm_u", "crtm_p", "crtm_i", "crtm_paper", "grtm")
CHANGED = ("crtm_topics", "crtm_skipgram", "crtm_paper_skipgram", *(f"crtm_no_{t}" for t in TERMS))
PREDICTION, CASES = "link_prediction", "case_study"
# How many splits of which corpus: long articles take minutes each.
PLAN: dict[str, dict[str, int]] = {
    "en-superheroes-leads": {
        **dict.fromkeys((*FIRST, *OF_THE_PAPER), 10), **dict.fromkeys(CHANGED, 5), PREDICTION: 5,
    },
    "ltg": {**dict.fromkeys((*FIRST, *OF_THE_PAPER), 10), **dict.fromkeys(CHANGED, 5), PREDICTION: 5},
    "it-small": {**dict.fromkeys(FIRST, 10), **dict.fromkeys((*OF_THE_PAPER, "crtm_topics"), 3), PREDICTION: 3},
    "en-superheroes-whole": {
        **dict.fromkeys(FIRST, 10), **dict.fromkeys((*OF_THE_PAPER, "crtm_topics"), 3), PREDICTION: 2, CASES: 6,
    },
}  # fmt: skip


def corpus_file(name: str, data: Path, work: Path) -> Path:
    """The corpus as JSON lines, exported if it is not there yet."""
    path = work / f"{name}.jsonl"
    if not path.exists():
        export, *options = EXPORTS[name]
        command = [sys.executable, "-m", "wikibot", "corpus", "--export", str(data / export), *options]  # fmt: skip
        unfinished = path.with_suffix(".part")
        with unfinished.open("wb") as out:
            subprocess.run(command, stdout=out, check=True)
        unfinished.replace(path)
    return path


def measured(path: Path, corpus: Corpus, model: str, times: int) -> dict[str, Any]:
    """The figures of one model, or of link prediction, or the case study, as a report of its own."""
    if model not in (PREDICTION, CASES):
        return summary(corpus, path.name, evaluate(corpus, [model], times), times)
    report = summary(corpus, path.name, {}, times)
    if model == PREDICTION:
        return {**report, PREDICTION: link_prediction_figures(corpus, times)}
    text_of = {record["title"]: record["text"] for record in read_records(path)}
    return {**report, CASES: hidden_cases(corpus, text_of, times, 5)}


def measure_corpus(name: str, models: list[str], data: Path, work: Path) -> None:
    """Write a file for each model of the plan that has none."""
    folder = work / name
    folder.mkdir(parents=True, exist_ok=True)
    missing = [m for m in PLAN[name] if m in models and not (folder / f"{m}.json").exists()]
    if not missing:
        return
    path = corpus_file(name, data, work)
    corpus = Corpus.from_jsonl(path)
    for model in missing:
        report = measured(path, corpus, model, PLAN[name][model])
        (folder / f"{model}.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
        sys.stderr.write(f"{name} {model}\n")


def main() -> None:
    """Measure what is missing, then write tables and picture."""
    every = list(dict.fromkeys(model for plan in PLAN.values() for model in plan))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("WIKIBOT_DATA", ROOT.parent / "shared" / "data")))  # fmt: skip
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "results")
    parser.add_argument("--corpora", default=",".join(PLAN))
    parser.add_argument("--models", default=",".join(every))
    chosen = parser.parse_args()
    for name in chosen.corpora.split(","):
        measure_corpus(name, chosen.models.split(","), chosen.data, chosen.work)
    files = [file for name in PLAN for file in sorted((chosen.work / name).glob("*.json"))]
    reports = by_corpus(files)
    write_into(ROOT / "docs" / "results.md", markdown(reports))
    draw_roc(ROOT / "docs" / "pictures" / "roc-corpora.png", curves(reports))


if __name__ == "__main__":
    main()
