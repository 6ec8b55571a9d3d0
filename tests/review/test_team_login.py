"""Logging in to the service through the wiki, by the standard, and what the wiki says afterwards."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from flask.testing import FlaskClient
from sqlalchemy import select, update

from tests.mediawiki.oauth2 import CLIENT_SECRET, Provider, Town, running
from tests.review.conftest import HOST, Browser, browser_of, hidden_fields
from tests.review.team import team_of
from wikibot.errors import AccountRefused, WikiUnavailable
from wikibot.site import oauth
from wikibot.store import Store, accounts, decisions, open_store
from wikibot.store.task_tables import Account, WebSession
from wikibot.web.app import create_team_app
from wikibot.web.renewal import PATIENCE
from wikibot.web.team_app import TeamApp, digest_of

ORIGIN = f"http://{HOST}"


@pytest.fixture(scope="module")
def running_provider() -> Iterator[Provider]:
    with running(Town()) as provider:
        provider.register(f"{ORIGIN}/login/return")
        yield provider


@pytest.fixture
def provider(running_provider: Provider) -> Provider:
    """With people of this test alone."""
    running_provider.directory = Town()
    running_provider.is_down, running_provider.lasts_s = False, 14_400
    running_provider.access.clear()
    running_provider.refreshes.clear()
    return running_provider


@pytest.fixture
def town(provider: Provider) -> Town:
    assert isinstance(provider.directory, Town)
    provider.directory.add("Ann")
    return provider.directory


@pytest.fixture
def team(store: Store, provider: Provider, town: Town) -> TeamApp:
    return team_of(store, ORIGIN, rest_url=provider.rest_url)


def asking_always(team: TeamApp) -> TeamApp:
    """A service that asks the wiki at every request who somebody is."""
    return replace(team, recheck_after=timedelta(0))


def go_to_the_wiki(
    client: FlaskClient, name: str, answer: str = "yes", path: str = "/login"
) -> str:
    """Where the wiki sends the browser back to."""
    begun = client.get(path, base_url=ORIGIN)
    assert begun.status_code == 303
    form = {"name": name, "password": "secret", "answer": answer}
    address = begun.headers["Location"]
    back = requests.post(address, data=form, allow_redirects=False, timeout=60)
    assert back.status_code == 302, back.text
    location = back.headers["Location"]
    assert location.startswith(f"{ORIGIN}/login/return?")
    return location.removeprefix(ORIGIN)


def come_in(team: TeamApp, name: str = "Ann") -> Browser:
    """The browser of somebody who has logged in all the way."""
    client = create_team_app(team).test_client()
    done = client.get(go_to_the_wiki(client, name), base_url=ORIGIN)
    assert done.status_code == 303, done.text
    return Browser(client, team)


def test_who_logs_in_decides_under_the_name_of_the_wiki(team: TeamApp) -> None:
    browser = come_in(team)
    page = browser.get("/proposal/1")
    assert page.status_code == 200 and "Ann" in page.text
    browser.press(page, "/proposal/1/decide", verdict="approve")
    with team.store.reading() as session:
        said = decisions.history(session, 1)
    assert [(one.reviewer, one.source) for one in said] == [("Ann", "web")]


def test_after_logging_in_one_is_where_one_wanted_to_go(team: TeamApp) -> None:
    client = create_team_app(team).test_client()
    back = go_to_the_wiki(client, "Ann", path="/login?to=/queue?page=Fog")
    assert client.get(back, base_url=ORIGIN).headers["Location"] == "/queue?page=Fog"


@pytest.mark.parametrize(
    "to", ["//evil.example", "/\\evil.example", "https://evil.example", "/login", "x", "/a%0d%0ab"]
)
def test_logging_in_never_leads_to_another_site(team: TeamApp, to: str) -> None:
    client = create_team_app(team).test_client()
    back = go_to_the_wiki(client, "Ann", path=f"/login?to={to}")
    assert client.get(back, base_url=ORIGIN).headers["Location"] == "/"


def test_the_browser_is_sent_off_with_a_challenge_and_a_state_of_its_own(team: TeamApp) -> None:
    sent = [create_team_app(team).test_client().get("/login", base_url=ORIGIN) for _ in range(2)]
    asked = [parse_qs(urlsplit(one.headers["Location"]).query) for one in sent]
    assert all(one["code_challenge_method"] == ["S256"] for one in asked)
    assert all(one["redirect_uri"] == [f"{ORIGIN}/login/return"] for one in asked)
    assert asked[0]["state"] != asked[1]["state"]
    assert asked[0]["code_challenge"] != asked[1]["code_challenge"]
    assert not any("verifier" in one.headers["Location"] for one in sent)


def test_a_login_that_another_browser_began_is_refused(team: TeamApp) -> None:
    one, other = (create_team_app(team).test_client() for _ in range(2))
    back = go_to_the_wiki(one, "Ann")
    assert other.get(back, base_url=ORIGIN).status_code == 403
    other.get("/login", base_url=ORIGIN)
    refused = other.get(back, base_url=ORIGIN)
    assert refused.status_code == 403 and "not started in this browser" in refused.text
    assert other.get("/", base_url=ORIGIN).status_code == 403
    assert one.get(back, base_url=ORIGIN).status_code == 303


def test_a_code_opens_once(team: TeamApp) -> None:
    client = create_team_app(team).test_client()
    back = go_to_the_wiki(client, "Ann")
    code = parse_qs(urlsplit(back).query)["code"][0]
    with pytest.raises(AccountRefused, match="log in again"):
        oauth.exchange(team.consumer, code, "not the verifier of this browser, but long enough")
    assert client.get(back, base_url=ORIGIN).status_code in (303, 403)
    with pytest.raises(AccountRefused):
        oauth.exchange(team.consumer, code, "whatever it was, it is used up, and that is that")


def test_who_says_no_on_the_wiki_is_not_logged_in(team: TeamApp) -> None:
    client = create_team_app(team).test_client()
    told = client.get(go_to_the_wiki(client, "Ann", answer="no"), base_url=ORIGIN)
    assert told.status_code == 403 and "not allowed it" in told.text
    assert client.get("/", base_url=ORIGIN).status_code == 403


def test_a_login_survives_a_restart_and_is_good_in_every_process(team: TeamApp) -> None:
    browser = come_in(team)
    fields = hidden_fields(browser.get("/proposal/1").text, "/proposal/1/decide")
    with open_store(team.store.url.database) as store:  # type: ignore[arg-type]
        other = create_team_app(team_of(store, ORIGIN)).test_client()
        cookie = browser.client.get_cookie(team.cookie_name, domain="127.0.0.1")
        assert cookie is not None
        other.set_cookie(team.cookie_name, cookie.value, domain="127.0.0.1")
        answer = Browser(other, team).post("/proposal/1/decide", fields | {"verdict": "approve"})
    assert answer.status_code == 303


def test_a_form_of_one_person_opens_nothing_for_another(team: TeamApp) -> None:
    ann, bob = browser_of(team, "Ann"), browser_of(team, "Bob")
    fields = hidden_fields(ann.get("/proposal/1").text, "/proposal/1/decide")
    assert bob.post("/proposal/1/decide", fields | {"verdict": "approve"}).status_code == 403
    assert ann.post("/proposal/1/decide", fields | {"verdict": "approve"}).status_code == 303


def test_logging_out_ends_this_browsers_login_and_no_other(team: TeamApp) -> None:
    here, there = come_in(team), come_in(team)
    cookie = here.client.get_cookie(team.cookie_name, domain="127.0.0.1")
    assert here.press(here.get("/account"), "/logout").status_code == 303
    assert here.get("/").status_code == 403
    assert cookie is not None
    here.client.set_cookie(team.cookie_name, cookie.value, domain="127.0.0.1")
    assert here.get("/").status_code == 403, "the cookie itself opens nothing any more"
    assert there.get("/").status_code == 200


def test_logging_out_everywhere_leaves_no_login_and_no_token(team: TeamApp) -> None:
    here, there = come_in(team), come_in(team)
    assert here.press(here.get("/account"), "/logout/everywhere").status_code == 303
    assert here.get("/").status_code == there.get("/").status_code == 403
    with team.store.reading() as session:
        assert session.scalars(select(WebSession)).all() == []
        assert session.scalars(select(Account.refresh_token)).all() == [None]


def test_a_login_ends_after_its_time(team: TeamApp) -> None:
    browser = come_in(team)
    with team.store.writing() as session:
        long_ago = datetime.now(timezone.utc) - timedelta(seconds=1)
        session.execute(update(WebSession).values(expires_at=long_ago))
    assert browser.get("/").status_code == 403


def test_an_access_token_that_ends_is_exchanged_and_the_old_ones_are_dropped(
    team: TeamApp, provider: Provider
) -> None:
    provider.lasts_s = 60  # less than what we want to have in hand
    browser = come_in(asking_always(team))
    first = set(provider.refreshes)
    provider.expire()
    assert browser.get("/").status_code == 200
    assert len(provider.refreshes) == 1 and not first & set(provider.refreshes)
    assert browser.get("/").status_code == 200, "and again with the new ones"


def test_who_takes_back_the_consent_is_logged_out_and_forgotten(
    team: TeamApp, provider: Provider
) -> None:
    browser, other = come_in(asking_always(team)), come_in(asking_always(team))
    provider.revoke(1)
    page = browser.get("/")
    assert page.status_code == 403 and "Log in through the wiki" in page.text
    assert other.get("/").status_code == 403
    with team.store.reading() as session:
        assert session.scalars(select(Account.access_token)).all() == [None]


def test_a_refresh_token_that_was_taken_back_ends_the_login_too(
    team: TeamApp, provider: Provider
) -> None:
    provider.lasts_s = 60
    browser = come_in(asking_always(team))
    provider.revoke(1)
    assert browser.get("/").status_code == 403


def test_a_blocked_account_can_do_nothing_until_it_is_unblocked(team: TeamApp, town: Town) -> None:
    browser = come_in(asking_always(team))
    fields = hidden_fields(browser.get("/proposal/1").text, "/proposal/1/decide")
    town.change(1, is_blocked=True)
    refused = browser.post("/proposal/1/decide", fields | {"verdict": "approve"})
    assert refused.status_code == 403 and "Ann is blocked on the wiki" in refused.text
    with team.store.reading() as session:
        assert decisions.history(session, 1) == []
    town.change(1, is_blocked=False)
    assert browser.get("/").status_code == 200


def test_a_renamed_account_keeps_its_login_and_its_decisions(team: TeamApp, town: Town) -> None:
    browser = come_in(asking_always(team))
    browser.press(browser.get("/proposal/1"), "/proposal/1/decide", verdict="approve")
    town.change(1, name="Anna")
    assert "Anna" in browser.get("/").text
    with team.store.reading() as session:
        assert [one.reviewer for one in decisions.history(session, 1)] == ["Anna"]
        assert len(accounts.everybody(session, team.wiki_id)) == 1


def test_a_new_account_with_an_old_name_gets_nothing_of_the_old_one(
    team: TeamApp, town: Town
) -> None:
    browser = come_in(asking_always(team))
    browser.press(browser.get("/proposal/1"), "/proposal/1/decide", verdict="approve")
    town.change(1, name="Anna")
    browser.get("/")
    town.add("Ann")
    come_in(team, "Ann")
    with team.store.reading() as session:
        assert [one.reviewer for one in decisions.history(session, 1)] == ["Anna"]


def test_who_has_too_few_edits_is_told_how_many_it_takes(team: TeamApp, town: Town) -> None:
    town.add("Newcomer", edits=3)
    browser = come_in(team, "Newcomer")
    refused = browser.get("/")
    assert refused.status_code == 403
    assert "This needs 10 edits on the wiki; Newcomer has 3" in refused.text
    account = browser.get("/account")
    assert account.status_code == 200 and "This needs 20 edits" in account.text


def test_a_lost_group_is_noticed_when_the_wiki_is_asked_again(team: TeamApp, town: Town) -> None:
    town.change(1, groups=("*", "user", "sysop"))
    browser = come_in(team)
    assert "for these groups of the wiki: autoconfirmed" in browser.get("/account").text
    assert "for these groups of the wiki: sysop" not in browser.get("/account").text
    town.change(1, groups=("*", "user"))
    later = replace(browser, client=create_team_app(asking_always(team)).test_client())
    cookie = browser.client.get_cookie(team.cookie_name, domain="127.0.0.1")
    assert cookie is not None
    later.client.set_cookie(team.cookie_name, cookie.value, domain="127.0.0.1")
    assert "for these groups of the wiki: sysop" in later.get("/account").text


def test_the_wiki_is_not_asked_at_every_request(team: TeamApp, provider: Provider) -> None:
    browser = come_in(team)
    asked = len(provider.asked)
    for _ in range(5):
        assert browser.get("/").status_code == 200
    assert len(provider.asked) == asked


def test_while_the_wiki_is_down_what_it_said_counts_for_a_while(
    team: TeamApp, provider: Provider
) -> None:
    browser = come_in(team)
    provider.is_down = True
    set_checked(team, ago=team.recheck_after * (PATIENCE - 1))
    assert browser.get("/").status_code == 200
    set_checked(team, ago=team.recheck_after * (PATIENCE + 1))
    told = browser.get("/")
    assert told.status_code == 503 and "try again later" in told.text
    provider.is_down = False
    assert browser.get("/").status_code == 200


def set_checked(team: TeamApp, *, ago: timedelta) -> None:
    with team.store.writing() as session:
        session.execute(update(Account).values(checked_at=datetime.now(timezone.utc) - ago))


def test_only_one_request_asks_the_wiki_and_none_with_old_tokens(team: TeamApp) -> None:
    come_in(team)
    now = datetime.now(timezone.utc)
    with team.store.reading() as session:
        seen = accounts.everybody(session, team.wiki_id)[0]
    with team.store.writing() as session:
        assert accounts.claim(session, seen, now, now + timedelta(minutes=1))
        assert not accounts.claim(session, seen, now, now + timedelta(minutes=1))
        assert seen.tokens is not None
        accounts.remember(session, team.wiki_id, seen.profile, seen.tokens, now)
        assert not accounts.claim(session, seen, now, now + timedelta(minutes=1))


def test_nothing_that_opens_the_wiki_is_in_the_database_or_the_logs(
    team: TeamApp, provider: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    browser = come_in(team)
    browser.get("/account")
    cookie = browser.client.get_cookie(team.cookie_name, domain="127.0.0.1")
    assert cookie is not None and team.store.path is not None
    held = team.store.path.read_bytes()
    secrets = [*provider.access, *provider.refreshes, cookie.value, CLIENT_SECRET]
    assert len(secrets) == 4
    ours = (one for one in caplog.records if one.thread == threading.get_ident())
    said = "".join(one.getMessage() for one in ours)  # the provider speaks in threads of its own
    assert "access_token" in said
    for secret in secrets:
        assert secret.encode() not in held
        assert secret not in said
        assert secret not in repr(team)
    assert digest_of(cookie.value).encode() in held


def test_cookies_are_for_our_host_for_tls_and_for_no_script(
    store: Store, provider: Provider
) -> None:
    team = team_of(store, "https://links.example.org", rest_url=provider.rest_url)
    client = create_team_app(team).test_client()
    answer = client.get("/login", base_url="https://links.example.org")
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("__Host-wikibot-login=")
    for flag in ("Secure", "HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=600"):
        assert flag in cookie
    assert "max-age" in answer.headers["Strict-Transport-Security"]


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"sub": 1, "username": "", "groups": [], "editcount": 1, "blocked": False},
        {"sub": None, "username": "Ann", "groups": [], "editcount": 1, "blocked": False},
        {"sub": 1, "username": "Ann", "groups": "sysop", "editcount": 1, "blocked": False},
        {"sub": 1, "username": "Ann", "groups": [], "editcount": "many", "blocked": False},
        {"sub": 1, "username": "Ann", "groups": [], "editcount": 1},
    ],
)
def test_a_profile_that_makes_no_sense_lets_nobody_in(
    team: TeamApp, town: Town, monkeypatch: pytest.MonkeyPatch, told: dict[str, object]
) -> None:
    monkeypatch.setattr(Town, "profile", lambda *_: told)
    client = create_team_app(team).test_client()
    answer = client.get(go_to_the_wiki(client, "Ann"), base_url=ORIGIN)
    assert answer.status_code == 503 and "not understood" in answer.text
    assert client.get("/", base_url=ORIGIN).status_code == 403


def test_a_wiki_that_does_not_answer_is_said_plainly(store: Store) -> None:
    nobody = team_of(store, ORIGIN).consumer
    for ask in (
        lambda: oauth.exchange(nobody, "code", "verifier"),
        lambda: oauth.refresh(nobody, "token"),
        lambda: oauth.profile(nobody, "token"),
    ):
        with pytest.raises(WikiUnavailable, match="did not answer"):
            ask()
