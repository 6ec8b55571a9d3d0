"""After a crash or a lost answer: the wiki's history says whether an edit was made.

An edit is ours if its id stands in the comment, or if it is by our user, on the base that we sent,
with the very text that we sent, and without an id. A revision that may be ours and is hidden from us leaves the
outcome unknown. Nothing is ever posted from here.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from itertools import islice

from wikibot.errors import (
    AccountRefused,
    BadInput,
    EditLost,
    OutcomeHidden,
    OutcomeUnknown,
    WikiRefused,
    WikiUnavailable,
)
from wikibot.message import message, said
from wikibot.publish.publisher import Outcome, Publisher, wiki_time
from wikibot.publish.summary import MARKER_START
from wikibot.site import history
from wikibot.site.history import Contribution, LivePage, Revision
from wikibot.site.writing import Posted
from wikibot.store import Store, outbox
from wikibot.store.lock import only_one
from wikibot.store.outbox import OutboxRow

LOOK_EVERY_S = 5.0
FARTHEST_BACK = 500
# Nothing on the way to a wiki holds a request for longer; then an edit is given up for good.
GIVEN_UP_AFTER = timedelta(hours=24)


def reconcile(publisher: Publisher) -> list[Outcome]:
    """Settle every edit whose outcome is open; forget edits that were only planned.

    Refuses with OutcomeUnknown while the wiki may still be working on one.
    """
    with publisher.store.reading() as session:
        open_edits = outbox.in_flight(session, publisher.wiki.id)
    outcomes = [settled_outcome(publisher, row) for row in open_edits]
    with publisher.store.writing() as session:
        outbox.drop_planned(session, publisher.wiki.id)
    return [*outcomes, *find_late_arrivals(publisher)]


def find_late_arrivals(publisher: Publisher) -> list[Outcome]:
    """Edits that counted as lost and are among our contributions after all, noted as done.

    A page may have been moved, or deleted and restored, since we looked. What has not arrived
    after GIVEN_UP_AFTER is looked for no more.
    """
    lost = given_up(publisher)
    senders = {sender_of(publisher, row) for row in lost}
    made = {name: history.contributions(publisher.site, name) for name in sorted(senders)}
    outcomes = []
    for row in lost:
        posted = with_our_id(made[sender_of(publisher, row)], row)
        if posted is not None:
            record(publisher, row, "done", "arrived late", posted.revision)
            outcomes.append(arrived(row, posted, message("arrived-late")))
        elif row.state == "later" and is_long_ago(row):
            record(publisher, row, "expired", "It did not arrive within a day.", None)
    return outcomes


def is_long_ago(row: OutboxRow) -> bool:
    """Was the edit given up long ago, by our own clock?"""
    return row.finished_at is None or now_here() - row.finished_at >= GIVEN_UP_AFTER


def read_settled(publisher: Publisher, title: str) -> LivePage:
    """The page as it stands, after every edit of ours on it is known."""
    live = history.read_live(publisher.site, title)
    settle_late_arrivals(publisher, {title, live.title})
    return live


def read_page_of(publisher: Publisher, row: OutboxRow) -> LivePage | None:
    """The page on which our edit stands now, wherever it was moved; None if it was deleted."""
    revision = row.new_revision or 0
    page_id = history.pages_of_revisions(publisher.site, [revision]).get(revision)
    if page_id is None:
        return None
    live = history.read_live(publisher.site, page_id=page_id)
    settle_late_arrivals(publisher, {row.title, live.title})
    return live if live.exists else None


def settle_late_arrivals(publisher: Publisher, titles: set[str]) -> None:
    """Note the edits of these pages that were given up and arrived after all.

    The wiki, or something before it, may hold a request for long. The page was read first: what
    stands on it is in its history too. A dry run refuses instead, for it writes nothing.
    """
    for row in given_up(publisher, titles):
        found = look(publisher, row)
        if found is None:
            continue
        if publisher.is_dry_run:
            raise WikiRefused(message("arrived-in-a-dry-run", row.title, found.revision))
        record(publisher, row, "done", "arrived late", found.revision)


def given_up(publisher: Publisher, titles: set[str] | None = None) -> list[OutboxRow]:
    """Edits of these pages, or of all, that left us and did not arrive as far as we know."""
    with publisher.store.reading() as session:
        since = now_here() - GIVEN_UP_AFTER
        return outbox.given_up(session, publisher.wiki.id, refused_since=since, titles=titles)


def settled_outcome(publisher: Publisher, row: OutboxRow) -> Outcome:
    try:
        posted = settle(publisher, row.id)
    except EditLost as error:
        return Outcome(row.title, "later", said(error), edit_id=row.id)
    except OutcomeHidden as error:
        record(publisher, row, "unknown", said(error), None)
        return Outcome(row.title, "unknown", said(error), edit_id=row.id)
    return arrived(row, posted, message("found-in-history"))


def settle_by_hand(store: Store, edit_id: int, *, is_made: bool) -> OutboxRow:
    """The edit is what a person says it is, who has seen what the wiki hides from us.

    Refuses an edit whose outcome is known, or can still be found out.
    """
    with only_one(store, "publish"), store.writing() as session:
        row = outbox.find(session, edit_id)
        if row is None or row.state != "unknown":
            state = f"is {row.state}" if row else "does not exist"
            raise BadInput(message("settled-by-hand-only-unknown", edit_id, state))
        state = "done" if is_made else "prevented"
        made = "made" if is_made else "not made"
        told = f"Settled by hand: it was {made}."
        outbox.finish(session, edit_id, state, now_here(), message=told)
    return row


def arrived(row: OutboxRow, posted: Posted, told: str) -> Outcome:
    return Outcome(
        row.title,
        "done",
        told,
        links=len(row.items),
        proposals=tuple(item.suggestion_id for item in row.items),
        revision=posted.revision,
        edit_id=row.id,
        batch=row.batch if row.kind != "undo" else "",
    )


def settle(publisher: Publisher, edit_id: int) -> Posted:
    """The edit turned out to be made, and is written down as done.

    If it is not in the history once `settle_s` has passed, by the wiki's clock since it was sent
    or by ours since we look, it was not made: EditLost. As long as that cannot be told:
    OutcomeUnknown.
    """
    row = the_row(publisher, edit_id)
    patience_s = publisher.settings.number("settle_s")
    looking_since = time.monotonic()
    while True:
        found = look(publisher, row)
        if found is not None:
            record(publisher, row, "done", "found in the page's history", found.revision)
            return found
        passed_s = max(age_s(publisher, row), time.monotonic() - looking_since)
        if passed_s >= patience_s:
            break
        publisher.wait(min(patience_s - passed_s, LOOK_EVERY_S))
    sentence = message("edit-did-not-arrive", row.title)
    record(publisher, row, "later", sentence, None)
    raise EditLost(message("edit-lost", sentence))


def the_row(publisher: Publisher, edit_id: int) -> OutboxRow:
    with publisher.store.reading() as session:
        return outbox.edit(session, edit_id)


def look(publisher: Publisher, row: OutboxRow) -> Posted | None:
    """Our edit on the wiki, if it is there; refuses while that cannot be told."""
    try:
        return in_history(publisher, row) or among_contributions(publisher, row)
    except (AccountRefused, WikiUnavailable) as error:
        raise OutcomeUnknown(message("outcome-cannot-be-asked", row.title, said(error))) from error


def in_history(publisher: Publisher, row: OutboxRow) -> Posted | None:
    """Our edit among the revisions after the base, on the page where the base is now."""
    hidden = None
    page_id = history.pages_of_revisions(publisher.site, [row.base_revision]).get(
        row.base_revision, 0
    )
    newest_first = history.revisions(publisher.site, title=row.title, page_id=page_id)
    for revision in islice(newest_first, FARTHEST_BACK):
        if revision.revision_id <= row.base_revision:
            break
        if is_ours(publisher, row, revision):
            return Posted(revision.revision_id, revision.parent_id)
        if may_be_ours(publisher, row, revision):
            hidden = revision
    if hidden is None:
        return None
    if (found := among_contributions(publisher, row)) is not None:
        return found
    raise OutcomeHidden(message("outcome-hidden", row.title, hidden.revision_id, row.id))


def is_ours(publisher: Publisher, row: OutboxRow, revision: Revision) -> bool:
    """Does the revision carry this edit's id, or its text on its base and no id, in our name?

    Another attempt at the same edit has the same text and an id of its own.
    """
    is_copy = revision.parent_id == row.base_revision and revision.sha1 == row.sha1
    is_copy = is_copy and MARKER_START not in revision.comment
    is_by_sender = revision.user == sender_of(publisher, row)
    return is_by_sender and (row.marker in revision.comment or is_copy)


def sender_of(publisher: Publisher, row: OutboxRow) -> str:
    """The account that sent the edit, which may be another than the one that looks for it now."""
    return row.sender or publisher.account.name


def may_be_ours(publisher: Publisher, row: OutboxRow, revision: Revision) -> bool:
    """Is hidden whatever would tell that the revision is not ours?"""
    is_by_another = "user" not in revision.hidden and revision.user != sender_of(publisher, row)
    is_on_our_base = revision.parent_id == row.base_revision
    is_another_text = is_on_our_base and bool(revision.sha1) and revision.sha1 != row.sha1
    return "comment" in revision.hidden and not is_by_another and not is_another_text


def among_contributions(publisher: Publisher, row: OutboxRow) -> Posted | None:
    """Our edit wherever the page is now: it may have been moved since."""
    return with_our_id(history.contributions(publisher.site, sender_of(publisher, row)), row)


def with_our_id(contributions: Sequence[Contribution], row: OutboxRow) -> Posted | None:
    made = (one for one in contributions if row.marker in one.comment)
    return next((Posted(one.revision_id, one.parent_id) for one in made), None)


def age_s(publisher: Publisher, row: OutboxRow) -> float:
    """How long ago the edit left us, by the wiki's clock."""
    return (wiki_time(publisher) - row.sent_at).total_seconds() if row.sent_at else float("inf")


def now_here() -> datetime:
    """Our own clock."""
    return datetime.now(timezone.utc)


def record(
    publisher: Publisher, row: OutboxRow, state: str, message: str, revision: int | None
) -> None:
    """The edit's outcome is in the outbox."""
    with publisher.store.writing() as session:
        outbox.finish(session, row.id, state, now_here(), message=message, new_revision=revision)
    publisher.reached("settled")
