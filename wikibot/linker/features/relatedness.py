"""How a page and a target are related, by the links of other pages, by their texts and categories."""

from __future__ import annotations

import threading

import numpy as np

from wikibot.linker.candidates import Candidates, member
from wikibot.linker.counts import PageCounts, link_targets
from wikibot.linker.features.names import Columns
from wikibot.linker.knowledge import Knowledge, Rows, lookup, word_vector
from wikibot.linker.names import STRIPPED, TITLE, names_in_text
from wikibot.linker.page import UPPER, Floats, Ints, Longs, Page, word_keys

UNKNOWN = -1  # where a page's links are not known
SURE = 0.1  # less likely targets do not count as a page's context
MOST_CONTEXT = 60  # targets that others are compared with
LOWER_CASE_WEIGHT = 0.6  # of a name in lower case, as context


def columns(
    page: Page, number: int, rows: Candidates, knowledge: Knowledge, own: PageCounts | None
) -> Columns:
    """One value per target; the same for all its mentions on the page."""
    starts = np.flatnonzero(np.diff(rows.group, prepend=-1))
    target = rows.target[starts]
    found = _pairs(page, number, target, knowledge, own) | _boxes(page, target, knowledge)
    return {name: value[rows.group] for name, value in found.items()}


def _pairs(
    page: Page, number: int, target: Longs, knowledge: Knowledge, own: PageCounts | None
) -> Columns:
    texts = knowledge.texts
    in_degree = knowledge.in_degree[target] - (member(target, own.graph) if own else 0)
    counted = knowledge.counts.pages[target] > 0
    column, weight = word_vector(page, texts.vocabulary, texts.idf)
    labels, there = lookup(texts.category_keys, np.unique(word_keys(page.categories)))
    labels = labels[there]
    back, named = (_entry(rows, target, number) for rows in (_links(knowledge), texts.named))
    return {
        "popularity": np.log1p(in_degree),
        "links_back": np.where(counted, back > 0, UNKNOWN),
        "named_back": np.log1p(named),
        "text_similarity": _products(texts.words, target, column, weight, len(texts.vocabulary)),
        "shared_categories": _products(
            texts.categories, target, labels, texts.category_idf[labels], len(texts.category_keys)
        ),
        "linked_together": _linked_together(number, target, in_degree, knowledge),
        "target_words": np.log1p(texts.length[target]),
    }


def _products(rows: Rows, target: Longs, column: Longs | Ints, weight: Floats, size: int) -> Floats:
    """The inner products of rows with one vector."""
    dense = _scratch.zeros(size)
    dense[column] = weight
    index, columns_, values = rows.gather(target)
    found = np.bincount(index, weights=values * dense[columns_], minlength=len(target))
    dense[column] = 0
    return found.astype(np.float32)


class _Scratch(threading.local):
    """Zeros that each thread uses again: a wiki has very many words, a page has few of them."""

    def __init__(self) -> None:
        self._values = np.zeros(0, dtype=np.float32)

    def zeros(self, size: int) -> Floats:
        """At least so many zeros; who changes some sets them back."""
        if len(self._values) < size:
            self._values = np.zeros(size, dtype=np.float32)
        return self._values


_scratch = _Scratch()


def _links(knowledge: Knowledge) -> Rows:
    """The links of pages as rows."""
    graph = knowledge.counts.graph
    return Rows(graph.indptr, graph.indices, graph.data)


def _entry(rows: Rows, target: Longs, number: int) -> Floats:
    """The entries of rows in one column, 0 where there is none."""
    if number < 0:
        return np.zeros(len(target), dtype=np.float32)
    first, last = rows.first[target], rows.first[target + 1]
    out = np.zeros(len(target), dtype=np.float32)
    for i, (a, b) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
        at = a + int(np.searchsorted(rows.column[a:b], number))
        if at < b and rows.column[at] == number:
            out[i] = rows.value[at]
    return out


def _linked_together(number: int, target: Longs, in_degree: Longs, knowledge: Knowledge) -> Floats:
    """How many pages link both, for the root of how many link either (a cosine)."""
    if number < 0:
        return np.zeros(len(target), dtype=np.float32)
    here = np.zeros(knowledge.size, dtype=np.float32)
    here[knowledge.in_links[number][0]] = 1
    index, column, _ = knowledge.in_links.gather(target)
    shared = np.bincount(index, weights=here[column], minlength=len(target))
    shared = shared / np.minimum(knowledge.sample[target], knowledge.sample[number])
    norm = np.sqrt(max(1, int(knowledge.in_degree[number])) * np.maximum(1, in_degree))
    return np.asarray(shared / norm, dtype=np.float32)


def _boxes(page: Page, target: Longs, knowledge: Knowledge) -> Columns:
    """Whether the page's boxes name the target, and where outside the prose it is linked."""
    names = knowledge.names
    _, pair = names.pairs_of(names_in_text(page.box, names))
    titled = pair[(names.kind[pair] & (TITLE | STRIPPED)) > 0]
    number = knowledge.titles.number
    boxes, lists = (
        np.unique(np.array([number.get(title, -1) for title in titles], dtype=np.int64))
        for titles in (page.box_links, page.list_links)
    )
    return {
        "in_box": member(target, np.unique(names.target[titled]).astype(np.int64)),
        "box_link": member(target, boxes),
        "list_link": member(target, lists),
    }


