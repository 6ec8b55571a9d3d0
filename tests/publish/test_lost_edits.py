"""Edits and answers that get lost on the way, late, wrong or hidden: the page's history decides."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from sqlalchemy import update

import wikibot.store.task_tables  # noqa: F401 (it completes Base.metadata)
from tests.mediawiki import BOT, HUMAN
from tests.mediawiki.faults import Answer, FaultyProxy
from tests.mediawiki.fixtures import UsePywikibot
from tests.publish.world import World
from wikibot.cli.publish import undo_hint
from wikibot.errors import BadInput
from wikibot.publish.publisher import Publisher
from wikibot.publish.publishing import Report, publish
from wikibot.publish.reconcile import settle_by_hand
from wikibot.publish.undo import undo
from wikibot.store.tables import Base, Outbox

pytestmark = pytest.mark.wiki

TEXT = "The Severn is a river. It rises in Wales.\n\nIt has a bridge."
LINKED = TEXT.replace("river", "[[river]]")


@pytest.fixture
def proxy(world: World, use_pywikibot: UsePywikibot) -> Iterator[FaultyProxy]:
    """Stands between the publisher and the wiki."""
    with FaultyProxy(world.wiki.port) as running:
        use_pywikibot(running.api)
        world.know_as(running.api)
        yield running


def approved(world: World, *titles: str) -> list[int]:
    world.page("River", "'''River''' is a word.")
    return [world.approved(world.page(title, TEXT), "river", "River") for title in titles]


def states(report: Report) -> dict[str, str]:
    return {outcome.title: outcome.state for outcome in report.outcomes}


def our_revisions(world: World, title: str) -> list[int]:
    history = world.person.history(title)
    return [row["revid"] for row in history if row.get("user") == "LinkBot"]


def dump(world: World) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table."""
    with world.store.reading() as session:
        return {
            table.name: [tuple(row) for row in session.execute(table.select())]
            for table in Base.metadata.sorted_tables
        }


# A page whose edits never arrive


@pytest.mark.parametrize("status", [403, 413, 500])
def test_a_page_whose_edits_never_arrive_does_not_hold_up_the_others(
    world: World, proxy: FaultyProxy, status: int
) -> None:
    titles = [f"Page {status} {letter}" for letter in "abcd"]
    stuck, *others = titles
    numbers = approved(world, *titles)
    proxy.always[stuck] = f"{status} before"
    report = publish(world.publisher(later_tries=1), "page")
    assert states(report) == {stuck: "later"} | dict.fromkeys(others, "done"), report
    assert [o.title for o in report.outcomes if o.is_lost] == [stuck]
    assert "did not arrive" in report.outcomes[0].message
    assert [world.state(number) for number in numbers] == ["approved"] + ["published"] * 3
    world.approved(world.page(f"Page {status} z", TEXT), "river", "River")
    again = publish(world.publisher(later_tries=1), "page")
    assert [outcome.title for outcome in again.outcomes] == [f"Page {status} z", stuck]
    proxy.always.clear()
    assert states(publish(world.publisher(), "page")) == {stuck: "done"}
    assert len(our_revisions(world, stuck)) == 1


def test_a_wiki_that_loses_every_edit_ends_the_run(world: World, proxy: FaultyProxy) -> None:
    titles = [f"All lost {number}" for number in range(7)]
    approved(world, *titles)
    proxy.always = dict.fromkeys(titles, "500 before")
    report = publish(world.publisher(later_tries=1), "page")
    assert len(report.outcomes) == 5 and report.exit_code == 3
    assert "5 edits in a row" in report.stopped


def test_a_talk_page_whose_edits_never_arrive_does_not_hold_up_the_others(
    world: World, proxy: FaultyProxy
) -> None:
    world.page("River", "'''River''' is a word.")
    for title in ("Talk a", "Talk b"):
        world.suggest(world.page(title, TEXT), "river", "River")
    proxy.always["Talk:Talk a"] = "413 before"
    report = publish(world.publisher(later_tries=1), "talk")
    assert states(report) == {"Talk:Talk a": "later", "Talk:Talk b": "done"}
    again = publish(world.publisher(later_tries=1), "talk")
    assert [outcome.title for outcome in again.outcomes] == ["Talk:Talk b", "Talk:Talk a"]


# What stood in the way for a moment only


