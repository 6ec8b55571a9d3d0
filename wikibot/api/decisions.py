"""Decisions that come through the API: what a person dismisses in the wiki's editor.

The proposal may be in the queue, or have been made for the text in the editor a second ago. In the
second case its place is looked for on the page as the database has it, then in the text that was
edited, which nobody may have saved yet. A rejection is kept even where neither has a place for it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from wikibot.api.errors import ApiError
from wikibot.api.timed_calls import TimedCalls
from wikibot.errors import BadWikitext
from wikibot.linker.page import columns_of
from wikibot.linker.score import score_page
from wikibot.linkers import OpenLinker
from wikibot.queue_rows import queue_rows
from wikibot.store import Store
from wikibot.store.decisions import REASONS, Voice, decide, dismiss
from wikibot.store.pages import PageRow, page_by_title
from wikibot.store.suggestions import (
    NewProposal,
    keep_as_stale,
    proposal_of_pair,
    put_in_queue,
)
from wikibot.wikitext import read_page

VERDICTS = ("reject", "skip")
LONGEST_NAME = 255
UNSAVED = 0  # the revision of a text that is in an editor


@dataclass(frozen=True, slots=True)
class Dismissal:
    """What a person says about a link; `wikitext` is the text in which it was seen, or empty."""

    page: str
    target: str
    user: str
    verdict: str
    reason: str
    wikitext: str


def keep_decision(store: Store, calls: TimedCalls, found: OpenLinker, said: Dismissal) -> int:
    """The proposal of this pair is decided; return the decision's number.

    Refuses a pair that somebody has decided already, and to skip what could not be shown again.
    """
    if said.verdict not in VERDICTS:
        raise ApiError(400, "bad-input", f"verdict must be one of {', '.join(VERDICTS)}.")
    if said.reason and said.reason not in REASONS:
        raise ApiError(400, "bad-input", f"reason must be one of {', '.join(REASONS)}.")
    if not 0 < len(said.user) <= LONGEST_NAME:
        raise ApiError(400, "bad-input", "user must be the name of the person who decides.")
    page, target = (_page(store, found, title) for title in (said.page, said.target))
    if page.id == target.id:
        raise ApiError(400, "bad-input", "target must be another page. Nothing was changed.")
    number = _proposal(store, calls, found, page, target, said)
    voice, reason = Voice(said.user, "api"), said.reason or None
    with store.writing() as session:
        if said.verdict == "reject":
            return dismiss(session, number, voice, reason=reason)
        return decide(session, number, said.verdict, voice, reason=reason)


def _page(store: Store, found: OpenLinker, title: str) -> PageRow:
    with store.reading() as session:
        row = page_by_title(session, found.wiki.id, title)
    if row is None:
        raise ApiError(404, "no-page", f'There is no page "{title}" in the database.')
    return row


def _proposal(
    store: Store,
    calls: TimedCalls,
    found: OpenLinker,
    page: PageRow,
    target: PageRow,
    said: Dismissal,
) -> int:
    """The number of the pair's proposal, which the database knows by now."""
    with store.reading() as session:
        known = proposal_of_pair(session, page.id, target.id)
    if known is not None:
        return known
    wiki_id = found.wiki.id
    waiting = calls.call(lambda: _best_place(found, page, target))
    unsaved = None if waiting else _unsaved(calls, found, page, target, said)
    with store.writing() as session:
        if waiting:
            put_in_queue(session, wiki_id, None, [waiting], set())
        elif unsaved:
            keep_as_stale(session, wiki_id, unsaved)
        number = proposal_of_pair(session, page.id, target.id)
    assert number is not None, "it was put there just now"
    return number


def _unsaved(
    calls: TimedCalls, found: OpenLinker, page: PageRow, target: PageRow, said: Dismissal
) -> NewProposal:
    """The link as it was seen in a text that the database does not have."""
    if said.verdict != "reject":
        raise ApiError(
            409, "no-proposal",
            f'The database knows no place on "{page.title}" for a link to "{target.title}". '
            "Nothing was changed; it may have another revision of the page.",
        )  # fmt: skip
    edited = page._replace(wikitext=said.wikitext, revision_id=UNSAVED)
    return calls.call(lambda: _best_place(found, edited, target)) or _nowhere(page, target)


def _best_place(found: OpenLinker, page: PageRow, target: PageRow) -> NewProposal | None:
    """The most likely place on the page for a link to the target, however unlikely it is."""
    linker, models = found.linker, found.linker.models
    try:
        columns = columns_of(read_page(page.wikitext, linker.rules, page.title), page.title)
    except BadWikitext:
        columns = None
    if columns is None:
        return None
    policy = replace(linker.policy.asking(0), targets=frozenset((target.title,)))
    proposals = score_page(columns, models.knowledge, models.ranker, policy)
    ids = {target.title: target.id}
    return next(iter(queue_rows(page, page.wikitext, columns, proposals, ids, linker.rules)), None)


def _nowhere(page: PageRow, target: PageRow) -> NewProposal:
    """A link to the target as such: nobody has said in which words."""
    title = target.title
    return NewProposal(
        page.id, target.id, UNSAVED, 0, len(title), title, f"[[{title}]]", 0, len(title), title,
        probability=0.0, reasons=[], priority=0.0,
    )  # fmt: skip
