"""Makes the protocol A part of docs/results.md: corpora, splits, all models, link prediction, case study, picture.

    python scripts/results.py [--data FOLDER] [--work FOLDER] [--corpora NAMES] [--models NAMES] [--minutes N]

The exports are looked for in WIKIBOT_DATA, else in ../shared/data. Splits whose figures are in the work folder are not measured again:
it can be stopped and taken up, and two can work side by side on different corpora or models. The tables show what there is.
"""

from __future__ import annotations

import time
from argparse import Namespace
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from measuring import corpus_file, measure_missing, measuring_arguments, read, write

from crtm.corpus import Corpus, read_records
from crtm.experiments.casestudy import hidden_cases
from crtm.experiments.evaluate import Figures, fitted, mean_and_std, measure, spread, summary
from crtm.experiments.linkprediction import predict_links
from crtm.experiments.pictures import draw_roc
from crtm.experiments.protocol import hide_links
from crtm.experiments.report import Report, curves, markdown, write_into
from crtm.terms import TERMS

FIRST = ("crtm", "rtm", "title", "tfidf", "bm25", "tagme")
OF_THE_PAPER = ("crtm_1", "crtm_u", "crtm_p", "crtm_i", "crtm_paper", "grtm")
CHANGED = ("crtm_topics", "crtm_skipgram", "crtm_paper_skipgram", *(f"crtm_no_{t}" for t in TERMS))
PREDICTION, CASES = "link_prediction", "case_study"
# How many splits of which corpus: long articles take minutes each.
PLAN: dict[str, dict[str, int]] = {
    "en-superheroes-leads": {
        **dict.fromkeys((*FIRST, *OF_THE_PAPER), 10), **dict.fromkeys(CHANGED, 3), PREDICTION: 3,
    },
    "ltg": {**dict.fromkeys((*FIRST, *OF_THE_PAPER), 10), **dict.fromkeys(CHANGED, 3), PREDICTION: 3},
    "it-small": {**dict.fromkeys(FIRST, 10), **dict.fromkeys((*OF_THE_PAPER, "crtm_topics"), 3), PREDICTION: 3},
    "en-superheroes": {
        **dict.fromkeys(FIRST, 10), CASES: 1, **dict.fromkeys((*OF_THE_PAPER, "crtm_topics"), 2), PREDICTION: 1,
    },
}  # fmt: skip


def one_split(corpus: Corpus, model: str, seed: int) -> dict[str, Any]:
    """What a model, link prediction or the case study gives on one split, as JSON holds it."""
    if model == PREDICTION:
        return {name: values[0] for name, values in predict_links(corpus, [seed]).items()}
    split = hide_links(corpus, seed)
    figures = measure(corpus, split, fitted(model, split, seed))
    return {**asdict(figures), "roc": figures.roc.tolist()}


def measure_corpus(name: str, models: list[str], given: Namespace, until: float) -> None:
    """Write a file for each split of each model of the plan that has none; stop when the time is up."""
    folder = given.work / name
    folder.mkdir(parents=True, exist_ok=True)
    splits = [(m, seed) for m in PLAN[name] if m in models for seed in range(PLAN[name][m])]
    missing = [(m, seed) for m, seed in splits if not (folder / f"{m}-{seed}.json").exists()]
    if not missing or time.monotonic() > until:
        return
    file = corpus_file(name, given.data, given.work)
    corpus = Corpus.from_jsonl(file)
    write(folder / "corpus.json", summary(corpus, file.name, {}, 0)["corpus"])
    for model, seed in missing:
        measure = partial(hidden_anchors, corpus, file) if model == CASES else partial(one_split, corpus, model, seed)  # fmt: skip
        measure_missing(folder / f"{model}-{seed}.json", until, measure)


def hidden_anchors(corpus: Corpus, file: Path) -> Any:
    """The case study: the best anchors of some hidden links."""
    text_of = {record["title"]: record["text"] for record in read_records(file)}
    return hidden_cases(corpus, text_of, 6, 5)


def collected(name: str, work: Path) -> Report:
    """The report of a corpus from all splits that were measured."""
    found = {model: _splits(work / name, model) for model in PLAN[name]}
    found = {model: splits for model, splits in found.items() if splits}
    cases, prediction = found.pop(CASES, None), found.pop(PREDICTION, None)
    report: Report = {"corpus": read(work / name / "corpus.json"), "models": {}}
    for model, splits in found.items():
        figures = [Figures(**split) for split in splits]
        report["models"][model] = {**spread(figures), "seeds": len(figures)}
    if prediction:
        report[PREDICTION] = {
            model: {
                "auc": mean_and_std([split[model] for split in prediction]),
                "seeds": len(prediction),
            }
            for model in prediction[0]
        }
    return {**report, CASES: cases[0]} if cases else report


def _splits(folder: Path, model: str) -> list[Any]:
    numbers = sorted(
        int(file.stem.rpartition("-")[2]) for file in folder.glob(f"{model}-[0-9]*.json")
    )
    return [read(folder / f"{model}-{number}.json") for number in numbers]


def main() -> None:
    """Measure what is missing, then write tables and picture."""
    every = list(dict.fromkeys(model for plan in PLAN.values() for model in plan))
    parser = measuring_arguments(__doc__, "results", ",".join(PLAN))
    parser.add_argument("--models", default=",".join(every))
    chosen = parser.parse_args()
    until = time.monotonic() + 60 * chosen.minutes
    for name in chosen.corpora.split(","):
        measure_corpus(name, chosen.models.split(","), chosen, until)
    known = [name for name in PLAN if (chosen.work / name / "corpus.json").exists()]
    reports = {name: collected(name, chosen.work) for name in known}
    write_into(chosen.docs / "results.md", markdown(reports))
    draw_roc(chosen.docs / "pictures" / "roc-corpora.png", curves(reports))


if __name__ == "__main__":
    main()
