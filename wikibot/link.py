"""`wikibot link` and `Linker`: a text with its links set, though the page is not on the wiki yet."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from pathlib import Path

from wikibot.errors import BadInput, UnsafeEdit
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.page import read
from wikibot.linker.policy import Policy
from wikibot.linker.score import NOT_ASKED, Proposal, Scored, proposals_of, score_candidates
from wikibot.models import Models, open_models
from wikibot.store import Store, open_store
from wikibot.store.pages import WikiRow, wiki_by_name
from wikibot.wikitext import Insertion, insert_links, link_markup


@dataclass(frozen=True, slots=True)
class LinkedDraft:
    """A draft before and after, and the links that were set, in the order of the text."""

    name: str
    before: str
    after: str
    links: tuple[tuple[str, str, float], ...]  # anchor, target, probability
    not_set: tuple[str, ...] = ()  # targets that are likely enough, and were refused

    def diff(self) -> str:
        """The change as a unified diff."""
        lines = difflib.unified_diff(
            self.before.splitlines(keepends=True),
            self.after.splitlines(keepends=True),
            self.name,
            f"{self.name} (linked)",
        )
        return "".join(lines)


class Linker:
    """Links for any text, by what was learned from a wiki.

    linker = Linker.open("wiki.db")
    linker.link("Approval voting elects ...")        # the text with its links
    linker.propose("Approval voting elects ...")     # the links with places and reasons
    """

    def __init__(self, wiki: WikiRow, models: Models, policy: Policy) -> None:
        self.wiki, self.models, self.policy = wiki, models, policy
        self.rules = wiki.rules(link_scope=policy.scope)

    @classmethod
    def open(cls, database: str | Path | Store, *, wiki: str | None = None, policy: Policy | None = None) -> Linker:  # fmt: skip
        """What was learned from a wiki of this database; refuses where nothing was."""
        store = database if isinstance(database, Store) else open_store(database)
        with store.reading() as session:
            row = wiki_by_name(session, wiki)
        return cls(row, open_models(store, row.id), policy or Policy())

    def scored(self, text: str, *, title: str = "", targets: tuple[str, ...] = ()) -> Scored:
        """Every candidate of the text; `targets` narrows what is linked to."""
        page = read(title, text, self.rules)
        if page is None:
            raise BadInput(f"{title or 'The text'} is a redirect; there is nothing to link in it.")
        named = frozenset(map(self.title_of, targets)) if targets else self.policy.targets
        policy = replace(self.policy, is_draft=True, targets=named)
        return score_candidates(page, self.models.knowledge, self.models.ranker, policy)

    def propose(
        self, text: str, *, title: str = "", targets: tuple[str, ...] = ()
    ) -> list[Proposal]:
        """Links for the text, the most likely first; offsets are places in it."""
        scored = self.scored(text, title=title, targets=targets)
        return proposals_of(scored, self.models.knowledge, self.models.ranker)

    def link(self, text: str, *, title: str = "", targets: tuple[str, ...] = ()) -> str:
        """The text with its links; nothing but the links is changed."""
        return self.draft(text, name=title, targets=targets).after

    def draft(self, text: str, *, name: str, targets: tuple[str, ...] = ()) -> LinkedDraft:
        """The text before and after, with the links that were set."""
        title = free_title(name, self.models.knowledge)
        scored = self.scored(text, title=title, targets=targets)
        found = proposals_of(scored, self.models.knowledge, self.models.ranker)
        places = []
        for one in sorted(found, key=lambda proposal: proposal.start):
            place = Insertion(one.start, one.end, one.target)
            try:
                link_markup(text, place, self.rules)
            except UnsafeEdit:
                continue
            places.append((place, one.probability))
        after = insert_links(text, [place for place, _ in places], self.rules)
        links = tuple((text[p.start : p.end], p.target, chance) for p, chance in places)
        return LinkedDraft(name, text, after, links, self._not_set(scored, links))

    def _not_set(
        self, scored: Scored, links: tuple[tuple[str, str, float], ...]
    ) -> tuple[str, ...]:
        """Targets that were asked for and are likely enough, but have no link."""
        is_set = {target for _, target, _ in links}
        likely = scored.ranked.acceptance >= self.policy.min_probability
        titles = [
            self.models.knowledge.titles.titles[n] for n in scored.rows.target[scored.row].tolist()
        ]
        found = zip(titles, likely.tolist(), scored.refused, strict=True)
        return tuple(t for t, ok, why in found if ok and why != NOT_ASKED and t not in is_set)

    def title_of(self, title: str) -> str:
        """The page of that name, redirects followed; refuses a title that the wiki does not have."""
        name = title.replace("_", " ").strip()
        spellings = (name, name[:1].upper() + name[1:]) if self.rules.capital_links else (name,)
        titles = self.models.knowledge.titles
        for spelling in spellings:
            if spelling in titles.number:
                return titles.titles[titles.number[spelling]]
        raise BadInput(f'There is no page "{title}" in the database. Nothing was proposed.')


def free_title(name: str, knowledge: Knowledge) -> str:
    """A title for a draft that no page of the wiki has."""
    title = Path(name).stem or "Draft"
    return title if title not in knowledge.titles.number else f"{title} (draft)"


def linked_draft(
    store: Store,
    text: str,
    *,
    name: str,
    targets: tuple[str, ...] = (),
    wiki: str | None = None,
    min_probability: float | None = None,
) -> LinkedDraft:
    """A draft with its links, by the settings in force and the wiki's never-link list."""
    from wikibot.config import load_settings
    from wikibot.policies import policy_of

    settings = load_settings()
    with store.reading() as session:
        row = wiki_by_name(session, wiki)
    policy = policy_of(store, row, settings, min_probability=min_probability)
    models = open_models(store, row.id)
    return Linker(row, models, policy).draft(text, name=name, targets=targets)
