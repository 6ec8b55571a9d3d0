"""What CRTM's word vectors say: how a mention and the words around it fit page and target."""

from __future__ import annotations

import numpy as np

from wikibot.linker.candidates import Candidates
from wikibot.linker.features.names import Columns
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.page import Floats, Page
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
    links = np.asarray(counts.linked[near].T @ weight).ravel()
    mentions = np.asarray(counts.mentioned[near].T @ weight).ravel()
    is_name = 2 * counts.upper_links >= np.maximum(counts.inside_links, 1)
    usual = np.array([(links[part].sum() + 0.1) / (mentions[part].sum() + 1) for part in (~is_name, is_name)])  # fmt: skip
    expected = usual[is_name[rows.target].astype(np.int64)]
    linked, mentioned = links[rows.target], mentions[rows.target]
    return {
        "like_share": (linked + PRIOR_MENTIONS * expected) / (mentioned + PRIOR_MENTIONS),
        "like_surplus": linked - mentioned * expected,
    }
