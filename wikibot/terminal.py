"""Review in a terminal: the same queue, the same keys, over ssh and in a dumb terminal too.

Cards are printed one below the other; nothing moves the cursor. Where single keys cannot be read,
a line with the key on it does the same.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial

import click
from rich.console import Console
from rich.text import Text

from wikibot import diff, review
from wikibot.errors import BadWikitext, WikibotError
from wikibot.excerpt import Block, block_at, without_empty_brackets
from wikibot.store import Store, decisions, never_links, queue
from wikibot.store.decisions import REASONS, Voice
from wikibot.store.pages import WikiRow, wiki_by_name
from wikibot.store.queue import Filters, Proposal
from wikibot.terminal_text import printable
from wikibot.web.i18n import msg, speak_as_the_terminal
from wikibot.web.labels import (
    chance,
    error_message,
    reason_effect,
    reason_name,
    reasons_in_words,
    state_name,
    verdict_name,
    whole,
)

STEP_OF_KEY = {"w": "widen-end", "W": "narrow-end", "b": "widen-start", "B": "narrow-start"}
NEVER = {"w": "word", "t": "target", "p": "page"}
END = "\x04"  # of the input
COUNTED = ("pending", "approved", "rejected", "skipped")


def keys() -> dict[str, str]:
    """Every key and what it does."""
    return {
        "a": msg("approve-2"),
        "r": msg("reject-then-1-to-5-for-the-reason"),
        "s": msg("skip"),
        "u": msg("undo-your-last-decision"),
        "j": msg("next-proposal-without-deciding"),
        "k": msg("previous-proposal"),
        "w": msg("add-the-word-after-the-anchor"),
        "W": msg("leave-out-its-last-word"),
        "b": msg("add-the-word-before-it"),
        "B": msg("leave-out-its-first-word"),
        "t": msg("choose-another-target"),
        "d": msg("the-pages-whole-diff"),
        "n": msg("never-link-this-word-target-or"),
        "?": msg("this-help"),
        "q": msg("stop-everything-decided-is-kept"),
    }


def review_in_terminal(store: Store, reviewer: str, *, wiki: str | None = None) -> None:
    """The reviewer has gone through the queue, as far as they liked."""
    speak_as_the_terminal()
    with store.reading() as session:
        found = wiki_by_name(session, wiki)
    Terminal(store, found, Voice(reviewer, "terminal"), Console(highlight=False)).run()


class Terminal:
    """One sitting: the place in the queue, and what each key does there."""

    def __init__(self, store: Store, wiki: WikiRow, voice: Voice, console: Console) -> None:
        self._store, self._wiki, self._voice, self._console = store, wiki, voice, console
        self._filters = Filters(wiki.id)
        self._reads_keys = sys.stdin.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._at: int | None = None
        self._actions: dict[str, Callable[[Proposal], None]] = {
            "a": lambda found: self._decide(found, "approve"),
            "r": self._reject,
            "s": lambda found: self._decide(found, "skip"),
            "u": lambda found: self._undo(),
            "j": lambda found: self._go(found, queue.id_after, queue.first_id),
            "k": lambda found: self._go(found, queue.id_before, queue.last_id),
            "t": self._retarget,
            "d": self._show_diff,
            "n": self._never_link,
            "?": lambda found: self._show_help(),
            **{key: partial(self._move, step=step) for key, step in STEP_OF_KEY.items()},
        }

    def run(self) -> None:
        """Shows, asks and acts until the queue is empty or the reviewer stops."""
        self._at = self._find(queue.first_id)
        while self._at is not None:
            found = self._proposal(self._at)
            self._show(found)
            key = self._key(msg("for-help") + " > ")
            if key in ("q", END):
                break
            self._act(key, found)
        self._say_goodbye()

    def _act(self, key: str, found: Proposal) -> None:
        action = self._actions.get(key)
        if action is None:
            self._say(msg("is-no-key-here-shows-them", repr(key)), "yellow")
            return
        try:
            action(found)
        except WikibotError as refusal:
            self._say(error_message(refusal), "red")

    def _decide(self, found: Proposal, verdict: str, reason: str | None = None) -> None:
        line = found.line
        review.decide(
            self._store, line.id, verdict, self._voice, version=line.version, reason=reason
        )
        self._say(f"{verdict_name(verdict)}: {line.anchor} → {line.target}", "green")
        self._go(found, queue.id_after, queue.first_id)

    def _reject(self, found: Proposal) -> None:
        for number, reason in enumerate(REASONS, start=1):
            self._say(f"  {number}  {reason_name(reason)}  ({reason_effect(reason)})")
        key = self._key(msg("why-1-5") + " > ")
        chosen = dict(zip("12345", REASONS, strict=True)).get(key)
        if chosen == "span":
            self._say(msg("nothing-is-blocked-choose-the-title"))
        elif chosen:
            self._decide(found, "reject", chosen)
        else:
            self._say(msg("not-rejected"), "yellow")

    def _undo(self) -> None:
        with self._store.reading() as session:
            last = decisions.last_undoable(session, self._wiki.id, self._voice.reviewer)
        if last is None:
            self._say(msg("there-is-nothing-to-undo"), "yellow")
            return
        self._at = review.undo(self._store, last, self._voice)
        self._say(msg("verdict-undo"), "green")

    def _move(self, found: Proposal, step: str) -> None:
        review.move(self._store, found.line.id, step, self._voice, version=found.line.version)

    def _retarget(self, found: Proposal) -> None:
        asked = self._line(msg("part-of-the-title") + " > ").strip()
        with self._store.reading() as session:
            titles = queue.find_titles(session, self._wiki.id, asked, limit=9) if asked else []
        for number, title in enumerate(titles, start=1):
            self._say(f" {number} {title.title}: {title.summary}")
        key = self._key(msg("which") + " > ") if titles else ""
        if not key.isdigit() or not 0 < int(key) <= len(titles):
            self._say(msg("the-target-is-as-it-was"), "yellow")
            return
        chosen = titles[int(key) - 1]
        self._at = review.retarget(
            self._store, found.line.id, chosen.id, self._voice, version=found.line.version
        )

    def _never_link(self, found: Proposal) -> None:
        line = found.line
        offer = msg("never-w-t-p", line.anchor, line.target, line.page)
        kind = NEVER.get(self._key(f"{offer} > "))
        if kind is None:
            self._say(msg("nothing-was-changed"), "yellow")
            return
        value = {"word": line.anchor, "target": line.target, "page": line.page}[kind]
        with self._store.writing() as session:
            gone = never_links.never_link(session, self._wiki.id, kind, value, self._voice)
        self._say(msg("waiting-proposals-left-the-queue", gone), "green")
        self._go(found, queue.id_after, queue.first_id)

    def _show_diff(self, found: Proposal) -> None:
        with self._store.reading() as session:
            draft = diff.draft_of_page(session, found.page.id, ("approved", "pending", "skipped"))
        edit = diff.planned(draft, self._wiki)
        text = printable(diff.unified(edit)) if self._is_plain else diff.coloured(edit)
        click.echo(text, color=not self._is_plain, file=self._console.file)

    def _show_help(self) -> None:
        for key, meaning in keys().items():
            self._say(f"  {key}  {meaning}")

    def _go(
        self,
        found: Proposal,
        step: Callable[..., int | None],
        around: Callable[..., int | None],
    ) -> None:
        with self._store.reading() as session:
            at = step(session, self._filters, found.line.id)
            self._at = at if at is not None else around(session, self._filters)

    def _find(self, which: Callable[..., int | None]) -> int | None:
        with self._store.reading() as session:
            return which(session, self._filters)

    def _proposal(self, proposal_id: int) -> Proposal:
        with self._store.reading() as session:
            found = queue.proposal(session, proposal_id)
        assert found is not None, "proposals are never deleted while they wait"
        return found

    @property
    def _is_plain(self) -> bool:
        return self._console.no_color or self._console.color_system is None

    def _show(self, found: Proposal) -> None:
        line = found.line
        self._console.rule(style="dim")
        head = Text.assemble((printable(line.page), "bold"), f"   #{line.id}")
        head.append(f"   {chance(line.probability)}")
        if line.state != "pending":
            head.append(f"   {state_name(line.state)}", "yellow")
        self._console.print(head)
        self._console.print(self._paragraph(found))
        target = Text.assemble("→ ", (printable(line.target), "bold"))
        self._console.print(
            target.append(f"  {printable(without_empty_brackets(found.target.summary))}", "dim")
        )
        for reason in reasons_in_words(line.reasons):
            self._say(f"  · {reason}")
        self._say(f"  {line.wikitext}", "green")

    def _paragraph(self, found: Proposal) -> Text:
        try:
            rules, line = found.wiki.rules(), found.line
            return self._styled(block_at(found.page.wikitext, rules, line.start, line.end))
        except BadWikitext:
            return Text(printable(found.line.sentence))

    def _styled(self, block: Block) -> Text:
        text = Text()
        for piece in block.pieces:
            shown = "{…}" if piece.kind == "template" else printable(piece.text)
            if piece.is_marked and self._is_plain:
                text.append(f">>{shown}<<")
            else:
                text.append(shown, "bold reverse" if piece.is_marked else "")
        return text

    def _say(self, text: str, style: str = "") -> None:
        self._console.print(Text(printable(text), style))

    def _say_goodbye(self) -> None:
        with self._store.reading() as session:
            counts = queue.count_states(session, self._wiki.id)
        told = ", ".join(f"{whole(counts[state])} {state_name(state)}" for state in COUNTED)
        self._say(f"{told}.")

    def _key(self, prompt: str) -> str:
        """The key pressed; from a line, its first character. END at the end of the input."""
        if not self._reads_keys:
            return self._line(prompt).strip()[:1] or END
        self._console.print(Text(printable(prompt), "dim"), end="")
        try:
            key = click.getchar()
        except EOFError:  # Ctrl-D
            key = END
        self._say(key if key.isprintable() else "")
        return key

    def _line(self, prompt: str) -> str:
        self._console.print(Text(printable(prompt), "dim"), end="")
        return sys.stdin.readline()
