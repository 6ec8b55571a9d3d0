"""What pages are called: titles, redirects, bold names, anchors, and forms of all these."""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from wikibot.ranking.inflection import Inflection, Words, inflection, learn_rules
from wikibot.ranking.prose import WORD
from wikibot.ranking.wiki import Bools, Floats, Longs, Wiki

LONGEST = 7  # words in a name
MOST_FORMS = 300  # of one name; a name of many words with many forms each is left as it is

# How a name came to its page, as bits.
TITLE, STRIPPED, REDIRECT, BOLD_NAME, ANCHOR, INFLECTED, SIMILAR, POINTED, SCATTERED = (
    1 << i for i in range(9)
)
GIVEN = TITLE | STRIPPED | REDIRECT | BOLD_NAME
KINDS = (
    "title",
    "stripped",
    "redirect",
    "bold_name",
    "anchor",
    "inflected",
    "similar",
    "pointed",
    "scattered",
)

CERTAIN = 99.0  # the weight of a name that is no inflected form, above any rule's

_BRACKETS = re.compile(r"\s*\([^()]*\)\s*$")


def words_of(name: str) -> Words:
    """The words of a name in lower case."""
    return tuple(WORD.findall(name.lower()))


def without_brackets(title: str) -> str:
    """'Jinx (comics)' is called 'Jinx'."""
    return _BRACKETS.sub("", title)


@dataclass(frozen=True, slots=True)
class Names:
    """Names as tuples of word numbers; pairs (name, target) are columns, in the order of names.

    Name n has the pairs first[n]:first[n + 1]. `keys` are hashes of names, sorted, and `order`
    the names they belong to. The last name is none: it stands for words that are no name.
    """

    words: tuple[tuple[int, ...], ...]
    number: dict[tuple[int, ...], int]
    length: Longs
    first: Longs
    name: Longs
    target: Longs
    kind: Longs
    weight: Floats
    keys: np.ndarray
    order: Longs
    vocabulary: tuple[str, ...]  # words by their numbers

    def __len__(self) -> int:
        return len(self.words)

    def spelled(self, name: int) -> Words:
        """The words of a name."""
        return tuple(self.vocabulary[word] for word in self.words[name])


def find_names(wiki: Wiki, known: Bools) -> Names:
    """Every name of every page; anchors are taken from the links that are `known`."""
    kinds: dict[tuple[Words, int], int] = defaultdict(int)
    for words, target, kind in itertools.chain(_given(wiki), _anchors(wiki, known)):
        if 0 < len(words) <= LONGEST and not wiki.is_disambiguation[target]:
            kinds[words, target] |= kind
    forms = _forms(kinds, inflection(learn_rules(_examples(wiki, known)), wiki.vocabulary))
    weights = dict.fromkeys(kinds, CERTAIN)
    for pair, weight in forms.items():
        kinds[pair] = INFLECTED if weight >= 1 else SIMILAR
        weights[pair] = weight
    return _table(wiki, kinds, weights)


def _given(wiki: Wiki) -> Iterator[tuple[Words, int, int]]:
    for number, page in enumerate(wiki.pages):
        title = wiki.titles[number]
        yield words_of(title), number, TITLE
        yield words_of(without_brackets(title)), number, STRIPPED
        if ", " in title:
            yield words_of(title.split(", ")[0]), number, STRIPPED
        for name in page.bold_names[:6]:
            yield words_of(re.sub(r"\[\[(?:[^\[\]|]*\|)?|\]\]", "", name)), number, BOLD_NAME
    for title, target in wiki.redirects.items():
        yield words_of(title), target, REDIRECT
        yield words_of(without_brackets(title)), target, REDIRECT


def _anchors(wiki: Wiki, known: Bools) -> Iterator[tuple[Words, int, int]]:
    links = wiki.links
    inside = known & (links.target >= 0) & (links.target != links.page)
    for index in np.flatnonzero(inside).tolist():
        yield _anchor(wiki, index), int(links.target[index]), ANCHOR


def _anchor(wiki: Wiki, link: int) -> Words:
    return tuple(
        word.lower() for word in wiki.spelling[wiki.links.first[link] : wiki.links.last[link]]
    )


def _examples(wiki: Wiki, known: Bools) -> Iterator[tuple[Words, Words]]:
    """(title, anchor) of every known link, those that lead out of the wiki included."""
    called = functools.cache(lambda title: words_of(without_brackets(title)))
    for index in np.flatnonzero(known).tolist():
        target = int(wiki.links.target[index])
        title = wiki.titles[target] if target >= 0 else wiki.links.title[index]
        yield called(title), _anchor(wiki, index)


def _forms(
    kinds: dict[tuple[Words, int], int], inflected: Inflection
) -> dict[tuple[Words, int], float]:
    """Forms of names that are no names already, with the weight of their weakest word."""
    forms: dict[tuple[Words, int], float] = {}
    for words, target in list(kinds):
        for form, weight in _forms_of(words, inflected):
            pair = (form, target)
            if pair not in kinds:
                forms[pair] = max(weight, forms.get(pair, 0.0))
    return forms


def _forms_of(words: Words, inflected: Inflection) -> Iterator[tuple[Words, float]]:
    most = 30 if len(words) == 1 else 8
    choices: list[list[tuple[str, float]]] = []
    for word in words:
        choices.append([(word, CERTAIN), *inflected.variants(word)[:most]])
    if math.prod(map(len, choices)) > MOST_FORMS:
        choices = [choice[:4] for choice in choices]
    if math.prod(map(len, choices)) > MOST_FORMS:
        return
    for combination in itertools.product(*choices):
        weight = min(weight for _, weight in combination)
        if weight < CERTAIN:
            yield tuple(word for word, _ in combination), weight


def _table(
    wiki: Wiki, kinds: dict[tuple[Words, int], int], weights: dict[tuple[Words, int], float]
) -> Names:
    number: dict[tuple[int, ...], int] = {}
    rows = []
    for (words, target), kind in kinds.items():
        ids = tuple(wiki.vocabulary.get(word, -1) for word in words)
        if -1 not in ids:
            name = number.setdefault(ids, len(number))
            rows.append((name, target, kind, weights[words, target]))
    rows.sort()
    rows.append((len(number), 0, POINTED, 0.0))
    columns = np.array(rows, dtype=np.float64).reshape(-1, 4).T
    name, target, kind = (column.astype(np.int64) for column in columns[:3])
    keys = np.array([name_key(ids) for ids in number], dtype=np.uint64)
    order = np.argsort(keys)
    return Names(
        (*number, ()), number, np.array([len(ids) for ids in (*number, ())], dtype=np.int64),
        np.searchsorted(name, np.arange(len(number) + 2)), name, target, kind,
        columns[3].astype(np.float32), keys[order], order, tuple(wiki.vocabulary),
    )  # fmt: skip


MULTIPLIER = np.uint64(1000003)


def name_key(ids: Iterable[int]) -> int:
    """The hash of a name, as `mentions` computes it for every run of words at once."""
    key, length = 0, 0
    for number in ids:
        key = (key * 1000003 + number + 1) % 2**64
        length += 1
    return (key * 31 + length) % 2**64
