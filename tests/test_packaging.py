"""What is installed: every package, every data file, nothing that names the machine it was made on."""

from __future__ import annotations

import configparser
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TRACKED = ("wikibot", "crtm", "migrations")


@pytest.fixture(scope="module")
def setup() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    return parser


def packages_in_the_tree() -> set[str]:
    found = set()
    for top in TRACKED:
        for file in (ROOT / top).rglob("__init__.py"):
            name = ".".join(file.parent.relative_to(ROOT).parts)
            found.add(f"wikibot.{name}" if top == "migrations" else name)
    return found


def tracked_files() -> list[str]:
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("not a git checkout")
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


def test_every_package_of_the_tree_is_installed(setup: configparser.ConfigParser) -> None:
    assert set(setup["options"]["packages"].split()) == packages_in_the_tree()


def test_every_requirement_has_a_lower_bound(setup: configparser.ConfigParser) -> None:
    extras = setup["options.extras_require"].values()
    lines = [setup["options"]["install_requires"], *extras]
    wanted = [line for text in lines for line in text.split("\n") if line]
    assert wanted
    assert [line for line in wanted if ">=" not in line] == []


def test_the_lock_pins_every_requirement(setup: configparser.ConfigParser) -> None:
    pinned = re.findall(r"^([a-z0-9-]+)==\S+", (ROOT / "requirements.lock").read_text(), re.M)
    named = setup["options"]["install_requires"] + setup["options.extras_require"]["dev"]
    wanted = {re.split(r"[>\[]", line)[0].lower() for line in named.split("\n") if line}
    assert wanted <= set(pinned)


def test_the_lock_names_no_host_and_no_folder() -> None:
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    assert [line for line in lines if "://" in line or "@" in line or line.startswith("-")] == []


def test_no_tracked_file_names_the_machine_it_was_made_on() -> None:
    folders = re.compile(rb"/(?:work|root|home/[a-z]+|opt/mw)/")
    texts = {name: (ROOT / name).read_bytes() for name in tracked_files()}
    assert [name for name, text in texts.items() if folders.search(text)] == []


def test_the_version_of_the_package_is_that_of_the_program(
    setup: configparser.ConfigParser,
) -> None:
    from wikibot import __version__

    assert setup["metadata"]["version"] == __version__
    assert (ROOT / "LICENSE").read_text().startswith("MIT License")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the tracked files."""
    source = tmp_path_factory.mktemp("source")
    for name in tracked_files():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes((ROOT / name).read_bytes())
    target = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", target, source], check=True, capture_output=True)
    return next(target.glob("*.whl"))


@pytest.mark.slow
def test_the_wheel_holds_everything_the_program_reads(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        name.replace("migrations/", "wikibot/migrations/", 1)
        if name.startswith("migrations/")
        else name
        for name in tracked_files()
        if name.startswith(tuple(f"{top}/" for top in TRACKED)) and not name.endswith(".po")
    }
    assert sorted(wanted - inside) == []


@pytest.mark.slow
def test_the_demo_runs_from_the_wheel_in_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    site, empty = tmp_path / "site", tmp_path / "empty"
    zipfile.ZipFile(wheel).extractall(site)
    empty.mkdir()
    environ = {**os.environ, "PYTHONPATH": str(site)}
    script = "import wikibot; print(wikibot.__file__)"
    where = subprocess.check_output(
        [sys.executable, "-c", script], cwd=empty, env=environ, text=True
    )
    assert where.startswith(str(site))
    done = subprocess.run(
        [sys.executable, "-m", "wikibot", "demo", "--headless"],
        cwd=empty,
        env=environ,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"^\+.*\[\[", done.stdout, re.M)) >= 3
