"""Compiled inner loops. They take arrays and scalars and fill arrays; no objects, no logging, no files.

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
LEAST_TOKENS = 0.01  # expected tokens below which a topic is skipped in a document


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
    """Multiply ``values`` by exp(``powers``) in place; a vectorised series handles small powers, the usual case."""
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
def expected_topics(
    words: Any, number: Any, topic_word: Any, gamma: Any, message: Any, out: Any
) -> None:
    """Fill ``out`` (K) with the expected tokens of each topic after one step over all topics, without the link terms of single tokens."""
    kind = topic_word.dtype
    weight = np.empty_like(out)
    for k in range(len(out)):
        weight[k] = exp_digamma(gamma[k]) * math.exp(message[k])
    out[:] = 0
    for c in range(len(words)):
        row = topic_word[words[c]]
        norm = kind.type(1e-30)
        for k in range(len(out)):
            norm += row[k] * weight[k]
        share = number[c] / norm
        for k in range(len(out)):
            out[k] += share * row[k]
    for k in range(len(out)):
        out[k] *= weight[k]


@njit(**FAST)  # type: ignore[untyped-decorator]
def active_topics_of(expected: Any, most: int, least: float) -> Any:
    """Return, in order, the topics with at least ``least`` expected tokens: the ``most`` largest of them."""
    n_topics = len(expected)
    if most >= n_topics:
        return np.arange(n_topics)
    bar = max(np.partition(expected, n_topics - most)[n_topics - most], least)
    chosen = np.flatnonzero(expected >= bar)
    return chosen[:most] if len(chosen) else np.array([np.argmax(expected)])


@njit(**FAST)  # type: ignore[untyped-decorator]
def rows_of(topic_word: Any, words: Any, chosen: Any) -> Any:
    """Return (cells, chosen): the words' probabilities in the chosen topics."""
    out = np.empty((len(words), len(chosen)), topic_word.dtype)
    whole = len(chosen) == topic_word.shape[1]
    for c in range(len(words)):
        row = topic_word[words[c]]
        if whole:
            for j in range(len(chosen)):
                out[c, j] = row[j]
        else:
            for j in range(len(chosen)):
                out[c, j] = row[chosen[j]]
    return out


@njit(**FAST)  # type: ignore[untyped-decorator]
def apply_link_messages(
    local: Any, number: Any, cells: Any, weights: Any, pair_ptr: Any, targets: Any, messages: Any, chosen: Any
) -> None:  # fmt: skip
    """Multiply the rows of ``local`` by exp of the weighted link messages; a link to ``t`` sends ``messages[t]``."""
    add = np.zeros_like(local)
    touched = np.zeros(len(local), np.bool_)
    for link in range(len(targets)):
        message = messages[targets[link]][chosen]
        for p in range(pair_ptr[link], pair_ptr[link + 1]):
            c = cells[p]
            touched[c] = True
            share = weights[p] / number[c]
            for j in range(len(chosen)):
                add[c, j] += share * message[j]
    for c in np.flatnonzero(touched):
        multiply_by_exp(local[c], add[c])


@njit(**FAST)  # type: ignore[untyped-decorator]
def coordinate_step(local: Any, number: Any, weight: Any, total: Any, norms: Any) -> None:
    """Fill ``norms`` (cells) with the sums of ``local * weight``, ``total`` (topics) with the tokens of each topic over ``weight``."""
    total[:] = 0
    for c in range(len(local)):
        norm = local.dtype.type(1e-30)
        for j in range(len(weight)):
            norm += local[c, j] * weight[j]
        share = number[c] / norm
        for j in range(len(weight)):
            total[j] += share * local[c, j]
        norms[c] = norm


@njit(**FAST)  # type: ignore[untyped-decorator]
def add_counts(
    local: Any, number: Any, weight: Any, norms: Any, words: Any, chosen: Any, counts: Any, grain: float
) -> None:  # fmt: skip
    """Add the tokens expected of each (word, topic) to ``counts`` (V, K), in whole multiples of ``grain`` if that is not 0."""
    whole = len(chosen) == counts.shape[1]
    if grain > 0:
        for c in range(len(words)):
            row = counts[words[c]]
            share = number[c] / norms[c]
            for j in range(len(chosen)):
                tokens = float(share * local[c, j] * weight[j])
                row[chosen[j]] += math.floor(tokens / grain + 0.5) * grain
        return
    for c in range(len(words)):
        row = counts[words[c]]
        share = number[c] / norms[c]
        if whole:
            for j in range(len(chosen)):
                row[j] += share * local[c, j] * weight[j]
        else:
            for j in range(len(chosen)):
                row[chosen[j]] += share * local[c, j] * weight[j]


@njit(**FAST)  # type: ignore[untyped-decorator]
def scaled_rows(rows: Any, chosen: Any, factors: Any, added: Any) -> Any:
    """Return the chosen rows, each column times its factor plus what is added to it."""
    out = np.empty((len(chosen), rows.shape[1]), rows.dtype)
    for i in range(len(chosen)):
        row = rows[chosen[i]]
        for k in range(len(row)):
            out[i, k] = row[k] * factors[k] + added[k]
    return out


@njit(**FAST)  # type: ignore[untyped-decorator]
def add_rows(rows: Any, chosen: Any, added: Any, factor: float) -> Any:
    """Add ``factor`` times the rows of ``added`` to the chosen rows of ``rows``; return the sum of ``added`` by column."""
    total = np.zeros(rows.shape[1])
    share = rows.dtype.type(factor)
    for i in range(len(chosen)):
        row, more = rows[chosen[i]], added[i]
        for k in range(len(row)):
            row[k] += share * more[k]
            total[k] += more[k]
    return total


