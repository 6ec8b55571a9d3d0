"""The commands of publishing where no wiki is needed: one sentence and the documented code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

import pytest

from tests.publish.world import RULES
from wikibot.cli import run
from wikibot.cli.publish import finish_report, say_outcome, undo_hint
from wikibot.publish.publisher import Outcome
from wikibot.publish.publishing import Report
from wikibot.store import open_store, page_writes
from wikibot.store.lock import only_one
from wikibot.store.tables import Outbox


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it said."""

    returncode: int
    stdout: str
    stderr: str


def fresh(folder: Path, *arguments: str) -> Ended:
    """The command in a process of its own, for pywikibot reads its configuration once in each."""
    dropped = ("PYWIKIBOT_DIR", "WIKIBOT_DB")
    environment = {key: value for key, value in os.environ.items() if key not in dropped}
    done = subprocess.run(
        [sys.executable, "-m", "wikibot", *arguments],
        cwd=folder,
        env={**environment, "HOME": str(folder)},
        capture_output=True,
        text=True,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def wikibot(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Ended]:
    """The command, called in this process."""

    def call(folder: Path, *arguments: str) -> Ended:
        monkeypatch.chdir(folder)
        monkeypatch.delenv("WIKIBOT_DB", raising=False)
        monkeypatch.setattr(sys, "argv", ["wikibot", *arguments])
        code = run()
        said = capsys.readouterr()
        return Ended(code, said.out, said.err)

    return call


Wikibot = Callable[..., Ended]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a database that knows one wiki, and no user-config.py."""
    with open_store(tmp_path / "wikibot.db", create=True) as store, store.writing() as session:
        page_writes.save_wiki(
            session, "rivers", RULES, api_url="https://rivers.example.org/w/api.php"
        )
    return tmp_path


def test_without_a_configuration_it_says_which_file_is_missing(folder: Path) -> None:
    done = fresh(folder, "publish", "--to", "page")
    assert done.returncode == 2, done.stderr
    assert "No user-config.py was found" in done.stderr and "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_broken_configuration_is_named(folder: Path) -> None:
    (folder / "user-config.py").write_text("family = \n")
    done = fresh(folder, "publish", "--to", "page")
    assert done.returncode == 2 and "user-config.py cannot be read" in done.stderr


def test_an_unknown_family_is_named(folder: Path) -> None:
    done = fresh(folder, "publish", "--to", "page", "--family", "nonsense", "--lang", "en")
    assert done.returncode == 2 and "nonsense" in done.stderr and "--family" in done.stderr


@pytest.mark.parametrize("command", [["publish", "--to", "page"], ["log"], ["undo", "1"]])
def test_without_a_database_it_says_so(
    wikibot: Wikibot, tmp_path: Path, command: list[str]
) -> None:
    done = wikibot(tmp_path, *command)
    assert done.returncode == 1 and "no database" in done.stderr
    assert not (tmp_path / "wikibot.db").exists()


@pytest.mark.parametrize(
    "command",
    [
        ["publish"],
        ["publish", "--to", "moon"],
        ["publish", "--to", "page", "--trial", "0"],
        ["undo"],
        ["undo", "1", "--batch", "b1"],
        ["undo", "one"],
        ["settle", "1"],
        ["settle", "--made"],
        ["settle", "9" * 30, "--made"],
        ["init", "--login", "magic"],
    ],
)
def test_wrong_usage_has_its_own_code(wikibot: Wikibot, folder: Path, command: list[str]) -> None:
    done = wikibot(folder, *command)
    assert done.returncode == 2 and "Usage:" in done.stderr


def test_only_an_unknown_edit_is_settled_by_hand(wikibot: Wikibot, folder: Path) -> None:
    log_edits(folder, "done", "unknown")
    for number, why in ((1, "is done"), (7, "does not exist")):
        refused = wikibot(folder, "settle", str(number), "--made")
        assert refused.returncode == 1 and f"Edit {number} {why};" in refused.stderr
    settled = wikibot(folder, "settle", "2", "--not-made")
    assert settled.returncode == 0 and "the next run plans it again" in settled.stdout
    assert [entry["state"] for entry in json.loads(wikibot(folder, "log", "--json").stdout)] == [
        "prevented",
        "done",
    ]


def test_an_empty_log_says_so(wikibot: Wikibot, folder: Path) -> None:
    assert wikibot(folder, "log").stdout == "Nothing was sent yet.\n"
    assert json.loads(wikibot(folder, "log", "--json").stdout) == []


def log_edits(folder: Path, *states: str, message: str = "the reason") -> None:
    """The outbox holds one edit in each of the states."""
    with open_store(folder / "wikibot.db") as store, store.writing() as session:
        for number, state in enumerate(states, start=1):
            session.add(
                Outbox(
                    wiki_id=1,
                    batch="b1",
                    kind="page",
                    title=f"Page {number}",
                    base_revision=1,
                    text="x",
                    sha1="",
                    summary="",
                    marker=f"m{number}",
                    state=state,
                    message=message,
                    new_revision=7 if state == "done" else None,
                    created_at=datetime.now(timezone.utc),
                )
            )


CONTROL = "".join(map(chr, (*range(9), *range(11, 32), *range(127, 160))))


def test_nothing_that_a_terminal_obeys_comes_out_of_the_log(wikibot: Wikibot, folder: Path) -> None:
    log_edits(folder, "refused", message=f"no{CONTROL}31m")
    shown = wikibot(folder, "log").stdout
    assert not set(CONTROL) & set(shown) and "no�" in shown
    told = wikibot(folder, "log", "--json").stdout
    assert not set(CONTROL) & set(told)
    assert json.loads(told)[0]["message"] == f"no{CONTROL}31m", "a program gets what was said"


def test_nothing_that_a_terminal_obeys_comes_out_of_a_report(
    capsys: pytest.CaptureFixture[str],
) -> None:
    hostile = f"x{CONTROL}31m"
    outcomes = (
        Outcome(hostile, "would", hostile, diff=hostile),
        Outcome(hostile, "later", hostile, is_lost=True),
        Outcome(hostile, "unknown", hostile),
    )
    for outcome in outcomes:
        say_outcome(outcome)
    for quiet in (True, False):
        finish_report(Report("b1", outcomes, hostile, 3), as_json=False, quiet=quiet)
    finish_report(Report("b1", outcomes, hostile, 3), as_json=True, quiet=False)
    said = capsys.readouterr()
    assert said.out and said.err and not set(CONTROL) & set(said.out + said.err)


def test_a_quiet_run_names_what_was_lost_though_other_pages_were_edited(
    capsys: pytest.CaptureFixture[str],
) -> None:
    outcomes = (
        Outcome("A", "done"),
        Outcome("B", "refused", "B is protected."),
        Outcome("C", "later", "C did not arrive.", is_lost=True),
        Outcome("D", "unknown", "D is hidden."),
    )
    finish_report(Report("b1", outcomes, "", 0), as_json=False, quiet=True)
    assert capsys.readouterr().err == "wikibot: C did not arrive.\nwikibot: D is hidden.\n"


@pytest.mark.parametrize(
    ("outcomes", "hint"),
    [
        ([], ""),
        ([Outcome("A", "refused", batch="b1")], ""),
        ([Outcome("A", "done", batch="b1")] * 2, "Take it back with: wikibot undo --batch b1"),
        ([Outcome("A", "done")], ""),
        (
            [Outcome("A", "done", batch="b1"), Outcome("B", "done", batch="b2")],
            "Take it back with: wikibot undo --batch b1 and wikibot undo --batch b2",
        ),
    ],
)
def test_the_hint_names_the_batches_of_what_was_done(outcomes: list[Outcome], hint: str) -> None:
    assert undo_hint(Report("b9", tuple(outcomes), "", 0)) == hint


def test_the_log_lists_edits_with_their_outcome(wikibot: Wikibot, folder: Path) -> None:
    log_edits(folder, "done", "refused")
    shown = wikibot(folder, "log").stdout
    assert "https://rivers.example.org/w/index.php?diff=7" in shown and "the reason" in shown
    entries = json.loads(wikibot(folder, "log", "--batch", "b1", "--limit", "1", "--json").stdout)
    assert [entry["title"] for entry in entries] == ["Page 2"]


def test_a_second_run_is_told_to_come_back_later(wikibot: Wikibot, folder: Path) -> None:
    with open_store(folder / "wikibot.db") as store, only_one(store, "run"):
        done = wikibot(folder, "run", "Rivers")
    assert done.returncode == 3 and "Another process is busy with `wikibot run`" in done.stderr


def test_the_lock_goes_with_its_holder(folder: Path) -> None:
    with open_store(folder / "wikibot.db") as store:
        for _ in range(2):
            with only_one(store, "publish"):
                pass
