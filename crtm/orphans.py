"""Where a link to a document that nobody links to would fit: on which page, and after which sentence.

Nothing is known of such a target but its own text: no anchors, no neighbours of links to it. So that the weights are learned from
the same evidence, the links to some targets are hidden and the targets' names are taken out of the pages that had them. First the
pages are ranked, then the sentences of the best ones. How likely a link belongs on a page is learned from targets that the ranking
was not learned from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.optimize import minimize

from crtm.corpus import Corpus, Links
from crtm.orphan_features import (
    PAGE_COLUMNS,
    SENTENCE_COLUMNS,
    OrphanKnowledge,
    page_columns,
    sentence_columns,
)
from crtm.place_features import PlaceKnowledge
from crtm.place_ranker import Group, fit_groups
from crtm.places import Bools, Longs, Names, mentions
from crtm.vectors import Floats

CHANCE_PAGE_COLUMNS = PAGE_COLUMNS[: PAGE_COLUMNS.index("out_links")]
CHANCE_SENTENCE_COLUMNS = (
    "words", "lead", "overlap", "title", "vectors", "paragraph_words", "paragraph_lead", "alike_link",
)  # fmt: skip
CHANCE_COLUMNS = (
    "bias", *CHANCE_PAGE_COLUMNS, *(f"sentence_{name}" for name in CHANCE_SENTENCE_COLUMNS), "share",
)  # fmt: skip
MAX_TARGETS = 300  # that the weights are learned from
FEWEST_TARGET_WORDS = 30  # known words of a target's text; less says too little
PAGES_READ = 30  # whose sentences are compared
FEWEST_RIGHT = 30  # examples of right pages that chances are learned from
PAGES_JUDGED = 5  # for each target that the chances are learned from
SHORTEST_WORDS = 5  # known words of a sentence that is a place
CHANCE_PENALTY = 3.0  # of the squared weights, all columns at unit spread

Example = tuple[
    Floats, bool
]  # CHANCE_COLUMNS of a page's best sentence, and whether the page is right


@dataclass(frozen=True, slots=True)
class OrphanWeights:
    """Log-linear weights of pages and of sentences, and those of the chance that a link belongs on the page."""

    pages: Floats
    sentences: Floats
    chance: Floats


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page as a target sees it: its columns, score and share among the pages read, its sentences and their columns."""

    number: int
    columns: Floats
    score: float
    share: float
    rows: Longs
    sentences: Floats

    def chance_columns(self, sentence: int) -> Floats:
        """Return CHANCE_COLUMNS of one of its sentences."""
        page = [self.columns[PAGE_COLUMNS.index(name)] for name in CHANCE_PAGE_COLUMNS]
        own = self.sentences[sentence]
        return np.array(
            [
                1.0,
                *page,
                *(own[SENTENCE_COLUMNS.index(name)] for name in CHANCE_SENTENCE_COLUMNS),
                np.log(self.share + 1e-9),
            ]
        )


@dataclass(frozen=True, slots=True)
class OrphanPlace:
    """A sentence of a document that begins at code point ``start``; ``chance`` that a link to the target belongs on the document."""

    document: int
    start: int
    score: float
    chance: float


@dataclass(frozen=True)
class OrphanRanker:
    """Ranks pages for a target that nobody links to, and then their sentences."""

    known: OrphanKnowledge
    weights: OrphanWeights

    def says_enough(self, target: int) -> bool:
        """Tell whether the target has text enough to find places by it."""
        return bool(has_text(self.known.places.corpus)[target])

    def page_scores(self, target: int) -> Floats:
        """Return (documents): a higher score means that the document should sooner link to the target."""
        scores: Floats = page_columns(self.known, target) @ self.weights.pages
        scores[target] = -np.inf
        return scores

    def places(self, target: int, pages: Sequence[int]) -> list[list[OrphanPlace]]:
        """Return the sentences of each of the pages, the best first; the page with the best sentence is the first."""
        found = [self._places(page) for page in self.read(target, pages)]
        return sorted((own for own in found if own), key=lambda own: -own[0].score)

    def read(self, target: int, pages: Sequence[int]) -> list[ReadPage]:
        """Return the pages with their sentences of some length."""
        if not len(pages):
            return []
        by_page = page_columns(self.known, target)[list(pages)]
        rows, columns = sentence_columns(self.known, target, np.array(pages, dtype=np.int64))
        long = self._is_long[rows]
        rows, columns = rows[long], columns[long]
        owner = self.known.sentences.owner[rows]
        scores = by_page @ self.weights.pages
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        found = []
        for number, page in enumerate(pages):
            own = owner == page
            facts = by_page[number], float(scores[number]), float(shares[number])
            found.append(ReadPage(int(page), *facts, rows[own], columns[own]))
        return found

    @cached_property
    def _is_long(self) -> Bools:
        """Which sentences have words enough; where most are short, short ones have."""
        words = self.known.sentences.last - self.known.sentences.first
        enough: Bools = words >= min(SHORTEST_WORDS, float(np.median(words)))
        return enough

    def best(self, page: ReadPage) -> int:
        """Return which of the page's sentences, of which it has some, is the best."""
        return int(np.argmax(page.sentences @ self.weights.sentences))

    def _places(self, page: ReadPage) -> list[OrphanPlace]:
        fits = page.sentences @ self.weights.sentences
        starts = self.known.places.corpus.starts[self.known.sentences.first[page.rows]]
        return [
            OrphanPlace(
                page.number, int(starts[at]), page.score + float(fits[at]), self._chance(page, at)
            )
            for at in np.argsort(-fits, kind="stable").tolist()
        ]

    def _chance(self, page: ReadPage, sentence: int) -> float:
        return float(1 / (1 + np.exp(-page.chance_columns(sentence) @ self.weights.chance)))


