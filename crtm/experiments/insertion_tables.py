"""The tables of protocol D from the files that ``scripts/insertion.py`` writes, one for each split."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crtm.experiments.insertion import summary_of
from crtm.experiments.paper_tables import rows

VARIANTS = {"mention_absent": "Mention absent", "sentence_absent": "Sentence absent", "present": "Present"}  # fmt: skip
SYSTEMS = ("crtm", "crtm_no_topics", "tfidf", "bm25", "string_match", "crtm_paper", "rtm", "random")


def markdown(work: Path, corpora: Sequence[str]) -> str:
    """Return a table for each variant, one of what topics add, and one of orphans."""
    runs = {name: _read(work / name, "insertion") for name in corpora}
    reports = {name: summary_of(found) for name, found in runs.items() if found}
    parts = [_variant(reports, variant) for variant in VARIANTS]
    parts += [_topics(reports), _orphans({name: _read(work / name, "orphans") for name in corpora})]
    return "\n\n".join(part for part in parts if part)


def _read(folder: Path, task: str) -> list[Any]:
    files = sorted(folder.glob(f"{task}-[0-9]*.json"))
    return [json.loads(file.read_text(encoding="utf-8")) for file in files]


def _variant(reports: dict[str, Any], variant: str) -> str:
    """Return hits@1 of every system, and how many times the better of BM25 and tf-idf ours is; corpora without a case are left out."""
    lines = []
    for name, report in reports.items():
        if not report["topics_gain"][variant]["cases"]:
            continue
        hits = {s: of[variant]["hits_at_1"] for s, of in report["systems"].items()}
        base = max(hits["bm25"]["mean"], hits["tfidf"]["mean"])
        ratio = hits["crtm"]["mean"] / max(base, 1e-9)
        ours = f"**{short(hits['crtm']['mean'])}** ({short(hits['crtm']['std'])})"
        others = [short(hits[s]["mean"]) if s in hits else "-" for s in SYSTEMS[1:]]
        lines.append([f"{name} ({report['seeds']})", ours, f"{ratio:.2f}", *others])
    head = ["corpus (splits)", "crtm", "times the better of tf-idf, BM25", "without topics", "tf-idf", "BM25", "names", "CRTM of the paper", "RTM", "random"]  # fmt: skip
    return f"### {VARIANTS[variant]}, hits@1\n\n{rows(head, lines)}" if lines else ""


def _topics(reports: dict[str, Any]) -> str:
    """Return what topics add to hits@1, with the interval."""
    lines = []
    for name, report in reports.items():
        cells = []
        for variant in VARIANTS:
            gain = report["topics_gain"][variant]
            low, high = gain["interval"]
            cells.append(f"{gain['hits_at_1']:+.3f} ({low:+.3f} to {high:+.3f}), {gain['cases']:,}")
        lines.append([name, *cells])
    head = ["corpus", *(f"{label.lower()}, cases" for label in VARIANTS.values())]
    return f"### What topics add to hits@1\n\n{rows(head, lines)}" if lines else ""


def _orphans(found: dict[str, list[Any]]) -> str:
    """Return hits@10 of the page that linked the orphan."""
    lines = []
    for name, runs in found.items():
        if not runs:
            continue
        mean = {system: float(np.mean([run[system] for run in runs])) for system in runs[0]}
        ratio = mean["crtm"] / max(mean["bm25"], mean["tfidf"], 1e-9)
        cells = [f"**{short(mean['crtm'])}**", f"{ratio:.2f}", short(mean["tfidf"]), short(mean["bm25"])]  # fmt: skip
        lines.append([f"{name} ({len(runs)})", *cells])
    head = ["corpus (draws)", "crtm", "times the better of tf-idf, BM25", "tf-idf", "BM25"]
    return (
        f"### Orphans, hits@10 of a page that linked them\n\n{rows(head, lines)}" if lines else ""
    )


def short(value: float) -> str:
    """Return a share with three places and no leading zero.

    >>> short(0.4567), short(1.0)
    ('.457', '1.000')
    """
    return f"{value:.3f}".removeprefix("0")