def after_the_edit(act: Callable[[], object]) -> Callable[[dict[str, str], Answer], Answer]:
    """ACT happens between the wiki's answer to our edit and the moment when we hear of it."""

    def rewrite(form: dict[str, str], answer: Answer) -> Answer:
        if form.get("action") == "edit":
            act()
        return answer

    return rewrite


def at_sending(world: World, act: Callable[[], object]) -> Publisher:
    """A publisher whose first edit is preceded by ACT, after all checks."""
    left = [act]

    def reached(point: str) -> None:
        if point == "sent" and left:
            left.pop()()

    return replace(world.publisher(), reached=reached)


def test_a_page_that_was_deleted_while_we_saved_and_restored_gets_its_links(
    world: World, proxy: FaultyProxy
) -> None:
    title = "Gone for a moment"
    (number,) = approved(world, title)
    proxy.rewrite = after_the_edit(lambda: world.person.do("undelete", title=title))
    publisher = at_sending(world, lambda: world.person.do("delete", title=title))
    report = publish(publisher, "page")
    assert states(report) == {title: "done"}, report
    assert [row.state for row in world.edits()] == ["done", "prevented"]
    assert world.state(number) == "published" and len(our_revisions(world, title)) == 1


def test_links_of_a_page_that_was_deleted_while_we_saved_leave_the_approved_state(
    world: World, proxy: FaultyProxy
) -> None:
    title = "Gone for good"
    (number,) = approved(world, title)
    report = publish(at_sending(world, lambda: world.person.do("delete", title=title)), "page")
    assert states(report) == {title: "refused"} and "it was deleted" in report.outcomes[0].message
    assert world.state(number) == "stale" and world.person.text(title) is None


def test_an_account_that_was_blocked_for_a_moment_goes_on_afterwards(
    world: World, proxy: FaultyProxy
) -> None:
    title = "Blocked for a moment"
    (number,) = approved(world, title)
    try:
        publisher = at_sending(world, lambda: world.person.do("block", user=BOT.name))
        report = publish(publisher, "page")
    finally:
        world.person.do("unblock", user=BOT.name)
    assert "blocked" in report.stopped and world.state(number) == "approved"
    assert states(publish(world.publisher(), "page")) == {title: "done"}


# How long the wiki asks us to wait

FAR_AWAY = "Fri, 31 Dec 2199 23:59:59 GMT"


def with_retry_after(value: str, wanted: Callable[[dict[str, str]], bool], status: int) -> Any:
    def rewrite(form: dict[str, str], answer: Answer) -> Answer:
        if not wanted(form):
            return answer
        return (status or answer[0], [*answer[1], ("Retry-After", value)], answer[2])

    return rewrite


