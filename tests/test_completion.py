"""The shell completes titles, wikis and states from the database, and never fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.demo.fixtures import clean_environment
from tests.fetch.exports import write_export
from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.store import open_store


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database of a few pages."""
    made = tmp_path_factory.mktemp("completion")
    with open_store(made / "wikibot.db", create=True) as store:
        fetch_export(store, ExportOptions(write_export(made / "rivers.xml"), processes=1))
    return made


def offered(folder: Path, typed: str) -> list[str]:
    """What zsh is offered for the last word of the line."""
    words = typed.split(" ")
    environ = {
        **os.environ,
        "_WIKIBOT_COMPLETE": "zsh_complete",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(words) - 1),
    }
    environ.pop("WIKIBOT_DB", None)
    script = "from wikibot.cli import cli; cli(prog_name='wikibot')"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, env=environ, capture_output=True, text=True
    )
    assert done.stderr == ""
    return done.stdout.splitlines()[1::3]


def test_states_are_completed(folder: Path) -> None:
    assert offered(folder, "wikibot queue --state app") == ["approved"]
    assert "any" in offered(folder, "wikibot queue --state ")


@pytest.mark.parametrize(
    "line", ["suggest --page", "suggest --to", "queue --target", "diff --page", "anchors"]
)
def test_titles_are_completed_whatever_their_case(folder: Path, line: str) -> None:
    assert offered(folder, f"wikibot {line} sh") == ["Shrewsbury"]


def test_wikis_are_completed(folder: Path) -> None:
    assert offered(folder, "wikibot train --wiki wi") == ["wiki.example.org"]


BASH = """
eval "$(_WIKIBOT_COMPLETE=bash_source wikibot)"
COMP_WORDS=(wikibot diff --page "$1") COMP_CWORD=3
_wikibot_completion wikibot
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.parametrize(
    ("typed", "inserted"),
    [("Ri", "River\\ Severn"), ("River\\ S", "River\\ Severn"), ('"Ri', "River Severn")],
)
def test_bash_gets_spaces_escaped_unless_a_quote_is_open(
    tmp_path: Path, typed: str, inserted: str
) -> None:
    pages = {"River Severn": "The '''River Severn''' is long.", "Sea": "The sea."}
    with open_store(tmp_path / "wikibot.db", create=True) as store:
        fetch_export(store, ExportOptions(write_export(tmp_path / "r.xml", pages), processes=1))
    done = subprocess.run(
        ["bash", "-c", BASH, "bash", typed],
        cwd=tmp_path,
        env=clean_environment(),
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines() == [inserted]


def test_nothing_is_offered_and_nothing_made_where_there_is_no_database(tmp_path: Path) -> None:
    assert offered(tmp_path, "wikibot suggest --page S") == []
    assert list(tmp_path.iterdir()) == []


def test_the_database_named_on_the_line_is_the_one_that_is_read(
    folder: Path, tmp_path: Path
) -> None:
    line = f"wikibot diff --db {folder / 'wikibot.db'} --page Sh"
    assert offered(tmp_path, line) == ["Shrewsbury"]
