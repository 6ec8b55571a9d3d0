"""What was sent, as an operator reads it: when, where, with what, with a link to the diff."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from wikibot.plan import ApprovedLink
from wikibot.store import Store, outbox, pages
from wikibot.store.outbox import OutboxRow
from wikibot.store.pages import WikiRow


@dataclass(frozen=True, slots=True)
class LoggedLink:
    """A proposal that an edit carried."""

    proposal: int
    target: str
    wikitext: str
    state: str
    approver: str


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An edit as the log shows it."""

    id: int
    batch: str
    kind: str
    title: str
    state: str
    message: str | None
    sent_at: datetime | None
    revision: int | None
    diff_url: str | None
    fate: str | None
    links: tuple[LoggedLink, ...]


def read_log(store: Store, *, batch: str | None = None, limit: int = 50) -> list[LogEntry]:
    """The newest edits of every wiki in the database."""
    entries = []
    with store.reading() as session:
        for wiki in pages.wikis(session):
            for row in outbox.edits(session, wiki.id, batch=batch, limit=limit):
                ids = [item.suggestion_id for item in row.items]
                entries.append(entry_of(wiki, row, outbox.links_with_ids(session, ids)))
    return sorted(entries, key=lambda entry: -entry.id)[:limit]


def entry_of(wiki: WikiRow, row: OutboxRow, links: list[ApprovedLink]) -> LogEntry:
    return LogEntry(
        id=row.id,
        batch=row.batch,
        kind=row.kind,
        title=row.title,
        state=row.state,
        message=row.message,
        sent_at=row.sent_at,
        revision=row.new_revision,
        diff_url=diff_url(wiki, row.new_revision),
        fate=row.fate,
        links=tuple(
            LoggedLink(link.id, link.target, link.wikitext, link.state, link.approver)
            for link in links
        ),
    )


def diff_url(wiki: WikiRow, revision: int | None) -> str | None:
    """The address at which a reader sees what a revision changed."""
    if revision is None:
        return None
    if wiki.api_url:
        return f"{wiki.api_url.removesuffix('api.php')}index.php?diff={revision}"
    return wiki.address(f"Special:Diff/{revision}")
