"""Two publishers at once, a full disk, a read-only database, a jumping clock: nothing is lost."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from sqlalchemy import update

from tests.crash import publisher
from tests.crash.publisher import NOBODY
from tests.crash.scene import Scene, check_pages
from tests.mediawiki import BOT
from tests.mediawiki.fixtures import UsePywikibot
from wikibot.publish import reconcile, send_edit
from wikibot.publish.publishing import publish
from wikibot.store.lock import only_one
from wikibot.store.tables import Outbox

pytestmark = [pytest.mark.crash, pytest.mark.wiki]


def our_edits(scene: Scene, title: str) -> int:
    return sum(row["user"] == BOT.name for row in scene.world.person.history(title))


def test_a_second_publisher_is_told_to_come_back_later(scene: Scene) -> None:
    scene.add_page("Locked out", 1, state="approved")
    with only_one(scene.world.store, "publish"):
        assert scene.publish(disaster="busy") == 3
    assert "Another process is busy" in sentence(scene)
    assert our_edits(scene, "Locked out") == 0 and not scene.proxy.edits
    assert scene.publish() == 0
    check_pages(scene)


def test_two_publishers_started_together_make_each_edit_once(scene: Scene) -> None:
    for number in range(3):
        scene.add_page(f"Together {number}", 2, state="approved")
    both = [publisher.start(scene.orders) for _ in range(2)]
    for process in both:
        process.join(timeout=120)
    assert {process.exitcode for process in both} <= {0, 3}
    scene.publish_until_quiet()
    check_pages(scene)
    assert [our_edits(scene, title) for title in scene.titles] == [1, 1, 1]


@pytest.mark.parametrize("point", ["planned", "sent", "answered"])
def test_a_full_disk_ends_in_one_sentence_and_loses_nothing(scene: Scene, point: str) -> None:
    title = f"Full disk {point}"
    scene.add_page(title, 2, state="approved")
    assert scene.publish(point=point, disaster="full disk") == 1
    assert "wikibot.db" in sentence(scene) and "\n" not in sentence(scene)
    assert our_edits(scene, title) == (point != "planned")
    scene.publish_until_quiet()
    check_pages(scene)
    assert our_edits(scene, title) == 1


def sentence(scene: Scene) -> str:
    return (scene.orders.folder / "sentence").read_text()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user can reach; pytest's own are closed to others."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_a_read_only_database_ends_in_one_sentence_before_anything_is_sent(
    scene: Scene, open_folder: Path
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody who may not write here")
    scene.add_page("Unwritable", 1, state="approved")
    database = open_folder / "wikibot.db"
    scene.world.store.close()
    database.write_bytes(scene.orders.database.read_bytes())
    database.chmod(0o444)
    home = open_folder / "pywikibot"
    home.mkdir()
    os.chown(home, NOBODY, NOBODY)
    scene.orders = replace(scene.orders, database=database, folder=home)
    assert scene.publish(disaster="unwritable") == 1
    assert "could not be opened (Permission denied)" in sentence(scene)
    open_folder.chmod(0o777)
    assert scene.publish(disaster="unwritable") == 1
    assert "may not be written to" in sentence(scene)
    assert our_edits(scene, "Unwritable") == 0 and not scene.proxy.edits


@pytest.mark.parametrize("year", [1999, 2099])
def test_a_clock_that_jumps_changes_neither_the_pace_nor_the_caps(
    scene: Scene, use_pywikibot: UsePywikibot, monkeypatch: pytest.MonkeyPatch, year: int
) -> None:
    class Jumped(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:
            return datetime(year, 1, 1, tzinfo=timezone.utc)

    for number in range(3):
        scene.add_page(f"Clock {year} {number}", 1, state="approved")
    use_pywikibot(scene.proxy.api)
    monkeypatch.setattr(send_edit, "datetime", Jumped)
    monkeypatch.setattr(reconcile, "datetime", Jumped)
    waits: list[float] = []
    publisher = replace(scene.world.publisher(daily_cap=2), edit_interval_s=10.0, wait=waits.append)
    report = publish(publisher, "page")
    assert [outcome.state for outcome in report.outcomes] == ["done", "done"]
    assert report.exit_code == 3 and "daily_cap" in report.stopped
    assert len(waits) == 2 and all(0 < wait <= 10 for wait in waits)


def test_a_wiki_whose_clock_was_set_back_is_waited_for_once(
    scene: Scene, use_pywikibot: UsePywikibot
) -> None:
    for number in range(2):
        scene.add_page(f"Set back {number}", 1, state="approved")
    use_pywikibot(scene.proxy.api)
    assert publish(scene.world.publisher(), "page", trial=1).exit_code == 0
    with scene.world.store.writing() as session:
        ahead = datetime.now(timezone.utc) + timedelta(days=400)
        session.execute(update(Outbox).values(sent_at=ahead))
    waits: list[float] = []
    publisher = replace(scene.world.publisher(), edit_interval_s=10.0, wait=waits.append)
    assert publish(publisher, "page").exit_code == 0
    assert waits == [10.0]
    check_pages(scene)
