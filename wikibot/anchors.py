"""`wikibot anchors`: the paper's use. Given source and target, which words should carry the link?

Where no word of the source names the target, it shows where a few words about it would fit.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from wikibot.dataset import load_dataset
from wikibot.errors import BadInput
from wikibot.insertion import open_insertion_of
from wikibot.linker.page import Page, read
from wikibot.linker.policy import Policy
from wikibot.linker.score import score_candidates
from wikibot.linker.topics import record
from wikibot.models import Models, open_crtm, open_models
from wikibot.queue_rows import shown_text
from wikibot.steps import Tell, silent
from wikibot.store import Store
from wikibot.store.pages import WikiRow, page_by_title, wiki_by_name

if TYPE_CHECKING:
    from crtm import CRTM

PLACES_SHOWN = 3

Words = list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class Anchors:
    """The best words of the source for a link to the target, by each model, the best first."""

    source: str
    target: str
    models: dict[str, Words]
    places: tuple[str, ...] = ()  # sentences, where no word names the target

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def best_anchors(
    store: Store,
    source: str,
    target: str,
    *,
    wiki: str | None = None,
    most: int = 5,
    tell: Tell = silent,
) -> Anchors:
    """The best anchors by the linker and by CRTM; a link that is there already is not looked at.

    Where no word names the target, the best places for a few words about it. Refuses a title that the
    database does not hold.
    """
    with store.reading() as session:
        row = wiki_by_name(session, wiki)
    models, crtm = open_models(store, row.id), open_crtm(store, row.id)
    found = anchors_by(store, row, models, crtm, source, target, most=most)
    if found.models["linker"]:
        return found
    return replace(found, places=_places(store, row, found, models, tell))


def anchors_by(
    store: Store, row: WikiRow, models: Models, crtm: CRTM, source: str, target: str, *, most: int
) -> Anchors:
    """The best anchors by models that are open already, without places."""
    with store.reading() as session:
        pages = [page_by_title(session, row.id, title) for title in (source, target)]
    for title, found in zip((source, target), pages, strict=True):
        if found is None:
            raise BadInput(f'There is no page "{title}" in the database. Nothing was proposed.')
    of_source, of_target = (page for page in pages if page is not None)
    page = read(of_source.title, of_source.wikitext, row.rules())
    if page is None:
        raise BadInput(f'"{source}" is a redirect; there is nothing to link in it.')
    page = _without_links_to(page, of_target.title, models)
    ranked = crtm.rank_words(record(page), of_target.title)[:most]
    words = [(word, float(f"{score:.4g}")) for word, score in ranked]
    found_by = {"linker": _by_linker(page, of_target.title, models)[:most], "crtm": words}
    return Anchors(of_source.title, of_target.title, found_by)


def _places(
    store: Store, row: WikiRow, found: Anchors, models: Models, tell: Tell
) -> tuple[str, ...]:
    """The sentences of the source where a link to the target would fit best."""
    dataset = load_dataset(store, row.name)
    opened = open_insertion_of(store, dataset, tell=tell)
    number = next((n for n, one in enumerate(dataset.rows) if one.title == found.source), None)
    if found.target not in opened.numbers or number is None:
        return ()
    page = _without_links_to(dataset.pages[number], found.target, models)
    best = opened.places(page, opened.numbers[found.target], most=PLACES_SHOWN)
    return tuple(shown_text(page.text[one.start : one.end], dataset.rules) for one in best)


def _without_links_to(page: Page, title: str, models: Models) -> Page:
    import numpy as np

    titles = models.knowledge.titles
    number = titles.number.get(title, -2)
    linked = [titles.number.get(target, -1) == number for target in page.links.target]
    return page.hide(np.array(linked, dtype=bool))


def _by_linker(page: Page, title: str, models: Models) -> Words:
    """The mentions of the target, by how likely the link stands there."""
    knowledge = models.knowledge
    policy = Policy(min_probability=0, targets=frozenset((title,)))
    scored = score_candidates(page, knowledge, models.ranker, policy)
    rows = scored.rows
    places = [
        (page.written(int(rows.first[row]), int(rows.length[row])), float(scored.ranked.score[row]))
        for row in range(len(rows))
        if knowledge.titles.titles[int(rows.target[row])] == title
    ]
    return [(words, round(score, 4)) for words, score in sorted(places, key=lambda one: -one[1])]
