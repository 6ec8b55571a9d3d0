"""What a fetch says when it is done."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from wikibot.fetch.writer import Tally
from wikibot.steps import Step, Tell
from wikibot.store import Store
from wikibot.store.pages import counts
from wikibot.store.runs import RecordedRun


def recording(tell: Tell, run: RecordedRun) -> Tell:
    """Tells whoever watches, and the run's row, where other processes can see it."""

    def both(step: Step) -> None:
        tell(step)
        run.progress(**asdict(step))

    return both


@dataclass(frozen=True, slots=True)
class FetchReport:
    """The state of the wiki in the database after a fetch, and what the fetch did.

    `disagreements` are places of the pages read that only one of parser and scanner takes for
    prose; no link is ever offered there.
    """

    wiki: str
    category: str | None
    pages: int
    redirects: int
    targets: int
    disambiguations: int
    excluded: int
    categories: int
    links: int
    links_within_set: int
    read: int
    unchanged: int
    disagreements: int
    left_the_set: list[str]
    deleted: list[str]
    skipped: list[dict[str, str]]
    seconds: float

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def fetch_report(
    store: Store,
    wiki_id: int,
    tally: Tally,
    *,
    wiki: str,
    category: str | None,
    seconds: float,
    left: list[str] | None = None,
    deleted: list[str] | None = None,
) -> FetchReport:
    """The report on what is in the database now."""
    with store.reading() as session:
        found = counts(session, wiki_id)
    return FetchReport(
        wiki=wiki,
        category=category,
        pages=found.pages,
        redirects=found.redirects,
        targets=found.targets,
        disambiguations=found.disambiguations,
        excluded=found.excluded,
        categories=found.categories,
        links=found.links,
        links_within_set=found.links_within_set,
        read=tally.read,
        unchanged=tally.unchanged,
        disagreements=tally.disagreements,
        left_the_set=left or [],
        deleted=deleted or [],
        skipped=[{"title": title, "reason": reason} for title, reason in tally.skipped],
        seconds=round(seconds, 2),
    )
