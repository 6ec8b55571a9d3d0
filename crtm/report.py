"""Tables of ``docs/results.md`` from the JSON files of ``python -m crtm evaluate``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crtm.errors import CRTMError

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
HEADING = ("model", "P@1", "P@5", "exact span P@1", "AUC", "seconds to fit", "seconds an iteration")


def markdown(files: Sequence[str | Path]) -> str:
    """Return the section: a table for each file, then the paper's."""
    parts = [BEGIN, "## Protocol A: the anchor's words\n"]
    parts += [
        _corpus_table(Path(file), json.loads(Path(file).read_text(encoding="utf-8")))
        for file in files
    ]
    parts += [_paper_table(), END]
    return "\n".join(parts) + "\n"


def write_into(path: str | Path, section: str) -> None:
    """Put the section into a document in place of the one between the marks; other text is left as it is."""
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


def _corpus_table(file: Path, report: Mapping[str, Any]) -> str:
    corpus = report["corpus"]
    told = (
        f"{corpus['documents']:,} documents, {corpus['tokens']:,} known words, {corpus['links']:,} links; "
        f"{corpus['links_without_known_word']:,} more links have no known word in their anchor and are left out. "
        f"Mean (standard deviation) over {corpus['seeds']} splits."
    )
    rows = [_row(HEADING), _row(["---"] * len(HEADING))]
    rows += [_row(_cells(name, figures)) for name, figures in report["models"].items()]
    return "\n".join([f"### {file.stem}\n", told + "\n", *rows, "", *_prediction(report)])


def _cells(name: str, figures: Mapping[str, Any]) -> list[str]:
    spread = [
        f"{figures[key]['mean']:.3f} ({figures[key]['std']:.3f})"
        for key in ("p_at_1", "p_at_5", "span_p_at_1", "auc")
    ]
    return [
        name,
        *spread,
        f"{figures['fit_seconds']:.1f}",
        f"{figures['seconds_per_iteration']:.2f}",
    ]


def _prediction(report: Mapping[str, Any]) -> list[str]:
    if "link_prediction" not in report:
        return []
    told = [
        f"{name} {figures['auc']['mean']:.3f} ({figures['auc']['std']:.3f})"
        for name, figures in report["link_prediction"].items()
    ]
    return [f"Link prediction, AUC: {', '.join(told)}.\n"]


def _paper_table() -> str:
    names = ("model", "Physics", "Society", "Fisica", "Società", "Physik", "Gesellschaft")
    rows = [_row(names), _row(["---"] * len(names))]
    rows += [_row([name, *values]) for name, values in PAPER.items()]
    return "\n".join(["### The paper's table (P@1/P@5, its own corpora)\n", *rows, ""])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
