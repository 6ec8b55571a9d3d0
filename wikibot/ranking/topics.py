"""What CRTM says of candidates: of the word where it stands, of the two pages, of pages alike.

Nothing here may have been told by the link that is to be found. The topics are learned from texts,
and links weigh little in them; word vectors are learned from texts alone; `aptness` judges a page by
what other pages teach; shares among like pages leave the page out. The scores of CRTM's own link
function are not among the features, since they said nothing to the ranker that it did not know
(decision 0042); `scores` gives them, with the terms that count a word's own links switched off.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Set
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sparse

from wikibot.ranking.aptness import Aptness, WordVectors
from wikibot.ranking.candidates import Candidates
from wikibot.ranking.knowledge import Knowledge
from wikibot.ranking.memory import Likeness
from wikibot.ranking.names import Names
from wikibot.ranking.prose import HYPHEN
from wikibot.ranking.signs import written_as_names
from wikibot.ranking.surface import Columns
from wikibot.ranking.wiki import Bools, Floats, Longs, Wiki

if TYPE_CHECKING:
    from crtm import CRTM, Corpus
    from crtm.corpus import Document

_JOINTS = (" ", "-", "'", ".", ", ", ". ", "\n")  # by what stood between two words
_TELLING = ("aptness", "linked", "word_linked")  # terms that count a page's own links
_SHARPNESS = 4.0
_LONGEST_ANCHOR = 4
_READ_FIRST = 300  # words of a page: what it is about is said there, and editors link there
_PLACES = 5  # of a target, where a link stands already on the best
_TELLING_WORDS = 15  # of a topic, by which it may go


def topic_count(pages: int) -> int:
    """Enough topics to tell pages apart, few enough that each is seen on many."""
    return int(np.clip(2 * np.sqrt(pages), 8, 150))


def records(wiki: Wiki, shown: Bools) -> list[dict[str, Any]]:
    """The pages as CRTM reads them, with the links that are `shown`."""
    ends = wiki.offsets.tolist()
    texts = [_text(wiki, slice(*part)) for part in itertools.pairwise(ends)]
    found: list[list[tuple[int, int, str]]] = [[] for _ in wiki.titles]
    links = wiki.links
    for index in np.flatnonzero(shown & (links.target >= 0)).tolist():
        page, last = links.page[index], links.last[index] - 1
        starts = texts[page][1]
        begin, final = starts[links.first[index] - ends[page]], starts[last - ends[page]]
        place = (int(begin), int(final) + len(wiki.spelling[last]))
        found[page].append((*place, wiki.titles[links.target[index]]))
    pages = zip(wiki.titles, texts, found, strict=True)
    return [{"title": title, "text": text, "links": own} for title, (text, _), own in pages]


def _text(wiki: Wiki, part: slice) -> tuple[str, Longs]:
    """Words of the wiki as plain text, and where each starts in it."""
    words, joints = wiki.spelling[part], [_JOINTS[gap] for gap in wiki.gap[part].tolist()]
    pieces = [piece for pair in zip(joints, words, strict=True) for piece in pair][1:]
    lengths = np.array([len(piece) for piece in pieces], dtype=np.int64)
    return "".join(pieces), (np.cumsum(lengths) - lengths)[::2]


def corpus_of(wiki: Wiki, shown: Bools) -> Corpus:
    """The wiki as a corpus for CRTM, with the links that are `shown`."""
    from crtm import Corpus

    return Corpus.from_records(records(wiki, shown))


class TopicReader:
    """A learned CRTM, asked about the pages of a wiki."""

    def __init__(self, model: CRTM, wiki: Wiki, aptness: Aptness | None = None) -> None:
        self.model, self.aptness = model, aptness or Aptness(())
        self._telling: dict[int, list[str]] = {}
        self._used: dict[int, frozenset[int]] = {}
        fitted = model.fitted_
        silent = {**fitted.weights, **dict.fromkeys(_TELLING, 0.0)}
        self._learned = dataclasses.replace(fitted, weights=silent)
        self.vectors = WordVectors.of(fitted.topics.vectors, _numbers(model, wiki))
        self.topics = self._page_topics(wiki)
        self.likeness = Likeness.of(wiki.titles, self.vectors.sums(wiki), self.vectors.table)

    def _page_topics(self, wiki: Wiki) -> Floats:
        """theta of every page; folded in where the model has not seen the page."""
        known, new = self.model.doc_topic_, [t not in self.model.index_ for t in wiki.titles]
        rows = np.array([known[self.model.index_.get(title, 0)] for title in wiki.titles])
        for page in np.flatnonzero(new).tolist():
            rows[page] = self.model.transform(self._document(wiki, page)[0])
        theta = np.maximum(rows.astype(np.float32), 0)
        return np.asarray(theta / np.maximum(theta.sum(axis=1, keepdims=True), 1e-9))

    def _document(
        self, wiki: Wiki, page: int, *, words: int | None = None
    ) -> tuple[Document, Longs]:
        """A page, or its first words, as CRTM reads it, and for each word the token, or -1."""
        from crtm.corpus import encode

        begin, end = wiki.offsets[page], wiki.offsets[page + 1]
        part = slice(begin, end if words is None else min(end, begin + words))
        text, starts = _text(wiki, part)
        record = {"title": wiki.titles[page], "text": text}
        document = encode(record, self.model.vocabulary_, self.model.index_)
        if not len(document):
            return document, np.full(len(starts), -1, dtype=np.int64)
        at = np.searchsorted(document.starts, starts, side="right") - 1
        inside = (at >= 0) & (starts < document.ends[np.maximum(at, 0)])
        return document, np.where(inside, at, -1)

    def shared_words(
        self, wiki: Wiki, first: int, target: int, *, avoid: Set[str] = frozenset(), most: int = 3
    ) -> list[str]:
        """Words for the topics that the sentence around a word shares with the target.

        Each topic goes by its most telling word that both pages use and that is not to `avoid`;
        without one it is not told.
        """
        page = int(wiki.page[first])
        part = slice(
            *np.searchsorted(wiki.sentence, [wiki.sentence[first], wiki.sentence[first] + 1])
        )
        words = self.vectors.number[part]
        words = words[words >= 0]
        if not len(words):
            return []
        fitted = self._learned.topics
        ours = (fitted.topic_word[words] * (self.topics[page] + 1e-4)).sum(axis=0)
        common = ours / max(float(ours.sum()), 1e-30) * self.topics[target] / fitted.prior
        share = common / max(float(common.sum()), 1e-30)
        best = np.argsort(-share, kind="stable")[:most]
        both = self._words_of(wiki, page) & self._words_of(wiki, target)
        told = (self._telling_words(int(topic)) for topic in best if share[topic] > 0.15)
        index = self.model.vocabulary_.index
        named = (next((word for word in words if index[word] in both and word not in avoid), None) for words in told)  # fmt: skip
        return [word for word in named if word]

    def _words_of(self, wiki: Wiki, page: int) -> frozenset[int]:
        """The words of a page by their numbers; worked out once, as targets come again and again."""
        if page not in self._used:
            numbers = self.vectors.number[wiki.offsets[page] : wiki.offsets[page + 1]]
            self._used[page] = frozenset(numbers.tolist())
        return self._used[page]

    def _telling_words(self, topic: int) -> list[str]:
        if topic not in self._telling:
            self._telling[topic] = self.model.top_words(topic, _TELLING_WORDS)
        return self._telling[topic]

    def columns(self, wiki: Wiki, names: Names, knowledge: Knowledge, rows: Candidates) -> Columns:
        """CRTM's features of the candidates."""
        columns = self._like_pages(wiki, knowledge, rows)
        columns["pages"] = self.likeness.between(rows.page, rows.target)
        places = np.concatenate([rows.first, rows.first + rows.length - 1])
        apt = self.aptness.judge(wiki, self.vectors, places)
        first, last = apt[: len(rows)], apt[len(rows) :]
        return {**columns, "apt_first": first, "apt_last": last, "apt": np.maximum(first, last)}

    def learn_aptness(self, wiki: Wiki, known: Bools) -> TopicReader:
        """The same reader, which has learned from the `known` pages what is apt to be linked."""
        self.aptness = Aptness.learn(wiki, known, self.vectors)
        return self

    def scores(self, wiki: Wiki, rows: Candidates) -> Floats:
        """The best score that CRTM gives to one of the mention's words; NaN where it knows none."""
        from crtm.scoring import DocumentScorer

        values = np.full(len(rows), np.nan, dtype=np.float32)
        starts = np.searchsorted(rows.page, np.arange(wiki.size + 1))
        for page in np.unique(rows.page).tolist():
            part = slice(starts[page], starts[page + 1])
            document, tokens = self._document(wiki, page)
            if not len(document):
                continue
            targets, place = np.unique(rows.target[part], return_inverse=True)
            numbers = np.array([self.model.index_.get(wiki.titles[t], 0) for t in targets])
            scorer = DocumentScorer(
                self._learned, document, self._gamma(document), self.model.scoring_params()
            )
            scores = scorer.scores(numbers.astype(np.int32))
            first = rows.first[part] - wiki.offsets[page]
            values[part] = _best_of_words(tokens, first, rows.length[part], scores, place)
        return values

    def points_to(
        self, wiki: Wiki, page: int, targets: Longs, *, most: int
    ) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        """The targets that CRTM predicts links to, each with its best places (first word, length)."""
        from crtm.scoring import DocumentScorer, evidence
        from crtm.spans import best_spans

        known = [int(t) for t in targets if wiki.titles[t] in self.model.index_]
        document, tokens = self._document(wiki, page, words=_READ_FIRST)
        if not known or not len(document):
            return
        scorer = DocumentScorer(
            self._learned, document, self._gamma(document), self.model.scoring_params()
        )
        numbers = np.array([self.model.index_[wiki.titles[target]] for target in known])
        scores = scorer.scores(numbers.astype(np.int32))
        for at in np.argsort(-evidence(scores), kind="stable")[:most].tolist():
            spans = best_spans(
                scorer, numbers[at], scores[:, at], self.model.joins_, longest=_LONGEST_ANCHOR
            )
            places = [np.flatnonzero((tokens >= a) & (tokens < b)) for a, b, _ in spans[:_PLACES]]
            yield (
                known[at],
                [
                    (int(wiki.offsets[page] + words[0]), int(words[-1] - words[0] + 1))
                    for words in places
                    if len(words)
                ],
            )

    def _gamma(self, document: Any) -> Floats:
        from crtm.scoring import fold_in

        topics = self._learned.topics
        if document.number >= 0:
            return np.asarray(topics.gamma[document.number])
        return fold_in(topics, document.words, self.model.scoring_params())

    def _like_pages(self, wiki: Wiki, knowledge: Knowledge, rows: Candidates) -> Columns:
        """Among pages of like topics that mention the target: the share, and the surplus, of links."""
        company = _LikePages(wiki, knowledge)
        values = np.zeros((3, len(rows)), dtype=np.float32)
        starts = np.searchsorted(rows.page, np.arange(wiki.size + 1))
        root = np.sqrt(self.topics)
        for page in np.unique(rows.page).tolist():
            part = slice(starts[page], starts[page + 1])
            alike = ((root @ root[page]) ** _SHARPNESS * knowledge.known).astype(np.float32)
            alike[page] = 0
            values[:, part] = company.asked(alike, rows.target[part])
        linked, mentioned, usual = values
        return {
            "like_share": (linked + 0.3 * usual) / (mentioned + 0.3),
            "like_surplus": linked - mentioned * usual,
        }


