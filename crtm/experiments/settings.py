"""Settings chosen on validation links, for every model of the paper alike: topics, alpha and the scale of the attention.

Topics and alpha are chosen together, then the scale with both as they were chosen. The best has the most validation links with a
word of the anchor first; of equals the earlier one of the list stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from crtm.corpus import Corpus, Links
from crtm.experiments.evaluate import PAPER, VARIANTS
from crtm.experiments.protocol import Split
from crtm.model import CRTM
from crtm.scoring import best_of_words

MAX_LINKS = 300  # validation links that a choice looks at
CHOICES: Mapping[str, Sequence[float]] = {"n_topics": (50, 200), "alpha": (5.0, 1.0, 0.1), "sharpness": (5.0, 1.0, 15.0)}  # fmt: skip
TOGETHER = (("n_topics", "alpha"), ("sharpness",))
OF_THE_PAPER = ("rtm", "crtm_1", "crtm_u", "crtm_p", "crtm_i", "crtm_paper")


@dataclass(frozen=True, slots=True)
class Precision:
    """The share of links with a word of the anchor ranked first, and among the first five."""

    p_at_1: float
    p_at_5: float


def precision(scorer: Any, corpus: Corpus, training: Corpus, links: Links) -> Precision:
    """Return how well a fitted model or baseline ranks the anchors' words; a word that ties with the anchor counts against it."""
    places = []
    for number in range(len(links)):
        link = links[number : number + 1]
        source, target = int(link.source[0]), int(link.target[0])
        scores = scorer.score_tokens(source, [target])
        words, best = best_of_words(training[source], scores)
        anchor = np.isin(words, corpus.words[link.first[0] : link.last[0]])
        places.append(int(((best[:, 0] >= best[anchor, 0].max()) & ~anchor).sum()))
    place = np.array(places)
    return Precision(float((place < 1).mean()), float((place < 5).mean()))


def choose(name: str, corpus: Corpus, split: Split, seed: int) -> dict[str, Any]:
    """Return the settings under which the model ranks the anchors of the validation links best."""
    names = settings_of(name)
    chosen: dict[str, Any] = {setting: CHOICES[setting][0] for setting in names}
    links = split.validation[:MAX_LINKS]
    known: dict[tuple[Any, ...], float] = {}
    for together in TOGETHER:
        if not set(together) <= set(names):
            continue
        tried = [
            {**chosen, **dict(zip(together, values, strict=True))}
            for values in product(*(CHOICES[setting] for setting in together))
        ]
        for settings in tried:
            key = tuple(settings.values())
            if key not in known:
                model = CRTM(**{**VARIANTS[name], **settings}, seed=seed)
                model.fit(split.training, split.validation)
                known[key] = precision(model, corpus, split.training, links).p_at_1
        chosen = max(tried, key=lambda settings: known[tuple(settings.values())])
    return chosen


def settings_of(name: str) -> tuple[str, ...]:
    """Return the settings that the model has; only attention has a scale."""
    has_attention = {**PAPER, "context": "attention", **VARIANTS[name]}["context"] == "attention"
    return tuple(CHOICES) if has_attention else ("n_topics", "alpha")
