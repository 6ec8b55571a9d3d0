"""`wikibot train`: CRTM, knowledge and ranker learned from the links that are there."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wikibot.dataset import Dataset, Pages, load_dataset
from wikibot.engine import ChildFailed, on_cluster, run_apart
from wikibot.errors import ModelError
from wikibot.i18n import Count
from wikibot.linker.counts import Parts
from wikibot.linker.fallback import Fallback
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.ranker import FEWEST_LINKS, Ranker
from wikibot.linker.topics import (
    FULL_BATCH_PAGES,
    MOST_TOPIC_PAGES,
    TopicTables,
    fit_topics,
    topic_count,
    topic_passes,
)
from wikibot.linker.training import Decisions, learn_knowledge, learn_ranker
from wikibot.message import message
from wikibot.models import keep_models
from wikibot.steps import Step, Tell, silent
from wikibot.store import Store
from wikibot.store.lock import only_one
from wikibot.store.pages import wiki_by_name
from wikibot.store.readings import changed_since_learned, keep_readings
from wikibot.store.runs import recorded_run
from wikibot.store.suggestions import Verdicts, models_of, verdicts

if TYPE_CHECKING:
    from crtm import CRTM


@dataclass(frozen=True, slots=True)
class TrainReport:
    """What was learned from, and how long it took."""

    wiki: str
    pages: int
    links: int
    decisions: int
    topics: int
    is_fallback: bool
    confidence: str
    seconds: float
    acceptance: dict[str, Any] | None = None  # what decisions taught (see AcceptanceCheck)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Learned:
    """All that is learned from a wiki."""

    crtm: CRTM
    knowledge: Knowledge
    ranker: Ranker | Fallback


def train(
    store: Store, *, wiki: str | None = None, topics: int | None = None, tell: Tell = silent
) -> TrainReport:
    """Models of the wiki lie beside the database and a row tells of each; the old ones are gone.

    Stopped anywhere, the old models stay in force; pages that were read need not be read again. Refuses
    while another process trains.
    """
    begun = time.perf_counter()
    with (
        only_one(store, "train"),
        recorded_run(store, "train", {"wiki": wiki, "topics": topics}) as run,
    ):
        tell(Step(message("step-reading-pages")))
        dataset = _with_kept_readings(store, load_dataset(store, wiki))
        assert dataset.wiki is not None, "it comes from the database"
        run.belongs_to(dataset.wiki.id)
        with store.reading() as session:
            said = verdicts(session, dataset.wiki.id)
        learned = learn(dataset, said, topics, tell=tell)
        report = _report(dataset, learned, said, begun)
        keep_models(
            store, dataset.wiki.id, run.id, learned.crtm, learned.knowledge, learned.ranker,
            report.as_json(), dataset,
        )  # fmt: skip
        run.result = report.as_json()
    return report


def _with_kept_readings(store: Store, dataset: Dataset) -> Dataset:
    """The same, with its new readings kept at once where nothing was learned before.

    Models in force are counted with the older readings, which must stay until there are new models.
    """
    assert dataset.wiki is not None, "it comes from the database"
    with store.writing() as session:
        if models_of(session, dataset.wiki.id):
            return dataset
        keep_readings(session, dataset.new)
    return replace(dataset, new={})


def learn(
    dataset: Dataset,
    said: Verdicts | None = None,
    topics: int | None = None,
    *,
    tell: Tell = silent,
) -> Learned:
    """Everything that a wiki's pages and people's decisions teach."""
    pages = dataset.pages
    crtm = _fit_topics(pages, topics or topic_count(len(pages)), tell)
    tables = TopicTables.of(crtm, pages.stream(most=FULL_BATCH_PAGES))
    knowledge, parts = count_links(dataset, tables, tell)
    with on_cluster(None):  # it learns from a sample, which is not worth sending knowledge around
        ranker = learn_ranker(pages, knowledge, parts, decisions_of(dataset, said), tell=tell)
    return Learned(crtm, knowledge, ranker)


def _fit_topics(pages: Pages, topics: int, tell: Tell) -> CRTM:
    """CRTM, learned in a process of its own: it needs much memory, for a short time."""
    size = min(len(pages), MOST_TOPIC_PAGES)
    total = size * topic_passes(size)
    seen = multiprocessing.Value("q", 0)

    def learn_and_save(path: Path) -> None:
        shown = pages.stream(most=MOST_TOPIC_PAGES)
        fit_topics(shown, topics, size=size, on_pages=partial(setattr, seen, "value")).save(path)

    def tell_passes() -> None:
        tell(
            Step(
                message("step-learning-n-topics", topics),
                seen.value,
                total,
                seen.value,
                compiles=True,
            )
        )

    tell_passes()
    with tempfile.TemporaryDirectory(prefix="wikibot-") as folder:
        path = Path(folder) / "topics.crtm"
        try:
            run_apart(partial(learn_and_save, path), meanwhile=tell_passes)
        except ChildFailed as error:
            raise ModelError(
                f"The process that learned topics ended with code {error}. Nothing was changed; "
                "run the same command again, with fewer --topics if memory is short."
            ) from error
        from crtm import CRTM

        return CRTM.load(path)


def count_links(
    dataset: Dataset, topics: TopicTables | None, tell: Tell = silent
) -> tuple[Knowledge, Parts]:
    """What the wiki's pages teach, and the part of each; the wiki says which disambiguate."""
    knowledge, parts = learn_knowledge(
        dataset.pages, dataset.redirects, topics=topics, language=dataset.rules.language, tell=tell
    )
    for number, row in enumerate(dataset.rows):
        knowledge.texts.is_disambiguation[number] |= row.is_disambiguation
    return knowledge, parts


