"""Saving from a page of the browser: check, save and undo as runs that anybody can follow.

A run is a row of the database. It says how far it has come and what became of each page, so that a
reloaded page, another worker of a service, or the next start of the program can show it. It does
what the commands do, with the same outbox; `login` says in whose name.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from typing import Any

from wikibot.config import Settings
from wikibot.diff import Part, Row
from wikibot.errors import WikibotError, WikiUnavailable
from wikibot.message import restored, said, stored
from wikibot.publish.publisher import Outcome, Publisher, WikiLogin, open_publisher
from wikibot.publish.publishing import Report, publish
from wikibot.publish.reconcile import reconcile
from wikibot.publish.undo import undo
from wikibot.store import Store, outbox
from wikibot.store.lock import only_one
from wikibot.store.runs import RecordedRun, RunRow, begin_run, ending

CHECK, SAVE, UNDO = "publish check", "publish save", "publish undo"
KINDS = (CHECK, SAVE, UNDO)


@dataclass(frozen=True, slots=True)
class Order:
    """What a run is to do: check or save the pages, or undo a batch or the link of one proposal.

    `proposals` are exactly those that are checked or saved, with the versions that were seen;
    `pages` is what progress is counted against, and `ordered_by` the reviewer who asked for it.
    """

    kind: str
    wiki_id: int
    ordered_by: str
    proposals: tuple[tuple[int, int], ...] = ()
    pages: int = 0
    batch: str | None = None
    proposal: int | None = None

    @property
    def only(self) -> frozenset[int]:
        """The numbers of the proposals."""
        return frozenset(number for number, _ in self.proposals)


def order_of(run: RunRow) -> Order:
    """The order that a run carries out."""
    proposals = tuple((number, version) for number, version in run.options["proposals"])
    return Order(**{"batch": None, "proposal": None, **run.options, "proposals": proposals})


def start(store: Store, order: Order) -> RecordedRun:
    """The run's row is there, before anything is done."""
    return begin_run(store, order.kind, asdict(order), wiki_id=order.wiki_id)


def carry_out(
    store: Store, settings: Settings, login: WikiLogin, order: Order, run: RecordedRun
) -> None:
    """The order is carried out, each outcome noted in the run as it comes.

    What stops it is noted as its last sentence; nothing is raised that a person can act upon.
    """
    noted = Noted(run)
    with ending(run):
        try:
            report = _do(store, settings, login, order, noted)
            noted.finish(stopped=report.stopped)
        except WikibotError as error:
            noted.finish(stopped=said(error))


def _do(store: Store, settings: Settings, login: WikiLogin, order: Order, noted: Noted) -> Report:
    publisher = open_publisher(store, settings, login, is_dry_run=order.kind == CHECK)
    if order.kind == CHECK:
        noted.settle(settle_open(publisher))
    noted.begin(publisher)
    if order.kind == UNDO:
        return undo(publisher, order.proposal, order.batch, tell=noted)
    return publish(replace(publisher, only=order.only), "page", tell=noted)


def settle_open(publisher: Publisher) -> list[Outcome]:
    """What a killed save has left open, as the wiki's history tells it; nothing is sent.

    Without this, somebody whose only edit was made before the kill would have nothing to save, and
    so no way to settle it. While somebody else saves, that is left to them.
    """
    with publisher.store.reading() as session:
        if not outbox.in_flight(session, publisher.wiki.id):
            return []
    with ExitStack() as held:
        try:
            held.enter_context(only_one(publisher.store, "publish"))
        except WikiUnavailable:
            return []
        return reconcile(replace(publisher, is_dry_run=False))


class Noted:
    """Outcomes on their way into a run's row."""

    def __init__(self, run: RecordedRun) -> None:
        self._run = run
        self._told: dict[str, Any] = {"outcomes": []}

    def begin(self, publisher: Publisher) -> None:
        """It is known who publishes, and under which batch."""
        self._told["account"] = publisher.account.name
        self._told["is_bot"] = publisher.is_bot
        self._told["batch"] = publisher.batch
        self._run.progress(**self._told)

    def settle(self, outcomes: list[Outcome]) -> None:
        """These edits of earlier runs were made; nobody need check them any more."""
        made = (one.proposals for one in outcomes if one.state == "done")
        self._told["settled"] = sorted({number for numbers in made for number in numbers})

    def __call__(self, outcome: Outcome) -> None:
        self._told["outcomes"].append({**asdict(outcome), "message": stored(outcome.message)})
        self._run.progress(**self._told)

    def finish(self, *, stopped: str) -> None:
        """The run has come to its end, early if a sentence says why."""
        self._run.result |= {**self._told, "stopped": stored(stopped)}


@dataclass(frozen=True, slots=True)
class Followed:
    """A run as a page shows it: how far it is, in whose name, and what became of each page."""

    run: RunRow
    order: Order
    account: str
    is_bot: bool
    batch: str
    stopped: str
    outcomes: tuple[Outcome, ...]
    settled: frozenset[int] = frozenset()  # proposals whose edits had been made before

    @property
    def proposals(self) -> dict[int, int]:
        """The proposals that the order is still about, with the versions that were seen."""
        return {one: seen for one, seen in self.order.proposals if one not in self.settled}

    @property
    def is_running(self) -> bool:
        return self.run.state == "running"

    @property
    def is_interrupted(self) -> bool:
        """Did the program end before the run did?"""
        return self.run.state == "interrupted"

    def in_state(self, *states: str) -> list[Outcome]:
        """The outcomes in these states."""
        return [outcome for outcome in self.outcomes if outcome.state in states]


def followed(run: RunRow) -> Followed | None:
    """A run of ours as its row tells it; None if it was written by another version, or is damaged."""
    try:
        return _followed(run)
    except (AttributeError, LookupError, TypeError, ValueError):
        return None


def _followed(run: RunRow) -> Followed:
    noted = {**run.progress, **(run.result or {})}
    return Followed(
        run=run,
        order=order_of(run),
        account=noted.get("account", ""),
        is_bot=noted.get("is_bot", False),
        batch=noted.get("batch", ""),
        stopped=restored(noted.get("stopped") or noted.get("error", "")),
        outcomes=tuple(_outcome(row) for row in noted.get("outcomes", ())),
        settled=frozenset(noted.get("settled", ())),
    )


def _outcome(row: dict[str, Any]) -> Outcome:
    rows = tuple(_row(one) for one in row["rows"])
    told = {"rows": rows, "proposals": tuple(row["proposals"]), "message": restored(row["message"])}
    return Outcome(**row | told)


def _row(row: dict[str, Any]) -> Row:
    return Row(**{**row, "parts": tuple(Part(**part) for part in row["parts"])})
