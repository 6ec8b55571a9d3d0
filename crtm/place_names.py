"""How a target's names stand in a document: which name, how often editors link it, and whether it is free to carry a link.

Names that only the document itself links with are not known in it: they would give its own links away.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from crtm.corpus import UNLINKED, Corpus, Document
from crtm.places import Longs, Name, Segments, title_name
from crtm.tokenize import CAPITAL, CAPITAL_AFTER, CAPITAL_BEFORE
from crtm.vectors import Floats

AT_NAME = ("mention", "free", "title", "rate", "sense", "known", "size", "whole", "capital")
ON_PAGE = ("first_mention", "first_free", "first_likely", "longest", "likeliest", "order", "cover")
NAME_COLUMNS = (*AT_NAME, *ON_PAGE)


class Match(NamedTuple):
    """A name at a place of a document."""

    first: int
    last: int
    name: Name


@dataclass(frozen=True)
class NameTable:
    """How often the links of a corpus call each document by each name, and where names stand."""

    corpus: Corpus

    @cached_property
    def titles(self) -> tuple[Name, ...]:
        """The title of each document as a name; without words where none of them is known."""
        corpus = self.corpus
        return tuple(title_name(title, corpus.vocabulary) for title in corpus.titles)

    @cached_property
    def sources(self) -> tuple[dict[Name, Counter[int]], ...]:
        """For each document and each of its anchors, the documents that link to it so, and how often."""
        found: tuple[dict[Name, Counter[int]], ...] = tuple({} for _ in self.corpus.titles)
        links, words = self.corpus.links, self.corpus.words
        rows = zip(
            links.source.tolist(), links.target.tolist(), links.first, links.last, strict=True
        )
        for source, target, first, last in rows:
            name = tuple(words[first:last].tolist())
            found[target].setdefault(name, Counter())[source] += 1
        return found

    @cached_property
    def meanings(self) -> dict[Name, Counter[int]]:
        """For each anchor, the documents that link with it, wherever to."""
        found: dict[Name, Counter[int]] = {}
        for anchors in self.sources:
            for name, sources in anchors.items():
                found.setdefault(name, Counter()).update(sources)
        return found

    @cached_property
    def _by_word(self) -> tuple[Longs, Longs]:
        """The tokens in the order of their words, and where each word begins in it."""
        words = self.corpus.words
        order = np.argsort(words, kind="stable")
        begins = np.searchsorted(words[order], np.arange(len(self.corpus.vocabulary) + 1))
        return order, begins

    @cached_property
    def _occurrences(self) -> dict[Name, Counter[int]]:
        return {}

    def occurrences(self, name: Name) -> Counter[int]:
        """Return the documents in which a name stands, and how often."""
        if name not in self._occurrences:
            order, begins = self._by_word
            words = self.corpus.words
            rarest = min(range(len(name)), key=lambda i: begins[name[i] + 1] - begins[name[i]])
            at = order[begins[name[rarest]] : begins[name[rarest] + 1]] - rarest
            at = at[(at >= 0) & (at + len(name) <= len(words))]
            for place, word in enumerate(name):
                at = at[words[at + place] == word]
            owner = np.searchsorted(self.corpus.offsets, at, side="right") - 1
            self._occurrences[name] = Counter(owner.tolist())
        return self._occurrences[name]

    def known(self, target: int, source: int) -> dict[Name, int]:
        """Return the names of a target with the number of links that call it so, those of the source left out."""
        found = {name: 0 for name in (self.titles[target],) if name}
        for name, sources in self.sources[target].items():
            count = sources.total() - sources[source]
            if count:
                found[name] = count
        return found

    def facts(self, name: Name, links: int, source: int) -> tuple[float, float]:
        """Return the share of the name's occurrences that link to the target, and of its links that do; the source's left out."""
        meanings, seen = self.meanings.get(name, Counter()), self.occurrences(name)
        occurrences = seen.total() - seen[source]
        meant = meanings.total() - meanings[source]
        return links / (max(occurrences, links) + 1), links / (meant + 1)


class NameReader:
    """One document in which the names of targets are looked up."""

    def __init__(self, table: NameTable, document: Document, parts: Segments) -> None:
        """Index the words of ``document``."""
        self.table, self.document, self.parts = table, document, parts
        order = np.argsort(document.words, kind="stable")
        words, begins = np.unique(document.words[order], return_index=True)
        self.positions = dict(zip(words.tolist(), np.split(order, begins[1:]), strict=True))

    def matches(self, names: dict[Name, int]) -> list[Match]:
        """Return where names stand, in the order of the text."""
        words, found = self.document.words, []
        for name in names:
            at: Any = self.positions.get(name[0])
            if at is None or any(word not in self.positions for word in name[1:]):
                continue
            at = at[at + len(name) <= len(words)]
            for place, word in enumerate(name[1:], 1):
                at = at[words[at + place] == word]
            found += [Match(begin, begin + len(name), name) for begin in at.tolist()]
        return sorted(found)

    def columns(self, target: int) -> Floats:
        """Return (places, NAME_COLUMNS) for a target."""
        found = np.zeros((len(self.parts), len(NAME_COLUMNS)))
        names = self.table.known(target, self.document.number)
        matches = self.matches(names)
        if not matches:
            return found
        place = self.parts.of_token[[match.first for match in matches]]
        values = np.array([self._at_name(match, names, target) for match in matches])
        np.maximum.at(found[:, : len(AT_NAME)], place, values)
        found[:, len(AT_NAME) :] = self._on_page(found[:, : len(AT_NAME)], place, matches)
        return found

    def _at_name(self, match: Match, names: dict[Name, int], target: int) -> tuple[float, ...]:
        document, table, own = self.document, self.table, slice(match.first, match.last)
        links = names[match.name]
        rate, sense = table.facts(match.name, links, document.number)
        free = float((document.linked[own] == UNLINKED).all())
        before, after = document.shapes[match.first], document.shapes[match.last - 1]
        whole = not (before & CAPITAL_BEFORE or after & CAPITAL_AFTER)
        is_title = match.name == table.titles[target]
        capital = bool(before & CAPITAL)
        return (
            1.0, free, free * is_title, free * rate, free * sense, free * np.log1p(links), free * len(match.name),
            free * whole, free * capital,
        )  # fmt: skip

    def _on_page(self, at: Floats, place: Longs, matches: list[Match]) -> Floats:
        """Return what compares each place with the others of the page."""
        value = dict(zip(AT_NAME, at.T, strict=True))
        likely = value["rate"] + 1e-3 * value["free"]
        likeliest = (likely == likely.max()) & (likely > 0)
        longest = (value["size"] == value["size"].max()) & (value["size"] > 0)
        covered = np.zeros(len(self.document))
        for match in matches:
            covered[match.first : match.last] = 1
        size = self.parts.last - self.parts.first
        columns = [
            _first(value["mention"]), _first(value["free"]), _first(likeliest), longest, likeliest,
            value["free"] * np.log1p(np.cumsum(value["free"])), np.add.reduceat(covered, self.parts.first) / size,
        ]  # fmt: skip
        return np.stack(columns, axis=1).astype(float)


def _first(values: Any) -> Any:
    """Mark the first place with a value above zero."""
    return (values > 0) & (np.cumsum(values > 0) == 1)
