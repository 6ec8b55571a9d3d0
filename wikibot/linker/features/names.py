"""How names are linked on other pages, and how the name came to the target."""

from __future__ import annotations

import numpy as np

from wikibot.linker.candidates import Candidates, member
from wikibot.linker.counts import PageCounts, context_buckets
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.names import KINDS
from wikibot.linker.page import Floats, Longs, Page

Columns = dict[str, np.ndarray]

FAMILIAR_MENTIONS = 20  # beside a word, before the share that is linked there is believed by half


def columns(page: Page, rows: Candidates, knowledge: Knowledge, own: PageCounts | None) -> Columns:
    """Counts of the name and of the target, without the page's own part in them."""
    counts, share = knowledge.counts, rows.share
    own_link = member(rows.target, own.linked) if own else 0
    own_mention = member(rows.target, own.mentioned_targets) if own else 0
    mentions = np.maximum(counts.target_mentions[rows.target] - own_mention, 0)
    others = best_other(rows.span, share)
    found: Columns = {
        "share_to_target": share,
        "share_linked": (rows.name_links + 0.05) / (rows.name_mentions + 0.6),
        "links_to_target": np.log1p(rows.pair_links),
        "mentioned": np.log1p(rows.name_mentions),
        "commonness": (rows.pair_links + 0.01) / (rows.name_links + 0.1),
        "target_share": (counts.target_links[rows.target] - own_link + 0.05) / (mentions + 0.5),
        "target_mentioned": np.log1p(mentions),
        "share_of_other": others,
        "share_against_other": share / (share + others + 1e-3),
        "meanings": np.bincount(rows.span)[rows.span] if len(rows) else rows.span,
        "form_weight": np.log1p(knowledge.names.weight[rows.pair]),
        "likeness": knowledge.names.likeness[rows.pair],
        "words": rows.length,
    }
    for bit, kind in enumerate(KINDS):
        found[f"is_{kind}"] = (rows.kind >> bit) & 1
    return found | _contexts(page, rows, knowledge, own)


def _contexts(
    page: Page, rows: Candidates, knowledge: Knowledge, own: PageCounts | None
) -> Columns:
    """How often names are linked after the word before, and before the word after, on other pages."""
    counts = knowledge.counts
    total = max(1, int(counts.before.sum()))
    mean = max(1, int(counts.before_links.sum())) / total
    found = {}
    for side, bucket in zip(("before", "after"), context_buckets(page, rows.first, rows.length), strict=True):  # fmt: skip
        mentions, links = getattr(counts, side)[bucket], getattr(counts, f"{side}_links")[bucket]
        if own is not None:
            mentions = mentions - _times(bucket, getattr(own, side))
            links = links - _times(bucket, getattr(own, f"{side}_linked"))
        share = (links + FAMILIAR_MENTIONS * mean) / (mentions + FAMILIAR_MENTIONS)
        found[f"linked_{side}"] = np.log(np.maximum(share, 1e-3) / mean)
    return found


def _times(values: Longs, among: Longs) -> Longs:
    """How often each value is among the others."""
    known, count = np.unique(among, return_counts=True)
    if not len(known):
        return np.zeros(len(values), dtype=np.int64)
    at = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.where(known[at] == values, count[at], 0)


def best_other(group: Longs, value: Floats) -> Floats:
    """The greatest value of another member of each one's group, 0 for a group of one."""
    if not len(group):
        return value
    order = np.lexsort((-value, group))
    first = np.flatnonzero(np.diff(group[order], prepend=-1))
    best = value[order[first]]
    second = np.zeros(len(first), dtype=value.dtype)
    several = np.bincount(group) > 1
    second[several] = value[order[first[several] + 1]]
    is_best = np.zeros(len(group), dtype=bool)
    is_best[order[first]] = True
    return np.where(is_best, second[group], best[group])
