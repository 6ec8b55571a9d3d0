"""Killed while people of the service save as themselves: each edit is in the history once.

`wikibot serve` on PostgreSQL, as it is started in earnest, and somebody who has logged in through the
wiki. The saving process, or the whole service with it, is killed a while after the nth request that
it has sent to the wiki, or at the edit itself; other schedules break the answers. Then somebody
presses the buttons again.
"""

from __future__ import annotations

import os
import random
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import requests

from tests.crash.publisher import Orders
from tests.crash.scene import LINKS, Scene, check_pages
from tests.crash.test_random_kills import at_request
from tests.mediawiki import ADMIN, Wiki
from tests.mediawiki.faults import FAULTS, KILLS, FaultyProxy
from tests.mediawiki.oauth2 import PHP, RealWiki, running
from tests.mediawiki.wiki import Account
from tests.publish.world import World
from tests.review.conftest import hidden_fields
from tests.running_service import RunningService, running_service
from tests.store.postgres import postgres_server
from tests.waiting import wait_until
from wikibot.publish import saving
from wikibot.store import runs

pytestmark = [pytest.mark.crash, pytest.mark.wiki, pytest.mark.postgres]

ALL = bool(os.environ.get("WIKIBOT_ALL_SCHEDULES"))
SCHEDULES = range(100 if ALL else 6)
# To save two pages asks the wiki more often than this.
MOST_REQUESTS = 18
LONGEST_PAUSE_S = 0.03
WAIT_S = 300
ANN = Account("Ann", "Ann-local-password-1")
SAVER = b"wikibot.web.team_runs"
SETTINGS = {
    "WIKIBOT_WORKERS": "1",
    "WIKIBOT_REVIEW_EDITS": "0",
    "WIKIBOT_PUBLISH_EDITS": "0",
    "WIKIBOT_PUBLISH_GROUPS": "",
    "WIKIBOT_RECHECK_MINUTES": "60",
    "WIKIBOT_SAVE_INTERVAL_S": "0",
    "WIKIBOT_SETTLE_S": "0",
    "WIKIBOT_LONGEST_WAIT_S": "0",
    "WIKIBOT_PAGE_CAP": "50",
}


@dataclass(slots=True)
class Desk:
    """The service, and Ann's browser, which stays logged in whatever happens to the service."""

    service: RunningService
    scene: Scene
    browser: requests.Session

    def get(self, path: str) -> str:
        return self.browser.get(f"{self.service.origin}{path}", timeout=WAIT_S).text

    def press(self, action: str) -> None:
        """Sends the form of the publish page with this action."""
        form = hidden_fields(self.get("/publish"), action)
        answer = self.browser.post(
            f"{self.service.origin}{action}",
            form,
            headers={"Sec-Fetch-Site": "same-origin"},
            timeout=WAIT_S,
            allow_redirects=False,
        )
        assert answer.status_code == 303, answer.text

    def check_and_save(self) -> None:
        """What Ann has approved is checked and saved, as far as the service lives."""
        self.press("/publish/check")
        self.wait_for(saving.CHECK)
        if 'action="/publish/save"' in self.get("/publish"):
            self.press("/publish/save")
            self.wait_for(saving.SAVE)

    def wait_for(self, kind: str) -> None:
        """The newest run of this kind has ended, or the service was killed."""
        wait_until(lambda: self.is_over(kind), within_s=WAIT_S, what=f"the end of {kind}")

    def is_over(self, kind: str) -> bool:
        with self.scene.world.store.reading() as session:
            (newest,) = runs.latest_runs(session, limit=1, command=kind)
        return self.service.process is None or newest.state != "running"

    def kill_saver(self) -> None:
        """The process that saves is gone; the service lives."""
        assert self.service.process is not None
        for pid in descendants(self.service.process.pid):
            with suppress(OSError):
                if SAVER in Path(f"/proc/{pid}/cmdline").read_bytes():
                    os.kill(pid, signal.SIGKILL)

    def kill_all(self) -> None:
        """The process that saves is gone, and the service as well."""
        self.kill_saver()
        self.service.kill()


def descendants(parent: int) -> list[int]:
    """The processes that this one has started, and those that they have."""
    with suppress(OSError):
        told = Path(f"/proc/{parent}/task").iterdir()
        words = [word for task in told for word in (task / "children").read_text().split()]
        return [pid for child in map(int, words) for pid in (child, *descendants(child))]
    return []


