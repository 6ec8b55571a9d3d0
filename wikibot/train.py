"""`wikibot train`: CRTM and the ranker learned from the links that are there."""

from __future__ import annotations

import hashlib
import json
import os
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wikibot.errors import StoreError
from wikibot.ranking.aptness import Aptness
from wikibot.ranking.fallback import Fallback
from wikibot.ranking.lessons import lessons_from_links, study, weighed_by_people
from wikibot.ranking.ranker import FEWEST_LINKS, Ranker, learn_ranker
from wikibot.ranking.source import read_rows
from wikibot.ranking.topics import TopicReader, corpus_of, topic_count
from wikibot.ranking.wiki import Wiki, assemble
from wikibot.store import Store
from wikibot.store.lock import only_one
from wikibot.store.pages import PageRow, WikiRow, articles, redirects, wiki_by_name
from wikibot.store.readings import keep_readings, readings
from wikibot.store.runs import recorded_run
from wikibot.store.suggestions import Verdicts, model_paths, replace_models, verdicts
from wikibot.wikitext.rules import SiteRules, fold_name

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
class StoredWiki:
    """A wiki of the database as the ranker sees it; rows[i] is the page number i."""

    row: WikiRow
    wiki: Wiki
    rows: tuple[PageRow, ...]

    @property
    def number(self) -> dict[int, int]:
        """The number of each page by its row id."""
        return {row.id: number for number, row in enumerate(self.rows)}


def load_wiki(
    store: Store,
    name: str | None = None,
    *,
    processes: int = 0,
    excluded_sections: frozenset[str] = frozenset(),
    link_scope: str = "page",
    keep: bool = False,
) -> StoredWiki:
    """The wiki's pages, read from the database; sections of these names are no prose.

    To read all pages takes most of the time: with `keep` it need not be done again.
    """
    with store.reading() as session:
        row = wiki_by_name(session, name)
        pages = articles(session, row.id)
        ends = redirects(session, row.id)
        known = readings(session, row.id)
    titles = {page.id: page.title for page in pages}
    rules = rules_without(row, excluded_sections)
    prose, new = read_rows(pages, rules, known, processes=processes)
    if keep and new:
        with store.writing() as session:
            keep_readings(session, new)
    kept = tuple(page for page in pages if page.id in prose)
    if not kept:
        raise StoreError("The database holds no page that can be read. Run `wikibot fetch` first.")
    onward = {title: titles[end] for title, end in ends.items() if end in titles}
    wiki = assemble([prose[page.id] for page in kept], onward)
    disambiguation = np.array([page.is_disambiguation for page in kept], dtype=bool)
    np.logical_or(wiki.is_disambiguation, disambiguation, out=wiki.is_disambiguation)
    return StoredWiki(row, replace(wiki, link_scope=link_scope), kept)


def rules_without(row: WikiRow, sections: frozenset[str]) -> SiteRules:
    """The wiki's rules, by which sections of these names are no prose either."""
    rules = row.rules()
    excluded = rules.excluded_sections | {fold_name(section) for section in sections}
    return replace(rules, excluded_sections=excluded)


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
        loaded = load_wiki(store, wiki, keep=True)
        run.belongs_to(loaded.row.id)
        with store.reading() as session:
            said = verdicts(session, loaded.row.id)
        tell(f"Learning topics from {loaded.wiki.size} pages")
        crtm = learn_topics(loaded.wiki, topics)
        tell("Learning which mentions are linked")
        ranker, aptness = learn_from(loaded, crtm, said)
        report = _report(loaded, said, crtm, ranker, begun)
        _keep(store, loaded.row.id, run.id, crtm, (ranker, aptness), report)
        run.result = report.as_json()
    return report


def learn_topics(wiki: Wiki, topics: int | None = None) -> CRTM:
    """CRTM, learned from the wiki's texts and links."""
    from crtm import CRTM

    corpus = corpus_of(wiki, np.ones(len(wiki.links), dtype=bool))
    count = topics or topic_count(wiki.size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a wiki without links is said so by `confidence`
        return CRTM(count, max_iter=12).fit(corpus)


def learn_from(loaded: StoredWiki, crtm: CRTM, said: Verdicts) -> tuple[Ranker | Fallback, Aptness]:
    """A ranker learned from the wiki's links and people's decisions; by rules of thumb if too few."""
    wiki = loaded.wiki
    everything = np.ones(wiki.size, dtype=bool)
    if len(wiki.linked_pairs()) < FEWEST_LINKS:
        return Fallback(), Aptness(())
    reader = TopicReader(crtm, wiki).learn_aptness(wiki, everything)
    studied = study(wiki, everything, reader)
    number = loaded.number
    codes = [
        np.array(
            sorted(number[p] * wiki.size + number[t] for p, t in pairs if p in number and t in number),
            dtype=np.int64,
        )
        for pairs in said
    ]  # fmt: skip
    lessons = weighed_by_people(lessons_from_links(studied, everything), wiki, *codes)
    return learn_ranker(lessons), reader.aptness


def _report(
    loaded: StoredWiki, said: Verdicts, crtm: CRTM, ranker: Ranker | Fallback, begun: float
) -> TrainReport:
    links = len(loaded.wiki.linked_pairs())
    return TrainReport(
        wiki=loaded.row.name,
        pages=loaded.wiki.size,
        links=links,
        decisions=len(said.agreed) + len(said.refused),
        topics=crtm.n_topics,
        is_fallback=isinstance(ranker, Fallback),
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


def _keep(
    store: Store,
    wiki_id: int,
    run_id: int,
    crtm: CRTM,
    ranking: tuple[Ranker | Fallback, Aptness],
    report: TrainReport,
) -> None:
    folder = store.folder
    folder.mkdir(parents=True, exist_ok=True)
    figures = report.as_json()
    try:
        files = [_model_file(folder, "crtm", crtm), _ranker_file(folder, *ranking)]
        models = [{**file, "figures": figures} for file in files]
        with store.writing() as session:
            replace_models(session, wiki_id, run_id, models)
    finally:
        _tidy(store, folder)


def _tidy(store: Store, folder: Path) -> None:
    """No file is left of a model that no row tells of."""
    with store.reading() as session:
        kept = model_paths(session)
    for path in folder.iterdir():
        if path.name not in kept and path.suffix in (".json", ".crtm", ".part"):
            path.unlink(missing_ok=True)


def _model_file(folder: Path, kind: str, model: CRTM) -> dict[str, Any]:
    unnamed = folder / f"{kind}.{os.getpid()}.part"
    model.save(unnamed)
    sha256 = hashlib.sha256(unnamed.read_bytes()).hexdigest()
    path = folder / f"{kind}-{sha256[:16]}.crtm"
    unnamed.replace(path)
    parameters = {name: _plain(value) for name, value in model.get_params().items()}
    return {"kind": kind, "path": path.name, "sha256": sha256, "parameters": parameters}


def _ranker_file(folder: Path, ranker: Ranker | Fallback, aptness: Aptness) -> dict[str, Any]:
    content = json.dumps({"ranker": ranker.to_dict(), "aptness": aptness.to_texts()}).encode()
    sha256 = hashlib.sha256(content).hexdigest()
    path = folder / f"ranker-{sha256[:16]}.json"
    unnamed = folder / f"ranker.{os.getpid()}.part"
    with unnamed.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    unnamed.replace(path)
    parameters = {"features": len(ranker.names)}
    return {"kind": "ranker", "path": path.name, "sha256": sha256, "parameters": parameters}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
