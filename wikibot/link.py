"""`wikibot link` and `Linker`: a text with its links set, though the page is not on the wiki yet."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wikibot.errors import BadInput, UnsafeEdit
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.page import columns_of
from wikibot.linker.policy import Policy
from wikibot.linker.score import NOT_ASKED, Proposal, Scored, proposals_of, score_candidates
from wikibot.models import Models, open_models
from wikibot.store import Store, open_store
from wikibot.store.pages import WikiRow, wiki_by_name
from wikibot.wikitext import Insertion, PageText, insert_links, link_markup, read_page


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
        named = frozenset(map(self.title_of, targets)) if targets else self.policy.targets
        policy = replace(self.policy, is_draft=True, targets=named)
        return self.scored_page(read_page(text, self.rules, title), policy)

    def scored_page(self, parsed: PageText, policy: Policy) -> Scored:
        """Every candidate of a page that is parsed already, by this policy."""
        page = columns_of(parsed, parsed.title or "")
        if page is None:
            name = parsed.title or "The text"
            raise BadInput(f"{name} is a redirect; there is nothing to link in it.")
        return score_candidates(page, self.models.knowledge, self.models.ranker, policy)

    def propose_for_page(self, parsed: PageText, policy: Policy) -> list[Proposal]:
        """Links for a page of the wiki, by this policy, the most likely first."""
        return self._safe(parsed.text, self.scored_page(parsed, policy))

    def propose(
        self, text: str, *, title: str = "", targets: tuple[str, ...] = ()
    ) -> list[Proposal]:
        """Links for the text, the most likely first; offsets are places in it."""
        return self._safe(text, self.scored(text, title=title, targets=targets))

    def _safe(self, text: str, scored: Scored) -> list[Proposal]:
        """What was not refused and can be written as a link."""
        found = []
        for one in proposals_of(scored, self.models.knowledge, self.models.ranker):
            try:
                link_markup(text, Insertion(one.start, one.end, one.target), self.rules)
            except UnsafeEdit:
                continue
            found.append(one)
        return found

    def link(self, text: str, *, title: str = "", targets: tuple[str, ...] = ()) -> str:
        """The text with its links; nothing but the links is changed."""
        return self.draft(text, name=title, targets=targets).after

    def draft(self, text: str, *, name: str, targets: tuple[str, ...] = ()) -> LinkedDraft:
        """The text before and after, with the links that were set."""
        title = free_title(name, self.models.knowledge)
        scored = self.scored(text, title=title, targets=targets)
        found = sorted(self._safe(text, scored), key=lambda proposal: proposal.start)
        links = tuple((text[one.start : one.end], one.target, one.probability) for one in found)
        after = self.with_links(text, found)
        return LinkedDraft(name, text, after, links, self._not_set(scored, links))

    def _not_set(
        self, scored: Scored, links: tuple[tuple[str, str, float], ...]
    ) -> tuple[str, ...]:
        """Targets that were asked for and are likely enough, but have no link."""
        is_set = {target for _, target, _ in links}
        likely = scored.ranked.acceptance >= scored.least
        known = self.models.knowledge.titles.titles
        titles = [known[number] for number in scored.rows.target[scored.row].tolist()]
        found = zip(titles, likely.tolist(), scored.refused, strict=True)
        return tuple(t for t, ok, why in found if ok and why != NOT_ASKED and t not in is_set)

    def with_links(self, text: str, proposals: Sequence[Proposal]) -> str:
        """The text with these links in it."""
        places = [Insertion(one.start, one.end, one.target) for one in proposals]
        return insert_links(text, places, self.rules)

    def with_policy(self, policy: Policy) -> Linker:
        """The same linker with another policy."""
        return Linker(self.wiki, self.models, policy)

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
