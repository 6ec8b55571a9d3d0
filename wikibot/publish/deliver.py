"""One edit on its way: checked, written down, sent once, its outcome written down.

    check -> commit `planned` -> commit `sent` -> one POST -> commit the outcome -> verify

Whatever kills us between two of these, the next run finds the row and knows what may be true.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from datetime import datetime, timezone

from wikibot.errors import (
    OutcomeUnknown,
    SessionLost,
    UnsafeEdit,
    WikibotError,
    WikiRefused,
    WikiUnavailable,
)
from wikibot.publish.checks import check_before
from wikibot.publish.desk import Desk, Outcome, wiki_time
from wikibot.publish.reconcile import settle
from wikibot.site import connect, history
from wikibot.site.writing import EditRequest, Posted, post_edit
from wikibot.store import outbox
from wikibot.store.outbox import NewEdit


def deliver(desk: Desk, edit: NewEdit, base_text: str, *, versions: Mapping[int, int]) -> Outcome:
    """The edit is on the wiki once, or an error says that it is not, or not known to be.

    `versions` are the suggestions' versions that the edit was planned on. A dry run ends after
    the checks. Refused edits stay in the outbox as refused; nothing is tried twice but what the
    wiki put off.
    """
    keep_interval(desk)
    now = check_before(desk, edit)
    diff = unified_diff(edit.title, base_text, edit.text)
    if desk.is_dry_run:
        return Outcome(edit.title, "would", edit.summary, links=len(edit.items), diff=diff)
    with desk.store.writing() as session:
        edit_id = outbox.add(session, edit, now)
    desk.reached("planned")
    posted = send(desk, edit_id, edit, versions, now)
    message = verify(desk, edit, posted)
    return Outcome(
        edit.title,
        "done",
        message,
        links=len(edit.items),
        revision=posted.revision,
        edit_id=edit_id,
        diff=diff,
    )


def unified_diff(title: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), title, title, n=1, lineterm=""
    )
    return "\n".join(lines)


def keep_interval(desk: Desk) -> None:
    """The promised time has passed since our last edit, by the wiki's clock."""
    if desk.is_dry_run or not desk.edit_interval_s:
        return
    with desk.store.reading() as session:
        last = outbox.last_sent(session, desk.wiki.id)
    if last is not None:
        passed = (wiki_time(desk) - last).total_seconds()
        # A negative time means that a clock was set back; wait once, not for hours.
        desk.wait(min(max(desk.edit_interval_s - passed, 0.0), desk.edit_interval_s))


def send(
    desk: Desk, edit_id: int, edit: NewEdit, versions: Mapping[int, int], now: datetime
) -> Posted:
    """The edit was made; what the wiki puts off is tried again, a bounded number of times."""
    tries = desk.settings.whole("later_tries")
    for attempt in range(1, tries + 1):
        try:
            return send_once(desk, edit_id, edit, versions, now)
        except SessionLost as error:
            if attempt == tries:
                record(desk, edit_id, "refused", str(error))
                raise
            record(desk, edit_id, "later", str(error))
            connect.log_in_again(desk.site)
        except WikiUnavailable as error:
            record(desk, edit_id, "later", str(error))
            if attempt == tries:
                raise
            longest = desk.settings.number("longest_wait_s")
            desk.wait(min(max(error.retry_after_s, 2.0**attempt), longest))
            now = check_before(desk, edit)
    raise AssertionError("later_tries is at least 1")


def send_once(
    desk: Desk, edit_id: int, edit: NewEdit, versions: Mapping[int, int], now: datetime
) -> Posted:
    """One POST, its outcome in the outbox before anything else happens."""
    try:
        with desk.store.writing() as session:
            outbox.mark_sent(session, edit_id, now, versions=versions)
    except WikiRefused:
        with desk.store.writing() as session:
            outbox.drop(session, edit_id)
        raise
    desk.reached("sent")
    try:
        posted = post_edit(desk.site, request_for(desk, edit))
    except (SessionLost, WikiUnavailable):
        raise
    except OutcomeUnknown as error:
        record(desk, edit_id, "unknown", str(error))
        return settle(desk, edit_id)
    except (WikiRefused, UnsafeEdit) as error:
        record(desk, edit_id, "refused", str(error))
        raise
    desk.reached("answered")
    record(desk, edit_id, "done", None, posted.revision)
    desk.reached("finished")
    return posted


def request_for(desk: Desk, edit: NewEdit) -> EditRequest:
    return EditRequest(
        title=edit.title,
        text=edit.text,
        base_revision=edit.base_revision,
        summary=edit.summary,
        user=desk.account.name,
        tags=desk.tags,
        is_minor=edit.kind in ("page", "undo"),
    )


def record(
    desk: Desk, edit_id: int, state: str, message: str | None, revision: int | None = None
) -> None:
    with desk.store.writing() as session:
        outbox.finish(session, edit_id, state, now_here(), message=message, new_revision=revision)


def now_here() -> datetime:
    return datetime.now(timezone.utc)


def verify(desk: Desk, edit: NewEdit, posted: Posted) -> str:
    """The revision holds the text that was sent, or a merge of it; a sentence if it does not."""
    try:
        stored = history.text_of(desk.site, posted.revision)
    except WikibotError as error:
        return f"It was made but could not be read back: {error}"
    if stored == edit.text:
        return ""
    if posted.parent != edit.base_revision and all(
        i.wikitext in (stored or "") for i in edit.items
    ):
        return "The wiki merged it with an edit that somebody made in the same moment."
    return "The wiki stored another text than the one sent; look at the diff."
