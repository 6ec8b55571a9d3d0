"""Logging in through the wiki, and out again; what the service knows of one's account."""

from __future__ import annotations

import hmac
import json
import secrets
from datetime import datetime, timedelta, timezone
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from wikibot.errors import BadInput
from wikibot.site import oauth
from wikibot.store import accounts, pages
from wikibot.web.forms import check_form
from wikibot.web.i18n import msg
from wikibot.web.renewal import remembered
from wikibot.web.team_app import digest_of, team_app, visit

blueprint = Blueprint("login", __name__)

ATTEMPT_LASTS_S = 600


@blueprint.get("/login")
def begin() -> Response:
    """The browser goes to the wiki; what it must bring back is sealed in a cookie of its own."""
    team = team_app()
    attempt = oauth.begin(team.consumer)
    kept = {"state": attempt.state, "verifier": attempt.verifier, "to": _own_path()}
    answer = redirect(attempt.address, 303)
    _set_cookie(answer, team.login_cookie_name, team.safe.seal(json.dumps(kept)), ATTEMPT_LASTS_S)
    return answer


@blueprint.get("/login/return")
def finish() -> Response:
    """The browser is back from the wiki: it is logged in, or told why not."""
    team, attempt = team_app(), _attempt()
    if not hmac.compare_digest(request.args.get("state", "").encode(), attempt["state"].encode()):
        abort(403, msg("this-login-was-not-begun-in-this"))
    code = request.args.get("code", "")
    if not code:
        abort(403, msg("you-have-not-allowed-it-on-the"))
    tokens = oauth.exchange(team.consumer, code, attempt["verifier"])
    account = remembered(team, oauth.profile(team.consumer, tokens.access), tokens)
    answer = redirect(attempt["to"], 303)
    _set_cookie(answer, team.cookie_name, _start_session(account.id), _lasts_s())
    _drop_cookie(answer, team.login_cookie_name)
    return answer


@blueprint.post("/logout")
def log_out() -> Response:
    """This browser is logged out."""
    check_form("log-out")
    with team_app().store.writing() as session:
        accounts.end_session(session, visit().digest)
    return _gone()


@blueprint.post("/logout/everywhere")
def log_out_everywhere() -> Response:
    """No browser is logged in with the account, and the service holds no token of it."""
    check_form("log-out-everywhere")
    with team_app().store.writing() as session:
        accounts.forget(session, visit().account.id)
    return _gone()


@blueprint.get("/account")
def account() -> str:
    """What the service knows of the account, and what it may do."""
    team = team_app()
    with team.store.reading() as session:
        wiki = pages.wiki_by_name(session, team.wiki)
    return render_template(
        "account.html", wiki=wiki, account=visit().account, roles=team.roles, needed=team.needed
    )


def _gone() -> Response:
    answer = redirect(url_for("review.start"), 303)
    _drop_cookie(answer, team_app().cookie_name)
    return answer


def _start_session(account_id: int) -> str:
    """The cookie of a new login; the database keeps its digest."""
    cookie, now = secrets.token_urlsafe(32), datetime.now(timezone.utc)
    with team_app().store.writing() as session:
        until = now + timedelta(seconds=_lasts_s())
        accounts.start_session(session, account_id, digest_of(cookie), now, until)
    return cookie


def _lasts_s() -> int:
    return round(team_app().session_lasts.total_seconds())


def _attempt() -> dict[str, Any]:
    """What this browser began; refuses a browser that has begun nothing within ten minutes."""
    team = team_app()
    sealed = request.cookies.get(team.login_cookie_name, "")
    try:
        found: dict[str, Any] = json.loads(team.safe.open(sealed, max_age_s=ATTEMPT_LASTS_S))
        return found
    except BadInput:
        abort(403, msg("this-login-was-not-begun-in-this"))


def _own_path() -> str:
    """Where the reviewer wanted to go: a path of ours, else the start."""
    wanted = request.args.get("to", "")
    is_ours = wanted.startswith("/") and not wanted.startswith(("//", "/\\", "/login"))
    return wanted if is_ours and wanted.isprintable() else url_for("review.start")


def _set_cookie(answer: Response, name: str, value: str, lasts_s: int) -> None:
    """Lax, not Strict: the browser comes back from the wiki with it. Forms have two more locks."""
    answer.set_cookie(
        name,
        value,
        max_age=lasts_s,
        httponly=True,
        secure=team_app().is_encrypted,
        samesite="Lax",
        path="/",
    )


def _drop_cookie(answer: Response, name: str) -> None:
    _set_cookie(answer, name, "", 0)
