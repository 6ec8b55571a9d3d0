"""Protocol A: one link of each page that has at least two is hidden, half for validation, half for test."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from crtm.corpus import Corpus, Links
from crtm.errors import CorpusError


@dataclass(frozen=True, slots=True)
class Split:
    """A corpus without its hidden links, and the hidden links."""

    training: Corpus
    validation: Links
    test: Links


def hide_links(corpus: Corpus, seed: int) -> Split:
    """Hide one link of every document with two or more; all links of a hidden (source, target) pair are hidden with it."""
    links = corpus.links
    random = np.random.default_rng(seed)
    chosen = []
    for begin, end in _runs(links.source):
        if end - begin >= 2:
            chosen.append(begin + int(random.integers(end - begin)))
    if not chosen:
        raise CorpusError(
            "No document has two links inside the corpus; there is nothing to hide and rank."
        )
    shuffled = random.permutation(np.array(chosen, dtype=np.int64))
    half = len(shuffled) // 2
    pair = links.source.astype(np.int64) * len(corpus) + links.target
    hidden = np.isin(pair, pair[shuffled])
    return Split(
        corpus.without(hidden), links[np.sort(shuffled[:half])], links[np.sort(shuffled[half:])]
    )


def _runs(values: npt.NDArray[np.int32]) -> list[tuple[int, int]]:
    """Return where each run of equal values begins and ends."""
    begins = np.flatnonzero(np.diff(values, prepend=-1)).tolist()
    return list(pairwise([*begins, len(values)]))
