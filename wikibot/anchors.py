"""`wikibot anchors`: the paper's use. Given source and target, which words should carry the link?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from wikibot.ranking.topics import records
from wikibot.store import Store
from wikibot.suggest import load_crtm, numbers_of_titles
from wikibot.train import load_wiki


@dataclass(frozen=True, slots=True)
class Anchors:
    """The best words of the source for a link to the target, by each model, the best first."""

    source: str
    target: str
    models: dict[str, list[tuple[str, float]]]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def best_anchors(
    store: Store, source: str, target: str, *, wiki: str | None = None, most: int = 5
) -> Anchors:
    """The best anchors by CRTM; a link that is there already is not looked at.

    Refuses a title that the database does not hold.
    """
    loaded = load_wiki(store, wiki)
    pages = loaded.wiki
    of_source, of_target = (
        int(np.flatnonzero(numbers_of_titles(loaded, [title]))[0]) for title in (source, target)
    )
    shown = ~((pages.links.page == of_source) & (pages.links.target == of_target))
    record = records(pages, shown)[of_source]
    model = load_crtm(store, loaded.row.id, "crtm")
    ranked = model.rank_words(record, pages.titles[of_target])[:most]
    words = [(word, float(f"{score:.4g}")) for word, score in ranked]
    return Anchors(pages.titles[of_source], pages.titles[of_target], {"crtm": words})
