"""`wikibot link`: a writer's draft with its links set, though the page is not on the wiki yet."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace

import numpy as np

from wikibot.config import load_settings
from wikibot.errors import BadInput, UnsafeEdit
from wikibot.ranking.lessons import study
from wikibot.ranking.proposals import anchor_end, propose
from wikibot.ranking.prose import read_prose
from wikibot.ranking.rules import Options
from wikibot.ranking.topics import TopicReader
from wikibot.ranking.wiki import assemble
from wikibot.store import Store
from wikibot.suggest import load_models, numbers_of_titles, with_never_list
from wikibot.train import StoredWiki, load_wiki
from wikibot.wikitext import Insertion, insert_links, link_markup


@dataclass(frozen=True, slots=True)
class LinkedDraft:
    """A draft before and after, and the links that were set, in the order of the text."""

    name: str
    before: str
    after: str
    links: tuple[tuple[str, str, float], ...]  # anchor, target, probability

    def diff(self) -> str:
        """The change as a unified diff."""
        lines = difflib.unified_diff(
            self.before.splitlines(keepends=True),
            self.after.splitlines(keepends=True),
            self.name,
            f"{self.name} (linked)",
        )
        return "".join(lines)


def link_draft(
    store: Store,
    text: str,
    *,
    name: str,
    options: Options,
    targets: tuple[str, ...] = (),
    wiki: str | None = None,
) -> LinkedDraft:
    """The draft with links to pages of the wiki; nothing but the links is changed.

    `targets` narrows what is linked to. Refuses a draft that is a redirect, or a target that the
    database does not hold.
    """
    loaded = load_wiki(store, wiki)
    crtm, ranker, aptness = load_models(store, loaded.row.id)
    draft = read_prose(name, text, loaded.row.rules())
    if draft is None:
        raise BadInput(f"{name} is a redirect; there is nothing to link in it.")
    titles = loaded.wiki.titles
    onward = {title: titles[end] for title, end in loaded.wiki.redirects.items()}
    title = _free_title(name, loaded)
    pages = assemble([*loaded.wiki.pages, replace(draft, title=title)], onward)
    known = np.ones(pages.size, dtype=bool)
    known[-1] = False
    studied = study(pages, known, TopicReader(crtm, pages, aptness))
    wanted = _targets(loaded, targets)
    options = with_never_list(store, loaded, options, load_settings())
    found = propose(studied, ranker, ~known, options, targets=wanted)
    return _linked(loaded, text, name, [(p.start, p.end, titles[p.target], p.probability) for p in found])  # fmt: skip


def _free_title(name: str, loaded: StoredWiki) -> str:
    """The draft's name, made different from any page: it is no page yet."""
    return name if name not in loaded.wiki.titles else f"{name}\n(draft)"


def _targets(loaded: StoredWiki, targets: tuple[str, ...]) -> np.ndarray | None:
    if not targets:
        return None
    chosen = numbers_of_titles(loaded, targets)
    return np.append(chosen, False)


def _linked(
    loaded: StoredWiki, text: str, name: str, found: list[tuple[int, int, str, float]]
) -> LinkedDraft:
    rules = loaded.row.rules()
    places = []
    for start, end, target, probability in sorted(found):
        place = Insertion(start, anchor_end(text, end, target), target)
        try:
            link_markup(text, place, rules)
        except UnsafeEdit:
            continue
        places.append((place, probability))
    after = insert_links(text, [place for place, _ in places], rules)
    links = tuple((text[p.start : p.end], p.target, chance) for p, chance in places)
    return LinkedDraft(name, text, after, links)
