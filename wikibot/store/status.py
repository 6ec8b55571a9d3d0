"""What is in the database, in numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from wikibot.store.pages import Counts, WikiRow, counts, wikis
from wikibot.store.runs import RunRow, latest_runs
from wikibot.store.tables import Model, Outbox, Suggestion


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A trained model."""

    kind: str
    path: str
    sha256: str
    figures: dict[str, Any]
    created_at: str


@dataclass(frozen=True, slots=True)
class WikiStatus:
    """One wiki's numbers."""

    wiki: WikiRow
    counts: Counts
    suggestions: dict[str, int]  # by state
    outbox: dict[str, int]  # by state
    models: list[ModelRow]

    def as_json(self) -> dict[str, Any]:
        return {
            "wiki": self.wiki.name,
            "language": self.wiki.language,
            "api_url": self.wiki.api_url,
            "fetched_at": self.wiki.fetched_at and self.wiki.fetched_at.isoformat(),
            **asdict(self.counts),
            "suggestions": self.suggestions,
            "outbox": self.outbox,
            "models": [asdict(model) for model in self.models],
        }


@dataclass(frozen=True, slots=True)
class Status:
    """All that `wikibot status` shows."""

    wikis: list[WikiStatus]
    runs: list[RunRow]

    def as_json(self) -> dict[str, Any]:
        return {
            "wikis": [wiki.as_json() for wiki in self.wikis],
            "runs": [run._asdict() for run in self.runs],
        }


def read_status(session: Session) -> Status:
    """The numbers of every wiki, and the last runs."""
    found = [
        WikiStatus(
            wiki,
            counts(session, wiki.id),
            _by_state(session, Suggestion, wiki.id),
            _by_state(session, Outbox, wiki.id),
            models(session, wiki.id),
        )
        for wiki in wikis(session)
    ]
    return Status(found, latest_runs(session, limit=5))


def models(session: Session, wiki_id: int) -> list[ModelRow]:
    """The wiki's models, newest first."""
    query = (
        select(Model.kind, Model.path, Model.sha256, Model.figures, Model.created_at)
        .where(Model.wiki_id == wiki_id)
        .order_by(Model.id.desc())
    )
    return [
        ModelRow(kind, path, sha256, figures, created_at.isoformat())
        for kind, path, sha256, figures, created_at in session.execute(query)
    ]


def _by_state(
    session: Session, table: type[Suggestion] | type[Outbox], wiki_id: int
) -> dict[str, int]:
    query = (
        select(table.state, func.count())
        .where(table.wiki_id == wiki_id)
        .group_by(table.state)
        .order_by(table.state)
    )
    return {row[0]: row[1] for row in session.execute(query)}
