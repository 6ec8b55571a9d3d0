"""What CRTM says: how alike page and target are, and what pages of like topics link."""

from __future__ import annotations

import numpy as np

from wikibot.linker.candidates import Candidates, member
from wikibot.linker.counts import TOPIC_UNITS, PageCounts
from wikibot.linker.features.names import Columns
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.page import Floats

PREFIX = "crtm_"  # what the names of CRTM's features begin with
PRIOR_MENTIONS = 0.3  # added to the mentions on like pages


def columns(
    theta: Floats, vector: Floats, rows: Candidates, knowledge: Knowledge, own: PageCounts | None
) -> Columns:
    """Likeness of page and target, and the share of links among mentions on pages of like topics."""
    starts = np.flatnonzero(np.diff(rows.group, prepend=-1))
    target = rows.target[starts]
    texts, counts = knowledge.texts, knowledge.counts
    weight = theta / np.maximum(texts.topics.mean(axis=0), 1e-6)
    weight /= max(float(weight.max()), 1e-9)
    links = counts.topic_links[target] @ weight / TOPIC_UNITS
    mentions = counts.topic_mentions[target] @ weight / TOPIC_UNITS
    if own is not None and own.topics is not None:
        mine = float(own.topics @ weight) / TOPIC_UNITS
        links = links - mine * member(target, own.linked)
        mentions = mentions - mine * member(target, own.mentioned_targets)
    total_links = float(counts.target_links.sum()) + 1
    usual = total_links / (float(counts.target_mentions.sum()) + 10)
    found = {
        "pages": texts.vectors[target] @ vector,
        "topics": np.sqrt(np.maximum(texts.topics[target], 0)) @ np.sqrt(np.maximum(theta, 0)),
        "like_share": (links + PRIOR_MENTIONS * usual) / (mentions + PRIOR_MENTIONS),
        "like_surplus": links - mentions * usual,
    }
    return {PREFIX + name: np.asarray(value)[rows.group] for name, value in found.items()}
