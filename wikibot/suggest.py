"""`wikibot suggest`: proposals for missing links, with reasons, in the queue."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np

from wikibot.config import Settings, load_settings
from wikibot.errors import BadInput, ModelError, UnsafeEdit
from wikibot.never_list import read_file_list
from wikibot.ranking.aptness import Aptness
from wikibot.ranking.fallback import Fallback
from wikibot.ranking.lessons import Study, study
from wikibot.ranking.proposals import Proposal, anchor_end, propose
from wikibot.ranking.ranker import Ranker
from wikibot.ranking.reasons import sentence as reasons_in_a_sentence
from wikibot.ranking.rules import BY_NAME, Options
from wikibot.ranking.topics import TopicReader
from wikibot.ranking.wiki import Bools, Longs
from wikibot.store import Store
from wikibot.store.lock import only_one
from wikibot.store.never_links import keep_listed
from wikibot.store.pages import PageRow, WikiRow
from wikibot.store.runs import recorded_run
from wikibot.store.suggestions import (
    ModelRow,
    NewProposal,
    decided_pairs,
    models_of,
    never_list,
    pending_count,
    put_in_queue,
)
from wikibot.train import StoredWiki, confidence, load_wiki
from wikibot.wikitext import Insertion, SiteRules, link_markup

Tell = Callable[[str], None]


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
    """What was proposed, and how long it took."""

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
    tell: Tell = lambda _: None,
) -> SuggestReport:
    """Proposals wait in the queue, each with place, probability and reasons.

    Run twice, it proposes nothing new; what people have decided does not come back. Where everything is
    asked for, what waits and is not proposed any more is withdrawn. Stopped anywhere, the queue is as it was. Refuses while another process proposes.
    """
    begun = time.perf_counter()
    settings = settings or load_settings()
    options = options_from(settings, wanted)
    with (
        only_one(store, "suggest"),
        recorded_run(store, "suggest", {"wiki": wiki, **asdict(wanted)}) as run,
    ):
        tell("Reading the pages")
        excluded = frozenset(_names(settings.text("excluded_sections")))
        scope = settings.text("link_scope")
        loaded = load_wiki(store, wiki, excluded_sections=excluded, link_scope=scope, keep=True)
        run.belongs_to(loaded.row.id)
        tell("Looking for missing links")
        options = with_never_list(store, loaded, options, settings)
        made = _make(store, loaded, wanted, options, settings)
        with store.writing() as session:
            asked = {loaded.rows[page].id for page in np.flatnonzero(made.pages).tolist()}
            queued = put_in_queue(
                session, loaded.row.id, run.id, made.rows, asked, is_all=wanted == EVERYTHING
            )
            waiting = pending_count(session, loaded.row.id)
        report = SuggestReport(
            loaded.row.name, int(made.pages.sum()), *queued, waiting,
            confidence(len(loaded.wiki.linked_pairs())),
            round(time.perf_counter() - begun, 2), made.shown,
        )  # fmt: skip
        run.result = {**report.as_json(), "proposals": len(made.shown)}
    return report


@dataclass(frozen=True, slots=True)
class _Made:
    pages: Bools
    rows: list[NewProposal]
    shown: tuple[Shown, ...]


def _make(
    store: Store, loaded: StoredWiki, wanted: Wanted, options: Options, settings: Settings
) -> _Made:
    studied, ranker = load_study(store, loaded)
    pages = _pages(loaded, wanted, settings)
    targets = numbers_of_titles(loaded, wanted.targets) if wanted.targets else None
    settled = _settled(store, loaded)
    found = propose(studied, ranker, pages, options, targets=targets, settled=settled)
    rules = loaded.row.rules()
    rows = [row for one in _by_page(found) for row in _rows(loaded, one, rules)]
    titles = {row.id: row.title for row in loaded.rows}
    return _Made(pages, rows, tuple(_shown(row, titles) for row in rows))


def load_study(store: Store, loaded: StoredWiki) -> tuple[Study, Ranker | Fallback]:
    """What the models know of the wiki; refuses where nothing was learned, or files are damaged."""
    crtm, ranker, aptness = load_models(store, loaded.row.id)
    everything = np.ones(loaded.wiki.size, dtype=bool)
    return study(loaded.wiki, everything, TopicReader(crtm, loaded.wiki, aptness)), ranker


def load_models(store: Store, wiki_id: int) -> tuple[Any, Ranker | Fallback, Aptness]:
    """CRTM, the ranker and what is apt to be linked, from the wiki's model files."""
    with store.reading() as session:
        rows = models_of(session, wiki_id)
    try:
        return _loaded(store, wiki_id, rows.get("ranker"))
    except ModelError:
        with store.reading() as session:
            if models_of(session, wiki_id) == rows:
                raise
    return load_models(store, wiki_id)  # `wikibot train` has replaced the files under our hands


