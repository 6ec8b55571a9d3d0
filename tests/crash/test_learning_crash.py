"""Train and suggest, killed, stopped or out of disk anywhere: the old state, then the same result."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.crash.killed_learning import ENVIRONMENT, Orders, run
from tests.linker.rivers import rivers_store
from wikibot.engine import ChildFailed, run_apart, watching
from wikibot.errors import WikiUnavailable
from wikibot.store import open_store
from wikibot.store.lock import only_one
from wikibot.suggest import suggest
from wikibot.train import train

pytestmark = pytest.mark.crash

POINTS = 100 if os.environ.get("WIKIBOT_ALL_SCHEDULES") else 2
DISASTERS = ("kill", "ctrl-c", "full-disk")


@pytest.fixture(autouse=True, scope="module")
def every_proposal() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="module")
def fetched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with pages, and nothing learned from them."""
    folder = tmp_path_factory.mktemp("rivers")
    rivers_store(folder).close()
    return folder / "w.db"


@pytest.fixture(scope="module")
def trained(fetched: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = copied(fetched, tmp_path_factory.mktemp("trained"))
    whole_run(db, "train")
    return db


@pytest.fixture(scope="module")
def changed(trained: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database whose pages were looked at, and then one of them changed."""
    db = copied(trained, tmp_path_factory.mktemp("changed"))
    whole_run(db, "suggest")
    with sqlite3.connect(db) as database:
        database.execute(
            "UPDATE pages SET wikitext = ?, revision_id = revision_id + 1000 WHERE title = ?",
            ("The River Ala flows near the [[River Bera]] and the River Corom.", "River Ala"),
        )
    database.close()
    return db


def copied(db: Path, folder: Path) -> Path:
    """The database and its models, in a folder of their own."""
    shutil.copytree(db.parent, folder, dirs_exist_ok=True)
    return folder / db.name


def whole_run(db: Path, command: str) -> int:
    """The command has run undisturbed; the number of its steps."""
    done = run(Orders(db, command))
    assert done.code == 0, done.errors
    return done.steps


def rows(db: Path, query: str) -> list[tuple[Any, ...]]:
    with sqlite3.connect(db) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        found = database.execute(query).fetchall()
    database.close()
    return found


def learned(db: Path) -> tuple[Any, ...]:
    """The models in force, and the kinds of files that are there.

    Ranker and knowledge are compared byte for byte. They come from all that CRTM said; CRTM's own file
    also tells how long each step took.
    """
    models = rows(
        db, "SELECT kind, CASE WHEN kind != 'crtm' THEN sha256 END FROM models ORDER BY kind"
    )
    folder = Path(f"{db}.models")
    files = (
        sorted(path.name.partition("-")[0] for path in folder.iterdir()) if folder.exists() else []
    )
    return models, files


def proposed(db: Path) -> list[tuple[Any, ...]]:
    columns = "page_id, target_id, revision_id, start, wikitext, probability, reasons, state"
    return rows(db, f"SELECT {columns} FROM suggestions ORDER BY page_id, target_id")


def state(db: Path) -> tuple[Any, ...]:
    return learned(db), proposed(db)


def points(total: int, disaster: str) -> list[int]:
    """Steps to strike at, spread over the run; the last ones, where files and rows change, among them."""
    few = POINTS if disaster == "kill" else POINTS // 2
    return sorted({*range(3, total, max(1, total // few)), total - 1, total - 2})


@pytest.mark.parametrize(
    ("command", "before"), [("train", "fetched"), ("suggest", "trained"), ("suggest", "changed")]
)
@pytest.mark.parametrize("disaster", DISASTERS)
def test_struck_anywhere_the_old_state_stands_and_the_next_run_completes_it(
    request: pytest.FixtureRequest, tmp_path: Path, command: str, before: str, disaster: str
) -> None:
    start = request.getfixturevalue(before)
    whole = copied(start, tmp_path / "whole")
    total = whole_run(whole, command)
    old, new = state(start), state(whole)
    assert old != new
    for last in points(total, disaster):
        db = copied(start, tmp_path / f"{last}")
        struck = run(Orders(db, command, last, disaster))
        assert "Traceback" not in struck.errors
        assert struck.code == {"kill": -signal.SIGKILL, "ctrl-c": 130, "full-disk": 1}[disaster]
        assert models_are_whole(db)
        assert proposed(db) in (old[1], new[1])
        whole_run(db, command)
        assert state(db) == new, f"{disaster} at step {last} of {total}"


def models_are_whole(db: Path) -> bool:
    """Every model that a row tells of is there, byte for byte."""
    folder = Path(f"{db}.models")
    return all(
        hashlib.sha256((folder / path).read_bytes()).hexdigest() == sha256
        for path, sha256 in rows(db, "SELECT path, sha256 FROM models")
    )


def test_ctrl_c_ends_in_one_sentence(fetched: Path, tmp_path: Path) -> None:
    db = copied(fetched, tmp_path / "stopped")
    done = run(Orders(db, "train", 30, "ctrl-c"))
    assert done.code == 130
    assert done.errors.startswith("Stopped.") and "\n" not in done.errors
    assert rows(db, "SELECT state FROM runs WHERE command = 'train'") == [("interrupted",)]


def test_a_second_trainer_and_a_second_proposer_are_told_to_come_back(
    trained: Path, tmp_path: Path
) -> None:
    with open_store(copied(trained, tmp_path / "busy")) as store:
        with (
            only_one(store, "train"),
            pytest.raises(WikiUnavailable, match="busy with `wikibot train`"),
        ):
            train(store)
        with only_one(store, "suggest"), pytest.raises(WikiUnavailable, match="busy with"):
            suggest(store)
        assert suggest(store).new > 0


def test_two_proposers_at_once_leave_what_one_would(trained: Path, tmp_path: Path) -> None:
    alone, both = copied(trained, tmp_path / "alone"), copied(trained, tmp_path / "both")
    whole_run(alone, "suggest")
    command = [sys.executable, "-m", "wikibot", "suggest", "--db", str(both)]
    pair = [subprocess.Popen(command) for _ in range(2)]
    assert {process.wait(timeout=300) for process in pair} <= {0, 3}
    assert proposed(both) == proposed(alone)


def test_killed_between_two_groups_of_pages_the_next_run_goes_on_with_the_others(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wikibot.suggest.COMMIT_PAGES", 5)
    whole, stopped = copied(trained, tmp_path / "whole"), copied(trained, tmp_path / "stopped")
    with open_store(whole) as store:
        pages = suggest(store).pages

    steps: list[str] = []

    def killed() -> None:
        with open_store(stopped) as store, watching(kill_at_twelve):
            suggest(store, tell=lambda step: steps.append(step.name))

    def kill_at_twelve(done: int, _: int | None) -> None:
        if steps[-1] == "Looking for missing links" and done == 12:
            os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(ChildFailed, match="-9"):
        run_apart(killed)
    assert set(proposed(stopped)) < set(proposed(whole))
    with open_store(stopped) as store:
        assert suggest(store).pages == pages - 10
    assert proposed(stopped) == proposed(whole)
