"""The runbook of docs/hosting.md, line by line, in a clean folder with a real wiki and PostgreSQL.

What only a whole server has (accounts, packages, nginx) is left out; the wiki's address, the
database's and the port are put in the place of those of the example.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fetch.exports import write_export
from tests.linker.rivers import RIVERS
from tests.mediawiki import Wiki
from tests.mediawiki.wiki import free_port
from tests.store.postgres import postgres_server
from tests.waiting import wait_until

pytestmark = [pytest.mark.wiki, pytest.mark.postgres]

ROOT = Path(__file__).parents[2]
RUNBOOK = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8").partition("## Toolforge")[0]
CATEGORY = "\n\n[[Category:Rivers of Europe]]"
EXAMPLE_WIKI = "https://wiki.example.org/w/api.php"
EXAMPLE_DATABASE = "postgresql+psycopg:///wikibot"
EXAMPLE_PORT = "127.0.0.1:8127"
WAIT_S = 300


@dataclass(frozen=True, slots=True)
class Server:
    """A clean folder, and what the example's addresses are here."""

    folder: Path
    here: dict[str, str]

    def localised(self, text: str) -> str:
        for example, real in self.here.items():
            text = text.replace(example, real)
        return text

    @property
    def environ(self) -> dict[str, str]:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        return {"PATH": path, "HOME": str(self.folder), "LANG": "C.UTF-8"}

    def run(self, line: str) -> str:
        """What a line of the runbook prints; it must succeed."""
        done = subprocess.run(
            ["sh", "-c", self.localised(line)],
            cwd=self.folder, env=self.environ, capture_output=True, text=True, timeout=WAIT_S,
        )  # fmt: skip
        assert done.returncode == 0, f"{line}: {done.stderr}"
        return done.stdout


@pytest.fixture(scope="module")
def server(wiki_template: Wiki, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("clean")
    pages = {title: f"{text}{CATEGORY}" for title, text in RIVERS.items()}
    wiki = wiki_template.copy_to(tmp_path_factory.mktemp("wiki") / "wiki")
    wiki.import_export(write_export(wiki.folder / "tmp" / "rivers.xml", pages))
    with wiki, postgres_server() as database:
        here = {
            EXAMPLE_WIKI: wiki.api,
            EXAMPLE_DATABASE: database.new_database(),
            EXAMPLE_PORT: f"127.0.0.1:{free_port()}",
        }
        yield Server(folder, here)


def block_with(words: str) -> str:
    """The indented block of the runbook that holds these words."""
    blocks = re.findall(r"(?:^ {4}.*\n)+", RUNBOOK, re.MULTILINE)
    (found,) = [block for block in blocks if words in block]
    return re.sub(r"^ {4}", "", found, flags=re.MULTILINE)


def test_the_runbook_brings_up_a_service(server: Server) -> None:
    (server.folder / "wikibot.cfg").write_text(server.localised(block_with("[store]")))
    secret = server.folder / "oauth.secret"
    secret.write_text("the secret of the client\n")
    secret.chmod(0o600)
    (steps,) = re.findall(r"```sh\n(.*?)```", RUNBOOK, re.DOTALL)
    told = {line: server.run(line) for line in steps.splitlines()}
    assert list(told)[-1] == "wikibot serve --check"
    assert "https://links.example.org/login/return" in told["wikibot serve --check"]
    unit = (ROOT / "systemd" / "wikibot.service").read_text()
    (start,) = re.findall(r"^ExecStart=\S+/(wikibot .*)$", unit, re.MULTILINE)
    asked = block_with("curl").splitlines()[-1]
    command = f"exec {start} --listen {EXAMPLE_PORT}"
    process = subprocess.Popen(
        ["sh", "-c", server.localised(command)], cwd=server.folder, env=server.environ
    )
    try:
        wait_until(lambda: answers(server, asked), within_s=WAIT_S, what="an answer")
        assert server.run(asked) == "ok"
    finally:
        process.terminate()
        assert process.wait(WAIT_S) == 0


def answers(server: Server, line: str) -> bool:
    command = ["sh", "-c", server.localised(f"{line} --silent --fail")]
    return subprocess.run(command, capture_output=True, env=server.environ).returncode == 0


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_understands_the_units(tmp_path: Path) -> None:
    program = str(Path(sys.executable).with_name("wikibot"))
    copies = []
    for unit in sorted((ROOT / "systemd").iterdir()):
        copy = tmp_path / unit.name
        text = unit.read_text().replace("/srv/wikibot/venv/bin/wikibot", program)
        copy.write_text(text.replace("User=wikibot", f"User={os.environ.get('USER', 'root')}"))
        copies.append(str(copy))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *copies], capture_output=True, text=True
    )
    ours = [line for line in done.stderr.splitlines() if "wikibot" in line]
    assert ours == [], done.stderr
