"""The demo wiki, fetched, learned and searched once for all tests that want a filled database."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mediawiki.code_tree import only_one


def clean_environment() -> dict[str, str]:
    """What a newcomer's shell has: no settings of ours, and `wikibot` of this Python."""
    kept = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
    return {**kept, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def run_line(line: str, folder: Path) -> str:
    """What a shell line prints; it must succeed without a traceback."""
    done = subprocess.run(
        ["sh", "-c", line], cwd=folder, env=clean_environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, f"{line}: {done.stdout[-500:]}{done.stderr}"
    assert "Traceback" not in done.stderr
    return done.stdout


def children_s() -> float:
    """Processor time of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.fixture(scope="session")
def demo_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the demo has run, into the database that every other command opens.

    Its output is in `demo.txt`, the processor time it took in `seconds.txt`.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    folder = shared / "demo-template"
    with only_one(shared / "demo-template.lock"):
        if not (folder / "demo.txt").exists():
            folder.mkdir(exist_ok=True)
            before = children_s()
            told = run_line("wikibot demo --headless --db wikibot.db", folder)
            (folder / "seconds.txt").write_text(str(children_s() - before))
            (folder / "demo.txt").write_text(told, encoding="utf-8")
    return folder


@pytest.fixture
def demo_folder(demo_template: Path, tmp_path: Path) -> Path:
    """A copy of that folder for this test alone."""
    return Path(shutil.copytree(demo_template, tmp_path / "demo"))
