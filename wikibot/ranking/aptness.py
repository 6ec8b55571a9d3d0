"""How apt a word is to carry a link where it stands: CRTM's aptness, conditioned on the context.

CRTM counts how often a word is linked. Here its word vectors take the place of the count, so that a
word never linked before learns from its kin, and the words around it have a say. Every link
teaches, also those that lead out of the wiki. A page's own links never speak for its own words:
the pages are split in parts, and each part is judged by what the others teach.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from wikibot.ranking.wiki import Bools, Floats, Longs, Wiki

PARTS = 4
_WINDOW = 5
_NEGATIVES = 4  # unlinked words for each linked one
_MOST = 40_000  # linked words that are enough to learn from
_RIDGE = 3.0


def judge(wiki: Wiki, known: Bools, vectors: Floats, places: Longs) -> Floats:
    """The log-odds that the words at `places` carry a link; 0 where nothing can be learned.

    `vectors` has a row for each word of the wiki; `known` are the pages whose links teach.
    """
    linked = wiki.link >= 0
    sample = _sample(wiki, linked, known)
    out = np.zeros(len(places), dtype=np.float32)
    if not linked[sample].any() or not len(places):
        return out
    part = part_of(wiki.page, known)
    inputs = _inputs(wiki, vectors, np.concatenate([sample, places]))
    taught, asked = inputs[: len(sample)], inputs[len(sample) :]
    for number in np.unique(part[places]).tolist():
        rows = part[sample] != number
        weights = _fit(taught[rows], linked[sample][rows])
        mine = part[places] == number
        out[mine] = asked[mine] @ weights
    return out


def part_of(pages: Longs, known: Bools) -> Longs:
    """The part that each of these pages is judged in; -1 for pages whose links are not known."""
    mixed = (pages * 2654435761) % 2**32 // 65536
    return np.where(known[pages], mixed % PARTS, -1)


def _sample(wiki: Wiki, linked: Bools, known: Bools) -> Longs:
    random = np.random.default_rng(0)
    teaches = known[wiki.page]
    yes, no = np.flatnonzero(linked & teaches), np.flatnonzero(~linked & teaches)
    yes = random.permutation(yes)[:_MOST]
    no = random.permutation(no)[: _NEGATIVES * len(yes)]
    return np.concatenate([yes, no])


def _inputs(wiki: Wiki, vectors: Floats, places: Longs) -> Floats:
    """The word's vector, the mean vector of the words around it, and a constant."""
    start, end = wiki.offsets[wiki.page[places]], wiki.offsets[wiki.page[places] + 1]
    around = np.zeros((len(places), vectors.shape[1]), dtype=np.float32)
    count = np.zeros(len(places), dtype=np.float32)
    for offset in (*range(-_WINDOW, 0), *range(1, _WINDOW + 1)):
        at = places + offset
        inside = (at >= start) & (at < end)
        around[inside] += vectors[at[inside]]
        count += inside
    around /= np.maximum(count, 1)[:, None]
    capital = wiki.is_upper[places][:, None]
    constant = np.ones((len(places), 1), dtype=np.float32)
    return np.concatenate([vectors[places], 3 * around, capital, constant], axis=1).astype(
        np.float32
    )


def _fit(inputs: Floats, linked: Bools) -> Floats:
    """The weights of a logistic regression with a ridge."""
    sign = np.where(linked, 1.0, -1.0).astype(np.float32)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        margin = sign * (inputs @ weights.astype(np.float32))
        value = np.logaddexp(0, -margin).sum() + _RIDGE / 2 * float(weights @ weights)
        slope = -(inputs.T @ (sign * expit(-margin))) + _RIDGE * weights
        return float(value), slope.astype(np.float64)

    start = np.zeros(inputs.shape[1])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 60})
    return np.asarray(found.x, dtype=np.float32)
