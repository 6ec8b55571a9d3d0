"""`wikibot train`: CRTM, knowledge and ranker learned from the links that are there."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from wikibot.dataset import Dataset, load_dataset
from wikibot.linker.fallback import Fallback
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.ranker import FEWEST_LINKS, Ranker
from wikibot.linker.topics import TopicTables, fit_topics, topic_count
from wikibot.linker.training import Decisions, learn_knowledge, learn_ranker
from wikibot.models import keep_models
from wikibot.store import Store
from wikibot.store.lock import only_one
from wikibot.store.runs import recorded_run
from wikibot.store.suggestions import Verdicts, verdicts

if TYPE_CHECKING:
    from crtm import CRTM

Tell = Callable[[str], None]


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

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Learned:
    """All that is learned from a wiki."""

    crtm: CRTM
    knowledge: Knowledge
    ranker: Ranker | Fallback


def train(
    store: Store, *, wiki: str | None = None, topics: int | None = None, tell: Tell = lambda _: None
) -> TrainReport:
    """Models of the wiki lie beside the database and a row tells of each; the old ones are gone.

    Stopped anywhere, the old models stay in force. Refuses while another process trains.
    """
    begun = time.perf_counter()
    with (
        only_one(store, "train"),
        recorded_run(store, "train", {"wiki": wiki, "topics": topics}) as run,
    ):
        tell("Reading the pages")
        dataset = load_dataset(store, wiki, keep=True)
        assert dataset.wiki is not None, "it comes from the database"
        run.belongs_to(dataset.wiki.id)
        with store.reading() as session:
            said = verdicts(session, dataset.wiki.id)
        learned = learn(dataset, said, topics, tell=tell)
        report = _report(dataset, learned, said, begun)
        keep_models(
            store, dataset.wiki.id, run.id, learned.crtm, learned.knowledge, learned.ranker,
            report.as_json(),
        )  # fmt: skip
        run.result = report.as_json()
    return report


def learn(
    dataset: Dataset,
    said: Verdicts | None = None,
    topics: int | None = None,
    *,
    tell: Tell = lambda _: None,
) -> Learned:
    """Everything that a wiki's pages and people's decisions teach."""
    pages = dataset.pages
    tell(f"Learning topics from {len(pages):,} pages")
    crtm = fit_topics(pages, topics or topic_count(len(pages)))
    tables = TopicTables.of(crtm, pages)
    tell("Counting names and links")
    language = dataset.rules.language
    knowledge, parts = learn_knowledge(pages, dataset.redirects, topics=tables, language=language)
    for number, row in enumerate(dataset.rows):
        knowledge.texts.is_disambiguation[number] |= row.is_disambiguation
    tell("Learning which mentions are linked")
    ranker = learn_ranker(pages, knowledge, parts, decisions_of(dataset, said))
    return Learned(crtm, knowledge, ranker)


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
    return TrainReport(
        wiki=dataset.wiki.name,
        pages=len(dataset.pages),
        links=links,
        decisions=len(said.agreed) + len(said.refused),
        topics=learned.crtm.n_topics,
        is_fallback=learned.ranker.is_fallback,
        confidence=confidence(links),
        seconds=round(time.perf_counter() - begun, 2),
    )


def confidence(links: int) -> str:
    """A plain word about how far the probabilities can be trusted."""
    if links < FEWEST_LINKS:
        return (
            f"Very low: the wiki has {links} links between its pages, too few to learn from. "
            "Proposals go by titles and topics alone; read every one with care."
        )
    if links < 500:
        return (
            f"Low: learned from {links} links. The order of the proposals is useful, the "
            "probabilities are rough."
        )
    return f"Good: learned from {links} links; `wikibot evaluate` gives figures for this wiki."
