"""`wikibot follow` on a real wiki: what changes there is in the queue, and nothing is missed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.linker.rivers import NAMES, rivers_store
from tests.live.conftest import WAIT_S, Followed
from tests.waiting import wait_until
from wikibot.store import open_store
from wikibot.store.following import Position, keep_position, position_of
from wikibot.store.lock import only_one
from wikibot.store.pages import page_by_title, pages_of_set, redirects, wiki_by_name
from wikibot.store.queue import Filters, Line, every_line, lines_of_page
from wikibot.train import train

pytestmark = pytest.mark.wiki

RIVER = [f"River {name}" for name in NAMES]
CATEGORY = "\n\n[[Category:Rivers]]"


def follow(followed: Followed) -> dict[str, Any]:
    found = json.loads(followed.run("follow", "--once", "--json"))
    assert isinstance(found, dict)
    return found


def lines(followed: Followed, title: str, state: str = "pending") -> list[Line]:
    """The page's proposals in this state."""
    with followed.store() as store, store.reading() as session:
        page = page_by_title(session, wiki_by_name(session).id, title)
        return lines_of_page(session, page.id, (state,)) if page else []


def queue(followed: Followed) -> dict[int, tuple[str, str]]:
    with followed.store() as store, store.reading() as session:
        wiki = wiki_by_name(session)
        return {one.id: (one.page, one.target) for one in every_line(session, Filters(wiki.id))}


def state_of_set(database: Path) -> tuple[dict[int, tuple[str, int, str]], set[str]]:
    """Title, revision and text of each page of the set by the wiki's id, and the redirects."""
    with open_store(database) as store, store.reading() as session:
        wiki = wiki_by_name(session)
        rows = pages_of_set(session, wiki.id)
        names = set(redirects(session, wiki.id))
    return {row.page_id: (row.title, row.revision_id, row.wikitext) for row in rows}, names


@pytest.fixture(scope="module")
def filled(followed: Followed) -> Followed:
    """The same wiki with a full queue, followed once."""
    followed.run("suggest")
    follow(followed)
    return followed


def test_a_changed_page_loses_what_its_text_has_lost_and_gets_what_is_new(filled: Followed) -> None:
    before = lines(filled, RIVER[10])
    assert before
    text = f"The '''{RIVER[10]}''' now meets the {RIVER[20]}.{CATEGORY}"
    revision = filled.admin.write(RIVER[10], text)
    found = follow(filled)
    assert (found["changed"], found["moved"], found["gone"]) == (1, 0, 0)
    after = lines(filled, RIVER[10])
    assert {one.target for one in after} == {RIVER[20]}
    assert found["new"] + found["refreshed"] >= 1 and found["withdrawn"] >= 1
    for one in after:
        assert one.revision_id == revision and text[one.start : one.end] == one.anchor


def test_what_people_decided_stays_decided(filled: Followed) -> None:
    one = lines(filled, RIVER[12])[0]
    filled.run("decide", str(one.id), "reject", "--reviewer", "ann")
    old = filled.admin.text(RIVER[12])
    filled.admin.write(RIVER[12], f"{old}\n\nOne more sentence.")
    follow(filled)
    assert [line.id for line in lines(filled, RIVER[12], "rejected")] == [one.id]
    assert one.target not in {line.target for line in lines(filled, RIVER[12])}


def test_a_moved_page_keeps_its_proposals(filled: Followed) -> None:
    before = {one.id: (one.target, one.start) for one in lines(filled, RIVER[14])}
    assert before
    filled.admin.do("move", **{"from": RIVER[14], "to": "River Moved", "noredirect": True})
    found = follow(filled)
    assert (found["moved"], found["gone"]) == (1, 0)
    after = lines(filled, "River Moved")
    assert {one.id: (one.target, one.start) for one in after} == before
    with filled.store() as store, store.reading() as session:
        page = page_by_title(session, wiki_by_name(session).id, "River Moved")
    assert page and {one.revision_id for one in after} == {page.revision_id}
    assert {one.id for one in lines(filled, "River Moved")} == before.keys()
    assert follow(filled)["withdrawn"] == 0, "nor when the same change is read again"


def test_a_deleted_page_leaves_with_its_proposals_and_those_that_lead_to_it(
    filled: Followed,
) -> None:
    filled.admin.write(RIVER[28], f"It runs past the {RIVER[16]}.{CATEGORY}")
    follow(filled)
    assert lines(filled, RIVER[16])
    to_it = [pair for pair in queue(filled).values() if pair[1] == RIVER[16]]
    assert to_it
    filled.admin.do("delete", title=RIVER[16])
    assert follow(filled)["gone"] == 1
    assert not [pair for pair in queue(filled).values() if RIVER[16] in pair]
    filled.admin.do("undelete", title=RIVER[16])
    assert follow(filled)["changed"] == 1
    assert lines(filled, RIVER[16])