@pytest.fixture(scope="module")
def office(wiki_template: Wiki, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """One service and one wiki for the module; each test has pages of its own."""
    folder = tmp_path_factory.mktemp("service")
    with ExitStack() as stack:
        wiki = stack.enter_context(wiki_template.copy_to(folder / "wiki"))
        wiki.extra(PHP.read_text())
        wiki.maintenance("createAndPromote", ANN.name, ANN.password)
        proxy = stack.enter_context(FaultyProxy(wiki.port))
        where = stack.enter_context(postgres_server()).new_database()
        world = World.make(wiki, wiki.person(ADMIN), where, api=proxy.api)  # type: ignore[arg-type]
        stack.enter_context(world.store)
        for _, target in LINKS:
            world.page(target, f"'''{target}''' is a word.")
        provider = stack.enter_context(running(RealWiki(wiki)))
        more = {**SETTINGS, "WIKIBOT_OAUTH_URL": provider.rest_url}
        service = stack.enter_context(running_service(where, folder, **more))
        provider.register(f"{service.origin}/login/return")
        scene = Scene(world, proxy, Orders(proxy.api, folder, Path(where)), account=ANN.name)
        yield Desk(service, scene, logged_in(service))


def logged_in(service: RunningService) -> requests.Session:
    """Ann's browser, after she has allowed the service to act for her."""
    browser = requests.Session()
    asked = browser.get(f"{service.origin}/login", timeout=WAIT_S)
    form = {"name": ANN.name, "password": ANN.password, "answer": "yes"}
    back = browser.post(asked.url, form, timeout=WAIT_S)
    assert back.status_code == 200, back.text
    return browser


@pytest.fixture
def desk(office: Desk) -> Iterator[Desk]:
    office.scene.proxy.reset()
    scene = replace(office.scene, titles=[], added={})
    yield replace(office, scene=scene)
    if office.service.process is None:
        office.service.start()


def save_until_quiet(desk: Desk) -> None:
    """Without faults, pressing the buttons a few times settles everything."""
    for _ in range(3):
        if not desk.scene.unsettled():
            return
        desk.check_and_save()
    assert desk.scene.unsettled() == []


def save_under(
    desk: Desk, *, fault: str, kill_at: int, kill: Callable[[], None], pause_s: float
) -> None:
    """One press of Save, with something going wrong; the service answers again afterwards."""
    desk.press("/publish/check")
    desk.wait_for(saving.CHECK)
    proxy = desk.scene.proxy
    proxy.plan, proxy.kill = [fault] if fault else [], desk.kill_saver
    if kill_at:
        proxy.seen = at_request(kill_at, kill, pause_s)
    with suppress(requests.RequestException):
        if 'action="/publish/save"' in desk.get("/publish"):
            desk.press("/publish/save")
            desk.wait_for(saving.SAVE)
    proxy.plan, proxy.seen = [], lambda: None
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join(WAIT_S)
    if desk.service.process is None:
        desk.service.start()
    proxy.settle()


@pytest.mark.parametrize("fault", FAULTS if ALL else (*KILLS, "reset after", "late"))
def test_a_fault_at_the_edit_neither_loses_nor_doubles_it(desk: Desk, fault: str) -> None:
    desk.scene.add_page(f"Service {fault}", 2, state="approved")
    save_under(desk, fault=fault, kill_at=0, kill=desk.kill_saver, pause_s=0)
    assert desk.scene.proxy.edits, "something was saved"
    save_until_quiet(desk)
    check_pages(desk.scene)


@pytest.mark.parametrize("seed", SCHEDULES)
def test_any_schedule_ends_with_each_edit_made_once(desk: Desk, seed: int) -> None:
    chance = random.Random(seed)
    for number in range(2):
        desk.scene.add_page(f"Service {seed} page {number}", chance.randint(1, 4), state="approved")
    for _ in range(chance.choice((1, 1, 2))):
        if not desk.scene.unsettled():
            break
        save_under(
            desk,
            fault=chance.choice(("", "", *FAULTS)),
            kill_at=chance.randint(1, MOST_REQUESTS),
            kill=desk.kill_all if seed % 2 else desk.kill_saver,
            pause_s=chance.uniform(0.0001, LONGEST_PAUSE_S),
        )
        if chance.random() < 0.5:
            title = chance.choice(desk.scene.titles)
            desk.scene.edit_meanwhile(title, 2, f" Note {chance.random()}.")
    save_until_quiet(desk)
    check_pages(desk.scene)


def test_whose_save_was_killed_can_save_again_at_once(desk: Desk) -> None:
    """Only the saving process is gone; the service has not been started anew."""
    desk.scene.add_page("Service goes on", 1, state="approved")
    save_under(desk, fault="killed before", kill_at=0, kill=desk.kill_saver, pause_s=0)
    with desk.scene.world.store.reading() as session:
        (newest,) = runs.latest_runs(session, limit=1, command=saving.SAVE)
    assert newest.state == "interrupted"
    desk.check_and_save()
    assert desk.scene.unsettled() == []
    check_pages(desk.scene)
