"""Word vectors from the corpus itself, for the attention of a context's words to the anchor.

The default factorises the shifted positive pointwise mutual information of words within ten places of each other, which is
what skip-gram with negative sampling approximates (Levy and Goldberg, 2014), in seconds instead of minutes. The paper's
own choice, gensim's skip-gram, remains as ``skipgram``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crtm.corpus import Corpus

Floats = npt.NDArray[Any]  # float32, but for tests that compare with float64

WINDOW_WORDS = 10
NEGATIVES = 20


def pmi_vectors(corpus: Corpus, size: int, seed: int) -> Floats:
    """Return unit vectors (V, size), similar for words with similar neighbours."""
    counts = _cooccurrences(corpus)
    information = _shifted_information(counts)
    vectors = _factorised(information, min(size, max(1, counts.shape[0] - 1)), seed)
    if vectors.shape[1] < size:
        vectors = np.pad(vectors, ((0, 0), (0, size - vectors.shape[1])))
    return unit_rows(vectors)


def skipgram_vectors(corpus: Corpus, size: int, seed: int, *, epochs: int = 5) -> Floats:
    """Return unit vectors (V, size) trained as in the paper: window 10, 20 negatives, one worker to be repeatable."""
    from gensim.models import Word2Vec

    sentences = [
        [str(word) for word in corpus[number].words]
        for number in range(len(corpus))
        if len(corpus[number])
    ]
    model = Word2Vec(
        sentences, vector_size=size, window=WINDOW_WORDS, negative=NEGATIVES, sg=1, min_count=1,
        epochs=epochs, workers=1, seed=seed,
    )  # fmt: skip
    vectors = np.zeros((len(corpus.vocabulary), size), dtype=np.float32)
    for word, row in model.wv.key_to_index.items():
        vectors[int(word)] = model.wv.vectors[row]
    return unit_rows(vectors)


def unit_rows(matrix: npt.NDArray[Any]) -> Floats:
    """Scale rows to unit length; rows of zeros stay zero."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    result: Floats = np.divide(
        matrix, lengths, out=np.zeros_like(matrix), where=lengths > 0
    ).astype(np.float32)
    return result


def _cooccurrences(corpus: Corpus) -> Any:
    """Return how often two words stand within the window (V, V), nearer ones counting more, as skip-gram does."""
    size = len(corpus.vocabulary)
    document = np.repeat(np.arange(len(corpus)), corpus.lengths)
    lefts, rights, weights = [], [], []
    for gap in range(1, WINDOW_WORDS + 1):
        same = document[gap:] == document[:-gap]
        lefts.append(corpus.words[:-gap][same])
        rights.append(corpus.words[gap:][same])
        weights.append(
            np.full(len(lefts[-1]), (WINDOW_WORDS + 1 - gap) / WINDOW_WORDS, dtype=np.float32)
        )
    pairs = (np.concatenate(lefts), np.concatenate(rights))
    total = sparse.coo_matrix((np.concatenate(weights), pairs), shape=(size, size)).tocsr()
    return (total + total.T).tocsr()


def _shifted_information(counts: Any) -> Any:
    """Return max(0, log(p(v, w) / p(v) p(w)^0.75)), the shift being that of one negative sample."""
    entries = counts.tocoo()
    rows = np.asarray(counts.sum(axis=1)).ravel()
    smoothed = rows**0.75
    value = np.log(entries.data * smoothed.sum() / (rows[entries.row] * smoothed[entries.col]))
    keep = value > 0
    return sparse.csr_matrix(
        (value[keep].astype(np.float32), (entries.row[keep], entries.col[keep])), shape=counts.shape
    )


def _factorised(matrix: Any, size: int, seed: int) -> Floats:
    """Return U sqrt(S) of a randomised singular value decomposition with two power iterations."""
    random = np.random.default_rng(seed)
    sketch = matrix @ random.standard_normal((matrix.shape[1], size + 10), dtype=np.float32)
    for _ in range(2):
        sketch = matrix @ (matrix.T @ np.linalg.qr(sketch)[0])
    basis = np.linalg.qr(sketch)[0]
    inner, values, _ = np.linalg.svd((matrix.T @ basis).T, full_matrices=False)
    vectors: Floats = (basis @ inner[:, :size]) * np.sqrt(values[:size])
    return vectors.astype(np.float32)
