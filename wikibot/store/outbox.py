"""The outbox: every edit is written down before it leaves, and its outcome when it is known.

    planned -> sent -> done | refused | prevented | later | unknown
                       later -> done | expired

`refused` is about the edit: the wiki does not want it, and it is not sent again by itself.
`prevented` is about the moment: the page was deleted, moved or protected, or the account blocked,
between the last look and the edit; the next run plans the page as it is then. A row in `sent` or `unknown` may be on the wiki or not; only the page's history can tell, and until
it has, the unique index keeps any other edit of that page away.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, CursorResult, Select, delete, func, select, update
from sqlalchemy.orm import Session, aliased

from wikibot.errors import WikiRefused
from wikibot.message import message, restored, stored
from wikibot.plan import ApprovedLink, OwnEdit, Placed
from wikibot.store.tables import Decision, Outbox, OutboxItem, Page, Suggestion

IN_FLIGHT = ("sent", "unknown")
SAID_NO = ("refused", "prevented")
STATES = ("planned", "later", *IN_FLIGHT, *SAID_NO, "done")
# Undoing an edit takes its links away again; what is proposed on a talk page stays open.
STATE_WHEN_DONE = {"page": "published", "undo": "undone"}
STATE_NEEDED = {"page": ("approved",), "undo": ("published", "kept", "reverted")}


@dataclass(frozen=True, slots=True)
class NewEdit:
    """An edit to be written down; `items` are its suggestions, at their places in the base text.

    `sender` is the account that makes it.
    """

    wiki_id: int
    batch: str
    kind: str
    title: str
    page_id: int | None
    base_revision: int
    text: str
    sha1: str
    summary: str
    marker: str
    items: tuple[Placed, ...]
    sender: str | None


@dataclass(frozen=True, slots=True)
class OutboxRow(NewEdit):
    """An edit in the outbox."""

    id: int
    state: str
    attempts: int
    message: str | None
    new_revision: int | None
    fate: str | None
    created_at: datetime
    sent_at: datetime | None
    finished_at: datetime | None


def links_of_page(session: Session, page_id: int, states: Sequence[str]) -> list[ApprovedLink]:
    """The page's suggestions in these states, in the order of its text, with their approvers."""
    return _links(session, Suggestion.page_id == page_id, Suggestion.state.in_(states))


def links_with_ids(session: Session, suggestion_ids: Collection[int]) -> list[ApprovedLink]:
    """These suggestions, whatever their state."""
    return _links(session, Suggestion.id.in_(suggestion_ids))


def links_of_wiki(
    session: Session, wiki_id: int, states: Sequence[str], *, limit: int
) -> list[ApprovedLink]:
    """The most probable suggestions of a wiki in these states."""
    query = (
        select(Suggestion.id)
        .where(Suggestion.wiki_id == wiki_id, Suggestion.state.in_(states))
        .order_by(Suggestion.probability.desc(), Suggestion.id)
        .limit(limit)
    )
    return links_with_ids(session, list(session.scalars(query)))


def _links(session: Session, *conditions: ColumnElement[bool]) -> list[ApprovedLink]:
    page, target = aliased(Page), aliased(Page)
    query = (
        select(Suggestion, page.title, target.title)
        .join(page, page.id == Suggestion.page_id)
        .join(target, target.id == Suggestion.target_id)
        .where(*conditions)
        .order_by(page.title, Suggestion.start, Suggestion.id)
    )
    rows = session.execute(query).all()
    said = standing(session, [row.id for row, _, _ in rows])
    redirects = _redirects_to(session, {row.target_id for row, _, _ in rows})
    return [_link(row, on, to, said.get(row.id), redirects[row.target_id]) for row, on, to in rows]


def _redirects_to(session: Session, page_ids: Collection[int]) -> dict[int, list[str]]:
    query = select(Page.redirect_id, Page.title).where(Page.redirect_id.in_(page_ids))
    found: dict[int, list[str]] = {page_id: [] for page_id in page_ids}
    for end, title in session.execute(query):
        if end is not None:
            found[end].append(title)
    return found


def standing(session: Session, suggestion_ids: Collection[int]) -> dict[int, Decision]:
    """The newest approval or rejection of each suggestion that was not taken back."""
    query = (
        select(Decision)
        .where(Decision.suggestion_id.in_(suggestion_ids))
        .where(Decision.verdict.in_(("approve", "reject")), Decision.undone.is_(False))
        .order_by(Decision.id)
    )
    return {row.suggestion_id: row for row in session.scalars(query)}


