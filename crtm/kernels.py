"""The loops that take the time, compiled. Arrays and scalars in, arrays filled; no objects, no logging, no files.

Every kernel has a slow readable twin in ``tests/crtm/reference.py``. They release the interpreter lock, so that two threads
work on two halves of the documents; each half adds into its own ``counts``, and the halves are summed in a fixed order:
the same seed gives the same bytes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

FAST = {"nogil": True, "fastmath": True, "cache": True}


@njit(**FAST)  # type: ignore[untyped-decorator]
def exp_digamma(x: float) -> float:
    """Return exp(digamma(x)) for x > 0: the recurrence up to 6, then the asymptotic series."""
    below = 0.0
    while x < 6.0:
        below += 1.0 / x
        x += 1.0
    inverse = 1.0 / x
    square = inverse * inverse
    series = square * (1.0 / 12.0 - square * (1.0 / 120.0 - square * (1.0 / 252.0)))
    return math.exp(math.log(x) - 0.5 * inverse - series - below)


@njit(**FAST)  # type: ignore[untyped-decorator]
def multiply_by_exp(values: Any, powers: Any) -> None:
    """Multiply ``values`` by exp(``powers``) in place; small powers, the rule, by a series that runs in vector registers."""
    largest = values[0] * 0
    for j in range(len(powers)):
        largest = max(largest, abs(powers[j]))
    if largest < 1:
        for j in range(len(powers)):
            x = powers[j] / 4
            series = 1 + x * (1 + x * (1 / 5 + x / 30)) / 4
            quarter = 1 + x * (1 + x * (1 + x * series / 3) / 2)
            values[j] *= quarter * quarter * quarter * quarter
    else:
        for j in range(len(powers)):
            values[j] *= math.exp(powers[j])


@njit(**FAST)  # type: ignore[untyped-decorator]
def infer_documents(
    documents: Any,
    doc_ptr: Any,
    cell_word: Any,
    cell_count: Any,
    topic_word: Any,
    alpha: float,
    gamma: Any,
    doc_message: Any,
    link_ptr: Any,
    link_target: Any,
    pair_ptr: Any,
    pair_cell: Any,
    pair_weight: Any,
    target_message: Any,
    steps: int,
    active: int,
    counts: Any,
    context: Any,
    norms: Any,
) -> None:
    """Fill ``gamma``, ``context`` and ``norms`` for the documents listed and add their expected counts to ``counts``.

    A cell is a (document, word) pair with its count (or one token): ``doc_ptr`` (D+1) into ``cell_word``, ``cell_count``.
    ``topic_word`` (V, K) is beta; ``doc_message`` (D, K) the link term all tokens of a document share;
    ``target_message`` (D, K) what a link to a document tells each token of its context. ``context`` (L, K) becomes
    the mean topics of each link's context. With more than ``active`` topics a first look at all of them picks the ones
    that are inferred; the others keep gamma = alpha. No link ever changes ``topic_word``.
    """
    n_topics = topic_word.shape[1]
    width = min(active, n_topics)
    chosen = np.arange(width)
    kind = topic_word.dtype
    full = np.empty(n_topics, kind)
    weight = np.empty(n_topics, kind)
    e = np.empty(width, kind)
    shift = np.empty(width, kind)
    total = np.empty(width, kind)
    for d in documents:
        begin, end = doc_ptr[d], doc_ptr[d + 1]
        cells = end - begin
        if cells == 0:
            gamma[d, :] = alpha
            continue
        if width < n_topics:
            # One dense step over all topics, without the links of single tokens, shows which topics matter here.
            for k in range(n_topics):
                weight[k] = exp_digamma(gamma[d, k]) * math.exp(doc_message[d, k])
            full[:] = 0.0
            for c in range(begin, end):
                row = topic_word[cell_word[c]]
                norm = kind.type(1e-30)
                for k in range(n_topics):
                    norm += row[k] * weight[k]
                share = cell_count[c] / norm
                for k in range(n_topics):
                    full[k] += share * row[k]
            for k in range(n_topics):
                full[k] *= weight[k]
            bar = np.partition(full, n_topics - width)[n_topics - width]
            filled = 0
            for k in range(n_topics):
                if full[k] > bar:
                    chosen[filled] = k
                    filled += 1
            for k in range(n_topics):
                if full[k] == bar and filled < width:
                    chosen[filled] = k
                    filled += 1
            chosen.sort()
            for j in range(width):
                e[j] = exp_digamma(alpha + full[chosen[j]])
            gamma[d, :] = alpha
        else:
            for j in range(width):
                e[j] = exp_digamma(gamma[d, j])
        for j in range(width):
            shift[j] = math.exp(doc_message[d, chosen[j]])
            e[j] *= shift[j]
        local = np.empty((cells, width), kind)
        for c in range(cells):
            row = topic_word[cell_word[begin + c]]
            for j in range(width):
                local[c, j] = row[chosen[j]]
        first_link, last_link = link_ptr[d], link_ptr[d + 1]
        if pair_ptr[last_link] > pair_ptr[first_link]:
            add = np.zeros((cells, width), kind)
            touched = np.zeros(cells, np.uint8)
            for link in range(first_link, last_link):
                message = target_message[link_target[link]]
                for p in range(pair_ptr[link], pair_ptr[link + 1]):
                    c = pair_cell[p] - begin
                    touched[c] = 1
                    a = pair_weight[p] / cell_count[begin + c]
                    for j in range(width):
                        add[c, j] += a * message[chosen[j]]
            for c in range(cells):
                if touched[c]:
                    multiply_by_exp(local[c], add[c])
        for step in range(steps):
            last = step == steps - 1
            total[:] = 0.0
            for c in range(cells):
                norm = kind.type(1e-30)
                for j in range(width):
                    norm += local[c, j] * e[j]
                share = cell_count[begin + c] / norm
                for j in range(width):
                    total[j] += share * local[c, j]
                if last:
                    norms[begin + c] = norm
                    row = counts[cell_word[begin + c]]
                    for j in range(width):
                        row[chosen[j]] += share * local[c, j] * e[j]
            if last:
                for link in range(first_link, last_link):
                    context[link, :] = 0.0
                    for p in range(pair_ptr[link], pair_ptr[link + 1]):
                        c = pair_cell[p] - begin
                        a = pair_weight[p] / norms[begin + c]
                        for j in range(width):
                            context[link, chosen[j]] += a * local[c, j] * e[j]
            for j in range(width):
                gamma[d, chosen[j]] = alpha + total[j] * e[j]
                e[j] = exp_digamma(gamma[d, chosen[j]]) * shift[j]


@njit(**FAST)  # type: ignore[untyped-decorator]
def attend(
    words: Any,
    begins: Any,
    ends: Any,
    vectors: Any,
    sharpness: float,
    sigma: float,
    phi: Any,
    out: Any,
) -> None:
    """Fill ``out`` (n, K) with the topics of each token's sentence, weighted by likeness to it (or nearness, if sigma > 0).

    ``begins`` and ``ends`` give each token's sentence; ``phi`` (n, K) the topics of the tokens themselves.
    """
    for i in range(len(words)):
        own = vectors[words[i]]
        total = 0.0
        out[i, :] = 0.0
        for j in range(begins[i], ends[i]):
            if sigma > 0:
                weight = math.exp(-0.5 * ((i - j) / sigma) ** 2)
            else:
                other = vectors[words[j]]
                likeness = own[0] * 0
                for p in range(own.shape[0]):
                    likeness += own[p] * other[p]
                weight = math.exp(sharpness * (likeness - 1))
            total += weight
            for k in range(phi.shape[1]):
                out[i, k] += weight * phi[j, k]
        for k in range(phi.shape[1]):
            out[i, k] /= total


@njit(**FAST)  # type: ignore[untyped-decorator]
def look_up(
    ptr: Any, columns: Any, values: Any, rows: Any, wanted: Any, scratch: Any, out: Any
) -> None:
    """Fill ``out`` (wanted, rows) from a sparse matrix; ``scratch`` (all columns) is zero before and after."""
    for r in range(len(rows)):
        begin, end = ptr[rows[r]], ptr[rows[r] + 1]
        for i in range(begin, end):
            scratch[columns[i]] = values[i]
        for j in range(len(wanted)):
            out[j, r] = scratch[wanted[j]]
        for i in range(begin, end):
            scratch[columns[i]] = 0
