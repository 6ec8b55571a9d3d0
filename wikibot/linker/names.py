"""What pages are called: titles, redirects, bold names, anchors, and forms of all these.

A name is a run of words in lower case. It is known by a key of 64 bits that is computed from the keys
of its words, so that all names on a page are found without any dictionary of words.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from wikibot.engine import map_pages
from wikibot.linker.inflection import Inflection, Words, inflection, learn_rules
from wikibot.linker.page import BLOCK, Bools, Floats, Ints, Keys, Longs, Page, word_key, word_keys
from wikibot.wikitext.sentences import find_tokens

MOST_WORDS = 10  # in a name
MOST_FORMS = 300  # of one name; a name of many words with many forms each is left as it is
MOST_BOLD_NAMES = 6  # of one page
CERTAIN = 99.0  # the weight of a name that is not an inflected form, above any rule's

# How a name came to its page, as bits.
TITLE, STRIPPED, REDIRECT, BOLD_NAME, ANCHOR, INFLECTED, SIMILAR, SPLIT = (1 << i for i in range(8))
GIVEN = TITLE | STRIPPED | REDIRECT | BOLD_NAME
KINDS = (
    "title", "stripped", "redirect", "bold_name", "anchor", "inflected", "similar", "split",
)  # fmt: skip

_BRACKETS = re.compile(r"[ \t]*\([^()]*\)\s*$")
_MULTIPLIER = np.uint64(1000003)
HINT_BITS_PER_NAME = 8  # at least: of eight keys that are no names, one at most is searched for
LEAST_HINT_BITS = 1 << 16
_LENGTH_MULTIPLIER = np.uint64(31)


def words_of(name: str, language: str = "") -> Words:
    """The words of a name in lower case."""
    lower = name.lower()
    return tuple(lower[a:b] for a, b in find_tokens(lower, 0, len(lower), language))


def without_brackets(title: str) -> str:
    """'Jinx (comics)' is called 'Jinx'."""
    return _BRACKETS.sub("", title)


def key_of(words: Sequence[str]) -> int:
    """The key of a name, as `find_mentions` computes it for every run of words at once."""
    key = 0
    for word in words:
        key = (key * 1000003 + word_key(word)) % 2**64
    return (key * 31 + len(words)) % 2**64


@dataclass(slots=True)
class NameCounts:
    """What pages show of names: sums over pages that can be added and taken away.

    `words` counts the pages that use a word, `anchors` those that link a title by some words,
    `bold` those that give themselves a name in bold.
    """

    words: Counter[str] = field(default_factory=Counter)
    anchors: Counter[tuple[str, str]] = field(default_factory=Counter)
    bold: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, page: Page, *, links: bool = True, times: int = 1) -> None:
        """Count a page in, with its links or without; with `times=-1` count it out."""
        starts, ends = page.columns[:2].tolist()
        text = page.text.lower() if len(page.text.lower()) == len(page.text) else page.text
        for word in {text[a:b].lower() for a, b in zip(starts, ends, strict=True)}:
            self.words[word] += times
        for name in page.bold_names[:MOST_BOLD_NAMES]:
            self.bold[name, page.title] += times
        if links:
            for pair in anchors_of(page):
                self.anchors[pair] += times

    def __add__(self, other: NameCounts) -> NameCounts:
        return self._combined(other, 1)

    def __sub__(self, other: NameCounts) -> NameCounts:
        return self._combined(other, -1)

    def _combined(self, other: NameCounts, times: int) -> NameCounts:
        parts = []
        for name in ("words", "anchors", "bold"):
            total = Counter(getattr(self, name))
            for key, count in getattr(other, name).items():
                total[key] += times * count
            parts.append(Counter({key: count for key, count in total.items() if count}))
        return NameCounts(*parts)


def anchors_of(page: Page) -> set[tuple[str, str]]:
    """(words in lower case, title) of the links of a page that have words, each once."""
    links = page.links
    return {
        (" ".join(page.spelled(first, last - first)).lower(), title)
        for first, last, title in zip(links.first.tolist(), links.last.tolist(), links.target, strict=True)
        if last > first
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Names:
    """Names by key; pairs (name, target) are columns, in the order of names.

    Name n has the pairs first[n]:first[n + 1].
    """

    keys: Keys  # sorted
    first: Longs
    name: Ints  # of each pair
    target: Ints
    kind: Ints
    weight: Floats
    likeness: Floats  # of name and title, by their runs of three letters
    hint: (
        np.ndarray
    )  # a bit for the first bits of a key: may it be a name? It spares most searching

    def __len__(self) -> int:
        return len(self.keys)

    def find(self, keys: Keys) -> tuple[Bools, Longs]:
        """Which keys are names, and their numbers."""
        found, number = np.zeros(len(keys), dtype=bool), np.zeros(len(keys), dtype=np.int64)
        if not len(self.keys):
            return found, number
        byte, bit = hint_places(keys, len(self.hint))
        asked = np.flatnonzero(self.hint[byte] & bit)
        at = np.minimum(np.searchsorted(self.keys, keys[asked]), len(self.keys) - 1)
        found[asked], number[asked] = self.keys[at] == keys[asked], at
        return found, number

    def pairs_of(self, name: Longs) -> tuple[Longs, Longs]:
        """(index, pair): every name once for each page it may mean."""
        count = self.first[name + 1] - self.first[name]
        index = np.repeat(np.arange(len(name)), count)
        start = np.repeat(self.first[name] - (np.cumsum(count) - count), count)
        return index, start + np.arange(len(index))


@dataclass(frozen=True, slots=True)
class Titles:
    """The pages of a wiki by number, and where redirects end."""

    titles: tuple[str, ...]
    number: Mapping[str, int]  # of titles and redirects

    @classmethod
    def of(cls, titles: Iterable[str], redirects: Mapping[str, str]) -> Titles:
        """Number the titles; redirects are followed to the pages where they end."""
        known = {title: number for number, title in enumerate(titles)}
        ends = {title: _follow(title, known, redirects) for title in redirects}
        return cls(tuple(known), {**{t: n for t, n in ends.items() if n >= 0}, **known})

    def ends(self) -> dict[str, str]:
        """The page that each title and redirect leads to."""
        return {name: self.titles[number] for name, number in self.number.items()}


def _follow(title: str, known: Mapping[str, int], redirects: Mapping[str, str]) -> int:
    for _ in range(10):
        if title in known:
            return known[title]
        if title not in redirects:
            break
        title = redirects[title]
    return -1


def find_names(
    titles: Titles, counts: NameCounts, is_disambiguation: Sequence[bool], language: str = ""
) -> Names:
    """Every name of every page; the names of few pages are in memory as words at a time."""
    kinds: list[dict[Words, int]] = [{} for _ in titles.titles]
    for words, target, kind in itertools.chain(
        _given(titles, counts, language), _anchors(titles, counts)
    ):
        if 0 < len(words) <= MOST_WORDS and not is_disambiguation[target]:
            kinds[target][words] = kinds[target].get(words, 0) | kind
    inflected = inflection(learn_rules(_examples(titles, counts, language)), counts.words)

    def named(target: int) -> _TargetNames:
        return _names_of(titles.titles[target], kinds[target], inflected)

    return _table(list(map_pages(named, range(len(kinds)))))


def _given(titles: Titles, counts: NameCounts, language: str) -> Iterator[tuple[Words, int, int]]:
    for title, target in titles.number.items():
        is_title = titles.titles[target] == title
        yield words_of(title, language), target, TITLE if is_title else REDIRECT
        yield (
            words_of(without_brackets(title), language),
            target,
            STRIPPED if is_title else REDIRECT,
        )
        if is_title and ", " in title:
            yield words_of(title.split(", ")[0], language), target, STRIPPED
    for name, title in counts.bold:
        if title in titles.number:
            yield words_of(name, language), titles.number[title], BOLD_NAME


def _anchors(titles: Titles, counts: NameCounts) -> Iterator[tuple[Words, int, int]]:
    for anchor, title in counts.anchors:
        target = titles.number.get(title, -1)
        if target >= 0:
            yield tuple(anchor.split(" ")), target, ANCHOR


def _examples(titles: Titles, counts: NameCounts, language: str) -> Iterator[tuple[Words, Words]]:
    """(title, anchor) of every link, those that lead out of the wiki included."""
    for anchor, title in counts.anchors:
        target = titles.number.get(title, -1)
        name = titles.titles[target] if target >= 0 else title
        yield words_of(without_brackets(name), language), tuple(anchor.split(" "))


class _TargetNames(NamedTuple):
    """The names of one page as columns."""

    keys: Keys
    kind: Ints
    weight: Floats
    likeness: Floats


def _names_of(title: str, kinds: Mapping[Words, int], inflected: Inflection) -> _TargetNames:
    """The names of a page, and forms of them that are not names already."""
    forms = _forms(kinds, inflected)
    every = dict(kinds) | {
        form: INFLECTED if weight >= 1 else SIMILAR for form, weight in forms.items()
    }
    trigrams = _trigrams(without_brackets(title).lower())
    return _TargetNames(
        np.array(_keys_of(list(every)), dtype=np.uint64),
        np.array(list(every.values()), dtype=np.int32),
        np.array([forms.get(words, CERTAIN) for words in every], dtype=np.float32),
        np.array([_alike(words, trigrams) for words in every], dtype=np.float32),
    )


def _forms(kinds: Mapping[Words, int], inflected: Inflection) -> dict[Words, float]:
    """Forms of a page's names that are not its names already, with the weight of their weakest word."""
    forms: dict[Words, float] = {}
    for words in kinds:
        for form, weight in _forms_of(words, inflected):
            if form not in kinds:
                forms[form] = max(weight, forms.get(form, 0.0))
    return forms


