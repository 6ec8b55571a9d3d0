"""The paper's case study: the best anchors in one page for another, CRTM beside RTM."""

from __future__ import annotations

from crtm.corpus import Corpus
from crtm.errors import ParameterError
from crtm.evaluate import VARIANTS
from crtm.model import CRTM


def best_anchors(corpus: Corpus, source: str, target: str, n: int) -> list[tuple[str, str]]:
    """Return pairs of words, CRTM's and RTM's, best first; all links of the source are hidden while learning."""
    for title in (source, target):
        if title not in corpus.index:
            raise ParameterError(f'The corpus has no document "{title}".')
    blind = corpus.without(corpus.links.source == corpus.index[source])
    ranked = [
        [word for word, _ in CRTM(**VARIANTS[name]).fit(blind).rank_words(source, target)[:n]]
        for name in ("crtm", "rtm")
    ]
    return list(zip(*ranked, strict=True))