@njit(**FAST)  # type: ignore[untyped-decorator]
def mean_contexts(
    local: Any, weight: Any, norms: Any, cells: Any, pair_weight: Any, pair_ptr: Any, chosen: Any, out: Any
) -> None:  # fmt: skip
    """Fill ``out`` (links, K) with the mean topics of each link's pairs."""
    mean = np.empty_like(weight)
    for link in range(len(out)):
        mean[:] = 0
        for p in range(pair_ptr[link], pair_ptr[link + 1]):
            c = cells[p]
            share = pair_weight[p] / norms[c]
            for j in range(len(chosen)):
                mean[j] += share * local[c, j]
        out[link, :] = 0
        for j in range(len(chosen)):
            out[link, chosen[j]] = mean[j] * weight[j]


@njit(**FAST)  # type: ignore[untyped-decorator]
def infer_documents(
    documents: Any, doc_ptr: Any, cell_word: Any, cell_count: Any, topic_word: Any, alpha: float, gamma: Any,
    doc_message: Any, link_ptr: Any, link_target: Any, pair_ptr: Any, pair_cell: Any, pair_weight: Any,
    target_message: Any, steps: int, active: int, look: bool, counts: Any, context: Any, norms: Any,
    grain: float = 0.0,
) -> None:  # fmt: skip
    """Fill ``gamma``, ``context`` and ``norms`` for the documents listed and add their expected counts to ``counts``.

    ``norms`` become the words' probabilities in their documents, link terms included.
    A cell is a (document, word) pair with its count (or one token): ``doc_ptr`` (D+1) into ``cell_word``, ``cell_count``.
    ``topic_word`` (V, K) is beta; ``doc_message`` (D, K) the link term all tokens of a document share;
    ``target_message`` (D, K) what a link to a document tells each token of its context. ``context`` (L, K) becomes
    the mean topics of each link's context. With more than ``active`` topics, those are inferred that a first ``look`` at all
    of them (or the last ``gamma``) shows to matter; the others keep gamma = alpha. No link ever changes ``topic_word``.
    Multiples of ``grain``, a power of two, add up to the same sum in any order.
    """
    expected = np.empty(topic_word.shape[1], topic_word.dtype)
    for d in documents:
        begin, end = doc_ptr[d], doc_ptr[d + 1]
        words, number, own_norms = cell_word[begin:end], cell_count[begin:end], norms[begin:end]
        if active < len(expected) and look:
            expected_topics(words, number, topic_word, gamma[d], doc_message[d], expected)
        else:
            expected[:] = gamma[d] - alpha
        gamma[d, :] = alpha
        if begin == end:
            continue
        chosen = active_topics_of(expected, active, LEAST_TOKENS)
        local = rows_of(topic_word, words, chosen)
        links = slice(link_ptr[d], link_ptr[d + 1])
        own_ptr = pair_ptr[link_ptr[d] : link_ptr[d + 1] + 1]
        pairs = slice(own_ptr[0], own_ptr[-1])
        cells, weights, own_ptr = pair_cell[pairs] - begin, pair_weight[pairs], own_ptr - own_ptr[0]
        if len(cells):
            targets = link_target[links]
            apply_link_messages(
                local, number, cells, weights, own_ptr, targets, target_message, chosen
            )
        shift = np.exp(doc_message[d][chosen])
        own_gamma, weight, total = (
            alpha + expected[chosen],
            np.empty_like(shift),
            np.empty_like(shift),
        )
        for _ in range(steps):
            for j in range(len(chosen)):
                weight[j] = exp_digamma(own_gamma[j]) * shift[j]
            coordinate_step(local, number, weight, total, own_norms)
            own_gamma = alpha + total * weight
        gamma[d][chosen] = own_gamma
        add_counts(local, number, weight, own_norms, words, chosen, counts, grain)
        mean_contexts(local, weight, own_norms, cells, weights, own_ptr, chosen, context[links])
        own_norms /= weight.sum()  # now the probabilities of the cells under the document's mixture


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


@njit(**FAST)  # type: ignore[untyped-decorator]
def shifted_information(
    rows: Any, places: Any, row_ptr: Any, words: Any, begins: Any, ends: Any, window: int,
    mass: Any, smoothed: Any, out_ptr: Any, columns: Any, values: Any, fill: bool,
) -> None:  # fmt: skip
    """Compute rows of max(0, log(c(v, w) total / mass(v) smoothed(w))), where c counts words within ``window`` of each other.

    ``places[row_ptr[v]:row_ptr[v + 1]]`` are the tokens of word ``v``; the document of each is tokens ``begins`` to ``ends``. Without
    ``fill``, put the number of positive entries of row ``v`` into ``out_ptr[v + 1]``; with it, write them from ``out_ptr[v]`` on.
    """
    total = smoothed.sum()
    near = np.zeros(len(smoothed), smoothed.dtype)
    touched = np.empty(len(smoothed), np.int32)
    for v in rows:
        n_touched = 0
        for i in range(row_ptr[v], row_ptr[v + 1]):
            place = places[i]
            for other in range(max(begins[i], place - window), min(ends[i], place + window + 1)):
                if other == place:
                    continue
                w = words[other]
                if near[w] == 0:
                    touched[n_touched] = w
                    n_touched += 1
                near[w] += (window + 1 - abs(other - place)) / window
        at = out_ptr[v] if fill else 0
        for i in range(n_touched):
            w = touched[i]
            ratio = near[w] * total / (mass[v] * smoothed[w])
            near[w] = 0
            if ratio > 1:
                if fill:
                    columns[at] = w
                    values[at] = math.log(ratio)
                at += 1
        if not fill:
            out_ptr[v + 1] = at
