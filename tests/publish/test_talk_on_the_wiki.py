"""Proposals on real talk pages: one section, answers with their authors, closed when decided."""

from __future__ import annotations

import pytest

from tests.mediawiki import HUMAN
from tests.publish.world import World
from wikibot.publish.collect import collect
from wikibot.publish.publishing import publish

pytestmark = pytest.mark.wiki

TEXT = "The Severn is a river. It rises in Wales and flows to the sea.\n\nIt has a bridge."


def test_answers_on_a_talk_page_become_decisions_of_their_authors(world: World) -> None:
    for title in ("River", "Wales", "Bridge"):
        world.page(title, f"'''{title}''' is a word.")
    severn = world.page("Severn", TEXT)
    numbers = [world.suggest(severn, word, word.title()) for word in ("river", "Wales", "bridge")]
    report = publish(world.desk(), "talk")
    assert [outcome.state for outcome in report.outcomes] == ["done"], report
    talk = world.person.text("Talk:Severn")
    human = world.wiki.person(HUMAN)
    human.write("Talk:Severn", talk.replace("* [ ]", "* [yes]", 1))
    world.person.write(
        "Talk:Severn", human.text("Talk:Severn").replace("* [ ]", "* [no: too common]", 1)
    )
    collected = collect(world.desk())
    assert [world.state(number) for number in numbers] == ["approved", "rejected", "pending"]
    assert [answer.user for answer in collected.answers] == ["Human", "Admin"]
    human.write("Talk:Severn", human.text("Talk:Severn").replace("* [ ]", "* [yes]", 1))
    collect(world.desk())
    assert "have been decided" in str(human.text("Talk:Severn"))
    assert world.state(numbers[2]) == "approved"