def _loaded(
    store: Store, wiki_id: int, row: ModelRow | None
) -> tuple[Any, Ranker | Fallback, Aptness]:
    if row is None:
        raise ModelError(_NOTHING_LEARNED)
    crtm = load_crtm(store, wiki_id, "crtm")
    content = json.loads(_checked(store, row))
    learned = content["ranker"]
    ranker = Fallback() if learned.get("fallback") else Ranker.from_dict(learned)
    return crtm, ranker, Aptness.from_texts(content["aptness"])


_NOTHING_LEARNED = (
    "Nothing was learned from this wiki yet. Nothing was changed. Run `wikibot train` first."
)


def load_crtm(store: Store, wiki_id: int, kind: str) -> Any:
    """The topic model of that kind: "crtm"."""
    from crtm import CRTM, ModelFileError

    with store.reading() as session:
        row = models_of(session, wiki_id).get(kind)
    if row is None:
        raise ModelError(_NOTHING_LEARNED)
    _checked(store, row)
    try:
        return CRTM.load(store.folder / row.path)
    except ModelFileError as error:
        raise ModelError(f"{error} Run `wikibot train` again.") from error


def _checked(store: Store, row: ModelRow) -> bytes:
    path = store.folder / row.path
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(
            f"The model file {path} cannot be read ({error.strerror}). Run `wikibot train` again."
        ) from error
    if hashlib.sha256(content).hexdigest() != row.sha256:
        raise ModelError(
            f"The model file {path} is not as it was written. Run `wikibot train` again."
        )
    return content


def options_from(settings: Settings, wanted: Wanted = EVERYTHING) -> Options:
    """The rules' options, from the settings and what the command line says."""
    off = _names(settings.text("rules_off"))
    unknown = off - set(BY_NAME)
    if unknown:
        raise BadInput(
            f"suggest.rules_off names {', '.join(sorted(unknown))}, which is no rule; "
            f"the rules are {', '.join(BY_NAME)}."
        )
    given = wanted.per_page
    return Options(
        min_probability=_or(wanted.min_probability, settings.number("min_probability")),
        scope=settings.text("link_scope"),
        per_paragraph=settings.whole("per_paragraph"),
        per_page=settings.whole("per_page") if given is None else given,
        words_per_link=settings.whole("words_per_link"),
        off=frozenset(off),
        excluded_templates=frozenset(_names(settings.text("excluded_templates"))),
        excluded_categories=frozenset(_names(settings.text("excluded_categories"))),
    )


def _or(value: float | None, default: float) -> float:
    return default if value is None else value


def _names(text: str) -> set[str]:
    return {part.strip() for part in text.split(",") if part.strip()}


def _keep_file_list(store: Store, wiki: WikiRow, path: str) -> None:
    """The never-link file's entries, and no older ones of it, are on the list."""
    try:
        text = Path(path).read_text(encoding="utf-8") if path else ""
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"The never-link file {path} cannot be read: {error}") from error
    with store.writing() as session:
        keep_listed(session, wiki.id, "file", read_file_list(text, wiki.rules()), added_by=path)