def _forms_of(words: Words, inflected: Inflection) -> Iterator[tuple[Words, float]]:
    most = 30 if len(words) == 1 else 8
    choices = [[(word, CERTAIN), *inflected.variants(word)[:most]] for word in words]
    if math.prod(map(len, choices)) > MOST_FORMS:
        choices = [choice[:4] for choice in choices]
    if math.prod(map(len, choices)) > MOST_FORMS:
        return
    for combination in itertools.product(*choices):
        weight = min(weight for _, weight in combination)
        if weight < CERTAIN:
            yield tuple(word for word, _ in combination), weight


def _table(named: Sequence[_TargetNames]) -> Names:
    """The names of all pages, in the order of their keys."""
    target = np.repeat(np.arange(len(named), dtype=np.int32), [len(one.keys) for one in named])
    key, kind, weight, likeness = (
        np.concatenate([*column, np.zeros(0, dtype=dtype)]).astype(dtype)
        for column, dtype in zip(
            zip(*named, strict=True) if named else [()] * 4,
            (np.uint64, np.int32, np.float32, np.float32),
            strict=True,
        )
    )
    order = np.lexsort((target, key))
    unique, first, name = np.unique(key[order], return_index=True, return_inverse=True)
    return Names(
        keys=unique,
        first=np.append(first, len(order)).astype(np.int64),
        name=name.astype(np.int32),
        target=target[order],
        kind=kind[order],
        weight=weight[order],
        likeness=likeness[order],
        hint=hint_of(unique),
    )


