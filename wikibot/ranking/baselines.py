"""What others do, rebuilt to be compared on the same pages: title match and TAGME."""

from __future__ import annotations

import numpy as np

from wikibot.ranking.candidates import Candidates
from wikibot.ranking.knowledge import Knowledge, block
from wikibot.ranking.names import ANCHOR, REDIRECT, STRIPPED, TITLE
from wikibot.ranking.ranker import Ranked, best_rows
from wikibot.ranking.surface import spans_of
from wikibot.ranking.wiki import Bools, Floats, Longs, Wiki

_SURFACE_FORMS = TITLE | STRIPPED | REDIRECT | ANCHOR
_LIKELY = 0.02  # TAGME drops surface forms that are linked less often than this
_WITHIN = 0.3  # of the best vote: among such targets the most common one wins


def title_match(wiki: Wiki, rows: Candidates) -> Ranked:
    """LinkTitles' rules: every page title, wherever it stands first; longer titles first."""
    length = np.array([len(title) for title in wiki.titles])[rows.target]
    fits = (rows.kind & TITLE) > 0
    score = np.where(fits, length / (length + 20.0), 0).astype(np.float32)
    return _first_places(rows, score)


def tagme(wiki: Wiki, knowledge: Knowledge, rows: Candidates) -> Ranked:
    """TAGME, with titles, bracket-stripped titles, redirects and anchors as surface forms.

    Ferragina and Scaiella: a mention votes for the targets of the others by relatedness and
    commonness; among the targets with the best votes the most common one is taken; its score is the
    mean of the form's link probability and its coherence with the other targets taken.
    """
    likely = ((rows.links + 0.5) / (rows.mentions + 1.0)).astype(np.float32)
    common = ((rows.pair_links + 0.1) / (rows.links + 0.1 * _meanings(rows))).astype(np.float32)
    fits = ((rows.kind & _SURFACE_FORMS) > 0) & (likely >= _LIKELY)
    score = np.zeros(len(rows), dtype=np.float32)
    starts = np.searchsorted(rows.page, np.arange(wiki.size + 1))
    for page in np.unique(rows.page).tolist():
        part = np.arange(starts[page], starts[page + 1])
        part = part[fits[part]]
        if len(part):
            score[part] = _vote(knowledge, wiki, rows, part, likely[part], common[part])
    return _first_places(rows, score)


def _meanings(rows: Candidates) -> Longs:
    spans = spans_of(rows)
    return np.bincount(spans)[spans] if len(spans) else spans


def _vote(
    knowledge: Knowledge, wiki: Wiki, rows: Candidates, part: Longs, likely: Floats, common: Floats
) -> Floats:
    """The scores of one page's candidates; 0 for targets that lost the vote."""
    names, place = np.unique(rows.name[part], return_inverse=True)
    targets, number = np.unique(rows.target[part], return_inverse=True)
    weight = np.zeros((len(names), len(targets)))
    weight[place, number] = common
    related = _relatedness(knowledge, wiki, targets)
    votes = (weight / np.maximum((weight > 0).sum(axis=1, keepdims=True), 1)) @ related
    total = votes.sum(axis=0)[number] - votes[place, number]
    taken = _winners(place, total, common)
    others = np.unique(number[taken])
    coherence = related[number][:, others].sum(axis=1) / max(1, len(others) - 1)
    return np.where(taken, (likely + coherence) / 2, 0).astype(np.float32)


def _winners(name: Longs, vote: Floats, common: Floats) -> Bools:
    """For each name the most common target among those with nearly the best vote."""
    best = np.zeros(int(name.max()) + 1)
    np.maximum.at(best, name, vote)
    near = vote >= (1 - _WITHIN) * best[name]
    value = np.where(near, common, -1.0)
    most = np.full(int(name.max()) + 1, -1.0)
    np.maximum.at(most, name, value)
    return np.asarray(near & (value >= most[name]))


def _relatedness(knowledge: Knowledge, wiki: Wiki, targets: Longs) -> Floats:
    """Milne and Witten's measure between targets; nothing of a target with itself."""
    shared = block(knowledge.shared, targets, targets)
    degree = knowledge.in_degree[targets]
    most = np.log(np.maximum(np.maximum.outer(degree, degree), 1))
    least = np.log(np.maximum(np.minimum.outer(degree, degree), 1))
    distance = (most - np.log(np.maximum(shared, 1))) / np.maximum(np.log(wiki.size) - least, 1e-3)
    related = np.where(shared > 0, np.maximum(0, 1 - distance), 0)
    np.fill_diagonal(related, 0)
    return np.asarray(related, dtype=np.float32)


def _first_places(rows: Candidates, score: Floats) -> Ranked:
    """Each target at its best score, at the first mention that has it."""
    chosen = best_rows(rows.code, score)
    return Ranked(chosen, score[chosen], score)
