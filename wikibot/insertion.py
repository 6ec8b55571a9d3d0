"""Where would a link fit? CRTM's ranking of sources and places, brought to the pages of a wiki.

What it needs beyond the models of `wikibot train` is learned at the first use, kept beside them, and
learned again when they are, or when people have decided about enough ideas.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from wikibot.dataset import Dataset
from wikibot.linker.explain import Reason, reason
from wikibot.linker.names import without_brackets
from wikibot.linker.page import LISTED, PREFORMATTED, Floats, Page, word_keys
from wikibot.linker.topics import record, word_starts
from wikibot.message import message
from wikibot.models import crtm_mark, keep_insertion, open_crtm, open_insertion
from wikibot.steps import Step, Tell, silent
from wikibot.store import Store, ideas

if TYPE_CHECKING:
    from crtm import CRTM
    from crtm.insertion import Said
    from crtm.place_features import PlaceReader

FEWEST_NEW_DECISIONS = 10  # after which places are learned again
SHORTEST_SENTENCE_WORDS = 6
WORDS_NAMED = 4  # in a reason
CLOSELY_ALIKE = 0.25  # cosine of two pages' words

_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence of a page, text[start:end] of its text without brackets, and how well a link fits there."""

    start: int
    end: int
    chance: float  # beside the other sentences of the page
    reasons: list[Reason]


