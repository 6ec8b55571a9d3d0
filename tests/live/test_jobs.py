"""The service's background work on a real wiki: follow, publish, collect, watch and settings.

The process is the one that `wikibot serve` starts; each job is made to run as an administrator does.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone

import pytest

from tests.linker.rivers import NAMES
from tests.live.conftest import WAIT_S, Followed
from tests.waiting import wait_until
from wikibot.store import jobs, outbox, queue
from wikibot.store.jobs import JobRow
from wikibot.store.pages import page_by_title, wiki_by_name

pytestmark = pytest.mark.wiki

SETTINGS_PAGE = "Project:Link bot.json"
TALK_PAGE = "Project talk:Link bot.json"
TITLE = f"River {NAMES[5]}"
SETTINGS = {
    "WIKIBOT_PUBLISH_TO": "talk, page",
    "WIKIBOT_SETTINGS_PAGE": SETTINGS_PAGE,
    "WIKIBOT_SETTLE_S": "0",
    "WIKIBOT_LONGEST_WAIT_S": "0",
    "WIKIBOT_PAGE_CAP": "50",
    **{f"WIKIBOT_{name}_MINUTES": "1000" for name in ("FOLLOW", "PUBLISH", "COLLECT", "WATCH", "SETTINGS")},
}  # fmt: skip


@contextmanager
def working(followed: Followed) -> Iterator[None]:
    """The process of the jobs runs; each job has run once at some time."""
    command = [sys.executable, "-m", "wikibot", "serve", "--jobs-only"]
    with (followed.folder / "jobs.log").open("ab") as log:
        process = subprocess.Popen(
            command, env=followed.environ | SETTINGS, cwd=followed.folder, stdout=log, stderr=log
        )
    try:
        for name in ("collect", "follow", "publish", "settings", "watch"):
            wait_until(lambda name=name: has_ended(followed, name, 1), within_s=WAIT_S, what=name)
        yield
    finally:
        process.terminate()
        assert process.wait(WAIT_S) == 0


def row_of(followed: Followed, name: str) -> JobRow | None:
    with followed.store() as store, store.reading() as session:
        return next((job for job in jobs.jobs(session) if job.name == name), None)


def has_ended(followed: Followed, name: str, runs: int) -> bool:
    row = row_of(followed, name)
    return row is not None and row.runs >= runs and row.state == "waiting"


def run_now(followed: Followed, name: str) -> JobRow:
    """The job has run once more; how it went."""
    before = row_of(followed, name)
    assert before is not None
    with followed.store() as store, store.writing() as session:
        jobs.make_due(session, name, datetime.now(timezone.utc))
    what = f"another run of {name}"
    wait_until(lambda: has_ended(followed, name, before.runs + 1), within_s=WAIT_S, what=what)
    row = row_of(followed, name)
    assert row is not None
    return row


def proposals(followed: Followed, state: str) -> list[queue.Line]:
    with followed.store() as store, store.reading() as session:
        page = page_by_title(session, wiki_by_name(session).id, TITLE)
        assert page is not None
        return queue.lines_of_page(session, page.id, (state,))


def test_every_job_does_its_work_on_a_real_wiki(followed: Followed) -> None:
    mentioned = f"River {NAMES[25]}"
    with working(followed):
        followed.admin.write(TITLE, f"The '''{TITLE}''' meets the {mentioned}.")
        assert "pages changed" in run_now(followed, "follow").result
        assert [line.target for line in proposals(followed, "pending")] == [mentioned]
        row = run_now(followed, "publish")
        assert row.last_error is None, row
        talk = followed.admin.text(f"Talk:{TITLE}") or ""
        assert "* [ ]" in talk and mentioned in talk
        followed.human.write(f"Talk:{TITLE}", talk.replace("* [ ]", "* [yes]", 1))
        assert run_now(followed, "collect").result.startswith("1 answers taken")
        assert [line.target for line in proposals(followed, "approved")] == [mentioned]
        run_now(followed, "publish")
        assert f"[[{mentioned}]]" in (followed.admin.text(TITLE) or "")
        assert run_now(followed, "watch").result.startswith("1 of 1")
        followed.human.write(TITLE, f"The '''{TITLE}''' meets the {mentioned}.")
        assert run_now(followed, "watch").result.startswith("0 of 1")
        assert [line.target for line in proposals(followed, "reverted")] == [mentioned]


def test_what_is_wrong_with_the_settings_is_told_on_the_wiki_by_the_job(followed: Followed) -> None:
    followed.admin.write(SETTINGS_PAGE, json.dumps({"daily_cup": 1}))
    with working(followed):
        row = run_now(followed, "settings")
        assert "“daily_cup” is not a setting" in (row.last_error or "")
        assert "daily_cup" in (followed.admin.text(TALK_PAGE) or "")
        run_now(followed, "settings")
        assert len(followed.admin.history(TALK_PAGE)) == 1, "it is told once"
        followed.admin.write(SETTINGS_PAGE, json.dumps({"daily_cap": 400}))
        assert run_now(followed, "settings").result == "The settings on the wiki are in force."
        assert "nothing is wrong with it" in (followed.admin.text(TALK_PAGE) or "")
    with working(followed):  # another process knows what was told
        run_now(followed, "settings")
        assert len(followed.admin.history(TALK_PAGE)) == 2
    with followed.store() as store, store.reading() as session:
        made = outbox.edits(session, wiki_by_name(session).id, kinds=("settings",))
    assert [row.state for row in made] == ["done", "done"]


def test_the_settings_are_read_by_the_commands_as_well(followed: Followed) -> None:
    followed.admin.write(SETTINGS_PAGE, json.dumps({"min_probability": 1}))
    words = ["suggest", "--json", "--page", f"River {NAMES[7]}"]
    done = subprocess.run(
        [sys.executable, "-m", "wikibot", *words],
        capture_output=True, text=True, env=followed.environ | SETTINGS, cwd=followed.folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["new"] == 0 and done.stderr == ""
    followed.admin.write(SETTINGS_PAGE, "{")
    done = subprocess.run(
        [sys.executable, "-m", "wikibot", *words],
        capture_output=True, text=True, env=followed.environ | SETTINGS, cwd=followed.folder,
    )  # fmt: skip
    assert done.returncode == 0 and f"{SETTINGS_PAGE} is not used as it is" in done.stderr
    followed.admin.write(SETTINGS_PAGE, "{}")
