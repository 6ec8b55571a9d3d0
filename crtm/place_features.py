"""What speaks for a link from a place: numbers about (sentence or paragraph of the source, target), without any name needed.

The place is compared with four texts of the target: its whole page, its lead, the sentences around the links that other pages
have to it, and the sentences of its own page around links to the source. Each comparison is made by words, by word vectors and by
topics. The links that stand in the place count too: how related their targets are to this one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from crtm.corpus import Corpus, Document, Ints
from crtm.counts import make_counts, sentence_ranges
from crtm.place_names import NAME_COLUMNS, NameReader, NameTable
from crtm.places import Name, Names, Segments, segments, title_name
from crtm.scoring import DocumentScorer, FittedModel
from crtm.tokenize import CAPITAL, FIRST
from crtm.vectors import Floats, unit_rows

if TYPE_CHECKING:
    from crtm.orphan_features import OrphanKnowledge

LEAD_WORDS = 80
TEXTS = ("page", "lead", "contexts", "back")  # of the target, to which a place is compared
WAYS = ("words", "vectors", "topics")  # cosines of tf-idf and of mean vectors, lift of topics
COMPARED = tuple(f"{how}_{text}" for how in WAYS for text in TEXTS)
LINKED = ("cocited", "near_links", "text_alike", "adjacent", "vectors_alike", "topics_alike")
MATCHED = ("stems", "soft", "best_soft")
PLAIN = (
    "length", "links", "place", "relative", "last", "capitals", "rarity", "alone", "paragraph_place",
    "place_in_paragraph", "paragraph_length",
)  # fmt: skip
SMOOTHED = (*COMPARED, *LINKED, "stems", "soft")
COLUMNS = (
    *COMPARED, *LINKED, *MATCHED, *PLAIN, "relation", "score", "best_score", *NAME_COLUMNS,
    *(f"around_{name}" for name in SMOOTHED), *(f"paragraph_{name}" for name in SMOOTHED),
)  # fmt: skip
AROUND_COLUMNS = tuple(f"around_{name}" for name in SMOOTHED)
TOPIC_COLUMNS = tuple(name for name in COLUMNS if "topics" in name or name == "relation")
NEARLY_NAMED = 0.6  # the share of a title's stems from which on it counts as a name


@dataclass(frozen=True)
class PlaceKnowledge:
    """A fitted model and its corpus, in the form that the features of places need."""

    fitted: FittedModel
    corpus: Corpus

    @cached_property
    def of_orphans(self) -> OrphanKnowledge:
        """The same in the form that targets without incoming links need."""
        from crtm.orphan_features import OrphanKnowledge

        return OrphanKnowledge(self)

    @cached_property
    def names(self) -> Names:
        """Titles and anchors of all documents."""
        return Names.of(self.corpus)

    @cached_property
    def titles(self) -> tuple[tuple[Name, ...], ...]:
        """The title of each document as a name, or no name if none of its words is known."""
        found = [title_name(title, self.corpus.vocabulary) for title in self.corpus.titles]
        return tuple((name,) if name else () for name in found)

    @cached_property
    def name_table(self) -> NameTable:
        """How often each document is called by each name."""
        return NameTable(self.corpus)

    @cached_property
    def page_topics(self) -> Floats:
        """The topics of each document (D, K), scaled so that a product with another document's tells how alike they are."""
        topics = self.fitted.topics
        return unit_rows(topics.mean / np.sqrt(topics.prior))

    @cached_property
    def title_stems(self) -> Any:
        """The share of each stem in the rarity of a document's title (D, stems)."""
        titles, stems = self.name_table.titles, self.fitted.stems
        owner = np.repeat(np.arange(len(titles)), [len(name) for name in titles])
        words = np.array([word for name in titles for word in name], dtype=np.int64)
        size = int(stems.max(initial=0)) + 1
        weight = self.rarity[words] + 1e-3
        total = np.bincount(owner, weight, minlength=len(titles))
        cells = (owner, stems[words])
        return sparse.csr_matrix((weight / total[owner], cells), (len(titles), size))

    @cached_property
    def page_vectors(self) -> Floats:
        """The mean word vector of each document (D, size), of length one."""
        return unit_rows(np.asarray(self.pages @ self.fitted.topics.vectors))

    @cached_property
    def rarity(self) -> Floats:
        """The inverse document frequency of each word (V)."""
        return self.fitted.facts.rarity

    @cached_property
    def pages(self) -> Any:
        """tf-idf of whole documents (D, V), rows of length one."""
        counts = make_counts(self.corpus, tied=True)
        weight = (1 + np.log(counts.count)) * self.rarity[counts.word]
        return unit_sparse(self._matrix(weight, counts.word, counts.doc_ptr))

    @cached_property
    def leads(self) -> Any:
        """tf-idf of the first words of each document (D, V), rows of length one."""
        owner = np.repeat(np.arange(len(self.corpus)), self.corpus.lengths)
        kept = np.arange(len(owner)) - self.corpus.offsets[owner] < LEAD_WORDS
        return unit_sparse(self._counted(self.corpus.words[kept], owner[kept], len(self.corpus)))

    @cached_property
    def contexts(self) -> Any:
        """tf-idf of the sentence around each link, without the anchor (L, V)."""
        links, (begins, ends) = self.corpus.links, sentence_ranges(self.corpus)
        begin, end = begins[links.first], np.maximum(ends[links.first], links.last)
        owner = np.repeat(np.arange(len(links)), end - begin)
        offsets = np.cumsum(end - begin) - (end - begin)
        token = np.arange(len(owner)) - offsets[owner] + begin[owner]
        kept = (token < links.first[owner]) | (token >= links.last[owner])
        return self._counted(self.corpus.words[token[kept]], owner[kept], len(links))

    @cached_property
    def near_links(self) -> Any:
        """1 where another link stands in the same sentence as the link (L, D)."""
        links, (begins, _) = self.corpus.links, sentence_ranges(self.corpus)
        _, sentence = np.unique(begins[links.first], return_inverse=True)
        ones = np.ones(len(links), dtype=np.float32)
        size = int(sentence.max(initial=-1)) + 1
        here = sparse.csr_matrix((ones, (np.arange(len(links)), sentence)), (len(links), size))
        there = sparse.csr_matrix((ones, (sentence, links.target)), (size, len(self.corpus)))
        return (here @ there).tocsr()

    @cached_property
    def adjacency(self) -> Any:
        """1 where a document (row) links to another (column)."""
        links, size = self.corpus.links, len(self.corpus)
        ones = np.ones(len(links), dtype=np.float32)
        matrix = sparse.csr_matrix((ones, (links.source, links.target)), (size, size))
        matrix.data[:] = 1
        return matrix

    @cached_property
    def incoming(self) -> Any:
        """The transposed adjacency, by rows."""
        return self.adjacency.T.tocsr()

    @cached_property
    def in_degree(self) -> Floats:
        """The number of documents that link to each document."""
        return np.asarray(self.adjacency.sum(axis=0)).ravel()

    @cached_property
    def word_topics(self) -> Floats:
        """p(topic | word) (V, K)."""
        topics = self.fitted.topics
        joint: Floats = topics.topic_word * topics.prior
        joint /= np.maximum(joint.sum(axis=1, keepdims=True), 1e-30)
        return joint

    @cached_property
    def profiles(self) -> Any:
        """The sum of ``contexts`` over the links to each document (D, V)."""
        links = self.corpus.links
        ones = np.ones(len(links), dtype=np.float32)
        shape = (len(self.corpus), len(links))
        into = sparse.csr_matrix((ones, (links.target, np.arange(len(links)))), shape)
        return (into @ self.contexts).tocsr()

    @cached_property
    def near_profiles(self) -> Any:
        """How often another document (column) is linked in the same sentence as this one (row)."""
        links = self.corpus.links
        ones = np.ones(len(links), dtype=np.float32)
        shape = (len(self.corpus), len(links))
        into = sparse.csr_matrix((ones, (links.target, np.arange(len(links)))), shape)
        return (into @ self.near_links).tocsr()

    @cached_property
    def best_stems(self) -> Any:
        """The largest weight of a word with each stem in each document (D, stems)."""
        pages, stems = self.pages.tocoo(), self.fitted.stems
        size = int(stems.max(initial=0)) + 1
        order = np.argsort(pages.data, kind="stable")  # of equal places, the last one written stays
        key = pages.row[order].astype(np.int64) * size + stems[pages.col[order]]
        last = len(key) - 1 - np.unique(key[::-1], return_index=True)[1]
        chosen = order[last]
        cells = (pages.row[chosen], stems[pages.col[chosen]])
        return sparse.csr_matrix((pages.data[chosen], cells), (len(self.corpus), size))

    def links_between(self, source: int, target: int) -> Ints:
        """Return the numbers of the links from one document to another."""
        links = self.corpus.links
        first, last = np.searchsorted(links.source, [source, source + 1])
        found: Ints = (np.flatnonzero(links.target[first:last] == target) + first).astype(np.int32)
        return found

    def weighted(self, words: Ints, owner: Any, rows: int) -> Any:
        """Return the tf-idf of words (rows, V), by the row that each belongs to."""
        return self._counted(words, owner, rows)

    def _counted(self, words: Ints, owner: Any, rows: int) -> Any:
        size = len(self.corpus.vocabulary)
        ones = np.ones(len(words), dtype=np.float32)
        matrix = sparse.csr_matrix((ones, (owner, words)), shape=(rows, size))
        matrix.sum_duplicates()
        matrix.data = (1 + np.log(matrix.data)) * self.rarity[matrix.indices]
        return matrix

    def _matrix(self, values: Floats, columns: Ints, ptr: Any) -> Any:
        shape = (len(ptr) - 1, len(self.corpus.vocabulary))
        return sparse.csr_matrix((values.astype(np.float32), columns, ptr), shape=shape)


