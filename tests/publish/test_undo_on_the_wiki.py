"""Published links taken back on a real wiki: ours, all of ours, nothing but ours."""

from __future__ import annotations

import pytest

from tests.mediawiki import HUMAN
from tests.publish.world import World
from wikibot.publish.publishing import publish
from wikibot.publish.undo import undo

pytestmark = pytest.mark.wiki

TEXT = "The Severn is a river. It rises in Wales.\n\nIt has a bridge."


def published(world: World, title: str, text: str = TEXT) -> list[int]:
    for target in ("River", "Wales", "Bridge"):
        world.page(target, f"'''{target}''' is a word.")
    page = world.page(title, text)
    numbers = [world.approved(page, a, a.title()) for a in ("river", "Wales", "bridge")]
    assert publish(world.publisher(), "page").exit_code == 0
    return numbers


def test_one_link_is_taken_back_and_the_others_stay(world: World) -> None:
    river, wales, bridge = published(world, "One back")
    report = undo(world.publisher(), wales, None)
    assert report.exit_code == 0
    linked = TEXT.replace("river", "[[river]]").replace("bridge", "[[bridge]]")
    assert world.person.text("One back") == linked
    states = [world.state(number) for number in (river, wales, bridge)]
    assert states == ["published", "undone", "published"]
    summary = world.person.history("One back")[0]["comment"]
    assert "[[:Wales]]" in summary and "Shutoff" in summary


def test_later_edits_of_others_stay_when_a_batch_is_taken_back(world: World) -> None:
    published(world, "Batch back")
    human = world.wiki.person(HUMAN)
    theirs = f"Intro.\n\n{human.text('Batch back')}\n\nThe end. [[River]] and [[Wales]] again."
    human.write("Batch back", theirs)
    (batch,) = {row.batch for row in world.edits()}
    report = undo(world.publisher(), None, batch)
    assert [outcome.state for outcome in report.outcomes] == ["done"], report
    wanted = f"Intro.\n\n{TEXT}\n\nThe end. [[River]] and [[Wales]] again."
    assert world.person.text("Batch back") == wanted


def test_a_link_that_others_removed_is_not_searched_for_elsewhere(world: World) -> None:
    river, *_ = published(world, "Gone already")
    human = world.wiki.person(HUMAN)
    human.write("Gone already", str(human.text("Gone already")).replace("[[river]]", "stream"))
    report = undo(world.publisher(), river, None)
    assert [outcome.state for outcome in report.outcomes] == ["nothing"]
    assert "no longer there" in report.outcomes[0].message


def test_a_dry_run_of_undo_changes_nothing(world: World) -> None:
    river, *_ = published(world, "Dry back")
    before = world.person.text("Dry back")
    report = undo(world.publisher(is_dry_run=True), river, None)
    assert report.outcomes[0].state == "would" and "-The Severn" in report.outcomes[0].diff
    assert world.person.text("Dry back") == before and world.state(river) == "published"


def test_only_what_was_published_can_be_taken_back(world: World) -> None:
    for target in ("River",):
        world.page(target, "'''River''' is a word.")
    pending = world.suggest(world.page("Never sent", TEXT), "river", "River")
    for number in (pending, 999):
        report = undo(world.publisher(), number, None)
        assert report.exit_code == 1 and "never published" in report.stopped
    assert "no published batch" in undo(world.publisher(), None, "b0").stopped


def test_a_link_that_a_person_set_elsewhere_is_not_taken_out(world: World) -> None:
    river, *_ = published(world, "Set by a person")
    human = world.wiki.person(HUMAN)
    unlinked = str(human.text("Set by a person")).replace("[[river]]", "river")
    human.write("Set by a person", unlinked)
    theirs = f"{unlinked}\n\nSee also: any [[river]]."
    human.write("Set by a person", theirs)
    report = undo(world.publisher(), river, None)
    assert [outcome.state for outcome in report.outcomes] == ["nothing"], report
    assert world.person.text("Set by a person") == theirs


def test_a_link_in_like_words_is_taken_for_ours_only_if_it_stood_there_all_along(
    world: World,
) -> None:
    river, *_ = published(world, "Like words")
    human = world.wiki.person(HUMAN)
    ours = "The Severn is a [[river]]. It rises in [[Wales]]."
    rewritten = "Long and wide. The Severn is a [[river]]. It never rises in summer."
    human.write("Like words", f"{rewritten}\n\nMore.")
    report = undo(world.publisher(), river, None)
    assert [outcome.state for outcome in report.outcomes] == ["done"], report
    assert str(world.person.text("Like words")).startswith(rewritten.replace("[[river]]", "river"))
    other, *_ = published(world, "Like words twice")
    text = str(human.text("Like words twice"))
    human.write("Like words twice", text.replace(ours, "It flows."))
    human.write("Like words twice", text.replace(ours, rewritten))
    report = undo(world.publisher(), other, None)
    assert [outcome.state for outcome in report.outcomes] == ["nothing"], report
    assert rewritten in str(world.person.text("Like words twice"))
