"""Ideas in a terminal: one after the other, a sentence and the page that a few words could be about."""

from __future__ import annotations

import sys

from wikibot.errors import WikibotError
from wikibot.store import Store, ideas
from wikibot.store.decisions import Voice
from wikibot.store.ideas import IdeaRow
from wikibot.store.pages import wiki_by_name
from wikibot.terminal_text import printable
from wikibot.web.i18n import msg, speak_as_the_terminal
from wikibot.web.labels import error_message, reasons_in_words

VERDICT_OF_KEY = {"a": "accept", "r": "decline"}


def decide_in_terminal(store: Store, voice: Voice, *, wiki: str | None = None) -> None:
    """The person has gone through the waiting ideas, as far as they liked; each line read is a key."""
    speak_as_the_terminal()
    with store.reading() as session:
        wiki_id = wiki_by_name(session, wiki).id
        row = ideas.next_idea(session, wiki_id)
    while row is not None:
        _show(row)
        key = _key()
        if key == "q":
            break
        decided = _act(store, row, key, voice)
        if decided is not None:
            with store.reading() as session:
                following = ideas.next_idea(session, wiki_id, after=row.id)
            row = None if following is None or following.id == row.id else following
    with store.reading() as session:
        counts = ideas.count_states(session, wiki_id)
    _say(msg("ideas-wait-are-to-be-written", counts["pending"], counts["accepted"]))


def _act(store: Store, row: IdeaRow, key: str, voice: Voice) -> str | None:
    """What the key has done; None if nothing, and the same idea is shown again."""
    if key == "j":
        return "later"
    if key not in VERDICT_OF_KEY:
        _say(msg("a-i-will-write-it-r-no-j-later-q"))
        return None
    try:
        with store.writing() as session:
            ideas.decide(session, row.id, VERDICT_OF_KEY[key], voice, version=row.version)
    except WikibotError as refusal:
        _say(error_message(refusal))
    return VERDICT_OF_KEY[key]


def _show(row: IdeaRow) -> None:
    asked = msg("would-a-few-words-about-fit-here", row.target, row.page)
    _say(f"\n{asked}   #{row.id}")
    _say(f"  {row.sentence}")
    _say(f"→ {row.target}: {row.target_summary}")
    for reason in reasons_in_words(row.reasons):
        _say(f"  · {reason}")


def _key() -> str:
    """The first letter of the next line; q at the end of the input."""
    sys.stdout.write("a, r, j, q > ")
    sys.stdout.flush()
    line = sys.stdin.readline()
    return line.strip()[:1] if line else "q"


def _say(text: str) -> None:
    sys.stdout.write(printable(text) + "\n")
