"""`wikibot suggest`: proposals for missing links, with reasons, in the queue.

Only pages whose text changed, or which the models or settings in force have not seen, are looked at.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from wikibot.config import Settings, load_settings
from wikibot.dataset import Dataset, load_dataset
from wikibot.engine import Cluster, cluster, in_groups, map_pages, tell_done
from wikibot.errors import BadInput
from wikibot.in_force import settings_in_force
from wikibot.linker.explain import sentence as reasons_in_a_sentence
from wikibot.linker.names import Titles
from wikibot.linker.page import Page
from wikibot.linker.policy import Policy
from wikibot.linker.score import score_page
from wikibot.message import message
from wikibot.models import Models, keep_refreshed, open_models, tidy_unless_training
from wikibot.policies import left_alone_because, policy_from, policy_of
from wikibot.queue_rows import queue_rows
from wikibot.steps import Step, Tell, silent
from wikibot.store import Store, store_at
from wikibot.store.lock import only_one
from wikibot.store.pages import PageRow
from wikibot.store.readings import keep_scored, scored_marks, wikitexts
from wikibot.store.runs import recorded_run
from wikibot.store.suggestions import (
    NewProposal,
    Queued,
    decided_pairs,
    most_likely,
    pending_count,
    put_in_queue,
)
from wikibot.train import confidence, count_links
from wikibot.wikitext import SiteRules

COMMIT_PAGES = 500  # whose proposals are written together
PAGES_PER_TRANSACTION = 50  # of a machine of a cluster
TEXTS_AT_ONCE = 200  # pages whose wikitext is read together
MOST_SHOWN = 10_000  # proposals in a report, the most likely ones


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for: some pages, some targets, or everything."""

    pages: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    per_page: int | None = None
    min_probability: float | None = None


EVERYTHING = Wanted()


@dataclass(frozen=True, slots=True)
class Shown:
    """A proposal as a report shows it."""

    page: str
    target: str
    anchor: str
    wikitext: str
    start: int
    end: int
    probability: float
    sentence: str
    reasons: str


@dataclass(frozen=True, slots=True)
class SuggestReport:
    """What was proposed, on how many pages that were looked at, and how long it took."""

    wiki: str
    pages: int
    new: int
    refreshed: int
    withdrawn: int
    waiting: int
    confidence: str
    seconds: float
    proposals: tuple[Shown, ...]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def suggest(
    store: Store,
    *,
    wiki: str | None = None,
    wanted: Wanted = EVERYTHING,
    settings: Settings | None = None,
    tell: Tell = silent,
) -> SuggestReport:
    """Proposals wait in the queue, each with place, probability and reasons.

    Run twice, it proposes nothing new; what people have decided does not come back. Where everything is
    asked for, what waits and is not proposed any more is withdrawn. Pages are written in groups, each
    in a transaction: stopped anywhere, the next run goes on with the pages that are left. Refuses while
    another process proposes.
    """
    begun = time.perf_counter()
    settings = settings or load_settings()
    policy_from(settings)  # bad settings are told before anything is read
    with (
        only_one(store, "suggest"),
        recorded_run(store, "suggest", {"wiki": wiki, **asdict(wanted)}) as run,
    ):
        tell(Step(message("step-reading-pages")))
        dataset = load_dataset(store, wiki)
        assert dataset.wiki is not None, "it comes from the database"
        run.belongs_to(dataset.wiki.id)
        models = refreshed(store, dataset, open_models(store, dataset.wiki.id), tell)
        tidy_unless_training(store)
        policy = policy_of(
            store, dataset.wiki, settings, per_page=wanted.per_page,
            min_probability=wanted.min_probability,
        )  # fmt: skip
        policy = replace(policy, targets=_titles(dataset, wanted.targets))
        tell(Step(message("step-finding-missing")))
        settings = settings_in_force(store, dataset.wiki, settings)
        work = Work(store, dataset, models, policy, wanted, settings)
        queued = work.put_in_queue(run.id)
        with store.reading() as session:
            waiting = pending_count(session, dataset.wiki.id)
        report = SuggestReport(
            dataset.wiki.name, len(work.numbers), *queued, waiting,
            confidence(int(models.knowledge.counts.target_links.sum())),
            round(time.perf_counter() - begun, 2), work.shown(),
        )  # fmt: skip
        run.result = {**report.as_json(), "proposals": work.found}
    return report