def _link(
    row: Suggestion, page: str, target: str, said: Decision | None, redirects: Sequence[str]
) -> ApprovedLink:
    return ApprovedLink(
        id=row.id,
        version=row.version,
        state=row.state,
        page=page,
        revision_id=row.revision_id,
        start=row.start,
        end=row.end,
        anchor=row.anchor,
        target=target,
        wikitext=row.wikitext,
        sentence_start=row.sentence_start,
        sentence_end=row.sentence_end,
        sentence=row.sentence,
        probability=row.probability,
        approver=said.reviewer if said else "",
        is_wiki_user=said is not None and said.source == "talk",
        redirects=tuple(redirects),
    )


def add(session: Session, edit: NewEdit, now: datetime) -> int:
    """The edit is written down as planned; its number.

    Refuses a second edit of a page whose first one is still on its way.
    """
    busy = session.scalar(
        select(Outbox.id).where(
            Outbox.wiki_id == edit.wiki_id,
            Outbox.title == edit.title,
            Outbox.state.in_(("planned", *IN_FLIGHT)),
        )
    )
    if busy is not None:
        raise WikiRefused(message("edit-on-its-way", busy, edit.title))
    row = Outbox(
        **{name: getattr(edit, name) for name in NewEdit.__slots__ if name != "items"},
        created_at=now,
        items=[OutboxItem(**_item(item)) for item in edit.items],
    )
    session.add(row)
    session.flush()
    return row.id


def _item(item: Placed) -> dict[str, Any]:
    return {
        "suggestion_id": item.suggestion_id,
        "start": item.start,
        "end": item.end,
        "wikitext": item.wikitext,
    }


def mark_sent(
    session: Session, edit_id: int, now: datetime, *, versions: Mapping[int, int]
) -> None:
    """The edit counts as sent from here on; refuses if an approval in it no longer stands.

    `versions` are the suggestions' versions on which the edit was planned.
    """
    row = session.get_one(Outbox, edit_id)
    needed = STATE_NEEDED.get(row.kind)
    for suggestion_id, version in versions.items():
        suggestion = session.get(Suggestion, suggestion_id)
        if suggestion is None or suggestion.version != version:
            raise withdrawn(row.title, suggestion_id)
        if needed and suggestion.state not in needed:
            raise withdrawn(row.title, suggestion_id)
    _move(session, edit_id, ("planned", "later"), state="sent", sent_at=now)
    session.execute(update(Outbox).where(Outbox.id == edit_id).values(attempts=Outbox.attempts + 1))


def withdrawn(title: str, suggestion_id: int) -> WikiRefused:
    return WikiRefused(message("decided-otherwise", suggestion_id, title))


def finish(
    session: Session,
    edit_id: int,
    state: str,
    now: datetime,
    *,
    message: str | None = None,
    new_revision: int | None = None,
) -> None:
    """The edit's outcome is written down; a done one carries its suggestions along."""
    _move(
        session,
        edit_id,
        ("planned", "sent", "unknown", "later", *SAID_NO),
        state=state,
        message=message and stored(message),
        new_revision=new_revision,
        finished_at=None if state == "unknown" else now,
    )
    kind = session.execute(select(Outbox.kind).where(Outbox.id == edit_id)).scalar_one()
    if state == "done" and kind in STATE_WHEN_DONE:
        ids = select(OutboxItem.suggestion_id).where(OutboxItem.outbox_id == edit_id)
        set_states(session, list(session.scalars(ids)), STATE_WHEN_DONE[kind])


def _move(session: Session, edit_id: int, sources: Sequence[str], **values: Any) -> None:
    result = session.execute(
        update(Outbox)
        .where(Outbox.id == edit_id, Outbox.state.in_(sources))
        .values(**values)
        .execution_options(synchronize_session=False)
    )
    assert isinstance(result, CursorResult)
    if result.rowcount != 1:
        raise WikiRefused(message("settled-elsewhere", edit_id))


def set_states(session: Session, suggestion_ids: Iterable[int], state: str) -> None:
    """The suggestions are in this state, with a version that tells every reader so."""
    session.execute(
        update(Suggestion)
        .where(Suggestion.id.in_(list(suggestion_ids)), Suggestion.state != state)
        .values(state=state, version=Suggestion.version + 1)
        .execution_options(synchronize_session=False)
    )


def drop_planned(session: Session, wiki_id: int) -> None:
    """Edits that were planned and never sent are forgotten; they are planned again."""
    ids = select(Outbox.id).where(Outbox.wiki_id == wiki_id, Outbox.state == "planned")
    for table, column in ((OutboxItem, OutboxItem.outbox_id), (Outbox, Outbox.id)):
        session.execute(
            delete(table).where(column.in_(ids)).execution_options(synchronize_session=False)
        )


def drop(session: Session, edit_id: int) -> None:
    """One planned edit is forgotten."""
    row = session.get(Outbox, edit_id)
    if row is not None and row.state == "planned":
        session.delete(row)


