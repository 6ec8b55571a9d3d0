"""Review in the terminal: the same queue and keys, through a pseudo-terminal and without one."""

from __future__ import annotations

import os
import re
import sys

import pexpect
import pytest

from tests.review.test_decisions import BOB, decide, line
from wikibot.store import Store, decisions, queue
from wikibot.store.tables import Page, Suggestion

PROMPT = re.escape("? for help > ")
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM", "COLUMNS")
}


def start(store: Store, prompt: str = "? for help > ", **environment: str) -> pexpect.spawn[str]:
    child = pexpect.spawn(
        sys.executable,
        ["-m", "wikibot", "review", "--terminal", "--db", str(store.path), "--reviewer", "tess"],
        env={**ENVIRONMENT, "TERM": "xterm-256color", **environment},  # type: ignore[arg-type]
        encoding="utf-8",
        timeout=30,
        dimensions=(50, 100),
    )
    child.expect(re.escape(prompt))
    return child


def states(store: Store) -> dict[str, int]:
    with store.reading() as session:
        counts = queue.count_states(session, 1)
    return {state: number for state, number in counts.items() if number}


def press(child: pexpect.spawn[str], keys: str, then: str = PROMPT) -> str:
    """Sends keys, waits for what follows, and returns what was shown before it."""
    child.send(keys)
    child.expect(then)
    return str(child.before)


def finish(child: pexpect.spawn[str]) -> str:
    child.send("q")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    return str(child.before)


def test_the_whole_flow_by_single_keys(store: Store) -> None:
    child = start(store)
    assert "fog horn" in press(child, "a")
    press(child, "r", re.escape("why? 1-5 > "))
    assert "tides" in press(child, "2")
    assert "prisms" in press(child, "s")
    assert states(store) == {"approved": 1, "rejected": 1, "skipped": 1, "pending": 8}
    assert "tides" in press(child, "u")
    assert "prisms" in press(child, "j")
    assert "tides" in press(child, "k")
    assert "9 waiting, 1 approved" in finish(child)
    with store.reading() as session:
        said = decisions.history(session, 2)[0]
    assert (said.reviewer, said.source, said.reason) == ("tess", "terminal", "wrong-target")


def test_the_anchor_and_the_target_are_changed_by_keys(store: Store) -> None:
    child = start(store)
    press(child, "j")
    assert "[[Foghorn|a fog horn]]" in press(child, "b")
    assert "[[Foghorn|fog horn]]" in press(child, "B")
    assert "[[Foghorn|fog]]" in press(child, "W")
    assert "[[Foghorn|fog horn]]" in press(child, "w")
    press(child, "t", "part of the title > ")
    press(child, "glas\r", "which")
    assert "[[Glass|fog horn]]" in press(child, "1")
    finish(child)
    assert line(store, 2).state == "rejected"


def test_help_and_diff_are_shown(store: Store) -> None:
    child = start(store)
    shown = press(child, "?")
    for key in ("approve", "reject", "skip", "undo", "another target"):
        assert key in shown
    assert "Lighthouse.wiki" in press(child, "d")
    finish(child)
    assert states(store) == {"pending": 11}


def test_never_link_takes_the_target_out_of_the_queue(store: Store) -> None:
    child = start(store)
    press(child, "n", "never: ")
    assert "1 waiting proposal left the queue" in press(child, "t")
    finish(child)
    assert line(store, 1).state == "stale"


def test_a_decision_of_somebody_else_is_told_and_kept(store: Store) -> None:
    child = start(store)
    decide(store, 1, "reject", BOB)
    assert "bob said" in press(child, "a")
    finish(child)
    assert line(store, 1).state == "rejected"


def test_a_wrong_key_and_a_second_thought_change_nothing(store: Store) -> None:
    child = start(store)
    assert "not a key here" in press(child, "x")
    press(child, "r", re.escape("why? 1-5 > "))
    assert "Not rejected" in press(child, "x")
    press(child, "t", "part of the title > ")
    assert "as it was" in press(child, "\r")
    assert "nothing to undo" in press(child, "u")
    press(child, "n", "never: ")
    assert "Nothing was changed" in press(child, "x")
    finish(child)
    assert states(store) == {"pending": 11}


def test_colours_in_a_terminal_and_none_on_request(store: Store) -> None:
    child = start(store)
    assert "\x1b[" in press(child, "j")
    finish(child)
    plain = start(store, NO_COLOR="1")
    shown = press(plain, "j")
    finish(plain)
    assert not re.search("\x1b\\[[0-9;]*3[0-9]m", shown)
    assert ">>fog horn<<" in shown


def test_a_dumb_terminal_reads_lines(store: Store) -> None:
    child = start(store, TERM="dumb")
    shown = press(child, "a\n")
    assert ">>fog horn<<" in " ".join(shown.split())
    assert "\x1b" not in shown
    press(child, "r\n", re.escape("why? 1-5 > "))
    press(child, "1\n")
    child.send("q\n")
    child.expect(pexpect.EOF)
    assert states(store) == {"approved": 1, "rejected": 1, "pending": 9}


def test_stopping_with_ctrl_c_keeps_what_was_decided(store: Store) -> None:
    child = start(store)
    press(child, "a")
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert "Traceback" not in str(child.before)
    assert line(store, 1).state == "approved"


