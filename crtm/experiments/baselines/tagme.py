"""TAGME rebuilt on a corpus (Ferragina and Scaiella, 2010): anchors and where they led, from the training links alone.

A mention is a run of words that some training link has as its anchor. Its candidates vote for one another by Milne and
Witten's relatedness of their in-links; a mention's confidence for a target is the mean of link probability and votes.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np

from crtm.corpus import Corpus
from crtm.vectors import Floats

LONGEST = 6
LEAST_PROBABILITY = 0.02
LEAST_COMMONNESS = 0.02
MOST_VOTERS = 40

Gram = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Mention:
    """Tokens ``first`` to ``last`` of a document, how likely they are a link, and the shares of where such links lead."""

    first: int
    last: int
    probability: float
    senses: dict[int, float]


class Tagme:
    """The annotator, as a scorer of tokens for a given target."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.senses: dict[Gram, Counter[int]] = defaultdict(Counter)
        self.into: dict[int, set[int]] = defaultdict(set)
        links = corpus.links
        for source, target, first, last in zip(
            links.source.tolist(),
            links.target.tolist(),
            links.first.tolist(),
            links.last.tolist(),
            strict=True,
        ):
            self.senses[tuple(corpus.words[first:last].tolist())][target] += 1
            self.into[target].add(source)
        self.seen = self._occurrences()
        self.kept: dict[int, list[Mention]] = {}

    def _occurrences(self) -> Counter[Gram]:
        """Count how often each anchor's words stand anywhere."""
        lengths = sorted({len(gram) for gram in self.senses})
        seen: Counter[Gram] = Counter()
        for d in range(len(self.corpus)):
            words = self.corpus[d].words.tolist()
            for length in lengths:
                for first in range(len(words) - length + 1):
                    gram = tuple(words[first : first + length])
                    if gram in self.senses:
                        seen[gram] += 1
        return seen

    def mentions(self, source: int) -> list[Mention]:
        """Return the mentions of a document, longest first at each place, without overlaps."""
        if source not in self.kept:
            words = self.corpus[source].words.tolist()
            found, place = [], 0
            while place < len(words):
                mention = self._mention_at(words, place)
                if mention:
                    found.append(mention)
                place = mention.last if mention else place + 1
            self.kept = {source: found}
        return self.kept[source]

    def _mention_at(self, words: list[int], place: int) -> Mention | None:
        for length in range(min(LONGEST, len(words) - place), 0, -1):
            gram = tuple(words[place : place + length])
            counts = self.senses.get(gram)
            if not counts:
                continue
            total = sum(counts.values())
            probability = total / max(total, self.seen[gram])
            if probability >= LEAST_PROBABILITY:
                senses = {t: n / total for t, n in counts.items() if n / total >= LEAST_COMMONNESS}
                return Mention(place, place + length, probability, senses)
        return None

    def relatedness(self, one: int, other: int) -> float:
        """Return Milne and Witten's measure: how much the pages that link to the one also link to the other."""
        a, b = self.into.get(one, set()), self.into.get(other, set())
        common = len(a & b)
        if not common:
            return 0.0
        wide = math.log(max(2, len(self.corpus))) - math.log(min(len(a), len(b)))
        return max(0.0, 1 - (math.log(max(len(a), len(b))) - math.log(common)) / max(wide, 1e-9))

    def confidence(self, source: int, target: int) -> list[tuple[Mention, float]]:
        """Return the mentions that may lead to the target, with their confidence."""
        mentions = self.mentions(source)
        result = []
        for mention in mentions:
            if target in mention.senses:
                voters = [other for other in mentions if other is not mention][:MOST_VOTERS]
                votes = [self._vote(other, target) for other in voters]
                coherence = float(np.mean(votes)) if votes else 0.0
                score = (mention.probability + coherence) / 2 + 0.5 * mention.senses[target]
                result.append((mention, score))
        return result

    def _vote(self, voter: Mention, target: int) -> float:
        shares = [self.relatedness(sense, target) * share for sense, share in voter.senses.items()]
        return sum(shares) / max(1, len(shares))

    def score_tokens(self, source: int, targets: list[int]) -> Floats:
        """Return (tokens, targets): 0 where no known anchor of the target stands."""
        scores = np.zeros((len(self.corpus[source]), len(targets)), dtype=np.float32)
        for column, target in enumerate(targets):
            for mention, score in self.confidence(source, target):
                scores[mention.first : mention.last, column] = score
        return scores

    def best_span(self, source: int, target: int) -> tuple[int, int] | None:
        """Return the code points of the most confident mention, or ``None``."""
        found = self.confidence(source, target)
        if not found:
            return None
        mention = max(found, key=lambda pair: pair[1])[0]
        document = self.corpus[source]
        return int(document.starts[mention.first]), int(document.ends[mention.last - 1])
