"""How many requests a wiki grants in an hour, and how long a large fetch will take.

Wikimedia limits requests: some hundreds an hour without login, some thousands with one; accounts with
the bot right are exempt. It publishes no exact numbers, so these are cautious ones. Other wikis have
no limit that is known beforehand; what they ask for on the way (429, `Retry-After`) is kept anyway.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

WIKIMEDIA = (
    "wikipedia.org", "wiktionary.org", "wikibooks.org", "wikinews.org", "wikiquote.org",
    "wikisource.org", "wikiversity.org", "wikivoyage.org", "wikimedia.org", "mediawiki.org",
)  # fmt: skip
ANONYMOUS_PER_HOUR, LOGGED_IN_PER_HOUR = 500, 5000
USUAL_REQUEST_S = 0.5


def is_wikimedia(host: str) -> bool:
    """Is it one of Wikimedia's wikis?

    >>> is_wikimedia("en.wikipedia.org"), is_wikimedia("wikipedia.org.example.com")
    (True, False)
    """
    return host.endswith(tuple(f".{name}" for name in WIKIMEDIA))


@dataclass(frozen=True, slots=True)
class Budget:
    """What was used of what may be asked in an hour; `per_hour` is None without a known limit."""

    per_hour: int | None = None
    used: int = 0
    request_s: float = USUAL_REQUEST_S  # that a request took so far

    @property
    def left(self) -> int | None:
        return None if self.per_hour is None else max(0, self.per_hour - self.used)

    def seconds_for(self, requests: int) -> float:
        """The expected time: that of the requests, and the hours to wait for what is too many."""
        asking = requests * self.request_s
        if self.left is None or requests <= self.left or not self.per_hour:
            return asking
        hours = math.ceil((requests - self.left) / self.per_hour)
        return max(asking, 3600.0 * hours)


def budget_for(host: str, rights: frozenset[str], *, is_logged_in: bool) -> Budget:
    """What an account with these rights may ask of the wiki."""
    if not is_wikimedia(host) or "noratelimit" in rights or "bot" in rights:
        return Budget()
    return Budget(LOGGED_IN_PER_HOUR if is_logged_in else ANONYMOUS_PER_HOUR)


def announcement(pages: int, requests: int, budget: Budget) -> str:
    """What is said before a large fetch.

    >>> announcement(2400, 10, Budget())
    '2,400 pages are to be fetched: 10 requests, less than a minute.'
    >>> announcement(300000, 1250, Budget(500, used=100))
    '300,000 pages are to be fetched: 1,250 requests, about 2 hours; 400 of about 500 requests are left in this hour. With an account (--user) the wiki allows more.'
    """
    told = f"{pages:,} pages are to be fetched: {requests:,} requests, {_span(budget.seconds_for(requests))}"
    if budget.left is None:
        return f"{told}."
    told += f"; {budget.left:,} of about {budget.per_hour:,} requests are left in this hour."
    more = " With an account (--user) the wiki allows more."
    return told + (more if budget.per_hour == ANONYMOUS_PER_HOUR else "")


def _span(seconds: float) -> str:
    if seconds < 60:
        return "less than a minute"
    if seconds < 5400:
        return f"about {math.ceil(seconds / 60)} minutes"
    return f"about {math.ceil(seconds / 3600)} hours"
