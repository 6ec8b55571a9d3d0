"""Pages that people move, delete and restore: our edits are found wherever they stand."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select

from tests.mediawiki import HUMAN
from tests.publish.world import World
from wikibot.publish.collect import collect
from wikibot.publish.publishing import publish
from wikibot.publish.undo import undo
from wikibot.publish.watch import watch
from wikibot.store.tables import Decision

pytestmark = pytest.mark.wiki

TEXT = "The Severn is a river. It rises in Wales.\n\nIt has a bridge."
LINKED = TEXT.replace("river", "[[river]]")


def published(world: World, *titles: str) -> list[int]:
    """Pages with one published link to River each."""
    world.page("River", "'''River''' is a word.")
    numbers = [world.approved(world.page(title, TEXT), "river", "River") for title in titles]
    assert publish(world.publisher(), "page").exit_code == 0
    return numbers


def move(world: World, title: str, to: str, **more: object) -> None:
    world.wiki.person(HUMAN).do("move", **{"from": title, "to": to}, reason="a better name", **more)


def rejections(world: World) -> int:
    with world.store.reading() as session:
        query = select(func.count()).where(Decision.verdict == "reject")
        return session.execute(query).scalar_one()


def test_three_moved_pages_are_three_kept_edits(world: World) -> None:
    titles = [f"Moved {number}" for number in range(3)]
    numbers = published(world, *titles)
    for title in titles:
        move(world, title, f"{title} away", movetalk=True)
    fates = watch(world.publisher())
    assert [(fate.fate, fate.gone) for fate in fates] == [("kept", ())] * 3
    assert {fate.title for fate in fates} == {f"{title} away" for title in titles}
    assert [world.state(number) for number in numbers] == ["kept"] * 3
    assert rejections(world) == 0
    waiting = world.approved(world.page("Not stopped", TEXT), "river", "River")
    assert publish(world.publisher(revert_limit=1), "page").exit_code == 0
    assert world.state(waiting) == "published"


def test_a_link_is_taken_back_from_the_page_that_was_moved(world: World) -> None:
    (number,) = published(world, "Old name")
    move(world, "Old name", "New name")
    report = undo(world.publisher(), number, None)
    assert [(o.title, o.state) for o in report.outcomes] == [("New name", "done")], report
    assert world.person.text("New name") == TEXT and world.state(number) == "undone"
    assert str(world.person.text("Old name")).startswith("#REDIRECT")


def test_a_revert_after_a_move_is_the_reverters_and_not_the_movers(world: World) -> None:
    (number,) = published(world, "Reverted elsewhere")
    world.person.do("move", **{"from": "Reverted elsewhere", "to": "Elsewhere"})
    world.wiki.person(HUMAN).write("Elsewhere", TEXT, summary="no link")
    (fate,) = watch(world.publisher())
    assert (fate.title, fate.fate, fate.by) == ("Elsewhere", "reverted", "Human")
    assert world.state(number) == "reverted"


def test_another_page_at_the_old_title_is_not_judged(world: World) -> None:
    (number,) = published(world, "Swapped")
    move(world, "Swapped", "Swapped away")
    world.person.write("Swapped", "Another page about nothing of the kind.")
    (fate,) = watch(world.publisher())
    assert (fate.title, fate.fate) == ("Swapped away", "kept")
    assert world.state(number) == "kept"


def test_a_deleted_page_has_no_fate_until_it_is_restored(world: World) -> None:
    (number,) = published(world, "Deleted for a while")
    world.person.do("delete", title="Deleted for a while")
    assert watch(world.publisher()) == [] and world.state(number) == "published"
    report = undo(world.publisher(), number, None)
    assert [outcome.state for outcome in report.outcomes] == ["nothing"]
    assert "deleted" in report.outcomes[0].message
    world.person.do("undelete", title="Deleted for a while")
    assert [fate.fate for fate in watch(world.publisher())] == ["kept"]


def test_answers_are_read_on_a_talk_page_that_moved_with_its_article(world: World) -> None:
    world.page("River", "'''River''' is a word.")
    page = world.page("Talked about", TEXT)
    number = world.suggest(page, "river", "River")
    assert publish(world.publisher(), "talk").exit_code == 0
    move(world, "Talked about", "Much talked about", movetalk=True)
    human = world.wiki.person(HUMAN)
    talk = human.text("Talk:Much talked about") or ""
    human.write("Talk:Much talked about", talk.replace("* [ ]", "* [yes]"))
    collected = collect(world.publisher())
    assert [(a.user, a.verdict, a.problem) for a in collected.answers] == [("Human", "approve", "")]
    assert world.state(number) == "approved"
    assert "have been decided" in str(human.text("Talk:Much talked about"))


def test_a_line_removed_from_a_moved_talk_page_does_not_come_back(world: World) -> None:
    for target in ("River", "Wales"):
        world.page(target, f"'''{target}''' is a word.")
    page = world.page("Pruned", TEXT)
    for anchor, target in (("river", "River"), ("Wales", "Wales")):
        world.suggest(page, anchor, target)
    assert publish(world.publisher(), "talk").exit_code == 0
    move(world, "Pruned", "Pruned away", movetalk=True)
    text = world.person.text("Talk:Pruned away") or ""
    kept = "\n".join(line for line in text.split("\n") if "[[:River]]" not in line)
    world.wiki.person(HUMAN).write("Talk:Pruned away", kept)
    world.retitle(page, "Pruned away")
    publish(world.publisher(), "talk")
    assert "[[:River]]" not in str(world.person.text("Talk:Pruned away"))


def test_a_moved_page_is_still_edited_only_so_often_a_day(world: World) -> None:
    world.page("Bridge", "'''Bridge''' is a word.")
    published(world, "Capped")
    page = world.page_row("Capped")
    move(world, "Capped", "Capped away")
    world.retitle(page, "Capped away")
    world.know("Capped away", LINKED, world.person.history("Capped away")[0]["revid"])
    world.approved(page, "bridge", "Bridge")
    report = publish(world.publisher(page_cap=1), "page")
    assert [outcome.state for outcome in report.outcomes] == ["refused"]
    assert "page_cap is 1" in report.outcomes[0].message


def test_a_page_moved_away_from_a_new_page_of_its_old_name_is_found(world: World) -> None:
    (number,) = published(world, "Moved from")
    world.person.do("move", **{"from": "Moved from", "to": "Moved into"}, noredirect=True)
    world.person.write("Moved from", "Another text about something else.")
    assert [(fate.title, fate.fate) for fate in watch(world.publisher())] == [
        ("Moved into", "kept")
    ]
    assert undo(world.publisher(), number, None).exit_code == 0
    assert world.person.text("Moved into") == TEXT
    assert world.person.text("Moved from") == "Another text about something else."


def test_a_page_that_was_deleted_and_begun_anew_gets_its_link_only_in_the_same_sentence(
    world: World,
) -> None:
    world.page("River", "'''River''' is a word.")
    numbers = []
    for title, text in (
        ("Begun anew", f"New.\n\n{TEXT}"),
        ("Begun otherwise", "A river, in short."),
    ):
        numbers.append(world.approved(world.page(title, TEXT), "river", "River"))
        world.person.do("delete", title=title)
        world.wiki.person(HUMAN).write(title, text)
    publish(world.publisher(), "page")
    assert [world.state(number) for number in numbers] == ["published", "stale"]
    assert world.person.text("Begun anew") == f"New.\n\n{LINKED}"
    assert world.person.text("Begun otherwise") == "A river, in short."


def test_old_revisions_imported_below_our_edit_do_not_hide_it(world: World) -> None:
    title = "Imported below"
    world.page("River", "'''River''' is a word.")
    number = world.approved(world.page(title, TEXT), "river", "River")
    world.die_after_sending(title)
    world.wiki.import_text(title, "An older text.")
    assert publish(world.publisher(), "page").exit_code == 0
    assert world.state(number) == "kept" and world.person.text(title) == LINKED
    assert [row["user"] for row in world.person.history(title)].count("LinkBot") == 1
