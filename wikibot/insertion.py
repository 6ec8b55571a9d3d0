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
    from crtm import CRTM, Corpus
    from crtm.insertion import Said
    from crtm.orphans import OrphanRanker
    from crtm.place_features import PlaceReader

FEWEST_NEW_DECISIONS = 10  # after which places are learned again
SHORTEST_SENTENCE_WORDS = 6
LONGEST_SENTENCE_WORDS = 60  # after which people write about another page
ENUMERATION_COMMAS = 4
WORDS_NAMED = 4  # in a reason
CLOSELY_ALIKE = 0.25  # cosine of two pages' words

_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence of a page, text[start:end] of its text without brackets, and how well a link fits there."""

    start: int
    end: int
    chance: float  # beside the other sentences of the page; for an orphan, that a link belongs on the page
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

    def says_enough(self, target: int) -> bool:
        """Has the page enough text to find places for it?"""
        return self._orphan_ranker().says_enough(target)

    def sources(self, target: int) -> Iterator[int]:
        """The other pages with text, the one that should soonest link to a target that nobody links to first."""
        order = np.argsort(-self.source_scores(target), kind="stable")
        return (int(n) for n in order if n != target and self._corpus.lengths[n])

    def source_scores(self, target: int) -> Floats:
        """How soon each page should link to a target that nobody links to."""
        return self._orphan_ranker().page_scores(target)

    def places_for_orphan(self, target: int, sources: Sequence[int]) -> Iterator[tuple[int, Place]]:
        """The best sentence of each page where a few words about the target would fit, the best page first."""
        for found in self._orphan_ranker().places(target, sources):
            number = found[0].document
            page, document = self.dataset.pages[number], self._corpus[number]
            starts = word_starts(page)
            for one in found:
                word = int(np.searchsorted(starts, one.start, side="right")) - 1
                if _is_long_prose(page, word) and _is_statement(page, word):
                    reader = self.model.place_ranker().reader(document, "sentence")
                    part = int(reader.parts.of_token[np.searchsorted(document.starts, one.start)])
                    why = self._reasons(reader, part, target)
                    yield number, Place(*page.sentence_around(word, 1), one.chance, why)
                    break

    def _orphan_ranker(self) -> OrphanRanker:
        knowledge = self.model.place_ranker().knowledge
        assert self.model.insertion_ is not None, "the ranker of places has learned it"
        return self.model.insertion_.orphan_ranker(knowledge)

    @property
    def _corpus(self) -> Corpus:
        assert self.model.corpus_ is not None, "it was opened with its pages"
        return self.model.corpus_

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


def _is_statement(page: Page, word: int) -> bool:
    """Is the sentence neither very long, nor an enumeration, nor the beginning of a list?"""
    start, end = page.sentence_around(word, 1)
    text = page.text[start:end].rstrip()
    words = len(_WORDS.findall(text))
    is_enumeration = text.count(",") > ENUMERATION_COMMAS and 3 * text.count(",") > words
    return words <= LONGEST_SENTENCE_WORDS and not is_enumeration and not text.endswith(":")


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
