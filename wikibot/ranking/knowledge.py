"""What the known links teach: who links what by which name, and how often a name stays unlinked.

Everything is counted in pages, and every count can be had without a page's own part in it: a page
whose links are to be found must not have told them beforehand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse

from wikibot.ranking.mentions import Mentions
from wikibot.ranking.names import ANCHOR, GIVEN, INFLECTED, LONGEST, Names
from wikibot.ranking.wiki import Bools, Floats, Longs, Wiki

DENSE = 4000  # pages up to which a square of them is kept as a plain array
Matrix = Any  # a sparse matrix, or a plain array where the wiki is small


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Counts over the pages whose links are known, and page vectors for comparing pages."""

    known: Bools  # pages whose links are known
    mentions: Longs  # per name: pages that mention it
    links: Longs  # per name: pages that link it, to whatever page
    pair_links: Longs  # per (name, target): pages that link it there
    target_mentions: Longs  # per target: pages that mention it by any name
    target_links: Longs  # per target: pages that link it in prose
    own_links: Longs  # codes (page, name), sorted
    own_pair_links: Longs  # codes (page, pair), sorted
    own_target_mentions: Longs  # codes (page, target), sorted
    own_target_links: Longs
    graph: sparse.csr_matrix  # page -> target, wherever the link stands
    inverse: sparse.csr_matrix
    shared: Matrix  # how many pages link both of two targets
    in_degree: Floats
    out_degree: Floats
    words: sparse.csr_matrix  # tf-idf, rows of length one
    categories: sparse.csr_matrix
    templates: sparse.csr_matrix
    named: sparse.csr_matrix  # how often a page mentions another by title or redirect
    chapter_mentions: sparse.csr_matrix  # (page, heading): names mentioned there
    chapter_links: sparse.csr_matrix  # and links


def member(codes: Longs, among: Longs) -> Bools:
    """Which codes are among the sorted ones."""
    if not len(among):
        return np.zeros(len(codes), dtype=bool)
    at = np.minimum(np.searchsorted(among, codes), len(among) - 1)
    return np.asarray(among[at] == codes)


def expand(mentions: Mentions, names: Names) -> tuple[Longs, Longs]:
    """(mention, pair): every mention once for each page its name may mean."""
    count = names.first[mentions.name + 1] - names.first[mentions.name]
    mention = np.repeat(np.arange(len(mentions)), count)
    start = np.repeat(names.first[mentions.name] - (np.cumsum(count) - count), count)
    return mention, start + np.arange(len(mention))


def learn(wiki: Wiki, names: Names, mentions: Mentions, known: Bools) -> Knowledge:
    """What the links of the `known` pages teach."""
    pages = wiki.page[mentions.first]
    seen = known[pages]
    named = np.unique(pages[seen] * len(names) + mentions.name[seen])
    own_links, own_pair_links = _link_codes(wiki, names, known)
    target_mentions, target_links = _target_codes(wiki, names, mentions, known)
    graph = _graph(wiki, known)
    return Knowledge(
        known=known,
        mentions=np.bincount(named % max(1, len(names)), minlength=len(names)),
        links=np.bincount(own_links % max(1, len(names)), minlength=len(names)),
        pair_links=np.bincount(own_pair_links % max(1, len(names.name)), minlength=len(names.name)),
        target_mentions=np.bincount(target_mentions % wiki.size, minlength=wiki.size),
        target_links=np.bincount(target_links % wiki.size, minlength=wiki.size),
        own_links=own_links,
        own_pair_links=own_pair_links,
        own_target_mentions=target_mentions,
        own_target_links=target_links,
        graph=graph,
        inverse=graph.T.tocsr(),
        shared=_square(graph.T.tocsr() @ graph),
        in_degree=np.asarray(graph.sum(axis=0), dtype=np.float32).ravel(),
        out_degree=np.asarray(graph.sum(axis=1), dtype=np.float32).ravel(),
        words=_word_vectors(wiki),
        categories=_label_vectors(wiki, lambda number: wiki.pages[number].categories),
        templates=_label_vectors(wiki, lambda number: wiki.pages[number].templates),
        named=_named(wiki, names, mentions),
        chapter_mentions=_by_chapter(wiki, mentions.first, known),
        chapter_links=_by_chapter(wiki, wiki.links.first[wiki.links.target >= 0], known),
    )


