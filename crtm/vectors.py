"""Word vectors from the corpus itself, for the attention of a context's words to the anchor.

The default factorises the shifted positive pointwise mutual information of words within ten places of each other, which is
what skip-gram with negative sampling approximates (Levy and Goldberg, 2014), in seconds instead of minutes. The paper's
own choice, gensim's skip-gram, remains as ``skipgram``.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crtm.corpus import Corpus
from crtm.kernels import shifted_information

Floats = npt.NDArray[Any]  # float32, but for tests that compare with float64

WINDOW_WORDS = 10
NEGATIVES = 20
BLOCK_DOCUMENTS = 2_000  # whose words are counted at once
BLOCK_TOKENS = 4_000_000  # occurrences of the words whose rows are made at once


def pmi_vectors(corpus: Corpus, size: int, seed: int, *, jobs: int = 1) -> Floats:
    """Return unit vectors (V, size), similar for words with similar neighbours."""
    information = shifted_pmi(corpus, jobs=jobs)
    vectors = _factorised(information, min(size, max(1, len(corpus.vocabulary) - 1)), seed)
    if vectors.shape[1] < size:
        vectors = np.pad(vectors, ((0, 0), (0, size - vectors.shape[1])))
    return unit_rows(vectors)


def skipgram_vectors(
    corpus: Corpus,
    size: int,
    seed: int,
    *,
    epochs: int = 5,
    window: int = WINDOW_WORDS,
    negatives: int = NEGATIVES,
) -> Floats:
    """Return unit vectors (V, size) of skip-gram, by default as in the paper; one worker makes them repeatable."""
    from gensim.models import Word2Vec

    sentences = [
        [str(word) for word in corpus[number].words]
        for number in range(len(corpus))
        if len(corpus[number])
    ]
    model = Word2Vec(
        sentences, vector_size=size, window=window, negative=negatives, sg=1, min_count=1,
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


def _window_mass(distances: npt.NDArray[np.int64]) -> Floats:
    """Return the sum of weights of the neighbours on one side, for tokens with so many words on that side."""
    reach = np.minimum(distances, WINDOW_WORDS)
    mass: Floats = reach * (2 * WINDOW_WORDS + 1 - reach) / (2 * WINDOW_WORDS)
    return mass


def shifted_pmi(corpus: Corpus, *, jobs: int = 1) -> Any:
    """Return max(0, log(p(v, w) / p(v) p(w)^0.75)) (V, V) of words within the window, nearer ones counting more, as in skip-gram.

    Only the positive entries are ever stored: counting all pairs first would take several times the memory.
    """
    size = len(corpus.vocabulary)
    seen, mass = _masses(corpus)
    pieces = [
        _information_of(corpus, rows, mass, jobs=jobs) for rows in _row_blocks(seen, BLOCK_TOKENS)
    ]
    ptr = np.concatenate(
        [
            [0],
            np.cumsum(np.concatenate([one[0] for one in pieces] or [np.empty(0, dtype=np.int64)])),
        ]
    )
    columns = np.concatenate([one[1] for one in pieces] or [np.empty(0, dtype=np.int32)])
    values = np.concatenate([one[2] for one in pieces] or [np.empty(0, dtype=np.float32)])
    return sparse.csr_matrix((values, columns, ptr.astype(np.int64)), shape=(size, size))


def _masses(corpus: Corpus) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return how often each word occurs, and the sum of the weights of its neighbours; a block of documents at a time."""
    size, offsets = len(corpus.vocabulary), corpus.offsets
    seen, mass = np.zeros(size, dtype=np.int64), np.zeros(size)
    for first in range(0, len(corpus), BLOCK_DOCUMENTS):
        own = offsets[first : first + BLOCK_DOCUMENTS + 1]
        begins, ends = np.repeat(own[:-1], np.diff(own)), np.repeat(own[1:], np.diff(own))
        here = np.arange(own[0], own[-1])
        weights = _window_mass(here - begins) + _window_mass(ends - 1 - here)
        words = corpus.words[own[0] : own[-1]]
        seen += np.bincount(words, minlength=size)
        mass += np.bincount(words, weights=weights, minlength=size)
    return seen, mass


def _row_blocks(seen: npt.NDArray[np.int64], tokens: int) -> list[tuple[int, int]]:
    """Return ranges of words that occur about ``tokens`` times together; none of an empty vocabulary."""
    if not len(seen):
        return []
    block = np.cumsum(seen) // tokens
    begins = np.flatnonzero(np.diff(block, prepend=-1)).tolist()
    return list(zip(begins, [*begins[1:], len(seen)], strict=True))


def _information_of(
    corpus: Corpus, rows: tuple[int, int], mass: Floats, *, jobs: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], Floats]:
    """Return the number of entries of each row, their columns and their values, for a range of words."""
    first, last = rows
    words = corpus.words
    tokens = np.flatnonzero((words >= first) & (words < last))
    places = tokens[np.argsort(words[tokens], kind="stable")]
    document = np.searchsorted(corpus.offsets, places, side="right") - 1
    begins, ends = corpus.offsets[document], corpus.offsets[document + 1]
    seen = np.bincount(words[tokens] - first, minlength=last - first)
    row_ptr = np.zeros(last + 1, dtype=np.int64)
    row_ptr[first + 1 :] = np.cumsum(seen)
    ptr = np.zeros(last + 1, dtype=np.int64)
    smoothed = mass**0.75

    def work(some: Any, columns: Any, values: Any, fill: bool) -> None:
        shifted_information(
            some, places, row_ptr, words, begins, ends, WINDOW_WORDS,
            mass, smoothed, ptr, columns, values, fill,
        )  # fmt: skip

    shares = [np.arange(first + start, last, jobs) for start in range(jobs)]
    columns, values = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32)
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(work, shares, repeat(columns), repeat(values), repeat(False)))
        entries = ptr[first + 1 :].copy()
        ptr = np.cumsum(ptr)
        columns, values = np.empty(ptr[-1], dtype=np.int32), np.empty(ptr[-1], dtype=np.float32)
        list(pool.map(work, shares, repeat(columns), repeat(values), repeat(True)))
    return entries, columns, values


def _factorised(matrix: Any, size: int, seed: int) -> Floats:
    """Return U sqrt(S) of a randomised singular value decomposition with two power iterations."""
    random = np.random.default_rng(seed)
    sketch = matrix @ random.standard_normal((matrix.shape[1], size + 10), dtype=np.float32)
    for _ in range(2):
        sketch = matrix @ (matrix.T @ _orthonormal(sketch))
    basis = _orthonormal(sketch)
    small = (matrix.T @ basis).astype(np.float64)
    squares, inner = np.linalg.eigh(small.T @ small)
    largest = np.argsort(-squares, kind="stable")[:size]
    scale = np.maximum(squares[largest], 0) ** 0.25
    vectors: Floats = basis @ (inner[:, largest] * scale).astype(np.float32)
    return vectors


def _orthonormal(columns: Floats) -> Floats:
    """Return an orthonormal basis of the columns' span, by the eigenvectors of their Gram matrix: ten times as fast as QR here."""
    exact = columns.astype(np.float64)
    squares, directions = np.linalg.eigh(exact.T @ exact)
    kept = squares > max(float(squares.max(initial=0)), 1e-30) * 1e-10
    basis: Floats = exact @ (directions[:, kept] / np.sqrt(squares[kept]))
    return basis.astype(np.float32)
