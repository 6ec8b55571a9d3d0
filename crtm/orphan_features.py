"""What speaks for a link from a sentence to a target that nobody links to: its own text is all that is known of it.

Pages and sentences are compared with the target's page, lead and title, by words and by word vectors; links that the target's own page
has count too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from crtm.corpus import Corpus, Ints
from crtm.place_features import PlaceKnowledge, unit_sparse
from crtm.places import Longs
from crtm.vectors import Floats, unit_rows

PAGE_COLUMNS = (
    "words", "lead", "leads", "of_lead", "vectors", "lead_vectors", "overlap", "title_here", "title_there", "linked_back",
    "shared_links", "alike_links", "out_links", "length",
)  # fmt: skip
COMPARED = ("words", "lead", "overlap", "page_overlap", "title", "vectors", "lead_vectors")
SENTENCE_COLUMNS = (
    *COMPARED, *(f"paragraph_{name}" for name in COMPARED), *(f"around_{name}" for name in COMPARED),
    "alike_link", "shared_link", "links", "length", "place", "relative", "first", "place_in_paragraph", "paragraph_length",
)  # fmt: skip


@dataclass(frozen=True)
class Pieces:
    """The sentences (or paragraphs) of all documents: tokens ``first[i]`` to ``last[i]``, of document ``owner[i]``."""

    of_token: Longs
    first: Longs
    last: Longs
    owner: Longs

    @classmethod
    def of(cls, corpus: Corpus, numbers: Ints) -> Pieces:
        """Cut the corpus where the number of a sentence or paragraph changes."""
        document = np.repeat(np.arange(len(corpus)), corpus.lengths)
        change = (np.diff(numbers, prepend=-1) != 0) | (np.diff(document, prepend=-1) != 0)
        first = np.flatnonzero(change)
        last = np.append(first[1:], len(numbers)).astype(np.int64)
        return cls(np.cumsum(change) - 1, first, last, document[first])

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True)
class OrphanKnowledge:
    """The sentences and paragraphs of all documents, ready to be compared with a target's text."""

    places: PlaceKnowledge

    @cached_property
    def sentences(self) -> Pieces:
        return Pieces.of(self.places.corpus, self.places.corpus.sentences)

    @cached_property
    def paragraphs(self) -> Pieces:
        return Pieces.of(self.places.corpus, self.places.corpus.paragraphs)

    @cached_property
    def sentence_words(self) -> Any:
        """tf-idf of each sentence, rows of length one."""
        return self._words(self.sentences)

    @cached_property
    def paragraph_words(self) -> Any:
        """tf-idf of each paragraph, rows of length one."""
        return self._words(self.paragraphs)

    def _words(self, pieces: Pieces) -> Any:
        words = self.places.corpus.words
        return unit_sparse(self.places.weighted(words, pieces.of_token, len(pieces)))

    @cached_property
    def stem_words(self) -> Any:
        """1 where a word (row) has a stem (column)."""
        stems = self.places.fitted.stems
        ones = np.ones(len(stems), dtype=np.float32)
        shape = (len(stems), self.places.title_stems.shape[1])
        return sparse.csr_matrix((ones, (np.arange(len(stems)), stems)), shape)

    @cached_property
    def page_stems(self) -> Any:
        """1 where a document (row) holds a word with a stem (column)."""
        held = (self.places.pages @ self.stem_words).tocsr()
        held.data[:] = 1
        return held

    @cached_property
    def held(self) -> Any:
        """1 where a document (row) holds a word (column)."""
        held = self.places.pages.copy()
        held.data = np.ones_like(held.data)
        return held

    @cached_property
    def lead_vectors(self) -> Floats:
        """The mean word vector of each document's lead, of length one."""
        return unit_rows(np.asarray(self.places.leads @ self.places.fitted.topics.vectors))

    @cached_property
    def out_degree(self) -> Floats:
        """How many documents each document links to."""
        return np.asarray(self.places.adjacency.sum(axis=1)).ravel()

    @cached_property
    def linked(self) -> tuple[Longs, Ints]:
        """The sentence and the target of each link, in the order of sentences."""
        links = self.places.corpus.links
        sentence = self.sentences.of_token[links.first]
        order = np.argsort(sentence, kind="stable")
        return sentence[order], links.target[order]

    def asked(self, target: int) -> Asked:
        """What a target's text asks for."""
        places = self.places
        page, lead = places.pages[target], places.leads[target]
        title = np.asarray((self.stem_words @ places.title_stems[target].T).todense()).ravel()
        vectors = places.fitted.topics.vectors
        return Asked(
            page,
            lead,
            places.rarity,
            title,
            unit_rows(page @ vectors)[0],
            unit_rows(lead @ vectors)[0],
        )


@dataclass(frozen=True)
class Asked:
    """A target's text: tf-idf of page and lead (1, V), the share of its title in each word (V), mean word vectors."""

    page: Any
    lead: Any
    rarity: Floats
    title: Floats
    vector: Floats
    lead_vector: Floats

    def overlap(self, held: Any, text: Any) -> Floats:
        """The logarithm of the summed rarity of the words that each row shares with the text."""
        weight = np.zeros(held.shape[1])
        weight[text.indices] = self.rarity[text.indices]
        found: Floats = np.log1p(held @ weight)
        return found

    def compared(self, words: Any, vectors: Floats) -> dict[str, Floats]:
        """Return COMPARED for rows of tf-idf of length one."""
        held = words.copy()
        held.data[:] = 1
        unit = unit_rows(np.asarray(words @ vectors))
        return {
            "words": dense(words @ self.page.T), "lead": dense(words @ self.lead.T),
            "overlap": self.overlap(held, self.lead), "page_overlap": self.overlap(held, self.page),
            "title": np.minimum(held @ self.title, 1), "vectors": unit @ self.vector,
            "lead_vectors": unit @ self.lead_vector,
        }  # fmt: skip