class Work:
    """The pages to look at, and what is proposed for them."""

    def __init__(
        self,
        store: Store,
        dataset: Dataset,
        models: Models,
        policy: Policy,
        wanted: Wanted,
        settings: Settings,
    ) -> None:
        self.store, self.dataset, self.models, self.policy = store, dataset, models, policy
        self.is_all = wanted == EVERYTHING
        self.found, self._best = 0, list[NewProposal]()
        assert dataset.wiki is not None, "it comes from the database"
        with store.reading() as session:
            decided = decided_pairs(session, dataset.wiki.id)
            seen = scored_marks(session, dataset.wiki.id)
        titles = {row.id: row.title for row in dataset.rows}
        self.decided: dict[int, set[str]] = {}
        for page, target in decided:
            self.decided.setdefault(page, set()).add(titles.get(target, ""))
        self.mark = _mark_of(models, policy)
        self.numbers = self._numbers(wanted, settings, seen)

    def _numbers(self, wanted: Wanted, settings: Settings, seen: dict[int, str]) -> list[int]:
        """Pages of the set, not closed to bots, not edited just now, that were not looked at so.

        A page that is asked for by name may be edited just now, and looked at before.
        """
        rows = self.dataset.rows
        if wanted.pages:
            titles = _titles(self.dataset, wanted.pages) or frozenset()
            numbers = [number for number, row in enumerate(rows) if row.title in titles]
            _refuse_closed(rows[number] for number in numbers)
            return numbers
        marks = self.marks(range(len(rows)))
        return [
            number
            for number, row in enumerate(rows)
            if not left_alone_because(row, settings)
            and (wanted != EVERYTHING or seen.get(row.id) != marks[row.id])
        ]

    def marks(self, numbers: Iterable[int]) -> dict[int, str]:
        """For each page what its proposals depend on: its text, targets, models and settings."""
        rows, read = self.dataset.rows, self.dataset.marks
        return {
            rows[n].id: hashlib.sha256(
                f"{self.mark}{read[n]}{sorted(self.decided.get(rows[n].id, ()))}".encode()
            ).hexdigest()
            for n in numbers
        }

    def put_in_queue(self, run_id: int) -> Queued:
        """Proposals for all pages wait in the queue; what is done stays done, wherever it is stopped.

        On a cluster with a database server, its machines write what they find.
        """
        assert self.dataset.wiki is not None, "it comes from the database"
        score = self.score_page()
        machines = cluster()
        if machines is not None and self.store.path is None:
            return self._queued_by(machines, score, run_id)
        total = Queued(0, 0, 0)
        found = map_pages(score, self.asked(), total=len(self.numbers))
        answers = zip(self.numbers, found, strict=True)
        for some in in_groups(answers, COMMIT_PAGES):
            rows = [row for _, found in some for row in found or ()]
            numbers = [number for number, found in some if found is not None]
            with self.store.writing() as session:
                asked = {self.dataset.rows[number].id for number in numbers}
                queued = put_in_queue(
                    session, self.dataset.wiki.id, run_id, rows, asked, is_all=self.is_all
                )
                if self.is_all:
                    keep_scored(session, self.marks(numbers))
            total = Queued(*map(sum, zip(total, queued, strict=True)))
            self._remember(rows)
        return total

    def score_page(self) -> ScorePage:
        """What is done to a page, wherever it is done."""
        ids = {row.title: row.id for row in self.dataset.rows}
        return ScorePage(self.models, self.policy, self.dataset.rules, ids)

    def _queued_by(self, machines: Cluster, score: ScorePage, run_id: int) -> Queued:
        """The machines of a cluster write the proposals that they find to the queue."""
        assert self.dataset.wiki is not None, "it comes from the database"
        write = QueuePages(score, self.store.address, self.dataset.wiki.id, run_id, self.is_all)
        marks = self.marks(self.numbers)
        asked = ((one, marks[one.row.id]) for one in self.asked())
        total, done = Queued(0, 0, 0), 0
        for answer in machines.map(write, in_groups(asked, PAGES_PER_TRANSACTION), 1):
            total = Queued(*map(sum, zip(total, answer.queued, strict=True)))
            done += answer.pages
            self.found += answer.found
            tell_done(done, len(self.numbers))
        with self.store.reading() as session:
            self._best = most_likely(session, self.dataset.wiki.id, MOST_SHOWN)
        return total

    def asked(self) -> Iterator[Asked]:
        """The pages with their texts, which come from the database as they are needed."""
        for some in in_groups(self.numbers, TEXTS_AT_ONCE):
            rows = [self.dataset.rows[number] for number in some]
            with self.store.reading() as session:
                texts = wikitexts(session, [row.id for row in rows])
            for number, row in zip(some, rows, strict=True):
                text, decided = texts.get((row.id, row.revision_id)), self.decided.get(row.id, ())
                yield Asked(row, self.dataset.pages.packed(number), text, frozenset(decided))

    def _remember(self, rows: list[NewProposal]) -> None:
        self.found += len(rows)
        order = sorted(
            self._best + rows, key=lambda row: (-row.probability, row.page_id, row.start)
        )
        self._best = order[:MOST_SHOWN]

    def shown(self) -> tuple[Shown, ...]:
        """The most likely proposals, as a report shows them."""
        titles = {row.id: row.title for row in self.dataset.rows}
        return tuple(_shown(row, titles) for row in self._best)


@dataclass(frozen=True, slots=True)
class ScorePage:
    """Queue rows for a page; holds nothing but what travels to other machines."""

    models: Models
    policy: Policy
    rules: SiteRules
    ids: Mapping[str, int]

    def __call__(self, item: Asked) -> list[NewProposal] | None:
        """None where the page is not any more what it was."""
        if item.wikitext is None:
            return None
        policy = replace(self.policy, decided=item.decided)
        page = Page.unpacked(item.packed)
        found = score_page(page, self.models.knowledge, self.models.ranker, policy)
        return list(queue_rows(item.row, item.wikitext, page, found, self.ids, self.rules))


