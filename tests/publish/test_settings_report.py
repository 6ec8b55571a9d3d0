"""What is wrong with the settings page stands on its talk page: once, and until it is mended."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.mediawiki import BOT, HUMAN
from tests.publish.world import Killed, World
from wikibot.publish.publisher import POINTS, Publisher
from wikibot.publish.settings_report import Told, find_section, report_settings

pytestmark = pytest.mark.wiki

GOOD = {"daily_cap": 500}


def publisher(world: World, title: str) -> Publisher:
    """A publisher that has just read the settings page."""
    return world.publisher(settings_page=title)


def report(world: World, title: str) -> list[str]:
    """What became of each edit that telling took."""
    done = report_settings(publisher(world, title))
    assert not done.stopped, done
    return [outcome.state for outcome in done.outcomes]


def talk(world: World, title: str) -> str:
    return world.person.text(f"Project talk:{title.partition(':')[2]}") or ""


def by_bot(world: World, title: str) -> int:
    name = f"Project talk:{title.partition(':')[2]}"
    return sum(row["user"] == BOT.name for row in world.person.history(name))


def test_a_faulty_revision_is_told_once_and_closed_when_it_is_mended(world: World) -> None:
    title = "Project:Told.json"
    assert report(world, title) == [], "there is no page yet"
    world.person.write(title, json.dumps(GOOD))
    assert report(world, title) == [], "nothing is wrong with it"
    first = world.person.write(title, '{"daily_cup": 5, "page_cap": -1}')
    assert report(world, title) == ["done"]
    text = talk(world, title)
    assert "== The link bot's settings ==" in text and f"Special:Diff/{first}" in text
    assert "daily_cup" in text and "“page_cap” must be a whole number from 1" in text
    section = find_section(text)
    assert section is not None and section.told == Told(first, True)
    assert report(world, title) == [] and by_bot(world, title) == 1, "it is told once"
    second = world.wiki.person(HUMAN).write(title, json.dumps(GOOD))
    assert report(world, title) == ["done"]
    text = talk(world, title)
    assert f"Special:Diff/{second}" in text and "daily_cup" not in text
    assert "Human edited the page last" in text and text.count("wikibot:settings") == 1
    world.person.write(title, json.dumps({"daily_cap": 400}))
    assert report(world, title) == ["done"]
    text = talk(world, title)
    assert "nothing is wrong with it" in text and "Human edited" not in text
    assert report(world, title) == [] and by_bot(world, title) == 3


def test_what_people_write_stays_and_what_they_remove_comes_back_only_with_a_new_fault(
    world: World,
) -> None:
    title = "Project:Answered.json"
    world.person.write(title, "{")
    assert report(world, title) == ["done"]
    name = "Project talk:Answered.json"
    lines = talk(world, title).split("\n")
    lines[-1:-1] = [":I will look at it."]
    world.person.write(name, "\n".join(["Hello.", "", *lines, "", "== Other ==", "More."]))
    world.person.write(title, "[]")
    assert report(world, title) == ["done"]
    text = talk(world, title)
    assert text.startswith("Hello.\n\n== The link bot's settings ==\n<!-- wikibot:settings ")
    assert "\n:I will look at it.\n" in text and text.endswith("\n\n== Other ==\nMore.")
    assert "must be a JSON object" in text and "is not JSON" not in text
    world.person.write(name, "Hello.")
    assert report(world, title) == [] and talk(world, title) == "Hello."
    world.person.write(title, json.dumps(GOOD))
    assert report(world, title) == ["nothing"] and talk(world, title) == "Hello."
    world.person.write(title, "{{")
    assert report(world, title) == ["done"]
    assert talk(world, title).startswith("Hello.\n\n== The link bot's settings ==")


@pytest.mark.parametrize("point", POINTS[:-1])
def test_whoever_is_killed_while_telling_has_told_it_once(world: World, point: str) -> None:
    title = f"Project:Killed at {point}.json"
    world.person.write(title, "{")

    def die(reached: str) -> None:
        if reached == point:
            raise Killed

    with pytest.raises(Killed):
        report_settings(replace(publisher(world, title), reached=die))
    for _ in range(3):
        report_settings(publisher(world, title))
    assert by_bot(world, title) == 1
    assert talk(world, title).count("wikibot:settings") == 1


def test_a_hostile_name_on_the_page_is_shown_as_text(world: World) -> None:
    title = "Project:Hostile.json"
    name = "<!-- wikibot:end -->{{Delete}}</nowiki>~~~~"
    world.person.write(title, json.dumps({name: 1}))
    assert report(world, title) == ["done"]
    text = talk(world, title)
    assert "<nowiki>“&lt;!-- wikibot:end --&gt;{{Delete}}&lt;/nowiki&gt;" in text
    assert report(world, title) == [] and text.count("wikibot:end -->") == 1


def test_the_bot_is_stopped_by_its_shutoff_page_here_too(world: World) -> None:
    title, page = "Project:Stopped.json", f"User:{BOT.name}/Shutoff"
    world.person.write(title, "{")
    world.person.write(page, "stop")
    done = report_settings(publisher(world, title))
    assert "says stop" in done.stopped and talk(world, title) == ""
    world.person.write(page, "run")
    assert report(world, title) == ["done"]


def test_a_dry_run_uses_the_page_and_writes_nothing_down(world: World) -> None:
    from wikibot.store import wiki_settings

    title = "Project:Dry.json"
    world.person.write(title, json.dumps({"daily_cap": 3}))
    dry = world.publisher(is_dry_run=True, settings_page=title)
    assert dry.settings.whole("daily_cap") == 3
    with world.store.reading() as session:
        assert wiki_settings.kept(session, world.wiki_id) is None
    assert publisher(world, title).settings.whole("daily_cap") == 3
    with world.store.reading() as session:
        kept = wiki_settings.kept(session, world.wiki_id)
    assert kept is not None and kept.given == {"daily_cap": 3}


def test_a_publisher_obeys_what_was_set_a_moment_ago(world: World) -> None:
    from wikibot.publish.publishing import publish

    title = "Project:Obeyed.json"
    world.page("River", "'''River''' is a word.")
    for name in ("Obeyed a", "Obeyed b"):
        world.approved(world.page(name, "The Severn is a river."), "river", "River")
    world.person.write(title, json.dumps({"daily_cap": 1, "messages": {"stop": "halt"}}))
    done = publish(publisher(world, title), "page")
    assert [one.state for one in done.outcomes] == ["done"] and "daily_cap is 1" in done.stopped
    (made,) = world.edits(states=("done",))
    assert "|halt]]" in made.summary
