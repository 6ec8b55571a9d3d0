"""The paper's baselines for link prediction: document vectors from texts and links, compared by cosine.

Our own code, from the definitions: TADW (Yang et al., 2015), RLE (Gourru et al., 2020), GELD (Gourru et al., 2020) and GVNR-t
(Brochier et al., 2019). Each function takes a corpus and returns one vector per document.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.linalg import svds

from crtm.corpus import Corpus
from crtm.counts import make_counts
from crtm.vectors import Floats, skipgram_vectors, unit_rows

WORD_DIMENSIONS, WORD_EPOCHS = 160, 5
TADW_DIMENSIONS, TADW_TEXT_DIMENSIONS, TADW_PENALTY, TADW_ROUNDS = 80, 200, 0.2, 20
RLE_NEIGHBOURS = 0.7  # lambda: the share of the neighbours' words
GELD_NEIGHBOURS, GELD_EPOCHS = 0.85, 40  # alpha: the weight of the neighbours
WALKS, WALK_LENGTH, WALK_WINDOW, GVNR_EPOCHS, GVNR_RATE = 80, 40, 5, 20, 0.01
GVNR_BATCH, GVNR_FEWEST_STEPS = 16384, 20  # pairs in a batch, batches of an epoch
GVNR_PAIRS = 200_000  # observed pairs that an epoch looks at, drawn anew for each


def neighbours(corpus: Corpus) -> Any:
    """Return the adjacency of the documents (D, D) with 1 in both directions of a link, by rows."""
    links, size = corpus.links, len(corpus)
    both = (np.r_[links.source, links.target], np.r_[links.target, links.source])
    matrix = sparse.csr_matrix((np.ones(2 * len(links)), both), shape=(size, size))
    matrix.data[:] = 1
    return matrix


def stochastic(matrix: Any) -> Any:
    """Return the matrix with rows that sum to one; rows of zeros stay zero."""
    sums = np.asarray(matrix.sum(axis=1)).ravel()
    return sparse.diags(1 / np.maximum(sums, 1e-12)) @ matrix


def two_steps(corpus: Corpus) -> Any:
    """Return (A + A^2) / 2 of the row-normalised adjacency."""
    one = stochastic(neighbours(corpus))
    return ((one + one @ one) / 2).tocsr()


def word_counts(corpus: Corpus) -> Any:
    """Return the counts of words in documents (D, V)."""
    counts = make_counts(corpus, tied=True)
    shape = (len(corpus), len(corpus.vocabulary))
    return sparse.csr_matrix((counts.count, counts.word, counts.doc_ptr), shape=shape)


def tadw(corpus: Corpus, seed: int, *, words: Floats | None = None) -> Floats:
    """Return W beside H T, where M = (A + A^2) / 2 is approximated by W' H T, T being the SVD of tf-idf."""
    texts = text_factors(corpus, seed).T
    proximity = two_steps(corpus)
    random = np.random.default_rng(seed)
    size = min(TADW_DIMENSIONS, len(corpus))
    left = random.standard_normal((size, len(corpus))) / size
    right = random.standard_normal((size, len(texts))) / size
    for _ in range(TADW_ROUNDS):
        left = _tadw_left(proximity, right @ texts)
        right = _tadw_right(proximity, left, texts)
    return np.concatenate([unit_rows(left.T), unit_rows((right @ texts).T)], axis=1)


def _tadw_left(proximity: Any, moved: Floats) -> Floats:
    """Return W that minimises |M - W' (H T)|^2 + lambda / 2 |W|^2, in closed form."""
    gram = moved @ moved.T + 0.5 * TADW_PENALTY * np.eye(len(moved))
    solved: Floats = np.linalg.solve(gram, (proximity @ moved.T).T)
    return solved


def _tadw_right(proximity: Any, left: Floats, texts: Floats) -> Floats:
    """Return H that minimises |M - W' H T|^2 + lambda / 2 |H|^2: both Gram matrices are diagonalised, then it is a division."""
    of_left, left_basis = np.linalg.eigh(left @ left.T)
    of_texts, text_basis = np.linalg.eigh(texts @ texts.T)
    wanted = left_basis.T @ (left @ (proximity @ texts.T)) @ text_basis
    inner = wanted / (np.outer(of_left, of_texts) + 0.5 * TADW_PENALTY)
    solved: Floats = left_basis @ inner @ text_basis.T
    return solved


