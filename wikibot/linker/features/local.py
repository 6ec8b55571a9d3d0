"""Where the page's own editors link more, or less, than others do: the links that stand there tell.

Links stand on most pages on which links are to be found: those that lead to pages outside the set, at
least. Each word of the page has a residual: is it linked here, less the share of other pages that link
it. A candidate gets mean residuals of the page, of the words near it, and of the words in like contexts,
by CRTM's vectors. Words of candidates are left out unless they carry a link: what is to be told of them
must not be told by them.
"""

from __future__ import annotations

import numpy as np

from wikibot.linker.candidates import Candidates, member
from wikibot.linker.counts import PageCounts, word_buckets
from wikibot.linker.features.names import Columns
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.page import UPPER, Bools, Floats, Longs, Page
from wikibot.linker.topics import PageTopics, units

PRIOR_PAGES = 2.0  # with a word, before the share of them that link it is believed by half
PRIOR_VARIANCE = 0.3  # that must be near before residuals are believed by half
REACH_WORDS = 30  # over which nearness falls to a third
WINDOW_WORDS = 10  # on each side of a word: its context
CONTEXT_DIMENSIONS = 40  # of CRTM's vectors, the weightiest first
SHARPNESS = 4  # power of the likeness of contexts


def columns(
    page: Page,
    rows: Candidates,
    knowledge: Knowledge,
    own: PageCounts | None,
    topics: PageTopics | None,
) -> Columns:
    """Link rates around candidates, beside what is usual; 0 on pages where no link stands."""
    share = word_shares(page, knowledge, own)
    found: Columns = {}
    first, index = np.unique(rows.first, return_inverse=True)
    linked = page.covered()
    places = _speaking(page, rows, linked)
    upper = (page.column("flags") & UPPER) > 0
    weights = _nearness(page, first, places, topics)
    same = (upper[first][:, None] == upper[places]) & linked.any()
    error, variance = linked[places] - share[places], share[places] * (1 - share[places])
    for name, near in weights.items():
        near = near * same
        found[name] = ((near @ error) / (near @ variance + PRIOR_VARIANCE))[index]
    return found


def word_shares(page: Page, knowledge: Knowledge, own: PageCounts | None) -> Floats:
    """For each word of the page, how many of the other pages that have it link it."""
    counts, bucket = knowledge.counts, word_buckets(page)
    pages, linking = counts.word_pages[bucket], counts.word_links[bucket]
    if own is not None:
        pages = pages - member(bucket, own.words)
        linking = linking - member(bucket, own.linked_words)
    usual = [
        int(counts.word_links[case::2].sum()) / max(1, int(counts.word_pages[case::2].sum()))
        for case in (0, 1)
    ]
    prior = PRIOR_PAGES * np.array(usual)[bucket % 2]
    return np.asarray((linking + prior) / (pages + PRIOR_PAGES), dtype=np.float32)


def _speaking(page: Page, rows: Candidates, linked: Bools) -> Longs:
    """A place for each word that carries a link or is not part of a candidate: the first linked one."""
    change = np.zeros(len(page) + 1, dtype=np.int64)
    np.add.at(change, rows.first, 1)
    np.add.at(change, rows.first + rows.length, -1)
    places = np.flatnonzero(linked | (np.cumsum(change)[:-1] == 0))
    places = places[np.argsort(~linked[places], kind="stable")]
    return np.asarray(places[np.unique(word_buckets(page)[places], return_index=True)[1]])


def _nearness(
    page: Page, first: Longs, places: Longs, topics: PageTopics | None
) -> dict[str, Floats]:
    """(first, places): how near two words are, by each of the measures."""
    apart = np.abs(first[:, None] - places).astype(np.float32)
    found = {
        "page_link_rate": np.ones_like(apart),
        "near_link_rate": np.exp(-apart / REACH_WORDS),
    }
    if topics is not None:
        vectors = topics.words[:, :CONTEXT_DIMENSIONS]
        ours, theirs = _contexts(vectors, first), _contexts(vectors, places)
        shared = theirs.mean(axis=0) if len(places) else np.float32(0)
        alike = np.maximum(units(ours - shared) @ units(theirs - shared).T, 0)
        found["crtm_link_rate"] = alike**SHARPNESS
    return found


def _contexts(vectors: Floats, places: Longs) -> Floats:
    """The direction of the mean vector around each place."""
    sums = np.concatenate([np.zeros_like(vectors[:1]), np.cumsum(vectors, axis=0)])
    before = np.maximum(places - WINDOW_WORDS, 0)
    after = np.minimum(places + WINDOW_WORDS + 1, len(vectors))
    return units(sums[after] - sums[before] - vectors[places])
