"""A server for a team: every request belongs to an account of the wiki, and nothing to this process.

Sessions, tokens and reservations are in the database and the keys follow from one secret, so that
any number of processes answer alike, and go on after a restart where they were.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from flask import g

from wikibot.keys import Safe
from wikibot.roles import Requirements, roles_of
from wikibot.site.bearer import BearerLogin
from wikibot.site.oauth import Consumer
from wikibot.store import Store, accounts
from wikibot.store.accounts import SessionRow
from wikibot.store.decisions import Voice
from wikibot.web.background import Background
from wikibot.web.publish_runs import PublishRuns
from wikibot.web.request_counts import RequestCounts
from wikibot.web.review_app import review_app
from wikibot.web.team_runs import RunsInProcess


@dataclass(frozen=True, slots=True)
class TeamApp:
    """What the processes of the service share, made from the settings in each of them."""

    store: Store
    wiki_id: int
    wiki: str
    api_url: str  # of the wiki; empty for one that is known from an export
    origin: str  # 'https://links.example.org', as browsers see it
    safe: Safe = field(repr=False)
    consumer: Consumer
    needed: Requirements
    guideline: str = ""
    session_lasts: timedelta = timedelta(days=14)
    recheck_after: timedelta = timedelta(minutes=10)
    reserved_for: timedelta = timedelta(minutes=5)
    save_interval_s: float = 5.0
    metrics_token: str = field(default="", repr=False)
    counts: RequestCounts = field(default_factory=RequestCounts, repr=False)
    background: Background = field(default_factory=Background, repr=False)
    publish_runs: PublishRuns = field(default_factory=RunsInProcess, repr=False)

    @property
    def origins(self) -> frozenset[str]:
        """Our own address: no other is answered, and forms come from nowhere else."""
        return frozenset((self.origin,))

    @property
    def is_encrypted(self) -> bool:
        return self.origin.startswith("https://")

    @property
    def cookie_name(self) -> str:
        """`__Host-` makes browsers refuse the cookie from any other host or without TLS."""
        port = self.origin.rpartition(":")[2]
        return "__Host-wikibot" if self.is_encrypted else f"wikibot_team_{port}"

    @property
    def login_cookie_name(self) -> str:
        return f"{self.cookie_name}-login"

    @property
    def form_key(self) -> bytes:
        """Of this login alone: a form that was written for one person opens nothing for another."""
        return hmac.digest(self.safe.key_for("forms"), visit().digest.encode(), "sha256")

    @property
    def voice(self) -> Voice:
        return Voice(visit().account.name, "web")

    @property
    def started_at(self) -> datetime:
        return visit().created_at

    @property
    def reading_history(self) -> SessionReadings:
        return SessionReadings(self.store, visit())

    @property
    def approver(self) -> str:
        """Who saves as themselves saves what they have approved themselves."""
        return visit().account.name

    @property
    def login(self) -> Callable[[], BearerLogin]:
        """The account of this request, asked for anew: it must still be allowed to publish."""
        from wikibot.web.renewal import publishing_login  # which needs this module

        return lambda: publishing_login(self, visit().account)

    @property
    def roles(self) -> frozenset[str]:
        """What the person of this request may do."""
        return roles_of(visit().account.profile, self.needed)


@dataclass(frozen=True, slots=True)
class SessionReadings:
    """What somebody has read since logging in; a service has one wiki."""

    store: Store
    visit: SessionRow

    def titles(self, wiki_id: int) -> list[str]:
        """The pages that were read, newest first."""
        return list(self.visit.read_titles)

    def remember(self, wiki_id: int, title: str) -> None:
        """The page counts as read just now."""
        before = [one for one in self.visit.read_titles if one != title]
        self._keep([title, *before])

    def forget(self) -> None:
        """Nothing has been read."""
        self._keep([])

    def _keep(self, titles: list[str]) -> None:
        with self.store.writing() as session:
            accounts.keep_read_titles(session, self.visit.digest, titles)


def team_app() -> TeamApp:
    """The server for a team that answers this request."""
    found = review_app()
    assert isinstance(found, TeamApp)
    return found


def visit() -> SessionRow:
    """The login that this request belongs to."""
    found = g.visit
    assert isinstance(found, SessionRow), "who is not logged in does not get here"
    return found


def digest_of(cookie: str) -> str:
    """What the database knows a cookie by: a copy of the database logs nobody in."""
    return hashlib.sha256(cookie.encode()).hexdigest()