@dataclass(frozen=True, slots=True)
class Lesson:
    """A target with the documents that may link to it, those that should, the sentences for it, and whose chance this teaches."""

    target: int
    allowed: Bools
    right: Bools
    sentences: frozenset[int]
    judged: Bools

    def pages(self, known: OrphanKnowledge) -> Group:
        """Return the columns of the allowed documents, and which are right."""
        return page_columns(known, self.target)[self.allowed], self.right[self.allowed]

    def read(self, ranker: OrphanRanker) -> list[ReadPage]:
        """Return the allowed documents that the ranker reads, the best first."""
        scores = np.where(self.allowed, ranker.page_scores(self.target), -np.inf)
        best = np.argsort(-scores, kind="stable")[:PAGES_READ]
        return ranker.read(self.target, best[np.isfinite(scores[best])].tolist())

    def places(self, ranker: OrphanRanker) -> Group:
        """Return the columns of the sentences of the documents to read, and which had the links."""
        rows, columns = [np.zeros(0, dtype=np.int64)], [np.zeros((0, len(SENTENCE_COLUMNS)))]
        for page in self.read(ranker):
            rows.append(page.rows)
            columns.append(page.sentences)
        return np.concatenate(columns), np.isin(np.concatenate(rows), list(self.sentences))

    def examples(self, ranker: OrphanRanker) -> list[Example]:
        """Return the best sentence of each of the first documents that are judged, and whether the document is right."""
        read = [page for page in self.read(ranker) if self.judged[page.number] and len(page.rows)]
        return [
            (page.chance_columns(ranker.best(page)), bool(self.right[page.number]))
            for page in read[:PAGES_JUDGED]
        ]


@dataclass(frozen=True, slots=True)
class Decision:
    """Somebody accepted or declined an idea: a link to ``target`` in the sentence of ``source`` that begins at ``start``, if known."""

    source: int
    target: int
    start: int | None
    is_accepted: bool


def learn_orphans(
    knowledge: PlaceKnowledge, seed: int, decisions: Sequence[Decision] = ()
) -> OrphanWeights:
    """Return the weights, learned from targets whose links are hidden, and from decisions about ideas."""
    linked = np.flatnonzero((knowledge.in_degree >= 1) & has_text(knowledge.corpus))
    targets = np.random.default_rng(seed).permutation(linked)[:MAX_TARGETS]
    hidden = hidden_targets(knowledge.corpus, targets)
    known = OrphanKnowledge(PlaceKnowledge(knowledge.fitted, hidden))
    lessons = [
        lesson for target in targets.tolist() for lesson in _lesson(knowledge.corpus, known, target)
    ]
    decided = [_decided(known, one) for one in decisions]
    ranker = OrphanRanker(known, _ranking(known, lessons[::2]))
    others = [*lessons[1::2], *decided]
    chance = fit_chance([one for lesson in others for one in lesson.examples(ranker)])
    return replace(_ranking(known, [*lessons, *decided]), chance=chance)


def _decided(known: OrphanKnowledge, said: Decision) -> Lesson:
    """Return what a decision teaches: the accepted source is right, or all but the declined one are."""
    corpus = known.places.corpus
    everyone = np.arange(len(corpus))
    meant = everyone == said.source
    begin, end = corpus.offsets[said.source], corpus.offsets[said.source + 1]
    sentences: frozenset[int] = frozenset()
    if (
        said.is_accepted
        and said.start is not None
        and corpus.ends[begin:end].max(initial=0) > said.start
    ):
        token = begin + int(np.searchsorted(corpus.ends[begin:end], said.start, side="right"))
        sentences = frozenset([int(known.sentences.of_token[token])])
    allowed = (everyone != said.target) & (corpus.lengths > 0)
    return Lesson(said.target, allowed, meant if said.is_accepted else ~meant, sentences, meant)


