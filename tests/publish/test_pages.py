"""Approved links on a real wiki: one edit a page, exactly what was approved."""

from __future__ import annotations

import pytest

from tests.publish.world import World
from wikibot.publish.pages import publish_pages

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
