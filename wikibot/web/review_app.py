"""What every request needs: the database, the reviewer's name and this server's keys."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timezone

from flask import current_app

from wikibot.publish.publisher import Choice, WikiLogin
from wikibot.store import Store
from wikibot.store.decisions import Voice
from wikibot.web.background import Background
from wikibot.web.one_time_token import OneTimeToken
from wikibot.web.publish_runs import PublishRuns, RunsInThread
from wikibot.web.reading_history import ReadingHistory


@dataclass(frozen=True, slots=True)
class ReviewApp:
    """One server: its keys are drawn when it starts and live in memory only."""

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
    def hosts(self) -> frozenset[str]:
        """The only values of the Host header that are answered."""
        return frozenset((f"127.0.0.1:{self.port}", f"localhost:{self.port}"))

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


def review_app() -> ReviewApp:
    """The review_app of the application that answers this request."""
    found = current_app.extensions["wikibot"]
    assert isinstance(found, ReviewApp)
    return found
