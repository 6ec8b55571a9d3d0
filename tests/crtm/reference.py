"""Slow, readable twins of the kernels, and the bound, written from the paper's formulas."""

from __future__ import annotations

import numpy as np
from scipy.special import digamma, gammaln

from crtm.em import EMInputs, State


def document_step(words, counts, beta, alpha, gamma, shared, per_cell, steps):
    """Return gamma and phi (cells, K) after some steps: phi ~ beta exp(digamma(gamma) + link terms), gamma = alpha + sum phi."""
    for _ in range(steps):
        logits = np.log(beta[words]) + digamma(gamma) + shared + per_cell
        phi = np.exp(logits - logits.max(axis=1, keepdims=True))
        phi /= phi.sum(axis=1, keepdims=True)
        gamma = alpha + (counts[:, None] * phi).sum(axis=0)
    return gamma, phi


def cell_messages(inputs: EMInputs, d: int, target_message: np.ndarray) -> np.ndarray:
    """Return (cells of d, K): the links' terms of each cell, averaged over its tokens."""
    word_counts, contexts = inputs.word_counts, inputs.contexts
    begin, end = word_counts.doc_ptr[d], word_counts.doc_ptr[d + 1]
    out = np.zeros((end - begin, target_message.shape[1]))
    for link in range(contexts.link_ptr[d], contexts.link_ptr[d + 1]):
        for pair in range(contexts.pair_ptr[link], contexts.pair_ptr[link + 1]):
            cell = contexts.pair_cell[pair]
            out[cell - begin] += (
                contexts.pair_weight[pair]
                / word_counts.count[cell]
                * target_message[contexts.target[link]]
            )
    return out


def anchor_weights(kind, words, first, last, vectors, sharpness, sigma):
    """Return the weights of a sentence's tokens for an anchor that is tokens ``first`` to ``last`` of it (paper, 3.1.1)."""
    places = np.arange(len(words))
    if kind == "anchor":
        weights = ((places >= first) & (places < last)).astype(np.float32)
    elif kind == "uniform":
        weights = np.ones(len(words), dtype=np.float32)
    elif kind == "positional":
        distance = np.maximum(0, np.maximum(first - places, places - (last - 1)))
        weights = np.exp(-0.5 * (distance / sigma) ** 2)
    else:
        mean = vectors[words[first:last]].mean(axis=0)
        scores = sharpness * (vectors[words] @ mean)
        weights = np.exp(scores - scores.max())
    return weights / weights.sum()


def attention(words, begins, ends, vectors, sharpness, sigma, phi):
    """Return (n, K): each token's sentence, weighted by softmax of likeness or by nearness."""
    out = np.zeros_like(phi, dtype=np.float64)
    for i in range(len(words)):
        places = np.arange(begins[i], ends[i])
        if sigma > 0:
            weights = np.exp(-0.5 * ((i - places) / sigma) ** 2)
        else:
            weights = np.exp(sharpness * (vectors[words[places]] @ vectors[words[i]]))
        out[i] = (weights / weights.sum()) @ phi[places]
    return out


def bound(inputs: EMInputs, state: State, phi: list[np.ndarray]) -> float:
    """Return the evidence lower bound, term by term, for the cells' phi and the state's gamma."""
    word_counts, alpha = inputs.word_counts, inputs.alpha
    n_topics = state.gamma.shape[1]
    total = 0.0
    for d, own in enumerate(phi):
        gamma = state.gamma[d]
        log_theta = digamma(gamma) - digamma(gamma.sum())
        place = slice(word_counts.doc_ptr[d], word_counts.doc_ptr[d + 1])
        counts = word_counts.count[place].astype(np.float64)
        # E[log p(theta | alpha)]
        total += (
            gammaln(n_topics * alpha) - n_topics * gammaln(alpha) + ((alpha - 1) * log_theta).sum()
        )
        # - E[log q(theta)]
        total -= gammaln(gamma.sum()) - gammaln(gamma).sum() + ((gamma - 1) * log_theta).sum()
        # E[log p(z | theta)] + E[log p(w | z)] - E[log q(z)]
        log_beta = np.log(state.topic_word[word_counts.word[place]])
        total += (counts[:, None] * own * (log_theta + log_beta - np.log(own + 1e-300))).sum()
    return total + link_term(inputs, state, phi)


def link_term(inputs: EMInputs, state: State, phi: list[np.ndarray]) -> float:
    """Return the sum over links of E[log psi] = context . W target + nu."""
    word_counts, contexts = inputs.word_counts, inputs.contexts
    flat = np.concatenate(phi)
    means = []
    for d, own in enumerate(phi):
        counts = word_counts.count[word_counts.doc_ptr[d] : word_counts.doc_ptr[d + 1]]
        means.append((counts[:, None] * own).sum(axis=0) / counts.sum())
    total = 0.0
    for link in range(len(contexts.target)):
        pairs = slice(contexts.pair_ptr[link], contexts.pair_ptr[link + 1])
        context = (contexts.pair_weight[pairs][:, None] * flat[contexts.pair_cell[pairs]]).sum(
            axis=0
        )
        if contexts.whole:
            context = means[contexts.source[link]]
        total += float(
            state.function.score(context[None], means[contexts.target[link]][None])[0, 0]
        )
    return total


def shifted_pmi(corpus):
    """Return max(0, log(c(v, w) sum(m^0.75) / m(v) m(w)^0.75)) (V, V), pairs of tokens counted one by one."""
    counts = np.zeros((len(corpus.vocabulary), len(corpus.vocabulary)))
    for d in range(len(corpus)):
        words = corpus[d].words
        for i, left in enumerate(words):
            for gap, right in enumerate(words[i + 1 : i + 11], 1):
                counts[left, right] += (11 - gap) / 10
                counts[right, left] += (11 - gap) / 10
    mass = counts.sum(axis=1)
    with np.errstate(divide="ignore"):
        information = np.log(counts * (mass**0.75).sum() / np.outer(mass, mass**0.75))
    return np.maximum(information, 0)
