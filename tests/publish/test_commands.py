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
from wikibot.cli import main
from wikibot.store import intake, open_store
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
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return Ended(int(str(ended.value.code or 0)), said.out, said.err)

    return call


Wikibot = Callable[..., Ended]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a database that knows one wiki, and no user-config.py."""
    with open_store(tmp_path / "wikibot.db", create=True) as store, store.writing() as session:
        intake.save_wiki(session, "rivers", RULES, api_url="https://rivers.example.org/w/api.php")
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
        ["run"],
        ["init", "--login", "magic"],
    ],
)
def test_wrong_usage_has_its_own_code(wikibot: Wikibot, folder: Path, command: list[str]) -> None:
    done = wikibot(folder, *command)
    assert done.returncode == 2 and "Usage:" in done.stderr


def test_an_empty_log_says_so(wikibot: Wikibot, folder: Path) -> None:
    assert wikibot(folder, "log").stdout == "Nothing was sent yet.\n"
    assert json.loads(wikibot(folder, "log", "--json").stdout) == []


def test_the_log_lists_edits_with_their_outcome(wikibot: Wikibot, folder: Path) -> None:
    with open_store(folder / "wikibot.db") as store, store.writing() as session:
        for number, state in enumerate(("done", "refused"), start=1):
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
                    message="the reason",
                    new_revision=7 if state == "done" else None,
                    created_at=datetime.now(timezone.utc),
                )
            )
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
