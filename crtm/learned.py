"""What a fitted model has learned, as scikit-learn names it, and what it answers with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crtm import scoring
from crtm.corpus import Vocabulary
from crtm.errors import NotFittedError
from crtm.progress import Iteration
from crtm.spans import SpanModel
from crtm.vectors import Floats


@dataclass(frozen=True, slots=True)
class RankedSpan:
    """A place in the source that could carry the link: code points ``start`` to ``end``, and its score."""

    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class RankedPlace:
    """A sentence or paragraph where a link would fit: code points from its first to its last known word, and its score."""

    start: int
    end: int
    score: float


class LearnedAttributes:
    """The attributes of a fitted model; each refuses a model that has learned nothing."""

    fitted_: scoring.FittedModel
    history_: list[Iteration]
    vocabulary_: Vocabulary
    spans_: SpanModel

    @property
    def topic_word_(self) -> Floats:
        """beta (K, V): the words of each topic."""
        result: Floats = self._fitted().topics.topic_word.T
        return result

    @property
    def doc_topic_(self) -> Floats:
        """theta (D, K): the mean topics of each document."""
        return self._fitted().topics.mean

    @property
    def eta_(self) -> Floats:
        """The link function's weight of each topic (K)."""
        return self._fitted().topics.function.eta

    @property
    def nu_(self) -> float:
        """The link function's constant."""
        return self._fitted().topics.function.nu

    @property
    def q_(self) -> Floats | None:
        """Q (K, K), or gRTM's full matrix, or ``None`` for the identity."""
        function = self._fitted().topics.function
        return function.projection if function.full is None else function.full

    @property
    def weights_(self) -> dict[str, float]:
        """The weights of the link function's terms, by column."""
        return self._fitted().weights

    @property
    def n_iter_(self) -> int:
        """How many EM iterations were run."""
        return len(self.history_)

    def top_words(self, topic: int, n: int = 10) -> list[str]:
        """Return the topic's words that stand out most: probable in it, and more than elsewhere."""
        topics = self._fitted().topics
        beta = topics.topic_word[:, topic]
        overall = topics.topic_word @ topics.prior
        salience = beta * np.log(beta / np.maximum(overall, 1e-30))
        return [self.vocabulary_.words[word] for word in np.argsort(-salience, kind="stable")[:n]]

    def _fitted(self) -> scoring.FittedModel:
        if not hasattr(self, "fitted_"):
            raise NotFittedError("This model has learned nothing yet; call fit or load first.")
        return self.fitted_
