"""One edit on its way: checked, written down, sent once, its outcome written down.

    check -> commit `planned` -> commit `sent` -> one POST -> look -> commit the outcome

No answer is believed before the page's history was looked at: a proxy can say no to an edit that
was made, or yes to one that was not. Whatever kills us between two of these, the next run finds the row and knows what may be true.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from wikibot.diff import rows
from wikibot.errors import (
    EditRefused,
    NeverLeft,
    OutcomeUnknown,
    SessionLost,
    UnsafeEdit,
    WikibotError,
    WikiRefused,
    WikiUnavailable,
)
from wikibot.message import message, said
from wikibot.plan import PlannedEdit
from wikibot.publish.checks import check_before
from wikibot.publish.publisher import Outcome, Publisher, wiki_time
from wikibot.publish.reconcile import is_ours, look, now_here, settle, the_row
from wikibot.site import connect, history
from wikibot.site.history import Revision
from wikibot.site.writing import EditRequest, post_edit
from wikibot.store import outbox
from wikibot.store.outbox import NewEdit

MADE_ANYWAY = message("made-anyway")


def send_edit(
    publisher: Publisher, edit: NewEdit, base_text: str, *, versions: Mapping[int, int]
) -> Outcome:
    """The edit is on the wiki once, or an error says that it is not, or not known to be.

    `versions` are the suggestions' versions that the edit was planned on. A dry run ends after
    the checks. Refused edits stay in the outbox as refused; nothing is tried twice but what the
    wiki put off.
    """
    keep_interval(publisher)
    now = check_before(publisher, edit)
    diff = unified_diff(edit.title, base_text, edit.text)
    if publisher.is_dry_run:
        return would(edit, base_text, diff)
    with publisher.store.writing() as session:
        edit_id = outbox.add(session, edit, now)
    publisher.reached("planned")
    made = send(publisher, edit_id, edit, versions, now)
    return Outcome(
        edit.title,
        "done",
        made.message,
        links=len(edit.items),
        proposals=tuple(item.suggestion_id for item in edit.items),
        revision=made.revision,
        edit_id=edit_id,
        diff=diff,
        batch=edit.batch if edit.kind != "undo" else "",
    )


def would(edit: NewEdit, base_text: str, diff: str) -> Outcome:
    """What a dry run says of an edit that nothing speaks against."""
    plan = PlannedEdit(
        edit.title, edit.base_revision, base_text, edit.text, edit.items, links=(), left_out=()
    )
    return Outcome(
        edit.title,
        "would",
        edit.summary,
        links=len(edit.items),
        proposals=tuple(item.suggestion_id for item in edit.items),
        diff=diff,
        rows=tuple(rows(plan)) if edit.kind == "page" else (),
    )


@dataclass(frozen=True, slots=True)
class Made:
    """An edit that is on the wiki; `message` says what is odd about it."""

    revision: int
    message: str = ""


def unified_diff(title: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), title, title, n=1, lineterm=""
    )
    return "\n".join(lines)


def keep_interval(publisher: Publisher) -> None:
    """The promised time has passed since our last edit, by the wiki's clock."""
    if publisher.is_dry_run or not publisher.edit_interval_s:
        return
    with publisher.store.reading() as session:
        last = outbox.last_sent(session, publisher.wiki.id)
    if last is not None:
        passed = (wiki_time(publisher) - last).total_seconds()
        # A negative time means that a clock was set back; wait once, not for hours.
        publisher.wait(min(max(publisher.edit_interval_s - passed, 0.0), publisher.edit_interval_s))


