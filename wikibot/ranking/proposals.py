"""From ranked candidates to proposals: the first place that no rule refuses, within limits."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from wikibot.ranking.candidates import Candidates
from wikibot.ranking.fallback import Fallback
from wikibot.ranking.features import Features
from wikibot.ranking.lessons import Study, candidates_of
from wikibot.ranking.names import (
    ANCHOR,
    BOLD_NAME,
    GIVEN,
    INFLECTED,
    POINTED,
    REDIRECT,
    SCATTERED,
    SIMILAR,
    STRIPPED,
    TITLE,
    without_brackets,
    words_of,
)
from wikibot.ranking.neighbours import common_words
from wikibot.ranking.prose import APOSTROPHE, DOT, HYPHEN, PUNCTUATION
from wikibot.ranking.ranker import Ranked, Ranker
from wikibot.ranking.reasons import Reason, linked_on, reason
from wikibot.ranking.rules import Options, Seen, allowed, first_allowed, within_limits
from wikibot.ranking.signs import read_signs
from wikibot.ranking.surface import spans_of
from wikibot.ranking.wiki import Bools, Floats, Longs, Wiki

_WORTH_PLACE = 0.5  # a place must be at least this good, beside the best place of its target


@dataclass(frozen=True, slots=True)
class Proposal:
    """A link to `target` on wikitext[start:end] of `page`, both numbers of pages of the wiki."""

    page: int
    target: int
    start: int
    end: int
    probability: float
    reasons: list[Reason]
    priority: float


def propose(
    studied: Study,
    ranker: Ranker | Fallback,
    pages: Bools,
    options: Options,
    *,
    targets: Bools | None = None,
    settled: Longs | None = None,
) -> list[Proposal]:
    """Proposals for the pages as they are, the most probable first.

    `targets` narrows what may be linked to; `settled` are codes (page, target) that people have
    decided and that do not come back.
    """
    hidden = np.zeros(len(studied.wiki.links), dtype=bool)
    rows, features = candidates_of(studied, hidden, pages)
    if not len(rows):
        return []
    pool = _ranked(rows, features, ranker)
    likely = pool.probability >= options.min_probability
    if targets is not None:
        likely &= targets[rows.target]
    if settled is not None:
        likely &= ~np.isin(rows.code, settled)
    pool = pool.chosen(likely)
    explain = _Explainer(studied, pool.rows, pool.features, isinstance(ranker, Fallback))
    need = missing_links(studied.wiki)
    return [
        _proposal(studied.wiki, pool, int(index), explain, need)
        for index in _places(studied, pool, hidden, options)
    ]


@dataclass(frozen=True, slots=True)
class _Pool:
    """Candidates with what the ranker said of them."""

    rows: Candidates
    features: Features
    probability: Floats
    rival: Floats
    is_good: Bools  # beside the best place of its target

    def chosen(self, which: Bools) -> _Pool:
        """Only these."""
        features = Features(self.features.names, self.features.values[which])
        return _Pool(
            self.rows.chosen(which),
            features,
            self.probability[which],
            self.rival[which],
            self.is_good[which],
        )


def _ranked(rows: Candidates, features: Features, ranker: Ranker | Fallback) -> _Pool:
    ranked = ranker.rank(rows, features)
    probability = _per_candidate(rows, ranked)
    return _Pool(
        rows, features, probability, _rivals(rows, probability), _good_places(rows, ranked)
    )


def _places(studied: Study, pool: _Pool, hidden: Bools, options: Options) -> Longs:
    """What the rules and limits leave, the most probable first."""
    wiki, rows = studied.wiki, pool.rows
    signs = read_signs(studied, rows, pool.probability, pool.rival, hidden)
    keep = allowed(Seen(signs, wiki, options, anchors_of(wiki, rows))) & pool.is_good
    keep = first_allowed(signs, keep & _whole_names(wiki, rows), options.scope)
    chosen = np.flatnonzero(_apart(rows, pool.probability, keep))
    chosen = chosen[within_limits(signs.chosen(chosen), np.diff(wiki.offsets), options)]
    return chosen[np.argsort(-pool.probability[chosen], kind="stable")]


def missing_links(wiki: Wiki) -> Floats:
    """Per page, from 0 to 1: which share of the links that are usual for its length it lacks."""
    words = np.diff(wiki.offsets)
    links = np.bincount(wiki.links.page, minlength=wiki.size)
    usual = words * (links.sum() / max(1, words.sum()))
    return np.asarray(np.clip(1 - links / np.maximum(usual, 1), 0, 1), dtype=np.float32)


def priority(probability: float, need: float) -> float:
    """The order of the queue: tenths of probability, within one tenths of need, then probability."""
    tenths, rest = divmod(min(probability, 0.9999) * 10, 1)
    return round((tenths + (math.floor(min(need, 0.99) * 10) + rest) / 10) / 10, 6)


def anchor_end(text: str, end: int, title: str) -> int:
    """Where an anchor that ends at `end` really ends: "H.E.R.B.I.E." has a full stop of its own."""
    has_stop = without_brackets(title).endswith(".") and text[end : end + 1] == "."
    return end + has_stop


def anchors_of(wiki: Wiki, rows: Candidates) -> tuple[str, ...]:
    """The words of each candidate as written."""
    places = zip(rows.first.tolist(), rows.length.tolist(), strict=True)
    return tuple(_written(wiki, first, length) for first, length in places)


_JOINTS = {HYPHEN: "-", APOSTROPHE: "'", DOT: ". ", PUNCTUATION: ", "}


def _written(wiki: Wiki, first: int, length: int) -> str:
    """A run of words, joined about as they are on the page."""
    words = wiki.spelling[first + 1 : first + length]
    gaps = wiki.gap[first + 1 : first + length].tolist()
    pieces = (_JOINTS.get(gap, " ") + word for gap, word in zip(gaps, words, strict=True))
    return wiki.spelling[first] + "".join(pieces)


def _per_candidate(rows: Candidates, ranked: Ranked) -> Floats:
    """The probability of each candidate's (page, target)."""
    codes = rows.code[ranked.row]
    return np.asarray(ranked.probability[np.searchsorted(codes, rows.code)])


