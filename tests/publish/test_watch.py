"""What became of our edits on a real wiki, and when that stops us."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from tests.mediawiki import HUMAN
from tests.publish.world import World
from wikibot.publish.publishing import publish
from wikibot.publish.undo import undo
from wikibot.publish.watch import mark_seen, watch
from wikibot.store import outbox
from wikibot.store.tables import Decision

pytestmark = pytest.mark.wiki

TEXT = "The Severn is a river. It rises in Wales."


def published(world: World, title: str, *targets: str) -> list[int]:
    """A page with published links to the targets."""
    for target in targets:
        world.page(target, f"'''{target}''' is a word.")
    page = world.page(title, TEXT)
    anchors = {"River": "river", "Wales": "Wales"}
    numbers = [world.approved(page, anchors[target], target) for target in targets]
    report = publish(world.publisher(), "page")
    assert [outcome.state for outcome in report.outcomes] == ["done"], report
    return numbers


def test_links_that_stay_are_kept_whatever_happens_around_them(world: World) -> None:
    (number,) = published(world, "Kept", "River")
    human = world.wiki.person(HUMAN)
    human.write("Kept", f"Hello. {human.text('Kept')}")
    (fate,) = watch(world.publisher())
    assert (fate.fate, fate.gone) == ("kept", ())
    assert world.state(number) == "kept"


def test_a_revert_is_a_rejection_by_whoever_made_it(world: World) -> None:
    (number,) = published(world, "Reverted", "River")
    human = world.wiki.person(HUMAN)
    human.write("Reverted", TEXT, summary="no such links, please")
    human.write("Reverted", f"{TEXT} More.")
    (fate,) = watch(world.publisher())
    assert (fate.fate, fate.by, fate.gone) == ("reverted", "Human", ("River",))
    assert world.state(number) == "reverted"
    with world.store.reading() as session:
        said = session.scalars(select(Decision).order_by(Decision.id.desc())).first()
    assert said is not None and (said.verdict, said.reviewer, said.source) == (
        "reject",
        "Human",
        "watch",
    )
    assert said.note == "no such links, please"
    (again,) = watch(world.publisher())
    assert (again.fate, again.by) == ("reverted", "Human")


def test_one_link_of_two_taken_out_is_a_change(world: World) -> None:
    river, wales = published(world, "Changed", "River", "Wales")
    text = world.person.text("Changed") or ""
    world.wiki.person(HUMAN).write("Changed", text.replace("[[Wales]]", "Wales"))
    (fate,) = watch(world.publisher())
    assert (fate.fate, fate.gone) == ("changed", ("Wales",))
    assert (world.state(river), world.state(wales)) == ("kept", "reverted")


def test_what_we_took_back_ourselves_is_no_revert(world: World) -> None:
    (number,) = published(world, "Taken back", "River")
    undo(world.publisher(), number, None)
    assert watch(world.publisher()) == [] and world.state(number) == "undone"


def test_too_many_reverts_stop_publishing_until_somebody_has_looked(world: World) -> None:
    published(world, "Unwanted", "River")
    world.wiki.person(HUMAN).write("Unwanted", TEXT)
    waiting = world.approved(world.page("Waiting", TEXT), "river", "River")
    report = publish(world.publisher(revert_limit=1), "page")
    assert report.exit_code == 1 and "revert_limit is 1" in report.stopped
    assert world.state(waiting) == "approved"
    publisher = world.publisher(revert_limit=1)
    assert mark_seen(publisher, watch(publisher)) == 1
    assert publish(world.publisher(revert_limit=1), "page").exit_code == 0
    assert world.state(waiting) == "published"


def test_a_link_to_the_same_page_elsewhere_does_not_stand_for_ours(world: World) -> None:
    (number,) = published(world, "Linked elsewhere", "River")
    world.person.write("Linked elsewhere", TEXT)
    human = world.wiki.person(HUMAN)
    human.write("Linked elsewhere", f"{TEXT}\n\nSee also: any [[river]].")
    (fate,) = watch(world.publisher())
    assert (fate.fate, fate.by) == ("reverted", "Admin")
    assert world.state(number) == "reverted"


def test_a_link_moved_within_one_edit_is_a_revert_by_its_mover(world: World) -> None:
    published(world, "Moved within", "River")
    human = world.wiki.person(HUMAN)
    human.write("Moved within", f"{TEXT}\n\nSee also: any [[river]].")
    (fate,) = watch(world.publisher())
    assert (fate.fate, fate.by) == ("reverted", "Human")


def test_a_rewritten_sentence_that_keeps_its_link_is_no_revert(world: World) -> None:
    (number,) = published(world, "Rewritten", "River")
    text = "Wales is where the longest [[river]] rises: the Severn."
    world.wiki.person(HUMAN).write("Rewritten", text)
    (fate,) = watch(world.publisher())
    assert fate.fate == "kept" and world.state(number) == "kept"


def test_a_revert_that_was_undone_is_no_decision_any_more(world: World) -> None:
    (number,) = published(world, "Vandalised", "River")
    linked = str(world.person.text("Vandalised"))
    world.wiki.person(HUMAN).write("Vandalised", "Ha ha.")
    assert [fate.fate for fate in watch(world.publisher())] == ["reverted"]
    world.person.write("Vandalised", linked)
    assert [fate.fate for fate in watch(world.publisher())] == ["kept"]
    assert world.state(number) == "kept"
    with world.store.reading() as session:
        assert outbox.standing(session, [number])[number].reviewer == "Ann"
