"""How far the reviewer has come: in this sitting, today, and what lasted on the wiki."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from wikibot.store import Session, review_statistics
from wikibot.store.review_statistics import Fate
from wikibot.web.review_app import review_app

KEPT_AFTER_DAYS = 30


@dataclass(frozen=True, slots=True)
class Progress:
    """The reviewer's decisions that stand, by verdict."""

    sitting: Counter[str]
    today: Counter[str]


@dataclass(frozen=True, slots=True)
class Achieved:
    """What a sitting has come to, for the page at its end."""

    progress: Progress
    minutes: int
    fate: Fate


def progress_of(session: Session, wiki_id: int) -> Progress:
    """The decisions of this sitting, since the server started, and of today."""
    midnight = review_statistics.midnight(datetime.now(timezone.utc))
    started = review_app().started_at
    first, last = min(midnight, started), max(midnight, started)
    longer, shorter = review_statistics.work_of(
        session, wiki_id, review_app().voice.reviewer, first, last
    )
    return Progress(shorter, longer) if started > midnight else Progress(longer, shorter)


def achieved(session: Session, wiki_id: int) -> Achieved:
    """The sitting in numbers, and the links saved 30 or more days ago that are still there."""
    now = datetime.now(timezone.utc)
    return Achieved(
        progress_of(session, wiki_id),
        round((now - review_app().started_at) / timedelta(minutes=1)),
        review_statistics.fate_after(session, wiki_id, now - timedelta(days=KEPT_AFTER_DAYS)),
    )
