"""How a page and a target are related, by the links of other pages, by their texts and labels."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sparse

from wikibot.ranking.candidates import Candidates
from wikibot.ranking.knowledge import DENSE, Knowledge, Matrix, block, member
from wikibot.ranking.surface import Columns, in_box_columns, link_share
from wikibot.ranking.wiki import Bools, Floats, Longs, Wiki

UNKNOWN = -1  # where a page's links are not known
_CHUNK = 20_000
_SURE = 0.1  # targets less sure than this do not count as a page's company


def relation_columns(wiki: Wiki, knowledge: Knowledge, rows: Candidates) -> Columns:
    """One value for each candidate; the same for all mentions of a target on a page."""
    codes, first, place = np.unique(rows.code, return_index=True, return_inverse=True)
    page, target = rows.page[first], rows.target[first]
    own = member(codes, knowledge.own_target_links) & knowledge.known[page]
    columns = pair_columns(wiki, knowledge, page, target, own)
    columns |= in_box_columns(wiki, page, target)
    return {name: value[place] for name, value in columns.items()}


def _sureness(wiki: Wiki, rows: Candidates) -> Floats:
    """How likely the target is meant, by the name alone; less for a name in lower case."""
    lower = ~wiki.is_upper[rows.first]
    return np.asarray(link_share(rows) * np.where(lower, 0.6, 1), dtype=np.float32)


def pair_columns(
    wiki: Wiki, knowledge: Knowledge, page: Longs, target: Longs, own: Bools
) -> Columns:
    """Similarity of the two pages, and links from the target back."""
    in_degree = knowledge.in_degree[target] - own
    shared = row_products(knowledge.inverse, page, target)
    lengths = np.diff(wiki.offsets)
    back = np.asarray(knowledge.graph[target, page]).ravel()
    norm = np.sqrt(np.maximum(1, knowledge.in_degree[page]) * np.maximum(1, in_degree))
    return {
        "popularity": np.log1p(in_degree),
        "links_back": np.where(knowledge.known[target], back, UNKNOWN),
        "named_back": np.log1p(np.asarray(knowledge.named[target, page]).ravel()),
        "text_similarity": row_products(knowledge.words, page, target),
        "shared_categories": row_products(knowledge.categories, page, target),
        "shared_templates": row_products(knowledge.templates, page, target),
        "linked_together": shared / norm,
        "target_words": np.log1p(lengths[target]),
    }


def row_products(matrix: sparse.csr_matrix, left: Longs, right: Longs) -> Floats:
    """The inner products of rows left[i] and right[i]."""
    out = np.zeros(len(left), dtype=np.float32)
    for start in range(0, len(left), _CHUNK):
        part = slice(start, start + _CHUNK)
        product = matrix[left[part]].multiply(matrix[right[part]])
        out[part] = np.asarray(product.sum(axis=1)).ravel()
    return out


def company_columns(wiki: Wiki, knowledge: Knowledge, rows: Candidates, hidden: Bools) -> Columns:
    """How well a target fits the others that the page links or surely means."""
    codes, first, place = np.unique(rows.code, return_index=True, return_inverse=True)
    page, target = rows.page[first], rows.target[first]
    sure = np.zeros(len(codes), dtype=np.float32)
    np.maximum.at(sure, place, _sureness(wiki, rows))
    names = ("company", "closest", "links_company", "linked_by_company", "company_size")
    columns = {name: np.zeros(len(page), dtype=np.float32) for name in names}
    standing = _standing_targets(wiki, hidden)
    links = knowledge.graph.toarray() if wiki.size <= DENSE else knowledge.graph
    starts = np.searchsorted(page, np.arange(wiki.size + 1))
    for number in np.unique(page).tolist():
        part = slice(starts[number], starts[number + 1])
        company = _Company(wiki, knowledge, number, target[part], sure[part], standing, links)
        for name, value in company.columns().items():
            columns[name][part] = value
    columns["candidates_here"] = np.log1p(np.diff(starts)[page])
    return {name: value[place] for name, value in columns.items()}


def _standing_targets(wiki: Wiki, hidden: Bools) -> sparse.csr_matrix:
    keep = ~hidden & (wiki.links.target >= 0)
    ones = np.ones(int(keep.sum()), dtype=np.float32)
    where = (wiki.links.page[keep], wiki.links.target[keep])
    matrix = sparse.csr_matrix((ones, where), shape=(wiki.size, wiki.size))
    matrix.sum_duplicates()
    return matrix


class _Company:
    """The targets of one page: candidates, and those among them and its links that are sure."""

    def __init__(
        self,
        wiki: Wiki,
        knowledge: Knowledge,
        page: int,
        targets: Longs,
        sure: Floats,
        standing: sparse.csr_matrix,
        links: Matrix,
    ) -> None:
        self.links = links
        self.wiki, self.knowledge, self.page, self.targets = wiki, knowledge, page, targets
        linked = standing.indices[standing.indptr[page] : standing.indptr[page + 1]]
        keep = sure >= _SURE
        self.others = np.concatenate([targets[keep], linked]).astype(np.int64)
        self.weight = np.concatenate([sure[keep], np.ones(len(linked))]).astype(np.float32)

    def columns(self) -> Columns:
        if not len(self.others):
            return {}
        same = self.targets[:, None] == self.others
        weight = np.where(same, 0, self.weight)
        total = weight.sum(axis=1)
        related = self._relatedness() * weight
        outgoing = block(self.links, self.targets, self.others) * weight
        incoming = block(self.links, self.others, self.targets).T * weight
        out_degree = np.sqrt(np.maximum(1, self.knowledge.out_degree[self.targets]))
        known = self.knowledge.known[self.targets]
        return {
            "company": related.sum(axis=1) / (total + 0.3),
            "closest": related.max(axis=1),
            "links_company": np.where(known, outgoing.sum(axis=1) / out_degree, UNKNOWN),
            "linked_by_company": incoming.sum(axis=1) / (total + 0.3),
            "company_size": np.log1p(total),
        }

    def _relatedness(self) -> Floats:
        """Milne and Witten's measure, without what this page's own links add to it."""
        shared = block(self.knowledge.shared, self.targets, self.others)
        ours = self.knowledge.in_degree[self.targets].copy()
        theirs = self.knowledge.in_degree[self.others].copy()
        own = np.zeros(self.wiki.size, dtype=np.float32)
        graph = self.knowledge.graph
        own[graph.indices[graph.indptr[self.page] : graph.indptr[self.page + 1]]] = 1
        shared = shared - np.outer(own[self.targets], own[self.others])
        ours, theirs = ours - own[self.targets], theirs - own[self.others]
        most = np.log(np.maximum(np.maximum(ours[:, None], theirs), 1))
        least = np.log(np.maximum(np.minimum(ours[:, None], theirs), 1))
        common = np.log(np.maximum(shared, 1))
        score = 1 - (most - common) / np.maximum(np.log(self.wiki.size) - least, 1e-3)
        return np.where((shared > 0) & (score > 0), score, 0).astype(np.float32)
