"""What the crash tests share: pages with approved links, people who edit, the final check."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import select

from tests.crash import publisher
from tests.crash.publisher import Orders
from tests.mediawiki import BOT
from tests.mediawiki.faults import FaultyProxy
from tests.publish.world import World
from wikibot.store import outbox
from wikibot.store.tables import Page, Suggestion
from wikibot.wikitext import SiteRules, read_page

PARAGRAPHS = (
    "The Severn is a river. It rises in Wales and flows to the sea.",
    "It has a bridge near the coast, and a ferry crossed it before.",
    "Salmon live in the water, and people fish there.",
)
LINKS = (("river", "River"), ("Wales", "Wales"), ("bridge", "Bridge"), ("Salmon", "Salmon"))


@dataclass(slots=True)
class Scene:
    """Pages with approved links, a publisher that dies, and people who edit meanwhile."""

    world: World
    proxy: FaultyProxy
    orders: Orders
    titles: list[str] = field(default_factory=list)
    added: dict[str, list[str]] = field(default_factory=dict)
    account: str = BOT.name  # whose edits are ours

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


def without_links(text: str) -> str:
    page = read_page(text, SiteRules.for_language("en"))
    for link in reversed(page.links):
        text = text[: link.start] + text[link.anchor_start : link.anchor_end] + text[link.end :]
    return text


def check_pages(scene: Scene) -> None:
    """Every approved edit is in the history once, nothing of others is lost, the database agrees."""
    done = scene.world.edits(states=("done",))
    rows = {row.new_revision: row for row in done if row.title in scene.titles}
    assert not scene.world.edits(states=("planned", "sent", "unknown"))
    seen = set()
    for title in scene.titles:
        text = scene.world.person.text(title) or ""
        ours = [row for row in scene.world.person.history(title) if row["user"] == scene.account]
        for revision in ours:
            assert revision["revid"] in rows, (
                revision,
                scene.world.edits(),
                scene.world.person.history(title),
            )
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
