"""Figures of a running service, as the database has them: the same whichever process is asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from wikibot.store import jobs
from wikibot.store.jobs import JobRow
from wikibot.store.tables import Decision, Outbox, Suggestion
from wikibot.store.task_tables import WebSession


@dataclass(frozen=True, slots=True)
class Metrics:
    """What an operator watches."""

    proposals: dict[str, int]  # by state
    edits: dict[str, int]  # in the outbox, by state
    decisions: dict[str, int]  # by verdict
    logins: int
    jobs: list[JobRow]


def read(session: Session, wiki_id: int) -> Metrics:
    """The figures of one wiki."""
    now = datetime.now(timezone.utc)
    logins = select(func.count()).select_from(WebSession).where(WebSession.expires_at > now)
    proposals = select(Suggestion.state, func.count()).where(Suggestion.wiki_id == wiki_id)
    edits = select(Outbox.state, func.count()).where(Outbox.wiki_id == wiki_id)
    decisions = select(Decision.verdict, func.count()).group_by(Decision.verdict)
    return Metrics(
        {row[0]: row[1] for row in session.execute(proposals.group_by(Suggestion.state))},
        {row[0]: row[1] for row in session.execute(edits.group_by(Outbox.state))},
        {row[0]: row[1] for row in session.execute(decisions)},
        session.execute(logins).scalar_one(),
        jobs.jobs(session),
    )
