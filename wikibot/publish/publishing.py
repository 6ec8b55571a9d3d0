"""One run of `wikibot publish`: settle what is open, look at reverts, then edit by edit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from wikibot.errors import OutcomeUnknown, WikibotError, WikiUnavailable
from wikibot.message import message, said
from wikibot.publish.pages import publish_pages
from wikibot.publish.proposals import publish_talk, publish_worklist
from wikibot.publish.publisher import Outcome, Publisher
from wikibot.publish.reconcile import reconcile
from wikibot.publish.watch import LOOKED_AT, refuse_after_reverts, watch
from wikibot.store import Store, pages
from wikibot.store.lock import only_one

DESTINATIONS: dict[str, Callable[[Publisher], Iterator[Outcome]]] = {
    "page": publish_pages,
    "talk": publish_talk,
    "user-page": publish_worklist,
}
# A wiki that refuses or loses so many edits in a row means us, not the pages.
FAILURES_IN_A_ROW = 5

Tell = Callable[[Outcome], None]


@dataclass(frozen=True, slots=True)
class Report:
    """What a run did, and the sentence with which it ended early, if it did."""

    batch: str
    outcomes: tuple[Outcome, ...]
    stopped: str
    exit_code: int


def publish(
    publisher: Publisher,
    destination: str,
    *,
    trial: int | None = None,
    tell: Tell = lambda outcome: None,
) -> Report:
    """Everything that could be published was, at most TRIAL edits; `tell` hears of each outcome.

    A dry run writes nothing, neither to the wiki nor to the database.
    """
    with alone(publisher):
        return run(publisher, steps(publisher, destination, trial), tell)


@contextmanager
def alone(publisher: Publisher) -> Iterator[None]:
    """No other publisher works on this database; a dry run disturbs nobody."""
    if publisher.is_dry_run:
        yield
        return
    patience_s = publisher.settings.number("turn_s")
    with only_one(publisher.store, "publish", patience_s=patience_s):
        yield


def run(publisher: Publisher, outcomes_to_come: Iterator[Outcome], tell: Tell) -> Report:
    outcomes: list[Outcome] = []
    stopped, code = "", None
    try:
        for outcome in outcomes_to_come:
            outcomes.append(outcome)
            tell(outcome)
            refuse_failures_in_a_row(outcomes)
    except WikibotError as error:
        stopped, code = said(error), error.exit_code
    return Report(
        publisher.batch, tuple(outcomes), stopped, exit_code(outcomes) if code is None else code
    )


def knows_a_wiki(store: Store) -> bool:
    """Was anything fetched into this database yet?"""
    with store.reading() as session:
        return bool(pages.wikis(session))


def steps(publisher: Publisher, destination: str, trial: int | None) -> Iterator[Outcome]:
    if not publisher.is_dry_run:
        yield from reconcile(publisher)
        watch(publisher, latest=LOOKED_AT)
    refuse_after_reverts(publisher)
    made = 0
    if trial is not None and made >= trial:
        return
    for outcome in DESTINATIONS[destination](publisher):
        yield outcome
        made += outcome.state in ("done", "would")
        if trial is not None and made >= trial:
            return


def refuse_failures_in_a_row(outcomes: list[Outcome]) -> None:
    """The run goes on only while some of the newest edits were made."""
    last = outcomes[-FAILURES_IN_A_ROW:]
    if len(last) < FAILURES_IN_A_ROW:
        return
    if all(outcome.is_refused_by_wiki for outcome in last):
        raise WikibotError(message("refused-in-a-row", FAILURES_IN_A_ROW))
    if all(outcome.is_lost for outcome in last):
        raise WikiUnavailable(message("lost-in-a-row", FAILURES_IN_A_ROW))


def exit_code(outcomes: list[Outcome]) -> int:
    """0 if something was done or nothing was to do; else what the outcomes say."""
    states = {outcome.state for outcome in outcomes} - {"nothing"}
    if "unknown" in states:
        return OutcomeUnknown.exit_code
    if states == {"later"}:
        return WikiUnavailable.exit_code
    return WikibotError.exit_code if states == {"refused"} else 0
