"""The tables: what is known of a wiki, what was proposed, decided and sent.

Offsets are code points in the exact wikitext of the page's revision. Times are UTC.

Annotations are evaluated here (no `from __future__ import annotations`): the mapper would compile
each of them from its text, at the start of every command.
"""

import json
from datetime import datetime, timezone
from typing import Annotated, Any

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    DateTime,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Text,
    TypeDecorator,
    UniqueConstraint,
    text,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

# Constraints carry names from the first migration on, so that SQLite's batch mode can find them.
NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


# The wiki's own numbers: the largest wikis are beyond 2^31, and SQLite's INTEGER holds them anyway.
WikiNumber = Annotated[int, mapped_column(BigInteger().with_variant(Integer(), "sqlite"))]


class UtcTime(TypeDecorator[datetime]):
    """A moment in UTC: naive in SQLite's file, aware in Python, on every database."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(timezone.utc).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.replace(tzinfo=timezone.utc)


class DamagedValue(Exception):
    """A row holds what this program never writes."""


class CheckedJson(TypeDecorator[Any]):
    """JSON of one kind, a dict or a list; anything else in the row is damage."""

    impl = JSON
    cache_ok = True

    def __init__(self, kind: type) -> None:
        super().__init__()
        self.kind = kind

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        if value is None or isinstance(value, self.kind):
            return value
        raise DamagedValue(f"a {self.kind.__name__} is expected where {str(value)[:40]!r} stands")


def read_json(text: str) -> Any:
    """The value that a row holds as text; DamagedValue where it is not JSON."""
    try:
        return json.loads(text)
    except ValueError:
        raise DamagedValue(f"{text[:40]!r} is not JSON") from None


class Base(DeclarativeBase):
    """The schema; `migrations/` builds the same one, which `alembic check` proves."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map = {  # noqa: RUF012 (SQLAlchemy reads it from the class)
        dict[str, Any]: CheckedJson(dict),
        list[Any]: CheckedJson(list),
        datetime: UtcTime,
        float: Double,  # which only SQLAlchemy 2.1 and newer take by themselves
        str: Text,
    }


class Wiki(Base):
    """A wiki and the rules its text is written by."""

    __tablename__ = "wikis"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)  # 'en.wikipedia.org', or an export's dbname
    api_url: Mapped[str | None]
    article_url: Mapped[str | None]  # 'https://en.wikipedia.org/wiki/$1'
    language: Mapped[str]
    capital_links: Mapped[bool]  # is the first letter of a title always a capital?
    site_rules: Mapped[dict[str, Any]]  # SiteRules.to_json(): all that wikitext needs
    fetched_at: Mapped[datetime | None]


