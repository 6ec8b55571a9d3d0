"""The paper's tables from the files that ``scripts/paper.py`` writes, one for each system and split."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

FIRST = {
    "crtm_paper": "CRTM", "rtm": "RTM", "crtm_1": "CRTM_1", "crtm_u": "CRTM_U", "crtm_p": "CRTM_P", "crtm_i": "CRTM_I",
    "tagme": "TAGME", "crtm": "*crtm* of this library",
}  # fmt: skip
SECOND = {
    "crtm_paper": "CRTM", "rtm": "RTM", "rle": "RLE", "geld": "GELD", "tadw": "TADW", "gvnr_t": "GVNR-t",
    "tfidf": "tf-idf cosine", "crtm": "*crtm* of this library",
}  # fmt: skip


def read_splits(folder: Path, table: str) -> dict[str, list[dict[str, Any]]]:
    """Return what was measured of each model or group, one entry for each split."""
    found: dict[str, list[dict[str, Any]]] = {}
    for file in sorted(folder.glob(f"{table}-*-[0-9]*.json")):
        model = file.stem.removeprefix(f"{table}-").rpartition("-")[0]
        found.setdefault(model, []).append(json.loads(file.read_text(encoding="utf-8")))
    return found


def cell(values: Sequence[float], full: int) -> str:
    """Return mean and standard deviation; fewer splits than there should be are told.

    >>> cell([0.5, 0.7], 2), cell([0.5], 10), cell([], 10)
    ('.60 (.10)', '.50 (.00), 1 split', '-')
    """
    if not values:
        return "-"
    told = f"{_short(float(np.mean(values)))} ({_short(float(np.std(values)))})"
    count = len(values)
    return told if count >= full else f"{told}, {count} split{'s' if count > 1 else ''}"


def _short(value: float) -> str:
    return f"{value:.2f}".removeprefix("0")


def rows(head: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown."""
    head = list(head)
    table = [head, ["---"] * len(head), *map(list, lines)]
    return "\n".join(f"| {' | '.join(line)} |" for line in table)


def anchors_table(work: Path, corpora: Sequence[str], table: str, splits: int) -> str:
    """Return P@1 / P@5 of every model on every corpus, with the settings of ``table``: ``paper`` or ``chosen``."""
    found = {name: read_splits(work / name, table) for name in corpora}
    found = {name: models for name, models in found.items() if models}
    lines = []
    for model, label in FIRST.items():
        if not any(model in models for models in found.values()):
            continue
        cells = []
        for models in found.values():
            measured = models.get(model, [])
            first = cell([one["p_at_1"] for one in measured], splits)
            fifth = cell([one["p_at_5"] for one in measured], splits).partition(",")[0]
            cells.append(f"{first} / {fifth}" if measured else "-")
        lines.append([label, *cells])
    return rows(["P@1 / P@5", *found], lines) if lines else ""


def chosen_settings(work: Path, corpora: Sequence[str]) -> str:
    """Return the settings that validation links chose, by model and corpus."""
    lines = []
    for name in corpora:
        chosen = {}
        for model in FIRST:
            file = work / name / f"settings-{model}.json"
            if file.exists():
                values = json.loads(file.read_text(encoding="utf-8")).values()
                chosen[model] = ", ".join(f"{value:g}" for value in values)
        if chosen:
            lines.append([name, *(chosen.get(model, "-") for model in FIRST if model in FIRST)])
    kept = [i for i, _ in enumerate(["corpus", *FIRST]) if any(line[i] != "-" for line in lines)]
    head = [["corpus", *FIRST.values()][i] for i in kept]
    return rows(head, [[line[i] for i in kept] for line in lines]) if lines else ""


def links_table(work: Path, corpora: Sequence[str], draws: int) -> str:
    """Return the AUC of every system on every corpus."""
    found: dict[str, dict[str, list[float]]] = {}
    for name in corpora:
        for splits in read_splits(work / name, "links").values():
            for split in splits:
                for system, value in split.items():
                    if system != "tfidf" or len(split) > 2:  # tf-idf is measured beside each group
                        found.setdefault(name, {}).setdefault(system, []).append(value)
    lines = [
        [label, *(cell(of.get(system, []), draws) for of in found.values())]
        for system, label in SECOND.items()
    ]
    return rows(["AUC", *found], lines) if found else ""
