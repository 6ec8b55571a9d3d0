"""README and tutorial, followed to the letter in one folder with somebody's own wiki, work."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.demo.fixtures import clean_environment, run_line
from tests.own_wiki import write_own_export

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
TUTORIAL = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
NOT_RUN = "<!-- not run: needs the network -->\n"
SERVES = {"wikibot review"}
MOST_LINES = 100

slow = pytest.mark.slow


def blocks(page: str) -> list[tuple[bool, list[str]]]:
    """(whether it is run here, its lines) of every shell block."""
    found = re.finditer(rf"({re.escape(NOT_RUN)})?```sh\n(.*?)```", page, re.S)
    return [(block[1] is None, block[2].splitlines()) for block in found]


def lines_to_run(page: str) -> list[str]:
    """The lines of all blocks that need no network, but for those of `make`."""
    lines = [line for is_run, block in blocks(page) if is_run for line in block]
    return [line for line in lines if not line.startswith("make ")]


def walk(page: str, folder: Path) -> dict[str, str]:
    """What each line of the page prints when it is run in the folder, in the page's order."""
    return {
        line: serve_once(line, folder) if line in SERVES else run_line(line, folder)
        for line in lines_to_run(page)
    }


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
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which somebody has tried the demo, and has put an export of their own wiki."""
    made = tmp_path_factory.mktemp("own")
    run_line("wikibot demo --headless", made)
    write_own_export(made / "dump.xml.bz2")
    return made


@pytest.fixture(scope="module")
def told(folder: Path) -> dict[str, str]:
    """What the README's commands print in that folder."""
    return walk(README, folder)


@slow
@pytest.mark.timeout(900)
def test_the_readme_works_in_one_folder_after_the_demo(told: dict[str, str], folder: Path) -> None:
    assert told["wikibot review"].startswith("http://127.0.0.1:")
    proposed = run_line("wikibot diff --pending", folder)
    assert len(re.findall(r"^\+(?!\+\+).*\[\[", proposed, re.M)) >= 3
    assert "Semiconductor.wiki" not in proposed
    assert {file.name for file in folder.glob("*.db")} == {"wikibot-demo.db", "wikibot.db"}


@slow
@pytest.mark.timeout(900)
def test_research_on_ones_own_wiki_gives_figures(told: dict[str, str]) -> None:
    figures = json.loads(next(text for line, text in told.items() if line.startswith("crtm")))
    assert figures["models"]["crtm"]["p_at_1"]


@slow
@pytest.mark.timeout(900)
def test_the_tutorial_leads_to_approved_links(told: dict[str, str], folder: Path) -> None:
    before, _, after = TUTORIAL.partition("## 4.")
    walk(before, folder)
    waiting = json.loads(run_line("wikibot queue --json --limit 5", folder))
    for line in waiting:
        run_line(f"wikibot decide {line['id']} approve", folder)
    said = walk(after, folder)
    shown = said["wikibot diff --approved"]
    old, new = ("".join(re.findall(rf"^[{sign}](?![{sign}]{{2}}).*", shown, re.M)) for sign in "-+")
    assert new.count("[[") - old.count("[[") == 5
    assert all(line["target"] in (folder / "links.html").read_text() for line in waiting)


@slow
def test_the_proposal_that_is_quoted_is_one_that_the_demo_makes(demo_folder: Path) -> None:
    quoted = re.search(r"```diff\n(.+?) → (.+?)  \((\d+)%\).*\n(-.*\n\+.*\n)```", README)
    assert quoted is not None
    page, target, percent, change = quoted.groups()
    assert change in run_line(f'wikibot diff --pending --page "{page}"', demo_folder)
    line = f'wikibot queue --page "{page}" --target "{target}" --json'
    (proposal,) = json.loads(run_line(line, demo_folder))
    assert abs(100 * proposal["probability"] - int(percent)) < 10


@slow
def test_the_demo_prints_ten_proposals_with_reasons_and_a_diff(demo_folder: Path) -> None:
    told = (demo_folder / "demo.txt").read_text(encoding="utf-8")
    assert len(re.findall(r"^ *\d+\. ", told, re.M)) == 10
    assert len(re.findall(r"^\+(?!\+\+).*\[\[", told, re.M)) >= 3
    assert not re.search(r"^\+(?!\+\+)(?!.*\[\[)", told, re.M)


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= MOST_LINES


def test_the_first_command_on_ones_own_wiki_needs_no_account() -> None:
    own = [block for _, block in blocks(README) if block[0].startswith("wikibot fetch")]
    assert "--url" in own[0][0] and "--user" not in own[0][0]
    assert not any("init" in line for line in own[0])


def test_only_blocks_that_need_the_network_are_not_run() -> None:
    for page in (README, TUTORIAL):
        needs = ("--url", "wikibot run", "wikibot publish", "wikibot log")
        blocks_skipped = [block for is_run, block in blocks(page) if not is_run]
        assert blocks_skipped
        assert all(
            any(sign in line for line in block for sign in needs) for block in blocks_skipped
        )


def test_the_two_commands_are_targets_of_make() -> None:
    two = blocks(README)[0][1]
    assert two == ["make demo", "make test"]
    for line in two:
        subprocess.run([*line.split(), "--dry-run"], cwd=ROOT, check=True, capture_output=True)
