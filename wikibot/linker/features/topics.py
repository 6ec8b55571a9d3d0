"""What CRTM's word vectors say: how a mention and the words around it fit page and target."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sparse

from wikibot.linker.candidates import Candidates
from wikibot.linker.counts import Counts
from wikibot.linker.features.names import Columns
from wikibot.linker.knowledge import Knowledge, Rows
from wikibot.linker.page import Floats, Ints, Longs, Page
from wikibot.linker.topics import PageTopics, units

PREFIX = "crtm_"  # what the names of CRTM's features begin with
WINDOW_WORDS = 12  # on each side of a mention
SHARPNESS = 4  # power of the likeness of pages
PRIOR_MENTIONS = 0.3  # added to the mentions on like pages
DIMENSIONS = 12  # of the vectors that are features themselves, the weightiest first


def columns(
    page: Page, number: int, rows: Candidates, knowledge: Knowledge, topics: PageTopics
) -> Columns:
    """Likeness of mention, context, page and target, and the first dimensions of the first two."""
    assert knowledge.topics is not None, "there are topics of the page"
    sums = np.concatenate([np.zeros((1, topics.words.shape[1]), dtype=np.float32), np.cumsum(topics.words, axis=0)])  # fmt: skip
    first, last = rows.first, rows.first + rows.length
    mention = sums[last] - sums[first]
    around = sums[np.minimum(last + WINDOW_WORDS, len(page))] - sums[np.maximum(first - WINDOW_WORDS, 0)]  # fmt: skip
    context = units(units(around - mention) - knowledge.topics.centre)
    mention = units(mention)
    targets = knowledge.texts.vectors[rows.target]
    found = {
        "pages": targets @ topics.vector,
        "mention_target": _products(mention, targets),
        "context_target": _products(context, targets),
        "context_page": context @ topics.vector,
    }
    found |= _like_pages(number, rows, knowledge, topics)
    for index in range(min(DIMENSIONS, mention.shape[1])):
        found[f"mention_{index}"] = mention[:, index]
        found[f"context_{index}"] = context[:, index]
    return {PREFIX + name: value for name, value in found.items()}


def _products(left: Floats, right: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", left, right))


def _like_pages(number: int, rows: Candidates, knowledge: Knowledge, topics: PageTopics) -> Columns:
    """Among pages of like topics that mention the target: the share, and the surplus, of links."""
    near, alike = knowledge.near(topics, number)
    weight = alike**SHARPNESS
    counts = knowledge.counts
    linked, all_links = _weighed(counts.linked, near, weight, rows.target, counts)
    mentioned, all_mentions = _weighed(counts.mentioned, near, weight, rows.target, counts)
    usual = (all_links + 0.1) / (all_mentions + 1)
    expected = usual[_is_name(rows.target, counts)]
    return {
        "like_share": (linked + PRIOR_MENTIONS * expected) / (mentioned + PRIOR_MENTIONS),
        "like_surplus": linked - mentioned * expected,
    }


def _weighed(
    matrix: sparse.csr_matrix, near: Longs, weight: Floats, target: Longs, counts: Counts
) -> tuple[Floats, Floats]:
    """The weights of the near pages in each target's column, and their sums over all columns by case.

    Only the entries of the near pages are looked at, so that it takes as long however large the wiki is.
    """
    index, column, value = Rows(matrix.indptr, matrix.indices, matrix.data).gather(near)
    amount = value * weight[index]
    by_case = np.bincount(_is_name(column, counts), weights=amount, minlength=2)
    asked, place = np.unique(target, return_inverse=True)
    at = np.minimum(np.searchsorted(asked, column), len(asked) - 1)
    hit = asked[at] == column
    found = np.bincount(at[hit], weights=amount[hit], minlength=len(asked))
    return found[place].astype(np.float32), by_case.astype(np.float32)


def _is_name(target: Longs | Ints, counts: Counts) -> Longs:
    """1 where a page's links inside sentences mostly begin with a capital, 0 elsewhere."""
    inside = np.maximum(counts.inside_links[target], 1)
    return np.asarray(2 * counts.upper_links[target] >= inside, dtype=np.int64)
