"""Pages and targets that have little to do with each other: a name there is more often another bearer's."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import eigsh

from wikibot.ranking.candidates import Candidates
from wikibot.ranking.knowledge import Knowledge, member
from wikibot.ranking.names import without_brackets
from wikibot.ranking.relations import row_products
from wikibot.ranking.wiki import Bools, Floats, Wiki

_FEW = 100  # links that do not tell yet how alike linked pages are
_SAMPLE, _BAND = 3000, 400  # links that do, and so many of pages of one length
_STRANGE = (0.1, 0.25)  # shares of these below which pages are strangers; the second for namesakes
_STUB = 0.02  # share of the linking pages that are shorter than a page that says enough
_WORLDS = 0.3  # parts of a wiki that are told apart by who links whom, for the root of its size
_MOST_WORLDS = 12
_OUT_OF_PLACE = 0.01  # share of links between pages further apart
_APART = 0.3  # the cosine below which pages are in different parts
_PLACED = 3  # links, to or from a page, that show where it belongs


def strangers(wiki: Wiki, knowledge: Knowledge, rows: Candidates) -> Bools:
    """Pages that have less in common with the target, by their words, than like pages with what they link.

    A name that editors left alone there is more often another bearer's. Where the title needs brackets, as
    others bear the name, three of four links are between pages more alike; else nine of ten. A long page
    has more in common with any other, so pages are told by their length. A target that links back is no stranger.
    """
    pairs = wiki.linked_pairs()
    if len(pairs) < _FEW:
        return np.zeros(len(rows), dtype=bool)
    linked = pairs[:: max(1, len(pairs) // _SAMPLE)]
    source = linked // wiki.size
    usual = row_products(knowledge.words, source, linked % wiki.size)
    lengths = np.diff(wiki.offsets)
    bounds = np.quantile(lengths[source], np.linspace(0, 1, 2 + len(linked) // _BAND)[1:-1])
    band = np.searchsorted(bounds, lengths)
    least = np.zeros((len(bounds) + 1, 2))
    for number in np.unique(band[source]).tolist():
        least[number] = np.quantile(usual[band[source] == number], _STRANGE)
    needs_brackets = np.array([without_brackets(t) != t for t in wiki.titles], dtype=np.int64)
    alike = row_products(knowledge.words, rows.page, rows.target)
    strange = alike < least[band[rows.page], needs_brackets[rows.target]]
    strange &= ~_links_back(wiki, rows)
    # A stub or a draft shorter than nearly all pages with links says too little to be a stranger.
    return np.asarray(strange & (lengths >= np.quantile(lengths[source], _STUB))[rows.page])


def out_of_place(wiki: Wiki, knowledge: Knowledge, rows: Candidates) -> Bools:
    """Pages and targets further apart in the net of links than ninety-nine of a hundred that are linked.

    Marvel's Tigra is not who a page of DC's speaks of. Nothing is said of pages and targets with few
    links, nor of a target that links back.
    """
    pairs = wiki.linked_pairs()
    if len(pairs) < _FEW:
        return np.zeros(len(rows), dtype=bool)
    net = (knowledge.graph + knowledge.graph.T).sign()
    links = np.asarray(net.sum(axis=1)).ravel()
    places = _places(net, links)
    linked, asked = (
        np.einsum("ij,ij->i", places[left], places[right])
        for left, right in ((pairs // wiki.size, pairs % wiki.size), (rows.page, rows.target))
    )
    judged = (links[rows.page] >= _PLACED) & (links[rows.target] >= _PLACED)
    far = asked < min(np.quantile(linked, _OUT_OF_PLACE), _APART)
    return np.asarray(far & judged & ~_links_back(wiki, rows))


def _places(net: sparse.csr_matrix, links: Floats) -> Floats:
    """Where each page is, by which parts of the net it belongs to (a spectral embedding), at length one."""
    even = sparse.diags(1 / np.sqrt(np.maximum(links, 1)))
    start = np.random.default_rng(0).standard_normal(len(links))
    evened = (even @ net @ even).tocsc().astype(np.float64)
    worlds = max(2, int(_WORLDS * np.sqrt(len(links))))
    weights, vectors = eigsh(evened, k=min(worlds, _MOST_WORLDS), which="LA", v0=start)
    places = vectors * np.maximum(weights, 0)
    return np.asarray(places / np.maximum(np.linalg.norm(places, axis=1, keepdims=True), 1e-9))


def _links_back(wiki: Wiki, rows: Candidates) -> Bools:
    linked = np.union1d(wiki.linked_pairs(), wiki.elsewhere)
    return member(wiki.code(rows.target, rows.page), linked)
