"""The documentation keeps up with the program: commands, settings, errors, links, pictures."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from wikibot import errors
from wikibot.cli import cli
from wikibot.settings import SETTINGS

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
TOP = click.Context(cli, info_name="wikibot")
COMMANDS = cli.list_commands(TOP)


def command_called(name: str) -> click.Command:
    found = cli.get_command(TOP, name)
    assert found is not None
    return found


def examples(name: str) -> list[str]:
    """The lines below `Example:` in a command's help."""
    told = (command_called(name).help or "").partition("Example:")[2].replace("\\\n", " ")
    return [line.strip() for line in told.splitlines() if line.strip()]


def calls(line: str) -> list[list[str]]:
    """Every `wikibot ...` of a shell line, as arguments."""
    parts = re.split(r"&&|\|\||[|;]", line)
    words = [shlex.split(part.partition("  #")[0].partition(" > ")[0]) for part in parts]
    stripped = [[w for w in each if not re.match(r"[A-Z_]+=", w)] for each in words]
    return [each[1:] for each in stripped if each[:1] == ["wikibot"]]


def commands_in_pages() -> list[tuple[str, str]]:
    """Every line of README and docs that calls the program."""
    found = []
    for page in PAGES:
        if page.name not in {"commands.md", "CHANGELOG.md"}:
            fenced = re.findall(r"```sh\n(.*?)```", page.read_text(), re.S)
            indented = re.findall(r"^ {4,}(wikibot .*)$", page.read_text(), re.M)
            lines = [line for block in fenced for line in block.splitlines()] + indented
            found += [(str(page.relative_to(ROOT)), line) for line in lines if calls(line)]
    return found


def parse(arguments: list[str]) -> None:
    """Refuses arguments that the program would refuse; runs nothing."""
    name, *rest = arguments
    assert name in COMMANDS, f"there is no command {name}"
    if not {"--help", "-h"} & set(rest):
        command_called(name).make_context(name, rest, parent=TOP)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented(name: str) -> None:
    told = "".join(page.read_text() for page in PAGES if page.name != "commands.md")
    assert re.search(rf"wikibot {name}\b", told), f"no page speaks of `wikibot {name}`"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_in_the_help_are_valid_calls(name: str) -> None:
    shown = [call for line in examples(name) for call in calls(line)]
    assert any(call[0] == name for call in shown)
    for call in shown:
        parse(call)


@pytest.mark.parametrize(("page", "line"), commands_in_pages())
def test_the_commands_in_the_pages_are_valid_calls(page: str, line: str) -> None:
    for call in calls(line):
        parse([word for word in call if word != "…"])


def test_the_generated_pages_are_up_to_date() -> None:
    script = [sys.executable, "scripts/reference.py", "--check"]
    done = subprocess.run(script, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", [setting.name for setting in SETTINGS])
def test_every_setting_is_read_somewhere(name: str) -> None:
    sources = [f for f in (ROOT / "wikibot").rglob("*.py") if f.name != "config.py"]
    reading = re.compile(rf"""(?:text|whole|number|is_on)\(\s*["']{name}["']|\[["']{name}["']\]""")
    assert any(reading.search(file.read_text()) for file in sources)


def test_every_setting_is_documented() -> None:
    told = (DOCS / "configuration.md").read_text()
    assert [s.key for s in SETTINGS if f"`{s.key}`" not in told] == []


def error_classes() -> list[str]:
    return [name for name, kind in vars(errors).items() if isinstance(kind, type)]


@pytest.mark.parametrize("name", error_classes())
def test_every_error_is_explained_with_its_exit_code(name: str) -> None:
    told = (DOCS / "troubleshooting.md").read_text()
    row = re.search(rf"^\| `{name}` \| (\d) \|", told, re.M)
    assert row, f"{name} is not in docs/troubleshooting.md"
    assert int(row[1]) == getattr(errors, name).exit_code


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_pictures_of_a_page_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.S)
    targets = re.findall(r"(?<!\[)\[[^\[\]]*\]\(([^)\s]+)\)", text)
    local = [t.partition("#")[0] for t in targets if "://" not in t and not t.startswith("#")]
    assert [t for t in local if not (page.parent / t).exists()] == []


def test_the_index_names_every_page() -> None:
    told = (DOCS / "index.md").read_text()
    pages = [page.name for page in DOCS.glob("*.md") if page.name != "index.md"]
    assert [name for name in pages if f"({name})" not in told] == []


def test_every_decision_has_its_own_number() -> None:
    numbers = [page.name[:4] for page in (DOCS / "decisions").glob("*.md")]
    assert all(number.isdigit() for number in numbers)
    assert len(set(numbers)) == len(numbers)


def test_pictures_are_small_and_used() -> None:
    told = "".join(page.read_text() for page in PAGES)
    for picture in (DOCS / "pictures").iterdir():
        assert picture.name in told, f"{picture.name} is on no page"
        most = 1_000_000 if picture.suffix == ".gif" else 300_000
        assert picture.stat().st_size < most, f"{picture.name} is too large"
