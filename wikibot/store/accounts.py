"""Accounts of the wiki that have logged in to the service, and the browsers they did it with.

Tokens come here sealed and leave sealed: nothing in this module could read them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import CursorResult, delete, or_, select, update
from sqlalchemy.orm import Session

from wikibot.roles import Profile
from wikibot.store.decisions import is_of
from wikibot.store.tables import Decision, Reservation
from wikibot.store.task_tables import Account, WebSession

READ_TITLES = 50


@dataclass(frozen=True, slots=True)
class SealedTokens:
    """What opens the wiki to us for somebody, sealed; the second gets a new first one."""

    access: str
    refresh: str | None
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class AccountRow:
    """An account as the wiki last described it, at CHECKED_AT."""

    id: int
    wiki_id: int
    profile: Profile
    checked_at: datetime
    tokens: SealedTokens | None

    @property
    def name(self) -> str:
        return self.profile.name


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A browser that is logged in."""

    digest: str
    account: AccountRow
    created_at: datetime
    read_titles: tuple[str, ...]


def remember(
    session: Session, wiki_id: int, profile: Profile, tokens: SealedTokens, now: datetime
) -> int:
    """The account is known as the wiki describes it now, with new tokens; returns its number.

    After a renaming, its decisions carry the new name, as its edits do on the wiki.
    """
    row = session.scalar(
        select(Account).where(Account.wiki_id == wiki_id, Account.subject == profile.subject)
    )
    if row is None:
        row = Account(wiki_id=wiki_id, subject=profile.subject, name=profile.name, created_at=now)
        session.add(row)
    elif row.name != profile.name:
        _rename(session, row, profile.name)
    row.groups = sorted(profile.groups)
    row.edit_count, row.is_blocked = profile.edit_count, profile.is_blocked
    row.checked_at, row.claimed_until = now, None
    row.access_token, row.refresh_token = tokens.access, tokens.refresh
    row.token_expires_at = tokens.expires_at
    session.flush()
    return row.id


def account(session: Session, account_id: int) -> AccountRow | None:
    """One account, or None."""
    row = session.get(Account, account_id)
    return _account(row) if row else None


def everybody(session: Session, wiki_id: int) -> list[AccountRow]:
    """Every account that has ever logged in, by name."""
    query = select(Account).where(Account.wiki_id == wiki_id).order_by(Account.name)
    return [_account(row) for row in session.scalars(query)]


def claim(session: Session, seen: AccountRow, now: datetime, until: datetime) -> bool:
    """May we ask the wiki about this account? Only one request at a time gets a yes.

    And none whose view of the account is out of date: its tokens may have been exchanged.
    """
    is_free = or_(Account.claimed_until.is_(None), Account.claimed_until < now)
    is_as_seen = Account.checked_at == seen.checked_at
    return _claims(session, seen.id, until, is_free, is_as_seen)


def release(session: Session, account_id: int) -> None:
    """The next request may ask the wiki."""
    _claims(session, account_id, None)


def keep_tokens(session: Session, account_id: int, tokens: SealedTokens) -> None:
    """The account has these tokens from now on."""
    row = session.get_one(Account, account_id)
    row.access_token, row.refresh_token = tokens.access, tokens.refresh
    row.token_expires_at = tokens.expires_at


def forget(session: Session, account_id: int) -> None:
    """No browser is logged in with the account, and we hold no token of it."""
    session.execute(delete(WebSession).where(WebSession.account_id == account_id))
    row = session.get_one(Account, account_id)
    row.access_token = row.refresh_token = row.token_expires_at = row.claimed_until = None


def start_session(
    session: Session, account_id: int, digest: str, now: datetime, expires_at: datetime
) -> None:
    """The browser with this digest is logged in; what has expired is gone."""
    session.execute(delete(WebSession).where(WebSession.expires_at <= now))
    session.add(
        WebSession(
            digest=digest,
            account_id=account_id,
            created_at=now,
            expires_at=expires_at,
            read_titles=[],
        )
    )


def session_with(session: Session, digest: str, now: datetime) -> SessionRow | None:
    """The login with this digest, unless it has ended."""
    query = (
        select(WebSession, Account)
        .join(Account, Account.id == WebSession.account_id)
        .where(WebSession.digest == digest, WebSession.expires_at > now)
    )
    found = session.execute(query).one_or_none()
    if found is None:
        return None
    row, account = found
    return SessionRow(row.digest, _account(account), row.created_at, tuple(row.read_titles))


def end_session(session: Session, digest: str) -> None:
    """The browser with this digest is logged out."""
    session.execute(delete(WebSession).where(WebSession.digest == digest))


def keep_read_titles(session: Session, digest: str, titles: Sequence[str]) -> None:
    """These pages were read in this sitting, newest first."""
    session.execute(
        update(WebSession)
        .where(WebSession.digest == digest)
        .values(read_titles=list(titles)[:READ_TITLES])
    )


def _claims(session: Session, account_id: int, until: datetime | None, *which: Any) -> bool:
    done = session.execute(
        update(Account).where(Account.id == account_id, *which).values(claimed_until=until)
    )
    assert isinstance(done, CursorResult)
    return done.rowcount == 1


def _rename(session: Session, row: Account, name: str) -> None:
    is_theirs = (Decision.reviewer == row.name, Decision.source == "web", is_of(row.wiki_id))
    session.execute(update(Decision).where(*is_theirs).values(reviewer=name))
    held = Reservation.reviewer == row.name
    session.execute(update(Reservation).where(held).values(reviewer=name))
    row.name = name


def _account(row: Account) -> AccountRow:
    profile = Profile(
        row.subject, row.name, frozenset(map(str, row.groups)), row.edit_count, row.is_blocked
    )
    tokens = (
        SealedTokens(row.access_token, row.refresh_token, row.token_expires_at)
        if row.access_token
        else None
    )
    return AccountRow(row.id, row.wiki_id, profile, row.checked_at, tokens)
