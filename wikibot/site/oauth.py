"""Logging in through the wiki: OAuth 2 with an authorization code and PKCE, by the extension's endpoints.

The browser goes to `authorize` with a challenge and a state that only it and we know, and comes back
with a code; we exchange it at `access_token`, and `resource/profile` says whose tokens these are.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

from wikibot import __version__
from wikibot.errors import AccountRefused, WikiUnavailable
from wikibot.message import message
from wikibot.roles import Profile

TIMEOUT_S = 30
VERIFIER_BYTES = 48
# What the wiki says of a code or token that opens nothing any more; before version 9, the library
# behind MediaWiki's extension calls a refresh token that was taken back an invalid request.
OPENS_NOTHING = ("invalid_grant", "invalid_token", "invalid_request", "access_denied")


@dataclass(frozen=True, slots=True)
class Consumer:
    """We, as the wiki knows us: registered at Special:OAuthConsumerRegistration."""

    rest_url: str  # 'https://meta.wikimedia.org/w/rest.php'
    client_id: str
    return_address: str
    secret: str = field(default="", repr=False)  # empty for a client that keeps no secret

    def endpoint(self, name: str) -> str:
        return f"{self.rest_url}/oauth2/{name}"


@dataclass(frozen=True, slots=True)
class Attempt:
    """A login that has begun: where the browser goes, and what is asked of it when it is back."""

    address: str
    state: str
    verifier: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Tokens:
    """What opens the wiki to us for one account; EXPIRES_AT is None if the wiki does not say."""

    access: str = field(repr=False)
    refresh: str | None = field(repr=False)
    expires_at: datetime | None


def begin(consumer: Consumer) -> Attempt:
    """A new attempt to log in; nothing is sent yet."""
    verifier = secrets.token_urlsafe(VERIFIER_BYTES)
    address, state = _client(consumer).create_authorization_url(
        consumer.endpoint("authorize"), code_verifier=verifier
    )
    return Attempt(address, state, verifier)


def exchange(consumer: Consumer, code: str, verifier: str) -> Tokens:
    """The tokens for the code that the browser has brought back; a code opens once."""
    with _told_plainly():
        return _tokens(
            _client(consumer).fetch_token(
                consumer.endpoint("access_token"),
                code=code,
                code_verifier=verifier,
                timeout=TIMEOUT_S,
            )
        )


def refresh(consumer: Consumer, refresh_token: str) -> Tokens:
    """New tokens for the old ones. Refuses when the person has taken back the consent."""
    with _told_plainly():
        fresh = _tokens(
            _client(consumer).refresh_token(
                consumer.endpoint("access_token"), refresh_token=refresh_token, timeout=TIMEOUT_S
            )
        )
    return fresh if fresh.refresh else Tokens(fresh.access, refresh_token, fresh.expires_at)


def profile(consumer: Consumer, access_token: str) -> Profile:
    """Whose token it is, as the wiki knows the account now."""
    import requests

    with _told_plainly():
        answer = requests.get(
            consumer.endpoint("resource/profile"),
            headers={"Authorization": f"Bearer {access_token}", "User-Agent": _agent(consumer)},
            timeout=TIMEOUT_S,
            allow_redirects=False,
        )
        if answer.status_code in (401, 403):
            raise _refused("the wiki does not accept the login any more")
        answer.raise_for_status()
        return _profile(answer.json())


def _profile(told: dict[str, Any]) -> Profile:
    groups = told["groups"]
    if not (told["sub"] and told["username"] and isinstance(groups, list)):
        raise ValueError("no account is named")
    return Profile(
        subject=str(told["sub"]),
        name=str(told["username"]),
        groups=frozenset(map(str, groups)),
        edit_count=int(told["editcount"] or 0),
        is_blocked=bool(told["blocked"]),
    )


def _client(consumer: Consumer) -> Any:
    from authlib.integrations.requests_client import OAuth2Session

    client = OAuth2Session(
        consumer.client_id,
        consumer.secret or None,
        token_endpoint_auth_method="client_secret_post" if consumer.secret else "none",
        redirect_uri=consumer.return_address,
        code_challenge_method="S256",
    )
    client.headers["User-Agent"] = _agent(consumer)
    return client


def _agent(consumer: Consumer) -> str:
    """Names the service's own address, where the wiki's operators find whom to ask."""
    return f"wikibot/{__version__} ({consumer.return_address})"


def _tokens(told: dict[str, Any]) -> Tokens:
    lasts_s = told.get("expires_in")
    expires_at = datetime.now(timezone.utc) + timedelta(seconds=int(lasts_s)) if lasts_s else None
    again = told.get("refresh_token")
    return Tokens(str(told["access_token"]), str(again) if again else None, expires_at)


@contextmanager
def _told_plainly() -> Iterator[None]:
    """What goes wrong leaves this block as an error of ours; no token is in its words."""
    import requests
    from authlib.common.errors import AuthlibBaseError

    from wikibot.site.connect import sentence

    try:
        yield
    except AuthlibBaseError as error:
        if error.error in OPENS_NOTHING:
            raise _refused(str(error.description or error.error)) from None
        raise WikiUnavailable(message("service-may-not-log-in", error.error)) from None
    except (requests.HTTPError, KeyError, TypeError, ValueError) as error:
        raise WikiUnavailable(
            message("login-answer-not-understood", type(error).__name__)
        ) from None
    except (requests.RequestException, ConnectionError) as error:
        raise WikiUnavailable(message("wiki-did-not-answer", sentence(error))) from None


def _refused(reason: str) -> AccountRefused:
    return AccountRefused(message("login-failed-again", reason.rstrip(".")))