class Page(Base):
    """A page as it was at one revision; a redirect is a page with `redirect_to`."""

    __tablename__ = "pages"
    __table_args__ = (
        UniqueConstraint("wiki_id", "title"),
        Index(None, "wiki_id", "page_id"),
        Index(None, "redirect_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    wiki_id: Mapped[int] = mapped_column(ForeignKey("wikis.id", ondelete="CASCADE"))
    page_id: Mapped[WikiNumber]
    title: Mapped[str]
    namespace: Mapped[int]
    revision_id: Mapped[WikiNumber]
    timestamp: Mapped[datetime | None]
    wikitext: Mapped[str]
    summary: Mapped[str] = mapped_column(default="")  # first sentence, as a reader sees it
    in_set: Mapped[bool] = mapped_column(default=True)  # fetched for itself, not as a target
    fetched_for: Mapped[str | None]  # the category that brought it into the set; '' for all pages
    redirect_to: Mapped[str | None]  # as written, normalised
    redirect_id: Mapped[int | None] = mapped_column(ForeignKey("pages.id", ondelete="SET NULL"))
    is_disambiguation: Mapped[bool] = mapped_column(default=False)
    exclusion: Mapped[str | None]  # the template that keeps bots away, e.g. '{{nobots}}'
    problem: Mapped[str | None]  # why the text cannot be read safely
    is_gone: Mapped[bool] = mapped_column(default=False)  # no longer on the wiki, kept as memory
    read_with: Mapped[str] = mapped_column(default="")  # the rules and reader that made the links


class Category(Base):
    """A category that pages stand in."""

    __tablename__ = "categories"
    __table_args__ = (UniqueConstraint("wiki_id", "title"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    wiki_id: Mapped[int] = mapped_column(ForeignKey("wikis.id", ondelete="CASCADE"))
    title: Mapped[str]  # without the namespace


class CategoryMember(Base):
    """A page that stands in a category."""

    __tablename__ = "category_members"
    __table_args__ = (Index(None, "page_id"),)

    category_id: Mapped[int] = mapped_column(
        ForeignKey("categories.id", ondelete="CASCADE"), primary_key=True
    )
    page_id: Mapped[int] = mapped_column(
        ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True
    )


class Link(Base):
    """A wikilink: `text[start:end]` is the whole `[[...]]`, `text[anchor_start:anchor_end]` what it shows."""

    __tablename__ = "links"
    __table_args__ = (
        Index(None, "page_id"),
        Index(None, "target_id"),
        CheckConstraint('start < "end"', name="span"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    page_id: Mapped[int] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"))
    target_id: Mapped[int | None] = mapped_column(ForeignKey("pages.id", ondelete="SET NULL"))
    target_title: Mapped[str]  # normalised, before redirects
    anchor: Mapped[str]  # with its link trail
    start: Mapped[int]
    end: Mapped[int]
    anchor_start: Mapped[int]
    anchor_end: Mapped[int]
    sentence_start: Mapped[int]
    sentence_end: Mapped[int]
    in_prose: Mapped[bool]  # stands where a link may be proposed


class Run(Base):
    """One call of a command that changes the database, and how it ended."""

    __tablename__ = "runs"

    id: Mapped[int] = mapped_column(primary_key=True)
    wiki_id: Mapped[int | None] = mapped_column(ForeignKey("wikis.id", ondelete="CASCADE"))
    command: Mapped[str]
    options: Mapped[dict[str, Any]]
    state: Mapped[str]  # running, done, failed, interrupted
    progress: Mapped[dict[str, Any]]
    result: Mapped[dict[str, Any] | None]
    started_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]


class Model(Base):
    """A trained model: the files are beside the database, this row says what they are."""

    __tablename__ = "models"

    id: Mapped[int] = mapped_column(primary_key=True)
    wiki_id: Mapped[int] = mapped_column(ForeignKey("wikis.id", ondelete="CASCADE"))
    run_id: Mapped[int | None] = mapped_column(ForeignKey("runs.id", ondelete="SET NULL"))
    kind: Mapped[str]  # crtm, ranker
    path: Mapped[str]  # relative to the database's folder of models
    sha256: Mapped[str]
    parameters: Mapped[dict[str, Any]]
    figures: Mapped[dict[str, Any]]
    created_at: Mapped[datetime]


def _as_probable(row: Any) -> float:
    """Where nobody says how urgent a proposal is, the more probable one comes first."""
    return float(row.get_current_parameters()["probability"])


class Suggestion(Base):
    """A proposed link: put `target` on `wikitext[start:end]` of `page` at `revision_id`.

    States: pending, approved, rejected, skipped, published, kept, reverted, undone, stale.
    `version` grows with every change, so that two reviewers cannot decide the same thing twice.
    `priority` is the order of the queue.
    """

    __tablename__ = "suggestions"
    __table_args__ = (
        UniqueConstraint("page_id", "target_id"),
        # The review queue in its order, of one state and of all; what comes after `id` lets filters
        # stay inside the index.
        Index(
            "ix_suggestions_queue",
            *("wiki_id", "state", "priority", "id", "probability", "page_id", "target_id"),
        ),
        Index(
            "ix_suggestions_order",
            *("wiki_id", "priority", "id", "probability", "page_id", "target_id"),
        ),
        Index(
            None, "wiki_id", "state", "anchor"
        ),  # what a new entry of the never-link list forbids
        Index(None, "page_id", "state"),
        Index(None, "target_id"),
        CheckConstraint('start < "end"', name="span"),
        CheckConstraint("probability >= 0 and probability <= 1", name="probability"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    wiki_id: Mapped[int] = mapped_column(ForeignKey("wikis.id", ondelete="CASCADE"))
    run_id: Mapped[int | None] = mapped_column(ForeignKey("runs.id", ondelete="SET NULL"))
    page_id: Mapped[int] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"))
    target_id: Mapped[int] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"))
    revision_id: Mapped[WikiNumber]
    start: Mapped[int]
    end: Mapped[int]
    anchor: Mapped[str]
    wikitext: Mapped[str]  # what would stand there, e.g. '[[Transistor]]s'
    sentence_start: Mapped[int]
    sentence_end: Mapped[int]
    sentence: Mapped[str]  # plain text, as a reader sees it
    probability: Mapped[float]
    priority: Mapped[float] = mapped_column(default=_as_probable, server_default="0")
    reasons: Mapped[list[Any]]  # [{"id": ..., "args": {...}}]
    state: Mapped[str] = mapped_column(default="pending")
    version: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[datetime]

    page: Mapped[Page] = relationship(foreign_keys=[page_id])
    target: Mapped[Page] = relationship(foreign_keys=[target_id])


class Decision(Base):
    """What a person said about a suggestion; undoing one is a decision too."""

    __tablename__ = "decisions"
    __table_args__ = (
        Index(None, "suggestion_id"),
        Index(None, "decided_at"),
        Index(None, "reviewer"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    suggestion_id: Mapped[int] = mapped_column(ForeignKey("suggestions.id", ondelete="CASCADE"))
    verdict: Mapped[str]  # approve, reject, skip, undo
    reason: Mapped[str | None]  # everyday-word, wrong-target, span, linked-nearby, other
    note: Mapped[str | None]
    reviewer: Mapped[str]
    source: Mapped[str]  # web, terminal, command, talk, import, watch, api
    decided_at: Mapped[datetime]
    undone: Mapped[bool] = mapped_column(default=False)
    before: Mapped[dict[str, Any]]  # state, span and target before it, so that undo is exact


class Reservation(Base):
    """A proposal that one reviewer has on the screen; others are shown another meanwhile."""

    __tablename__ = "reservations"
    __table_args__ = (Index(None, "until"),)

    suggestion_id: Mapped[int] = mapped_column(
        ForeignKey("suggestions.id", ondelete="CASCADE"), primary_key=True
    )
    reviewer: Mapped[str]
    until: Mapped[datetime]


IN_FLIGHT = "state in ('planned', 'sent', 'unknown')"


class Outbox(Base):
    """One edit on its way to the wiki.

    planned -> sent -> done | refused | prevented | later | unknown; later -> done | expired. `sent`
    and `unknown` are never posted again before the page's history has been looked at.
    """

    __tablename__ = "outbox"
    __table_args__ = (
        Index(
            "uq_outbox_in_flight",
            "wiki_id",
            "title",
            unique=True,
            sqlite_where=text(IN_FLIGHT),  # and for PostgreSQL in migrations/env.py
        ),
        Index(None, "batch"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    wiki_id: Mapped[int] = mapped_column(ForeignKey("wikis.id", ondelete="CASCADE"))
    batch: Mapped[str]
    kind: Mapped[str]  # page, talk, user-page, undo
    title: Mapped[str]  # the page that is edited, with its namespace
    page_id: Mapped[int | None] = mapped_column(ForeignKey("pages.id", ondelete="SET NULL"))
    base_revision: Mapped[WikiNumber]  # 0: the page is to be created
    text: Mapped[str]
    sha1: Mapped[str]
    summary: Mapped[str]
    marker: Mapped[str] = mapped_column(unique=True)  # stands in the summary or the section
    sender: Mapped[str | None]  # the account; None in rows from before it was written down
    state: Mapped[str] = mapped_column(default="planned")
    attempts: Mapped[int] = mapped_column(default=0)
    message: Mapped[str | None]
    new_revision: Mapped[WikiNumber | None]
    fate: Mapped[str | None]  # kept, changed, reverted, as `wikibot watch` saw it
    created_at: Mapped[datetime]
    sent_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]

    items: Mapped[list["OutboxItem"]] = relationship(
        back_populates="edit", cascade="all, delete-orphan", order_by="OutboxItem.start"
    )


class OutboxItem(Base):
    """A suggestion inside an edit, at its place in that edit's base text."""

    __tablename__ = "outbox_items"
    __table_args__ = (Index(None, "suggestion_id"),)

    outbox_id: Mapped[int] = mapped_column(
        ForeignKey("outbox.id", ondelete="CASCADE"), primary_key=True
    )
    suggestion_id: Mapped[int] = mapped_column(
        ForeignKey("suggestions.id", ondelete="CASCADE"), primary_key=True
    )
    start: Mapped[int]
    end: Mapped[int]
    wikitext: Mapped[str]

    edit: Mapped[Outbox] = relationship(back_populates="items")