def text_factors(corpus: Corpus, seed: int) -> Floats:
    """Return the largest singular directions of tf-idf (D, 200 or fewer), scaled."""
    counts = word_counts(corpus).tocsr()
    seen = np.bincount(counts.indices, minlength=counts.shape[1])
    weights = counts @ sparse.diags(np.log(len(corpus) / np.maximum(1, seen)))
    size = min(TADW_TEXT_DIMENSIONS, min(weights.shape) - 1)
    if size < 1:
        return np.asarray(weights.todense())
    start = np.random.default_rng(seed).standard_normal(min(weights.shape))
    left, values, _ = svds(weights.astype(np.float64), k=size, v0=start)
    return unit_rows(left * values)


def rle(corpus: Corpus, seed: int, *, words: Floats | None = None) -> Floats:
    """Return B U: the words of a document and of its neighbours, as mean word vectors."""
    vectors = embedding(corpus, seed) if words is None else words
    texts = stochastic(word_counts(corpus))
    around = stochastic(two_steps(corpus))
    smoothed = (1 - RLE_NEIGHBOURS) * texts + RLE_NEIGHBOURS * (around @ texts)
    result: Floats = np.asarray(smoothed @ vectors)
    return result


def geld(corpus: Corpus, seed: int, *, words: Floats | None = None) -> Floats:
    """Return the means of the documents' Gaussians, drawn to their words' vectors and to their neighbours' means."""
    vectors = embedding(corpus, seed) if words is None else words
    texts, around = stochastic(word_counts(corpus)), stochastic(neighbours(corpus))
    own_mean, own_square = np.asarray(texts @ vectors), np.asarray(texts @ vectors**2)
    means, spread = own_mean.copy(), np.ones_like(own_mean)
    linked = np.asarray(around.sum(axis=1)) > 0.5
    share = np.where(linked, GELD_NEIGHBOURS, 0.0)
    for epoch in range(1, GELD_EPOCHS + 1):
        step = 0.1 * epoch**-0.2
        of_neighbours, squares = around @ means, around @ means**2
        wanted = (1 - share) * own_mean + share * of_neighbours
        means = means + step * (wanted - means)
        apart = _mean_square(own_mean, own_square, means, 1 - share)
        apart += _mean_square(of_neighbours, squares, means, share)
        spread = np.maximum(spread + step * (apart - spread), 1e-6)
    scaled: Floats = means / np.sqrt(spread.mean(axis=0))
    return scaled


def _mean_square(mean: Floats, square: Floats, centre: Floats, weight: Floats) -> Floats:
    """Return the weighted mean squared distance of observations, known by mean and mean square, from a centre."""
    result: Floats = weight * (square - 2 * mean * centre + centre**2)
    return result


