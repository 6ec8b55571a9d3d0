"""Decisions from the command line and from files: each one is made, or refused, by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wikibot.cli.common import say
from wikibot.errors import BadInput, WikibotError
from wikibot.message import message, said

if TYPE_CHECKING:
    from wikibot.store import Session, Store
    from wikibot.store.decisions import DecisionRecord, Voice

REASONS = ("everyday-word", "wrong-target", "span", "linked-nearby", "other")
VERDICTS = ("approve", "reject", "skip", "undo")
DONE = {
    "approve": lambda: message("verdict-approve"),
    "reject": lambda: message("verdict-reject"),
    "skip": lambda: message("verdict-skip"),
    "undo": lambda: message("verdict-undo"),
}


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants to decide about a proposal."""

    proposal_id: int
    verdict: str
    reason: str | None = None
    note: str | None = None


def read_wishes(lines: Iterable[str], source: str) -> list[Wish]:
    """The wishes of a file, one per line: `17 approve`, `18 reject everyday-word`, `19 undo`.

    Empty lines and those that begin with `#` are left out. Refuses the whole file if a line cannot
    be understood, before anything is decided.
    """
    texts = ((number, line.split()) for number, line in enumerate(lines, start=1))
    wishes = []
    for number, words in texts:
        if words and not words[0].startswith("#"):
            wishes.append(_wish(words, f"{source}, line {number}"))
    return wishes


def _wish(words: list[str], place: str) -> Wish:
    proposal, verdict, reason = (*words[:3], "", "", "")[:3]
    is_known = proposal.isascii() and proposal.isdigit() and verdict in VERDICTS
    is_reason = reason in REASONS and verdict == "reject" if reason else True
    if not is_known or not is_reason or len(words) > 3:
        raise BadInput(
            message("cli-not-a-decision", place, ", ".join(VERDICTS), ", ".join(REASONS))
        )
    return Wish(int(proposal), verdict, reason or None)


def carry_out(store: Store, wish: Wish, voice: Voice) -> DecisionRecord:
    """The wish is a decision; refuses as `decisions.decide` and `decisions.undo` do."""
    from wikibot.store import decisions

    with store.writing() as session:
        if wish.verdict == "undo":
            number = _newest_undoable(session, wish.proposal_id)
            decisions.undo(session, number, voice)
        else:
            number = decisions.decide(
                session, wish.proposal_id, wish.verdict, voice, reason=wish.reason, note=wish.note
            )
        made = decisions.decision(session, number)
    assert made is not None, "it was written a moment ago"
    return made


def carry_out_all(
    store: Store, wishes: Iterable[Wish], voice: Voice
) -> Iterator[DecisionRecord | str]:
    """Each wish in turn, as the decision it became or as the sentence that refused it."""
    for wish in wishes:
        try:
            yield carry_out(store, wish, voice)
        except WikibotError as refusal:
            yield said(refusal)


def _newest_undoable(session: Session, proposal_id: int) -> int:
    from wikibot.store import decisions

    undoable = [one.id for one in decisions.history(session, proposal_id) if one.is_undoable]
    if not undoable:
        raise BadInput(message("cli-nothing-to-take-back", proposal_id))
    return undoable[-1]


def say_decision(made: DecisionRecord, verdict: str) -> None:
    """One line that names the link."""
    link = (made.anchor, made.target, made.page, made.suggestion_id, made.id)
    say(message("cli-decided", DONE[verdict](), *link))


def decision_record(said: DecisionRecord, verdict: str) -> dict[str, object]:
    """The decision for programs."""
    return {
        "proposal": said.suggestion_id,
        "verdict": verdict,
        "decision": said.id,
        "page": said.page,
        "anchor": said.anchor,
        "target": said.target,
    }
