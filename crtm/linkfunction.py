"""The probability of a link from the topics of its context and of its target: E[log psi] = c . W t + nu.

RTM and CRTM_I have W = diag(eta); CRTM has W = Q' diag(eta) Q; gRTM has a full W. All are kept in the same three fields.
Two ways to learn them: ``paper`` (closed form for eta and nu, printed gradient for Q, with rho imagined negatives), and
``contrast`` (gradient of the probability of the true target among the targets of other links).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from crtm.vectors import Floats

TINY = 1e-12
BATCH = 128
STEPS = 4
STRIDES = (7919, 7907)  # primes: neighbouring links have the same source and make poor contrasts


@dataclass(frozen=True, slots=True)
class LinkFunction:
    """eta (K), nu, and Q (K, K) or ``None`` for the identity; with ``full`` (K, K) it is gRTM and eta is not used."""

    eta: Floats
    nu: float
    projection: Floats | None = None
    full: Floats | None = None

    def to_context(self, targets: Floats) -> Floats:
        """Return W t for each row t: what a link to such a target tells the topics of its context."""
        if self.full is not None:
            told: Floats = targets @ self.full.T
            return told
        return self._both_ways(targets)

    def to_target(self, contexts: Floats) -> Floats:
        """Return W' c for each row c: what a link from such a context tells the topics of its target."""
        if self.full is not None:
            told: Floats = contexts @ self.full
            return told
        return self._both_ways(contexts)

    def _both_ways(self, topics: Floats) -> Floats:
        """Return W x for each row x, W = Q' diag(eta) Q being symmetric; W is made only where there are more rows than topics."""
        q = self.projection
        if q is None:
            return topics * self.eta
        many = len(topics) > len(q)
        told: Floats = topics @ ((q.T * self.eta) @ q) if many else ((topics @ q.T) * self.eta) @ q
        return told

    def score(self, contexts: Floats, targets: Floats) -> Floats:
        """Return log psi for every context (rows) and target (columns)."""
        scores: Floats = contexts @ self.to_context(targets).T + np.float32(self.nu)
        return scores


def initial(n_topics: int, projection: str) -> LinkFunction:
    """Return the function that training starts from: equal topics attract each other."""
    eta = np.ones(n_topics, dtype=np.float32)
    identity = np.eye(n_topics, dtype=np.float32)
    if projection == "full":
        return LinkFunction(eta, 0.0, full=identity)
    return LinkFunction(eta, 0.0, projection=identity if projection == "learned" else None)


def paper_update(
    function: LinkFunction, contexts: Floats, targets: Floats, *, rho: float, rate: float
) -> LinkFunction:
    """Return eta and nu in closed form, then Q one printed step on (paper, 3.2).

    As printed, L - 1'Pi can fall below zero and Q can turn negative, and both end in NaN; so the two logarithms are guarded and
    Q is kept non-negative.
    """
    n_topics = contexts.shape[1]
    q = (
        function.projection
        if function.projection is not None
        else np.eye(n_topics, dtype=np.float32)
    )
    moved_contexts, moved_targets = contexts @ q.T, targets @ q.T
    similarity = np.maximum((moved_contexts * moved_targets).sum(axis=0, dtype=np.float64), TINY)
    prior = np.maximum((q.sum(axis=1, dtype=np.float64) / n_topics) ** 2, TINY)
    left = max(len(contexts) - similarity.sum(), TINY)
    nu = np.log(left) - np.log(max(rho * (1 - prior.sum()) + left, TINY))
    eta = np.log(similarity) - np.log(similarity + rho * prior) - nu
    updated = replace(function, eta=eta.astype(np.float32), nu=float(nu))
    if function.projection is None:
        return updated
    gradient = moved_targets.T @ contexts + moved_contexts.T @ targets
    stepped = np.maximum(q + rate * (eta[:, None] / n_topics) * gradient, 0)
    stepped /= np.maximum(np.linalg.norm(stepped, axis=1, keepdims=True), TINY)
    return replace(updated, projection=stepped.astype(np.float32))


def contrast_loss(
    function: LinkFunction, contexts: Floats, targets: Floats
) -> tuple[float, Floats, Floats | None]:
    """Return the mean -log p(target | context, among the batch's targets), and its slopes in eta and in Q (or full W)."""
    q = function.projection
    moved_contexts, moved_targets = (
        (contexts, targets) if q is None else (contexts @ q.T, targets @ q.T)
    )
    if function.full is not None:
        scores = function.score(contexts, targets)
    else:
        scores = (moved_contexts * function.eta) @ moved_targets.T + np.float32(function.nu)
    chance = np.exp(scores - scores.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    right = np.arange(len(contexts))
    loss = -float(np.log(np.maximum(chance[right, right], TINY)).mean())
    chance[right, right] -= 1
    chance /= len(contexts)
    if function.full is not None:
        return loss, np.zeros_like(function.eta), contexts.T @ (chance @ targets)
    pulled = chance @ moved_targets
    eta_slope = (moved_contexts * pulled).sum(axis=0)
    if q is None:
        return loss, eta_slope, None
    pushed = chance.T @ moved_contexts
    q_slope = (pulled * function.eta).T @ contexts + (pushed * function.eta).T @ targets
    return loss, eta_slope, q_slope


def batches(links: int, turn: int, steps: int = STEPS) -> npt.NDArray[np.int64]:
    """Return the links that a turn learns from, ``steps`` batches in a row: the cost does not grow with their number."""
    begins = (turn * steps + np.arange(steps)) * BATCH
    stride = STRIDES[0] if links % STRIDES[0] else STRIDES[1]
    rows: npt.NDArray[np.int64] = (begins[:, None] + np.arange(min(BATCH, links))) * stride % links
    return rows.ravel()


def contrast_update(
    function: LinkFunction,
    contexts: Floats,
    targets: Floats,
    *,
    rate: float,
    steps: int = STEPS,
) -> LinkFunction:
    """Return the function after a few gradient steps towards telling the true target from other links' targets.

    The links are taken in ``steps`` batches, one for each step. Rows of Q stay at length 1.
    """
    rate = rate * contexts.shape[1]  # topic shares are of the order 1 / K
    for rows in np.split(np.arange(len(contexts)), steps):
        _, eta_slope, slope = contrast_loss(function, contexts[rows], targets[rows])
        eta = (function.eta - rate * eta_slope).astype(np.float32)
        if function.full is not None and slope is not None:
            function = replace(function, full=(function.full - rate * slope).astype(np.float32))
        elif function.projection is None or slope is None:
            function = replace(function, eta=eta)
        else:
            q = function.projection - rate * slope
            q /= np.maximum(np.linalg.norm(q, axis=1, keepdims=True), TINY)
            function = replace(function, eta=eta, projection=q.astype(np.float32))
    return function
