"""What became of our edits: kept, changed or reverted by others; too many reverts stop us."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta

from wikibot.errors import BadWikitext, ShutOff
from wikibot.publish.desk import Desk, wiki_time
from wikibot.site import history
from wikibot.site.history import LivePage, Revision
from wikibot.store import outbox
from wikibot.store.outbox import OutboxRow
from wikibot.wikitext import SiteRules, normalise_title, read_page

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


def watch(desk: Desk, *, latest: int | None = None) -> list[Fate]:
    """The fate of every recent edit, or of the LATEST ones, is written down, and each link's too."""
    since = wiki_time(desk) - timedelta(days=desk.settings.whole("watch_days"))
    with desk.store.reading() as session:
        rows = outbox.edits(session, desk.wiki.id, kinds=("page",), states=("done",), limit=latest)
    recent = [row for row in rows if row.sent_at is None or row.sent_at >= since]
    live = history.read_many(desk.site, list(dict.fromkeys(row.title for row in recent)))
    return [fate for row in recent if (fate := follow(desk, row, live.get(row.title)))]


def follow(desk: Desk, row: OutboxRow, live: LivePage | None) -> Fate | None:
    """The fate of one edit; None if all of its links were taken back by ourselves."""
    with desk.store.reading() as session:
        links = outbox.links_with_ids(session, [item.suggestion_id for item in row.items])
    watched = {link.target: link for link in links if link.state in WATCHED_STATES}
    if not watched or live is None or not live.exists:
        return None
    gone = tuple(sorted(set(watched) - linked_targets(live.text, desk.rules, row.title)))
    is_news = any(watched[target].state != "reverted" for target in gone)
    culprit = who_removed(desk, row, gone) if is_news else None
    fate = "kept" if not gone else "reverted" if len(gone) == len(watched) else "changed"
    stays = [link.id for target, link in watched.items() if target not in gone]
    with desk.store.writing() as session:
        outbox.set_states(session, stays, "kept")
        for target in gone:
            outbox.record_revert(
                session,
                watched[target].id,
                user=culprit.user if culprit else "",
                at=culprit.time if culprit else live.read_at,
                comment=culprit.comment if culprit else "",
            )
        if not (row.fate == SEEN and fate == "reverted"):
            outbox.set_fate(session, row.id, fate)
    # A revert that was known before is the newest decision about its link.
    by = culprit.user if culprit else watched[gone[0]].approver if gone else ""
    return Fate(row.id, row.title, fate, gone, by, row.new_revision)


def linked_targets(text: str, rules: SiteRules, title: str) -> set[str]:
    """The pages that the text links to, roughly if it cannot be read safely."""
    try:
        return {link.target for link in read_page(text, rules, title).links}
    except BadWikitext:
        return {
            normalise_title(part.partition("]")[0].partition("|")[0], rules).text
            for part in text.split("[[")[1:]
        }


def who_removed(desk: Desk, row: OutboxRow, gone: Collection[str]) -> Revision | None:
    """The revision after ours that first lacked the links which are gone."""
    first = None
    for revision in history.revisions(desk.site, title=row.title, with_text=True):
        if revision.revision_id <= (row.new_revision or 0):
            break
        if not linked_targets(revision.text, desk.rules, row.title) & set(gone):
            first = revision
    return first


def refuse_after_reverts(desk: Desk) -> None:
    """Publishing goes on only while few of our newest edits were reverted."""
    limit = desk.settings.whole("revert_limit")
    with desk.store.reading() as session:
        rows = outbox.edits(
            session, desk.wiki.id, kinds=("page",), states=("done",), limit=LOOKED_AT
        )
    reverted = [row for row in rows if row.fate == "reverted"]
    if len(reverted) >= limit:
        raise ShutOff(
            f"{len(reverted)} of our last {len(rows)} edits were reverted and revert_limit is "
            f"{limit}. Nothing was sent; read `wikibot watch`, talk to the community, then go on "
            "with `wikibot watch --seen`."
        )


def mark_seen(desk: Desk, fates: Sequence[Fate]) -> int:
    """The reverts so far no longer stop publishing; how many there were."""
    reverted = [fate for fate in fates if fate.fate == "reverted"]
    with desk.store.writing() as session:
        for fate in reverted:
            outbox.set_fate(session, fate.edit_id, SEEN)
    return len(reverted)
