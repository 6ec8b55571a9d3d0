"""Who may ask: tokens for programs, and the pages of known wikis for browsers.

The threats: other programs that reach the port (tokens); a foreign web page that lets a visitor's
browser ask us, under its own name (origins) or under ours (hosts, as in `web/hosts.py`).
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from flask import Response, g, request

from wikibot.api.errors import ApiError
from wikibot.errors import ConfigError
from wikibot.store.pages import WikiRow

OUR_HOSTS = frozenset(("127.0.0.1", "localhost", "[::1]"))
FEWEST_TOKEN_CHARACTERS = 16
# Anybody may read these: they hold nothing of a wiki.
OPEN_ENDPOINTS = frozenset(("start", "api.openapi", "api.health", "api.gadget"))
PREFLIGHT_KEPT_S = 600


@dataclass(frozen=True, slots=True)
class Token:
    """A secret, and the name of whom it was given to."""

    secret: str
    user: str


def read_tokens(path: str) -> tuple[Token, ...]:
    """The tokens of a file: on each line a token, a space and a name; `#` starts a remark."""
    if not path:
        return ()
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The file of tokens {path} cannot be read: {error}") from error
    found = [line.split(maxsplit=1) for line in lines if line.strip() and line[0] != "#"]
    for number, parts in enumerate(found, 1):
        if len(parts) != 2 or len(parts[0]) < FEWEST_TOKEN_CHARACTERS:
            raise ConfigError(
                f"Token {number} in {path} cannot be used: a line is a token of at least "
                f"{FEWEST_TOKEN_CHARACTERS} characters, a space and a name. Nothing was started."
            )
    if not found:
        raise ConfigError(f"The file of tokens {path} holds none. Nothing was started.")
    return tuple(Token(secret, user.strip()) for secret, user in found)


def refuse_without_token(tokens: tuple[Token, ...]) -> None:
    """The request carries one of the tokens, where there are any; its user is remembered."""
    g.api_user = ""
    if not tokens or request.method == "OPTIONS" or request.endpoint in OPEN_ENDPOINTS:
        return
    kind, _, given = request.headers.get("Authorization", "").partition(" ")
    secret = given.strip().encode() if kind.lower() == "bearer" else b""
    users = [one.user for one in tokens if hmac.compare_digest(one.secret.encode(), secret)]
    if not users:
        raise ApiError(
            401, "no-token", "This API needs a token: send `Authorization: Bearer TOKEN`."
        )
    g.api_user = users[0]


def refuse_foreign_hosts(hosts: frozenset[str]) -> None:
    """The request names us by an address of this machine, or as the settings allow."""
    name = request.headers.get("Host", "").rsplit(":", 1)[0] if _has_port() else request.host
    if name.lower() not in OUR_HOSTS | hosts:
        raise ApiError(
            403, "wrong-host", f"{name or 'No host'} is not served here; api.hosts may name it."
        )


def _has_port() -> bool:
    host, colon, port = request.headers.get("Host", "").rpartition(":")
    return bool(host and colon and port.isdigit())


def origins_of(wikis: Iterable[WikiRow], more: Iterable[str]) -> frozenset[str]:
    """The origins ("https://wiki.example.org") of wikis, and those that the settings name."""
    addresses = [wiki.article_url for wiki in wikis if wiki.article_url]
    return frozenset(map(_origin, (*addresses, *more)))


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}".lower()


def refuse_foreign_origins(origins: frozenset[str]) -> None:
    """A browser asks for a page of a known wiki, or for our own, or no browser asks."""
    origin = request.headers.get("Origin")
    if origin is not None and origin.lower() not in origins | {_origin(request.host_url)}:
        raise ApiError(
            403, "wrong-origin", f"Pages of {origin} may not ask here; api.origins may name it."
        )


def allow_origin(answer: Response, origins: frozenset[str]) -> Response:
    """The pages of known wikis may read the answer."""
    origin = request.headers.get("Origin", "")
    answer.headers["Vary"] = "Origin"
    answer.headers["X-Content-Type-Options"] = "nosniff"
    if origin.lower() in origins:
        answer.headers["Access-Control-Allow-Origin"] = origin
        if request.method == "OPTIONS":
            answer.headers["Access-Control-Allow-Methods"] = "GET, POST"
            answer.headers["Access-Control-Allow-Headers"] = "Authorization, Content-Type"
            answer.headers["Access-Control-Max-Age"] = str(PREFLIGHT_KEPT_S)
            # Chromium asks for this where a page of the network wants to reach this machine.
            answer.headers["Access-Control-Allow-Private-Network"] = "true"
    return answer
