"""Approved links on a real wiki: one edit a page, exactly what was approved."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.publish.world import World
from wikibot.errors import ConfigError
from wikibot.publish.log import read_log
from wikibot.publish.pages import publish_pages
from wikibot.publish.publishing import publish
from wikibot.publish.undo import undo
from wikibot.store import decisions

pytestmark = pytest.mark.wiki

TEXT = "The Severn is a river. It rises in Wales and flows to the sea.\n\nIt has a bridge."


def test_approved_links_of_a_page_arrive_in_one_edit(world: World) -> None:
    for title in ("River", "Wales", "Bridge"):
        world.page(title, f"'''{title}''' is a word.")
    severn = world.page("Severn", TEXT)
    numbers = [world.approved(severn, word, word.title()) for word in ("river", "Wales")]
    pending = world.suggest(severn, "bridge", "Bridge")
    outcomes = list(publish_pages(world.publisher()))
    assert [outcome.state for outcome in outcomes] == ["done"], outcomes
    wanted = TEXT.replace("river", "[[river]]").replace("Wales", "[[Wales]]")
    assert world.person.text("Severn") == wanted
    assert [row["user"] for row in world.person.history("Severn")] == ["LinkBot", "Admin"]
    assert [world.state(n) for n in (*numbers, pending)] == ["published", "published", "pending"]


def test_a_dry_run_shows_the_diff_and_changes_nothing(world: World) -> None:
    world.page("River", "'''River''' is a word.")
    severn = world.page("Severn dry", TEXT)
    number = world.approved(severn, "river", "River")
    report = publish(world.publisher(is_dry_run=True), "page")
    assert [outcome.state for outcome in report.outcomes] == ["would"]
    assert "+The Severn is a [[river]]." in report.outcomes[0].diff
    assert world.person.text("Severn dry") == TEXT
    assert world.state(number) == "approved" and not world.edits()


def test_undo_gives_the_original_back_byte_for_byte(world: World) -> None:
    world.page("River", "'''River''' is a word.")
    severn = world.page("Severn back", TEXT)
    number = world.approved(severn, "river", "River")
    publish(world.publisher(), "page")
    report = undo(world.publisher(), number, None)
    assert [outcome.state for outcome in report.outcomes] == ["done"], report
    assert world.person.text("Severn back") == TEXT
    assert world.state(number) == "undone"


def test_the_edit_carries_flags_tag_approver_and_where_to_stop_us(world: World) -> None:
    world.page("River", "'''River''' is a word.")
    world.person.do("managetags", operation="create", tag="link-bot")
    world.approved(world.page("Severn flags", TEXT), "river", "River")
    publish(world.publisher(change_tag="link-bot"), "page")
    change = world.person.recent_changes(rctitle="Severn flags")[0]
    assert change["bot"] and change["minor"] and change["tags"] == ["link-bot"]
    (row,) = world.edits()
    assert change["comment"] == row.summary and row.marker in row.summary
    assert "approved by Ann" in row.summary and "[[User:LinkBot/Shutoff|stop]]" in row.summary


def test_a_tag_that_the_wiki_does_not_have_is_left_out(world: World) -> None:
    assert world.publisher(change_tag="no-such-tag").tags == ()


def test_a_second_round_of_approvals_in_the_same_sentence_finds_its_place(world: World) -> None:
    for title in ("Severn itself", "River"):
        world.page(title, "A word.")
    page = world.page("Severn twice", "The Severn itself is a river.")
    world.approved(page, "river", "River")
    assert publish(world.publisher(), "page").exit_code == 0
    world.approved(page, "Severn itself", "Severn itself")
    assert publish(world.publisher(), "page").exit_code == 0
    assert world.person.text("Severn twice") == "The [[Severn itself]] is a [[river]]."


def test_a_target_that_was_deleted_is_not_linked(world: World) -> None:
    world.page("River", "'''River''' is a word.")
    world.page("Doomed", "'''Doomed''' is a word.")
    page = world.page("Severn doomed", "The river is doomed.")
    kept = world.approved(page, "river", "River")
    gone = world.approved(page, "doomed", "Doomed")
    world.person.do("delete", title="Doomed")
    assert publish(world.publisher(), "page").exit_code == 0
    assert world.person.text("Severn doomed") == "The [[river]] is doomed."
    assert (world.state(kept), world.state(gone)) == ("published", "stale")


def test_an_approval_taken_back_in_the_last_moment_is_not_sent(world: World) -> None:
    world.page("River", "'''River''' is a word.")
    number = world.approved(world.page("Severn regret", TEXT), "river", "River")

    def regret(point: str) -> None:
        if point == "planned":
            with world.store.writing() as session:
                voice = decisions.Voice("Ann", "web")
                latest = decisions.last_undoable(session, world.wiki_id, "Ann")
                assert latest is not None
                decisions.undo(session, latest, voice)

    report = publish(replace(world.publisher(), reached=regret), "page")
    assert "decided otherwise" in report.outcomes[0].message
    assert world.person.text("Severn regret") == TEXT
    assert world.state(number) == "pending" and not world.edits()


def test_a_database_about_another_wiki_is_refused(world: World) -> None:
    world.know_as("https://other.example.org/w/api.php")
    with pytest.raises(ConfigError, match=r"other\.example\.org"):
        world.publisher()


def test_nothing_is_sent_without_a_contact(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from pywikibot import config

    monkeypatch.setattr(config, "user_agent_description", "")
    with pytest.raises(ConfigError, match="user_agent_description"):
        world.publisher()


def test_the_log_shows_each_edit_with_its_diff(world: World) -> None:
    world.page("River", "'''River''' is a word.")
    number = world.approved(world.page("Severn log", TEXT), "river", "River")
    publish(world.publisher(), "page")
    (entry,) = read_log(world.store)
    assert entry.diff_url == f"{world.wiki.url}/index.php?diff={entry.revision}"
    (link,) = entry.links
    assert (link.proposal, link.target, link.approver) == (number, "River", "Ann")


def test_an_approval_survives_a_fetch_of_the_page_if_its_sentence_did(world: World) -> None:
    world.page("River", "'''River''' is a word.")
    page = world.page("Severn fetched", TEXT)
    number = world.approved(page, "river", "River")
    newer = f"A new start.\n\n{TEXT}"
    world.page("Severn fetched", newer)
    assert publish(world.publisher(), "page").exit_code == 0
    assert world.person.text("Severn fetched") == newer.replace("river", "[[river]]")
    assert world.state(number) == "published"
