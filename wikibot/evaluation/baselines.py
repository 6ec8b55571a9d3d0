"""What others do, rebuilt to be compared on the same pages: title match, TAGME, and CRTM alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wikibot.linker.candidates import Candidates
from wikibot.linker.features.relatedness import relatedness
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.names import ANCHOR, REDIRECT, STRIPPED, TITLE
from wikibot.linker.page import Bools, Floats, Ints, Longs, Page
from wikibot.linker.topics import record

if TYPE_CHECKING:
    from crtm import CRTM

SURFACE_FORMS = TITLE | STRIPPED | REDIRECT | ANCHOR
LEAST_LINK_PROBABILITY = 0.02  # TAGME drops surface forms that are linked less often than this
NEAR_BEST_VOTE = 0.3  # among targets this near to the best vote the most common one wins


def title_match(rows: Candidates, knowledge: Knowledge) -> Floats:
    """LinkTitles' rules: every page title, wherever it stands first; longer titles first."""
    titles = knowledge.titles.titles
    length = np.array([len(titles[target]) for target in rows.target.tolist()])
    fits = (rows.kind & TITLE) > 0
    return np.where(fits, length / (length + 20.0), 0).astype(np.float32)


def tagme(rows: Candidates, knowledge: Knowledge) -> Floats:
    """TAGME, with titles, bracket-stripped titles, redirects and anchors as surface forms.

    Ferragina and Scaiella: a mention votes for the targets of the others by relatedness and
    commonness; among the targets with the best votes the most common one is taken; its score is the
    mean of the form's link probability and its coherence with the other targets taken.
    """
    likely = ((rows.name_links + 0.5) / (rows.name_mentions + 1.0)).astype(np.float32)
    meanings = np.bincount(rows.span)[rows.span]
    common = ((rows.pair_links + 0.1) / (rows.name_links + 0.1 * meanings)).astype(np.float32)
    fits = ((rows.kind & SURFACE_FORMS) > 0) & (likely >= LEAST_LINK_PROBABILITY)
    score = np.zeros(len(rows), dtype=np.float32)
    part = np.flatnonzero(fits)
    if len(part):
        score[part] = _vote(rows.where(part), knowledge, likely[part], common[part])
    return score


def _vote(rows: Candidates, knowledge: Knowledge, likely: Floats, common: Floats) -> Floats:
    """The scores of candidates; 0 for targets that lost the vote."""
    names, place = np.unique(rows.name, return_inverse=True)
    targets, number = np.unique(rows.target, return_inverse=True)
    weight = np.zeros((len(names), len(targets)))
    weight[place, number] = common
    related = relatedness(targets, targets, knowledge, None)
    np.fill_diagonal(related, 0)
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
    near = vote >= (1 - NEAR_BEST_VOTE) * best[name]
    value = np.where(near, common, -1.0)
    most = np.full(int(name.max()) + 1, -1.0)
    np.maximum.at(most, name, value)
    return np.asarray(near & (value >= most[name]))


def crtm_alone(page: Page, rows: Candidates, knowledge: Knowledge, model: CRTM) -> Floats:
    """The best score that CRTM gives to one of the mention's words, as a number from 0 to 1."""
    described = record(page)
    document = model.read(described)
    titles = knowledge.titles.titles
    targets, place = np.unique(rows.target, return_inverse=True)
    score = np.full(len(rows), -20.0, dtype=np.float32)
    known = np.array([titles[target] in model.index_ for target in targets.tolist()], dtype=bool)
    if len(document) and known.any():
        numbers = [model.index_[titles[t]] for t in targets[known].tolist()]
        by_token = np.full((len(document), len(targets)), -20.0, dtype=np.float32)
        by_token[:, known] = model.score_tokens(document, numbers)
        token = _tokens(page, described["text"], document.starts, document.ends)
        for offset in range(int(rows.length.max(initial=0))):
            inside = rows.length > offset
            at = token[rows.first[inside] + offset]
            found = np.where(at >= 0, by_token[at, place[inside]], -20.0)
            score[inside] = np.maximum(score[inside], found)
    return (1 / (1 + np.exp(-np.clip(score, -20, 20)))).astype(np.float32)


def _tokens(page: Page, text: str, starts: Ints, ends: Ints) -> Longs:
    """For each word of the page CRTM's token, or -1."""
    found, at = np.full(len(page), -1, dtype=np.int64), 0
    for index in range(len(page)):
        word = page.word(index)
        at = text.index(word, at)
        token = int(np.searchsorted(starts, at, side="right")) - 1
        if token >= 0 and at < ends[token]:
            found[index] = token
        at += len(word)
    return found
