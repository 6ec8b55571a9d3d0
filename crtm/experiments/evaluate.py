"""Protocol A over models and seeds: P@1, P@5, exact spans, ROC."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from crtm.corpus import Corpus
from crtm.experiments.baselines import lexical
from crtm.experiments.baselines.tagme import Tagme
from crtm.experiments.protocol import Split, hide_links
from crtm.model import CRTM
from crtm.scoring import best_of_words
from crtm.terms import TERMS
from crtm.vectors import Floats

# The paper's own settings for all of its models; nothing here was chosen by us.
PAPER = {"n_topics": 50, "alpha": 5.0, "terms": (), "update": "paper"}
VARIANTS: Mapping[str, dict[str, Any]] = {
    "rtm": {**PAPER, "context": "document", "projection": "identity"},
    "crtm_1": {**PAPER, "context": "anchor"},
    "crtm_u": {**PAPER, "context": "uniform"},
    "crtm_p": {**PAPER, "context": "positional"},
    "crtm_i": {**PAPER, "projection": "identity"},
    "crtm_paper": {**PAPER},
    "grtm": {**PAPER, "context": "document", "projection": "full", "update": "contrast"},
    "crtm_topics": {"terms": ("topics",)},
    "crtm_skipgram": {"vectors": "skipgram"},
    "crtm_paper_skipgram": {**PAPER, "vectors": "skipgram"},
    **{f"crtm_no_{term}": {"terms": tuple(t for t in TERMS if t != term)} for term in TERMS},
    "crtm": {},
}
BASELINES: Mapping[str, Callable[[Corpus], Any]] = {
    "title": lexical.title,
    "tfidf": lexical.tfidf,
    "bm25": lexical.bm25,
    "tagme": Tagme,
}
MODELS = (*VARIANTS, *BASELINES)
GRID = np.linspace(0, 1, 101)


@dataclass(frozen=True, slots=True)
class Figures:
    """The results of one model on one split."""

    p_at_1: float
    p_at_5: float
    span_p_at_1: float
    auc: float
    roc: Floats
    fit_seconds: float
    seconds_per_iteration: float
    iterations: int


@dataclass(frozen=True, slots=True)
class Fitted:
    """A fitted model or baseline, and the time it took."""

    scorer: Any
    seconds: float
    seconds_per_iteration: float
    iterations: int


def fitted(name: str, split: Split, seed: int) -> Fitted:
    """Return the named model or baseline, fitted to the training part of a split."""
    begun = time.perf_counter()
    if name in BASELINES:
        scorer = BASELINES[name](split.training)
        return Fitted(scorer, time.perf_counter() - begun, 0.0, 0)
    model = CRTM(**VARIANTS[name], seed=seed).fit(split.training, split.validation)
    seconds = time.perf_counter() - begun
    each = float(np.mean([iteration.seconds for iteration in model.history_]))
    return Fitted(model, seconds, each, model.n_iter_)


def measure(corpus: Corpus, split: Split, fit: Fitted) -> Figures:
    """Return the figures on the test links of a split; a word that ties with the anchor counts against it."""
    ranks, exact, curves = [], [], []
    for number in range(len(split.test)):
        link = split.test[number : number + 1]
        source, target = int(link.source[0]), int(link.target[0])
        page = fit.scorer.document_scorer(source) if isinstance(fit.scorer, CRTM) else source
        words, best = best_of_words(split.training[source], fit.scorer.score_tokens(page, [target]))
        anchor = np.isin(words, corpus.words[link.first[0] : link.last[0]])
        ranks.append(int(((best[:, 0] >= best[anchor, 0].max()) & ~anchor).sum()))
        curves.append(roc_curve(best[:, 0], anchor))
        exact.append(best_span(fit.scorer, page, target) == (int(link.start[0]), int(link.end[0])))
    place, roc = np.array(ranks), np.mean(curves, axis=0)
    return Figures(
        float((place < 1).mean()),
        float((place < 5).mean()),
        float(np.mean(exact)),
        float((np.diff(GRID) * (roc[1:] + roc[:-1]) / 2).sum()),
        roc,
        fit.seconds,
        fit.seconds_per_iteration,
        fit.iterations,
    )


def best_span(scorer: Any, page: Any, target: int) -> tuple[int, int] | None:
    """Return the code points of the scorer's first span."""
    if not isinstance(scorer, CRTM):
        span: tuple[int, int] | None = scorer.best_span(page, target)
        return span
    spans = scorer.rank_spans(page, target)
    return (spans[0].start, spans[0].end) if spans else None


def roc_curve(scores: Floats, right: npt.NDArray[np.bool_]) -> Floats:
    """Return the true positive rate at each false positive rate of ``GRID``."""
    order = np.argsort(-scores, kind="stable")
    hits, misses = np.cumsum(right[order]), np.cumsum(~right[order])
    result: Floats = np.interp(
        GRID,
        np.concatenate([[0.0], misses / max(1, misses[-1])]),
        np.concatenate([[0.0], hits / max(1, hits[-1])]),
    )
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
            figures = measure(corpus, split, fitted(name, split, seed))
            results[name].append(figures)
            if on_result:
                on_result(name, seed, figures)
    return results


def summary(
    corpus: Corpus, path: str, results: Mapping[str, Sequence[Figures]], seeds: int
) -> dict[str, Any]:
    """Return the figures for JSON: mean and standard deviation over seeds."""
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
        "models": {name: spread(figures) for name, figures in results.items()},
    }


def mean_and_std(values: Sequence[float]) -> dict[str, float]:
    """Return the mean and the standard deviation, for JSON."""
    return {"mean": float(np.mean(values)), "std": float(np.std(values))}


def spread(figures: Sequence[Figures]) -> dict[str, Any]:
    """Return the figures of one model for JSON: means and standard deviations; means only for costs."""
    measured = ("p_at_1", "p_at_5", "span_p_at_1", "auc")
    costs = ("fit_seconds", "seconds_per_iteration", "iterations")
    return {
        **{name: mean_and_std([getattr(one, name) for one in figures]) for name in measured},
        **{name: float(np.mean([getattr(one, name) for one in figures])) for name in costs},
        "roc": np.mean([one.roc for one in figures], axis=0).round(5).tolist(),
    }
