"""What CRTM says of candidates: of the word where it stands, of the two pages, of pages alike.

Nothing here may have been told by the link that is to be found. The topics are learned from texts,
and links weigh little in them; word vectors are learned from texts alone; `aptness` judges a page by
what other pages teach; shares among like pages leave the page out. The scores of CRTM's own link
function are not among the features, since they said nothing to the ranker that it did not know
(decision 0042); `scores` gives them, with the terms that count a word's own links switched off.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sparse

from wikibot.ranking.aptness import Aptness
from wikibot.ranking.candidates import Candidates
from wikibot.ranking.knowledge import Knowledge
from wikibot.ranking.memory import Likeness
from wikibot.ranking.names import Names
from wikibot.ranking.signs import written_as_names
from wikibot.ranking.surface import Columns
from wikibot.ranking.wiki import Bools, Floats, Longs, Wiki

if TYPE_CHECKING:
    from crtm import CRTM, Corpus

_JOINTS = (" ", "-", "'", ".", ", ", ". ", "\n")  # by what stood between two words
_TELLING = ("aptness", "linked", "word_linked")  # terms that count a page's own links
_SHARPNESS = 4.0


def topic_count(pages: int) -> int:
    """Enough topics to tell pages apart, few enough that each is seen on many."""
    return int(np.clip(2 * np.sqrt(pages), 8, 150))


def records(wiki: Wiki, shown: Bools) -> tuple[list[dict[str, Any]], Longs]:
    """The pages as CRTM reads them, with the links that are `shown`, and where each word starts."""
    starts, lengths = _places(wiki)
    texts = list(_texts(wiki))
    found: list[list[tuple[int, int, str]]] = [[] for _ in wiki.titles]
    links = wiki.links
    for index in np.flatnonzero(shown & (links.target >= 0)).tolist():
        last = links.last[index] - 1
        place = (int(starts[links.first[index]]), int(starts[last] + lengths[last]))
        found[links.page[index]].append((*place, wiki.titles[links.target[index]]))
    pages = zip(wiki.titles, texts, found, strict=True)
    return [{"title": title, "text": text, "links": own} for title, text, own in pages], starts


def _places(wiki: Wiki) -> tuple[Longs, Longs]:
    lengths = np.array([len(word) for word in wiki.spelling], dtype=np.int64)
    joints = np.array([len(joint) for joint in _JOINTS])[wiki.gap]
    ends = np.cumsum(lengths + joints)
    begins = wiki.offsets[:-1][wiki.page] if len(wiki.word) else wiki.page
    starts = ends - lengths
    return starts - starts[begins] if len(starts) else starts, lengths


def _texts(wiki: Wiki) -> Iterator[str]:
    joints = [_JOINTS[gap] for gap in wiki.gap.tolist()]
    for first, last in zip(wiki.offsets[:-1].tolist(), wiki.offsets[1:].tolist(), strict=True):
        pairs = zip(joints[first:last], wiki.spelling[first:last], strict=True)
        yield "".join([part for pair in pairs for part in pair])[1:]


def corpus_of(wiki: Wiki, shown: Bools) -> Corpus:
    """The wiki as a corpus for CRTM, with the links that are `shown`."""
    from crtm import Corpus

    return Corpus.from_records(records(wiki, shown)[0])


class TopicReader:
    """A learned CRTM, asked about the pages of a wiki."""

    def __init__(self, model: CRTM, wiki: Wiki, aptness: Aptness | None = None) -> None:
        from crtm.corpus import encode

        self.model, self.aptness = model, aptness or Aptness(())
        self._telling: dict[int, str] = {}
        learned = model.learned_
        silent = {**learned.weights, **dict.fromkeys(_TELLING, 0.0)}
        self._learned = dataclasses.replace(learned, weights=silent)
        nothing = np.zeros(len(wiki.links), dtype=bool)
        pages, starts = records(wiki, nothing)
        self._documents = [encode(page, model.vocabulary_, model.index_) for page in pages]
        self._token = self._tokens(wiki, starts)
        self.topics = self._page_topics(wiki)
        self.vectors = self._word_vectors(wiki)
        self.likeness = Likeness.of(wiki.titles, _sums(wiki, self.vectors))

    def _tokens(self, wiki: Wiki, starts: Longs) -> Longs:
        """For each word of the wiki its token in CRTM's document of the page, or -1."""
        token = np.full(len(wiki.word), -1, dtype=np.int64)
        for page, document in enumerate(self._documents):
            part = slice(wiki.offsets[page], wiki.offsets[page + 1])
            if len(document):
                at = np.searchsorted(document.starts, starts[part], side="right") - 1
                inside = (at >= 0) & (starts[part] < document.ends[np.maximum(at, 0)])
                token[part] = np.where(inside, at, -1)
        return token

    def _page_topics(self, wiki: Wiki) -> Floats:
        """theta of every page; folded in where the model has not seen the page."""
        known = self.model.doc_topic_
        rows = [
            known[document.number] if document.number >= 0 else self.model.transform(document)
            for document in self._documents
        ]
        theta = np.maximum(np.array(rows, dtype=np.float32), 0)
        return np.asarray(theta / np.maximum(theta.sum(axis=1, keepdims=True), 1e-9))

    def shared_words(self, wiki: Wiki, first: int, target: int, *, most: int = 3) -> list[str]:
        """Telling words of the topics that the sentence around a word shares with the target."""
        page = int(wiki.page[first])
        part = slice(
            *np.searchsorted(wiki.sentence, [wiki.sentence[first], wiki.sentence[first] + 1])
        )
        tokens = self._token[part]
        tokens = tokens[tokens >= 0]
        if not len(tokens):
            return []
        learned = self._learned.topics
        words = self._documents[page].words[tokens]
        ours = (learned.topic_word[words] * (self.topics[page] + 1e-4)).sum(axis=0)
        common = ours / max(float(ours.sum()), 1e-30) * self.topics[target] / learned.prior
        share = common / max(float(common.sum()), 1e-30)
        best = np.argsort(-share, kind="stable")[:most]
        return [self._telling_word(int(topic)) for topic in best if share[topic] > 0.15]

    def _telling_word(self, topic: int) -> str:
        if topic not in self._telling:
            self._telling[topic] = self.model.top_words(topic, 1)[0]
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

    def _word_vectors(self, wiki: Wiki) -> Floats:
        vectors = self._learned.topics.vectors
        out = np.zeros((len(wiki.word), vectors.shape[1]), dtype=np.float32)
        for page, document in enumerate(self._documents):
            part = slice(wiki.offsets[page], wiki.offsets[page + 1])
            known = self._token[part] >= 0
            out[part][known] = vectors[document.words[self._token[part][known]]]
        return out

    def scores(self, wiki: Wiki, rows: Candidates) -> Floats:
        """The best score that CRTM gives to one of the mention's words; NaN where it knows none."""
        from crtm.scoring import View

        values = np.full(len(rows), np.nan, dtype=np.float32)
        starts = np.searchsorted(rows.page, np.arange(wiki.size + 1))
        for page in np.unique(rows.page).tolist():
            document, part = self._documents[page], slice(starts[page], starts[page + 1])
            if not len(document):
                continue
            targets, place = np.unique(rows.target[part], return_inverse=True)
            numbers = np.array([self.model.index_.get(wiki.titles[t], 0) for t in targets])
            view = View(self._learned, document, self._gamma(document), self.model._manner())
            values[part] = self._best_of_words(
                rows, part, view.scores(numbers.astype(np.int32)), place
            )
        return values

    def _gamma(self, document: Any) -> Floats:
        from crtm.scoring import fold_in

        topics = self._learned.topics
        if document.number >= 0:
            return np.asarray(topics.gamma[document.number])
        return fold_in(topics, document.words, self.model._manner())

    def _best_of_words(self, rows: Candidates, part: slice, scores: Floats, place: Longs) -> Floats:
        first, length = rows.first[part], rows.length[part]
        best = np.full(len(first), np.nan, dtype=np.float32)
        for offset in range(int(length.max(initial=0))):
            token = np.where(length > offset, self._token[np.minimum(first + offset, len(self._token) - 1)], -1)  # fmt: skip
            has = token >= 0
            best[has] = np.fmax(best[has], scores[token[has], place[has]])
        return best

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


def _sums(wiki: Wiki, vectors: Floats) -> Floats:
    """The sum of each page's word vectors."""
    sums = np.concatenate(
        [np.zeros((1, vectors.shape[1])), np.cumsum(vectors, axis=0, dtype=np.float64)]
    )
    return np.asarray(sums[wiki.offsets[1:]] - sums[wiki.offsets[:-1]], dtype=np.float32)


def _by_page(codes: Longs, size: int) -> sparse.csr_matrix:
    """(targets, pages): 1 where the code of (page, target) is there."""
    ones = np.ones(len(codes), dtype=np.float32)
    return sparse.csr_matrix((ones, (codes % size, codes // size)), shape=(size, size))
