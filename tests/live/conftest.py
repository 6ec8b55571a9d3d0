"""A real wiki of rivers, fetched and learned from, once per module."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fetch.exports import write_export
from tests.linker.rivers import RIVERS
from tests.mediawiki import ADMIN, HUMAN, Person, Wiki
from wikibot.store import Store, open_store

WAIT_S = 120
# Thirty pages teach little: everything that the rules allow is proposed.
EVERYTHING = {
    "WIKIBOT_MIN_PROBABILITY": "0",
    "WIKIBOT_MIN_PROBABILITY_LINKED": "0",
    "WIKIBOT_WORDS_PER_LINK": "1",
}


@dataclass(frozen=True)
class Followed:
    """A running wiki, the database that was filled from it, and who edits it."""

    wiki: Wiki
    folder: Path
    admin: Person
    human: Person

    @property
    def database(self) -> Path:
        return self.folder / "w.db"

    @property
    def environ(self) -> dict[str, str]:
        home = {"PYWIKIBOT_DIR": str(self.folder / "pywikibot")}
        return {**os.environ, **EVERYTHING, **home, "WIKIBOT_DB": str(self.database)}

    def run(self, *words: str) -> str:
        """What a command prints; it must succeed."""
        done = subprocess.run(
            [sys.executable, "-m", "wikibot", *words],
            capture_output=True, text=True, env=self.environ, cwd=self.folder, timeout=WAIT_S * 2,
        )  # fmt: skip
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout

    def store(self) -> Store:
        return open_store(self.database)

    @contextmanager
    def serving(self, **settings: str) -> Iterator[str]:
        """The address of `wikibot serve --api-only` on this database."""
        process = subprocess.Popen(
            [sys.executable, "-m", "wikibot", "serve", "--api-only", "--workers", "1"],
            stdout=subprocess.PIPE, text=True, env={**self.environ, **settings}, cwd=self.folder,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            printed = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
            assert printed, "it prints its address"
            yield printed[0]
        finally:
            process.terminate()
            process.wait(WAIT_S)


@pytest.fixture(scope="module")
def followed(wiki_template: Wiki, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Followed]:
    folder = tmp_path_factory.mktemp("followed")
    pages = {title: f"{text}\n\n[[Category:Rivers]]" for title, text in RIVERS.items()}
    with wiki_template.copy_to(folder / "wiki") as wiki:
        wiki.extra("$wgAllowUserJs = true;")
        wiki.import_export(write_export(folder / "rivers.xml", pages))
        wiki.pywikibot_folder(folder / "pywikibot")
        found = Followed(wiki, folder, wiki.person(ADMIN), wiki.person(HUMAN))
        found.run("fetch", "Rivers", "--url", wiki.api)
        found.run("train")
        yield found
