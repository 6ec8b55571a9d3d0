"""A category of a real wiki in the database: the same as from the wiki's own export."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cut_line import CutLine
from tests.fetch.database import content, link_ends, titles
from tests.fetch.exports import PAGES, write_export
from tests.mediawiki import ADMIN, BOT, Person, Wiki

pytestmark = pytest.mark.wiki

RIVERS = {
    **PAGES,
    **{
        f"Brook {n}": f"'''Brook {n}''' is a [[river|stream]] that joins [[Brook {n // 2}]] and "
        f"passes [[the ford]]s. It is [[old Severn|long]].\n\n[[Category:Brooks]]"
        for n in range(70)
    },
    "The ford": "A place to cross a [[river]].",
    "Ford": "#REDIRECT [[The ford#Places]]",
    "Brook": "'''Brook''' may mean [[Brook 1]] or [[Brook 2]].\n{{disambig}}\n[[Category:Brooks]]",
    "Quiet brook": "{{nobots}} A [[river]] left alone. [[Category:Brooks]]",
    "Élan": "A river in مصر and 日本 and 𝔘: [[Severn]]. [[Category:Brooks]]",
    "Category:Brooks": "Small ones. [[Category:Rivers]]",
}
SMALL = {"WIKIBOT_GROUP_SIZE": "10"}  # many groups, so that a fetch has many steps
Fetch = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def stocked(wiki_template: Wiki, tmp_path_factory: pytest.TempPathFactory) -> Wiki:
    """A wiki with rivers, not running, to copy from; `dump.xml` beside it is its own export."""
    folder = tmp_path_factory.mktemp("stocked")
    wiki = wiki_template.copy_to(folder / "wiki")
    wiki.import_export(write_export(folder / "rivers.xml", RIVERS))
    wiki.maintenance("dumpBackup", "--current", f"--output=file:{folder / 'dump.xml'}")
    return wiki


@pytest.fixture(scope="module")
def whole(stocked: Wiki, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database after a fetch of the brooks that nothing disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    with stocked.copy_to(folder / "wiki") as copy:
        report(fetcher(copy, folder)("Brooks", "--url", copy.api, **SMALL))
    return folder / "wiki.db"


@pytest.fixture
def rivers(stocked: Wiki, tmp_path: Path) -> Iterator[Wiki]:
    with stocked.copy_to(tmp_path / "wiki") as copy:
        yield copy


@pytest.fixture
def admin(rivers: Wiki) -> Person:
    return rivers.person(ADMIN)


@pytest.fixture
def fetch(rivers: Wiki, tmp_path: Path) -> Fetch:
    return fetcher(rivers, tmp_path)


def fetcher(wiki: Wiki, tmp_path: Path) -> Fetch:
    """Runs `wikibot fetch`; `wait=False` gives the running process."""
    folder = wiki.pywikibot_folder(tmp_path / "pywikibot")

    def run(*words: str, db: str = "wiki.db", wait: bool = True, **settings: str) -> Any:
        process = subprocess.Popen(
            [sys.executable, "-m", "wikibot", "fetch", *words, "--db", tmp_path / db, "--json"],
            cwd=tmp_path,
            env={**os.environ, "PYWIKIBOT_DIR": str(folder), **settings},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Tests that run in a shell's background would pass on that they ignore Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        if not wait:
            return process
        out, errors = process.communicate(timeout=120)
        return subprocess.CompletedProcess(words, process.returncode, out, errors)

    return run


def report(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def fetched(db: Path) -> dict[str, list[Any]]:
    """What does not depend on where the pages came from."""
    found = content(db)
    del found["wikis"]
    found["pages"] = [row[:-1] for row in found["pages"]]  # the reader's mark is the rules' hash
    return found


def test_a_live_fetch_equals_reading_the_wikis_own_export(
    fetch: Fetch, stocked: Wiki, tmp_path: Path
) -> None:
    live = report(fetch("Rivers", "--depth", "2"))
    dump = stocked.folder.parent / "dump.xml"
    words = ("--export", str(dump), "--category", "Rivers", "--depth", "2")
    read = report(fetch(*words, db="export.db"))
    assert live["pages"] == read["pages"] == 75
    assert live["redirects"] == read["redirects"] == 2
    assert live["disambiguations"] == live["excluded"] == 1
    assert live["links_within_set"] == read["links_within_set"] > 200
    assert fetched(tmp_path / "wiki.db") == fetched(tmp_path / "export.db")


def test_pages_that_did_not_change_are_not_fetched_again(fetch: Fetch, tmp_path: Path) -> None:
    first = report(fetch("Brooks"))
    before = content(tmp_path / "wiki.db")
    again = report(fetch("Brooks"))
    assert (again["read"], again["unchanged"]) == (0, first["read"])
    assert content(tmp_path / "wiki.db") == before


def test_only_the_changed_page_is_fetched_again(
    fetch: Fetch, admin: Person, tmp_path: Path
) -> None:
    report(fetch("Brooks"))
    revision = admin.write("Brook 7", "Only [[Brook 8]] now. [[Category:Brooks]]")
    again = report(fetch("Brooks"))
    assert again["read"] == 1
    ends = {end for end in link_ends(tmp_path / "wiki.db") if end[0] == "Brook 7"}
    assert ends == {("Brook 7", "Brook 8", "Brook 8")}
    assert titles(tmp_path / "wiki.db", f"revision_id = {revision}") == ["Brook 7"]


def test_deleted_moved_and_removed_pages_leave_the_set(
    fetch: Fetch, admin: Person, tmp_path: Path
) -> None:
    db = tmp_path / "wiki.db"
    report(fetch("Brooks"))
    admin.do("delete", title="Brook 3")
    admin.do("move", **{"from": "Brook 4", "to": "Beck 4"})
    admin.write("Brook 5", "No longer a brook.")
    again = report(fetch("Brooks"))
    assert again["deleted"] == ["Brook 3"]
    assert again["left_the_set"] == ["Brook 5"]
    assert "Brook 3" not in titles(db, "1")
    assert "Beck 4" in titles(db)
    assert titles(db, "redirect_to = 'Beck 4'") == ["Brook 4"]
    assert ("Brook 8", "Brook 4", "Beck 4") in link_ends(db)
    assert ("Brook 6", "Brook 3", None) in link_ends(db)
    with sqlite3.connect(db) as database:
        assert database.execute("SELECT in_set FROM pages WHERE title = 'Brook 5'").fetchone() == (
            0,
        )
    database.close()


def test_a_restored_page_comes_back(fetch: Fetch, admin: Person, tmp_path: Path) -> None:
    report(fetch("Brooks"))
    admin.do("delete", title="Brook 3")
    report(fetch("Brooks"))
    admin.do("undelete", title="Brook 3")
    report(fetch("Brooks"))
    assert "Brook 3" in titles(tmp_path / "wiki.db")
    assert ("Brook 6", "Brook 3", "Brook 3") in link_ends(tmp_path / "wiki.db")


def test_a_redirect_that_became_an_article_or_vanished_is_noticed(
    fetch: Fetch, admin: Person, tmp_path: Path
) -> None:
    db = tmp_path / "wiki.db"
    report(fetch("Rivers"))
    assert titles(db, "redirect_to IS NOT NULL") == ["Old Severn", "River Severn"]
    admin.write("Old Severn", "A dry bed.")
    admin.do("delete", title="River Severn")
    report(fetch("Rivers"))
    assert titles(db, "redirect_to IS NOT NULL") == []


def test_depth_follows_subcategories_and_circles_end(fetch: Fetch, tmp_path: Path) -> None:
    assert report(fetch("Category:geography"))["pages"] == 1
    assert report(fetch("geography", "--depth", "5", db="deep.db"))["pages"] == 75


def test_linked_targets_come_through_redirects_but_not_into_the_set(
    fetch: Fetch, tmp_path: Path
) -> None:
    db = tmp_path / "wiki.db"
    found = report(fetch("Brooks", "--targets", "linked"))
    assert titles(db, "NOT in_set AND redirect_to IS NULL") == ["River", "Severn", "The ford"]
    assert found["targets"] == 3
    assert ("Brook 9", "Old Severn", "Severn") in link_ends(db)
    again = report(fetch("Brooks", "--targets", "linked"))
    assert again["read"] == 0


def test_an_unknown_category_is_refused_and_a_near_one_named(fetch: Fetch) -> None:
    done = fetch("Brook")
    assert (done.returncode, done.stdout) == (1, "")
    assert "is in the category 'Brook'. Did you mean 'Brooks'?" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wiki_is_reached_by_its_address_alone(fetch: Fetch, rivers: Wiki) -> None:
    assert report(fetch("Towns", "--url", rivers.api))["pages"] == 1
    assert report(fetch("Towns", "--url", rivers.url))["unchanged"] == 1


def test_a_logged_in_bot_fetches_the_same(fetch: Fetch, tmp_path: Path) -> None:
    report(fetch("Brooks", "--user", BOT.name, db="bot.db"))
    report(fetch("Brooks"))
    assert fetched(tmp_path / "bot.db") == fetched(tmp_path / "wiki.db")


def test_a_wiki_that_does_not_answer_is_told_with_code_3(fetch: Fetch, rivers: Wiki) -> None:
    rivers.stop()
    done = fetch("Brooks", "--url", rivers.api)
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.crash
@pytest.mark.parametrize("answers", [4, 8, 12])
def test_a_lost_connection_is_told_and_the_next_run_goes_on(
    fetch: Fetch, rivers: Wiki, whole: Path, tmp_path: Path, answers: int
) -> None:
    with CutLine(rivers.port, answers) as line:
        done = fetch("Brooks", "--url", line.api, **SMALL)
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    report(fetch("Brooks", "--url", rivers.api, **SMALL))
    assert fetched(tmp_path / "wiki.db") == fetched(whole)


@pytest.mark.crash
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("answers", [5, 11])
def test_a_killed_fetch_goes_on_to_the_same_database(
    fetch: Fetch, rivers: Wiki, whole: Path, tmp_path: Path, answers: int, how: signal.Signals
) -> None:
    victims: list[Any] = []
    with CutLine(rivers.port, answers, lambda: victims[0].send_signal(how)) as line:
        victims.append(fetch("Brooks", "--url", line.api, wait=False, **SMALL))
        _, errors = victims[0].communicate(timeout=200)
    assert victims[0].returncode == (-how if how == signal.SIGKILL else 130)
    assert "Traceback" not in errors
    report(fetch("Brooks", "--url", rivers.api, **SMALL))
    assert fetched(tmp_path / "wiki.db") == fetched(whole)