def send(
    publisher: Publisher, edit_id: int, edit: NewEdit, versions: Mapping[int, int], now: datetime
) -> Made:
    """The edit was made; what the wiki puts off is tried again, a bounded number of times."""
    tries = publisher.settings.whole("later_tries")
    for attempt in range(1, tries + 1):
        try:
            return send_once(publisher, edit_id, edit, versions, now)
        except SessionLost as error:
            record(publisher, edit_id, "later", said(error))
            connect.log_in_again(publisher.site)
            found = look(publisher, the_row(publisher, edit_id))
            if found is not None:
                record(publisher, edit_id, "done", said(error), found.revision)
                return Made(found.revision, MADE_ANYWAY)
            if attempt == tries:
                raise
        except WikiUnavailable as error:
            record(publisher, edit_id, "later", said(error))
            if attempt == tries:
                raise
            longest = publisher.settings.number("longest_wait_s")
            publisher.wait(min(max(error.retry_after_s, 2.0**attempt), longest))
            now = check_before(publisher, edit)
    raise AssertionError("later_tries is at least 1")


def send_once(
    publisher: Publisher, edit_id: int, edit: NewEdit, versions: Mapping[int, int], now: datetime
) -> Made:
    """One POST, its outcome in the outbox before anything else happens."""
    try:
        with publisher.store.writing() as session:
            outbox.mark_sent(session, edit_id, now, versions=versions)
    except WikiRefused:
        with publisher.store.writing() as session:
            outbox.drop(session, edit_id)
        raise
    publisher.reached("sent")
    try:
        made = post_and_look(publisher, edit_id, edit)
    except OutcomeUnknown as error:
        record(publisher, edit_id, "unknown", said(error))
        return Made(settle(publisher, edit_id).revision)
    except (SessionLost, WikiUnavailable):
        raise
    except (EditRefused, UnsafeEdit) as error:
        record(publisher, edit_id, "refused", said(error))
        raise
    except WikiRefused as error:
        record(publisher, edit_id, "prevented", said(error))
        raise
    record(publisher, edit_id, "done", None, made.revision)
    publisher.reached("finished")
    return made


def post_and_look(publisher: Publisher, edit_id: int, edit: NewEdit) -> Made:
    """One POST; the edit is on the wiki, whatever the answer was, or the answer's error is raised.

    Refuses with OutcomeUnknown if answer and history do not agree. After SessionLost the history
    can only be looked at by a new session.
    """
    row = the_row(publisher, edit_id)
    try:
        posted = post_edit(publisher.site, request_for(publisher, edit))
    except (NeverLeft, SessionLost, UnsafeEdit, OutcomeUnknown):
        raise
    except WikibotError:
        found = look(publisher, row)
        if found is None:
            raise
        return Made(found.revision, MADE_ANYWAY)
    publisher.reached("answered")
    try:
        stored = history.revision(publisher.site, posted.revision)
    except WikibotError as error:
        return Made(posted.revision, message("made-but-unread", said(error)))
    if stored is None or not (stored.hidden or is_ours(publisher, row, stored)):
        raise OutcomeUnknown(message("revision-not-ours", edit.title, posted.revision))
    return Made(posted.revision, difference(edit, stored))


def request_for(publisher: Publisher, edit: NewEdit) -> EditRequest:
    return EditRequest(
        title=edit.title,
        text=edit.text,
        base_revision=edit.base_revision,
        summary=edit.summary,
        user=publisher.account.name,
        tags=publisher.tags,
        is_minor=edit.kind in ("page", "undo"),
        is_bot=publisher.is_bot,
    )


def record(
    publisher: Publisher, edit_id: int, state: str, message: str | None, revision: int | None = None
) -> None:
    with publisher.store.writing() as session:
        outbox.finish(session, edit_id, state, now_here(), message=message, new_revision=revision)


def difference(edit: NewEdit, stored: Revision) -> str:
    """A sentence if the revision holds another text than the one sent, be it a merge of it."""
    if stored.text == edit.text or "text" in stored.hidden:
        return ""
    is_merged = stored.parent_id != edit.base_revision
    if is_merged and all(item.wikitext in stored.text for item in edit.items):
        return message("merged-by-wiki")
    return message("stored-otherwise")
