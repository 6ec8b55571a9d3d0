"""The tables that only some tasks need, such as following a wiki or a team's service.

They are apart from `tables`, because each mapped class makes every command start later.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    ForeignKey,
    Index,
    UniqueConstraint,
)
from sqlalchemy.orm import Mapped, mapped_column

from wikibot.store.tables import Base, WikiNumber


class PageReading(Base):
    """What a page's text was read as, kept because to read it again takes long.

    `mark` tells of what it was made; what has another mark is made anew.
    """

    __tablename__ = "page_readings"

    page_id: Mapped[int] = mapped_column(
        ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True
    )
    mark: Mapped[str]
    content: Mapped[bytes]
    scored: Mapped[str | None]  # what its proposals were made of


class LearnedPage(Base):
    """The revision of a page that the models were learned from."""

    __tablename__ = "learned_pages"

    page_id: Mapped[int] = mapped_column(
        ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True
    )
    revision_id: Mapped[WikiNumber]


class FollowPosition(Base):
    """How far `wikibot follow` has come in a wiki's changes."""

    __tablename__ = "follow_positions"

    wiki_id: Mapped[int] = mapped_column(
        ForeignKey("wikis.id", ondelete="CASCADE"), primary_key=True
    )
    timestamp: Mapped[str]  # of the newest change that was handled, as MediaWiki writes it
    event_id: Mapped[str] = mapped_column(default="")  # its place in the event stream


class Idea(Base):
    """A place where a few words about `target` could be written: wikitext[start:end] of `page`, a sentence.

    No name of the target stands there, so there is nothing to publish. States: pending, accepted,
    declined, written (the page links the target by now), stale. A pair has one idea, so that what was
    declined never comes back. `posted_on` is the work list that shows it.
    """

    __tablename__ = "ideas"
    __table_args__ = (
        UniqueConstraint("page_id", "target_id"),
        Index(None, "wiki_id", "state", "score"),
        Index(None, "target_id"),
        CheckConstraint('start < "end"', name="span"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    wiki_id: Mapped[int] = mapped_column(ForeignKey("wikis.id", ondelete="CASCADE"))
    run_id: Mapped[int | None] = mapped_column(ForeignKey("runs.id", ondelete="SET NULL"))
    page_id: Mapped[int] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"))
    target_id: Mapped[int] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"))
    revision_id: Mapped[WikiNumber]
    start: Mapped[int]
    end: Mapped[int]
    sentence: Mapped[str]  # plain text, as a reader sees it
    score: Mapped[float]  # the order of the ideas; not a probability
    reasons: Mapped[list[Any]]  # [{"id": ..., "args": {...}}]
    state: Mapped[str] = mapped_column(default="pending")
    version: Mapped[int] = mapped_column(default=1)
    reviewer: Mapped[str | None]
    source: Mapped[str | None]  # web, terminal, command, talk
    note: Mapped[str | None]
    decided_at: Mapped[datetime | None]
    posted_on: Mapped[str | None]
    created_at: Mapped[datetime]


class AuditVerdict(Base):
    """What a reader of a random draw said of a proposal; it decides nothing."""

    __tablename__ = "audit_verdicts"

    page_id: Mapped[int] = mapped_column(
        ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True
    )
    target_id: Mapped[int] = mapped_column(
        ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True
    )
    verdict: Mapped[str]  # good, small change, bad


class NeverLink(Base):
    """A word, target or page that must never be proposed."""

    __tablename__ = "never_links"
    __table_args__ = (UniqueConstraint("wiki_id", "kind", "value", "source"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    wiki_id: Mapped[int] = mapped_column(ForeignKey("wikis.id", ondelete="CASCADE"))
    kind: Mapped[str]  # word, target, page
    value: Mapped[str]
    source: Mapped[str]  # review, file, wiki
    added_by: Mapped[str]
    added_at: Mapped[datetime]


class Account(Base):
    """Somebody who has logged in to the service through the wiki; tokens are sealed.

    `subject` is the wiki's own name for the account, which stays when it is renamed.
    """

    __tablename__ = "accounts"
    __table_args__ = (UniqueConstraint("wiki_id", "subject"), Index(None, "wiki_id", "name"))

    id: Mapped[int] = mapped_column(primary_key=True)
    wiki_id: Mapped[int] = mapped_column(ForeignKey("wikis.id", ondelete="CASCADE"))
    subject: Mapped[str]
    name: Mapped[str]
    groups: Mapped[list[Any]]
    edit_count: Mapped[int]
    is_blocked: Mapped[bool]
    checked_at: Mapped[datetime]  # when the wiki last told us all this
    claimed_until: Mapped[datetime | None]  # by one request that asks the wiki again
    access_token: Mapped[str | None]
    refresh_token: Mapped[str | None]
    token_expires_at: Mapped[datetime | None]
    created_at: Mapped[datetime]


class WebSession(Base):
    """A browser that is logged in; what it sends is known by its digest only."""

    __tablename__ = "web_sessions"
    __table_args__ = (Index(None, "account_id"),)

    digest: Mapped[str] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    read_titles: Mapped[list[Any]]  # what was read in this sitting, newest first


class Job(Base):
    """Work that the service does by itself again and again, and how it went the last time."""

    __tablename__ = "jobs"

    name: Mapped[str] = mapped_column(primary_key=True)
    next_run_at: Mapped[datetime | None]  # None while it is switched off
    state: Mapped[str] = mapped_column(default="waiting")  # waiting, running
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    duration_s: Mapped[float | None]
    result: Mapped[str] = mapped_column(default="")
    last_error: Mapped[str | None]  # None as soon as a run has succeeded
    failed_at: Mapped[datetime | None]
    runs: Mapped[int] = mapped_column(default=0)
    failures: Mapped[int] = mapped_column(default=0)


class WikiSettings(Base):
    """What the wiki's administrators have set on a page of the wiki, as it was read last.

    `given` is from the newest revision that could be used, `problems` from the newest of all.
    """

    __tablename__ = "wiki_settings"

    wiki_id: Mapped[int] = mapped_column(
        ForeignKey("wikis.id", ondelete="CASCADE"), primary_key=True
    )
    title: Mapped[str]
    revision_id: Mapped[WikiNumber]  # the newest; 0 where the page is missing
    author: Mapped[str]
    given: Mapped[dict[str, Any]]
    problems: Mapped[list[Any]]
    read_at: Mapped[datetime]
