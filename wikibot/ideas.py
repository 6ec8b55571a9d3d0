"""`wikibot orphans` and `wikibot adopt`: pages that nobody links to, and where a link to them would fit.

Where a name of the page occurs, that is a proposal like any other. Elsewhere it is an idea: a sentence
after which somebody could write a few words about the page. An idea is never published by itself.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from wikibot.config import Settings, load_settings
from wikibot.dataset import Dataset, load_dataset
from wikibot.errors import BadInput
from wikibot.i18n import Count
from wikibot.insertion import Insertion, Place, open_insertion_of
from wikibot.linker.explain import sentence as reasons_in_a_sentence
from wikibot.message import message
from wikibot.policies import policy_of
from wikibot.queue_rows import shown_text
from wikibot.steps import Step, Tell, silent
from wikibot.store import Store, ideas
from wikibot.store.ideas import IdeaRow, NewIdea
from wikibot.store.lock import only_one
from wikibot.store.pages import PageRow, page_by_title, wiki_by_name
from wikibot.store.runs import recorded_run
from wikibot.suggest import Shown, Wanted, suggest

SOURCES_READ = 30  # pages for each target
LEAST_CHANCE = 0.4  # of an idea; rather none than a bad one
IDEAS_PER_TARGET = 3


@dataclass(frozen=True, slots=True)
class ShownIdea:
    """An idea as a report shows it."""

    id: int
    page: str
    target: str
    sentence: str
    reasons: str


@dataclass(frozen=True, slots=True)
class Orphan:
    """A page that no other one links to, and where links to it could go."""

    title: str
    proposals: tuple[Shown, ...]
    ideas: tuple[ShownIdea, ...]


@dataclass(frozen=True, slots=True)
class OrphansReport:
    """What was found for the pages that nobody links to."""

    wiki: str
    orphans: tuple[Orphan, ...]
    new_proposals: int
    new_ideas: int
    seconds: float

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class AdoptReport:
    """What was found for one page: links on it, links to it, and ideas for more."""

    wiki: str
    title: str
    links_from: tuple[Shown, ...]
    links_to: tuple[Shown, ...]
    ideas: tuple[ShownIdea, ...]
    new_proposals: int
    new_ideas: int
    seconds: float

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def orphans(
    store: Store,
    *,
    wiki: str | None = None,
    category: str | None = None,
    tell: Tell = silent,
) -> OrphansReport:
    """Proposals and ideas for every page without an incoming link in prose wait to be decided.

    Run twice, it finds nothing new; what people declined does not come back. Refuses a category that no
    page stands in.
    """
    begun = time.perf_counter()
    with store.reading() as session:
        row = wiki_by_name(session, wiki)
        if category is not None and not ideas.has_category(session, row.id, category):
            raise BadInput(f'No page stands in the category "{category}". Nothing was proposed.')
        ids = ideas.orphan_ids(session, row.id, category)
    if not ids:
        return OrphansReport(row.name, (), 0, 0, round(time.perf_counter() - begun, 2))
    dataset = load_dataset(store, row.name)
    known = {one.id: one.title for one in dataset.rows}
    titles = {number: known[number] for number in ids if number in known}
    proposed = suggest(
        store, wiki=row.name, wanted=Wanted(targets=tuple(titles.values())), tell=tell
    )
    new = find_ideas(store, row.name, tuple(titles), "orphans", tell=tell)
    shown = _waiting(store, row.id, tuple(titles))
    found = tuple(
        Orphan(
            title,
            tuple(one for one in proposed.proposals if one.target == title),
            tuple(one for one in shown if one.target == title),
        )
        for title in titles.values()
    )
    seconds = round(time.perf_counter() - begun, 2)
    return OrphansReport(row.name, found, proposed.new, new, seconds)


def adopt(store: Store, title: str, *, wiki: str | None = None, tell: Tell = silent) -> AdoptReport:
    """Links on a page, links to it and ideas for more wait to be decided; refuses a page that is not there."""
    begun = time.perf_counter()
    with store.reading() as session:
        row = wiki_by_name(session, wiki)
        page = page_by_title(session, row.id, title)
    if page is None:
        raise BadInput(
            f'There is no page "{title}" in the database. Nothing was proposed. Run `wikibot fetch` '
            "again if it is new."
        )
    on_it = suggest(store, wiki=row.name, wanted=Wanted(pages=(page.title,)), tell=tell)
    to_it = suggest(store, wiki=row.name, wanted=Wanted(targets=(page.title,)), tell=tell)
    new = find_ideas(store, row.name, (page.id,), "adopt", tell=tell)
    return AdoptReport(
        row.name, page.title, on_it.proposals, to_it.proposals, _waiting(store, row.id, (page.id,)),
        on_it.new + to_it.new, new, round(time.perf_counter() - begun, 2),
    )  # fmt: skip


def _waiting(store: Store, wiki_id: int, targets: Collection[int]) -> tuple[ShownIdea, ...]:
    with store.reading() as session:
        return tuple(map(shown_idea, ideas.ideas(session, wiki_id, targets=targets)))


def shown_idea(row: IdeaRow) -> ShownIdea:
    """An idea for a report."""
    why = reasons_in_a_sentence(row.reasons)
    return ShownIdea(row.id, row.page, row.target, row.sentence, why)


def find_ideas(
    store: Store,
    wiki: str,
    targets: Sequence[int],
    command: str,
    *,
    settings: Settings | None = None,
    tell: Tell = silent,
) -> int:
    """Ideas for links to these pages, by row id, wait to be decided; returns how many are new."""
    settings = settings or load_settings()
    with only_one(store, "ideas"), recorded_run(store, command, {"targets": len(targets)}) as run:
        dataset = load_dataset(store, wiki)
        assert dataset.wiki is not None, "it comes from the database"
        run.belongs_to(dataset.wiki.id)
        opened = open_insertion_of(store, dataset, tell=tell)
        tell(Step(message("step-places-for", Count(len(targets)))))
        finder = IdeaFinder(store, dataset, opened, settings)
        found = [idea for target in targets for idea in finder.ideas_for(target)]
        with store.writing() as session:
            new = ideas.put_ideas(session, dataset.wiki.id, run.id, found, set(targets))
            ideas.note_written(session, dataset.wiki.id)
        run.result = {"ideas": len(found), "new": new}
    return new


class IdeaFinder:
    """Finds ideas for one target after the other."""

    def __init__(
        self, store: Store, dataset: Dataset, opened: Insertion, settings: Settings
    ) -> None:
        assert dataset.wiki is not None, "it comes from the database"
        self.dataset, self.opened = dataset, opened
        self.never = policy_of(store, dataset.wiki, settings).never
        self.number = {row.id: number for number, row in enumerate(dataset.rows)}
        with store.reading() as session:
            self.decided = ideas.decided_pairs(session, dataset.wiki.id)

    def ideas_for(self, target_id: int) -> list[NewIdea]:
        """The best ideas for links to a page, one for each of the pages that should soonest have them."""
        number = self.number.get(target_id)
        if number is None or self.dataset.rows[number].title in self.never.targets:
            return []
        if not self.opened.says_enough(number):
            return []
        found = []
        for source, place in self.opened.places_for_orphan(number, self._sources(number)):
            if place.chance >= LEAST_CHANCE:
                found.append(self._idea(source, target_id, place))
            if len(found) == IDEAS_PER_TARGET:
                break
        return found

    def _sources(self, target: int) -> list[int]:
        """The best pages on which an idea may stand: nothing was decided there, and no name of the target occurs."""
        target_id, found = self.dataset.rows[target].id, []
        for source in self.opened.sources(target):
            row = self.dataset.rows[source]
            is_new = self._is_open(row) and (row.id, target_id) not in self.decided
            if is_new and not self.opened.is_named_on(source, target):
                found.append(source)
            if len(found) == SOURCES_READ:
                break
        return found

    def _is_open(self, row: PageRow) -> bool:
        is_plain = row.in_set and not row.is_disambiguation and not row.exclusion
        return is_plain and row.title not in self.never.pages

    def _idea(self, source: int, target_id: int, place: Place) -> NewIdea:
        row, page = self.dataset.rows[source], self.dataset.pages[source]
        shown = shown_text(page.text[place.start : place.end], self.dataset.rules)
        return NewIdea(
            row.id, target_id, row.revision_id, page.offset(place.start), page.offset(place.end - 1) + 1,
            shown, round(place.chance, 6), place.reasons,
        )  # fmt: skip
