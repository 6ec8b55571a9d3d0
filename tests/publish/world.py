"""A small world to publish in: a real wiki, a database that knows its pages, and suggestions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from tests.mediawiki import BOT, Person, Wiki
from wikibot.config import load_settings
from wikibot.publish.publisher import Choice, Publisher, open_publisher
from wikibot.publish.publishing import publish
from wikibot.store import Store, decisions, open_store, outbox, page_writes, tables
from wikibot.wikitext import Insertion, SiteRules, link_markup, read_page

QUICK = {"settle_s": 0, "longest_wait_s": 0, "page_cap": 50, "daily_cap": 10_000}
RULES = SiteRules.for_language("en")


class Killed(BaseException):
    """The end of a publisher that nothing in it can catch."""


@dataclass(slots=True)
class World:
    """Pages are written by a person and known to the database at that revision."""

    wiki: Wiki
    person: Person
    store: Store
    wiki_id: int

    @classmethod
    def make(cls, wiki: Wiki, person: Person, database: Path, *, api: str = "") -> World:
        store = open_store(database, create=True)
        with store.writing() as session:
            wiki_id = page_writes.save_wiki(session, "testwiki", RULES, api_url=api or wiki.api)
        return cls(wiki, person, store, wiki_id)

    def page(self, title: str, text: str) -> int:
        """TITLE is on the wiki with TEXT and in the database at that revision; its row."""
        revision = self.person.write(title, text)
        return self.know(title, text, revision)

    def know(self, title: str, text: str, revision: int) -> int:
        with self.store.writing() as session:
            row = session.scalar(select(tables.Page).where(tables.Page.title == title))
            row = row or tables.Page(wiki_id=self.wiki_id, title=title, page_id=revision)
            row.namespace, row.revision_id = 0, revision
            row.wikitext = text
            session.add(row)
            session.flush()
            return row.id

    def bot(self) -> Person:
        """The bot's account without the bot's code."""
        return self.wiki.person(BOT)

    def die_after_sending(self, title: str) -> None:
        """A publisher sends the edit of TITLE, its first one, and dies before it hears the answer."""

        def die(point: str) -> None:
            if point == "sent":
                raise Killed

        with pytest.raises(Killed):
            publish(replace(self.publisher(), reached=die), "page")
        row = self.edits()[0]
        assert (row.title, row.state) == (title, "sent")
        self.bot().write(title, row.text, summary=row.summary)

    def put(self, title: str, text: str) -> None:
        """TITLE holds TEXT byte for byte, as an import leaves it, and the database knows it."""
        self.wiki.import_text(title, text)
        self.know(title, text, self.person.history(title)[0]["revid"])

    def retitle(self, page_id: int, title: str) -> None:
        """The database has heard that a page was moved."""
        with self.store.writing() as session:
            session.get_one(tables.Page, page_id).title = title

    def page_row(self, title: str) -> int:
        with self.store.reading() as session:
            query = select(tables.Page.id).where(tables.Page.title == title)
            return session.execute(query).scalar_one()

    def know_as(self, api: str) -> None:
        """The database knows the wiki at another address, for example a proxy's."""
        with self.store.writing() as session:
            session.get_one(tables.Wiki, self.wiki_id).api_url = api

    def suggest(self, page_id: int, anchor: str, target: str, *, state: str = "pending") -> int:
        """A suggestion to link the first ANCHOR of the page to TARGET; its number."""
        with self.store.writing() as session:
            page = session.get_one(tables.Page, page_id)
            goal = session.scalar(select(tables.Page).where(tables.Page.title == target))
            assert goal is not None, f"write the page {target} first"
            row = tables.Suggestion(
                wiki_id=self.wiki_id,
                page_id=page_id,
                target_id=goal.id,
                revision_id=page.revision_id,
                **place_of(page.wikitext, anchor, target),
                probability=0.9,
                reasons=[],
                state=state,
                created_at=datetime.now(timezone.utc),
            )
            session.add(row)
            session.flush()
            return row.id

    def approve(self, *numbers: int, reviewer: str = "Ann") -> None:
        for number in numbers:
            with self.store.writing() as session:
                voice = decisions.Voice(reviewer, "web")
                decisions.decide(session, number, "approve", voice)

    def approved(self, page_id: int, anchor: str, target: str) -> int:
        number = self.suggest(page_id, anchor, target)
        self.approve(number)
        return number

    def publisher(self, *, is_dry_run: bool = False, **settings: Any) -> Publisher:
        """A publisher at work, with no waiting unless a test asks for it."""
        effective = load_settings(environ={}, **{**QUICK, **settings})
        publisher = open_publisher(self.store, effective, Choice(), is_dry_run=is_dry_run)
        return replace(publisher, wait=lambda _: None)

    def state(self, number: int) -> str:
        with self.store.reading() as session:
            return outbox.states_of(session, [number])[number]

    def edits(self, **conditions: Any) -> list[outbox.OutboxRow]:
        with self.store.reading() as session:
            return outbox.edits(session, self.wiki_id, **conditions)


def place_of(text: str, anchor: str, target: str) -> dict[str, Any]:
    start = text.index(anchor)
    end = start + len(anchor)
    sentence = read_page(text, RULES).sentence_at(start)
    assert sentence is not None
    return {
        "start": start,
        "end": end,
        "anchor": anchor,
        "wikitext": link_markup(text, Insertion(start, end, target), RULES),
        "sentence_start": sentence.start,
        "sentence_end": sentence.end,
        "sentence": sentence.text,
    }
