"""The paper's second task: tell hidden page pairs from pairs that are not linked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crtm.corpus import Corpus
from crtm.experiments.baselines.lexical import tfidf
from crtm.experiments.embeddings import EMBEDDINGS, embedding
from crtm.experiments.evaluate import VARIANTS
from crtm.model import CRTM
from crtm.vectors import Floats, unit_rows

HIDDEN_SHARE = 0.1
NEGATIVES = 10
COMPARED = {name: VARIANTS[name] for name in ("rtm", "crtm")}

Scorer = Callable[[int, npt.NDArray[np.int64]], Floats]


def hide_pairs(corpus: Corpus, seed: int) -> tuple[Corpus, npt.NDArray[np.int64]]:
    """Return the corpus without a tenth of its linked page pairs, and those pairs (n, 2)."""
    links = corpus.links
    pairs = np.unique(np.stack([links.source, links.target], axis=1), axis=0).astype(np.int64)
    random = np.random.default_rng(seed)
    hidden = pairs[random.permutation(len(pairs))[: max(1, int(len(pairs) * HIDDEN_SHARE))]]
    key = links.source.astype(np.int64) * len(corpus) + links.target
    return corpus.without(np.isin(key, hidden[:, 0] * len(corpus) + hidden[:, 1])), hidden


def pair_auc(corpus: Corpus, hidden: npt.NDArray[np.int64], score: Scorer, seed: int) -> float:
    """Return the mean share of ten unlinked targets that the hidden target is scored above; ties count half."""
    random = np.random.default_rng(seed)
    linked = set(zip(corpus.links.source.tolist(), corpus.links.target.tolist(), strict=True))
    wins = []
    for source, target in hidden.tolist():
        others = [t for t in random.integers(0, len(corpus), 3 * NEGATIVES).tolist() if t != source]
        others = [t for t in others if (source, t) not in linked][:NEGATIVES]
        scores = score(source, np.array([target, *others]))
        wins.append(np.mean((scores[0] > scores[1:]) + 0.5 * (scores[0] == scores[1:])))
    return float(np.mean(wins))


def predict_links(
    corpus: Corpus,
    seeds: Sequence[int],
    variants: Mapping[str, Any] = COMPARED,
    *,
    embeddings: bool = False,
) -> dict[str, list[float]]:
    """Return the AUC of each variant and of tf-idf cosine, and of RLE, GELD, TADW and GVNR-t if asked, for each seed."""
    results: dict[str, list[float]] = {name: [] for name in (*variants, "tfidf")}
    for seed in seeds:
        training, hidden = hide_pairs(corpus, seed)
        for name, parameters in variants.items():
            model = CRTM(**parameters, seed=seed).fit(training)
            score = (
                model.pair_score if model.terms else model.link_score
            )  # the paper's models as they are
            results[name].append(pair_auc(corpus, hidden, score, seed))
        results["tfidf"].append(pair_auc(corpus, hidden, _cosine(training), seed))
        if embeddings:
            for name, values in _embedding_scores(corpus, training, hidden, seed).items():
                results.setdefault(name, []).append(values)
    return results


def _embedding_scores(
    corpus: Corpus, training: Corpus, hidden: npt.NDArray[np.int64], seed: int
) -> dict[str, float]:
    """Return the AUC of the paper's four embedding baselines on one draw."""
    words = embedding(training, seed)
    given = {"rle": words, "geld": words}
    found = {}
    for name, embed in EMBEDDINGS.items():
        vectors = unit_rows(embed(training, seed, words=given.get(name)))

        def score(source: int, targets: npt.NDArray[np.int64], own: Floats = vectors) -> Floats:
            result: Floats = own[targets] @ own[source]
            return result

        found[name] = pair_auc(corpus, hidden, score, seed)
    return found


def _cosine(corpus: Corpus) -> Scorer:
    table = tfidf(corpus).table
    rows = sparse.csr_matrix(
        (table.value, table.column, table.ptr), shape=(len(corpus), len(corpus.vocabulary))
    )

    def score(source: int, targets: npt.NDArray[np.int64]) -> Floats:
        result: Floats = (rows[targets] @ rows[source].T).toarray()[:, 0]
        return result

    return score
