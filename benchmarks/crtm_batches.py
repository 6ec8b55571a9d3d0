"""python benchmarks/crtm_batches.py [corpus.jsonl] [--batch-size N] [--seeds N] [--passes N]

CRTM learned from mini-batches beside CRTM learned from all documents at once: protocol A's P@1, and the
seconds of one pass, by the clock and of the processor. Both go over the documents equally often. Prints
JSON. Without a corpus (JSON lines, as `wikibot corpus` writes them), the articles of en-superheroes are
taken from WIKIBOT_DATA (or ../shared/data).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from typing import Any

import numpy as np
from crtm_speed import exported

from crtm import CRTM, Corpus
from crtm.experiments.evaluate import Fitted, measure
from crtm.experiments.protocol import Split, hide_links


def compared(
    corpus: Corpus, seed: int, batch_size: int, passes: int
) -> dict[str, dict[str, float]]:
    """The figures of both ways to learn, on one split."""
    split = hide_links(corpus, seed)
    return {
        "full_batch": one_fit(corpus, split, seed, passes),
        "mini_batches": one_fit(corpus, split, seed, passes, batch_size=batch_size),
    }


def one_fit(corpus: Corpus, split: Split, seed: int, passes: int, **how: Any) -> dict[str, float]:
    """What one fit reaches and takes; seconds are those between two ends of passes."""
    ends: list[tuple[float, float]] = []

    def note_end(_: object) -> None:
        ends.append((time.perf_counter(), time.process_time()))

    model = CRTM(max_iter=passes, seed=seed).fit(split.training, on_iteration=note_end, **how)
    clock, processor = np.diff(np.array(ends), axis=0).mean(axis=0)
    figures = measure(corpus, split, Fitted(model, 0.0, 0.0, passes))
    return {
        "p_at_1": figures.p_at_1,
        "p_at_5": figures.p_at_5,
        "seconds_per_pass": float(clock),
        "processor_seconds_per_pass": float(processor),
    }


def means(runs: list[dict[str, dict[str, float]]]) -> dict[str, dict[str, float]]:
    """The mean of every figure over the splits."""
    return {
        way: {name: round(float(np.mean([run[way][name] for run in runs])), 4) for name in figures}
        for way, figures in runs[0].items()
    }


def main() -> None:
    """Print the figures and how the two ways compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", nargs="?")
    parser.add_argument("--batch-size", type=int, default=500)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--passes", type=int, default=30)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        corpus = Corpus.from_jsonl(given.corpus or exported(folder))
    runs = [compared(corpus, n, given.batch_size, given.passes) for n in range(given.seeds)]
    found = means(runs)
    full, parts = found["full_batch"], found["mini_batches"]
    report = {
        "documents": len(corpus),
        "batch_size": given.batch_size,
        "passes": given.passes,
        "seeds": given.seeds,
        **found,
        "p_at_1_difference": round(parts["p_at_1"] - full["p_at_1"], 4),
        "processor_ratio_per_pass": round(
            parts["processor_seconds_per_pass"] / full["processor_seconds_per_pass"], 3
        ),
    }
    json.dump(report, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
