"""Forms of a name that were never seen before, by what the wiki's own links show of its grammar.

`[[Latveja|Latvejā]]` teaches that a final -a may turn into -ā. No list of endings, no language: a
rule is a pair of endings after a common beginning, and its weight is how many titles showed it.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

Rules = Mapping[tuple[str, str], float]
Words = tuple[str, ...]

_BEGINNING = 3  # characters two forms of a word must share
_LONGEST_ENDING = 4
_SEEN_OFTEN = 2.0  # below this a rule may be one slip of the pen
UNRULED = 0.3  # the weight of a form that only shares a long beginning with the name
STRONGEST = 50.0  # a rule seen more often is no more certain
FOLDED = 1.0  # of a form that differs in accents alone


def learn_rules(pairs: Iterable[tuple[Words, Words]]) -> Rules:
    """Weights of (ending, ending) from pairs (name, anchor) of equally many words."""
    seen: dict[tuple[str, str], set[Words]] = defaultdict(set)
    for name, anchor in set(pairs):
        if len(name) == len(anchor) and name != anchor:
            for ours, theirs in zip(name, anchor, strict=True):
                rule = _ending_pair(ours, theirs)
                if rule:
                    seen[rule].add(name)
    weights: dict[tuple[str, str], float] = defaultdict(float)
    for (ours, theirs), names in seen.items():
        weights[ours, theirs] += len(names)
        weights[theirs, ours] += len(names) / 2
    return dict(weights)


def _ending_pair(ours: str, theirs: str) -> tuple[str, str] | None:
    if ours == theirs:
        return None
    shared = _shared_beginning(ours, theirs)
    left, right = ours[shared:], theirs[shared:]
    fits = shared >= _BEGINNING and len(left) <= _LONGEST_ENDING and len(right) <= _LONGEST_ENDING
    return (left, right) if fits else None


def is_form_of(name: Words, anchor: Words) -> bool:
    """Do the two differ in the endings of words alone?"""
    return len(name) == len(anchor) and all(
        ours == theirs or _ending_pair(ours, theirs) is not None
        for ours, theirs in zip(name, anchor, strict=True)
    )


def _shared_beginning(ours: str, theirs: str) -> int:
    length = 0
    for a, b in zip(ours, theirs, strict=False):
        if a != b:
            break
        length += 1
    return length


@dataclass(frozen=True, slots=True)
class Inflection:
    """Which words of a vocabulary may be forms of a given word."""

    endings: Mapping[str, list[tuple[str, float]]]
    in_order: Sequence[str]  # words of five letters or more
    by_plain: Mapping[str, list[str]]
    vocabulary: frozenset[str]
    known: dict[str, list[tuple[str, float]]]

    def variants(self, word: str) -> list[tuple[str, float]]:
        """Words that may be forms of `word`, not itself, with weights, the weightiest first."""
        if word not in self.known:
            self.known[word] = sorted(self._find(word).items(), key=lambda one: (-one[1], one[0]))
        return self.known[word]

    def _find(self, word: str) -> dict[str, float]:
        found = self._by_length(word)
        found |= dict.fromkeys(self.by_plain.get(plain(word), ()), FOLDED)
        for length in range(min(_LONGEST_ENDING, len(word) - _BEGINNING) + 1):
            stem, ending = word[: len(word) - length], word[len(word) - length :]
            for other, weight in self.endings.get(ending, ()):
                if stem + other in self.vocabulary:
                    found[stem + other] = max(weight, found.get(stem + other, 0.0))
        found.pop(word, None)
        return found

    def _by_length(self, word: str) -> dict[str, float]:
        """Words that share most of their letters, whatever the endings."""
        if len(word) < 5 or not word.isalpha():
            return {}
        beginning = word[: max(4, round(0.6 * len(word)))]
        first, last = (bisect_left(self.in_order, beginning + end) for end in ("", "\U0010ffff"))
        return {
            other: UNRULED
            for other in self.in_order[first:last]
            if _fits(_shared_beginning(word, other), word, other)
        }


def _fits(shared: int, word: str, other: str) -> bool:
    return len(word) - shared <= 3 and len(other) - shared <= 4


def plain(word: str) -> str:
    """The word without accents."""
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


def inflection(rules: Rules, vocabulary: Iterable[str]) -> Inflection:
    """What the rules make of a vocabulary."""
    endings: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for (ours, theirs), weight in sorted(rules.items(), key=lambda item: (-item[1], item[0])):
        if weight >= _SEEN_OFTEN and len(endings[ours]) < 40:
            endings[ours].append((theirs, min(weight, STRONGEST)))
    in_order: list[str] = []
    plains: dict[str, list[str]] = defaultdict(list)
    words = frozenset(vocabulary)
    for word in sorted(words):
        plains[plain(word)].append(word)
        if len(word) >= 5 and word.isalpha():
            in_order.append(word)
    return Inflection(endings, in_order, plains, words, {})