def learned_when(store: Store, *, wiki: str | None = None, share: float) -> datetime | None:
    """When was learned what still serves? None if nothing was, or this share of the pages changed."""
    with store.reading() as session:
        row = wiki_by_name(session, wiki)
        ranker = models_of(session, row.id).get("ranker")
        changed, total = changed_since_learned(session, row.id)
    if ranker is None or changed >= max(1, share * total):
        return None
    return ranker.created_at


def decisions_of(dataset: Dataset, said: Verdicts | None) -> Decisions:
    """People's decisions, by the numbers of pages."""
    if said is None:
        return Decisions()
    number = {row.id: number for number, row in enumerate(dataset.rows)}
    agreed, refused = (
        frozenset((number[p], number[t]) for p, t in pairs if p in number and t in number)
        for pairs in (said.agreed, said.refused)
    )
    return Decisions(agreed, refused)


def _report(dataset: Dataset, learned: Learned, said: Verdicts, begun: float) -> TrainReport:
    assert dataset.wiki is not None, "it comes from the database"
    links = int(learned.knowledge.counts.target_links.sum())
    check = learned.ranker.check
    return TrainReport(
        wiki=dataset.wiki.name,
        pages=len(dataset.pages),
        links=links,
        decisions=len(said.agreed) + len(said.refused),
        topics=learned.crtm.n_topics,
        is_fallback=learned.ranker.is_fallback,
        confidence=confidence(links),
        seconds=round(time.perf_counter() - begun, 2),
        acceptance=check.as_json() if check else None,
    )


def acceptance_in_words(check: dict[str, Any]) -> str:
    """What the decisions of people taught, in a sentence."""
    losses = (
        f"log loss {check['loss_without']:.3f} without them, {check['loss_with']:.3f} with them"
    )
    use = "so they correct the numbers" if check["is_used"] else "so the numbers stay as they were"
    return (
        f"Of {check['decisions']:,} decisions {check['accepted']:.0%} were to accept "
        f"({check['expected']:.0%} expected). On pages held back: {losses}, {use}."
    )


def confidence(links: int) -> str:
    """A plain word about how far the probabilities can be trusted."""
    if links < FEWEST_LINKS:
        return message("confidence-very-low", links)
    if links < 500:
        return message("confidence-low", links)
    return message("confidence-good", Count(links))