def test_an_empty_queue_ends_at_once(store: Store) -> None:
    with store.writing() as session:
        session.query(Suggestion).delete()
    child = pexpect.spawn(
        sys.executable,
        ["-m", "wikibot", "review", "--terminal", "--db", str(store.path)],
        encoding="utf-8",
        timeout=30,
    )
    child.expect("0 waiting")
    child.expect(pexpect.EOF)


@pytest.mark.parametrize("text", ["a\nq\n", "a\n"])
def test_without_a_terminal_it_reads_standard_input(store: Store, text: str) -> None:
    import subprocess

    done = subprocess.run(
        [sys.executable, "-m", "wikibot", "review", "--terminal", "--db", str(store.path)],
        input=text, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert "1 approved" in done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("name", ["LC_ALL", "LC_MESSAGES", "LANG"])
def test_the_terminal_speaks_the_language_of_its_environment(store: Store, name: str) -> None:
    others = {"LC_ALL": "", "LC_MESSAGES": "", "LANG": ""}
    child = start(store, prompt="? für Hilfe > ", **(others | {name: "de_DE.UTF-8"}))
    german = re.escape("? für Hilfe > ")
    assert "annehmen" in press(child, "?", german)
    assert "Angenommen: Fresnel lens" in press(child, "a", german)
    press(child, "r", re.escape("warum? 1-5 > "))
    assert "Abgelehnt" in press(child, "1", german)
    assert "9 offen, 1 angenommen, 1 abgelehnt" in finish(child)


def test_a_program_gets_the_same_words_in_every_environment(store: Store) -> None:
    import subprocess

    told = [
        subprocess.run(
            [sys.executable, "-m", "wikibot", "queue", "--json", "--db", str(store.path)],
            env={**ENVIRONMENT, "LC_ALL": locale}, capture_output=True, check=True, timeout=60,
        ).stdout
        for locale in ("C.UTF-8", "de_DE.UTF-8")
    ]  # fmt: skip
    assert told[0] == told[1]


ESCAPES = "\x1b]0;pwned\x07\x1b[2J\x9b2J\x1b[31m"


def test_text_of_the_wiki_commands_no_terminal(store: Store) -> None:
    """Whatever a title, an anchor, a sentence or a summary holds is shown as characters."""
    with store.writing() as session:
        for row in session.query(Page).all():
            row.title, row.summary = f"{row.title}{ESCAPES}", f"{row.summary}{ESCAPES}"
        for one in session.query(Suggestion).all():
            one.anchor, one.sentence = f"{one.anchor}{ESCAPES}", f"{one.sentence}{ESCAPES}"
            one.wikitext, one.reasons = f"{one.wikitext}{ESCAPES}", [ESCAPES]
    child = start(store)
    shown = [press(child, key) for key in ("?", "j", "d", "a", "x")]
    press(child, "n", " p ")
    shown += [press(child, "x")]
    press(child, "t", "title")
    shown += [press(child, "fog\r", "which"), press(child, "x"), finish(child)]
    for text in shown:
        assert "pwned" not in text or "\x1b]0;" not in text
        assert "\x1b[2J" not in text
        assert "\x9b" not in text
        assert "\x07" not in text
    assert any("pwned" in text for text in shown), "the attack is seen"


@pytest.mark.parametrize(
    "arguments",
    [["queue"], ["queue", "--csv"], ["diff", "--pending"], ["diff", "--pending", "--color"]],
)
def test_no_list_and_no_diff_commands_a_terminal(store: Store, arguments: list[str]) -> None:
    with store.writing() as session:
        for row in session.query(Page).all():
            row.title = f"{row.title}{ESCAPES}"
        for one in session.query(Suggestion).all():
            one.anchor = f"{one.anchor}{ESCAPES}"
    child = pexpect.spawn(
        sys.executable, ["-m", "wikibot", *arguments, "--db", str(store.path)],
        env={**ENVIRONMENT, "TERM": "xterm-256color"},  # type: ignore[arg-type]
        encoding="utf-8", timeout=60, dimensions=(50, 200),
    )  # fmt: skip
    child.expect(pexpect.EOF)
    shown = str(child.before)
    assert "pwned" in shown
    assert not re.search("\x1b\\]|\x1b\\[2J|\x9b|\x07", shown)


def test_the_queue_turns_its_corners_in_the_terminal_too(store: Store) -> None:
    child = start(store)
    assert "#11" in press(child, "k"), "before the first is the last"
    assert "#1 " in press(child, "j"), "after the last is the first"
    finish(child)


def test_the_end_of_the_input_ends_the_sitting(store: Store) -> None:
    child = start(store)
    press(child, "a")
    child.send("\x04")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert "1 approved" in str(child.before)


def test_a_target_is_chosen_by_its_number_or_not_at_all(store: Store) -> None:
    child = start(store)
    press(child, "j")
    press(child, "t", "part of the title > ")
    press(child, "glas\r", "which")
    assert "as it was" in press(child, "9")
    press(child, "t", "part of the title > ")
    assert "as it was" in press(child, "no such page\r")
    finish(child)
    assert states(store) == {"pending": 11}


def test_a_narrow_terminal_breaks_lines_and_loses_nothing(store: Store) -> None:
    child = start(store, COLUMNS="30")
    shown = " ".join(press(child, "j").split())
    assert "fog horn" in shown
    assert "[[Foghorn|fog horn]]" in shown
    finish(child)
