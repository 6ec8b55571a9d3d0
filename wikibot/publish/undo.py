"""Published links are taken back, one or a whole batch, as an ordinary checked edit.

Only our own links are taken out, where they stand now, on whatever page; what others wrote since
stays. A link that cannot be told from one that somebody else set is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wikibot.errors import BadInput
from wikibot.message import message, word
from wikibot.plan import Placed, sha1_of
from wikibot.publish.ideas import section_marker, without_ideas
from wikibot.publish.places import OwnLink, find_link, find_link_by_few_words, own_links
from wikibot.publish.proposals import KINDS
from wikibot.publish.publisher import Outcome, Publisher
from wikibot.publish.publishing import Report, Tell, alone, run
from wikibot.publish.reconcile import read_page_of, reconcile
from wikibot.publish.retry import retry
from wikibot.publish.send_edit import send_edit
from wikibot.publish.summary import new_marker, undo_summary
from wikibot.publish.talk import without_section
from wikibot.publish.watch import stood_all_along
from wikibot.site.history import LivePage
from wikibot.store import outbox
from wikibot.store.outbox import NewEdit, OutboxRow
from wikibot.wikitext import Insertion, check_edit, remove_links

UNDOABLE = ("published", "kept")


@dataclass(frozen=True, slots=True)
class Standing:
    """A link of ours as it stands in the live text, at [start:end]."""

    suggestion_id: int
    target: str
    start: int
    end: int
    anchor_length: int


def undo(
    publisher: Publisher,
    proposal: int | None,
    batch: str | None,
    *,
    tell: Tell = lambda outcome: None,
) -> Report:
    """One published link, or all of a batch, is off the wiki again, as far as it still stands."""
    with alone(publisher):
        return run(publisher, undo_steps(publisher, proposal, batch), tell)


def undo_steps(publisher: Publisher, proposal: int | None, batch: str | None) -> Iterator[Outcome]:
    if not publisher.is_dry_run:
        yield from reconcile(publisher)
    if proposal is not None:
        yield undo_suggestion(publisher, proposal)
    if batch is not None:
        yield from undo_batch(publisher, batch)


def undo_suggestion(publisher: Publisher, suggestion_id: int) -> Outcome:
    """The link of one suggestion is off its page again."""
    with publisher.store.reading() as session:
        row = outbox.edit_with(session, suggestion_id)
        state = outbox.states_of(session, [suggestion_id]).get(suggestion_id)
    if row is None or state is None:
        raise BadInput(message("never-published", suggestion_id))
    if state not in UNDOABLE:
        raise BadInput(message("proposal-is-not-published", suggestion_id, word("state", state)))
    return undo_edit(publisher, row, [suggestion_id])


def undo_batch(publisher: Publisher, batch: str) -> Iterator[Outcome]:
    """The links of all edits of a batch are off their pages again, the newest edit first."""
    with publisher.store.reading() as session:
        rows = outbox.edits(
            session, publisher.wiki.id, batch=batch, kinds=("page", *KINDS), states=("done",)
        )
    if not rows:
        raise BadInput(message("no-such-batch", batch))
    for row in rows:
        if row.kind in KINDS:
            yield withdraw_section(publisher, row)
            continue
        with publisher.store.reading() as session:
            states = outbox.states_of(session, [item.suggestion_id for item in row.items])
        open_ones = [number for number, state in states.items() if state in UNDOABLE]
        if open_ones:
            yield undo_edit(publisher, row, open_ones)


def withdraw_section(publisher: Publisher, row: OutboxRow) -> Outcome:
    """Our section is off the talk page or work list again, unless people have written in it."""
    return retry(publisher, row.title, lambda: _withdraw_now(publisher, row))


def _withdraw_now(publisher: Publisher, row: OutboxRow) -> Outcome:
    live = read_page_of(publisher, row)
    is_ideas = section_marker(row.text) == row.marker
    without = without_ideas if is_ideas else without_section
    text = without(live.text) if live else None
    if live is None or text is None:
        return Outcome(row.title, "nothing", message("section-is-gone"))
    edit = _undoing_edit(publisher, row, live, text, (), ())
    return send_edit(publisher, edit, live.text, versions={})


def undo_edit(publisher: Publisher, row: OutboxRow, suggestion_ids: Sequence[int]) -> Outcome:
    """These links of one edit are taken out of the page as it stands now."""
    return retry(publisher, row.title, lambda: _undo_now(publisher, row, suggestion_ids))


def _undo_now(publisher: Publisher, row: OutboxRow, suggestion_ids: Sequence[int]) -> Outcome:
    live = read_page_of(publisher, row)
    if live is None:
        return Outcome(row.title, "nothing", message("page-was-deleted"))
    standing = find_links(publisher, row, suggestion_ids, live)
    if not standing:
        return Outcome(live.title, "nothing", message("links-no-longer-ours"))
    edit = undoing(publisher, row, live, standing)
    with publisher.store.reading() as session:
        versions = outbox.versions_of(session, [link.suggestion_id for link in standing])
    return send_edit(publisher, edit, live.text, versions=versions)


def find_links(
    publisher: Publisher, row: OutboxRow, suggestion_ids: Sequence[int], live: LivePage
) -> list[Standing]:
    """The links as they stand in the text; those that are gone or may not be ours are left out."""
    with publisher.store.reading() as session:
        targets = {link.id: link.target for link in outbox.links_with_ids(session, suggestion_ids)}
    found = []
    for link in own_links(row, targets):
        place = find_link(link, live.text)
        if place is None:
            place = find_link_by_few_words(link, live.text)
            if place is not None and not stood_all_along(publisher, row, link, live):
                continue
        if place is not None:
            found.append(standing_at(link, place))
    return sorted(found, key=lambda standing: standing.start)


def standing_at(link: OwnLink, place: int) -> Standing:
    end = place + len(link.wikitext)
    return Standing(link.suggestion_id, link.target, place, end, link.anchor_length)


def undoing(
    publisher: Publisher, row: OutboxRow, live: LivePage, standing: Sequence[Standing]
) -> NewEdit:
    """The edit that takes these links out, proved to change nothing else."""
    insertions = as_inserted(standing)
    restored = remove_links(live.text, insertions)
    check_edit(restored, live.text, insertions, publisher.rules, live.title)
    items = (
        Placed(link.suggestion_id, link.start, link.end, restored[i.start : i.end])
        for link, i in zip(standing, insertions, strict=True)
    )
    targets = [link.target for link in standing]
    return _undoing_edit(publisher, row, live, restored, targets, tuple(items))


def _undoing_edit(
    publisher: Publisher,
    row: OutboxRow,
    live: LivePage,
    text: str,
    targets: Sequence[str],
    items: tuple[Placed, ...],
) -> NewEdit:
    marker = new_marker()
    return NewEdit(
        wiki_id=publisher.wiki.id,
        batch=publisher.batch,
        kind="undo",
        title=live.title,
        page_id=row.page_id,
        base_revision=live.revision_id,
        text=text,
        sha1=sha1_of(text),
        summary=undo_summary(targets, publisher.words, shutoff=publisher.shutoff, marker=marker),
        marker=marker,
        items=items,
        sender=publisher.account.name,
    )


def as_inserted(standing: Sequence[Standing]) -> list[Insertion]:
    """The links as insertions into the text without them."""
    insertions, shift = [], 0
    for link in standing:
        start = link.start - shift
        insertions.append(Insertion(start, start + link.anchor_length, link.target))
        shift += (link.end - link.start) - link.anchor_length
    return insertions
