"""After a crash or a lost answer: the wiki's history says whether an edit was made.

An edit is ours if our id stands in its comment, or if it is by our user, on the base that we sent,
with the very text that we sent. Nothing is ever posted from here.
"""

from __future__ import annotations

from datetime import datetime, timezone
from itertools import islice

from wikibot.errors import OutcomeUnknown, WikiUnavailable
from wikibot.publish.desk import Desk, Outcome, wiki_time
from wikibot.site import history
from wikibot.site.history import LivePage
from wikibot.site.writing import Posted
from wikibot.store import outbox
from wikibot.store.outbox import OutboxRow

LOOK_EVERY_S = 5.0
FARTHEST_BACK = 500


def reconcile(desk: Desk) -> list[Outcome]:
    """No edit is left whose outcome is open; edits that were only planned are forgotten.

    Refuses with OutcomeUnknown while the wiki may still be working on one.
    """
    with desk.store.reading() as session:
        open_edits = outbox.in_flight(session, desk.wiki.id)
    outcomes = [settled_outcome(desk, row) for row in open_edits]
    with desk.store.writing() as session:
        outbox.drop_planned(session, desk.wiki.id)
    return outcomes


def read_settled(desk: Desk, title: str) -> LivePage:
    """The page as it stands, after every edit of ours on it is known.

    An edit that was given up as not arrived may arrive after all, as long as the wiki or something
    before it holds the request. The page is read first: what stands on it is in its history too.
    """
    live = history.read_live(desk.site, title)
    with desk.store.reading() as session:
        given_up = outbox.given_up(session, desk.wiki.id, title)
    for row in given_up:
        found = look(desk, row)
        if found is not None:
            record(desk, row, "done", "arrived late", found.revision)
    return live


def settled_outcome(desk: Desk, row: OutboxRow) -> Outcome:
    try:
        posted = settle(desk, row.id)
    except WikiUnavailable as error:
        return Outcome(row.title, "later", str(error), edit_id=row.id)
    return Outcome(
        row.title,
        "done",
        "Found in the page's history.",
        links=len(row.items),
        revision=posted.revision,
        edit_id=row.id,
    )


def settle(desk: Desk, edit_id: int) -> Posted:
    """The edit turned out to be made, and is written down as done.

    If it is not in the history once `settle_s` has passed, it was not made: WikiUnavailable. As
    long as that cannot be told: OutcomeUnknown.
    """
    row = the_row(desk, edit_id)
    while True:
        found = look(desk, row)
        if found is not None:
            record(desk, row, "done", "found in the page's history", found.revision)
            return found
        left = desk.settings.number("settle_s") - age_s(desk, row)
        if left <= 0:
            break
        desk.wait(min(left, LOOK_EVERY_S))
    sentence = f"The edit of “{row.title}” did not arrive: it is not in the page's history."
    record(desk, row, "later", sentence, None)
    raise WikiUnavailable(f"{sentence} Nothing was changed; run the same command again.")


def the_row(desk: Desk, edit_id: int) -> OutboxRow:
    with desk.store.reading() as session:
        rows = outbox.in_flight(session, desk.wiki.id)
    return next(row for row in rows if row.id == edit_id)


def look(desk: Desk, row: OutboxRow) -> Posted | None:
    """Our edit on the wiki, if it is there."""
    try:
        return in_history(desk, row) or among_contributions(desk, row)
    except WikiUnavailable as error:
        raise OutcomeUnknown(
            f"Whether the edit of “{row.title}” was made is not known, and the wiki cannot be "
            f"asked now: {error} Run `wikibot publish` again later."
        ) from error


def in_history(desk: Desk, row: OutboxRow) -> Posted | None:
    """Our edit among the page's revisions after the base."""
    for revision in islice(history.revisions(desk.site, title=row.title), FARTHEST_BACK):
        if revision.revision_id <= row.base_revision:
            return None
        is_copy = revision.parent_id == row.base_revision and revision.sha1 == row.sha1
        is_ours = revision.user == desk.account.name
        if is_ours and (row.marker in revision.comment or is_copy):
            return Posted(revision.revision_id, revision.parent_id)
    return None


def among_contributions(desk: Desk, row: OutboxRow) -> Posted | None:
    """Our edit wherever the page is now: it may have been moved since."""
    for made in history.contributions(desk.site, desk.account.name):
        if row.marker in made.comment:
            return Posted(made.revision_id, made.parent_id)
    return None


def age_s(desk: Desk, row: OutboxRow) -> float:
    """How long ago the edit left us, by the wiki's clock."""
    return (wiki_time(desk) - row.sent_at).total_seconds() if row.sent_at else float("inf")


def record(desk: Desk, row: OutboxRow, state: str, message: str, revision: int | None) -> None:
    with desk.store.writing() as session:
        outbox.finish(
            session,
            row.id,
            state,
            datetime.now(timezone.utc),
            message=message,
            new_revision=revision,
        )
    desk.reached("settled")
