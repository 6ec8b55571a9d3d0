"""Ideas on a real work list: shown once, answered by people, never written by the bot."""

from __future__ import annotations

import pytest

from tests.mediawiki import HUMAN
from tests.publish.world import World
from wikibot.publish.collect import collect
from wikibot.publish.publishing import publish
from wikibot.publish.undo import undo
from wikibot.store import ideas
from wikibot.store.ideas import NewIdea

pytestmark = pytest.mark.wiki

SENTENCE = "It rises in Wales and flows to the sea."
TEXT = f"The Severn is a river. {SENTENCE}"


def add_idea(world: World, page: str, target: str) -> int:
    """An idea to write about TARGET after a sentence of PAGE; its number."""
    target_id = world.page(target, f"'''{target}''' is a word.")
    page_id = world.page(page, TEXT)
    with world.store.writing() as session:
        revision = world.person.history(page)[0]["revid"]
        start = TEXT.index(SENTENCE)
        new = NewIdea(page_id, target_id, revision, start, len(TEXT), SENTENCE, 0.5, [])
        ideas.put_ideas(session, world.wiki_id, None, [new], ())  # type: ignore[arg-type]
        found = ideas.ideas(session, world.wiki_id, states=ideas.STATES)
    return max(row.id for row in found)


def work_list(world: World, page: str) -> tuple[str, dict[str, str]]:
    """The title of a work list of the test's own, and the setting for it."""
    return f"User:LinkBot/{page}", {"worklist_page": f"User:LinkBot/{page}"}


def state_of(world: World, number: int) -> tuple[str, str | None]:
    with world.store.reading() as session:
        row = ideas.idea(session, number)
    return row.state, row.reviewer


def test_ideas_are_shown_on_the_work_list_and_answers_become_decisions(world: World) -> None:
    title, settings = work_list(world, "Answered")
    first = add_idea(world, "Answered 1", "Sabrina")
    second = add_idea(world, "Answered 2", "Hafren")
    assert publish(world.publisher(**settings), "user-page").exit_code == 0
    text = world.person.text(title) or ""
    assert "== Ideas for links ==" in text and text.count("* [ ]") == 2
    assert f"[[:Answered 1]]: words about [[:Sabrina]] after: ''{SENTENCE}''" in text
    human = world.wiki.person(HUMAN)
    yes_and_no = text.replace("* [ ] [[:Answered 1]]", "* [yes] [[:Answered 1]]")
    yes_and_no = yes_and_no.replace("* [ ] [[:Answered 2]]", "* [no: too far] [[:Answered 2]]")
    human.write(title, yes_and_no)
    collected = collect(world.publisher(**settings))
    assert sorted(answer.verdict for answer in collected.answers) == [
        "accept (idea)", "decline (idea)",
    ]  # fmt: skip
    assert state_of(world, first) == ("accepted", "Human")
    assert state_of(world, second) == ("declined", "Human")
    text = world.person.text(title) or ""
    assert "approved by [[User:Human|Human]]" in text and "have been decided" in text
    assert world.person.text("Answered 1") == TEXT  # the bot writes no such words


def test_ideas_that_are_there_are_not_repeated_and_removed_ones_do_not_come_back(
    world: World,
) -> None:
    title, settings = work_list(world, "Removed")
    number = add_idea(world, "Removed 1", "Sabrina")
    publish(world.publisher(**settings), "user-page")
    before = world.person.history(title)
    publish(world.publisher(**settings), "user-page")
    assert world.person.history(title) == before
    world.wiki.person(HUMAN).write(title, "No ideas, please.")
    report = publish(world.publisher(**settings), "user-page")
    assert "do not come back" in report.outcomes[-1].message
    assert world.person.text(title) == "No ideas, please."
    assert state_of(world, number)[0] == "pending"


def test_a_batch_of_ideas_is_taken_back(world: World) -> None:
    title, settings = work_list(world, "Taken back")
    add_idea(world, "Taken back 1", "Sabrina")
    world.person.write(title, "Hello.")
    publisher = world.publisher(**settings)
    publish(publisher, "user-page")
    assert "words about" in (world.person.text(title) or "")
    undo(world.publisher(**settings), None, publisher.batch)
    assert world.person.text(title) == "Hello."