def is_named(columns: Floats) -> Any:
    """Tell (...) whether a name of the target stands in one of the places (..., places, COLUMNS), perhaps in another form."""
    free, soft = (columns[..., COLUMNS.index(name)].max(axis=-1) for name in ("free", "soft"))
    return (free > 0) | (soft >= NEARLY_NAMED)


def unit_sparse(matrix: Any) -> Any:
    """Scale the rows of a sparse matrix to length one; rows of zeros stay zero."""
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return sparse.diags(1 / np.maximum(lengths, 1e-9)).dot(matrix).tocsr().astype(np.float32)


class PlaceReader:
    """One document, cut into places, to be compared with any number of targets.

    The links that its corpus has from this document to a target never count towards that target.
    """

    def __init__(
        self, knowledge: PlaceKnowledge, document: Document, scorer: DocumentScorer, kind: str
    ) -> None:
        """Cut ``document`` into places; ``scorer`` is of the same tokens, with the links whose places are to be learned left in."""
        self.knowledge, self.document, self.scorer = knowledge, document, scorer
        self.kind = kind
        self.parts: Segments = segments(document, kind)
        count = len(self.parts)
        self.words = unit_sparse(knowledge.weighted(document.words, self.parts.of_token, count))
        self.vectors = unit_rows(np.asarray(self.words @ knowledge.fitted.topics.vectors))
        self.topics = self._topics(scorer.gamma)
        self.paragraph = np.unique(document.paragraphs[self.parts.first], return_inverse=True)[1]
        self.plain = self._plain()
        self.names = NameReader(knowledge.name_table, document, self.parts)

    def _topics(self, gamma: Floats) -> Floats:
        """Return the mean topics of each place (places, K), as the document's own topics temper them."""
        words = self.document.words
        y = self.knowledge.word_topics[words] * np.sqrt(gamma / gamma.sum() + 1e-4)
        weight = self.knowledge.rarity[words] + 1e-3
        y *= (weight / np.maximum(y.sum(axis=1), 1e-30))[:, None]
        return self._summed(y) / self._summed(weight)[:, None]

    def _summed(self, values: Floats) -> Floats:
        """Return the sums of the tokens' values over each place."""
        sums: Floats = np.add.reduceat(values, self.parts.first, axis=0)
        return sums

    def _plain(self) -> dict[str, Floats]:
        """Return what does not depend on the target."""
        document, parts = self.document, self.parts
        count, places = len(parts), np.arange(len(parts))
        begins = (document.linked >= -1) & (np.diff(document.linked, prepend=-2) != 0)
        capital = ((document.shapes & CAPITAL) > 0) & ((document.shapes & FIRST) == 0)
        size = (parts.last - parts.first).astype(np.float64)
        sentences = np.bincount(self.paragraph)
        within = places - (np.cumsum(sentences) - sentences)[self.paragraph]
        words = np.bincount(self.paragraph, size)
        return {
            "alone": (sentences[self.paragraph] == 1).astype(float),
            "paragraph_place": np.log1p(self.paragraph),
            "place_in_paragraph": np.log1p(within),
            "paragraph_length": np.log(words[self.paragraph]),
            "length": np.log(size),
            "links": np.log1p(self._summed(begins.astype(float))),
            "place": np.log1p(places),
            "relative": places / max(1, count - 1),
            "last": (places == count - 1).astype(float),
            "capitals": self._summed(capital.astype(float)) / size,
            "rarity": self._summed(self.knowledge.rarity[document.words]) / size,
        }

    def columns(self, targets: Ints) -> Floats:
        """Return (targets, places, COLUMNS)."""
        shape = (len(self.parts), len(targets))
        found = {n: np.broadcast_to(v[:, None], shape) for n, v in self.plain.items()}
        found |= {**self._compared(targets), **self._links(targets), **self._matched(targets)}
        for name in SMOOTHED:
            found[f"around_{name}"] = self._around(found[name])
            found[f"paragraph_{name}"] = self._of_paragraph(found[name])
        columns = np.empty((len(targets), len(self.parts), len(COLUMNS)), dtype=np.float32)
        for number, name in enumerate(COLUMNS):
            columns[:, :, number] = found[name].T
        return columns

    def _texts(self, targets: Ints) -> list[Any]:
        """Return the targets' texts as tf-idf (targets, V), one matrix for each of TEXTS."""
        knowledge, source = self.knowledge, self.document.number
        contexts = knowledge.contexts
        profiles, backs = knowledge.profiles[targets], []
        for place, target in enumerate(targets.tolist()):
            own = knowledge.links_between(source, target) if source >= 0 else targets[:0]
            if len(own):
                # without the source's own links
                left = profiles[place] - sparse.csr_matrix(contexts[own].sum(axis=0))
                rows = [profiles[:place], left, profiles[place + 1 :]]
                profiles = sparse.vstack([row for row in rows if row.shape[0]]).tocsr()
            back = knowledge.links_between(target, source) if source >= 0 else own
            backs.append(sparse.csr_matrix(contexts[back].sum(axis=0)))
        texts = [knowledge.pages[targets], knowledge.leads[targets], unit_sparse(profiles)]
        return [*texts, unit_sparse(sparse.vstack(backs).tocsr())]

    def _compared(self, targets: Ints) -> dict[str, Floats]:
        """Return how like each place is to each text of the targets, by words, vectors and topics."""
        knowledge = self.knowledge
        topics, found = knowledge.fitted.topics, {}
        for name, text in zip(TEXTS, self._texts(targets), strict=True):
            found[f"words_{name}"] = np.asarray((self.words @ text.T).todense())
            found[f"vectors_{name}"] = self.vectors @ unit_rows(text @ topics.vectors).T
            known = text @ knowledge.word_topics
            known /= np.maximum(known.sum(axis=1, keepdims=True), 1e-9)
            if name == "page":
                known = topics.mean[targets]
                found["relation"] = topics.function.score(self.topics, known)
            lift = np.log(self.topics @ (known / topics.prior).T + 1e-2)
            found[f"topics_{name}"] = np.where(known.sum(axis=1) > 0, lift, 0)
        return found

    def _links(self, targets: Ints) -> dict[str, Floats]:
        """Return how related the links in each place are to the targets: the most related one counts."""
        document = self.document
        at = np.flatnonzero(document.linked >= 0)
        others, place = np.unique(document.linked[at], return_inverse=True)
        values = self._relatedness(others, targets)
        values[:, others[:, None] == targets] = 0  # a link to the target itself is not evidence
        found = {}
        for name, value in zip(LINKED, values, strict=True):
            best = np.zeros((len(self.parts), len(targets)))
            np.maximum.at(best, self.parts.of_token[at], value[place])
            found[name] = best
        return found

    def _relatedness(self, others: Ints, targets: Ints) -> Floats:
        """Return (LINKED, others, targets)."""
        knowledge, source = self.knowledge, self.document.number
        incoming, adjacency = knowledge.incoming, knowledge.adjacency
        shared = np.asarray((incoming[others] @ incoming[targets].T).todense())
        near = np.asarray(knowledge.near_profiles[targets][:, others].todense()).T
        degree = knowledge.in_degree[targets].copy()
        for column, target in enumerate(targets.tolist()):
            own = knowledge.links_between(source, target) if source >= 0 else targets[:0]
            if len(own):
                shared[:, column] -= np.asarray(adjacency[source, others].todense()).ravel()
                near[:, column] -= np.asarray(knowledge.near_links[own].sum(axis=0)).ravel()[others]
                degree[column] -= 1
        scale = np.sqrt(np.outer(knowledge.in_degree[others], np.maximum(degree, 1)))
        text = np.asarray((knowledge.pages[others] @ knowledge.pages[targets].T).todense())
        both = adjacency[targets][:, others] + incoming[targets][:, others]
        return np.stack(
            [
                shared / np.maximum(scale, 1),
                np.log1p(np.maximum(near, 0)),
                text,
                np.asarray(both.todense()).T,
                knowledge.page_vectors[others] @ knowledge.page_vectors[targets].T,
                knowledge.page_topics[others] @ knowledge.page_topics[targets].T,
            ]
        )

    def _matched(self, targets: Ints) -> dict[str, Floats]:
        """Return how well the words of each place match names and text of the targets."""
        knowledge, document, fitted = self.knowledge, self.document, self.knowledge.fitted
        stems = fitted.stems[document.words]
        weight = np.asarray(knowledge.best_stems[targets][:, stems].todense()).T
        score = np.maximum.reduceat(self.scorer.scores(targets), self.parts.first)
        soft = self._soft(targets)
        names = np.stack([self.names.columns(target) for target in targets.tolist()], axis=2)
        return {
            "stems": np.log1p(self._summed(weight)),
            "soft": soft,
            "best_soft": (soft == soft.max(axis=0)) & (soft > 0),
            "score": score,
            "best_score": score == score.max(axis=0),
            **dict(zip(NAME_COLUMNS, names.transpose(1, 0, 2), strict=True)),
        }

    def _soft(self, targets: Ints) -> Floats:
        """Return the share of each title's stems that a place holds, by rarity."""
        titles = self.knowledge.title_stems
        stems = self.knowledge.fitted.stems[self.document.words]
        ones = np.ones(len(stems), dtype=np.float32)
        held = sparse.csr_matrix(
            (ones, (self.parts.of_token, stems)), (len(self.parts), titles.shape[1])
        )
        held.sum_duplicates()
        held.data[:] = 1
        found: Floats = np.asarray((held @ titles[targets].T).todense())
        return found

    def shared_words(self, part: int, target: int, most: int) -> list[int]:
        """Return the words of a place that speak most for the target: rare ones that its page has too."""
        knowledge = self.knowledge
        both = self.words[part].multiply(knowledge.pages[target]).tocoo()
        order = np.argsort(-both.data, kind="stable")
        rare = np.median(knowledge.rarity[knowledge.corpus.words]) if len(order) else 0
        found = [int(word) for word in both.col[order] if knowledge.rarity[word] >= rare]
        return found[:most]

    def best_neighbour(self, part: int, target: int, alike: float) -> int | None:
        """Return the document linked in the place that is nearest to the target: linked with it, or as like as ``alike``."""
        own = self.document.linked[self.parts.first[part] : self.parts.last[part]]
        others = np.setdiff1d(own[own >= 0], [target, self.document.number])
        if not len(others):
            return None
        _, _, text, adjacent, *_ = self._relatedness(others, np.array([target], dtype=np.int32))
        near = (text + adjacent)[:, 0]
        best = int(np.argmax(near))
        return int(others[best]) if near[best] >= alike else None

    def is_linked_back(self, target: int) -> bool:
        """Tell whether the target links to the document."""
        return bool(len(self.knowledge.links_between(target, self.document.number)))

    def _around(self, values: Floats) -> Floats:
        """Return the mean of the places before and after."""
        padded = np.pad(values, ((1, 1), (0, 0)), mode="edge")
        mean: Floats = (padded[:-2] + padded[2:]) / 2
        return mean

    def _of_paragraph(self, values: Floats) -> Floats:
        """Return the mean over the paragraph of each place."""
        sizes = np.bincount(self.paragraph)
        sums = np.add.reduceat(values, np.cumsum(sizes) - sizes)
        mean: Floats = (sums / sizes[:, None])[self.paragraph]
        return mean
