"""Figures for the statistics page: what was decided, by whom, and how true the probabilities were."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from wikibot.store.decisions import is_of
from wikibot.store.tables import Decision, Outbox, OutboxItem, Suggestion

BANDS = 10
ACCEPTED = ("approved", "published", "kept", "reverted", "undone")
Z95 = 1.96


@dataclass(frozen=True, slots=True)
class Band:
    """The decided proposals whose probability lies in one tenth."""

    accepted: int
    rejected: int
    expected: float  # their mean probability

    @property
    def decided(self) -> int:
        return self.accepted + self.rejected

    @property
    def share(self) -> float:
        return self.accepted / self.decided

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the share accepted; honest for small numbers too."""
        n, p = self.decided, self.share
        centre = p + Z95**2 / (2 * n)
        spread = Z95 * math.sqrt(p * (1 - p) / n + Z95**2 / (4 * n * n))
        scale = 1 + Z95**2 / n
        return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


@dataclass(frozen=True, slots=True)
class Fate:
    """How many saved links are still there, and how many others have removed."""

    kept: int
    reverted: int

    @property
    def watched(self) -> int:
        return self.kept + self.reverted


def acceptance(session: Session, wiki_id: int) -> list[Band]:
    """Accepted and rejected proposals by probability, lowest tenth first; empty tenths are left out.

    Targets that a reviewer chose count for nothing: the model did not propose them.
    """
    tenth = case(
        *((Suggestion.probability < (i + 1) / BANDS, i) for i in range(BANDS - 1)), else_=BANDS - 1
    )
    chosen = select(Decision.suggestion_id).where(Decision.verdict == "choose")
    decided = (
        select(tenth.label("tenth"), Suggestion.state, Suggestion.probability)
        .where(Suggestion.wiki_id == wiki_id, Suggestion.state.in_((*ACCEPTED, "rejected")))
        .where(Suggestion.id.not_in(chosen))
        .subquery()
    )
    query = select(
        decided.c.tenth, decided.c.state, func.count(), func.sum(decided.c.probability)
    ).group_by(decided.c.tenth, decided.c.state)
    numbers: dict[int, list[float]] = {}
    for band, state, count, total in session.execute(query):
        row = numbers.setdefault(band, [0, 0, 0.0])
        row[1 if state == "rejected" else 0] += count
        row[2] += total
    return [
        Band(int(yes), int(no), total / (yes + no))
        for _, (yes, no, total) in sorted(numbers.items())
    ]


def work_since(session: Session, wiki_id: int, since: datetime) -> dict[str, Counter[str]]:
    """Reviewers, each with the number of decisions of each kind that still stand."""
    query = (
        select(Decision.reviewer, Decision.verdict, func.count())
        .where(Decision.decided_at >= since, is_of(wiki_id))
        .where(Decision.undone.is_(False), Decision.verdict.in_(("approve", "reject", "skip")))
        .group_by(Decision.reviewer, Decision.verdict)
    )
    found: dict[str, Counter[str]] = {}
    for reviewer, verdict, number in session.execute(query):
        found.setdefault(reviewer, Counter())[verdict] = number
    return found


def fate_after(session: Session, wiki_id: int, until: datetime) -> Fate:
    """What became of the links that were saved before UNTIL, as `wikibot watch` last saw them."""
    saved = (
        select(OutboxItem.suggestion_id)
        .join(Outbox, Outbox.id == OutboxItem.outbox_id)
        .where(Outbox.wiki_id == wiki_id, Outbox.kind == "page", Outbox.state == "done")
        .where(Outbox.sent_at < until)
    )
    query = (
        select(Suggestion.state, func.count())
        .where(Suggestion.id.in_(saved), Suggestion.state.in_(("kept", "reverted")))
        .group_by(Suggestion.state)
    )
    found = dict(session.execute(query).all())
    return Fate(found.get("kept", 0), found.get("reverted", 0))


def work_of(
    session: Session, wiki_id: int, reviewer: str, since: datetime, later: datetime
) -> tuple[Counter[str], Counter[str]]:
    """One reviewer's decisions that stand, by kind: those since SINCE, and those since LATER."""
    is_later = Decision.decided_at >= later
    query = (
        select(Decision.verdict, is_later, func.count())
        .where(Decision.decided_at >= since, Decision.reviewer == reviewer, is_of(wiki_id))
        .where(Decision.undone.is_(False), Decision.verdict.in_(("approve", "reject", "skip")))
        .group_by(Decision.verdict, is_later)
    )
    both: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for verdict, was_later, number in session.execute(query):
        both[0][verdict] += number
        if was_later:
            both[1][verdict] += number
    return both


def rejections(session: Session, wiki_id: int) -> Counter[str]:
    """Why proposals were rejected; a rejection without a reason counts as other."""
    rejected = select(Suggestion.id).where(
        Suggestion.wiki_id == wiki_id, Suggestion.state == "rejected"
    )
    query = (
        select(Decision.reason, func.count())
        .where(Decision.suggestion_id.in_(rejected))
        .where(Decision.undone.is_(False), Decision.verdict == "reject")
        .group_by(Decision.reason)
    )
    found: Counter[str] = Counter()
    for reason, number in session.execute(query):
        found[reason or "other"] += number
    return found


def midnight(now: datetime) -> datetime:
    """The start of the day, where the reviewer is."""
    here = now.astimezone()
    return here - timedelta(
        hours=here.hour, minutes=here.minute, seconds=here.second, microseconds=here.microsecond
    )
