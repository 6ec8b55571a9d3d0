"""What became of our edits: kept, changed or reverted by others; too many reverts stop us."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice

from wikibot.errors import ShutOff
from wikibot.message import message
from wikibot.publish.places import OwnLink, find_link, own_links, stands_in
from wikibot.publish.publisher import Publisher, wiki_time
from wikibot.publish.reconcile import FARTHEST_BACK
from wikibot.site import history
from wikibot.site.history import LivePage, Revision
from wikibot.store import outbox
from wikibot.store.outbox import OutboxRow

LOOKED_AT = 50
WATCHED_STATES = ("published", "kept", "reverted")
SEEN = "reverted, seen"


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one edit; `by` is who reverted it, `gone` the targets that are not linked now."""

    edit_id: int
    title: str
    fate: str
    gone: tuple[str, ...]
    by: str = ""
    revision: int | None = None


def watch(publisher: Publisher, *, latest: int | None = None) -> list[Fate]:
    """The fate of every recent edit, or of the LATEST ones, is written down, and each link's too.

    A page is found by the revision that we made, wherever it was moved; edits of deleted pages
    have no fate.
    """
    since = wiki_time(publisher) - timedelta(days=publisher.settings.whole("watch_days"))
    with publisher.store.reading() as session:
        rows = outbox.edits(
            session, publisher.wiki.id, kinds=("page",), states=("done",), limit=latest
        )
    recent = [row for row in rows if row.sent_at is None or row.sent_at >= since]
    pages = history.pages_of_revisions(publisher.site, [row.new_revision or 0 for row in recent])
    live = history.read_many(publisher.site, list(pages.values()))
    fates = (
        follow(publisher, row, live.get(pages.get(row.new_revision or 0, 0))) for row in recent
    )
    return [fate for fate in fates if fate]


def follow(publisher: Publisher, row: OutboxRow, live: LivePage | None) -> Fate | None:
    """The fate of one edit; None if all of its links were taken back by ourselves."""
    with publisher.store.reading() as session:
        links = outbox.links_with_ids(session, [item.suggestion_id for item in row.items])
    watched = {link.id: link for link in links if link.state in WATCHED_STATES}
    if not watched or live is None:
        return None
    targets = {number: link.target for number, link in watched.items()}
    gone = [link for link in own_links(row, targets) if not is_kept(publisher, row, link, live)]
    removed = {link.suggestion_id for link in gone}
    is_news = any(watched[number].state != "reverted" for number in removed)
    culprit = who_removed(publisher, row, gone, live) if is_news else None
    fate = "kept" if not gone else "reverted" if len(gone) == len(watched) else "changed"
    with publisher.store.writing() as session:
        outbox.keep(session, [number for number in watched if number not in removed])
        for number in removed:
            outbox.record_revert(
                session,
                number,
                user=culprit.user if culprit else "",
                at=culprit.time if culprit else live.read_at,
                comment=culprit.comment if culprit else "",
            )
        if not (row.fate == SEEN and fate == "reverted"):
            outbox.set_fate(session, row.id, fate)
    # A revert that was known before is the newest decision about its link.
    by = culprit.user if culprit else watched[gone[0].suggestion_id].approver if gone else ""
    names = tuple(sorted(link.target for link in gone))
    return Fate(row.id, live.title, fate, names, by, row.new_revision)


def is_kept(publisher: Publisher, row: OutboxRow, link: OwnLink, live: LivePage) -> bool:
    """Does our own link still stand on the page, and not another's to the same target?"""
    if find_link(link, live.text) is not None:
        return True
    return stands_in(link, live.text, publisher.rules, live.title) and stood_all_along(
        publisher, row, link, live
    )


def stood_all_along(publisher: Publisher, row: OutboxRow, link: OwnLink, live: LivePage) -> bool:
    """Has the link stood on the page in every revision since ours?"""
    return all(
        stands_in(link, revision.text, publisher.rules, live.title)
        for revision in revisions_since(publisher, row, live)
    )


def revisions_since(publisher: Publisher, row: OutboxRow, live: LivePage) -> Iterator[Revision]:
    """The revisions of the page after ours, newest first; texts hidden from us are left out."""
    newest_first = history.revisions(publisher.site, page_id=live.page_id, with_text=True)
    for revision in islice(newest_first, FARTHEST_BACK):
        if revision.revision_id <= (row.new_revision or 0):
            return
        if "text" not in revision.hidden:
            yield revision


def who_removed(
    publisher: Publisher, row: OutboxRow, gone: Sequence[OwnLink], live: LivePage
) -> Revision | None:
    """The revision after ours that first lacked the links which are gone."""
    first = None
    for revision in revisions_since(publisher, row, live):
        if not any(stands_in(link, revision.text, publisher.rules, live.title) for link in gone):
            first = revision
    return first


def refuse_after_reverts(publisher: Publisher) -> None:
    """Publishing goes on only while few of our newest edits were reverted."""
    limit = publisher.settings.whole("revert_limit")
    with publisher.store.reading() as session:
        rows = outbox.edits(
            session, publisher.wiki.id, kinds=("page",), states=("done",), limit=LOOKED_AT
        )
    reverted = [row for row in rows if row.fate == "reverted"]
    if len(reverted) >= limit:
        raise ShutOff(message("reverts-stop-us", len(reverted), len(rows), limit))


def mark_seen(publisher: Publisher, fates: Sequence[Fate]) -> int:
    """The reverts so far no longer stop publishing; how many there were."""
    reverted = [fate for fate in fates if fate.fate == "reverted"]
    with publisher.store.writing() as session:
        for fate in reverted:
            outbox.set_fate(session, fate.edit_id, SEEN)
    return len(reverted)
