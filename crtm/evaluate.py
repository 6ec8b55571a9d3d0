"""Protocol A over models and seeds: P@1, P@5, exact spans, ROC."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from crtm.corpus import Corpus
from crtm.model import CRTM
from crtm.protocol import Split, hide_links
from crtm.scoring import best_of_words
from crtm.vectors import Floats

PAPER = {"n_topics": 50, "terms": (), "update": "paper"}
VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "rtm": {**PAPER, "context": "document", "transform": "identity"},
    "crtm_1": {**PAPER, "context": "anchor"},
    "crtm_u": {**PAPER, "context": "uniform"},
    "crtm_p": {**PAPER, "context": "positional"},
    "crtm_i": {**PAPER, "transform": "identity"},
    "crtm_paper": {**PAPER},
    "grtm": {**PAPER, "context": "document", "transform": "full", "update": "contrast"},
    "crtm": {},
}
GRID = np.linspace(0, 1, 101)


@dataclass(frozen=True, slots=True)
class Figures:
    """What one model did on one split."""

    p_at_1: float
    p_at_5: float
    span_p_at_1: float
    auc: float
    roc: Floats
    fit_seconds: float
    iterations: int


def measure(corpus: Corpus, split: Split, model: CRTM, fit_seconds: float) -> Figures:
    """Return the figures of a fitted model on the test links of a split."""
    ranks, exact, curves = [], [], []
    for number in range(len(split.test)):
        link = split.test[number : number + 1]
        source, target = int(link.source[0]), int(link.target[0])
        scores = model.score_tokens(source, [target])
        words, best = best_of_words(split.training[source], scores)
        anchor = np.isin(words, corpus.words[link.first[0] : link.last[0]])
        ranks.append(int((best[:, 0] > best[anchor, 0].max()).sum()))
        curves.append(_roc(best[:, 0], anchor))
        spans = model.rank_spans(source, target)
        exact.append((spans[0].start, spans[0].end) == (int(link.start[0]), int(link.end[0])))
    place, roc = np.array(ranks), np.mean(curves, axis=0)
    return Figures(
        float((place < 1).mean()),
        float((place < 5).mean()),
        float(np.mean(exact)),
        float(np.trapezoid(roc, GRID)),
        roc,
        fit_seconds,
        model.n_iter_,
    )


def _roc(scores: Floats, right: npt.NDArray[np.bool_]) -> Floats:
    """Return the share of right words found at each share of wrong words taken."""
    order = np.argsort(-scores, kind="stable")
    hits, misses = np.cumsum(right[order]), np.cumsum(~right[order])
    result: Floats = np.interp(
        GRID,
        np.concatenate([[0.0], misses / max(1, misses[-1])]),
        np.concatenate([[0.0], hits / max(1, hits[-1])]),
    ).astype(np.float32)
    return result


def evaluate(
    corpus: Corpus,
    names: Sequence[str],
    seeds: int,
    on_result: Callable[[str, int, Figures], None] | None = None,
) -> dict[str, list[Figures]]:
    """Return the figures of every model on the same splits, one for each seed."""
    results: dict[str, list[Figures]] = {name: [] for name in names}
    for seed in range(seeds):
        split = hide_links(corpus, seed)
        for name in names:
            begun = time.perf_counter()
            model = CRTM(**VARIANTS[name], seed=seed).fit(split.training, split.validation)
            figures = measure(corpus, split, model, time.perf_counter() - begun)
            results[name].append(figures)
            if on_result:
                on_result(name, seed, figures)
    return results


def summary(
    corpus: Corpus, path: str, results: Mapping[str, Sequence[Figures]], seeds: int
) -> dict[str, Any]:
    """Return the figures as JSON holds them: mean and standard deviation over seeds."""
    return {
        "corpus": {
            "file": path,
            "documents": len(corpus),
            "words": len(corpus.vocabulary),
            "tokens": len(corpus.words),
            "links": len(corpus.links),
            "links_without_known_word": corpus.dropped_links,
            "seeds": seeds,
        },
        "models": {name: _spread(figures) for name, figures in results.items()},
    }


def _spread(figures: Sequence[Figures]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name in ("p_at_1", "p_at_5", "span_p_at_1", "auc"):
        values = [getattr(one, name) for one in figures]
        out[name] = {"mean": float(np.mean(values)), "std": float(np.std(values))}
    seconds = float(np.mean([one.fit_seconds for one in figures]))
    iterations = float(np.mean([one.iterations for one in figures]))
    out["fit_seconds"] = seconds
    out["iterations"] = iterations
    out["seconds_per_iteration"] = seconds / max(1.0, iterations)
    return out
