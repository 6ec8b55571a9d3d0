"""Whatever happens to the publisher or its answers, each approved edit is made exactly once."""

from __future__ import annotations

import os
import random
from dataclasses import replace

import pytest

from tests.crash.scene import Scene, check_pages
from tests.mediawiki import BOT
from tests.mediawiki.faults import FAULTS, KILLS
from wikibot.publish.publisher import POINTS
from wikibot.publish.talk import ITEM, START

pytestmark = [pytest.mark.crash, pytest.mark.wiki]

ALL = bool(os.environ.get("WIKIBOT_ALL_SCHEDULES"))
SCHEDULES = range(200 if ALL else 40)


@pytest.mark.parametrize("point", POINTS[:-1])
def test_a_publisher_killed_at_a_point_goes_on_where_it_was(scene: Scene, point: str) -> None:
    scene.add_page(f"Killed at {point}", 2, state="approved")
    assert scene.publish(point=point) == -9
    scene.publish_until_quiet()
    check_pages(scene)
    assert len(scene.world.edits(states=("done",))) == 1


def test_a_publisher_killed_while_settling_what_a_dead_one_left_settles_it_again(
    scene: Scene,
) -> None:
    scene.add_page("Killed twice", 2, state="approved")
    assert scene.publish(fault="killed after") == -9
    assert scene.publish(point="settled") == -9
    scene.publish_until_quiet()
    check_pages(scene)
    assert len(scene.world.edits(states=("done",))) == 1


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_on_the_way_neither_loses_nor_doubles_the_edit(scene: Scene, fault: str) -> None:
    title = f"Fault {fault}"
    scene.add_page(title, 2, state="approved")
    code = scene.publish(fault=fault, later_tries=1)
    assert len(scene.proxy.edits) == 1, "one edit must be one request"
    assert code == -9 if fault in KILLS else code in (0, 3, 4)
    scene.publish_until_quiet()
    check_pages(scene)
    ours = [row for row in scene.world.person.history(title) if row["user"] == BOT.name]
    assert len(ours) == 1
    forms = [form for form in scene.proxy.edits if form["title"] == title]
    assert all(form["baserevid"] and form["nocreate"] and form["md5"] for form in forms)


@pytest.mark.parametrize("seed", SCHEDULES)
def test_any_schedule_of_faults_ends_with_each_edit_made_once(scene: Scene, seed: int) -> None:
    chance = random.Random(seed)
    for number in range(chance.randint(1, 3)):
        scene.add_page(f"Schedule {seed} page {number}", chance.randint(1, 4), state="approved")
    for _ in range(chance.randint(1, 3)):
        fault = chance.choice(("", *FAULTS))
        point = chance.choice(("", "", *POINTS))
        scene.publish(fault=fault, point=point, times=chance.randint(1, 2))
        if chance.random() < 0.5:
            title = chance.choice(scene.titles)
            scene.edit_meanwhile(title, chance.randint(0, 2), f" Note {chance.random()}.")
    scene.publish_until_quiet()
    check_pages(scene)


@pytest.mark.parametrize("fault", ["reset after", "killed after", "killed before", "late"])
def test_a_talk_page_gets_one_section_whatever_happens(scene: Scene, fault: str) -> None:
    title = f"Talked about {fault}"
    scene.add_page(title, 3, state="pending")
    scene.orders = replace(scene.orders, destination="talk")
    scene.publish(fault=fault)
    scene.publish_until_quiet()
    talk = scene.world.person.text(f"Talk:{title}") or ""
    assert len(START.findall(talk)) == 1
    numbers = [found[1] for line in talk.split("\n") if (found := ITEM.search(line))]
    assert len(numbers) == len(set(numbers)) == 3
