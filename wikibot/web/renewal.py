"""Asking the wiki again who somebody is: groups change, people are blocked or renamed, or take back
their consent. One request at a time asks; the others go on with what was known a moment ago.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta, timezone

from wikibot.errors import AccountRefused, BadInput, WikiUnavailable
from wikibot.message import message
from wikibot.roles import Profile, roles_of, why_not
from wikibot.site import oauth
from wikibot.site.bearer import BearerLogin
from wikibot.site.oauth import Tokens
from wikibot.store import accounts
from wikibot.store.accounts import AccountRow, SealedTokens
from wikibot.web.team_app import TeamApp

# A token that ends within this time is exchanged for a new one.
SPARE = timedelta(minutes=2)
FOR_SAVING = timedelta(hours=1)
CLAIM = timedelta(minutes=1)
# While the wiki does not answer, what was known counts for so many times the usual interval.
PATIENCE = 6
# How often, and after how many seconds, a request looks whether another has been told.
LOOKS, LOOK_S = 50, 0.1


def is_due(team: TeamApp, account: AccountRow, now: datetime) -> bool:
    """Is it time to ask the wiki about the account again?"""
    return now - account.checked_at >= team.recheck_after


def renewed(team: TeamApp, account: AccountRow) -> AccountRow:
    """The account as the wiki knows it now, or knew it a short while ago.

    Refuses when the person has taken back the consent: nobody is logged in with it any more.
    """
    now = datetime.now(timezone.utc)
    with team.store.writing() as session:
        is_ours = accounts.claim(session, account, now, now + CLAIM)
    if not is_ours:
        return _as_others_learn(team, account, now)
    try:
        return _asked(team, account, now, spare=SPARE)
    except WikiUnavailable:
        return _as_known(team, account, now)


def _asked(team: TeamApp, account: AccountRow, now: datetime, *, spare: timedelta) -> AccountRow:
    """What the wiki says now of an account that is claimed; the claim ends in any case."""
    try:
        tokens = _usable_tokens(team, account, now, spare)
        profile = oauth.profile(team.consumer, tokens.access)
    except WikiUnavailable:
        with team.store.writing() as session:
            accounts.release(session, account.id)
        raise
    except AccountRefused:
        with team.store.writing() as session:
            accounts.forget(session, account.id)
        raise
    return remembered(team, profile, tokens)


def remembered(team: TeamApp, profile: Profile, tokens: Tokens) -> AccountRow:
    """The account is in the database as the wiki has just described it."""
    now = datetime.now(timezone.utc)
    sealed = sealed_tokens(team, tokens)
    with team.store.writing() as session:
        number = accounts.remember(session, team.wiki_id, profile, sealed, now)
    return AccountRow(number, team.wiki_id, profile, now, sealed)


def publishing_login(team: TeamApp, account: AccountRow) -> BearerLogin:
    """The wiki as this account, for as long as saving takes; the wiki has just said that it may.

    Refuses where the account may not publish, or the wiki cannot be asked now.
    """
    now = datetime.now(timezone.utc)
    with team.store.writing() as session:
        if not accounts.claim(session, account, now, now + CLAIM):
            raise WikiUnavailable(message("account-is-looked-at"))
    asked = _asked(team, account, now, spare=FOR_SAVING)
    if "publish" not in roles_of(asked.profile, team.needed):
        raise AccountRefused(why_not(asked.profile, "publish", team.needed))
    return BearerLogin(
        api_url=team.api_url,
        name=asked.name,
        contact=team.origin,
        token=_opened(team, asked).access,
        edit_interval_s=team.save_interval_s,
    )


def sealed_tokens(team: TeamApp, tokens: Tokens) -> SealedTokens:
    """The tokens as the database may hold them."""
    again = team.safe.seal(tokens.refresh) if tokens.refresh else None
    return SealedTokens(team.safe.seal(tokens.access), again, tokens.expires_at)


def _as_others_learn(team: TeamApp, account: AccountRow, now: datetime) -> AccountRow:
    """The account as known; if that is too long ago, what another request is just being told."""
    if now - account.checked_at <= PATIENCE * team.recheck_after:
        return account
    for _ in range(LOOKS):
        with team.store.reading() as session:
            found = accounts.account(session, account.id)
        if found is None or found.tokens is None:
            raise AccountRefused(message("login-has-ended"))
        if found.checked_at > account.checked_at:
            return found
        time.sleep(LOOK_S)
    return _as_known(team, account, now)


def _as_known(team: TeamApp, account: AccountRow, now: datetime) -> AccountRow:
    if now - account.checked_at > PATIENCE * team.recheck_after:
        raise WikiUnavailable(message("role-cannot-be-asked", account.name))
    return account


def _usable_tokens(team: TeamApp, account: AccountRow, now: datetime, spare: timedelta) -> Tokens:
    """The account's tokens, new ones if they end within SPARE."""
    held = _opened(team, account)
    if held.expires_at is None or held.expires_at > now + spare:
        return held
    if held.refresh is None:
        raise AccountRefused(message("login-has-ended"))
    fresh = oauth.refresh(team.consumer, held.refresh)
    with team.store.writing() as session:
        accounts.keep_tokens(session, account.id, sealed_tokens(team, fresh))
    return fresh


def _opened(team: TeamApp, account: AccountRow) -> Tokens:
    sealed = account.tokens
    if sealed is None:
        raise AccountRefused(message("login-has-ended"))
    try:
        again = team.safe.open(sealed.refresh) if sealed.refresh else None
        return Tokens(team.safe.open(sealed.access), again, sealed.expires_at)
    except BadInput:
        raise AccountRefused(message("key-has-changed")) from None
