"""Runs of words that could be the anchor of a link to a target, and what is known of each.

A candidate holds one of the page's best words for the target, goes over no sentence's end and no other link, and may hold words that are
not in the vocabulary. Its columns come from the scores of its words, the letter case and punctuation at its borders, how other anchors
begin and end, the first words of the target's text, and its place on the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from crtm.borders import Bools, Borders, Codes, Longs, count_borders, mixed, run_keys
from crtm.corpus import Corpus, Document
from crtm.scoring import Lookup, looked_up
from crtm.tables import PHRASE_COLUMNS, document_phrases
from crtm.tokenize import (
    CAPITAL,
    CLOSING,
    CODE_BITS_OF_STEM,
    FIRST,
    HAS_LETTER,
    IN_LINK,
    JOINER,
    LINE_BREAK,
    LINK_BEGINS,
    OPENING,
    QUOTE,
    SPACE,
    STOP,
    TextWords,
)
from crtm.vectors import Floats

LEAD_WORDS = 12  # of the target's text that a span is compared with
HEADING_WORDS = 8  # most words of a line that looks like a heading
FARTHEST_LINK_WORDS = 50
AROUND_WORDS = 30  # on either side, in which links are counted
FAR_BELOW = -8.0  # score of a neighbour that is not there or not known, below the span's best word
STEM_SHIFT = np.uint64(32 - CODE_BITS_OF_STEM)

SCORE_COLUMNS = ("best", "weakest", "mean", "left_score", "right_score")
SIZE_COLUMNS = ("two", "three", "more", "unknown_share")
CASE_COLUMNS = (
    "first_capital", "last_capital", "all_capital", "capital_left", "capital_right", "both_left", "both_right",
    "first_common", "last_common", "first_number", "last_number", "left_common", "right_common",
)  # fmt: skip
EDGE_COLUMNS = (
    "opened", "quoted_before", "joined_before", "line_begins", "closed", "quoted_after", "joined_after", "stop_after", "line_ends",
    "enclosed", "inner_marks", "inner_joiners",
)  # fmt: skip
LEAD_COLUMNS = (
    "in_lead", "stems_in_lead", "run_in_lead", "begins_lead", "wider_left_in_lead", "wider_right_in_lead", "exact_in_lead",
    "inner_phrases", "phrase_left", "phrase_right",
)  # fmt: skip
BORDER_COLUMNS = (
    "begins",
    "ends",
    "inner_joins",
    "join_left",
    "join_right",
    "anchors",
    "is_anchor",
)
PLACE_COLUMNS = (
    "first_mention", "mentions_before", "place", "first_line", "line_words", "line_links", "line_link_share", "heading",
    "line_filled", "near_link", "list_of_links", "after_heading", "last_mention", "best_word_before", "links_around", "place_share",
)  # fmt: skip
COLUMNS = (
    *SCORE_COLUMNS, *SIZE_COLUMNS, *CASE_COLUMNS, *EDGE_COLUMNS, *LEAD_COLUMNS, *BORDER_COLUMNS, *PLACE_COLUMNS,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SpanFacts:
    """What a corpus tells about anchors: their borders, and the codes of the first words of each document (D, LEAD_WORDS)."""

    borders: Borders
    leads: npt.NDArray[np.uint32]


def span_facts(corpus: Corpus) -> SpanFacts:
    """Count the borders of a corpus's links, and read the first words of its texts."""
    borders = count_borders(corpus.text_words, corpus.text_offsets[:-1])
    return SpanFacts(borders, lead_codes(corpus))


def lead_codes(corpus: Corpus) -> npt.NDArray[np.uint32]:
    """Return the codes of each document's first words, 0 where it has fewer."""
    leads = np.zeros((len(corpus), LEAD_WORDS), dtype=np.uint32)
    for number in range(len(corpus)):
        own = corpus.words_of_text(number).codes[:LEAD_WORDS]
        leads[number, : len(own)] = own
    return leads


@dataclass(frozen=True, slots=True)
class Candidates:
    """Runs of a text's words: from word ``first`` to word ``last``, not included."""

    first: Longs
    last: Longs

    @property
    def sizes(self) -> Longs:
        """How many words each has."""
        return self.last - self.first