def hint_of(keys: Keys) -> np.ndarray:
    """Bits that tell which keys may be names; there are more of them where there are more names."""
    bits = 1 << max(LEAST_HINT_BITS, HINT_BITS_PER_NAME * len(keys)).bit_length()
    hint = np.zeros(bits // 8, dtype=np.uint8)
    np.bitwise_or.at(hint, *hint_places(keys, len(hint)))
    return hint


def hint_places(keys: Keys, size_bytes: int) -> tuple[Longs, np.ndarray]:
    """For each key the byte of the hint that tells of it, and the bit in that byte."""
    bits = 8 * size_bytes
    place = keys >> np.uint64(64 - bits.bit_length() + 1)
    return (place >> np.uint64(3)).astype(np.int64), np.uint8(1) << (place & np.uint64(7)).astype(
        np.uint8
    )


def _keys_of(names: Sequence[Words]) -> list[int]:
    known = iter(word_keys([word for words in names for word in words]).tolist())
    found = []
    for words in names:
        key = 0
        for _ in words:
            key = (key * 1000003 + next(known)) & 0xFFFFFFFFFFFFFFFF
        found.append((key * 31 + len(words)) & 0xFFFFFFFFFFFFFFFF)
    return found


def _alike(words: Words, title: set[str]) -> float:
    """How alike name and title are, by their runs of three letters (Dice)."""
    name = _trigrams(" ".join(words))
    return 2 * len(name & title) / max(1, len(name) + len(title))


def _trigrams(text: str) -> set[str]:
    text = f"^{text}$"
    return {text[i : i + 3] for i in range(len(text) - 2)}


@dataclass(frozen=True, slots=True)
class Mentions:
    """words[first:first + length] of a page are the name `name`, in the order of places."""

    first: Longs
    length: Longs
    name: Longs

    def __len__(self) -> int:
        return len(self.first)


def find_mentions(page: Page, names: Names) -> Mentions:
    """Every run of words inside one block that is a name; overlapping ones as well."""
    return mentions_of_words(page.words, page.column("gap") != BLOCK, names)


def names_in_text(text: str, names: Names) -> Longs:
    """The names among words between spaces."""
    words = word_keys(text.split())
    return mentions_of_words(words, np.ones(len(words), dtype=bool), names).name


def link_names(page: Page, names: Names) -> tuple[Bools, Longs]:
    """For each link of the page: are its words a name, and which?"""
    links = page.links
    length = (links.last - links.first).astype(np.int64)
    keys = np.zeros(len(links), dtype=np.uint64)
    with np.errstate(over="ignore"):
        for offset in range(int(length.max(initial=0)) if len(links) else 0):
            inside = length > offset
            word = page.words[links.first[inside] + offset]
            keys[inside] = keys[inside] * _MULTIPLIER + word
        keys = keys * _LENGTH_MULTIPLIER + length.astype(np.uint64)
    is_name, number = names.find(keys)
    return is_name & (length > 0), number


def mentions_of_words(words: Keys, joins: Bools, names: Names) -> Mentions:
    """Every run of words that is a name; `joins` tells which words go on with the one before."""
    total = len(words)
    key, joined = words, np.ones(total, dtype=bool)
    places, lengths, keys = [], [], []
    with np.errstate(over="ignore"):
        for length in range(1, min(MOST_WORDS, total) + 1):
            if length > 1:
                left = total - length + 1
                key = key[:left] * _MULTIPLIER + words[length - 1 :]
                joined = joined[:left] & joins[length - 1 :]
            at = np.flatnonzero(joined)
            places.append(at)
            lengths.append(np.full(len(at), length, dtype=np.int64))
            keys.append(key[at] * _LENGTH_MULTIPLIER + np.uint64(length))
    if not places:
        nothing = np.zeros(0, dtype=np.int64)
        return Mentions(nothing, nothing, nothing)
    hit, name = names.find(np.concatenate(keys))
    first, length_of = np.concatenate(places)[hit], np.concatenate(lengths)[hit]
    order = np.lexsort((length_of, first))
    return Mentions(first[order], length_of[order], name[hit][order])
