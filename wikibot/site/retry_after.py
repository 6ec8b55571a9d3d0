"""How long a wiki asks us to wait: in seconds or until a date, and never for longer than we allow.

pywikibot takes only a number there, and waits for as long as it says, wherever the next request
happens to be made. So the header is rewritten before pywikibot sees it. Who reads a wiki politely
waits by itself (`told_to_wait`): pywikibot would ask again too soon, or take the answer for nonsense.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any

HEADER = "Retry-After"
# Where the time that the wiki asked for is kept: our own waiting has a limit of its own.
ASKED_FOR = "Wikibot-Retry-After"
# The longest wait inside pywikibot.
LONGEST_WAIT_S = 10
LONGEST_ASKED_S = 86_400.0
TOO_MANY, UNAVAILABLE = 429, 503
USUAL_WAIT_S = 5.0  # where the wiki does not say for how long

_polite = threading.local()


class AskedToWait(ConnectionError):
    """The wiki wants no requests for so many seconds.

    A ConnectionError, since pywikibot passes these on and retries after all others.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(f"The wiki asks us to wait {seconds:g} s.")
        self.seconds = seconds


@contextmanager
def told_to_wait() -> Iterator[None]:
    """In this block, and in this thread, an answer that asks us to wait raises AskedToWait."""
    _polite.is_on = True
    try:
        yield
    finally:
        _polite.is_on = False


def bound_retry_after(response: Any, *_: object, **__: object) -> None:
    """Let pywikibot see a number of seconds, LONGEST_WAIT_S at most."""
    _raise_if_polite(response)
    if HEADER in response.headers:
        seconds = seconds_of(response.headers[HEADER])
        response.headers[ASKED_FOR] = str(seconds)
        response.headers[HEADER] = str(int(min(seconds, LONGEST_WAIT_S)))


def _raise_if_polite(response: Any) -> None:
    asks = response.status_code == TOO_MANY or (
        response.status_code == UNAVAILABLE and HEADER in response.headers
    )
    if asks and getattr(_polite, "is_on", False):
        raise AskedToWait(seconds_of(response.headers.get(HEADER, "")) or USUAL_WAIT_S)


def asked_for_s(response: Any) -> float:
    """The seconds that the wiki asked us to wait; 0 if it did not ask."""
    headers = response.headers
    return seconds_of(headers.get(ASKED_FOR) or headers.get(HEADER) or "0")


def seconds_of(value: str) -> float:
    """The seconds that a header means, from now on; what cannot be read means no time.

    >>> seconds_of("17"), seconds_of("soon"), seconds_of("Sun, 06 Nov 1994 08:49:37 GMT")
    (17.0, 0.0, 0.0)
    """
    try:
        seconds = float(value)
    except ValueError:
        seconds = _seconds_until(value)
    return min(seconds, LONGEST_ASKED_S) if seconds > 0 else 0.0


def _seconds_until(date: str) -> float:
    try:
        moment = parsedate_to_datetime(date)
        # A date without a zone is in UTC, as all dates of HTTP are.
        moment = moment.replace(tzinfo=moment.tzinfo or timezone.utc)
        return (moment - datetime.now(timezone.utc)).total_seconds()
    except (ValueError, TypeError, IndexError, OverflowError):
        return 0.0
