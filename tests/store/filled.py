"""A small world in a database: a row or more in every table."""

from __future__ import annotations

from datetime import datetime, timezone

from sqlalchemy.orm import Session

from wikibot.store import Store
from wikibot.store.tables import (
    Base,
    Category,
    CategoryMember,
    Decision,
    Link,
    Model,
    Outbox,
    OutboxItem,
    Page,
    Reservation,
    Run,
    Suggestion,
    Wiki,
)
from wikibot.store.task_tables import (
    Account,
    AuditVerdict,
    FollowPosition,
    Idea,
    Job,
    LearnedPage,
    NeverLink,
    PageReading,
    WebSession,
    WikiSettings,
)

NOW = datetime(2024, 5, 6, 7, 8, 9, tzinfo=timezone.utc)


def fill(store: Store, *, pages: int = 3) -> None:
    """Every table has rows."""
    with store.writing() as session:
        wiki = Wiki(
            name="wiki.example.org",
            language="en",
            capital_links=True,
            site_rules={},
        )
        session.add(wiki)
        session.flush()
        found = [_page(wiki, number) for number in range(1, pages + 1)]
        session.add_all(found)
        session.flush()
        _add_pages_content(session, wiki, found)
        _add_work(session, wiki, found)


def _page(wiki: Wiki, number: int) -> Page:
    text = f"Page {number} is on [[Page 1]]."
    return Page(
        wiki_id=wiki.id,
        page_id=number,
        title=f"Page {number}",
        namespace=0,
        revision_id=100 + number,
        timestamp=NOW,
        wikitext=text,
    )


def _add_pages_content(session: Session, wiki: Wiki, pages: list[Page]) -> None:
    categories = [Category(wiki_id=wiki.id, title=title) for title in ("All", "Some")]
    session.add_all(categories)
    session.flush()
    for page in pages:
        session.add(CategoryMember(category_id=categories[0].id, page_id=page.id))
        session.add(PageReading(page_id=page.id, mark="made of this", content=b"\0\xff"))
        session.add(LearnedPage(page_id=page.id, revision_id=page.revision_id))
        start = page.wikitext.index("[[")
        session.add(
            Link(
                page_id=page.id,
                target_id=pages[0].id,
                target_title="Page 1",
                anchor="Page 1",
                start=start,
                end=start + 10,
                anchor_start=start + 2,
                anchor_end=start + 8,
                sentence_start=0,
                sentence_end=len(page.wikitext),
                in_prose=True,
            )
        )


def _add_work(session: Session, wiki: Wiki, pages: list[Page]) -> None:
    run = Run(command="fetch", options={}, state="done", progress={}, started_at=NOW)
    session.add(run)
    session.flush()
    session.add(
        Model(
            wiki_id=wiki.id,
            run_id=run.id,
            kind="crtm",
            path="a",
            sha256="0",
            parameters={},
            figures={},
            created_at=NOW,
        )
    )
    suggestion = _add_decided_suggestion(session, wiki, pages)
    session.add(
        NeverLink(
            wiki_id=wiki.id, kind="word", value="the", source="file", added_by="me", added_at=NOW
        )
    )
    session.add(FollowPosition(wiki_id=wiki.id, timestamp="2026-01-01T00:00:00Z"))
    session.add(
        Idea(
            wiki_id=wiki.id,
            page_id=pages[1].id,
            target_id=pages[0].id,
            revision_id=102,
            start=0,
            end=6,
            sentence="Page 2",
            score=0.5,
            reasons=[],
            created_at=NOW,
        )
    )
    session.add(AuditVerdict(page_id=pages[0].id, target_id=pages[1].id, verdict="good"))
    _add_edit(session, wiki, pages[0], suggestion)
    _add_team(session, wiki, suggestion)


def _add_decided_suggestion(session: Session, wiki: Wiki, pages: list[Page]) -> Suggestion:
    suggestion = Suggestion(
        wiki_id=wiki.id,
        page_id=pages[0].id,
        target_id=pages[1].id,
        revision_id=101,
        start=0,
        end=4,
        anchor="Page",
        wikitext="[[Page 2|Page]]",
        sentence_start=0,
        sentence_end=5,
        sentence="Page 1",
        probability=0.5,
        reasons=[],
        created_at=NOW,
    )
    session.add(suggestion)
    session.flush()
    session.add(
        Decision(
            suggestion_id=suggestion.id,
            verdict="approve",
            reviewer="me",
            source="web",
            decided_at=NOW,
            before={},
        )
    )
    return suggestion


def _add_edit(session: Session, wiki: Wiki, page: Page, suggestion: Suggestion) -> None:
    edit = Outbox(
        wiki_id=wiki.id,
        batch="b",
        kind="page",
        title="Page 1",
        page_id=page.id,
        base_revision=101,
        text="x",
        sha1="0",
        summary="s",
        marker="m",
        created_at=NOW,
    )
    session.add(edit)
    session.flush()
    session.add(
        OutboxItem(
            outbox_id=edit.id,
            suggestion_id=suggestion.id,
            start=0,
            end=4,
            wikitext="[[Page 2|Page]]",
        )
    )


def _add_team(session: Session, wiki: Wiki, suggestion: Suggestion) -> None:
    account = Account(
        wiki_id=wiki.id,
        subject="1",
        name="Ann",
        groups=["user"],
        edit_count=5,
        is_blocked=False,
        checked_at=NOW,
        access_token="sealed",
        created_at=NOW,
    )
    session.add(account)
    session.flush()
    session.add(
        WebSession(
            digest="d", account_id=account.id, created_at=NOW, expires_at=NOW, read_titles=[]
        )
    )
    session.add(Job(name="follow", next_run_at=NOW, last_error="It did not answer."))
    session.add(
        WikiSettings(
            wiki_id=wiki.id, title="User:Bot/settings.json", revision_id=1, author="Ann",
            given={}, problems=[], read_at=NOW,
        )
    )  # fmt: skip
    session.add(Reservation(suggestion_id=suggestion.id, reviewer="Ann", until=NOW))


def row_counts(store: Store) -> dict[str, int]:
    """How many rows each table has."""
    with store.reading() as session:
        return {name: session.query(table).count() for name, table in Base.metadata.tables.items()}
