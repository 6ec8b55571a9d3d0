"""Proposals and models in the database: what was learned, what is proposed, what is never again."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from typing import Any, NamedTuple

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session, aliased

from wikibot.never_list import NeverList
from wikibot.never_list import never_list as as_never_list
from wikibot.store.tables import Model, Page, Suggestion
from wikibot.store.task_tables import AuditVerdict, NeverLink

WAITING = ("pending", "skipped")
_AGREED = ("approved", "published", "kept")
_REFUSED = ("rejected", "reverted", "undone")


FEW_PAGES = 500  # that can be named in one query


@dataclass(frozen=True, slots=True)
class NewProposal:
    """A proposal as it goes into the queue; offsets are in the page's wikitext."""

    page_id: int
    target_id: int
    revision_id: int
    start: int
    end: int
    anchor: str
    wikitext: str
    sentence_start: int
    sentence_end: int
    sentence: str
    probability: float
    reasons: list[dict[str, Any]]
    priority: float


class Queued(NamedTuple):
    """What became of proposals that were handed in."""

    new: int
    refreshed: int
    withdrawn: int


class ModelRow(NamedTuple):
    """A model's files and figures."""

    id: int
    kind: str
    path: str
    sha256: str
    parameters: dict[str, Any]
    figures: dict[str, Any]
    created_at: datetime


class Verdicts(NamedTuple):
    """(page row id, target row id) of pairs that people agreed to, and of those they refused."""

    agreed: frozenset[tuple[int, int]]
    refused: frozenset[tuple[int, int]]


def verdicts(session: Session, wiki_id: int) -> Verdicts:
    """What people have said about proposals so far: readers of draws, and reviewers, who count more."""
    decided = select(Suggestion.page_id, Suggestion.target_id, Suggestion.state).where(
        Suggestion.wiki_id == wiki_id, Suggestion.state.in_(_AGREED + _REFUSED)
    )
    audited = (
        select(AuditVerdict.page_id, AuditVerdict.target_id, AuditVerdict.verdict)
        .join(Page, Page.id == AuditVerdict.page_id)
        .where(Page.wiki_id == wiki_id)
    )
    said = {(page, target): verdict != "bad" for page, target, verdict in session.execute(audited)}
    said |= {(page, target): state in _AGREED for page, target, state in session.execute(decided)}
    return Verdicts(
        frozenset(pair for pair, is_good in said.items() if is_good),
        frozenset(pair for pair, is_good in said.items() if not is_good),
    )


def keep_audit(session: Session, wiki_id: int, said: Mapping[tuple[str, str], str]) -> int:
    """Keep what was said of (page, target); return how many of these pages the database knows."""
    named = {title for pair in said for title in pair}
    ids = {
        title: number
        for title, number in session.execute(
            select(Page.title, Page.id).where(Page.wiki_id == wiki_id)
        )
        if title in named
    }
    kept = [
        AuditVerdict(page_id=ids[page], target_id=ids[target], verdict=verdict)
        for (page, target), verdict in said.items()
        if page in ids and target in ids
    ]
    for row in kept:
        session.merge(row)
    return len(kept)


def decided_pairs(
    session: Session, wiki_id: int, *, page_id: int | None = None
) -> frozenset[tuple[int, int]]:
    """Pairs (of one page, if it is given) that are not proposed again: somebody decided them."""
    query = select(Suggestion.page_id, Suggestion.target_id).where(
        Suggestion.wiki_id == wiki_id, Suggestion.state.in_((*_AGREED, *_REFUSED, "skipped"))
    )
    if page_id is not None:
        query = query.where(Suggestion.page_id == page_id)
    return frozenset((page, target) for page, target in session.execute(query))


def decided_targets(session: Session, wiki_id: int, title: str) -> frozenset[str]:
    """The titles of targets that were decided, for or against, for the page of this title."""
    target = aliased(Page)
    query = (
        select(target.title)
        .join(Suggestion, Suggestion.target_id == target.id)
        .join(Page, Page.id == Suggestion.page_id)
        .where(Page.wiki_id == wiki_id, Page.title == title)
        .where(Suggestion.state.in_((*_AGREED, *_REFUSED, "skipped")))
    )
    return frozenset(session.scalars(query))


def never_list(session: Session, wiki_id: int) -> NeverList:
    """Words, targets and pages that must never be proposed, wherever they were listed."""
    query = select(NeverLink.kind, NeverLink.value).where(NeverLink.wiki_id == wiki_id)
    return as_never_list((kind, value) for kind, value in session.execute(query))


