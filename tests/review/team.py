"""The service in tests: its settings, and people who are logged in."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta, timezone
from typing import Any

from cryptography.fernet import Fernet

from tests.mediawiki.oauth2 import CLIENT_ID, CLIENT_SECRET
from wikibot.keys import Safe
from wikibot.roles import Profile, Requirement
from wikibot.site.oauth import Consumer, Tokens
from wikibot.store import Store, accounts
from wikibot.store.pages import wikis
from wikibot.web.background import Background
from wikibot.web.renewal import sealed_tokens
from wikibot.web.team_app import TeamApp, digest_of

KEY = Fernet.generate_key().decode()
NEEDED = {
    "review": Requirement(edits=10),
    "publish": Requirement(frozenset({"autoconfirmed"}), 20),
    "administer": Requirement(frozenset({"sysop"})),
}
USUAL_GROUPS = frozenset({"*", "user", "autoconfirmed"})
NOBODY_ANSWERS = "http://127.0.0.1:9/rest.php"


def team_of(store: Store, origin: str, *, rest_url: str = NOBODY_ANSWERS, **more: Any) -> TeamApp:
    """A service over this database, as if it had been started with good settings."""
    wiki = wiki_of(store)
    return TeamApp(
        store=store,
        wiki_id=wiki[0],
        wiki=wiki[1],
        api_url=wiki[2],
        origin=origin,
        safe=Safe(KEY),
        consumer=Consumer(rest_url, CLIENT_ID, f"{origin}/login/return", CLIENT_SECRET),
        needed=NEEDED,
        **({"background": Background(patience_s=60)} | more),
    )


def wiki_of(store: Store | None) -> tuple[int, str, str]:
    if store is None:  # for those who ask for the routes only
        return 1, "wiki.example.org", ""
    with store.reading() as session:
        first = wikis(session)[0]
        return first.id, first.name, first.api_url or ""


def log_in(team: TeamApp, name: str = "alice", **profile: Any) -> str:
    """The cookie of somebody who has just logged in."""
    given: dict[str, Any] = {"groups": USUAL_GROUPS, "edit_count": 100} | profile
    who = Profile(subject=given.pop("subject", f"number of {name}"), name=name, **given)
    now, cookie = datetime.now(timezone.utc), secrets.token_urlsafe(32)
    sealed = sealed_tokens(team, Tokens("access", "refresh", now + timedelta(hours=4)))
    with team.store.writing() as session:
        number = accounts.remember(session, team.wiki_id, who, sealed, now)
        until = now + team.session_lasts
        accounts.start_session(session, number, digest_of(cookie), now, until)
    return cookie
