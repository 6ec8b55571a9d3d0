"""What is printed harms no terminal, fits any encoding, and no file that is made is open to everyone."""

from __future__ import annotations

import ast
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.fetch.exports import PAGES, write_export
from tests.review.sample import make_store
from wikibot.cli import cli
from wikibot.store import Store
from wikibot.store.tables import Page, Run, Suggestion, Wiki
from wikibot.terminal_text import OBEYED, printable

ROOT = Path(__file__).resolve().parent.parent
# ESC, the C1 command introducer, a bell, the signs that turn lines around, half a character.
HOSTILE = "\x1b[2J\x9b31m\x07\x85\u202e\u2066[/bold]"


def test_nothing_that_a_terminal_obeys_is_left() -> None:
    every = "".join(map(chr, range(0x3000))) + "\ud800"
    kept = {char for char in every if printable(char) == char}
    assert not {char for char in kept if OBEYED.match(char)}
    assert {"\n", "\t", " ", "é", "א", "\u200f", "\u200d"} <= kept
    assert kept.isdisjoint("\x1b\x9b\x07\r\b\x7f\x85\u202e\u2066\ud800")


def echoed(path: Path) -> list[str]:
    """What a module hands to click.echo by itself, apart from a diff in colours."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [call for call in calls if call.startswith("click.echo(") and "color=" not in call]


def test_what_is_printed_goes_through_one_door() -> None:
    """`say`, `put` and `echo_json` make text safe."""
    found = {str(path.relative_to(ROOT)): echoed(path) for path in (ROOT / "wikibot").rglob("*.py")}
    assert found.pop("wikibot/cli/common.py")
    assert not {path: calls for path, calls in found.items() if calls}


@pytest.fixture
def hostile(tmp_path: Path) -> Store:
    """A database in which every text is hostile."""
    store = make_store(tmp_path / "wikibot.db")
    with store.writing() as session:
        session.query(Wiki).update({"name": f"wiki{HOSTILE}"})
        session.query(Page).update({"title": Page.title + HOSTILE})
        session.query(Suggestion).update({"anchor": HOSTILE, "sentence": HOSTILE})
        session.add(
            Run(
                command=HOSTILE, options={}, state="failed", progress={},
                result={"error": HOSTILE}, started_at=session.query(Suggestion.created_at).first()[0],
            )
        )  # fmt: skip
    return store


@pytest.mark.parametrize(
    "words",
    [
        ("status",),
        ("status", "--json"),
        ("queue",),
        ("queue", "--json"),
        ("queue", "--csv"),
        ("decide", "1", "skip", "--reviewer", HOSTILE),
        ("decide", "1", "skip", "--reviewer", HOSTILE, "--json"),
        ("decide", "--from", "-"),
        ("log",),
    ],
)
def test_no_command_passes_on_what_a_terminal_would_obey(
    hostile: Store, words: tuple[str, ...]
) -> None:
    shown = CliRunner().invoke(
        cli, [*words, "--db", str(hostile.path)], input="2 approve\n99 skip\n"
    )
    assert shown.exception is None or isinstance(shown.exception, SystemExit)
    assert shown.output
    assert not OBEYED.search(shown.output), shown.output
    if "--json" in words:
        json.loads(shown.stdout)


def wikibot(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "wikibot", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        umask=0,
        timeout=120,
    )


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "utf-8"])
def test_any_encoding_of_the_output_will_do(tmp_path: Path, encoding: str) -> None:
    make_store(tmp_path / "wikibot.db").close()
    for words in (
        ("status",),
        ("queue",),
        ("queue", "--csv"),
        ("decide", "1", "approve"),
        ("diff",),
    ):
        done = wikibot(tmp_path, *words, PYTHONIOENCODING=encoding, PYTHONUTF8="0")
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done.stderr
    done = wikibot(tmp_path, "queue", "--json", PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert json.loads(done.stdout.decode(encoding))[0]["page"] == "Lighthouse"
    done = wikibot(tmp_path, "decide", "1", "approve", PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert (done.returncode, b"Traceback" in done.stderr) == (1, False), done.stderr


@pytest.mark.slow
def test_nothing_that_is_made_can_be_written_by_everyone(tmp_path: Path) -> None:
    """Under umask 000 every file and folder of ours was."""
    tmp_path.chmod(0o700)
    export = write_export(tmp_path / "dump.xml", PAGES)
    export.chmod(0o600)
    assert wikibot(tmp_path, "fetch", "--export", "dump.xml", "--processes", "1").returncode == 0
    assert wikibot(tmp_path, "diff", "--patch", "a.patch", "--pages", "texts").returncode == 0
    made = {str(path): path.stat().st_mode for path in tmp_path.rglob("*")}
    assert len(made) >= 3
    assert not {name: oct(mode) for name, mode in made.items() if mode & stat.S_IWOTH}
