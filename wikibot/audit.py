"""`wikibot audit`: a random draw read by a person, and how precise the proposals then are.

A report to show a community before a trial: the share of good proposals with its 95 % interval, all
together and by probability, and everything that was not good. The draw is read at the terminal, or
written to a file of JSON lines and read from it again when its verdicts are filled in.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from wikibot.errors import BadInput
from wikibot.store import Store
from wikibot.store.pages import wiki_by_name, wikis
from wikibot.store.suggestions import Drawn, draw_waiting, keep_audit

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
class Reading:
    """A proposal as it was read, and what the reader said; `note` is for the reader's own words."""

    page: str
    target: str
    wikitext: str
    sentence: str
    probability: float
    verdict: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What a reader found in a random draw of the waiting proposals."""

    wiki: str
    waiting: int
    read: int
    accepted: Share
    accepted_or_small_change: Share
    bands: tuple[Share, ...]
    readings: tuple[Reading, ...]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Draw:
    """Waiting proposals drawn at random; the same seed draws the same ones."""

    wiki: str
    waiting: int
    proposals: tuple[Drawn, ...]

    def as_lines(self) -> str:
        """The draw as JSON lines, each with an empty verdict to fill in."""
        rows = (
            {"wiki": self.wiki, "waiting": self.waiting, **asdict(_reading(drawn, ""))}
            for drawn in self.proposals
        )
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def draw(store: Store, *, n: int = 50, seed: int = 0, wiki: str | None = None) -> Draw:
    """N waiting proposals at random; refuses where none waits. Nothing is written."""
    with store.reading() as session:
        row = wiki_by_name(session, wiki)
        drawn, waiting = draw_waiting(session, row.id, n, seed)
    if not drawn:
        raise BadInput("No proposal waits for review, so there is nothing to audit. Run `wikibot suggest`.")  # fmt: skip
    return Draw(row.name, waiting, tuple(drawn))


def audit(drawn: Draw, ask: Callable[[Drawn, int, int], str | None]) -> AuditReport:
    """What `ask` says of a draw; it answers one of VERDICTS, or None to stop."""
    said: list[Reading] = []
    for number, proposal in enumerate(drawn.proposals, 1):
        verdict = ask(proposal, number, len(drawn.proposals))
        if verdict is None:
            break
        said.append(_reading(proposal, verdict))
    return report(drawn.wiki, drawn.waiting, said)


def audit_lines(text: str) -> AuditReport:
    """What the verdicts of a draw say that was written as JSON lines and filled in.

    Refuses a line that cannot be read or has another verdict than VERDICTS.
    """
    rows = [_row(line, number) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not rows:
        raise BadInput("The file holds no draw. Write one with `wikibot audit --to FILE`.")
    fields = Reading.__dataclass_fields__
    said = [Reading(**{name: row[name] for name in fields if name in row}) for row in rows]
    return report(rows[0]["wiki"], rows[0]["waiting"], said)


def record(store: Store, found: AuditReport) -> str:
    """Keep the verdicts for the next `wikibot train`; say in a sentence what was kept."""
    said = {(one.page, one.target): one.verdict for one in found.readings}
    with store.writing() as session:
        known = {wiki.name: wiki.id for wiki in wikis(session)}
        if found.wiki not in known:
            return f"The database does not hold {found.wiki}, so the verdicts were only counted."
        kept = keep_audit(session, known[found.wiki], said)
    return f"{kept} verdicts were kept; the next `wikibot train` learns from them."


def _row(line: str, number: int) -> dict[str, Any]:
    try:
        row = json.loads(line)
        row["wiki"], row["waiting"], row["page"], row["probability"]
    except (ValueError, LookupError, TypeError):
        raise BadInput(
            f"Line {number} is not a line of a draw. Nothing was counted or kept."
        ) from None
    if row.get("verdict") not in VERDICTS:
        raise BadInput(
            f"Line {number} says {row.get('verdict')!r}; a verdict is {', '.join(VERDICTS)}. "
            "Nothing was counted or kept."
        )
    return dict(row)


def _reading(drawn: Drawn, verdict: str) -> Reading:
    return Reading(
        drawn.page, drawn.target, drawn.wikitext, drawn.sentence, drawn.probability, verdict
    )


def report(wiki: str, waiting: int, said: Sequence[Reading]) -> AuditReport:
    """The figures of what was said of each proposal."""
    good = [one.verdict == GOOD for one in said]
    usable = [one.verdict != BAD for one in said]
    bands = (
        share(
            f"{low:.2f} to {min(high, 1):.2f}",
            (one.verdict == GOOD for one in said if low <= one.probability < high),
        )
        for low, high in BANDS
    )
    return AuditReport(
        wiki, waiting, len(said), share("accepted as it stands", good),
        share("accepted or a small change", usable), tuple(band for band in bands if band.read),
        tuple(said),
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
    """The report as lines to show: the figures, and what was not good."""
    lines = [
        f"{found.read} of {found.waiting} waiting proposals of {found.wiki}, drawn at random and read."
    ]
    for one in (found.accepted, found.accepted_or_small_change):
        lines.append(f"{one.of}: {one.share:.0%} ({one.good} of {one.read}; 95 % interval {one.low:.0%} to {one.high:.0%})")  # fmt: skip
    for one in found.bands:
        lines.append(f"  probability {one.of}: {one.share:.0%} of {one.read} accepted ({one.low:.0%} to {one.high:.0%})")  # fmt: skip
    for verdict, heading in ((SMALL_CHANGE, "Needs a small change"), (BAD, "Refused")):
        of_these = [one for one in found.readings if one.verdict == verdict]
        lines += [f"\n{heading}:"] * bool(of_these) + [_line(one) for one in of_these]
    return "\n".join(lines)


def _line(one: Reading) -> str:
    note = f" ({one.note})" if one.note else ""
    return f"  {one.page}: {one.wikitext} in: {one.sentence.strip()}{note}"
