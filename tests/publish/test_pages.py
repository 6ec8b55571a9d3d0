"""Approved links on a real wiki: one edit a page, exactly what was approved."""

from __future__ import annotations

import pytest

from tests.publish.world import World
from wikibot.publish.pages import publish_pages
from wikibot.publish.publishing import publish
from wikibot.publish.undo import undo

pytestmark = pytest.mark.wiki

TEXT = "The Severn is a river. It rises in Wales and flows to the sea.\n\nIt has a bridge."


def test_approved_links_of_a_page_arrive_in_one_edit(world: World) -> None:
    for title in ("River", "Wales", "Bridge"):
        world.page(title, f"'''{title}''' is a word.")
    severn = world.page("Severn", TEXT)
    numbers = [world.approved(severn, word, word.title()) for word in ("river", "Wales")]
    pending = world.suggest(severn, "bridge", "Bridge")
    outcomes = list(publish_pages(world.desk()))
    assert [outcome.state for outcome in outcomes] == ["done"], outcomes
    wanted = TEXT.replace("river", "[[river]]").replace("Wales", "[[Wales]]")
    assert world.person.text("Severn") == wanted
    assert [row["user"] for row in world.person.history("Severn")] == ["LinkBot", "Admin"]
    assert [world.state(n) for n in (*numbers, pending)] == ["published", "published", "pending"]


def test_a_dry_run_shows_the_diff_and_changes_nothing(world: World) -> None:
    world.page("River", "'''River''' is a word.")
    severn = world.page("Severn dry", TEXT)
    number = world.approved(severn, "river", "River")
    report = publish(world.desk(is_dry_run=True), "page")
    assert [outcome.state for outcome in report.outcomes] == ["would"]
    assert "+The Severn is a [[river]]." in report.outcomes[0].diff
    assert world.person.text("Severn dry") == TEXT
    assert world.state(number) == "approved" and not world.edits()


def test_undo_gives_the_original_back_byte_for_byte(world: World) -> None:
    world.page("River", "'''River''' is a word.")
    severn = world.page("Severn back", TEXT)
    number = world.approved(severn, "river", "River")
    publish(world.desk(), "page")
    report = undo(world.desk(), number, None)
    assert [outcome.state for outcome in report.outcomes] == ["done"], report
    assert world.person.text("Severn back") == TEXT
    assert world.state(number) == "undone"