def dense(column: Any) -> Floats:
    found: Floats = np.asarray(column.todense()).ravel()
    return found


def page_columns(known: OrphanKnowledge, target: int) -> Floats:
    """Return (documents, PAGE_COLUMNS)."""
    places, asked = known.places, known.asked(target)
    pages, leads = places.pages, places.leads
    words = dense(pages @ asked.page.T)
    stems = np.asarray(places.title_stems[target].todense()).ravel()
    here = known.page_stems @ stems
    there = places.title_stems @ np.asarray(known.page_stems[target].todense()).ravel()
    back = np.asarray(places.adjacency[target].todense()).ravel()
    alike = words.copy()
    alike[target] = 0
    degree = known.out_degree
    columns = [
        words, dense(pages @ asked.lead.T), dense(leads @ asked.lead.T), dense(leads @ asked.page.T),
        places.page_vectors @ asked.vector, known.lead_vectors @ asked.lead_vector, asked.overlap(known.held, asked.lead),
        here, there, back, places.adjacency @ back / np.sqrt(np.maximum(degree, 1)),
        places.adjacency @ alike / np.maximum(degree, 1), np.log1p(degree), np.log1p(places.corpus.lengths),
    ]  # fmt: skip
    return np.stack(columns, axis=1)


def sentence_columns(known: OrphanKnowledge, target: int, chosen: Longs) -> tuple[Longs, Floats]:
    """Return the sentences of the chosen documents, by number, and their columns (sentences, SENTENCE_COLUMNS)."""
    places, asked = known.places, known.asked(target)
    vectors = places.fitted.topics.vectors
    rows, places_in = _of_owners(known.sentences, chosen)
    blocks, _ = _of_owners(known.paragraphs, chosen)
    own = asked.compared(known.sentence_words[rows], vectors)
    wide = asked.compared(known.paragraph_words[blocks], vectors)
    paragraph = known.paragraphs.of_token[known.sentences.first[rows]]
    at = np.searchsorted(blocks, paragraph)
    found = dict(own)
    found |= {f"paragraph_{name}": values[at] for name, values in wide.items()}
    found |= {
        f"around_{name}": _around(values, known.sentences.owner[rows])
        for name, values in own.items()
    }
    found |= _linked(known, target, rows)
    found |= _plain(known, rows, places_in, paragraph)
    return rows, np.stack([found[name] for name in SENTENCE_COLUMNS], axis=1)


def _of_owners(pieces: Pieces, chosen: Longs) -> tuple[Longs, Longs]:
    """Return the pieces of the chosen documents in order, and the place of each in its document."""
    begin, end = np.searchsorted(pieces.owner, [np.sort(chosen), np.sort(chosen) + 1])
    size = end - begin
    within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    return within + np.repeat(begin, size), within


def _around(values: Floats, owner: Longs) -> Floats:
    """Return the mean of the pieces before and after in the same document."""
    before, after = np.roll(values, 1), np.roll(values, -1)
    change = np.diff(owner) != 0
    first, last = np.append(True, change), np.append(change, True)
    before[first], after[last] = values[first], values[last]
    mean: Floats = (before + after) / 2
    return mean


def _linked(known: OrphanKnowledge, target: int, rows: Longs) -> dict[str, Floats]:
    """Return how like the target the links of each sentence are, whether the target links there too, and how many they are."""
    sentence, linked = known.linked
    begin, end = np.searchsorted(sentence, [rows, rows + 1])
    count = end - begin
    place = np.repeat(np.arange(len(rows)), count)
    other = linked[np.arange(count.sum()) + np.repeat(begin - (np.cumsum(count) - count), count)]
    text = dense(known.places.pages @ known.places.pages[target].T)
    text[target] = 0
    back = np.asarray(known.places.adjacency[target].todense()).ravel()
    alike, shared = np.zeros(len(rows)), np.zeros(len(rows))
    np.maximum.at(alike, place, text[other])
    np.maximum.at(shared, place, back[other])
    return {"alike_link": alike, "shared_link": shared, "links": np.log1p(count)}


def _plain(
    known: OrphanKnowledge, rows: Longs, within: Longs, paragraph: Longs
) -> dict[str, Floats]:
    """Return what does not depend on the target."""
    pieces, blocks = known.sentences, known.paragraphs
    last = (
        within[np.append(np.flatnonzero(np.diff(within) <= 0), len(within) - 1)]
        if len(within)
        else within
    )
    size = np.repeat(last + 1, last + 1)
    before = pieces.of_token[blocks.first[paragraph]]
    return {
        "length": np.log(pieces.last[rows] - pieces.first[rows]),
        "place": np.log1p(within),
        "relative": within / np.maximum(1, size - 1),
        "first": (within == 0).astype(float),
        "place_in_paragraph": np.log1p(rows - before),
        "paragraph_length": np.log(blocks.last[paragraph] - blocks.first[paragraph]),
    }
