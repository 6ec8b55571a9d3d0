"""Every command of the README, copied as it stands, works."""

from __future__ import annotations

import bz2
import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.demo.fixtures import clean_environment, run_line
from wikibot.demo import build_export

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
NEEDS_A_WIKI = "<!-- needs a wiki -->\n"
SERVES = {"wikibot review"}

pytestmark = pytest.mark.slow


def blocks() -> list[tuple[bool, list[str]]]:
    """(whether it runs without a wiki, its lines) of every shell block."""
    found = re.finditer(rf"({re.escape(NEEDS_A_WIKI)})?```sh\n(.*?)```", README, re.S)
    return [(block[1] is None, block[2].splitlines()) for block in found]


def serve_once(line: str, folder: Path) -> str:
    """The address that a serving command prints; it is then stopped as by Ctrl-C."""
    child = subprocess.Popen(
        line.split(), cwd=folder, env=clean_environment(), stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    address = child.stdout.readline()
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=60)
    return address


@pytest.fixture(scope="module")
def own_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an export, as a reader of "From an export file" has it."""
    folder = tmp_path_factory.mktemp("own")
    export = build_export(folder / "dump.xml")
    (folder / "dump.xml.bz2").write_bytes(bz2.compress(export.read_bytes()))
    export.unlink()
    return folder


def test_the_demo_prints_ten_proposals_with_reasons_and_a_diff(demo_folder: Path) -> None:
    told = (demo_folder / "demo.txt").read_text(encoding="utf-8")
    assert len(re.findall(r"^ *\d+\. ", told, re.M)) == 10
    assert len(re.findall(r"^\+(?!\+\+).*\[\[", told, re.M)) >= 3
    assert not re.search(r"^\+(?!\+\+)(?!.*\[\[)", told, re.M)


def test_the_commands_for_the_demo_work(demo_folder: Path) -> None:
    lines = next(lines for _, lines in blocks() if any("anchors" in line for line in lines))
    told = {line: run_line(line, demo_folder) for line in lines if line.startswith("wikibot")}
    assert len(told) >= 4
    assert all(told.values())


def test_the_best_anchor_for_transistor_is_transistor(demo_folder: Path) -> None:
    told = run_line("wikibot anchors Semiconductor Transistor", demo_folder)
    first = re.search(r"^ *1 +(\S+) ", told, re.M)
    assert first is not None and first[1] == "transistor"


def test_the_commands_for_an_export_work(own_folder: Path) -> None:
    lines = next(lines for _, lines in blocks() if any("--export" in line for line in lines))
    for line in lines:
        if line in SERVES:
            assert serve_once(line, own_folder).startswith("http://127.0.0.1:")
        else:
            run_line(line, own_folder)


def test_every_block_is_run_or_says_that_it_needs_a_wiki() -> None:
    run_here = [lines for is_offline, lines in blocks() if is_offline]
    assert [lines[0].split()[0] for lines in run_here] == ["make", ".", "wikibot"]
    assert len(blocks()) > len(run_here)


def test_the_two_commands_are_targets_of_make() -> None:
    two = blocks()[0][1]
    assert two == ["make demo", "make test"]
    for line in two:
        subprocess.run([*line.split(), "--dry-run"], cwd=ROOT, check=True, capture_output=True)