def gvnr_t(corpus: Corpus, seed: int, *, words: Floats | None = None) -> Floats:
    """Return both sides of log(1 + X) = w_i . (mean of the word vectors of j) + b_i, X being co-occurrence on random walks."""
    random = np.random.default_rng(seed)
    seen = walk_counts(neighbours(corpus), random).tocoo()
    texts = stochastic(word_counts(corpus)).tocsr()
    start = 0.1 * random.standard_normal((texts.shape[1], WORD_DIMENSIONS))
    vectors = start if words is None else words
    adam = _Adam({
        "left": (0.1 * random.standard_normal((len(corpus), vectors.shape[1]))).astype(np.float32),
        "words": vectors.astype(np.float32),
        "bias": np.zeros(len(corpus), dtype=np.float32),
    })  # fmt: skip
    texts = texts.astype(np.float32)
    for _ in range(GVNR_EPOCHS):
        drawn = random.permutation(len(seen.row))[:GVNR_PAIRS]
        row, zeros = seen.row[drawn], _unseen(seen, random)[drawn]
        rows, columns = np.r_[row, row], np.r_[seen.col[drawn], zeros]
        values = np.r_[np.log1p(seen.data[drawn]), np.zeros(len(zeros))].astype(np.float32)
        order = random.permutation(len(rows))
        for part in np.array_split(order, max(GVNR_FEWEST_STEPS, len(order) // GVNR_BATCH)):
            if len(part):
                _gvnr_step(adam, texts, rows[part], columns[part], values[part])
    return np.concatenate([adam.values["left"], texts @ adam.values["words"]], axis=1)


def _unseen(seen: Any, random: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return for each observed pair a column that its row was not seen with, as far as ten draws find one."""
    known = np.unique(seen.row.astype(np.int64) * seen.shape[1] + seen.col)
    drawn = random.integers(0, seen.shape[1], len(seen.row))
    for _ in range(10):
        met = np.isin(seen.row.astype(np.int64) * seen.shape[1] + drawn, known)
        drawn[met] = random.integers(0, seen.shape[1], int(met.sum()))
    return drawn


def _gvnr_step(adam: _Adam, texts: Any, rows: Any, columns: Any, values: Floats) -> None:
    """Take one step of least squares on a batch of pairs."""
    left, words, bias = (adam.values[name] for name in ("left", "words", "bias"))
    right: Floats = texts @ words
    error = np.einsum("ij,ij->i", left[rows], right[columns]) + bias[rows] - values
    error /= len(rows)
    both = sparse.csr_matrix((error, (rows, columns)), shape=(len(left), len(left)))
    adam.step({
        "left": both @ right,
        "words": texts.T @ (both.T @ left),
        "bias": np.bincount(rows, error, minlength=len(left)).astype(np.float32),
    })  # fmt: skip


class _Adam:
    """Adam (Kingma and Ba, 2015) on named arrays."""

    def __init__(self, values: dict[str, Floats]) -> None:
        self.values, self.steps = values, 0
        self.first = {name: np.zeros_like(value) for name, value in values.items()}
        self.second = {name: np.zeros_like(value) for name, value in values.items()}

    def step(self, slopes: Mapping[str, Floats]) -> None:
        """Move every array against its slope."""
        self.steps += 1
        for name, slope in slopes.items():
            first, second = self.first[name], self.second[name]
            first += 0.1 * (slope - first)
            second += 0.001 * (slope * slope - second)
            rate = GVNR_RATE / (1 - 0.9**self.steps)
            root = np.sqrt(second / (1 - 0.999**self.steps)) + 1e-8
            self.values[name] -= rate * first / root


def walk_counts(adjacency: Any, random: np.random.Generator) -> Any:
    """Return how often two documents stand within the window on random walks (D, D)."""
    walks = random_walks(adjacency, random)
    lefts, rights = [], []
    for gap in range(1, min(WALK_WINDOW, walks.shape[1] - 1) + 1):
        a, b = walks[:, :-gap].ravel(), walks[:, gap:].ravel()
        moved = (a >= 0) & (b >= 0)
        lefts += [a[moved], b[moved]]
        rights += [b[moved], a[moved]]
    left, right = np.concatenate(lefts), np.concatenate(rights)
    counts = sparse.csr_matrix((np.ones(len(left)), (left, right)), shape=adjacency.shape)
    counts.sum_duplicates()
    return counts


def random_walks(adjacency: Any, random: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return walks (D * WALKS, WALK_LENGTH) from every document; -1 after a document without neighbours."""
    degree = np.diff(adjacency.indptr)
    here = np.tile(np.arange(adjacency.shape[0]), WALKS)
    steps = [here]
    for _ in range(WALK_LENGTH - 1):
        stuck = (here < 0) | (degree[here] == 0)
        at = np.where(stuck, 0, here)
        chosen = adjacency.indptr[at] + (random.random(len(here)) * degree[at]).astype(np.int64)
        chosen = np.minimum(chosen, max(0, len(adjacency.indices) - 1))
        here = np.where(stuck, -1, adjacency.indices[chosen] if len(adjacency.indices) else -1)
        steps.append(here)
    return np.stack(steps, axis=1)


def embedding(corpus: Corpus, seed: int) -> Floats:
    """Return the word vectors of RLE and GELD: skip-gram, window 15, 5 negatives."""
    return skipgram_vectors(
        corpus, WORD_DIMENSIONS, seed, epochs=WORD_EPOCHS, window=15, negatives=5
    )


EMBEDDINGS: Mapping[str, Callable[..., Floats]] = {
    "rle": rle,
    "geld": geld,
    "tadw": tadw,
    "gvnr_t": gvnr_t,
}