def coherence_columns(
    page: Page, rows: Candidates, knowledge: Knowledge, own: PageCounts | None
) -> Columns:
    """How well a target fits the others that the page links or very likely means."""
    starts = np.flatnonzero(np.diff(rows.group, prepend=-1))
    target = rows.target[starts]
    prior = np.zeros(len(target), dtype=np.float32)
    is_lower = (page.column("flags")[rows.first] & UPPER) == 0
    np.maximum.at(prior, rows.group, rows.share * np.where(is_lower, LOWER_CASE_WEIGHT, 1))
    linked = np.unique(link_targets(page, knowledge.titles))
    linked = linked[linked >= 0]
    likely = np.flatnonzero(prior >= SURE)
    likely = likely[np.argsort(-prior[likely], kind="stable")][:MOST_CONTEXT]
    linked = linked[:MOST_CONTEXT]
    context = np.concatenate([target[likely], linked])
    weight = np.concatenate([prior[likely], np.ones(len(linked), dtype=np.float32)])
    found = _coherence(target, context, weight.astype(np.float32), knowledge, own)
    found["candidates_here"] = np.full(len(target), np.log1p(len(target)), dtype=np.float32)
    return {name: value[rows.group] for name, value in found.items()}


_COHERENCE = ("coherence", "closest", "links_context", "linked_by_context", "context_size")


def _coherence(
    target: Longs, context: Longs, weight: Floats, knowledge: Knowledge, own: PageCounts | None
) -> Columns:
    if not len(context):
        return {name: np.zeros(len(target), dtype=np.float32) for name in _COHERENCE}
    weights = np.where(target[:, None] == context, 0, weight)
    total = weights.sum(axis=1)
    related = relatedness(target, context, knowledge, own) * weights
    outgoing = _links_between(target, context, knowledge) * weights
    incoming = _links_between(context, target, knowledge).T * weights
    out_degree = np.sqrt(np.maximum(1, knowledge.out_degree[target]))
    counted = knowledge.counts.pages[target] > 0
    return {
        "coherence": related.sum(axis=1) / (total + 0.3),
        "closest": related.max(axis=1),
        "links_context": np.where(counted, outgoing.sum(axis=1) / out_degree, UNKNOWN),
        "linked_by_context": incoming.sum(axis=1) / (total + 0.3),
        "context_size": np.log1p(total),
    }


def _links_between(sources: Longs, targets: Longs, knowledge: Knowledge) -> Floats:
    """(source, target): is there a link?"""
    graph = knowledge.counts.graph
    known, column = np.unique(targets, return_inverse=True)
    count = graph.indptr[sources + 1] - graph.indptr[sources]
    index = np.repeat(np.arange(len(sources)), count)
    at = np.arange(len(index)) + np.repeat(
        graph.indptr[sources] - (np.cumsum(count) - count), count
    )
    links = graph.indices[at]
    place = np.minimum(np.searchsorted(known, links), len(known) - 1)
    hit = known[place] == links
    out = np.zeros((len(sources), len(known)), dtype=np.float32)
    out[index[hit], place[hit]] = 1
    return out[:, column]


def relatedness(
    target: Longs, context: Longs, knowledge: Knowledge, own: PageCounts | None
) -> Floats:
    """Milne and Witten's measure, without what this page's own links add to it."""
    shared = _shared(target, context, knowledge)
    ours, theirs = knowledge.in_degree[target], knowledge.in_degree[context]
    if own is not None:
        mine, its = member(target, own.graph), member(context, own.graph)
        shared = shared - np.outer(mine, its)
        ours, theirs = ours - mine, theirs - its
    most = np.log(np.maximum(np.maximum(ours[:, None], theirs), 1))
    least = np.log(np.maximum(np.minimum(ours[:, None], theirs), 1))
    common = np.log(np.maximum(shared, 1))
    score = 1 - (most - common) / np.maximum(np.log(knowledge.size) - least, 1e-3)
    return np.where((shared > 0.5) & (score > 0), score, 0).astype(np.float32)


def _shared(target: Longs, context: Longs, knowledge: Knowledge) -> Floats:
    """(target, context): how many pages link both."""
    index, source, _ = knowledge.in_links.gather(context)
    sources, place = np.unique(source, return_inverse=True)
    if not len(sources):
        return np.zeros((len(target), len(context)), dtype=np.float32)
    right = np.zeros((len(context), len(sources)), dtype=np.float32)
    right[index, place] = 1
    index, source, _ = knowledge.in_links.gather(target)
    at = np.minimum(np.searchsorted(sources, source), len(sources) - 1)
    hit = sources[at] == source
    left = np.zeros((len(target), len(sources)), dtype=np.float32)
    left[index[hit], at[hit]] = 1
    sample = np.minimum.outer(knowledge.sample[target], knowledge.sample[context])
    return np.asarray((left @ right.T) / sample)
