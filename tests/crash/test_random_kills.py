"""Killed at any time while people move, protect, delete and restore pages: each edit is made once.

The moment is drawn by a seed: a while after the nth request reached the wiki. So it falls between
requests, into them, and into the transactions of the database.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from sqlalchemy import select

from tests.crash import publisher
from tests.crash.scene import PARAGRAPHS, Scene, without_links
from tests.mediawiki import BOT, Person
from wikibot.store.tables import Suggestion
from wikibot.wikitext import SiteRules, read_page

pytestmark = [pytest.mark.crash, pytest.mark.wiki]

SEEDS = range(100)
# A run that makes one edit asks the wiki about so often.
MOST_REQUESTS = 18
LONGEST_PAUSE_S = 0.03
EN = SiteRules.for_language("en")


@dataclass(slots=True)
class Meddler:
    """Somebody who does something to the page, and knows where it is now."""

    admin: Person
    title: str
    chance: random.Random
    done: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)

    def meddle(self) -> None:
        is_there = self.admin.text(self.title) is not None
        acts = (self.move, self.protect, self.delete, self.edit) if is_there else (self.restore,)
        act = self.chance.choice(acts)
        act()
        self.done.append(act.__name__)

    def move(self) -> None:
        to = f"{self.title} {len(self.done)}"
        self.admin.do("move", **{"from": self.title, "to": to})
        self.title = to

    def protect(self) -> None:
        self.admin.do("protect", title=self.title, protections="edit=sysop")

    def delete(self) -> None:
        self.admin.do("delete", title=self.title)

    def restore(self) -> None:
        self.admin.do("undelete", title=self.title)

    def edit(self) -> None:
        words = f" Note {self.chance.random()}."
        self.admin.write(self.title, (self.admin.text(self.title) or "") + words)
        self.added.append(words)

    def leave_open(self) -> None:
        """The page is there and may be edited again."""
        if self.admin.text(self.title) is None:
            self.restore()
        self.admin.do("protect", title=self.title, protections="edit=all")


def at_request(number: int, act: Callable[[], object], pause_s: float = 0) -> Callable[[], None]:
    """ACT happens once, a while after the request with this number has come."""
    left = [number]

    def seen() -> None:
        left[0] -= 1
        if left[0] == 0 and pause_s:
            threading.Timer(pause_s, act).start()
        elif left[0] == 0:
            act()

    return seen


def run_and_kill(scene: Scene, meddler: Meddler, chance: random.Random) -> None:
    """One run of a publisher that is killed at some time, if it lives so long."""
    process = publisher.start(scene.orders)
    last = chance.randint(1, MOST_REQUESTS)
    pause_s = chance.uniform(0.0001, LONGEST_PAUSE_S)
    kill = at_request(last, lambda: publisher.kill(process), pause_s)
    meddle = at_request(chance.randint(1, last), meddler.meddle)

    turn = threading.Lock()

    def seen() -> None:
        with turn:
            if scene.proxy.seen is seen:
                kill()
                meddle()

    scene.proxy.seen = seen
    process.join(timeout=120)
    assert process.exitcode is not None, "the publisher hangs"
    with turn:  # whoever meddles right now comes to an end
        scene.proxy.seen = lambda: None


@pytest.mark.parametrize("seed", SEEDS)
def test_a_publisher_killed_at_any_time_makes_each_edit_once(
    scene: Scene, admin: Person, seed: int
) -> None:
    chance = random.Random(seed)
    title = f"Any time {seed}"
    scene.add_page(title, chance.randint(1, 4), state="approved")
    meddler = Meddler(admin, title, chance)
    for _ in range(chance.choice((1, 1, 2))):
        run_and_kill(scene, meddler, chance)
        if chance.random() < 0.5:
            meddler.meddle()
    scene.proxy.settle()
    meddler.leave_open()
    scene.publish_until_quiet()
    check_page(scene, meddler)


def check_page(scene: Scene, meddler: Meddler) -> None:
    """The page holds what people made of it and our links once, and the database agrees."""
    rows = scene.world.edits(states=("done",))
    assert not scene.world.edits(states=("planned", "sent", "unknown"))
    history = meddler.admin.history(meddler.title)
    ours = [row for row in history if row["user"] == BOT.name]
    told = (meddler.done, rows, history)
    assert sorted(row["revid"] for row in ours) == sorted(r.new_revision or 0 for r in rows), told
    assert all(any(row.marker in one["comment"] for one in ours) for row in rows), told
    text = meddler.admin.text(meddler.title) or ""
    plain = without_links(text)
    for words in meddler.added:
        assert plain.count(words) == 1, "an edit was lost"
        plain = plain.replace(words, "")
    assert plain == "\n\n".join(PARAGRAPHS), told
    linked = [link.target for link in read_page(text, EN).links]
    assert len(linked) == len(set(linked)), "a link was put in twice"
    with scene.world.store.reading() as session:
        for suggestion in session.scalars(select(Suggestion)):
            is_there = suggestion.target.title in linked
            assert is_there == (suggestion.state in ("published", "kept")), (suggestion.state, told)