class Written(NamedTuple):
    """What a machine of a cluster has written for some pages."""

    pages: int
    found: int
    queued: Queued


@dataclass(frozen=True, slots=True)
class QueuePages:
    """Writes the proposals of some pages to the queue, in one transaction.

    Called again for the same pages it changes nothing: the queue holds a pair of page and target once,
    and the same revision gives the same proposals.
    """

    score: ScorePage
    address: str
    wiki_id: int
    run_id: int | None
    is_all: bool

    def __call__(self, asked: list[tuple[Asked, str]]) -> Written:
        found = [(one, mark, self.score(one)) for one, mark in asked]
        marks = {one.row.id: mark for one, mark, rows in found if rows is not None}
        proposals = [row for _, _, rows in found for row in rows or ()]
        with store_at(self.address).writing() as session:
            queued = put_in_queue(
                session, self.wiki_id, self.run_id, proposals, set(marks), is_all=self.is_all
            )
            if self.is_all:
                keep_scored(session, marks)
        return Written(len(asked), len(proposals), queued)


class Asked(NamedTuple):
    """A page to propose links for; no wikitext where it has another revision by now."""

    row: PageRow
    packed: bytes
    wikitext: str | None
    decided: frozenset[str]


def _mark_of(models: Models, policy: Policy) -> str:
    """What the proposals of all pages depend on: targets, models and settings."""
    mark = hashlib.sha256(f"{models.mark}{_said(policy)}".encode("utf-8", "surrogatepass"))
    titles = models.knowledge.titles
    for name in sorted(titles.number):
        said = f"{name}\n{titles.titles[titles.number[name]]}\n"
        mark.update(said.encode("utf-8", "surrogatepass"))
    return mark.hexdigest()


def _said(policy: Policy) -> str:
    """A policy as a text that is the same for the same policy."""
    parts = {
        name: sorted(map(str, value)) if isinstance(value, frozenset) else value
        for name, value in asdict(policy).items()
        if name != "never"
    }
    never = [
        sorted(map(str, getattr(policy.never, name))) for name in ("words", "targets", "pages")
    ]
    return f"{sorted(parts.items())}{never}"


def refreshed(store: Store, dataset: Dataset, models: Models, tell: Tell) -> Models:
    """The models with what changed since they were learned: texts, links, and pages that came or went."""
    assert dataset.wiki is not None, "it comes from the database"
    knowledge, ranker = models.knowledge, models.ranker
    titles = Titles.of((row.title for row in dataset.rows), dataset.redirects)
    same = titles.ends() == knowledge.titles.ends() and _can_be_replaced(dataset)
    if same and not dataset.new:
        return models
    if same:
        changed = [
            (Page.unpacked(old), dataset.pages[titles.number[title]])
            for title, old in dataset.replaced.items()
        ]
        tell(Step(message("step-counting-changed")))
        knowledge = knowledge.replaced(changed)
    else:
        now = {title: number for number, title in enumerate(titles.titles)}
        moved = np.array([now.get(title, -1) for title in knowledge.titles.titles])
        knowledge, _ = count_links(dataset, knowledge.topics, tell)
        ranker = ranker.renumbered(moved)
    return keep_refreshed(store, dataset.wiki.id, knowledge, ranker, dataset.new)


def _can_be_replaced(dataset: Dataset) -> bool:
    """Is it known how each changed page was counted, and are they the fewer ones?"""
    changed = len(dataset.new)
    return len(dataset.replaced) == changed and 2 * changed <= len(dataset.pages)


def _refuse_closed(rows: Iterable[PageRow]) -> None:
    """Refuse a page that keeps bots away: nothing that is proposed there could be published."""
    for row in rows:
        if row.exclusion:
            raise BadInput(message("suggest-closed-page", row.title, row.exclusion))


def _titles(dataset: Dataset, titles: Sequence[str]) -> frozenset[str] | None:
    """The pages of these names, redirects followed; refuses a title that is not there."""
    if not titles:
        return None
    known = {row.title for row in dataset.rows}
    found = set()
    for title in titles:
        name = title.replace("_", " ").strip()
        spellings = (name, name[:1].upper() + name[1:]) if dataset.rules.capital_links else (name,)
        ends = [dataset.redirects.get(spelling, spelling) for spelling in spellings]
        page = next((end for end in ends if end in known), None)
        if page is None:
            raise BadInput(f'There is no page "{title}" in the database. Nothing was proposed.')
        found.add(page)
    return frozenset(found)


def _shown(row: NewProposal, titles: dict[int, str]) -> Shown:
    return Shown(
        titles[row.page_id], titles[row.target_id], row.anchor, row.wikitext, row.start, row.end,
        row.probability, row.sentence, reasons_in_a_sentence(row.reasons),
    )  # fmt: skip
