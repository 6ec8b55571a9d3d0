"""What every request needs: the database, who is before the screen, and this server's keys."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Protocol

from flask import current_app

from wikibot.publish.publisher import Choice, WikiLogin
from wikibot.store import Store
from wikibot.store.decisions import Voice
from wikibot.web.background import Background
from wikibot.web.one_time_token import OneTimeToken
from wikibot.web.publish_runs import PublishRuns, RunsInThread
from wikibot.web.reading_history import ReadingHistory


class Readings(Protocol):
    """What somebody has read in this sitting, newest first."""

    def titles(self, wiki_id: int) -> list[str]: ...

    def remember(self, wiki_id: int, title: str) -> None: ...

    def forget(self) -> None: ...


class WebApp(Protocol):
    """What the views ask of a server, be it for one person or for a team."""

    @property
    def store(self) -> Store: ...

    @property
    def wiki(self) -> str | None: ...

    @property
    def guideline(self) -> str: ...

    @property
    def background(self) -> Background: ...

    @property
    def origins(self) -> frozenset[str]: ...

    @property
    def form_key(self) -> bytes: ...

    @property
    def voice(self) -> Voice: ...

    @property
    def started_at(self) -> datetime: ...

    @property
    def reserved_for(self) -> timedelta: ...

    @property
    def reading_history(self) -> Readings: ...

    @property
    def approver(self) -> str | None: ...

    @property
    def publish_runs(self) -> PublishRuns: ...

    @property
    def login(self) -> Callable[[], WikiLogin]: ...


@dataclass(frozen=True, slots=True)
class ReviewApp:
    """A server for one person: its keys are drawn when it starts and live in memory only."""

    store: Store
    reviewer: str
    port: int
    wiki: str | None = None  # the wiki that is shown unless an address names another
    guideline: str = ""  # the address or page of the guideline on links
    started_at: datetime = field(default_factory=lambda: datetime.now(timezone.utc))
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    form_key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    launch: OneTimeToken = field(default_factory=OneTimeToken, repr=False)
    reading_history: ReadingHistory = field(default_factory=ReadingHistory)
    background: Background = field(default_factory=Background, repr=False)
    # Who publishes, asked for each order, and who carries the order out.
    login: Callable[[], WikiLogin] = Choice
    publish_runs: PublishRuns = field(default_factory=RunsInThread, repr=False)

    @property
    def origins(self) -> frozenset[str]:
        """Our own addresses: no other is answered, and forms come from nowhere else."""
        return frozenset((f"http://127.0.0.1:{self.port}", f"http://localhost:{self.port}"))

    @property
    def cookie_name(self) -> str:
        """Cookies know no ports: two servers on one machine keep apart by name."""
        return f"wikibot_{self.port}"

    @property
    def address(self) -> str:
        """What is printed: good as long as the server runs."""
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    @property
    def launch_address(self) -> str:
        """What the browser is started with: good once."""
        return f"http://127.0.0.1:{self.port}/?token={self.launch.value}"

    @property
    def voice(self) -> Voice:
        return Voice(self.reviewer, "web")

    @property
    def approver(self) -> str | None:
        """Everything approved may be saved, whoever approved it."""
        return None

    @property
    def reserved_for(self) -> timedelta:
        """Nobody is kept away from anything by somebody who reviews alone."""
        return timedelta(0)


def review_app() -> WebApp:
    """What the application that answers this request has."""
    found: WebApp = current_app.extensions["wikibot"]
    return found