def put_in_queue(
    session: Session,
    wiki_id: int,
    run_id: int | None,
    proposals: Iterable[NewProposal],
    asked: set[int],
    *,
    is_all: bool = False,
) -> Queued:
    """The proposals wait in the queue; what is waiting on the `asked` pages and has lost its text is stale.

    So is whatever else is waiting there, where the proposals are all that the settings allow. A pair
    that is in the queue already is not repeated; it gets its new place if its page has moved on, and its
    new number and reasons if more was learned. What people have decided is not touched.
    """
    handed_in = list(proposals)
    known = _known_pairs(session, wiki_id, asked | {proposal.page_id for proposal in handed_in})
    fresh, judged_anew, refreshed, offered = [], [], 0, set()
    for proposal in handed_in:
        pair = (proposal.page_id, proposal.target_id)
        offered.add(pair)
        if pair not in known:
            fresh.append(_values(proposal, wiki_id, run_id))
        elif _wants_refresh(known[pair], proposal):
            _refresh(session, known[pair], proposal, run_id)
            refreshed += 1
        elif known[pair].state == "pending" and known[pair].probability != proposal.probability:
            judged_anew.append(_judgement(known[pair], proposal))
    if fresh:
        _insert_once(session, fresh)
    if judged_anew:
        session.execute(update(Suggestion), judged_anew)
    return Queued(len(fresh), refreshed, _withdraw(session, known, offered, asked, is_all))


def _insert_once(session: Session, rows: list[dict[str, Any]]) -> None:
    """The rows are in the queue; a pair that another process has put there meanwhile stays as it is."""
    connection = session.connection()
    new = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    pair = [Suggestion.page_id, Suggestion.target_id]
    connection.execute(new(Suggestion).on_conflict_do_nothing(index_elements=pair), rows)


def keep_as_stale(session: Session, wiki_id: int, proposal: NewProposal) -> None:
    """The proposal is known, but is not waiting: the stored text of its page does not hold its words."""
    _insert_once(session, [_values(proposal, wiki_id, None) | {"state": "stale"}])


def proposal_of_pair(session: Session, page_id: int, target_id: int) -> int | None:
    """The number of the proposal of this pair of rows, whatever its state."""
    return session.scalar(
        select(Suggestion.id).where(
            Suggestion.page_id == page_id, Suggestion.target_id == target_id
        )
    )


class _Known(NamedTuple):
    id: int
    state: str
    revision_id: int
    start: int
    end: int
    probability: float
    page_revision: int


def _known_pairs(session: Session, wiki_id: int, pages: set[int]) -> dict[tuple[int, int], _Known]:
    """What is in the queue for these pages."""
    query = (
        select(
            Suggestion.page_id, Suggestion.target_id, Suggestion.id, Suggestion.state,
            Suggestion.revision_id, Suggestion.start, Suggestion.end, Suggestion.probability,
            Page.revision_id,
        )
        .join(Page, Page.id == Suggestion.page_id)
        .where(Suggestion.wiki_id == wiki_id)
    )  # fmt: skip
    asked = sorted(pages)
    found: dict[tuple[int, int], _Known] = {}
    for start in range(0, len(asked), 500):
        some = query.where(Suggestion.page_id.in_(asked[start : start + 500]))
        found |= {(row[0], row[1]): _Known(*row[2:]) for row in session.execute(some)}
    return found


def _wants_refresh(known: _Known, proposal: NewProposal) -> bool:
    moved = (known.revision_id, known.start, known.end) != (
        proposal.revision_id, proposal.start, proposal.end,
    )  # fmt: skip
    return known.state == "stale" or (known.state == "pending" and moved)


def _values(proposal: NewProposal, wiki_id: int, run_id: int | None) -> dict[str, Any]:
    now = datetime.now(timezone.utc)
    extra = {"wiki_id": wiki_id, "run_id": run_id, "state": "pending", "version": 1}
    return {**asdict(proposal), **extra, "created_at": now}


def _judgement(known: _Known, proposal: NewProposal) -> dict[str, Any]:
    """What was learned anew about a place; its version stays, so that a decision in the making holds."""
    judged = ("probability", "reasons", "priority")
    return {"id": known.id} | {name: getattr(proposal, name) for name in judged}


def _refresh(session: Session, known: _Known, proposal: NewProposal, run_id: int | None) -> None:
    values = {**asdict(proposal), "run_id": run_id, "state": "pending"}
    query = update(Suggestion).where(Suggestion.id == known.id)
    session.execute(query.values(**values, version=Suggestion.version + 1))