def test_stopped_and_started_again_nothing_is_missed(filled: Followed) -> None:
    """Every kind of change while nobody follows; then the database is as a new fetch has it."""
    admin = filled.admin
    admin.write("River Brandnew", f"The River Brandnew joins the {RIVER[3]}.{CATEGORY}")
    admin.write("Elsewhere", f"No river of the set, though it names the {RIVER[3]}.")
    admin.write(RIVER[18], f"Changed once, past the {RIVER[4]}.{CATEGORY}")
    admin.write(RIVER[18], f"Changed twice, past the {RIVER[5]}.{CATEGORY}")
    admin.do("move", **{"from": RIVER[19], "to": "River Renamed"})  # leaves a redirect
    admin.do("delete", title=RIVER[21])
    admin.write(RIVER[22], f"#REDIRECT [[{RIVER[23]}]]")
    admin.write("Alias", f"#REDIRECT [[{RIVER[24]}]]")
    admin.write("Joined", f"First without a category, past the {RIVER[6]}.")
    admin.write("Joined", f"Then with one, past the {RIVER[6]}.{CATEGORY}")
    follow(filled)
    fresh = filled.folder / "fresh.db"
    filled.run("fetch", "Rivers", "--url", filled.wiki.api, "--db", str(fresh))
    pages, names = state_of_set(filled.database)
    fresh_pages, fresh_names = state_of_set(fresh)
    assert set(pages.items()) ^ set(fresh_pages.items()) == set()
    assert names == fresh_names
    waiting = set(queue(filled).values())
    assert ("River Brandnew", RIVER[3]) in waiting and ("Joined", RIVER[6]) in waiting
    assert (RIVER[18], RIVER[5]) in waiting and (RIVER[18], RIVER[4]) not in waiting
    assert not [pair for pair in waiting if {RIVER[21], RIVER[22], "Elsewhere"} & {*pair}]


def test_what_the_wiki_has_forgotten_is_caught_up_by_looking_at_every_page(
    filled: Followed,
) -> None:
    filled.admin.write(RIVER[25], f"Forgotten, past the {RIVER[7]}.{CATEGORY}")
    with filled.store() as store, store.writing() as session:
        keep_position(session, wiki_by_name(session).id, Position("2001-01-15T00:00:00Z"))
    assert follow(filled)["changed"] == 1
    assert (RIVER[25], RIVER[7]) in queue(filled).values()


def test_a_stop_between_fetching_and_scoring_loses_no_proposal(filled: Followed) -> None:
    """`wikibot suggest` is busy, so the page is fetched and cannot be scored; then the process ends."""
    filled.admin.write(RIVER[26], f"Changed, past the {RIVER[8]}.{CATEGORY}")
    with filled.store() as store:
        with store.reading() as session:
            before = position_of(session, wiki_by_name(session).id)
        with only_one(store, "suggest"):
            busy = subprocess.run(
                [sys.executable, "-m", "wikibot", "follow", "--once"],
                capture_output=True, text=True, env=filled.environ, cwd=filled.folder, timeout=WAIT_S,
            )  # fmt: skip
        with store.reading() as session:
            assert position_of(session, wiki_by_name(session).id) == before
    assert busy.returncode == 3 and "busy" in busy.stderr
    follow(filled)
    assert (RIVER[26], RIVER[8]) in queue(filled).values()


def test_a_running_follow_puts_a_saved_page_into_the_queue(filled: Followed) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "wikibot", "follow"],
        stdout=subprocess.PIPE, text=True, cwd=filled.folder,
        env={**filled.environ, "WIKIBOT_POLL_S": "1"},
    )  # fmt: skip
    try:
        filled.admin.write(RIVER[27], f"Just saved, past the {RIVER[9]}.{CATEGORY}")
        wait_until(
            lambda: (RIVER[27], RIVER[9]) in queue(filled).values(),
            within_s=WAIT_S,
            what="the new proposal in the queue",
        )
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(WAIT_S) == 130


def test_the_service_follows_as_a_job(filled: Followed) -> None:
    """`wikibot serve --jobs-only`, looking every second or so."""
    process = subprocess.Popen(
        [sys.executable, "-m", "wikibot", "serve", "--jobs-only"], cwd=filled.folder,
        env={**filled.environ, "WIKIBOT_FOLLOW_MINUTES": "0.02", "WIKIBOT_SETTINGS_MINUTES": "0"},
    )  # fmt: skip
    try:
        for number in (5, 6):  # the job runs again and again
            text = f"Saved for the job, past the {RIVER[number]}.{CATEGORY}"
            filled.admin.write(RIVER[29], text)
            wait_until(
                lambda target=RIVER[number]: (RIVER[29], target) in queue(filled).values(),
                within_s=WAIT_S,
                what="the new proposal in the queue",
            )
        assert (RIVER[29], RIVER[5]) not in queue(filled).values(), "its text is gone"
    finally:
        process.terminate()
        process.wait(WAIT_S)


def test_two_processes_do_not_follow_at_once(filled: Followed) -> None:
    with filled.store() as store, only_one(store, "follow"):
        second = subprocess.run(
            [sys.executable, "-m", "wikibot", "follow", "--once"],
            capture_output=True, text=True, env=filled.environ, cwd=filled.folder, timeout=WAIT_S,
        )  # fmt: skip
    assert second.returncode == 3 and "Another process" in second.stderr


def test_another_wiki_than_that_of_the_database_is_refused(filled: Followed) -> None:
    """Its pages would all count as deleted."""
    other = filled.folder / "other"
    other.mkdir()
    with rivers_store(other) as store:
        train(store)
    before = state_of_set(other / "w.db")
    refused = subprocess.run(
        [sys.executable, "-m", "wikibot", "follow", "--once", "--url", filled.wiki.api],
        capture_output=True, text=True, cwd=filled.folder, timeout=WAIT_S,
        env={**filled.environ, "WIKIBOT_DB": str(other / "w.db")},
    )  # fmt: skip
    assert refused.returncode == 2 and "is not the wiki of" in refused.stderr
    assert state_of_set(other / "w.db") == before