def has_text(corpus: Corpus) -> Bools:
    """Tell which documents have text enough; where most are short, short ones have."""
    enough: Bools = corpus.lengths >= min(FEWEST_TARGET_WORDS, float(np.median(corpus.lengths)))
    return enough


def hidden_targets(corpus: Corpus, targets: Longs) -> Corpus:
    """Return the corpus without links to the targets, and without their names on the pages that had them."""
    names, links = Names.of(corpus), corpus.links
    gone = np.isin(links.target, targets)
    keep = np.ones(len(corpus.words), dtype=bool)
    pairs = set(zip(links.source[gone].tolist(), links.target[gone].tolist(), strict=True))
    for source, target in pairs:
        own = slice(int(corpus.offsets[source]), int(corpus.offsets[source + 1]))
        keep[own] &= ~mentions(corpus.words[own], names.of_target[target])
    return corpus.without(gone).with_tokens(keep)


def _lesson(corpus: Corpus, known: OrphanKnowledge, target: int) -> Iterator[Lesson]:
    """Yield what a hidden target teaches, if anything; documents that name it without a link are not asked about."""
    hidden, links = known.places.corpus, corpus.links
    own = links[links.target == target]
    right = np.zeros(len(corpus), dtype=bool)
    right[own.source] = True
    inside = np.concatenate([[0], np.cumsum(mentions(hidden.words, known.places.titles[target]))])
    named = inside[hidden.offsets[1:]] > inside[hidden.offsets[:-1]]
    allowed = (hidden.lengths > 0) & (right | ~named)
    allowed[target] = False
    if (right & allowed).any():
        sentences = frozenset(_sentences_of(corpus, known, own))
        yield Lesson(target, allowed, right, sentences, allowed)


def _sentences_of(corpus: Corpus, known: OrphanKnowledge, links: Links) -> Iterator[int]:
    """Yield the sentences of the links of which something is left without the target's names."""
    hidden = known.places.corpus
    for source, first in zip(links.source.tolist(), links.first.tolist(), strict=True):
        begin, end = hidden.offsets[source], hidden.offsets[source + 1]
        left = np.flatnonzero(hidden.sentences[begin:end] == corpus.sentences[first])
        if len(left):
            yield int(known.sentences.of_token[begin + left[0]])


def _ranking(known: OrphanKnowledge, lessons: Sequence[Lesson]) -> OrphanWeights:
    """Return the weights of pages and sentences; those of the chance are zero."""
    pages, sentences, chance = (
        np.zeros(len(names)) for names in (PAGE_COLUMNS, SENTENCE_COLUMNS, CHANCE_COLUMNS)
    )
    groups = [group for group in (lesson.pages(known) for lesson in lessons) if group[1].any()]
    if groups:
        pages = fit_groups(groups)
    ranker = OrphanRanker(known, OrphanWeights(pages, sentences, chance))
    groups = [group for group in (lesson.places(ranker) for lesson in lessons) if group[1].any()]
    return OrphanWeights(pages, fit_groups(groups) if groups else sentences, chance)


def fit_chance(examples: Sequence[Example]) -> Floats:
    """Return logistic weights of CHANCE_COLUMNS; where few examples are right, all chances are one half."""
    if sum(right for _, right in examples) < FEWEST_RIGHT:
        return np.zeros(len(CHANCE_COLUMNS))
    columns = np.array([row for row, _ in examples])
    sign = np.where([right for _, right in examples], 1.0, -1.0)
    mean, spread = columns.mean(axis=0), columns.std(axis=0) + 1e-6
    mean[0], spread[0] = 0, 1  # the bias
    scaled = (columns - mean) / spread
    penalty = np.full(len(mean), CHANCE_PENALTY)
    penalty[0] = 0

    def loss(weights: Floats) -> tuple[float, Floats]:
        margin = sign * (scaled @ weights)
        slope = -sign / (1 + np.exp(margin))
        value = np.logaddexp(0, -margin).sum() + 0.5 * (penalty * weights**2).sum()
        return float(value), scaled.T @ slope + penalty * weights

    found = minimize(loss, np.zeros(len(mean)), jac=True, method="L-BFGS-B")
    weights: Floats = found.x / spread
    weights[0] = found.x[0] - (found.x[1:] * mean[1:] / spread[1:]).sum()
    return weights
