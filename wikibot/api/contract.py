"""Proposals in the words of the link recommendation contract, which GrowthExperiments reads.

Offsets are code points in the wikitext. `match_index` counts the earlier occurrences of the words in
the page's plain text, `link_index` the earlier links of the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wikibot import __version__
from wikibot.linker.explain import in_english
from wikibot.linker.score import Proposal
from wikibot.wikitext import PageText

FORMAT_VERSION = 1
CONTEXT_CHARACTERS = 5
DEFAULT_THRESHOLD = 0.5
DEFAULT_RECOMMENDATIONS = 15
MOST_RECOMMENDATIONS = 1000


def recommendation(
    page: PageText,
    proposals: Sequence[Proposal],
    *,
    title: str,
    page_id: int,
    revision_id: int,
    checksums: dict[str, str],
) -> dict[str, Any]:
    """The answer for one page, its links in the order of the text."""
    in_order = sorted(proposals, key=lambda one: one.start)
    links = [_link(page, proposal, index) for index, proposal in enumerate(in_order)]
    return {
        "links": links,
        "links_count": len(links),
        "page_title": title,
        "pageid": page_id,
        "revid": revision_id,
        "meta": {
            "application_version": __version__,
            "format_version": FORMAT_VERSION,
            "dataset_checksums": checksums,
        },
    }


def _link(page: PageText, proposal: Proposal, index: int) -> dict[str, Any]:
    words = page.text[proposal.start : proposal.end]
    before, after = page.visible.around(proposal.start, proposal.end, CONTEXT_CHARACTERS)
    return {
        "link_text": words,
        "link_target": proposal.target,
        "wikitext_offset": proposal.start,
        "context_before": before,
        "context_after": after,
        "match_index": page.visible.text[: page.visible.seen(proposal.start)].count(words),
        "link_index": index,
        "score": round(proposal.probability, 4),
        "reasons": in_english(proposal.reasons),
    }


def plain_link(text: str, proposal: Proposal) -> dict[str, Any]:
    """A link of `/v1/links`: where, to what, how likely a reviewer accepts it, and why."""
    return {
        "start": proposal.start,
        "end": proposal.end,
        "text": text[proposal.start : proposal.end],
        "target": proposal.target,
        "probability": round(proposal.probability, 4),
        "reasons": in_english(proposal.reasons),
    }