def _link_codes(wiki: Wiki, names: Names, known: Bools) -> tuple[Longs, Longs]:
    """Codes (page, name) and (page, pair) of the links of known pages whose anchor is a name."""
    pair_of = {
        key: index
        for index, key in enumerate(zip(names.name.tolist(), names.target.tolist(), strict=True))
    }
    by_name, by_pair = set(), set()
    links = wiki.links
    for index in np.flatnonzero(known[links.page]).tolist():
        first, last = int(links.first[index]), int(links.last[index])
        name = names.number.get(tuple(wiki.word[first:last].tolist()), -1)
        if last - first > LONGEST or name < 0:
            continue
        page = int(links.page[index])
        by_name.add(page * len(names) + name)
        pair = pair_of.get((name, int(links.target[index])), -1)
        if pair >= 0:
            by_pair.add(page * len(names.name) + pair)
    return _sorted(by_name), _sorted(by_pair)


def _target_codes(
    wiki: Wiki, names: Names, mentions: Mentions, known: Bools
) -> tuple[Longs, Longs]:
    """Codes (page, target) of known pages that mention a target, and of those that link it."""
    linked = wiki.linked_pairs()
    linked = linked[known[linked // wiki.size]] if len(linked) else linked
    mention, pair = expand(mentions, names)
    pages = wiki.page[mentions.first[mention]]
    fit = known[pages] & ((names.kind[pair] & (GIVEN | ANCHOR | INFLECTED)) > 0)
    mentioned = np.unique(wiki.code(pages[fit], names.target[pair[fit]]))
    return np.union1d(mentioned, linked), linked


def _square(matrix: sparse.csr_matrix) -> Matrix:
    return matrix.toarray() if matrix.shape[0] <= DENSE else matrix.tocsr()


def block(matrix: Matrix, rows: Longs, columns: Longs) -> Floats:
    """The rows and columns of a square as a plain array."""
    if isinstance(matrix, np.ndarray):
        return np.asarray(matrix[np.ix_(rows, columns)])
    return np.asarray(matrix[rows][:, columns].toarray())


def _graph(wiki: Wiki, known: Bools) -> sparse.csr_matrix:
    codes = np.union1d(wiki.linked_pairs(), wiki.elsewhere)
    source, target = codes // max(1, wiki.size), codes % max(1, wiki.size)
    keep = known[source] if len(codes) else np.zeros(0, dtype=bool)
    ones = np.ones(int(keep.sum()), dtype=np.float32)
    return sparse.csr_matrix((ones, (source[keep], target[keep])), shape=(wiki.size, wiki.size))


def _word_vectors(wiki: Wiki) -> sparse.csr_matrix:
    ones = np.ones(len(wiki.word), dtype=np.float32)
    shape = (wiki.size, max(1, len(wiki.vocabulary)))
    counts = sparse.csr_matrix((ones, (wiki.page, wiki.word)), shape=shape)
    counts.sum_duplicates()
    documents = np.bincount(counts.indices, minlength=shape[1])
    idf = np.where(documents > 1, np.log(wiki.size / np.maximum(documents, 1)), 0)
    counts.data = (1 + np.log(counts.data)) * idf[counts.indices]
    length = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
    return (sparse.diags(1 / np.maximum(length, 1e-9)) @ counts).tocsr().astype(np.float32)


def _label_vectors(wiki: Wiki, labels: Callable[[int], Iterable[str]]) -> sparse.csr_matrix:
    """Rows whose product tells how much two pages share, rare labels more than common ones."""
    number: dict[str, int] = {}
    rows, columns = [], []
    for page in range(wiki.size):
        for label in sorted(set(labels(page))):
            rows.append(page)
            columns.append(number.setdefault(label, len(number)))
    count = np.bincount(columns, minlength=len(number)) if columns else np.zeros(1)
    weight = np.where(count > 1, np.sqrt(np.log(max(wiki.size, 2) / np.maximum(count, 1))), 0)
    values = weight[columns].astype(np.float32) if columns else np.zeros(0, dtype=np.float32)
    return sparse.csr_matrix((values, (rows, columns)), shape=(wiki.size, max(1, len(number))))


def _named(wiki: Wiki, names: Names, mentions: Mentions) -> sparse.csr_matrix:
    mention, pair = expand(mentions, names)
    fit = (names.kind[pair] & (GIVEN & ~8)) > 0
    pages, targets = wiki.page[mentions.first[mention[fit]]], names.target[pair[fit]]
    ones = np.ones(len(pages), dtype=np.float32)
    return sparse.csr_matrix((ones, (pages, targets)), shape=(wiki.size, wiki.size))


def _by_chapter(wiki: Wiki, places: Longs, known: Bools) -> sparse.csr_matrix:
    """How many of the places are in each chapter (page, heading) of the known pages."""
    places = places[known[wiki.page[places]]]
    ones = np.ones(len(places), dtype=np.float32)
    shape = (wiki.size, int(wiki.heading.max(initial=0)) + 1)
    return sparse.csr_matrix((ones, (wiki.page[places], wiki.heading[places])), shape=shape)


def _sorted(codes: set[int]) -> Longs:
    return np.array(sorted(codes), dtype=np.int64)
