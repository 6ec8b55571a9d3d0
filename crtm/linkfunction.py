"""The probability of a link from the topics of its context and of its target: E[log psi] = c . W t + nu.

RTM and CRTM_I have W = diag(eta); CRTM has W = Q' diag(eta) Q; gRTM has a full W. All are kept in the same three fields.
Two ways to learn them: ``paper`` (closed form for eta and nu, printed gradient for Q, with rho imagined negatives), and
``contrast`` (gradient of the probability of the true target among the targets of other links).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from crtm.vectors import Floats

TINY = 1e-12


@dataclass(frozen=True, slots=True)
class LinkFunction:
    """eta (K), nu, and Q (K, K) or ``None`` for the identity; with ``full`` (K, K) it is gRTM and eta is not used."""

    eta: Floats
    nu: float
    transform: Floats | None = None
    full: Floats | None = None

    def matrix(self) -> Floats:
        """Return W (K, K)."""
        if self.full is not None:
            return self.full
        if self.transform is None:
            return np.diag(self.eta)
        return (self.transform.T * self.eta) @ self.transform

    def to_context(self, targets: Floats) -> Floats:
        """Return W t for each row t: what a link to such a target tells the topics of its context."""
        if self.full is None and self.transform is None:
            return targets * self.eta
        return targets @ self.matrix().T

    def to_target(self, contexts: Floats) -> Floats:
        """Return W' c for each row c: what a link from such a context tells the topics of its target."""
        if self.full is None and self.transform is None:
            return contexts * self.eta
        return contexts @ self.matrix()

    def score(self, contexts: Floats, targets: Floats) -> Floats:
        """Return log psi for every context (rows) and target (columns)."""
        return self.to_target(contexts) @ targets.T + np.float32(self.nu)


def initial(n_topics: int, transform: str) -> LinkFunction:
    """Return the function that training starts from: equal topics attract each other."""
    eta = np.ones(n_topics, dtype=np.float32)
    identity = np.eye(n_topics, dtype=np.float32)
    if transform == "full":
        return LinkFunction(eta, 0.0, full=identity)
    return LinkFunction(eta, 0.0, transform=identity if transform == "learned" else None)


def paper_update(
    function: LinkFunction, contexts: Floats, targets: Floats, *, rho: float, rate: float
) -> LinkFunction:
    """Return eta and nu in closed form, then Q one printed step on (paper, 3.2).

    As printed, L - 1'Pi can fall below zero and Q can turn negative, and both end in NaN; so the two logarithms are guarded and
    Q is kept non-negative.
    """
    n_topics = contexts.shape[1]
    q = function.transform if function.transform is not None else np.eye(n_topics, dtype=np.float32)
    moved_contexts, moved_targets = contexts @ q.T, targets @ q.T
    similarity = np.maximum((moved_contexts * moved_targets).sum(axis=0, dtype=np.float64), TINY)
    prior = np.maximum((q.sum(axis=1, dtype=np.float64) / n_topics) ** 2, TINY)
    left = max(len(contexts) - similarity.sum(), TINY)
    nu = np.log(left) - np.log(max(rho * (1 - prior.sum()) + left, TINY))
    eta = np.log(similarity) - np.log(similarity + rho * prior) - nu
    updated = replace(function, eta=eta.astype(np.float32), nu=float(nu))
    if function.transform is None:
        return updated
    gradient = moved_targets.T @ contexts + moved_contexts.T @ targets
    stepped = np.maximum(q + rate * (eta[:, None] / n_topics) * gradient, 0)
    stepped /= np.maximum(np.linalg.norm(stepped, axis=1, keepdims=True), TINY)
    return replace(updated, transform=stepped.astype(np.float32))


def contrast_loss(
    matrix: Floats, contexts: Floats, targets: Floats, *, decay: float
) -> tuple[float, Floats]:
    """Return the mean -log p(target | context, the batch's targets) and its gradient in W."""
    scores = contexts @ matrix @ targets.T
    scores = scores - scores.max(axis=1, keepdims=True)
    chance = np.exp(scores)
    chance /= chance.sum(axis=1, keepdims=True)
    rows = np.arange(len(contexts))
    loss = -np.log(np.maximum(chance[rows, rows], TINY)).mean() + 0.5 * decay * (matrix**2).sum()
    chance[rows, rows] -= 1
    gradient = contexts.T @ (chance @ targets) / len(contexts) + decay * matrix
    return float(loss), gradient


def contrast_update(
    function: LinkFunction, contexts: Floats, targets: Floats, *, rate: float, batch: int = 256
) -> LinkFunction:
    """Return the function after one gradient step per batch towards telling the true target from the others'."""
    eta, q, full = function.eta.copy(), function.transform, function.full
    for begin in range(0, len(contexts), batch):
        c, t = contexts[begin : begin + batch], targets[begin : begin + batch]
        current = LinkFunction(eta, function.nu, q, full)
        slope = -contrast_loss(current.matrix(), c, t, decay=1e-6)[1]
        if full is not None:
            full = (full + rate * slope).astype(np.float32)
        elif q is None:
            eta = (eta + rate * np.diag(slope)).astype(np.float32)
        else:
            # W = Q' diag(eta) Q: the chain rule gives both gradients from that of W.
            eta_slope = ((q @ slope) * q).sum(axis=1)
            q_slope = eta[:, None] * (q @ (slope + slope.T))
            eta = (eta + rate * eta_slope).astype(np.float32)
            q = q + rate * q_slope
            q = (q / np.maximum(np.linalg.norm(q, axis=1, keepdims=True), TINY)).astype(np.float32)
    return LinkFunction(eta, function.nu, q, full)
