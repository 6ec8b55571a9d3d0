"""Whatever happens to the publisher or its answers, each approved edit is made exactly once."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from tests.crash import publisher
from tests.crash.publisher import Orders
from tests.mediawiki import ADMIN, BOT, HUMAN, Wiki
from tests.mediawiki.faults import FAULTS, KILLS, FaultyProxy
from tests.publish.world import World
from wikibot.publish.desk import POINTS
from wikibot.publish.talk import ITEM, START
from wikibot.store import outbox
from wikibot.store.tables import Page, Suggestion
from wikibot.wikitext import SiteRules, read_page

pytestmark = [pytest.mark.crash, pytest.mark.wiki]

PARAGRAPHS = (
    "The Severn is a river. It rises in Wales and flows to the sea.",
    "It has a bridge near the coast, and a ferry crossed it before.",
    "Salmon live in the water, and people fish there.",
)
LINKS = (("river", "River"), ("Wales", "Wales"), ("bridge", "Bridge"), ("Salmon", "Salmon"))
ALL = bool(os.environ.get("WIKIBOT_ALL_SCHEDULES"))
SCHEDULES = range(200 if ALL else 40)


@dataclass(slots=True)
class Scene:
    """Pages with approved links, a publisher that dies, and people who edit meanwhile."""

    world: World
    proxy: FaultyProxy
    orders: Orders
    titles: list[str] = field(default_factory=list)
    added: dict[str, list[str]] = field(default_factory=dict)

    def add_page(self, title: str, links: int, *, state: str) -> None:
        page = self.world.page(title, "\n\n".join(PARAGRAPHS))
        self.titles.append(title)
        self.added[title] = []
        for anchor, target in LINKS[:links]:
            number = self.world.suggest(page, anchor, target)
            if state == "approved":
                self.world.approve(number)

    def edit_meanwhile(self, title: str, paragraph: int, words: str) -> None:
        """A person adds words to the end of a paragraph."""
        text = self.world.person.text(title) or ""
        lines = text.split("\n\n")
        lines[paragraph] += words
        self.world.person.write(title, "\n\n".join(lines))
        self.added[title].append(words)

    def publish(self, *, fault: str = "", **orders: Any) -> int:
        """One run of a publisher; its exit code, -9 if it was killed."""
        self.proxy.plan = [fault] if fault else []
        process = publisher.start(replace(self.orders, **orders))
        self.proxy.kill = lambda: publisher.kill(process)
        process.join(timeout=120)
        assert process.exitcode is not None, "the publisher hangs"
        return int(process.exitcode)

    def publish_until_quiet(self) -> None:
        """Without faults, a few runs settle everything."""
        for _ in range(3):
            if self.publish() == 0 and not self.unsettled():
                return
        raise AssertionError(f"publishing does not come to rest: {self.unsettled()}")

    def unsettled(self) -> list[object]:
        with self.world.store.reading() as session:
            waiting = select(Suggestion.id).where(Suggestion.state == "approved")
            return [
                *session.scalars(waiting),
                *outbox.in_flight(session, self.world.wiki_id),
            ]


@pytest.fixture(scope="module")
def proxy(shared_wiki: Wiki) -> Iterator[FaultyProxy]:
    admin = shared_wiki.person(ADMIN)
    admin.write_pages({target: f"'''{target}''' is a word." for _, target in LINKS})
    with FaultyProxy(shared_wiki.port) as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pywikibot")


@pytest.fixture
def scene(shared_wiki: Wiki, proxy: FaultyProxy, folder: Path, tmp_path: Path) -> Iterator[Scene]:
    proxy.plan, proxy.edits = [], []
    database = tmp_path / "wikibot.db"
    world = World.make(shared_wiki, shared_wiki.person(HUMAN), database, api=proxy.api)
    for _, target in LINKS:
        world.know(target, f"'''{target}''' is a word.", 1)
    with world.store:
        yield Scene(world, proxy, Orders(proxy.api, folder, database))


def without_links(text: str) -> str:
    page = read_page(text, SiteRules.for_language("en"))
    for link in reversed(page.links):
        text = text[: link.start] + text[link.anchor_start : link.anchor_end] + text[link.end :]
    return text


def check_pages(scene: Scene) -> None:
    """Every approved edit is in the history once, nothing of others is lost, the database agrees."""
    rows = {row.new_revision: row for row in scene.world.edits(states=("done",))}
    assert not scene.world.edits(states=("planned", "sent", "unknown"))
    seen = set()
    for title in scene.titles:
        text = scene.world.person.text(title) or ""
        ours = [row for row in scene.world.person.history(title) if row["user"] == BOT.name]
        for revision in ours:
            assert revision["revid"] in rows, (revision, scene.world.edits(), scene.world.person.history(title))
            row = rows[revision["revid"]]
            assert row.marker in revision["comment"] and row.title == title
            seen.add(revision["revid"])
        assert len({row["comment"] for row in ours}) == len(ours), "an edit was made twice"
        assert all(text.count(words) == 1 for words in scene.added[title]), "an edit was lost"
        plain = without_links(text)
        for words in scene.added[title]:
            plain = plain.replace(words, "")
        assert plain == "\n\n".join(PARAGRAPHS)
        assert_links_are_there_once(scene, title, text)
    assert seen == set(rows), "the database knows of edits that the wiki does not"


def assert_links_are_there_once(scene: Scene, title: str, text: str) -> None:
    linked = [link.target for link in read_page(text, SiteRules.for_language("en")).links]
    assert len(linked) == len(set(linked)), "a link was put in twice"
    with scene.world.store.reading() as session:
        query = (
            select(Suggestion).join(Page, Page.id == Suggestion.page_id).where(Page.title == title)
        )
        for suggestion in session.scalars(query):
            is_there = suggestion.target.title in linked
            assert is_there == (suggestion.state in ("published", "kept")), (
                title,
                suggestion.state,
            )
            assert suggestion.state != "approved"


@pytest.mark.parametrize("point", POINTS[:-1])
def test_a_publisher_killed_at_a_point_goes_on_where_it_was(scene: Scene, point: str) -> None:
    scene.add_page(f"Killed at {point}", 2, state="approved")
    assert scene.publish(point=point) == -9
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
