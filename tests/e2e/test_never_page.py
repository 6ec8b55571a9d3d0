"""The never-link page of a real wiki: its admins edit it, and the queue follows."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fetch.exports import write_export
from tests.mediawiki import ADMIN, HUMAN, Person, Wiki
from tests.mediawiki.people import ApiError
from wikibot.store import open_store, queue

pytestmark = pytest.mark.wiki

LIGHTS = {
    "Lighthouse": "A '''lighthouse''' is a tower with a lamp. In fog a foghorn sounds, and each "
    "keeper trims the wick of the lamp. [[Category:Lights]]",
    "Foghorn": "A '''foghorn''' is heard where no lighthouse is seen. [[Category:Lights]]",
    "Wick": "A '''wick''' draws oil to the flame of a lamp. [[Category:Lights]]",
    "Lamp": "A '''lamp''' gives light. A wick burns in it. [[Category:Lights]]",
}
NO_LIMITS = {"WIKIBOT_WORDS_PER_LINK": "1", "WIKIBOT_PER_PARAGRAPH": "9"}
PAGE = "Project:Wikibot/Never link"
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def lights(wiki_template: Wiki, tmp_path: Path) -> Iterator[Wiki]:
    wiki = wiki_template.copy_to(tmp_path / "wiki")
    wiki.import_export(write_export(tmp_path / "lights.xml", LIGHTS))
    with wiki:
        yield wiki


@pytest.fixture
def admin(lights: Wiki) -> Person:
    return lights.person(ADMIN)


@pytest.fixture
def run(lights: Wiki, tmp_path: Path) -> Run:
    folder = lights.pywikibot_folder(tmp_path / "pywikibot")

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "wikibot", *words, "--db", tmp_path / "wiki.db", "--json"],
            cwd=tmp_path,
            env={**os.environ, "PYWIKIBOT_DIR": str(folder), **NO_LIMITS},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return done

    return call


def suggest(run: Run) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(run("suggest", "--min-probability", "0").stdout)
    return report


def listed(folder: Path) -> set[tuple[str, str, str]]:
    with sqlite3.connect(folder / "wiki.db") as database:
        found = set(database.execute("SELECT kind, value, source FROM never_links"))
    database.close()
    return found


def waiting(folder: Path) -> set[tuple[str, str]]:
    with open_store(folder / "wiki.db") as store, store.reading() as session:
        return {(x.page, x.target) for x in queue.every_line(session, queue.Filters(1))}


def test_a_fetch_reads_the_page_and_a_later_one_its_changes(
    run: Run, admin: Person, tmp_path: Path
) -> None:
    run("fetch", "Lights")
    assert listed(tmp_path) == set()
    admin.write(PAGE, "Leave these alone:\n* lamp\n* [[wick]]\n* page: [[Foghorn]]\n")
    run("fetch", "Lights")
    assert listed(tmp_path) == {
        ("word", "lamp", "wiki"), ("target", "Wick", "wiki"), ("page", "Foghorn", "wiki"),
    }  # fmt: skip
    admin.do("delete", title=PAGE)
    run("fetch", "Lights")
    assert listed(tmp_path) == set()


def test_suggest_asks_the_wiki_and_the_queue_follows(
    run: Run, admin: Person, tmp_path: Path
) -> None:
    run("fetch", "Lights")
    run("train")
    suggest(run)
    before = waiting(tmp_path)
    assert {("Lighthouse", "Foghorn"), ("Foghorn", "Lighthouse"), ("Lamp", "Wick")} <= before
    admin.write(PAGE, "* FOGHORN <!-- too loud -->\n* [[Wick]]\n")
    assert suggest(run)["new"] == 0
    gone = {("Lighthouse", "Foghorn"), ("Lamp", "Wick"), ("Lighthouse", "Wick")}
    assert waiting(tmp_path) == before - gone
    admin.write(PAGE, "Nothing is listed now.")
    suggest(run)
    assert waiting(tmp_path) == before


def test_where_the_wiki_is_down_the_list_of_the_last_time_holds(
    run: Run, admin: Person, lights: Wiki, tmp_path: Path
) -> None:
    admin.write(PAGE, "* [[Foghorn]]")
    run("fetch", "Lights")
    run("train")
    lights.stop()
    done = run("suggest", "--min-probability", "0")
    assert "could not be read, so the list of the last time is used" in done.stderr
    assert all(target != "Foghorn" for _, target in waiting(tmp_path))


def test_a_protected_page_is_the_admins_alone(lights: Wiki, admin: Person) -> None:
    admin.write(PAGE, "* lamp")
    admin.do("protect", title=PAGE, protections="edit=sysop", expiry="infinite")
    with pytest.raises(ApiError, match="protected"):
        lights.person(HUMAN).write(PAGE, "")


def test_the_page_of_an_export_is_read_too(
    lights: Wiki, admin: Person, run: Run, tmp_path: Path
) -> None:
    admin.write(PAGE, "* lamp")
    dump = tmp_path / "dump.xml"
    lights.maintenance("dumpBackup", "--current", f"--output=file:{dump}")
    run("fetch", "--export", str(dump))
    assert listed(tmp_path) == {("word", "lamp", "wiki")}
