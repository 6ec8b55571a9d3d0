"""Decisions as plain records, to carry them to another database and back.

A record names wiki, page and target by their names, never by numbers. What was decided here is
never changed by an import; a rejection of a pair that is not in the queue yet is remembered too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from wikibot.errors import BadInput, WikibotError
from wikibot.store import decisions, pages
from wikibot.store.decisions import STATE_AFTER, Voice
from wikibot.store.pages import PageRow, WikiRow
from wikibot.store.queue import OPEN_STATES, TargetPage
from wikibot.store.tables import Decision, Page, Suggestion

# What is needed to remember a rejection where the proposal itself is not known.
PLACE = ("revision_id", "start", "end", "anchor", "wikitext", "sentence_start", "sentence_end")
TEXTS = ("page", "target", "anchor", "wikitext", "sentence", "verdict", "reviewer", "decided_at")


def export_decisions(session: Session, wiki: WikiRow) -> Iterator[dict[str, Any]]:
    """Every decision that stands, oldest first."""
    query = (
        select(Decision, Suggestion, Page.title, TargetPage.title)
        .join(Suggestion, Suggestion.id == Decision.suggestion_id)
        .join(Page, Page.id == Suggestion.page_id)
        .join(TargetPage, TargetPage.id == Suggestion.target_id)
        .where(Suggestion.wiki_id == wiki.id, Decision.undone.is_(False))
        .where(Decision.verdict.in_(STATE_AFTER))
        .order_by(Decision.id)
    )
    for said, row, page, target in session.execute(query):
        yield {
            "wiki": wiki.name,
            "page": page,
            "target": target,
            "verdict": said.verdict,
            "reason": said.reason,
            "note": said.note,
            "reviewer": said.reviewer,
            "decided_at": said.decided_at.isoformat(),
            "probability": row.probability,
            "sentence": row.sentence,
            **{name: getattr(row, name) for name in PLACE},
        }


def import_decisions(
    session: Session, wiki: WikiRow, records: Iterable[dict[str, Any]]
) -> Counter[str]:
    """The decisions of another database hold here too; counts what became of each record.

    decided: it holds now; known: it was the same here; different: we decided otherwise and keep
    that; unknown: there is no such proposal; other-wiki: it is not about this wiki.
    """
    return Counter(_import(session, wiki, record) for record in records)


def _import(session: Session, wiki: WikiRow, record: dict[str, Any]) -> str:
    _check(record)
    if record.get("wiki") != wiki.name:
        return "other-wiki"
    page = pages.page_by_title(session, wiki.id, record["page"])
    target = pages.page_by_title(session, wiki.id, record["target"])
    if page is None or target is None:
        return "unknown"
    row = session.scalar(
        select(Suggestion).where(Suggestion.page_id == page.id, Suggestion.target_id == target.id)
    )
    if row is None:
        row = _remember(session, wiki, page, target, record)
    return "unknown" if row is None else _apply(session, row, record)


def _apply(session: Session, row: Suggestion, record: dict[str, Any]) -> str:
    verdict = record["verdict"]
    if row.state == STATE_AFTER[verdict]:
        return "known"
    if row.state not in OPEN_STATES:
        return "different"
    if verdict == "approve" and any(getattr(row, name) != record.get(name) for name in PLACE):
        return "different"
    voice = Voice(record["reviewer"], "import", datetime.fromisoformat(record["decided_at"]))
    try:
        decisions.decide(
            session, row.id, verdict, voice, reason=record.get("reason"), note=record.get("note")
        )
    except WikibotError:
        return "different"
    return "decided"


def _remember(
    session: Session, wiki: WikiRow, page: PageRow, target: PageRow, record: dict[str, Any]
) -> Suggestion | None:
    """A waiting row for a pair that was rejected elsewhere; nothing for other verdicts."""
    if record["verdict"] != "reject":
        return None
    row = Suggestion(
        wiki_id=wiki.id,
        page_id=page.id,
        target_id=target.id,
        sentence=record["sentence"],
        probability=record["probability"],
        reasons=[],
        created_at=datetime.fromisoformat(record["decided_at"]),
        **{name: record[name] for name in PLACE},
    )
    session.add(row)
    session.flush()
    return row


def _check(record: dict[str, Any]) -> None:
    """The record has the shape that an export writes."""
    numbers = ("revision_id", "start", "end", "sentence_start", "sentence_end")
    is_whole = all(type(record.get(name)) is int for name in numbers)
    is_text = all(isinstance(record.get(name), str) for name in TEXTS)
    share = record.get("probability")
    is_share = isinstance(share, int | float) and 0 <= share <= 1
    if not (is_whole and is_text and is_share and record["start"] < record["end"]):
        raise BadInput("A record is not one that `wikibot decide --export` writes.")
    if record["verdict"] not in STATE_AFTER or not _is_time(record["decided_at"]):
        raise BadInput("A record has a verdict or a time that cannot be understood.")


def _is_time(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False