@pytest.mark.parametrize("value", [FAR_AWAY, "3600", "soon"])
def test_an_answer_that_asks_for_an_hour_is_no_traceback_and_no_hour(
    world: World, proxy: FaultyProxy, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    from pywikibot.throttle import Throttle

    asleep: list[float] = []
    monkeypatch.setattr(Throttle, "wait", staticmethod(asleep.append))
    title = f"Asked to wait {value}"
    approved(world, title)
    proxy.rewrite = with_retry_after(value, lambda form: True, 0)
    waits: list[float] = []
    publisher = replace(world.publisher(longest_wait_s=7), wait=waits.append)
    assert states(publish(publisher, "page")) == {title: "done"}
    assert max(asleep, default=0) <= 10 and sum(waits) == 0
    assert len(our_revisions(world, title)) == 1


def test_a_refused_edit_waits_no_longer_than_we_allow(world: World, proxy: FaultyProxy) -> None:
    approved(world, "Too many")
    proxy.rewrite = with_retry_after("3600", lambda form: form.get("action") == "edit", 429)
    waits: list[float] = []
    publisher = replace(world.publisher(longest_wait_s=7, later_tries=2), wait=waits.append)
    report = publish(publisher, "page")
    # The edit was made, whatever the answer says.
    assert states(report) == {"Too many": "done"} and waits == []
    assert world.person.text("Too many") == LINKED


# The clock of the wiki


def test_settling_ends_though_the_wikis_clock_was_set_back(
    world: World, proxy: FaultyProxy
) -> None:
    approved(world, "Set back")
    proxy.plan = ["reset before"]

    def set_back(point: str) -> None:
        if point == "sent":
            with world.store.writing() as session:
                ahead = datetime.now(timezone.utc) + timedelta(days=400)
                session.execute(update(Outbox).values(sent_at=ahead))

    publisher = replace(world.publisher(settle_s=1, later_tries=1), reached=set_back)
    report = publish(publisher, "page")
    assert states(report) == {"Set back": "later"}, report
    assert world.edits()[0].state == "later"


# Late, wrong and hidden answers


def test_a_dry_run_writes_nothing_even_if_a_lost_edit_has_arrived(
    world: World, proxy: FaultyProxy
) -> None:
    (number,) = approved(world, "Arrived late")
    proxy.plan = ["reset before"]
    publish(world.publisher(later_tries=1), "page")
    row = world.edits()[0]
    assert row.state == "later"
    bot = world.bot()
    bot.write("Arrived late", row.text, summary=row.summary)
    before = dump(world)
    report = publish(world.publisher(is_dry_run=True), "page")
    assert states(report) == {"Arrived late": "refused"} and "has arrived" in str(report.outcomes)
    taken_back = undo(world.publisher(is_dry_run=True), number, None)
    assert taken_back.exit_code == 1
    assert dump(world) == before
    assert states(publish(world.publisher(), "page")) == {"Arrived late": "done"}
    assert world.state(number) == "kept" and len(our_revisions(world, "Arrived late")) == 1


def said(answer: object) -> Callable[[dict[str, str], Answer], Answer]:
    """Every answer to an edit is this one, though the edit was made."""

    def rewrite(form: dict[str, str], true: Answer) -> Answer:
        return (true[0], true[1], json.dumps(answer).encode()) if is_edit(form) else true

    return rewrite


def is_edit(form: dict[str, str]) -> bool:
    return form.get("action") == "edit"


@pytest.mark.parametrize(
    "answer",
    [
        [],
        None,
        "ok",
        {"errors": []},
        {"errors": [{"code": "protectedpage", "text": "No."}]},
        {"errors": [{"code": "editconflict", "text": "No."}]},
        {"errors": [{"code": "maxlag", "text": "No."}]},
        {"errors": [{"code": "badtoken", "text": "No."}]},
        {"errors": [{"code": "internal_api_error_DBQueryError", "text": "No."}]},
        {"edit": {"result": "Success"}},
        {"edit": {"result": "Success", "newrevid": None}},
        {"edit": {"result": "Success", "nochange": True}},
        {"edit": {"result": "Success", "newrevid": 1}},
        {"edit": {"result": "Success", "newrevid": 2**62}},
        {"edit": {"result": "Failure", "code": "spamblacklist"}},
    ],
)
def test_an_edit_that_was_made_is_done_whatever_the_answer_says(
    world: World, proxy: FaultyProxy, answer: object
) -> None:
    title = f"Answered with {zlib.crc32(json.dumps(answer).encode())}"
    (number,) = approved(world, title)
    proxy.rewrite = said(answer)
    report = publish(world.publisher(later_tries=2), "page")
    assert states(report) == {title: "done"}, report
    assert world.person.text(title) == LINKED and len(our_revisions(world, title)) == 1
    assert world.state(number) == "published"
    assert [row.new_revision for row in world.edits(states=("done",))] == our_revisions(
        world, title
    )


def test_success_that_is_not_true_is_not_believed(world: World, proxy: FaultyProxy) -> None:
    (number,) = approved(world, "Not true")
    proxy.always["Not true"] = "success before"
    report = publish(world.publisher(later_tries=1), "page")
    assert states(report) == {"Not true": "later"}, report
    assert world.state(number) == "approved" and world.person.text("Not true") == TEXT


def hide(world: World, revision: int) -> None:
    """An administrator hides all of a revision."""
    world.person.do("revisiondelete", type="revision", ids=revision, hide="content|comment|user")


def test_a_hidden_revision_after_our_base_leaves_the_outcome_unknown(
    world: World, proxy: FaultyProxy
) -> None:
    number, other = approved(world, "Hidden", "Hidden not")
    world.die_after_sending("Hidden")
    ours = our_revisions(world, "Hidden")[0]
    world.wiki.person(HUMAN).write("Hidden", TEXT, summary="reverted")
    hide(world, ours)
    for _ in range(2):
        report = publish(world.publisher(), "page")
        assert "Hidden" in {o.title for o in report.outcomes if o.state == "unknown"}, report
        assert report.exit_code == 4 and world.person.text("Hidden") == TEXT
    assert world.state(other) == "kept" and world.state(number) == "approved"
    assert [row.state for row in world.edits() if row.title == "Hidden"] == ["unknown"]
    assert len(world.person.history("Hidden")) == 3, "nothing was published twice"


@pytest.mark.parametrize(("is_made", "state"), [(True, "published"), (False, "approved")])
def test_what_is_hidden_for_good_is_settled_by_a_person(
    world: World, proxy: FaultyProxy, is_made: bool, state: str
) -> None:
    title = f"Hidden for good {state}"
    (number,) = approved(world, title)
    world.die_after_sending(title)
    hide_ours = our_revisions(world, title)[0]
    world.wiki.person(HUMAN).write(title, TEXT, summary="reverted")
    hide(world, hide_ours)
    report = publish(world.publisher(), "page")
    (row,) = world.edits()
    assert f"`wikibot settle {row.id} --made` or `--not-made`" in report.outcomes[0].message
    settle_by_hand(world.store, row.id, is_made=is_made)
    assert world.state(number) == state
    assert publish(world.publisher(), "page").exit_code == 0
    assert len(world.person.history(title)) == (3 if is_made else 4)
    with pytest.raises(BadInput, match="only an edit that is unknown"):
        settle_by_hand(world.store, row.id, is_made=is_made)


def test_a_hidden_revision_is_seen_on_a_page_that_was_moved(
    world: World, proxy: FaultyProxy
) -> None:
    approved(world, "Hidden and moved")
    world.die_after_sending("Hidden and moved")
    ours = our_revisions(world, "Hidden and moved")[0]
    world.wiki.person(HUMAN).write("Hidden and moved", TEXT, summary="reverted")
    hide(world, ours)
    world.person.do("move", **{"from": "Hidden and moved", "to": "Hidden away"})
    report = publish(world.publisher(), "page")
    assert report.exit_code == 4 and report.outcomes[0].state == "unknown", report
    assert world.person.text("Hidden away") == TEXT


def test_a_hidden_revision_of_another_text_or_person_is_not_taken_for_ours(
    world: World, proxy: FaultyProxy
) -> None:
    approved(world, "Hidden theirs")
    proxy.plan = ["reset before"]
    publish(world.publisher(later_tries=1), "page")
    human = world.wiki.person(HUMAN)
    theirs = human.write("Hidden theirs", f"{TEXT}\n\nMore.")
    human.write("Hidden theirs", f"{TEXT}\n\nMuch more.")
    world.person.do("revisiondelete", type="revision", ids=theirs, hide="content|comment")
    assert states(publish(world.publisher(), "page")) == {"Hidden theirs": "done"}


def test_the_hint_after_a_recovered_edit_names_a_batch_that_can_be_taken_back(
    world: World, proxy: FaultyProxy
) -> None:
    (number,) = approved(world, "Recovered")
    world.die_after_sending("Recovered")
    report = publish(world.publisher(), "page")
    assert states(report) == {"Recovered": "done"}
    (batch,) = {row.batch for row in world.edits()}
    assert undo_hint(report) == f"Take it back with: wikibot undo --batch {batch}"
    assert undo(world.publisher(), None, batch).exit_code == 0 and world.state(number) == "undone"


def test_a_lost_edit_is_looked_for_for_a_day_and_then_given_up(
    world: World, proxy: FaultyProxy
) -> None:
    (number,) = approved(world, "Given up")
    proxy.always["Given up"] = "reset before"
    publish(world.publisher(later_tries=1), "page")
    with world.store.writing() as session:
        session.execute(
            update(Outbox).values(finished_at=datetime.now(timezone.utc) - timedelta(hours=25))
        )
    report = publish(world.publisher(later_tries=1), "page")
    assert states(report) == {"Given up": "later"}
    assert [row.state for row in world.edits()] == ["later", "expired"]
    assert world.state(number) == "approved"


def test_an_edit_on_a_page_that_was_deleted_meanwhile_is_found_when_it_is_restored(
    world: World, proxy: FaultyProxy
) -> None:
    (number,) = approved(world, "Deleted meanwhile")
    world.die_after_sending("Deleted meanwhile")
    world.person.do("delete", title="Deleted meanwhile")
    report = publish(world.publisher(), "page")
    assert report.outcomes[0].state == "later" and world.state(number) == "stale"
    world.person.do("undelete", title="Deleted meanwhile")
    assert states(publish(world.publisher(), "page")) == {"Deleted meanwhile": "done"}
    assert world.state(number) == "kept"
    assert len(our_revisions(world, "Deleted meanwhile")) == 1
