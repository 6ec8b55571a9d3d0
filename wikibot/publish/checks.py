"""What must be true before an edit may leave, in the order in which it is asked.

The shut-off page, the page's revision, exclusion, protection, the caps, the text. The approval is
looked at last of all, in the same transaction that marks the edit as sent.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from wikibot.errors import (
    AccountRefused,
    BadWikitext,
    EditConflict,
    Excluded,
    Protected,
    ShutOff,
    UnsafeEdit,
    WikibotError,
    WikiRefused,
    WikiUnavailable,
)
from wikibot.message import message, said
from wikibot.publish.publisher import Publisher, unreadable
from wikibot.site import history, writing
from wikibot.site.history import Barrier, LivePage
from wikibot.store import outbox
from wikibot.store.outbox import NewEdit
from wikibot.wikitext import PageText, read_page

# What the shut-off page may say while the bot runs.
RUN_WORDS = frozenset(("run", "on", "yes", "enabled", "true"))
A_DAY = timedelta(hours=24)
# How much of a difference is shown.
SHOWN_CHARACTERS = 40


def check_before(publisher: Publisher, edit: NewEdit) -> datetime:
    """Nothing speaks against sending this edit now, by the wiki's clock; else the error it is."""
    check_shutoff(publisher)
    live = history.read_live(publisher.site, edit.title)
    check_revision(edit, live)
    refuse_other_model(live)
    check_exclusion(publisher, live)
    check_barriers(live)
    check_caps(publisher, edit, live)
    check_rewriting(edit, writing.saved_form(publisher.site, edit.title, edit.text))
    check_not_refused_before(publisher, edit)
    return live.read_at


def check_shutoff(publisher: Publisher) -> None:
    """The shut-off page lets us run: it is missing, or says so and nothing else."""
    try:
        page = history.read_live(publisher.site, publisher.shutoff)
    except WikiUnavailable as error:
        raise unreadable(publisher.shutoff, error) from error
    if page.exists and page.text.strip().casefold() not in RUN_WORDS:
        raise ShutOff(
            message("shutoff-says-stop", publisher.shutoff, writing.shortened(page.text, 80))
        )


def check_revision(edit: NewEdit, live: LivePage) -> None:
    """The page stands at the revision on which the edit was planned."""
    if live.revision_id == edit.base_revision:
        return
    if not live.exists:
        now = message("moved-on-deleted")
    elif edit.base_revision == 0:
        now = message("moved-on-created", live.revision_id)
    else:
        now = message("moved-on-to", live.revision_id)
    raise EditConflict(message("moved-on", edit.title, edit.base_revision, now))


def refuse_other_model(live: LivePage) -> None:
    """The page is wikitext: links in a script or in data would be something else."""
    if live.model != history.WIKITEXT:
        raise WikiRefused(message("not-wikitext", live.title, repr(live.model)))


def check_exclusion(publisher: Publisher, live: LivePage) -> None:
    """Neither our reading of {{bots}} and {{nobots}} nor pywikibot's keeps us away."""
    if not live.exists:
        return
    try:
        page = read_page(live.text, publisher.rules, live.title)
    except BadWikitext as error:
        raise UnsafeEdit(message("cannot-be-read-safely", live.title, said(error))) from error
    ours = page.forbids_bots(publisher.account.name)
    if ours or not writing.pywikibot_may_edit(publisher.site, live.title, live.text):
        raise Excluded(message("keeps-bots-away", live.title, exclusion_template(page)))


def exclusion_template(page: PageText) -> str:
    """The template that keeps us away, as it stands on the page."""
    for template in page.templates:
        if template.name.lower() in ("bots", "nobots"):
            return page.text[template.start : template.end]
    return "a template"


def check_barriers(live: LivePage) -> None:
    """The wiki would let this account edit the page now: no protection, no block, no limit."""
    for barrier in live.barriers:
        raise barrier_kind(barrier)(
            message("may-not-be-edited", live.title, writing.shortened(barrier.text), barrier.code)
        )


def barrier_kind(barrier: Barrier) -> type[WikibotError]:
    """Is it about us, about this moment, or about the page?"""
    if barrier.is_block:
        return AccountRefused
    is_passing = writing.meaning_of(barrier.code) is WikiUnavailable
    return WikiUnavailable if is_passing else Protected


def check_caps(publisher: Publisher, edit: NewEdit, live: LivePage) -> None:
    """One more edit is within what we promised for a day, on the wiki and on this page."""
    if edit.kind == "undo":
        return
    since = live.read_at - A_DAY
    daily, per_page = publisher.settings.whole("daily_cap"), publisher.settings.whole("page_cap")
    with publisher.store.reading() as session:
        today = outbox.count_sent(session, publisher.wiki.id, since=since)
        here = outbox.count_sent(
            session, publisher.wiki.id, since=since, title=edit.title, page_id=edit.page_id
        )
    if today >= daily:
        raise WikiUnavailable(message("daily-cap-reached", today, daily))
    if edit.kind == "page" and here >= per_page:
        raise WikiRefused(message("page-cap-reached", edit.title, here, per_page))


def check_rewriting(edit: NewEdit, saved: str) -> None:
    """The wiki would save the text as it is sent; `saved` is what it says it would save."""
    if saved == edit.text:
        return
    pairs = enumerate(zip(saved, edit.text, strict=False))
    at = next((n for n, (one, other) in pairs if one != other), min(len(saved), len(edit.text)))
    shown = edit.text[max(at - SHOWN_CHARACTERS // 2, 0) : at + SHOWN_CHARACTERS]
    raise UnsafeEdit(message("would-be-rewritten", edit.title, repr(shown)))


def check_not_refused_before(publisher: Publisher, edit: NewEdit) -> None:
    """The wiki has not refused this very text on this revision already."""
    if publisher.retries_refused:
        return
    with publisher.store.reading() as session:
        before = outbox.refused_before(session, edit)
    if before:
        raise WikiRefused(message("refused-before", edit.title, before))
