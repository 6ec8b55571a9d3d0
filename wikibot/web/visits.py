"""The threat: people who are not who they say, or not any more. Every request of the service belongs
to a login, and every address asks for a role that the wiki gives; the wiki is asked again regularly.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone
from typing import NoReturn

from flask import abort, g, make_response, render_template, request

from wikibot.errors import AccountRefused
from wikibot.roles import why_not
from wikibot.store import accounts
from wikibot.store.accounts import SessionRow
from wikibot.web import renewal
from wikibot.web.labels import translated
from wikibot.web.team_app import digest_of, team_app

# What is shown before anybody has logged in, and what everybody may do who has.
OPEN = frozenset({"static", "login.begin", "login.finish", "health.show", "metrics.show"})
FOR_EVERYBODY = frozenset({"login.account", "login.log_out", "login.log_out_everywhere"})
# What needs more than the right to review.
PUBLISHING = ("publish.show", "publish.check", "publish.save", "publish.undo")
ADMINISTERING = ("admin.show", "admin.run")
NEEDED = {
    **dict.fromkeys(PUBLISHING, "publish"),
    **dict.fromkeys(ADMINISTERING, "administer"),
}


def ask_for_login() -> None:
    """The request belongs to somebody who may make it; else it ends here."""
    g.visit = None
    if request.endpoint in OPEN:
        return
    g.visit = _known() or _welcome()
    if request.endpoint not in FOR_EVERYBODY:
        _refuse_without(NEEDED.get(request.endpoint or "", "review"))


def visitor() -> SessionRow | None:
    """Who is logged in, for the head of every page; None on a page for one person."""
    found = g.get("visit")
    return found if isinstance(found, SessionRow) else None


def may(role: str) -> bool:
    """May the person of this request do this?"""
    return visitor() is not None and role in team_app().roles


def _known() -> SessionRow | None:
    team = team_app()
    cookie = request.cookies.get(team.cookie_name, "")
    now = datetime.now(timezone.utc)
    with team.store.reading() as session:
        found = accounts.session_with(session, digest_of(cookie), now) if cookie else None
    if found is None or not renewal.is_due(team, found.account, now):
        return found
    try:
        return replace(found, account=renewal.renewed(team, found.account))
    except AccountRefused:
        return None


def _welcome() -> NoReturn:
    abort(make_response(render_template("welcome.html", wiki_name=team_app().wiki), 403))


def _refuse_without(role: str) -> None:
    team = team_app()
    if role not in team.roles:
        abort(403, translated(why_not(g.visit.account.profile, role, team.needed)))
