"""The service publishes by itself and is killed: each approved edit is made exactly once.

The same schedules as for `wikibot publish`, a sample of them, with the scheduler's job at work.
"""

from __future__ import annotations

import os
import random
from dataclasses import replace

import pytest

from tests.crash.scene import Scene, check_pages
from tests.crash.test_random_kills import Meddler, check_page, run_and_kill
from tests.mediawiki import Person
from tests.mediawiki.faults import FAULTS
from wikibot.publish.publisher import POINTS
from wikibot.store import jobs
from wikibot.store.jobs import KILLED

pytestmark = [pytest.mark.crash, pytest.mark.wiki]

ALL = bool(os.environ.get("WIKIBOT_ALL_SCHEDULES"))
SCHEDULES = range(200 if ALL else 10)
KILLS = range(100 if ALL else 10)


@pytest.fixture
def served(scene: Scene) -> Scene:
    """A scene in which the service's job publishes."""
    scene.orders = replace(scene.orders, by_job=True)
    return scene


@pytest.mark.parametrize("point", POINTS[:-1])
def test_a_job_killed_at_a_point_is_run_again_and_makes_the_edit_once(
    served: Scene, point: str
) -> None:
    served.add_page(f"Job killed at {point}", 2, state="approved")
    assert served.publish(point=point) == -9
    with served.world.store.reading() as session:
        assert [job.state for job in jobs.jobs(session)] == ["running"], "it was in the middle"
    served.publish_until_quiet()
    check_pages(served)
    assert len(served.world.edits(states=("done",))) == 1
    with served.world.store.reading() as session:
        (job,) = jobs.jobs(session)
    assert job.state == "waiting" and job.failures >= 1 and job.last_error in (None, KILLED)


@pytest.mark.parametrize("seed", SCHEDULES)
def test_any_schedule_of_faults_ends_with_each_edit_of_the_job_made_once(
    served: Scene, seed: int
) -> None:
    chance = random.Random(seed)
    for number in range(chance.randint(1, 3)):
        served.add_page(f"Job {seed} page {number}", chance.randint(1, 4), state="approved")
    for _ in range(chance.randint(1, 3)):
        fault, point = chance.choice(("", *FAULTS)), chance.choice(("", "", *POINTS))
        served.publish(fault=fault, point=point, times=chance.randint(1, 2))
        if chance.random() < 0.5:
            title = chance.choice(served.titles)
            served.edit_meanwhile(title, chance.randint(0, 2), f" Note {chance.random()}.")
    served.publish_until_quiet()
    check_pages(served)


@pytest.mark.parametrize("seed", KILLS)
def test_a_job_killed_at_any_time_makes_each_edit_once(
    served: Scene, admin: Person, seed: int
) -> None:
    chance = random.Random(seed)
    title = f"Job at any time {seed}"
    served.add_page(title, chance.randint(1, 4), state="approved")
    meddler = Meddler(admin, title, chance)
    for _ in range(chance.choice((1, 1, 2))):
        run_and_kill(served, meddler, chance)
        if chance.random() < 0.5:
            meddler.meddle()
    served.proxy.settle()
    meddler.leave_open()
    served.publish_until_quiet()
    check_page(served, meddler)