def with_never_list(
    store: Store, loaded: StoredWiki, options: Options, settings: Settings
) -> Options:
    """The options with all that is never linked: by the wiki's page, the file, and reviewers."""
    _keep_file_list(store, loaded.row, settings.text("never_link_file"))
    with store.reading() as session:
        never = never_list(session, loaded.row.id)
    titles = loaded.wiki.titles
    ends = {title: titles[end] for title, end in loaded.wiki.redirects.items()}
    return replace(options, never=never.following(ends))


def _pages(loaded: StoredWiki, wanted: Wanted, settings: Settings) -> Bools:
    """The pages to look at: those of the set, not closed to bots, not edited just now."""
    if wanted.pages:
        return numbers_of_titles(loaded, wanted.pages)
    hours = settings.number("quiet_hours")
    newest = datetime.now(timezone.utc) - timedelta(hours=hours)
    return np.array([_is_open(row, newest if hours else None) for row in loaded.rows], dtype=bool)


def _is_open(row: PageRow, newest: datetime | None) -> bool:
    if not row.in_set or row.is_disambiguation or row.exclusion:
        return False
    return newest is None or row.timestamp is None or row.timestamp <= newest


def numbers_of_titles(loaded: StoredWiki, titles: Iterable[str]) -> Bools:
    """Where these titles are, redirects followed; refuses a title that is not there."""
    wiki, rules = loaded.wiki, loaded.row.rules()
    index = {title: number for number, title in enumerate(wiki.titles)}
    chosen = np.zeros(wiki.size, dtype=bool)
    for title in titles:
        name = title.replace("_", " ").strip()
        spellings = (name, name[:1].upper() + name[1:]) if rules.capital_links else (name,)
        found = [index.get(s, wiki.redirects.get(s, -1)) for s in spellings]
        if max(found) < 0:
            raise BadInput(f'There is no page "{title}" in the database. Nothing was proposed.')
        chosen[max(found)] = True
    return chosen


def _settled(store: Store, loaded: StoredWiki) -> Longs:
    number, size = loaded.number, loaded.wiki.size
    with store.reading() as session:
        pairs = decided_pairs(session, loaded.row.id)
    codes = [number[p] * size + number[t] for p, t in pairs if p in number and t in number]
    return np.array(sorted(codes), dtype=np.int64)


def _by_page(found: Sequence[Proposal]) -> list[list[Proposal]]:
    pages: dict[int, list[Proposal]] = {}
    for proposal in found:
        pages.setdefault(proposal.page, []).append(proposal)
    return list(pages.values())


def _rows(
    loaded: StoredWiki, proposals: Sequence[Proposal], rules: SiteRules
) -> Iterable[NewProposal]:
    """Proposals of one page as queue rows, with their sentences and the wikitext they would make."""
    row, prose = loaded.rows[proposals[0].page], loaded.wiki.pages[proposals[0].page]
    for proposal in proposals:
        target = loaded.rows[proposal.target]
        end = anchor_end(row.wikitext, proposal.end, target.title)
        place = Insertion(proposal.start, end, target.title)
        try:
            markup = link_markup(row.wikitext, place, rules)
        except UnsafeEdit:
            continue
        anchor = row.wikitext[proposal.start : end]
        sentence = prose.sentence_at(proposal.start) or (proposal.start, end, anchor)
        yield NewProposal(
            row.id, target.id, row.revision_id, proposal.start, end, anchor, markup,
            *sentence, round(proposal.probability, 4), proposal.reasons, proposal.priority,
        )  # fmt: skip


def _shown(row: NewProposal, titles: dict[int, str]) -> Shown:
    return Shown(
        titles[row.page_id], titles[row.target_id], row.anchor, row.wikitext, row.start, row.end,
        row.probability, row.sentence, reasons_in_a_sentence(row.reasons),
    )  # fmt: skip
