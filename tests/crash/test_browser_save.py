"""Killed while the review page saves: after a new start and a new save each edit is there once.

The server is the command as people run it. It is killed a while after the nth request that it has
sent to the wiki; pages are then saved by a second server.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

import pytest
import requests

from tests.crash.scene import Scene, check_pages
from tests.mediawiki import Wiki
from tests.review.conftest import hidden_fields
from tests.waiting import wait_until
from wikibot.publish import saving
from wikibot.store import runs

pytestmark = [pytest.mark.crash, pytest.mark.wiki]

SEEDS = range(6)
# To save two pages asks the wiki more often than this.
MOST_REQUESTS = 18
LONGEST_PAUSE_S = 0.03


@dataclass(slots=True)
class Server:
    """`wikibot review` in a process of its own, and a browser that has its key."""

    process: subprocess.Popen[str]
    scene: Scene
    browser: requests.Session
    address: str

    def get(self, path: str) -> str:
        return self.browser.get(urljoin(self.address, path), timeout=60).text

    def press(self, action: str) -> None:
        """Sends the form of the publish page with this action, if the page has it."""
        form = hidden_fields(self.get("/publish"), action)
        self.browser.post(urljoin(self.address, action), form, timeout=60, allow_redirects=False)

    def check(self) -> None:
        """Everything approved is checked on the wiki."""
        self.press("/publish/check")
        self.wait_for(saving.CHECK)

    def save(self) -> None:
        """What was checked is saved, as far as this server lives."""
        self.press("/publish/save")
        self.wait_for(saving.SAVE)

    def wait_for(self, kind: str) -> None:
        """The newest run of this kind has ended, or the server has."""
        wait_until(lambda: self.is_over(kind), within_s=120, what=f"the end of {kind}")
        if self.process.poll() is not None:
            raise ConnectionError("the server was killed")

    def is_over(self, kind: str) -> bool:
        with self.scene.world.store.reading() as session:
            (newest,) = runs.latest_runs(session, limit=1, command=kind)
        return self.process.poll() is not None or newest.state != "running"


@contextmanager
def served(scene: Scene, wiki: Wiki, folder: Path) -> Iterator[Server]:
    """A server that ends with this block, if it was not killed before."""
    environment = {
        **os.environ,
        "PYWIKIBOT_DIR": str(wiki.pywikibot_folder(folder, api=scene.proxy.api)),
        "WIKIBOT_SETTLE_S": "0",
        "WIKIBOT_LONGEST_WAIT_S": "0",
        "WIKIBOT_PAGE_CAP": "50",
    }
    command = ["review", "--no-browser", "--reviewer", "Human", "--db", str(scene.orders.database)]
    process = subprocess.Popen(
        [sys.executable, "-m", "wikibot", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        browser = requests.Session()
        browser.get(address, timeout=60)
        yield Server(process, scene, browser, address)
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_server_killed_while_it_saves_makes_each_edit_once(
    scene: Scene, shared_wiki: Wiki, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    for number in range(2):
        scene.add_page(f"Saved {seed} {number}", chance.randint(1, 4), state="approved")
    with served(scene, shared_wiki, tmp_path / "first") as server:
        server.check()
        kill_at_request(scene, server, chance.randint(1, MOST_REQUESTS), chance)
        with suppress(requests.RequestException, ConnectionError):
            server.save()
        assert server.process.wait(timeout=60) == -9, "it was killed while it saved"
    scene.proxy.seen = lambda: None
    scene.proxy.settle()
    for number in range(2):
        if chance.random() < 0.5:
            scene.edit_meanwhile(f"Saved {seed} {number}", 2, f" Note {chance.random()}.")
    assert scene.unsettled(), "it was killed before all was saved"
    with served(scene, shared_wiki, tmp_path / "second") as server:
        with scene.world.store.reading() as session:
            assert all(run.state != "running" for run in runs.latest_runs(session))
        server.check()
        server.save()
    assert scene.unsettled() == []
    check_pages(scene)


def kill_at_request(scene: Scene, server: Server, number: int, chance: random.Random) -> None:
    """The server dies a while after its nth request has reached the wiki."""
    left = [number]
    pause_s = chance.uniform(0.0001, LONGEST_PAUSE_S)

    def seen() -> None:
        left[0] -= 1
        if left[0] == 0:
            threading.Timer(pause_s, server.process.kill).start()

    scene.proxy.seen = seen
