"""Decisions that come through the API: what a person dismisses in the wiki's editor.

The proposal may be in the queue, or have been made for the text in the editor a second ago. In the
second case it is found again on the page as the database has it, and put in the queue first.
"""

from __future__ import annotations

from dataclasses import replace

from wikibot.api.errors import ApiError
from wikibot.api.timed_calls import TimedCalls
from wikibot.linker.page import columns_of
from wikibot.linker.score import score_page
from wikibot.linkers import Linkers, OpenLinker
from wikibot.queue_rows import queue_rows
from wikibot.store import Store
from wikibot.store.decisions import REASONS, Voice, decide
from wikibot.store.pages import PageRow, page_by_title
from wikibot.store.suggestions import NewProposal, proposal_of_pair, put_in_queue
from wikibot.wikitext import read_page

VERDICTS = ("reject", "skip")
LONGEST_NAME = 255


def keep_decision(
    linkers: Linkers,
    calls: TimedCalls,
    found: OpenLinker,
    page: str,
    target: str,
    *,
    user: str,
    verdict: str,
    reason: str,
) -> int:
    """The proposal of this pair is decided; return the decision's number.

    Refuses a pair that cannot be proposed, and one that somebody has decided already.
    """
    if verdict not in VERDICTS:
        raise ApiError(400, "bad-input", f"verdict must be one of {', '.join(VERDICTS)}.")
    if reason and reason not in REASONS:
        raise ApiError(400, "bad-input", f"reason must be one of {', '.join(REASONS)}.")
    if not 0 < len(user) <= LONGEST_NAME:
        raise ApiError(400, "bad-input", "user must be the name of the person who decides.")
    store = linkers.store
    rows = [_page(store, found, title) for title in (page, target)]
    number = _proposal(store, calls, found, *rows)
    with store.writing() as session:
        return decide(session, number, verdict, Voice(user, "api"), reason=reason or None)


def _page(store: Store, found: OpenLinker, title: str) -> PageRow:
    with store.reading() as session:
        row = page_by_title(session, found.wiki.id, title)
    if row is None:
        raise ApiError(404, "no-page", f'There is no page "{title}" in the database.')
    return row


def _proposal(
    store: Store, calls: TimedCalls, found: OpenLinker, page: PageRow, target: PageRow
) -> int:
    """The number of the pair's proposal, which is in the queue by now."""
    with store.reading() as session:
        known = proposal_of_pair(session, page.id, target.id)
    if known is not None:
        return known
    rows = calls.call(lambda: _rows(found, page, target))
    if not rows:
        raise ApiError(
            409, "no-proposal",
            f'The database knows no place on "{page.title}" for a link to "{target.title}". '
            "Nothing was changed; it may have another revision of the page.",
        )  # fmt: skip
    with store.writing() as session:
        put_in_queue(session, found.wiki.id, None, rows, set())
        number = proposal_of_pair(session, page.id, target.id)
    assert number is not None, "it was put there just now"
    return number


def _rows(found: OpenLinker, page: PageRow, target: PageRow) -> list[NewProposal]:
    """The most likely place on the page for a link to the target, however unlikely it is."""
    linker, models = found.linker, found.linker.models
    columns = columns_of(read_page(page.wikitext, linker.rules, page.title), page.title)
    if columns is None:
        return []
    policy = replace(linker.policy.asking(0), targets=frozenset((target.title,)))
    proposals = score_page(columns, models.knowledge, models.ranker, policy)
    return list(
        queue_rows(page, page.wikitext, columns, proposals, {target.title: target.id}, linker.rules)
    )