def _rivals(rows: Candidates, probability: Floats) -> Floats:
    """The probability of the best other target of the same words."""
    spans = spans_of(rows)
    order = np.lexsort((-probability, spans))
    first = np.searchsorted(spans[order], np.arange(spans.max(initial=-1) + 1))
    second = np.zeros(len(first), dtype=np.float32)
    several = np.bincount(spans, minlength=len(first)) > 1
    second[several] = probability[order[first[several] + 1]]
    is_best = np.zeros(len(spans), dtype=bool)
    is_best[order[first]] = True
    return np.where(is_best, second[spans], probability[order[first]][spans])


def _whole_names(wiki: Wiki, rows: Candidates) -> Bools:
    """Of several names of a target at one place only the whole one.

    What is a name by itself comes before a form of one; an article before it and the ending of a
    possessive do not belong to it.
    """
    last = rows.first + rows.length - 1
    after = np.minimum(rows.first + 1, len(wiki.word) - 1)
    article = ~wiki.is_upper[rows.first] & wiki.is_upper[after] & (rows.length > 1)
    more = article | (wiki.gap[last] == APOSTROPHE)
    is_form = (rows.kind & (GIVEN | ANCHOR)) == 0
    taken: set[tuple[int, int]] = set()
    out = np.zeros(len(rows), dtype=bool)
    for index in np.lexsort((-rows.length, is_form, more, rows.code)).tolist():
        code, start = int(rows.code[index]), int(rows.first[index])
        words = {(code, word) for word in range(start, start + int(rows.length[index]))}
        out[index] = taken.isdisjoint(words)
        taken |= words
    return out