def in_flight(session: Session, wiki_id: int) -> list[OutboxRow]:
    """The edits whose outcome only the wiki's history knows."""
    query = select(Outbox).where(Outbox.wiki_id == wiki_id, Outbox.state.in_(IN_FLIGHT))
    return [_row(row) for row in session.scalars(query.order_by(Outbox.id))]


def given_up(
    session: Session,
    wiki_id: int,
    *,
    refused_since: datetime,
    titles: Collection[str] | None = None,
) -> list[OutboxRow]:
    """Edits of these pages, or of all, that left us and did not arrive, as far as we know.

    A second attempt that is refused says nothing about the first.
    """
    put_off = (Outbox.state == "later") & (Outbox.attempts >= 1)
    refused = Outbox.state.in_(SAID_NO) & (Outbox.attempts >= 2)
    refused &= Outbox.finished_at >= refused_since
    query = select(Outbox).where(Outbox.wiki_id == wiki_id, put_off | refused)
    if titles is not None:
        query = query.where(Outbox.title.in_(titles))
    return [_row(row) for row in session.scalars(query.order_by(Outbox.id))]


def lost_titles(session: Session, wiki_id: int) -> set[str]:
    """The pages whose edits were sent and did not arrive, as far as we know."""
    query = select(Outbox.title).where(
        Outbox.wiki_id == wiki_id, Outbox.state == "later", Outbox.attempts >= 1
    )
    return set(session.scalars(query))


def edit(session: Session, edit_id: int) -> OutboxRow:
    """One edit in the outbox."""
    return _row(session.get_one(Outbox, edit_id))


def find(session: Session, edit_id: int) -> OutboxRow | None:
    """One edit in the outbox, if it is there."""
    row = session.get(Outbox, edit_id)
    return None if row is None else _row(row)


def edits(
    session: Session,
    wiki_id: int,
    *,
    batch: str | None = None,
    kinds: Sequence[str] = (),
    states: Sequence[str] = (),
    limit: int | None = None,
) -> list[OutboxRow]:
    """Edits in the outbox, newest first."""
    query = select(Outbox).where(Outbox.wiki_id == wiki_id)
    if batch is not None:
        query = query.where(Outbox.batch == batch)
    if kinds:
        query = query.where(Outbox.kind.in_(kinds))
    if states:
        query = query.where(Outbox.state.in_(states))
    return [_row(row) for row in session.scalars(query.order_by(Outbox.id.desc()).limit(limit))]


def edit_with(session: Session, suggestion_id: int) -> OutboxRow | None:
    """The newest finished edit that put this suggestion on its page."""
    query = (
        select(Outbox)
        .join(OutboxItem, OutboxItem.outbox_id == Outbox.id)
        .where(
            OutboxItem.suggestion_id == suggestion_id,
            Outbox.kind == "page",
            Outbox.state == "done",
        )
        .order_by(Outbox.id.desc())
        .limit(1)
    )
    row = session.scalar(query)
    return None if row is None else _row(row)


def own_edits(session: Session, page_id: int) -> list[OwnEdit]:
    """What we have done to a page, oldest first: from which revision to which, with what."""
    query = (
        select(Outbox)
        .where(Outbox.page_id == page_id, Outbox.kind == "page", Outbox.state == "done")
        .order_by(Outbox.id)
    )
    return [
        OwnEdit(row.base_revision, row.new_revision, row.text, _placed(row))
        for row in session.scalars(query)
        if row.new_revision is not None
    ]


def states_of(session: Session, suggestion_ids: Collection[int]) -> dict[int, str]:
    """The suggestions that exist, each with its state."""
    query = select(Suggestion.id, Suggestion.state).where(Suggestion.id.in_(suggestion_ids))
    return dict(session.execute(query).all())


def versions_in(
    session: Session, wiki_id: int, state: str, *, approver: str | None = None
) -> dict[int, int]:
    """The version of each of a wiki's suggestions in a state, of those that APPROVER approved."""
    query = select(Suggestion.id, Suggestion.version).where(
        Suggestion.wiki_id == wiki_id, Suggestion.state == state
    )
    if approver is not None:
        theirs = select(Decision.suggestion_id).where(
            Decision.reviewer == approver,
            Decision.verdict == "approve",
            Decision.undone.is_(False),
        )
        query = query.where(Suggestion.id.in_(theirs))
    return dict(session.execute(query).all())


def count_pages(session: Session, suggestion_ids: Collection[int]) -> int:
    """How many pages the suggestions are about."""
    query = select(func.count(Suggestion.page_id.distinct()))
    return session.scalar(query.where(Suggestion.id.in_(suggestion_ids))) or 0