class SpanPage:
    """A document as runs of words, for one target: links to that target count as plain text."""

    def __init__(self, document: Document, target: int) -> None:
        own = _links_to(document, target)
        cleared = np.uint8(255 - IN_LINK - LINK_BEGINS)
        looks = np.where(own, document.text_words.looks & cleared, document.text_words.looks)
        self.own_looks = np.where(
            own, document.text_words.looks, document.text_words.looks & cleared
        )
        self.document = document
        self.words: TextWords = document.text_words._replace(looks=looks)
        self.codes: Codes = self.words.codes.astype(np.uint64)
        self.inside: Bools = (looks & IN_LINK) > 0
        self.before = self.words.edges & 15
        self.after = self.words.edges >> 4
        breaks = ((looks & FIRST) > 0) | (self.before == LINE_BREAK)
        breaks[:1] = True
        self.breaks: Bools = breaks

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def token_of_word(self) -> Longs:
        """The number of the known word, or -1."""
        place = np.full(len(self), -1, dtype=np.int64)
        if len(self.document):
            at = np.searchsorted(self.words.starts, self.document.starts)
            place[at] = np.arange(len(at))
        return place

    @cached_property
    def lines(self) -> Longs:
        """The number of the line of each word."""
        starts = self.before == LINE_BREAK
        starts[:1] = True
        return np.cumsum(starts) - 1

    def own_borders(self) -> Borders:
        """Return what the links to the target add to the counts of borders."""
        return count_borders(self.words._replace(looks=self.own_looks), np.zeros(1, dtype=np.int64))

    def candidates(self, cores: Longs, longest: int) -> Candidates:
        """Return the runs of up to ``longest`` words around the given words."""
        sizes = np.concatenate([np.full(n, n) for n in range(1, longest + 1)])
        shifts = np.concatenate([np.arange(n) for n in range(1, longest + 1)])
        first = (cores[:, None] - shifts).ravel()
        last = first + np.tile(sizes, len(cores))
        first, last = (
            first[(first >= 0) & (last <= len(self))],
            last[(first >= 0) & (last <= len(self))],
        )
        runs = np.unique(np.stack([first, last], axis=1), axis=0)
        first, last = runs[:, 0], runs[:, 1]
        blocked = np.concatenate([[0], np.cumsum(self.inside)])
        part = np.cumsum(self.breaks)
        fits = (part[first] == part[last - 1]) & (blocked[first] == blocked[last])
        return Candidates(first[fits], last[fits])


def _links_to(document: Document, target: int) -> Bools:
    """Tell for each word of the text whether it stands in a link to the target."""
    words = document.text_words
    inside = (words.looks & IN_LINK) > 0
    if target < 0 or not (document.linked == target).any():
        return np.zeros(len(inside), dtype=bool)
    number = np.cumsum((words.looks & LINK_BEGINS) > 0)
    at = np.searchsorted(words.starts, document.starts[document.linked == target])
    result: Bools = inside & np.isin(number, number[at])
    return result