class _LikePages:
    """Links and mentions of the known pages, to be summed with a weight for each page."""

    def __init__(self, wiki: Wiki, knowledge: Knowledge) -> None:
        size = wiki.size
        linked, mentioned = knowledge.own_target_links, knowledge.own_target_mentions
        self.links, self.mentions = _by_page(linked, size), _by_page(mentioned, size)
        self.is_name = written_as_names(wiki)
        self.rates = [
            [np.bincount(codes // size, weights=kind[codes % size], minlength=size) for codes in
             (linked, mentioned)]
            for kind in (~self.is_name, self.is_name)
        ]  # fmt: skip

    def asked(self, weight: Floats, targets: Longs) -> Floats:
        """Weighted counts for targets: links, mentions, and the share of links that is usual."""
        usual = np.array(
            [(links @ weight + 0.1) / (seen @ weight + 1) for links, seen in self.rates]
        )
        return np.stack(
            [
                (self.links @ weight)[targets],
                (self.mentions @ weight)[targets],
                usual[self.is_name[targets].astype(np.int64)],
            ]
        ).astype(np.float32)


def _best_of_words(
    tokens: Longs, first: Longs, length: Longs, scores: Floats, place: Longs
) -> Floats:
    """The best score of each mention's words; mention i begins at first[i], its target is place[i]."""
    best = np.full(len(first), np.nan, dtype=np.float32)
    for offset in range(int(length.max(initial=0))):
        at = np.minimum(first + offset, len(tokens) - 1)
        token = np.where(length > offset, tokens[at], -1)
        has = token >= 0
        best[has] = np.fmax(best[has], scores[token[has], place[has]])
    return best


def _number(word: str, index: Mapping[str, int]) -> int:
    if word in index or word.isalnum():
        return index.get(word, -1)
    from crtm.tokenize import split_words  # which parts words at marks that hang on a letter

    return next((index.get(part, -1) for part in split_words(word).words), -1)


def _numbers(model: CRTM, wiki: Wiki) -> Longs:
    """For each word of the wiki its number in CRTM's vocabulary, or -1; CRTM keeps hyphens."""
    index = model.vocabulary_.index
    alone = [_number(word, index) for word in wiki.vocabulary]
    numbers = np.array(alone, dtype=np.int64)[wiki.word] if alone else wiki.word
    joined = np.append(wiki.gap == HYPHEN, False)
    begins = np.flatnonzero(~joined[:-1] & joined[1:])
    ends = np.flatnonzero(joined[:-1] & ~joined[1:]) + 1
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        numbers[begin:end] = index.get("-".join(wiki.spelling[begin:end]).lower(), -1)
    return numbers


def _by_page(codes: Longs, size: int) -> sparse.csr_matrix:
    """(targets, pages): 1 where the code of (page, target) is there."""
    ones = np.ones(len(codes), dtype=np.float32)
    return sparse.csr_matrix((ones, (codes % size, codes // size)), shape=(size, size))
