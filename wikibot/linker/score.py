"""`score_page`: the only way to a proposal, for one draft, one changed page or a whole wiki."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from wikibot.linker.candidates import Candidates
from wikibot.linker.counts import count_mentions
from wikibot.linker.explain import Reason, reasons
from wikibot.linker.fallback import Fallback
from wikibot.linker.features import Features, describe
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.names import find_mentions, without_brackets
from wikibot.linker.page import Bools, Floats, Longs, Page
from wikibot.linker.policy import Places, Policy, refused_by
from wikibot.linker.ranker import NO_LINKS, Ranked, Ranker, best_rows, state_of

GOOD_PLACE = 0.5  # a place must be at least this good, beside the best place of its target
LEAST_ROOM = 3  # proposals that any page may get

# Why a target is not proposed, beside the rules of the policy.
UNLIKELY, OVERLAP, LIMIT, DECIDED, NOT_ASKED = (
    "unlikely", "overlap", "limit", "decided", "not-asked",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Proposal:
    """A link to `target` on wikitext[start:end] of `page`.

    `probability` is the expected acceptance by a reviewer; text[sentence] of the page's text without
    brackets is the sentence around it.
    """

    page: str
    target: str
    start: int
    end: int
    first: int  # word
    length: int
    probability: float
    reasons: list[Reason]
    priority: float


@dataclass(frozen=True, slots=True)
class Scored:
    """All candidates of a page, what the ranker says, and what became of each target.

    `row` is the candidate chosen for each target, `refused` why it is not proposed ("" if it is), and
    `rival` the target that took its words (-1 if none did). `broken` names the rule of the policy that
    each candidate breaks, and `least` is the acceptance that was asked for.
    """

    page: Page
    number: int
    rows: Candidates
    features: Features
    ranked: Ranked
    row: Longs
    refused: tuple[str, ...]
    rival: Longs
    broken: tuple[str, ...]
    least: float


def score_page(
    page: Page, knowledge: Knowledge, ranker: Ranker | Fallback, policy: Policy
) -> list[Proposal]:
    """Proposals for a page, the most likely first."""
    return proposals_of(score_candidates(page, knowledge, ranker, policy), knowledge, ranker)


def score_candidates(
    page: Page, knowledge: Knowledge, ranker: Ranker | Fallback, policy: Policy
) -> Scored:
    """Every candidate of a page with its probability, and what policy and limits say to it."""
    number = knowledge.number_of(page.title)
    mentions = find_mentions(page, knowledge.names)
    own = None
    if knowledge.is_counted(number):
        own = count_mentions(page, number, knowledge.names, knowledge.titles, mentions)
    topics = knowledge.topics.read(page) if knowledge.topics is not None else None
    least = policy.least(state_of(page, knowledge) != NO_LINKS)
    rows, features = describe(page, number, knowledge, mentions, own, topics, policy.scope)
    if not len(rows):
        nothing = np.zeros(0, dtype=np.float32)
        ranked = Ranked(*[nothing] * 4)
        return Scored(page, number, rows, features, ranked, rows.first, (), rows.first, (), least)
    ranked = ranker.rank(page, number, rows, features, knowledge, topics)
    chosen = _chosen(page, rows, ranked, knowledge, policy, least)
    return Scored(page, number, rows, features, ranked, *chosen, least)


def proposals_of(scored: Scored, knowledge: Knowledge, ranker: Ranker | Fallback) -> list[Proposal]:
    """What was not refused, as proposals."""
    page, rows = scored.page, scored.rows
    need = missing_share(page, knowledge)
    found = []
    for group in np.argsort(-scored.ranked.acceptance, kind="stable").tolist():
        if scored.refused[group]:
            continue
        row = int(scored.row[group])
        first, length = int(rows.first[row]), int(rows.length[row])
        target = knowledge.titles.titles[int(rows.target[row])]
        start, end = page.place(first, length)
        chance = float(scored.ranked.acceptance[group])
        why = reasons(
            page, row, rows, scored.features, knowledge, probability=chance,
            is_fallback=ranker.is_fallback,
        )  # fmt: skip
        found.append(
            Proposal(page.title, target, start, _with_full_stop(page, first, length, end, target),
                     first, length, chance, why, priority(chance, need))
        )  # fmt: skip
    return found


def _with_full_stop(page: Page, first: int, length: int, end: int, title: str) -> int:
    """Where an anchor really ends: "H.E.R.B.I.E." has a full stop of its own."""
    after = int(page.columns[1, first + length - 1])
    has_stop = without_brackets(title).endswith(".") and page.text[after : after + 1] == "."
    return end + has_stop


def missing_share(page: Page, knowledge: Knowledge) -> float:
    """From 0 to 1: which share of the links that are usual for its length the page lacks."""
    usual = max(1.0, len(page) * knowledge.links_per_word)
    return float(np.clip(1 - len(page.links) / usual, 0, 1))


def priority(chance: float, need: float) -> float:
    """The order of the queue: tenths of probability, within one tenths of need, then probability."""
    tenths, rest = divmod(min(chance, 0.9999) * 10, 1)
    return round((tenths + (math.floor(min(need, 0.99) * 10) + rest) / 10) / 10, 6)


def _chosen(
    page: Page,
    rows: Candidates,
    ranked: Ranked,
    knowledge: Knowledge,
    policy: Policy,
    least: float,
) -> tuple[Longs, tuple[str, ...], Longs, tuple[str, ...]]:
    """The candidate of each target, why it is refused, the target in its place, and rules broken."""
    broken = np.array(refused_by(Places.of(page, rows, knowledge), policy), dtype=object)
    good = _good_places(rows, ranked, broken == "")
    chosen = best_rows(rows.group, np.where(good, 1, 0) * 10 + ranked.place)
    refused = broken[chosen]
    _refuse(refused, ranked.acceptance < least, UNLIKELY)
    titles = [knowledge.titles.titles[target] for target in rows.target[chosen].tolist()]
    _refuse(refused, np.array([title in policy.decided for title in titles]), DECIDED)
    if policy.targets is not None:
        _refuse(refused, np.array([title not in policy.targets for title in titles]), NOT_ASKED)
    rival = _settle_overlaps(rows, ranked, good, chosen, refused)
    if not policy.is_draft:
        _refuse_beyond_limits(page, rows, chosen, ranked.acceptance, knowledge, policy, refused)
    return chosen, tuple(refused.tolist()), rival, tuple(broken.tolist())


def _refuse(refused: np.ndarray, which: np.ndarray, name: str) -> None:
    refused[which.astype(bool) & (refused == "")] = name


def _good_places(rows: Candidates, ranked: Ranked, allowed: Bools) -> Bools:
    """The allowed places of each target that are nearly as good as its best one."""
    best = np.zeros(int(rows.group.max()) + 1, dtype=np.float32)
    np.maximum.at(best, rows.group, ranked.score)
    return np.asarray(allowed & (ranked.score >= GOOD_PLACE * best[rows.group]))


def _settle_overlaps(
    rows: Candidates, ranked: Ranked, good: Bools, chosen: Longs, refused: np.ndarray
) -> Longs:
    """No two places overlap: the more probable target, then the longer name, has the first choice.

    The others take their next good place that is free (in `chosen`), or are refused. Return for each
    refused target the one that took the words of its best place, -1 for all others.
    """
    taken: dict[int, int] = {}
    rival = np.full(len(chosen), -1, dtype=np.int64)
    for group in np.lexsort((-rows.length[chosen], -ranked.acceptance)).tolist():
        if refused[group]:
            continue
        row = int(chosen[group])
        lost = [taken[word] for word in _words(rows, row) if word in taken]
        if lost:
            free = [
                other
                for other in np.flatnonzero(good & (rows.group == group)).tolist()
                if taken.keys().isdisjoint(_words(rows, other))
            ]
            if not free:
                refused[group], rival[group] = OVERLAP, lost[0]
                continue
            row = max(free, key=lambda other: float(ranked.place[other]))
            chosen[group] = row
        taken.update(dict.fromkeys(_words(rows, row), group))
    return rival


def _words(rows: Candidates, row: int) -> range:
    first = int(rows.first[row])
    return range(first, first + int(rows.length[row]))


def _refuse_beyond_limits(
    page: Page,
    rows: Candidates,
    chosen: Longs,
    chance: Floats,
    knowledge: Knowledge,
    policy: Policy,
    refused: np.ndarray,
) -> None:
    """Keep the most probable places that fit on the page and in their paragraphs."""
    room = room_for_links(page, knowledge, policy)
    paragraph = page.column("paragraph")[rows.first[chosen]]
    in_paragraph: dict[int, int] = {}
    taken = 0
    for group in np.argsort(-chance, kind="stable").tolist():
        if refused[group]:
            continue
        here = int(paragraph[group])
        full = policy.per_paragraph and in_paragraph.get(here, 0) >= policy.per_paragraph
        if taken >= room or full:
            refused[group] = LIMIT
        else:
            taken += 1
            in_paragraph[here] = in_paragraph.get(here, 0) + 1


def room_for_links(page: Page, knowledge: Knowledge, policy: Policy) -> int:
    """How many proposals the page may get: what the wiki allows a page of its length, less its links."""
    links = sum(title in knowledge.titles.number for title in page.links.target)
    room = max(LEAST_ROOM, math.ceil(knowledge.most_links(len(page))) - links)
    if policy.words_per_link:
        room = min(room, max(1, len(page) // policy.words_per_link))
    return min(room, policy.per_page) if policy.per_page else room
