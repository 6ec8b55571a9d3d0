"""What is installed: every package, every data file, nothing that names the machine it was made on."""

from __future__ import annotations

import configparser
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from functools import partial
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TRACKED = ("wikibot", "crtm", "migrations")
# pywikibot logs in by OAuth where this is installed; it does not require it.
ASKED_FOR_BY_PYWIKIBOT = {"requests_oauthlib"}


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
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("not a git checkout")
    return [name for name in done.stdout.split("\0") if (ROOT / name).is_file()]


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


def test_the_metadata_says_who_made_it_where_it_lives_and_what_it_is_for(
    setup: configparser.ConfigParser,
) -> None:
    metadata = setup["metadata"]
    for name in ("author", "url", "description", "keywords", "license", "long_description"):
        assert metadata[name].strip(), name
    named = {line.split(" = ")[0] for line in metadata["project_urls"].split("\n") if line}
    assert {"Documentation", "Changelog", "Issues"} <= named
    kinds = {line.split(" :: ")[0] for line in metadata["classifiers"].split("\n") if line}
    wanted = {"Development Status", "Intended Audience", "Operating System", "Topic", "Typing"}
    assert wanted <= kinds


def test_pictures_in_the_readme_are_found_from_a_package_page_too(
    setup: configparser.ConfigParser,
) -> None:
    base = setup["metadata"]["url"].replace("github.com", "raw.githubusercontent.com") + "/main/"
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", (ROOT / "README.md").read_text())
    assert pictures
    for address in pictures:
        assert address.startswith(base), address
        assert (ROOT / address.removeprefix(base)).is_file(), address


def test_the_repository_has_one_address(setup: configparser.ConfigParser) -> None:
    """To move it, change the metadata: this test then names the other places."""
    own = setup["metadata"]["url"].removeprefix("https://github.com/")
    texts = [name for name in tracked_files() if name.endswith((".md", ".cfg", ".py", ".html"))]
    named = re.compile(r"github(?:usercontent)?\.com/([\w-]+/wikibot[\w-]*)")
    elsewhere = {
        name: found
        for name in texts
        if (found := set(named.findall((ROOT / name).read_text("utf-8"))) - {own})
    }
    assert elsewhere == {}


def test_what_nobody_imports_is_not_required() -> None:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    lines = [line for line in parser["options"]["install_requires"].split("\n") if line]
    modules = {line.split(">")[0].replace("-", "_") for line in lines}
    texts = [file.read_text() for top in TRACKED for file in (ROOT / top).rglob("*.py")]
    unused = {
        name
        for name in modules
        if not any(re.search(rf"^\s*(?:import|from) {name}\b", text, re.M) for text in texts)
    }
    assert unused == ASKED_FOR_BY_PYWIKIBOT
    assert "matplotlib" in parser["options.extras_require"]["plots"]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tracked files."""
    folder = tmp_path_factory.mktemp("source")
    for name in tracked_files():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes((ROOT / name).read_bytes())
    return folder


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from that copy."""
    target = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", target, source], check=True, capture_output=True)
    return next(target.glob("*.whl"))


@pytest.mark.slow
def test_the_source_package_holds_every_tracked_file(source: Path, tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", tmp_path]
    subprocess.run([*build, source], check=True, capture_output=True)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert sorted(set(tracked_files()) - inside) == []


@pytest.mark.slow
def test_the_wheel_holds_everything_the_program_reads(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        name.replace("migrations/", "wikibot/migrations/", 1)
        if name.startswith("migrations/")
        else name
        for name in tracked_files()
        if name.startswith(tuple(f"{top}/" for top in TRACKED))
    }
    assert sorted(wanted - inside) == []
    assert {"wikibot/py.typed", "crtm/py.typed"} <= inside


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_demo_runs_from_a_wheel_that_was_installed_alone(wheel: Path, tmp_path: Path) -> None:
    """As `pipx install` does it: a fresh environment with what the wheel asks for and no more."""
    fresh, empty = tmp_path / "venv", tmp_path / "empty"
    empty.mkdir()
    subprocess.run([sys.executable, "-m", "venv", fresh], check=True)
    pip = [fresh / "bin/pip", "install", "--quiet", "--constraint", ROOT / "requirements.lock"]
    subprocess.run([*pip, wheel], check=True, capture_output=True)
    environ = {name: os.environ[name] for name in ("HOME", "PATH", "LANG") if name in os.environ}
    run = partial(subprocess.run, cwd=empty, env=environ, capture_output=True, text=True)
    done = run([fresh / "bin/wikibot", "demo", "--headless"])
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"^\+.*\[\[", done.stdout, re.M)) >= 3
    refused = run([fresh / "bin/wikibot", "evaluate", "--db", "wikibot-demo.db", "--plot", "p.png"])
    assert refused.returncode == 1
    assert "wikibot-links[plots]" in refused.stderr and "Traceback" not in refused.stderr