def occurrences_before(keys: Codes) -> Longs:
    """Return for each key how often it stands before.

    >>> occurrences_before(np.array([7, 8, 7, 7], dtype=np.uint64)).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    rank = np.arange(len(keys)) - np.searchsorted(ordered, ordered, side="left")
    out = np.empty(len(keys), dtype=np.int64)
    out[order] = rank
    return out


class RepeatedRuns:
    """How often the runs of a text occur in it, counted once for all targets."""

    def __init__(self, document: Document) -> None:
        self._codes: Codes = document.text_words.codes.astype(np.uint64)
        self._known: dict[int, tuple[Longs, Longs]] = {}

    def mentions(self, size: int) -> tuple[Longs, Longs]:
        """Return for the run of so many words that begins at each word how often it stands before, and after."""
        if size not in self._known:
            begins = np.arange(len(self._codes) - size + 1)
            keys = run_keys(self._codes, begins, np.full(len(begins), size))
            before = occurrences_before(keys)
            _, place, count = np.unique(keys, return_inverse=True, return_counts=True)
            self._known[size] = before, count[place] - 1 - before
        return self._known[size]


@dataclass(frozen=True)
class SpanReader:
    """The columns of a page's candidates for one target; ``scores`` are those of its known words.

    With ``own`` left out of the counts, links to the target do not count as evidence for themselves.
    """

    page: SpanPage
    facts: SpanFacts
    phrases: Lookup
    target: int
    scores: Floats
    text: RepeatedRuns
    own: Borders | None = None

    @cached_property
    def word_scores(self) -> Floats:
        """The score of each word of the text; not a number for those that are not known."""
        out = np.full(len(self.page), np.nan)
        known = self.page.token_of_word >= 0
        out[known] = self.scores[self.page.token_of_word[known]]
        return out

    def cores(self, most: int) -> Longs:
        """Return the best known words, by their numbers among all words."""
        known = np.flatnonzero((self.page.token_of_word >= 0) & ~self.page.inside)
        best = known[np.argsort(-self.word_scores[known], kind="stable")[:most]]
        return np.sort(best)

    def columns(self, runs: Candidates) -> Floats:
        """Return (candidates, COLUMNS)."""
        parts = (
            self._scores(runs), self._sizes(runs), self._case(runs), self._edges(runs), self._leads(runs), self._phrases(runs),
            self._borders(runs), self._places(runs),
        )  # fmt: skip
        columns: Floats = np.concatenate(parts, axis=1).astype(np.float32)
        return columns

    def _inner(self, runs: Candidates) -> tuple[Longs, Bools]:
        """Return the numbers of each run's words (candidates, longest), and which of them are real."""
        steps = np.arange(int(runs.sizes.max(initial=1)))
        real = steps < runs.sizes[:, None]
        return np.where(real, runs.first[:, None] + steps, runs.first[:, None]), real

    def _sides(self, runs: Candidates) -> tuple[Longs, Bools, Longs, Bools]:
        """Return the words before and after each run, and whether they belong to the same sentence."""
        page = self.page
        left, right = np.maximum(runs.first - 1, 0), np.minimum(runs.last, len(page) - 1)
        has_left = (runs.first > 0) & ~page.breaks[runs.first]
        has_right = (runs.last < len(page)) & ~page.breaks[right]
        return left, has_left, right, has_right

    def _scores(self, runs: Candidates) -> Floats:
        at, real = self._inner(runs)
        values = np.where(real, self.word_scores[at], np.nan)
        known = ~np.isnan(values)
        best = np.where(known, values, -np.inf).max(axis=1)
        weakest = np.where(known, values, np.inf).min(axis=1) - best
        mean = np.where(known, values, 0).sum(axis=1) / known.sum(axis=1) - best
        left, has_left, right, has_right = self._sides(runs)
        near = [
            np.clip(np.nan_to_num(np.where(has, self.word_scores[side], np.nan) - best, nan=FAR_BELOW), FAR_BELOW, 2)
            for side, has in ((left, has_left), (right, has_right))
        ]  # fmt: skip
        return np.stack(
            [best, np.maximum(weakest, 2 * FAR_BELOW), np.maximum(mean, 2 * FAR_BELOW), *near],
            axis=1,
        )

    def _sizes(self, runs: Candidates) -> Floats:
        at, real = self._inner(runs)
        unknown = (self.page.token_of_word[at] < 0) & real
        size = runs.sizes
        return np.stack([size == 2, size == 3, size > 3, unknown.sum(axis=1) / size], axis=1)

    def _case(self, runs: Candidates) -> Floats:
        page, looks = self.page, self.page.words.looks
        at, real = self._inner(runs)
        capital, letter = (looks & CAPITAL) > 0, (looks & HAS_LETTER) > 0
        common = (page.token_of_word < 0) & letter & ~capital
        first, last = runs.first, runs.last - 1
        left, has_left, right, has_right = self._sides(runs)
        near_left = has_left & (page.before[first] == SPACE) & (page.after[left] == SPACE)
        near_right = has_right & (page.after[last] == SPACE) & (page.before[right] == SPACE)
        capital_left = near_left & capital[left] & ((looks[left] & FIRST) == 0)
        capital_right = near_right & capital[right]
        return np.stack([
            capital[first], capital[last], (capital[at] | ~real).all(axis=1), capital_left, capital_right,
            capital_left & capital[first], capital_right & capital[last],
            common[first], common[last], ~letter[first], ~letter[last], near_left & common[left], near_right & common[right],
        ], axis=1)  # fmt: skip

    def _edges(self, runs: Candidates) -> Floats:
        page = self.page
        before, after = page.before[runs.first], page.after[runs.last - 1]
        at, real = self._inner(runs)
        real[:, 0] = False
        gap = np.maximum(np.where(page.before == SPACE, 0, page.before), np.where(page.before != SPACE, 0, np.roll(page.after, 1)))  # fmt: skip
        joiner, mark = (gap == JOINER), (gap != SPACE) & (gap != JOINER)
        opened, closed = before == OPENING, after == CLOSING
        quoted = (before == QUOTE, after == QUOTE)
        return np.stack([
            opened, quoted[0], before == JOINER, before == LINE_BREAK, closed, quoted[1], after == JOINER, after == STOP,
            after == LINE_BREAK, (opened & closed) | (quoted[0] & quoted[1]),
            (mark[at] & real).sum(axis=1), (joiner[at] & real).sum(axis=1),
        ], axis=1)  # fmt: skip

    def _leads(self, runs: Candidates) -> Floats:
        lead = self.facts.leads[self.target].astype(np.uint64)
        lead = lead[lead > 0]
        if not len(lead):
            return np.zeros((len(runs.first), 7))
        at, real = self._inner(runs)
        codes = self.page.codes
        same = codes[:, None] == lead  # (words, LEAD_WORDS)
        alike = (codes[:, None] >> STEM_SHIFT) == (lead >> STEM_SHIFT)
        size = runs.sizes
        follows = self._runs_at(alike, at, real)
        exact = self._runs_at(same, at, real)
        left, has_left, right, has_right = self._sides(runs)
        wider_left = follows[:, 1:] & alike[left][:, :-1] & has_left[:, None]
        ahead = np.zeros_like(follows)
        for length in np.unique(size):
            rows = size == length
            ahead[rows, : max(0, len(lead) - length)] = alike[right[rows]][:, length:]
        wider_right = follows & ahead & has_right[:, None]
        return np.stack([
            (same[at].any(axis=2) & real).sum(axis=1) / size, (alike[at].any(axis=2) & real).sum(axis=1) / size,
            follows.any(axis=1), follows[:, 0], wider_left.any(axis=1), wider_right.any(axis=1), exact.any(axis=1),
        ], axis=1)  # fmt: skip

    @staticmethod
    def _runs_at(matches: Bools, at: Longs, real: Bools) -> Bools:
        """Return (candidates, LEAD_WORDS): whether the run stands in the lead from that word on."""
        found = np.ones((len(at), matches.shape[1]), dtype=bool)
        for step in range(at.shape[1]):
            here = np.zeros_like(found)
            here[:, : max(0, matches.shape[1] - step)] = matches[at[:, step]][:, step:]
            found &= here | ~real[:, step : step + 1]
        return found

    def _phrases(self, runs: Candidates) -> Floats:
        page, document = self.page, self.page.document
        phrases = document_phrases(document)
        targets = np.array([self.target], dtype=np.int32)
        known = looked_up(self.phrases, np.maximum(phrases, 0), targets, PHRASE_COLUMNS)[:, 0]
        begun = np.zeros(len(page), dtype=bool)
        is_known = page.token_of_word >= 0
        begun[is_known] = ((known != 0) & (phrases >= 0))[page.token_of_word[is_known]]
        at, real = self._inner(runs)
        real = real & (at < runs.last[:, None] - 1)
        left, has_left, _, has_right = self._sides(runs)
        inner = (begun[at] & real).sum(axis=1) / np.maximum(1, runs.sizes - 1)
        return np.stack([inner, begun[left] & has_left, begun[runs.last - 1] & has_right], axis=1)

    def _borders(self, runs: Candidates) -> Floats:
        codes, borders = self.page.codes, self.facts.borders

        def counted(name: str, keys: Codes) -> Floats:
            found: Floats = getattr(borders, name).at(keys)
            if self.own is not None:
                found = np.maximum(found - getattr(self.own, name).at(keys), 0)
            return found

        first, last = counted("words", codes[runs.first]), counted("words", codes[runs.last - 1])
        pair_keys = np.zeros(len(codes), dtype=np.uint64)  # of a word and the one before it
        pair_keys[1:] = mixed(codes[:-1], codes[1:])
        pairs = counted("pairs", pair_keys)
        joins = np.log((pairs[:, 0] + 0.25) / (pairs[:, 1] + 0.25))
        at, real = self._inner(runs)
        real[:, 0] = False
        inner = np.where(real, joins[at], 0)
        _, has_left, right, has_right = self._sides(runs)
        anchors = counted("anchors", run_keys(codes, runs.first, runs.sizes))[:, 0]
        return np.stack([
            np.log((first[:, 1] + 0.5) / (first[:, 0] - first[:, 1] + 0.5)),
            np.log((last[:, 2] + 0.5) / (last[:, 0] - last[:, 2] + 0.5)),
            inner.sum(axis=1), np.where(has_left, joins[runs.first], 0), np.where(has_right, joins[right], 0),
            np.log1p(anchors), anchors > 0,
        ], axis=1)  # fmt: skip

    def _places(self, runs: Candidates) -> Floats:
        page, words = self.page, self.page.words
        before, after = self._mentions(runs)
        line = page.lines[runs.first]
        line_begins = np.flatnonzero(np.diff(page.lines, prepend=-1))
        line_ends = np.append(line_begins[1:], len(page))
        line_words = line_ends - line_begins
        begun = (words.looks & LINK_BEGINS) > 0
        links = np.add.reduceat(begun.astype(np.int64), line_begins)
        linked = np.add.reduceat(page.inside.astype(np.int64), line_begins)
        heading = (line_words <= HEADING_WORDS) & (links == 0) & (page.after[line_ends - 1] != STOP)
        link_first = page.inside[line_begins]
        beside = np.roll(link_first, 1) * 1.0 + np.roll(link_first, -1)
        at_line_start = runs.first == line_begins[line]
        return np.stack([
            before == 0, np.log1p(before), np.log1p(runs.first), line == 0, np.log(line_words)[line], np.log1p(links)[line],
            (linked / line_words)[line], heading[line], runs.sizes / line_words[line], np.log1p(self._link_distance()[runs.first]),
            at_line_start * beside[line], np.roll(heading, 1)[line] & (line > 0), after == 0,
            np.log1p(self._best_word_before(runs)), np.log1p(self._links_around(begun, runs)), runs.first / len(page),
        ], axis=1)  # fmt: skip

    def _best_word_before(self, runs: Candidates) -> Longs:
        """Return how often the best word of each run stands in the text before it."""
        at, real = self._inner(runs)
        values = np.where(real, np.nan_to_num(self.word_scores, nan=-np.inf)[at], -np.inf)
        best = at[np.arange(len(at)), values.argmax(axis=1)]
        before: Longs = self.text.mentions(1)[0][best]
        return before

    @staticmethod
    def _links_around(begun: Bools, runs: Candidates) -> Longs:
        """Return how many links begin near each run."""
        until = np.concatenate([[0], np.cumsum(begun)])
        low = np.maximum(runs.first - AROUND_WORDS, 0)
        high = np.minimum(runs.last + AROUND_WORDS, len(begun))
        counts: Longs = until[high] - until[low]
        return counts

    def _mentions(self, runs: Candidates) -> tuple[Longs, Longs]:
        """Return how often the words of each run stand in the text before it, and after it."""
        before, after = np.zeros((2, len(runs.first)), dtype=np.int64)
        for size in np.unique(runs.sizes).tolist():
            rows = np.flatnonzero(runs.sizes == size)
            earlier, later = self.text.mentions(size)
            before[rows], after[rows] = earlier[runs.first[rows]], later[runs.first[rows]]
        return before, after

    def _link_distance(self) -> Floats:
        """Return for each word how many words away the nearest word in a link is."""
        places = np.flatnonzero(self.page.inside)
        if not len(places):
            return np.full(len(self.page), float(FARTHEST_LINK_WORDS))
        here = np.arange(len(self.page))
        next_one = np.minimum(np.searchsorted(places, here), len(places) - 1)
        apart = np.minimum(
            np.abs(places[next_one] - here), np.abs(here - places[np.maximum(next_one - 1, 0)])
        )
        distance: Floats = np.minimum(apart, FARTHEST_LINK_WORDS)
        return distance
