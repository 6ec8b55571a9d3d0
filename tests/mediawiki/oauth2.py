"""An OAuth 2 provider for tests, with the endpoints of MediaWiki's extension, by the standard.

Authlib's server side keeps the rules: single-use codes, PKCE, exact return addresses, rotating
refresh tokens. Who somebody is comes from a directory: the real wiki, or a town of invented people.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749 import ClientMixin, grants
from authlib.oauth2.rfc7636 import CodeChallenge
from flask import Flask, Response, render_template_string, request
from werkzeug.serving import make_server

from tests.mediawiki.people import ApiError, Person
from tests.mediawiki.wiki import Wiki

CLIENT_ID = "0123456789abcdef"
CLIENT_SECRET = "client-secret-of-the-tests"
PHP = Path(__file__).with_name("oauth2.php")
LASTS_S = 14_400

PAGE = """<!doctype html><title>Connect</title>
<form method="post"><p>wikibot wants to act for you.</p>
<label>Name <input name="name"></label>
<label>Password <input name="password" type="password"></label>
<button name="answer" value="yes">Allow</button> <button name="answer" value="no">Cancel</button>
</form>"""


class Directory(Protocol):
    """Who there is: their numbers, their passwords, and what a profile says of them."""

    def log_in(self, name: str, password: str) -> int | None: ...

    def profile(self, number: int, token: str) -> dict[str, Any]: ...

    def issued(self, tokens: dict[str, tuple[int, float]]) -> None: ...


@dataclass(frozen=True, slots=True)
class Inhabitant:
    """An invented account."""

    number: int
    name: str
    groups: tuple[str, ...] = ("*", "user", "autoconfirmed")
    edits: int = 100
    is_blocked: bool = False
    password: str = "secret"


@dataclass(slots=True)
class Town:
    """Invented people, for tests that need no wiki."""

    people: dict[int, Inhabitant] = field(default_factory=dict)

    def add(self, name: str, **more: Any) -> Inhabitant:
        number = len(self.people) + 1
        self.people[number] = Inhabitant(number, name, **more)
        return self.people[number]

    def change(self, number: int, **values: Any) -> None:
        self.people[number] = replace(self.people[number], **values)

    def log_in(self, name: str, password: str) -> int | None:
        fits = (one for one in self.people.values() if (one.name, one.password) == (name, password))
        return next((one.number for one in fits), None)

    def profile(self, number: int, token: str) -> dict[str, Any]:
        person = self.people[number]
        return {
            "sub": number,
            "username": person.name,
            "editcount": person.edits,
            "blocked": person.is_blocked,
            "groups": list(person.groups),
            "rights": [],
            "grants": ["basic", "editpage"],
        }

    def issued(self, tokens: dict[str, tuple[int, float]]) -> None:
        """Nobody else asks."""


@dataclass(slots=True)
class RealWiki:
    """The accounts of a running wiki, which is told which bearer tokens are good."""

    wiki: Wiki

    def log_in(self, name: str, password: str) -> int | None:
        try:
            person = Person.log_in(self.wiki.api, name=name, password=password)
        except (ApiError, AssertionError):
            return None
        return int(person.query(meta="userinfo")["userinfo"]["id"])

    def profile(self, number: int, token: str) -> dict[str, Any]:
        """As the wiki itself sees who brings the token."""
        visitor = Person.anonymous(self.wiki.api)
        visitor.session.headers["Authorization"] = f"Bearer {token}"
        asked = "groups|rights|editcount|blockinfo"
        info = visitor.query(meta="userinfo", uiprop=asked)["userinfo"]
        assert info["id"] == number, info
        return {
            "sub": info["id"],
            "username": info["name"],
            "editcount": info["editcount"],
            "blocked": "blockid" in info,
            "groups": info["groups"],
            "rights": info["rights"],
            "grants": ["basic", "editpage", "createeditmovepage"],
        }

    def issued(self, tokens: dict[str, tuple[int, float]]) -> None:
        told = {
            hashlib.sha256(token.encode()).hexdigest(): {"user": user, "expires": int(end)}
            for token, (user, end) in tokens.items()
        }
        written = self.wiki.folder / "bearer.json.new"
        written.write_text(json.dumps(told))
        written.replace(self.wiki.folder / "bearer.json")


@dataclass(frozen=True, slots=True)
class Client(ClientMixin):  # type: ignore[misc]
    """The service, as it was registered."""

    return_address: str

    def get_client_id(self) -> str:
        return CLIENT_ID

    def get_default_redirect_uri(self) -> str:
        return self.return_address

    def get_allowed_scope(self, scope: str) -> str:
        return "basic"  # as it was registered, whatever is asked for

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return redirect_uri == self.return_address

    def check_client_secret(self, client_secret: str) -> bool:
        return client_secret == CLIENT_SECRET

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method == "client_secret_post"

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type in ("authorization_code", "refresh_token")


@dataclass(frozen=True, slots=True)
class Code:
    """An authorization code that has not been used yet."""

    code: str
    user: int
    redirect_uri: str
    code_challenge: str
    code_challenge_method: str

    def get_redirect_uri(self) -> str:
        return self.redirect_uri

    def get_scope(self) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class Refresh:
    """What gets a new access token, once."""

    token: str
    user: int

    def check_client(self, client: Client) -> bool:
        return True

    def get_scope(self) -> str:
        return ""


@dataclass(slots=True)
class Provider:
    """The endpoints, and all that was issued at them; `rest_url` is where they are."""

    directory: Directory
    lasts_s: float = LASTS_S
    client: Client | None = None
    codes: dict[str, Code] = field(default_factory=dict)
    access: dict[str, tuple[int, float]] = field(default_factory=dict)
    refreshes: dict[str, Refresh] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    is_down: bool = False
    port: int = 0

    @property
    def rest_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/rest.php"

    def register(self, return_address: str) -> None:
        """The service at this address may ask people to log in."""
        self.client = Client(return_address)

    def revoke(self, user: int) -> None:
        """The person takes back the consent: no token of theirs is good any more."""
        self.access = {t: entry for t, entry in self.access.items() if entry[0] != user}
        self.refreshes = {t: one for t, one in self.refreshes.items() if one.user != user}
        self.directory.issued(self.access)

    def expire(self) -> None:
        """Every access token has ended, as they do after some hours."""
        self.access = {token: (user, 0.0) for token, (user, _) in self.access.items()}
        self.directory.issued(self.access)

    def save_token(self, token: dict[str, Any], given: Any) -> None:
        token["expires_in"] = int(self.lasts_s)
        self.access[token["access_token"]] = (given.user, time.time() + self.lasts_s)
        self.refreshes[token["refresh_token"]] = Refresh(token["refresh_token"], given.user)
        self.directory.issued(self.access)

    def user_of(self, token: str) -> int | None:
        user, end = self.access.get(token, (None, 0.0))
        return user if end > time.time() else None


def application(provider: Provider) -> Flask:
    """`rest.php/oauth2/...` of the provider."""
    app = Flask("tests.provider")
    app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
    server = AuthorizationServer(
        app, query_client=lambda _name: provider.client, save_token=provider.save_token
    )
    server.register_grant(code_grant(provider), [CodeChallenge(required=True)])
    server.register_grant(refresh_grant(provider))

    @app.before_request
    def note_and_maybe_fail() -> Any:
        provider.asked.append(f"{request.method} {request.path}")
        return ("down for maintenance", 503) if provider.is_down else None

    @app.route("/rest.php/oauth2/authorize", methods=["GET", "POST"])
    def authorize() -> Any:
        try:
            grant = server.get_consent_grant(end_user=None)
        except OAuth2Error as error:
            return json.dumps(dict(error.get_body())), 400
        if request.method == "GET":
            return render_template_string(PAGE)
        form = request.form
        if form.get("answer") != "yes":
            return server.create_authorization_response(grant=grant, grant_user=None)
        user = provider.directory.log_in(form["name"], form["password"])
        if user is None:
            return render_template_string(PAGE), 403
        return server.create_authorization_response(grant=grant, grant_user=user)

    @app.post("/rest.php/oauth2/access_token")
    def access_token() -> Any:
        return server.create_token_response()

    @app.get("/rest.php/oauth2/resource/profile")
    def profile() -> Any:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        user = provider.user_of(token)
        if user is None:
            return Response('{"error": "rest-read-denied"}', 401, mimetype="application/json")
        return provider.directory.profile(user, token)

    return app


def code_grant(provider: Provider) -> type[grants.AuthorizationCodeGrant]:
    class CodeGrant(grants.AuthorizationCodeGrant):  # type: ignore[misc]
        TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_post",)

        def save_authorization_code(self, code: str, given: Any) -> None:
            wanted = given.payload.data
            provider.codes[code] = Code(
                code,
                given.user,
                given.payload.redirect_uri,
                wanted["code_challenge"],
                wanted["code_challenge_method"],
            )

        def query_authorization_code(self, code: str, client: Client) -> Code | None:
            return provider.codes.get(code)

        def delete_authorization_code(self, authorization_code: Code) -> None:
            del provider.codes[authorization_code.code]

        def authenticate_user(self, authorization_code: Code) -> int:
            return authorization_code.user

    return CodeGrant


def refresh_grant(provider: Provider) -> type[grants.RefreshTokenGrant]:
    class RefreshGrant(grants.RefreshTokenGrant):  # type: ignore[misc]
        TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_post",)
        INCLUDE_NEW_REFRESH_TOKEN = True

        def authenticate_refresh_token(self, refresh_token: str) -> Refresh | None:
            return provider.refreshes.get(refresh_token)

        def authenticate_user(self, refresh_token: Refresh) -> int:
            return refresh_token.user

        def revoke_old_credential(self, refresh_token: Refresh) -> None:
            del provider.refreshes[refresh_token.token]

    return RefreshGrant


def as_if_encrypted(app: Any) -> Any:
    """The standard forbids plain HTTP; on this machine alone, tests may."""

    def answer(environ: dict[str, Any], start: Any) -> Any:
        environ["wsgi.url_scheme"] = "https"
        return app(environ, start)

    return answer


@contextmanager
def running(directory: Directory) -> Iterator[Provider]:
    """A provider that answers until the block ends."""
    provider = Provider(directory)
    server = make_server("127.0.0.1", 0, as_if_encrypted(application(provider)), threaded=True)
    provider.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join(timeout=10)
        server.server_close()
