"""Tables of ``docs/results.md`` from the JSON files of ``python -m crtm evaluate``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crtm.errors import CRTMError
from crtm.tokenize import split_words

BEGIN, END = "<!-- protocol A begins -->", "<!-- protocol A ends -->"
# P@1 / P@5 in the paper: English Physics, English Society, Italian Fisica, Italian Società, German Physik, Gesellschaft.
PAPER: Mapping[str, tuple[str, ...]] = {
    "CRTM": (".65/.86", ".65/.88", ".45/.76", ".38/.69", ".50/.81", ".53/.81"),
    "RTM": (".34/.71", ".32/.69", ".33/.72", ".31/.68", ".39/.75", ".41/.75"),
    "TagMe (P@1)": (".71", ".63", ".51", ".40", ".65", ".60"),
    "CRTM_1": (".37/.78", ".36/.76", ".33/.73", ".33/.67", ".39/.74", ".41/.76"),
    "CRTM_U": (".37/.76", ".36/.74", ".32/.70", ".33/.69", ".39/.76", ".42/.76"),
    "CRTM_P": (".37/.78", ".36/.75", ".34/.72", ".33/.67", ".39/.75", ".41/.76"),
    "CRTM_I": (".37/.76", ".35/.74", ".33/.72", ".33/.67", ".38/.74", ".42/.77"),
}
MODEL_ORDER = (
    "rtm",
    "crtm_1",
    "crtm_u",
    "crtm_p",
    "crtm_i",
    "crtm_paper",
    "crtm_paper_skipgram",
    "grtm",
    "crtm",
)
BASELINES = ("title", "tfidf", "bm25", "tagme")
DRAWN = ("crtm", "crtm_paper", "rtm", "title", "tfidf", "tagme")
HEADING = (
    "model", "splits", "P@1", "P@5", "exact span P@1", "AUC", "seconds to fit", "seconds an iteration",
)  # fmt: skip
Report = dict[str, Any]


def by_corpus(files: Sequence[str | Path]) -> dict[str, Report]:
    """Return one report for each corpus: the models of all its files, and whatever else one of them has."""
    merged: dict[str, Report] = {}
    for file in files:
        report = _read(Path(file))
        own = merged.setdefault(Path(report["corpus"]["file"]).stem, {**report, "models": {}})
        for name, figures in report["models"].items():
            own["models"][name] = {**figures, "seeds": report["corpus"]["seeds"]}
        own.update({key: value for key, value in report.items() if key not in ("corpus", "models")})
    return merged


def _read(file: Path) -> Report:
    try:
        report: Report = json.loads(file.read_text(encoding="utf-8"))
        return {**report, "corpus": dict(report["corpus"]), "models": dict(report["models"])}
    except (ValueError, KeyError, TypeError) as error:
        raise CRTMError(f"{file} does not hold figures of `python -m crtm evaluate`.") from error


def curves(reports: Mapping[str, Report]) -> dict[str, dict[str, list[float]]]:
    """Return the ROC curves of the models that the picture shows, by corpus."""
    return {
        name: {model: own["models"][model]["roc"] for model in DRAWN if model in own["models"]}
        for name, own in reports.items()
    }


def markdown(reports: Mapping[str, Report]) -> str:
    """Return the section: tables for each corpus, then the paper's."""
    parts = [BEGIN, "## Protocol A: the anchor's words\n"]
    parts += [_corpus_part(name, report) for name, report in reports.items()]
    parts += [_paper_table(), END]
    return "\n".join(parts) + "\n"


def write_into(path: str | Path, section: str) -> None:
    """Replace the section between the marks of a document; leave its other text alone."""
    document = Path(path)
    text = (
        document.read_text(encoding="utf-8")
        if document.exists()
        else f"# Results\n\n{BEGIN}\n{END}\n"
    )
    if BEGIN not in text or END not in text:
        raise CRTMError(f"{path} lacks the marks {BEGIN} and {END}; nothing was changed.")
    before, rest = text.split(BEGIN, 1)
    document.write_text(before + section.rstrip("\n") + rest.split(END, 1)[1], encoding="utf-8")


def _corpus_part(name: str, report: Report) -> str:
    corpus, models = report["corpus"], report["models"]
    told = (
        f"{corpus['documents']:,} documents, {corpus['tokens']:,} known words, {corpus['links']:,} links; "
        f"{corpus['links_without_known_word']:,} more links have no known word in their anchor and are left out. "
        "Mean (standard deviation) over splits."
    )
    main = [model for model in (*MODEL_ORDER, *BASELINES) if model in models]
    others = sorted(set(models) - set(main), key=lambda model: -models[model]["p_at_1"]["mean"])
    parts = [f"### {name}\n", told + "\n", *_table(models, main), ""]
    if others:
        parts += [
            "CRTM without one of its terms, or otherwise changed:\n",
            *_table(models, others),
            "",
        ]
    return "\n".join([*parts, *_prediction(report), *_case_study(report)])


def _table(models: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    rows = [_row(_cells(name, models[name])) for name in names]
    return [_row(HEADING), _row(["---"] * len(HEADING)), *rows]


def _cells(name: str, figures: Mapping[str, Any]) -> list[str]:
    spread = [_spread(figures[key]) for key in ("p_at_1", "p_at_5", "span_p_at_1", "auc")]
    costs = [f"{figures['fit_seconds']:.1f}", f"{figures['seconds_per_iteration']:.2f}"]
    return [name, str(figures["seeds"]), *spread, *costs]


def _spread(figure: Mapping[str, float]) -> str:
    return f"{figure['mean']:.3f} ({figure['std']:.3f})"


def _prediction(report: Report) -> list[str]:
    if "link_prediction" not in report:
        return []
    found = report["link_prediction"]
    seeds = max(figures["seeds"] for figures in found.values())
    told = [f"{name} {_spread(figures['auc'])}" for name, figures in found.items()]
    return [
        f"Link prediction, AUC over {seeds} draws of a tenth of the page pairs: {', '.join(told)}.\n"
    ]


def _case_study(report: Report) -> list[str]:
    """Return the five best anchors, CRTM beside RTM, of some hidden links."""
    if "case_study" not in report:
        return []
    told = "Five best anchors for hidden links, the first test links of split 0 in a drawn order; the true anchor's words in bold:\n"
    heading = ("page", "links to", "anchor", "CRTM", "RTM")
    rows = [_row(heading), _row(["---"] * len(heading))]
    for case in report["case_study"]:
        ranked = [", ".join(_marked(case[model], case["anchor"])) for model in ("crtm", "rtm")]
        rows.append(_row([case["source"], case["target"], case["anchor"], *ranked]))
    return [told, *rows, ""]


def _marked(words: Sequence[str], anchor: str) -> list[str]:
    right = set(split_words(anchor).words)
    return [f"**{word}**" if word in right else word for word in words]


def _paper_table() -> str:
    names = ("model", "Physics", "Society", "Fisica", "Società", "Physik", "Gesellschaft")
    rows = [_row(names), _row(["---"] * len(names))]
    rows += [_row([name, *values]) for name, values in PAPER.items()]
    return "\n".join(["### The paper's table (P@1/P@5, its own corpora)\n", *rows, ""])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
