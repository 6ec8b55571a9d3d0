"""The examples in the help of every command, run as they stand where no live wiki is needed."""

from __future__ import annotations

import bz2
import re
import shutil
from pathlib import Path

import pytest

from tests.demo.fixtures import run_line
from tests.test_docs import COMMANDS, examples
from wikibot.demo import build_export

pytestmark = pytest.mark.slow

# Commands that talk to a live wiki, wait for a person, or serve a page; their examples are parsed
# by tests/test_docs.py and their work is tested on a real MediaWiki, a terminal and a browser.
LIVE = {
    "init", "run", "follow", "publish", "collect", "watch", "undo", "settle", "review", "serve",
    "audit", "demo", "ideas",
}  # fmt: skip
DRAFT = "A '''memristor''' is a component whose resistance depends on the electric charge it has seen.\n"


@pytest.fixture(scope="module")
def furnished(demo_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's folder, with the files that examples speak of."""
    folder = Path(shutil.copytree(demo_template, tmp_path_factory.mktemp("furnished") / "demo"))
    export = build_export(folder / "dump.xml")
    (folder / "dump.xml.bz2").write_bytes(bz2.compress(export.read_bytes()))
    (folder / "draft.wiki").write_text(DRAFT, encoding="utf-8")
    (folder / "targets.txt").write_text("Resistor\nElectric charge\n", encoding="utf-8")
    shutil.copy(folder / "wikibot.db", folder / "other.db")
    return folder


@pytest.fixture(scope="module")
def ids(furnished: Path) -> list[str]:
    """The numbers of two proposals."""
    return re.findall(r'"id": (\d+)', run_line("wikibot queue --json --limit 2", furnished))


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in LIVE])
def test_the_examples_of_a_command_work(
    name: str, furnished: Path, ids: list[str], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(furnished, tmp_path / "demo"))
    (folder / "decisions.txt").write_text(f"{ids[0]} approve\n", encoding="utf-8")
    for line in examples(name):
        if not is_live(line):
            run_line(with_ids(line, ids).replace("Rivers of Europe", "Waves"), folder)


def is_live(line: str) -> bool:
    """A category is fetched from a wiki, unless it is one of an export's; crtm is tested by itself."""
    return bool(re.match(r"wikibot fetch (?!--export)|python -m crtm", line))


def with_ids(line: str, ids: list[str]) -> str:
    """The line with proposals that are there in place of the example's 17 and 18."""
    named = {"17": ids[0], "18": ids[1]}
    return re.sub(r"(?<= )(17|18)\b", lambda found: named[found[0]], line)