@dataclass(frozen=True)
class Insertion:
    """A wiki's pages with CRTM's knowledge of them."""

    dataset: Dataset
    model: CRTM

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Pages by title."""
        return {row.title: number for number, row in enumerate(self.dataset.rows)}

    def sources(self, target: int) -> list[tuple[int, float]]:
        """The other pages with their chances among all, the one that should soonest link to the target first."""
        scores = self.source_scores(target)
        chances = np.exp(scores - scores.max())
        chances /= chances.sum()
        order = np.argsort(-chances, kind="stable")
        return [(int(n), float(chances[n])) for n in order if n != target]

    def source_scores(self, target: int) -> Floats:
        """How soon each page should link to the target."""
        return self.model.source_ranker().scores(target)

    def is_named_on(self, source: int, target: int) -> bool:
        """Does the page's text hold the target's title, without what stands in brackets, or a redirect to it?"""
        from crtm.places import mentions

        return bool(mentions(self.dataset.pages[source].words, self._names[target]).any())

    @cached_property
    def _names(self) -> dict[int, list[tuple[int, ...]]]:
        """What each page is called, as numbers of words."""
        found = {number: [_name(row.title)] for number, row in enumerate(self.dataset.rows)}
        for title, end in self.dataset.redirects.items():
            if end in self.numbers:
                found[self.numbers[end]].append(_name(title))
        return found

    def places(self, source: int | Page, target: int, *, most: int = 1) -> list[Place]:
        """The sentences of a page where a link to the target fits best; none where it has no long sentence."""
        page = self.dataset.pages[source] if isinstance(source, int) else source
        document = self.model.read(self._record(page))
        if not len(document):
            return []
        reader = self.model.place_ranker().reader(document, "sentence")
        scores = self.place_scores(reader, target)
        chances = np.exp(scores - scores.max())
        chances /= chances.sum()
        starts, found = word_starts(page), []
        for part in np.argsort(-scores, kind="stable").tolist():
            at = int(document.starts[reader.parts.first[part]])
            word = int(np.searchsorted(starts, at, side="right")) - 1
            if _is_long_prose(page, word):
                start, end = page.sentence_around(word, 1)
                why = self._reasons(reader, part, target)
                found.append(Place(start, end, float(chances[part]), why))
            if len(found) == most:
                break
        return found

    def place_scores(self, reader: PlaceReader, target: int) -> Floats:
        """How well a link to the target fits each sentence."""
        targets = np.array([target], dtype=np.int32)
        return np.asarray(self.model.place_ranker().scores(reader, targets)[0])

    def _record(self, page: Page) -> Mapping[str, Any]:
        return _resolved(page, self.dataset.redirects)

    def _reasons(self, reader: PlaceReader, part: int, target: int) -> list[Reason]:
        """Why this place: words in common, a link beside it, a link back."""
        words = self.model.vocabulary_.words
        found = []
        shared = reader.shared_words(part, target, WORDS_NAMED)
        if shared:
            found.append(reason("shares-words", words=[words[number] for number in shared]))
        beside = reader.best_neighbour(part, target, CLOSELY_ALIKE)
        if beside is not None:
            found.append(reason("beside-link", title=self.model.titles_[beside]))
        if reader.is_linked_back(target):
            found.append(reason("links-back"))
        return found or [reason("alike")]


def _name(title: str) -> tuple[int, ...]:
    words = _WORDS.findall(without_brackets(title))
    return tuple(word_keys(words).tolist())


def _is_long_prose(page: Page, word: int) -> bool:
    """Is the word in a sentence of some length, and not in a list?"""
    number = int(page.column("sentence")[word])
    if number < 0 or page.column("flags")[word] & (LISTED | PREFORMATTED):
        return False
    return int((page.column("sentence") == number).sum()) >= SHORTEST_SENTENCE_WORDS


def _resolved(page: Page, redirects: Mapping[str, str]) -> dict[str, Any]:
    """A page as CRTM reads it, with links through redirects brought to their ends."""
    found = record(page)
    found["links"] = [(a, b, redirects.get(title, title)) for a, b, title in found["links"]]
    return found


def open_insertion_of(store: Store, dataset: Dataset, *, tell: Tell = silent) -> Insertion:
    """The knowledge of places; it is learned now where it is not there, or out of date."""
    from crtm import Corpus

    assert dataset.wiki is not None, "it comes from the database"
    crtm = open_crtm(store, dataset.wiki.id)
    tell(Step(message("step-reading-as-model")))
    records = (_resolved(page, dataset.redirects) for page in dataset.pages.stream())
    corpus = Corpus.from_records(records, vocabulary=crtm.vocabulary_)
    opened = Insertion(dataset, crtm.with_corpus(corpus))
    said = decisions_about_ideas(store, dataset)
    mark = crtm_mark(store, dataset.wiki.id)
    kept = open_insertion(store, dataset.wiki.id)
    if kept is not None and _is_up_to_date(kept[1], mark, len(said)):
        opened.model.insertion_ = kept[0]
    else:
        tell(Step(message("step-learning-where-fits")))
        weights = opened.model.learn_insertion(said)
        learned_from = {"crtm": mark, "decisions": len(said)}
        keep_insertion(store, dataset.wiki.id, weights, learned_from)
    return opened


def _is_up_to_date(learned_from: Mapping[str, Any], mark: str, decisions: int) -> bool:
    new = abs(decisions - int(learned_from.get("decisions", 0)))
    return learned_from.get("crtm") == mark and new < FEWEST_NEW_DECISIONS


def decisions_about_ideas(store: Store, dataset: Dataset) -> list[Said]:
    """What people said about ideas, as CRTM learns from it; pages that are gone are left out."""
    assert dataset.wiki is not None, "it comes from the database"
    with store.reading() as session:
        states = ("accepted", "written", "declined")
        rows = ideas.ideas(session, dataset.wiki.id, states=states)
    decided = [row for row in rows if row.reviewer is not None]
    return list(_said(decided, dataset))


def _said(rows: Sequence[ideas.IdeaRow], dataset: Dataset) -> Iterator[Said]:
    from crtm.insertion import Said

    numbers = {row.id: number for number, row in enumerate(dataset.rows)}
    for row in rows:
        if row.page_id in numbers and row.target_id in numbers:
            page = dataset.pages[numbers[row.page_id]]
            start = _start_in_record(page, row.start) if row.is_current else None
            yield Said(row.page, row.target, start, row.state != "declined")


def _start_in_record(page: Page, offset: int) -> int | None:
    """Where the words after a place of the wikitext begin in the page's `record`; None after the last one."""
    places = [page.offset(int(at)) for at in page.columns[0]]
    word = int(np.searchsorted(places, offset))
    return int(word_starts(page)[word]) if word < len(places) else None