def _withdraw(
    session: Session,
    known: Mapping[tuple[int, int], _Known],
    offered: set[tuple[int, int]],
    asked: set[int],
    is_all: bool,
) -> int:
    """Waiting proposals that are not offered any more are stale, if all were or their page has moved on."""
    gone = [
        row.id
        for pair, row in known.items()
        if pair[0] in asked
        and pair not in offered
        and row.state == "pending"
        and (is_all or row.revision_id != row.page_revision)
    ]
    for start in range(0, len(gone), 500):
        query = update(Suggestion).where(Suggestion.id.in_(gone[start : start + 500]))
        session.execute(query.values(state="stale", version=Suggestion.version + 1))
    return len(gone)


def replace_models(
    session: Session, wiki_id: int, run_id: int, models: Iterable[Mapping[str, Any]]
) -> None:
    """These are the wiki's models, and no others."""
    session.execute(delete(Model).where(Model.wiki_id == wiki_id))
    now = datetime.now(timezone.utc)
    rows = [{**model, "wiki_id": wiki_id, "run_id": run_id, "created_at": now} for model in models]
    session.execute(insert(Model), rows)


def replace_model(session: Session, wiki_id: int, model: Mapping[str, Any]) -> None:
    """Another file takes the place of the model of its kind."""
    query = update(Model).where(Model.wiki_id == wiki_id, Model.kind == model["kind"])
    session.execute(query.values(path=model["path"], sha256=model["sha256"]))


def put_model(session: Session, wiki_id: int, model: Mapping[str, Any]) -> None:
    """The file is the wiki's model of its kind, beside the models of other kinds."""
    session.execute(delete(Model).where(Model.wiki_id == wiki_id, Model.kind == model["kind"]))
    row = {**model, "wiki_id": wiki_id, "run_id": None, "figures": {}}
    session.execute(insert(Model), [{**row, "created_at": datetime.now(timezone.utc)}])


def models_of(session: Session, wiki_id: int) -> dict[str, ModelRow]:
    """The wiki's models by kind."""
    columns = [getattr(Model, name) for name in ModelRow._fields]
    query = select(*columns).where(Model.wiki_id == wiki_id).order_by(Model.id)
    return {row.kind: ModelRow(*row) for row in session.execute(query)}


def model_paths(session: Session) -> set[str]:
    """The files of all models in the database."""
    return set(session.scalars(select(Model.path)))


def pending_count(session: Session, wiki_id: int) -> int:
    """How many proposals wait."""
    query = select(func.count()).select_from(Suggestion)
    query = query.where(Suggestion.wiki_id == wiki_id, Suggestion.state == "pending")
    return session.execute(query).scalar_one()


def most_likely(session: Session, wiki_id: int, most: int) -> list[NewProposal]:
    """The waiting proposals of the greatest probability, at most so many."""
    columns = [getattr(Suggestion, name) for name in NewProposal.__dataclass_fields__]
    query = (
        select(*columns)
        .where(Suggestion.wiki_id == wiki_id, Suggestion.state == "pending")
        .order_by(Suggestion.probability.desc(), Suggestion.page_id, Suggestion.start)
        .limit(most)
    )
    return [NewProposal(*row) for row in session.execute(query)]


class Drawn(NamedTuple):
    """A waiting proposal, as a reader needs it."""

    id: int
    page: str
    target: str
    target_summary: str
    anchor: str
    wikitext: str
    sentence: str
    probability: float
    reasons: list[dict[str, Any]]


def draw_waiting(session: Session, wiki_id: int, n: int, seed: int) -> tuple[list[Drawn], int]:
    """`n` waiting proposals at random, the same for the same seed, and how many wait."""
    waiting = select(Suggestion.id).where(
        Suggestion.wiki_id == wiki_id, Suggestion.state == "pending"
    )
    ids = sorted(session.scalars(waiting))
    chosen = random.Random(seed).sample(ids, min(n, len(ids)))
    target = aliased(Page)
    query = (
        select(
            Suggestion.id, Page.title, target.title, target.summary, Suggestion.anchor,
            Suggestion.wikitext, Suggestion.sentence, Suggestion.probability, Suggestion.reasons,
        )
        .join(Page, Page.id == Suggestion.page_id)
        .join(target, target.id == Suggestion.target_id)
        .where(Suggestion.id.in_(chosen))
    )  # fmt: skip
    found = {row[0]: Drawn(*row) for row in session.execute(query)}
    return [found[number] for number in chosen], len(ids)
