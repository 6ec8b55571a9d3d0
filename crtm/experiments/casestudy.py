"""The paper's case study: the best anchors in one page for another, CRTM beside RTM."""

from __future__ import annotations

from typing import Any

import numpy as np

from crtm.corpus import Corpus
from crtm.errors import ParameterError
from crtm.experiments.evaluate import VARIANTS
from crtm.experiments.protocol import hide_links
from crtm.model import CRTM

SHOWN = ("crtm", "rtm")


def best_anchors(corpus: Corpus, source: str, target: str, n: int) -> list[tuple[str, str]]:
    """Return pairs of words, CRTM's and RTM's, best first; all links of the source are hidden while learning."""
    for title in (source, target):
        if title not in corpus.index:
            raise ParameterError(f'The corpus has no document "{title}".')
    blind = corpus.without(corpus.links.source == corpus.index[source])
    ranked = [_best(CRTM(**VARIANTS[name]).fit(blind), source, target, n) for name in SHOWN]
    return list(zip(*ranked, strict=True))


def hidden_cases(
    corpus: Corpus, text_of: dict[str, str], cases: int, n: int
) -> list[dict[str, Any]]:
    """Return some test links of split 0, drawn, each with its true anchor and both models' best words."""
    split = hide_links(corpus, 0)
    models = {name: CRTM(**VARIANTS[name]).fit(split.training, split.validation) for name in SHOWN}
    drawn = split.test[np.random.default_rng(0).permutation(len(split.test))[:cases]]
    found = []
    for source, target, start, end in zip(
        drawn.source, drawn.target, drawn.start, drawn.end, strict=True
    ):
        titles = corpus.titles[source], corpus.titles[target]
        best = {name: _best(model, *titles, n) for name, model in models.items()}
        anchor = text_of[titles[0]][start:end]
        found.append({"source": titles[0], "target": titles[1], "anchor": anchor, **best})
    return found


def _best(model: CRTM, source: str, target: str, n: int) -> list[str]:
    return [word for word, _ in model.rank_words(source, target)[:n]]
