"""Proposals as rows of the queue: with their sentences and the wikitext they would make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wikibot.errors import UnsafeEdit
from wikibot.linker.page import Page
from wikibot.linker.score import Proposal
from wikibot.store.pages import PageRow
from wikibot.store.suggestions import NewProposal
from wikibot.wikitext import Insertion, SiteRules, link_markup, read_page


def queue_rows(
    row: PageRow,
    wikitext: str,
    page: Page,
    proposals: Sequence[Proposal],
    ids: Mapping[str, int],
    rules: SiteRules,
) -> Iterable[NewProposal]:
    """Proposals of one page as queue rows; IDS are the row ids of their targets, by title.

    What cannot be written as a link, or leads to a page without a row, is left out.
    """
    for proposal in proposals:
        place = Insertion(proposal.start, proposal.end, proposal.target)
        try:
            markup = link_markup(wikitext, place, rules)
        except UnsafeEdit:
            continue
        if proposal.target not in ids:
            continue
        anchor = wikitext[proposal.start : proposal.end]
        start, end = page.sentence_around(proposal.first, proposal.length)
        yield NewProposal(
            row.id, ids[proposal.target], row.revision_id, proposal.start, proposal.end, anchor, markup,
            page.offset(start), page.offset(end - 1) + 1, shown_text(page.text[start:end], rules),
            round(proposal.probability, 4), proposal.reasons, proposal.priority,
        )  # fmt: skip


def shown_text(wikitext: str, rules: SiteRules) -> str:
    """What a reader sees of a sentence."""
    return read_page(wikitext, rules).visible.text.strip() or wikitext