def _good_places(rows: Candidates, ranked: Ranked) -> Bools:
    codes, place = np.unique(rows.code, return_inverse=True)
    best = np.zeros(len(codes))
    np.maximum.at(best, place, ranked.score)
    return np.asarray(ranked.score >= _WORTH_PLACE * best[place])


def _apart(rows: Candidates, probability: Floats, keep: Bools) -> Bools:
    """No two places overlap: the longer name wins, then the more probable one."""
    chosen = np.flatnonzero(keep)
    order = chosen[np.lexsort((-probability[chosen], -rows.length[chosen]))]
    taken: set[int] = set()
    out = np.zeros(len(rows), dtype=bool)
    for index in order.tolist():
        words = range(int(rows.first[index]), int(rows.first[index] + rows.length[index]))
        if taken.isdisjoint(words):
            taken.update(words)
            out[index] = True
    return out


def _proposal(wiki: Wiki, pool: _Pool, index: int, explain: _Explainer, need: Floats) -> Proposal:
    rows, probability = pool.rows, float(pool.probability[index])
    first, last = int(rows.first[index]), int(rows.first[index] + rows.length[index]) - 1
    return Proposal(
        page=int(rows.page[index]),
        target=int(rows.target[index]),
        start=int(wiki.start[first]),
        end=int(wiki.end[last]),
        probability=probability,
        reasons=explain.reasons(index),
        priority=priority(probability, float(need[rows.page[index]])),
    )


class _Explainer:
    """Reasons for candidates, from what their features say."""

    def __init__(
        self, studied: Study, rows: Candidates, features: Features, is_fallback: bool
    ) -> None:
        self.studied, self.rows, self.features = studied, rows, features
        self.is_fallback = is_fallback
        self.common = common_words(studied.wiki)

    def reasons(self, index: int) -> list[Reason]:
        """Why this candidate: the name, the topics, the links of others."""
        found = [reason("few-links")] if self.is_fallback else []
        found += self._names(index)
        found += self._topics(index)
        if self._value("links_back", index) > 0:
            found.append(reason("links-back"))
        elif self._value("linked_together", index) > 0.2:
            found.append(reason("linked-together"))
        return found

    def _value(self, name: str, index: int) -> float:
        return float(self.features.column(name)[index])

    def _names(self, index: int) -> list[Reason]:
        rows, wiki = self.rows, self.studied.wiki
        first = int(rows.first[index])
        anchor = _written(wiki, first, int(rows.length[index]))
        links = int(rows.pair_links[index])
        if links:
            return [linked_on(anchor, links, max(int(rows.mentions[index]), links))]
        kind = int(rows.kind[index])
        if kind & (TITLE | STRIPPED):
            return [reason("is-title", anchor=anchor)]
        if kind & REDIRECT:
            return [reason("is-redirect", anchor=anchor)]
        if kind & BOLD_NAME:
            return [reason("is-bold-name", anchor=anchor)]
        if kind & (INFLECTED | SIMILAR):
            return [reason("is-form", anchor=anchor, title=wiki.titles[int(rows.target[index])])]
        if kind & SCATTERED:
            return [reason("is-scattered", title=wiki.titles[int(rows.target[index])])]
        return [reason("no-name", anchor=anchor)] if kind & POINTED else []

    def _topics(self, index: int) -> list[Reason]:
        topics = self.studied.topics
        if topics is None:
            return []
        first, length = int(self.rows.first[index]), int(self.rows.length[index])
        wiki, target = self.studied.wiki, int(self.rows.target[index])
        # That both pages speak of Liz says no more of Liz Allan than the name did.
        name = " ".join((wiki.titles[target], *wiki.spelling[first : first + length])).lower()
        avoid = self.common.union(words_of(name), name.split())  # CRTM's words keep hyphens
        words = topics.shared_words(wiki, first, target, avoid=avoid)
        return [reason("shared-topics", topics=words)] if words else []
