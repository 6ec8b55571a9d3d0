"""`wikibot audit`: a random draw read by a person, and how precise the proposals then are.

A report to show a community before a trial: the share of good proposals with its 95 % interval, all
together and by probability.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from wikibot.errors import BadInput
from wikibot.store import Store
from wikibot.store.pages import wiki_by_name
from wikibot.store.suggestions import Drawn, draw_waiting

GOOD, SMALL_CHANGE, BAD = "good", "small change", "bad"
VERDICTS = (GOOD, SMALL_CHANGE, BAD)
BANDS = ((0.9, 1.01), (0.75, 0.9), (0.5, 0.75), (0.0, 0.5))


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many, with the 95 % interval of the true share (Wilson)."""

    of: str
    read: int
    good: int
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What a reader found in a random draw of the waiting proposals."""

    wiki: str
    waiting: int
    read: int
    accepted: Share
    accepted_or_small_change: Share
    bands: tuple[Share, ...]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def audit(
    store: Store,
    ask: Callable[[Drawn, int, int], str | None],
    *,
    n: int = 50,
    seed: int = 0,
    wiki: str | None = None,
) -> AuditReport:
    """What `ask` says of a random draw; it answers one of VERDICTS, or None to stop.

    Nothing is written: an audit decides no proposal. The same seed draws the same proposals.
    """
    with store.reading() as session:
        row = wiki_by_name(session, wiki)
        drawn, waiting = draw_waiting(session, row.id, n, seed)
    if not drawn:
        raise BadInput("No proposal waits for review, so there is nothing to audit. Run `wikibot suggest`.")  # fmt: skip
    said: list[tuple[float, str]] = []
    for number, proposal in enumerate(drawn, 1):
        verdict = ask(proposal, number, len(drawn))
        if verdict is None:
            break
        said.append((proposal.probability, verdict))
    return report(row.name, waiting, said)


def report(wiki: str, waiting: int, said: Sequence[tuple[float, str]]) -> AuditReport:
    """The figures of what was said: (probability, verdict) of each proposal read."""
    good = [verdict == GOOD for _, verdict in said]
    usable = [verdict != BAD for _, verdict in said]
    bands = (
        share(f"{low:.2f} to {min(high, 1):.2f}", (v == GOOD for p, v in said if low <= p < high))
        for low, high in BANDS
    )
    return AuditReport(
        wiki, waiting, len(said), share("accepted as it stands", good),
        share("accepted or a small change", usable), tuple(band for band in bands if band.read),
    )  # fmt: skip


def share(of: str, answers: Iterable[bool]) -> Share:
    """The share of yes among answers, with Wilson's interval."""
    given = list(answers)
    n, yes = len(given), sum(given)
    if not n:
        return Share(of, 0, 0, 0.0, 0.0, 1.0)
    z, p = 1.959964, yes / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return Share(of, n, yes, round(p, 4), round(max(0, middle - half), 4), round(min(1, middle + half), 4))  # fmt: skip


def as_text(found: AuditReport) -> str:
    """The report as lines to show."""
    lines = [
        f"{found.read} of {found.waiting} waiting proposals of {found.wiki}, drawn at random and read."
    ]
    for one in (found.accepted, found.accepted_or_small_change):
        lines.append(f"{one.of}: {one.share:.0%} ({one.good} of {one.read}; 95 % interval {one.low:.0%} to {one.high:.0%})")  # fmt: skip
    for one in found.bands:
        lines.append(f"  probability {one.of}: {one.share:.0%} of {one.read} accepted ({one.low:.0%} to {one.high:.0%})")  # fmt: skip
    return "\n".join(lines)
