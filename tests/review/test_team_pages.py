"""The pages of people who review together: where there is work, and what has been done."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from tests.review.conftest import Browser, browser_of
from tests.review.test_security import both
from wikibot.plan import Placed, sha1_of
from wikibot.store import Store, decisions, outbox, queue, teamwork
from wikibot.store.decisions import Voice
from wikibot.store.outbox import NewEdit
from wikibot.store.review_statistics import Fate
from wikibot.store.tables import Outbox, Suggestion
from wikibot.web.team_app import TeamApp

LONG_AGO = datetime.now(timezone.utc) - timedelta(days=40)


def save(store: Store, numbers: list[int], batch: str, state: str) -> None:
    """These proposals were approved by Ann and saved to their pages 40 days ago."""
    with store.writing() as session:
        for number in numbers:
            decisions.decide(session, number, "approve", Voice("Ann", "web", LONG_AGO))
            line = queue.proposal(session, number)
            assert line is not None
            placed = Placed(number, line.line.start, line.line.end, line.line.wikitext)
            edit = NewEdit(
                line.wiki.id, batch, "page", line.page.title, line.page.id,
                line.page.revision_id, "text", sha1_of("text"), "summary", f"{batch}-{number}",
                (placed,), sender="Ann",
            )  # fmt: skip
            row = session.get_one(Outbox, outbox.add(session, edit, LONG_AGO))
            row.state, row.sent_at, row.new_revision = "done", LONG_AGO, 1000 + number
            session.get_one(Suggestion, number).state = state


def test_the_queue_by_category_counts_what_waits(store: Store) -> None:
    with store.reading() as session:
        found = teamwork.by_category(session, 1, start=0, limit=100)
        counted = {one.title: one.size for one in found}
        assert counted
        for title, size in counted.items():
            assert queue.count(session, queue.Filters(1, category=title)) == size
    assert [one.size for one in found] == sorted(counted.values(), reverse=True)


def test_pages_with_few_links_come_in_the_order_of_their_links(store: Store) -> None:
    with store.reading() as session:
        found = teamwork.with_few_links(session, 1, start=0, limit=100)
        first, rest = found[:1], teamwork.with_few_links(session, 1, start=1, limit=100)
        states = queue.count_states(session, 1)
    assert [one.links for one in found] == sorted(one.links for one in found)
    assert sum(one.waiting for one in found) == states["pending"]
    assert first + rest == found


@both
def test_ones_own_decisions_can_be_looked_at_and_taken_back(
    house: str, insider: Browser, store: Store
) -> None:
    insider.press(insider.get("/proposal/1"), "/proposal/1/decide", verdict="approve")
    with store.writing() as session:
        decisions.decide(session, 2, "reject", Voice("somebody else", "web"))
    page = insider.get("/decisions")
    assert "/proposal/1" in page.text and "/proposal/2" not in page.text
    with store.reading() as session:
        number = decisions.history(session, 1)[0].id
    assert insider.press(page, f"/decision/{number}/undo").status_code == 303
    with store.reading() as session:
        assert [one.verdict for one in decisions.history(session, 1)] == ["approve", "undo"]


def test_a_long_list_of_decisions_goes_on(store: Store) -> None:
    with store.writing() as session:
        made = [decisions.decide(session, n, "reject", Voice("Ann", "web")) for n in (1, 2, 3)]
    with store.reading() as session:
        first = teamwork.decisions_of(session, 1, "Ann", before=None, limit=2)
        rest = teamwork.decisions_of(session, 1, "Ann", before=first[-1].id, limit=2)
    assert [one.id for one in (*first, *rest)] == made[::-1]


def test_a_batch_shows_its_edits_who_approved_and_what_became_of_them(
    team: TeamApp, store: Store
) -> None:
    save(store, [1], "b1", "kept")
    save(store, [2], "b1", "reverted")
    save(store, [3], "b2", "undone")
    browser = browser_of(team, "Bob")
    page = browser.get("/saved/b1")
    assert "1001" in page.text and "1002" in page.text and "1003" not in page.text
    assert page.text.count("<bdi>Ann</bdi>") == 2
    assert "published and kept" in page.text and "reverted by others" in page.text
    listed = browser.get("/saved").text
    assert "/saved/b1" in listed and "/saved/b2" in listed
    assert listed.index("/saved/b2") < listed.index("/saved/b1"), "the newest comes first"
    assert browser.get("/saved/b3").status_code == 404


def test_the_board_counts_decisions_that_stand_and_links_that_were_kept(store: Store) -> None:
    save(store, [1, 2], "b1", "kept")
    save(store, [3], "b1", "reverted")
    now = datetime.now(timezone.utc)
    with store.writing() as session:
        decisions.decide(session, 4, "reject", Voice("Bob", "web"))
        taken_back = decisions.decide(session, 5, "reject", Voice("Bob", "web"))
        decisions.undo(session, taken_back, Voice("Bob", "web"))
    with store.reading() as session:
        month = timedelta(days=30)
        found = {one.reviewer: one for one in teamwork.board(session, 1, now - month, now - month)}
    assert found["Bob"].work == {"reject": 1} and found["Bob"].fate == Fate(0, 0)
    assert found["Ann"].fate == Fate(2, 1) and not found["Ann"].work, "it was 40 days ago"


@both
@pytest.mark.parametrize("path", ["/categories", "/few-links", "/decisions", "/board", "/saved"])
def test_the_pages_say_so_when_there_is_nothing(insider: Browser, path: str) -> None:
    page = insider.get(path)
    assert page.status_code == 200 and "<h1>" in page.text
