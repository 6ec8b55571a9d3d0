"""CRTM's speed beside gensim and tomotopy, as ratios within one run, JSON on standard output.

    python benchmarks/crtm_speed.py [corpus.jsonl] [--quick]

The corpus is JSON lines as ``wikibot corpus`` writes them. The goals are set for the whole articles of en-superheroes; these are taken
from WIKIBOT_DATA (or ../shared/data) if no corpus is named.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from crtm import CRTM, Corpus
from crtm.pipeline import Prepared, first_state, iterate, prepare


class Seconds(NamedTuple):
    """Seconds by the clock, and of the processor: the latter hardly feel other work on the machine."""

    clock: float
    processor: float

    def over(self, times: int) -> Seconds:
        """Return the mean of so many repetitions."""
        return Seconds(self.clock / times, self.processor / times)


def timed(work: Callable[[], Any]) -> Seconds:
    """Return what the work takes."""
    begun = Seconds(time.perf_counter(), time.process_time())
    work()
    return Seconds(time.perf_counter() - begun.clock, time.process_time() - begun.processor)


def em_iteration(prepared: Prepared, n_topics: int, *, iterations: int = 20) -> Seconds:
    """Return the mean of an EM iteration over a whole fit: the first ones, with all topics alive, cost most."""
    model = CRTM(n_topics)
    state = first_state(prepared, model._fitting_parameters())

    def iterated() -> None:
        current = state
        for _ in range(iterations):
            current, _ = iterate(prepared, current, model._fitting_parameters())

    with threadpool_limits(1, user_api="blas"):  # as in CRTM.fit
        return timed(iterated).over(iterations)


def gensim_pass(corpus: Corpus, n_topics: int) -> Seconds:
    """Return what one pass of gensim's LdaModel over the same words takes."""
    from gensim.models import LdaModel

    bags = [_bag(corpus, d) for d in range(len(corpus))]
    names = dict(enumerate(corpus.vocabulary.words))
    return timed(
        lambda: LdaModel(bags, n_topics, id2word=names, passes=1, eval_every=None, random_state=0)
    )


def _bag(corpus: Corpus, d: int) -> list[tuple[int, int]]:
    words, counts = np.unique(corpus[d].words, return_counts=True)
    return list(zip(words.tolist(), counts.tolist(), strict=True))


def tomotopy_sweep(corpus: Corpus, n_topics: int, *, sweeps: int = 20) -> Seconds:
    """Return the mean of a Gibbs sweep of tomotopy's LDA with two workers."""
    import tomotopy

    model = tomotopy.LDAModel(k=n_topics, seed=1)
    for d in range(len(corpus)):
        if len(corpus[d]):
            model.add_doc([str(word) for word in corpus[d].words])
    model.train(1, workers=2)
    return timed(lambda: model.train(sweeps, workers=2)).over(sweeps)


def word2vec(corpus: Corpus, epochs: int) -> Seconds:
    """Return what gensim's skip-gram takes with the paper's settings on both cores."""
    from gensim.models import Word2Vec

    sentences = [[str(word) for word in corpus[d].words] for d in range(len(corpus))]
    return timed(
        lambda: Word2Vec(
            sentences,
            vector_size=100,
            window=10,
            negative=20,
            sg=1,
            min_count=1,
            epochs=epochs,
            workers=2,
        )
    )


def peak_memory(path: str, n_topics: int) -> float:
    """Return the gigabytes that a process needs at most to read the corpus and fit, all stages, three iterations."""
    program = (
        "import sys, resource; from crtm import CRTM, Corpus\n"
        "CRTM(int(sys.argv[2]), max_iter=3).fit(Corpus.from_jsonl(sys.argv[1]))\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, path, str(n_topics)],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def measured(path: str, *, quick: bool) -> dict[str, Any]:
    """Return all figures and the ratios that have a goal."""
    memory = peak_memory(path, 400)  # first: a child process starts with its parent's peak
    corpus = Corpus.from_jsonl(path)
    prepared = prepare(corpus, CRTM(vector_size=16)._fitting_parameters())
    em_iteration(prepared, 100, iterations=5)  # compiles
    few, many, most = (em_iteration(prepared, n_topics) for n_topics in (50, 400, 1000))
    lda, sweep = gensim_pass(corpus, 50), tomotopy_sweep(corpus, 50)
    report: dict[str, Any] = {
        "tokens": len(corpus.words),
        "links": len(corpus.links),
        "em_iteration_50_topics_s": few,
        "em_iteration_400_topics_s": many,
        "em_iteration_1000_topics_s": most,
        "gensim_lda_pass_s": lda,
        "tomotopy_sweep_s": sweep,
        "times_faster_than_gensim_lda": ratio(lda, few),
        "times_slower_than_tomotopy": ratio(few, sweep),
        "cost_400_over_50_topics": ratio(many, few),
        "memory_400_topics_gb": memory,
    }
    if not quick:
        whole, epochs = timed(lambda: CRTM().fit(corpus)), word2vec(corpus, 5)
        report |= {
            "whole_fit_s": whole,
            "word2vec_5_epochs_s": epochs,
            "times_faster_than_word2vec": ratio(epochs, whole),
        }
    return {name: told(figure) for name, figure in report.items()}


def ratio(one: Seconds, other: Seconds) -> Seconds:
    """Return how many times the other the one takes, by the clock and by processor time."""
    return Seconds(one.clock / other.clock, one.processor / other.processor)


def told(figure: Any) -> Any:
    """Return the figure as JSON should name it."""
    if not isinstance(figure, Seconds):
        return figure
    return {name: round(value, 4) for name, value in figure._asdict().items()}


def exported(folder: str) -> str:
    """Write the whole articles of en-superheroes as JSON lines and return where."""
    data = Path(os.environ.get("WIKIBOT_DATA", Path(__file__).parents[2] / "shared" / "data"))
    path = Path(folder) / "corpus.jsonl"
    export = str(data / "en-superheroes.xml.bz2")
    with path.open("wb") as out:
        command = [sys.executable, "-m", "wikibot", "corpus", "--export", export]
        subprocess.run(command, stdout=out, check=True)
    return str(path)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", nargs="?")
    parser.add_argument("--quick", action="store_true", help="leave out the whole fit and Word2Vec")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measured(options.corpus or exported(folder), quick=options.quick)
    json.dump(figures, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
