"""Setting up: Debian packages only where it may, clear words where it may not, one lock for all."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "scripts/debian-packages"


@pytest.fixture
def machine(tmp_path: Path):
    """A machine whose commands are the given ones; gives exit code, output, and what was installed."""
    folder = tmp_path / "bin"
    folder.mkdir()
    done = tmp_path / "installed"

    def run(*packages: str, **commands: str) -> tuple[int, str, str]:
        for name, body in commands.items():
            file = folder / name.replace("_", "-")
            file.write_text(f"#!{shutil.which('sh')}\n{body.replace('INSTALLED', str(done))}\n")
            file.chmod(0o755)
        result = subprocess.run(
            [shutil.which("sh") or "sh", SCRIPT, *packages],
            env={"PATH": str(folder)},
            capture_output=True,
            text=True,
        )
        asked = done.read_text() if done.exists() else ""
        return result.returncode, result.stdout + result.stderr, asked

    return run


def make(*arguments: str) -> str:
    """What make prints when a person runs it; these tests may run under another make."""
    outer = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES")
    environment = {key: value for key, value in os.environ.items() if key not in outer}
    command = ["make", "--no-print-directory", *arguments]
    return subprocess.check_output(command, cwd=ROOT, text=True, env=environment)


NOTHING_THERE = "exit 1"
ALL_THERE = "echo install ok installed"
RECORDS = 'printf "%s\\n" "$*" >> INSTALLED'


def test_nothing_is_done_when_everything_is_there(machine) -> None:
    code, told, asked = machine("php-cli", dpkg_query=ALL_THERE, apt_get=RECORDS)
    assert (code, told, asked) == (0, "", "")


def test_root_installs_what_is_missing_and_nothing_else(machine) -> None:
    partly = 'case "$3" in php-cli) echo install ok installed;; *) exit 1;; esac'
    code, _, asked = machine("php-cli", "curl", dpkg_query=partly, id="echo 0", apt_get=RECORDS)
    assert code == 0
    assert asked.split()[-1] == "curl"
    assert "php-cli" not in asked


def test_an_account_with_sudo_uses_it(machine) -> None:
    code, _, asked = machine(
        "curl", dpkg_query=NOTHING_THERE, id="echo 1000", sudo=RECORDS, apt_get="exit 9"
    )
    assert code == 0
    assert "-n apt-get install" in asked


def test_an_account_that_may_not_is_given_the_command(machine) -> None:
    code, told, asked = machine(
        "curl", "php-cli", dpkg_query=NOTHING_THERE, id="echo 1000", sudo="exit 1", apt_get=RECORDS
    )
    assert code == 1
    assert "sudo apt-get install --no-install-recommends curl php-cli" in told
    assert asked == ""


def test_another_system_is_given_the_names(machine) -> None:
    code, told, _ = machine("libgomp1", dpkg_query=NOTHING_THERE)
    assert code == 1
    assert "libgomp1" in told and "equivalents" in told


def test_a_half_removed_package_counts_as_missing(machine) -> None:
    left = "echo deinstall ok config-files"
    code, _, asked = machine("curl", dpkg_query=left, id="echo 0", apt_get=RECORDS)
    assert code == 0
    assert "curl" in asked


def test_the_packages_for_the_tests_are_named_for_people_too() -> None:
    wanted = re.search(r"^FOR_TESTS := (.*?[^\\])$", (ROOT / "Makefile").read_text(), re.M | re.S)
    assert wanted is not None
    names = set(wanted[1].replace("\\", " ").split())
    told = set(re.findall(r"[a-z0-9-]+", (ROOT / "CONTRIBUTING.md").read_text()))
    assert names <= told


def test_ci_calls_make_test_and_turns_skips_into_failures() -> None:
    text = (ROOT / ".ci/run").read_text()
    assert "CI=true exec make test" in text
    assert os.access(ROOT / ".ci/run", os.X_OK)


def test_make_without_a_target_names_the_targets() -> None:
    told = make()
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M)
    unnamed = {"help", "packages", "clean"}
    assert [t for t in set(targets) - unnamed if f"make {t}" not in told] == []


def test_make_test_says_what_it_installs_before_it_installs_it() -> None:
    planned = make("--dry-run", "packages")
    announced, _, installed = planned.partition("scripts/debian-packages")
    assert installed
    for package in installed.split():
        assert package in announced
    assert "MediaWiki" in announced