def versions_of(session: Session, suggestion_ids: Collection[int]) -> dict[int, int]:
    """The suggestions' versions now."""
    query = select(Suggestion.id, Suggestion.version).where(Suggestion.id.in_(suggestion_ids))
    return dict(session.execute(query).all())


def last_sent(session: Session, wiki_id: int) -> datetime | None:
    """When the newest edit left us, by the wiki's clock."""
    return session.scalar(select(func.max(Outbox.sent_at)).where(Outbox.wiki_id == wiki_id))


def count_sent(
    session: Session,
    wiki_id: int,
    *,
    since: datetime,
    title: str | None = None,
    page_id: int | None = None,
) -> int:
    """How many edits were made since then, of this page or of all; those with an open outcome count."""
    query = select(func.count()).where(
        Outbox.wiki_id == wiki_id,
        Outbox.sent_at >= since,
        Outbox.state.in_(("done", *IN_FLIGHT)),
        Outbox.kind != "undo",
    )
    if title is not None:
        # A page that was moved since is the same page.
        is_same = Outbox.title == title
        if page_id is not None:
            is_same |= (Outbox.page_id == page_id) & (Outbox.kind == "page")
        query = query.where(is_same)
    return session.execute(query).scalar_one()


def refused_before(session: Session, edit: NewEdit) -> str | None:
    """What the wiki said when it refused this text on this revision, if it did."""
    query = (
        select(Outbox.message)
        .where(
            Outbox.wiki_id == edit.wiki_id,
            Outbox.title == edit.title,
            Outbox.base_revision == edit.base_revision,
            Outbox.state == "refused",
        )
        .where(Outbox.id.in_(_with_same_items(edit)) if edit.items else Outbox.sha1 == edit.sha1)
        .order_by(Outbox.id.desc())
        .limit(1)
    )
    found = session.scalar(query)
    return found and restored(found)


def _with_same_items(edit: NewEdit) -> Select[Any]:
    """Edits that hold all of this one's suggestions, whatever marker their text carries."""
    ids = [item.suggestion_id for item in edit.items]
    return (
        select(OutboxItem.outbox_id)
        .where(OutboxItem.suggestion_id.in_(ids))
        .group_by(OutboxItem.outbox_id)
        .having(func.count() == len(ids))
    )


def sent_before(
    session: Session, wiki_id: int, title: str, kinds: Sequence[str], *, page_id: int | None
) -> set[int]:
    """The suggestions that we have put on this talk page or work list at any time.

    `page_id` is the article that a talk page is about: both may have had another title then.
    """
    is_there = Outbox.title == title
    if page_id is not None:
        is_there |= Outbox.page_id == page_id
    query = (
        select(OutboxItem.suggestion_id)
        .join(Outbox, Outbox.id == OutboxItem.outbox_id)
        .where(
            Outbox.wiki_id == wiki_id,
            is_there,
            Outbox.kind.in_(kinds),
            Outbox.state == "done",
        )
    )
    return set(session.scalars(query))


def record_revert(
    session: Session, suggestion_id: int, *, user: str, at: datetime, comment: str
) -> None:
    """Somebody took the link out again: the suggestion is reverted, and that is a rejection."""
    row = session.get_one(Suggestion, suggestion_id)
    if row.state == "reverted":
        return
    before = {name: getattr(row, name) for name in ("state", "start", "end", "anchor", "wikitext")}
    session.add(
        Decision(
            suggestion_id=suggestion_id,
            verdict="reject",
            reason="other",
            note=comment or None,
            reviewer=user,
            source="watch",
            decided_at=at,
            before=before,
        )
    )
    set_states(session, [suggestion_id], "reverted")


def keep(session: Session, suggestion_ids: Sequence[int]) -> None:
    """The links stand on their pages; if they were taken out before, that was undone since."""
    set_states(session, suggestion_ids, "kept")
    session.execute(
        update(Decision)
        .where(Decision.suggestion_id.in_(suggestion_ids), Decision.source == "watch")
        .where(Decision.undone.is_(False))
        .values(undone=True)
    )


def set_fate(session: Session, edit_id: int, fate: str) -> None:
    """What became of the edit is written down."""
    session.execute(update(Outbox).where(Outbox.id == edit_id).values(fate=fate))


def _row(row: Outbox) -> OutboxRow:
    names = (field.name for field in fields(OutboxRow) if field.name != "items")
    found = OutboxRow(**{name: getattr(row, name) for name in names}, items=_placed(row))
    return replace(found, message=found.message and restored(found.message))


def _placed(row: Outbox) -> tuple[Placed, ...]:
    return tuple(
        Placed(item.suggestion_id, item.start, item.end, item.wikitext) for item in row.items
    )
