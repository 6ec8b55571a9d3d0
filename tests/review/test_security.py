"""The local page and the service answer nobody but the reviewers: every route, every way in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.routing import Rule

from tests.review.conftest import HOST, PORT, Browser, hidden_fields
from tests.review.team import team_of
from wikibot.store import Store, queue
from wikibot.web.app import create_app, create_team_app
from wikibot.web.review_app import ReviewApp

VALUES = {"title": "Lighthouse", "filename": "wikibot.css", "by": "target", "batch": "b0"}
HOUSES = ("local", "team")


def application(house: str) -> Flask:
    """The local page or the service, for a look at its routes."""
    if house == "local":
        return create_app(ReviewApp(None, "x", PORT))  # type: ignore[arg-type]
    return create_team_app(team_of(None, f"http://{HOST}"))  # type: ignore[arg-type]


def routes(house: str) -> Iterator[tuple[str, str]]:
    """Every method and path that the application has, filled in with things that exist."""
    app = application(house)
    for rule in app.url_map.iter_rules():
        for method in sorted(rule.methods or ()):
            yield method, path_of(app, rule)


def path_of(app: Flask, rule: Rule) -> str:
    with app.test_request_context(base_url=f"http://{HOST}"):
        values = {name: VALUES.get(name, 1) for name in rule.arguments}
        return app.url_for(rule.endpoint, **values)


ROUTES = {house: sorted(set(routes(house))) for house in HOUSES}
READING = {house: [path for method, path in ROUTES[house] if method == "GET"] for house in HOUSES}
WRITING = {house: [path for method, path in ROUTES[house] if method == "POST"] for house in HOUSES}
# What the service shows to people who have not logged in: how to do it, and that it is up.
OPEN = {"local": (), "team": ("/login", "/login/return", "/health", "/static/wikibot.css")}
NOTHING_THERE = "/saved/b0"
SENDS_ELSEWHERE = ("/login", "/login/return")
FOR_PROGRAMS = ("/metrics",)  # which have a token of their own

both = pytest.mark.parametrize("house", HOUSES)
every_reading = pytest.mark.parametrize(
    ("house", "path"), [(house, path) for house in HOUSES for path in READING[house]]
)
every_writing = pytest.mark.parametrize(
    ("house", "path"), [(house, path) for house in HOUSES for path in WRITING[house]]
)


def closed(house: str) -> set[tuple[str, str]]:
    """The routes that are for people who have come in."""
    return {(method, path) for method, path in ROUTES[house] if path not in OPEN[house]}


def changes(store: Store) -> tuple[dict[str, int], int]:
    """What a request must not have moved."""
    with store.reading() as session:
        first = queue.proposal(session, 1)
        assert first is not None
        return queue.count_states(session, first.wiki.id), first.line.version


@both
def test_the_application_has_the_routes_that_are_tested_here(house: str) -> None:
    assert "/" in READING[house]
    assert "/static/wikibot.css" in READING[house]
    assert len(WRITING[house]) >= 6
    assert set(OPEN[house]) < {*READING[house], "/nothing is open"}


def refused(
    house: str, client: FlaskClient, query: str = "", **headers: str
) -> set[tuple[str, str]]:
    """The routes that answer with 403 and set no cookie."""
    found = set()
    for method, path in ROUTES[house]:
        answer = client.open(
            path + query, method=method, base_url=f"http://{HOST}", headers=headers
        )
        if answer.status_code == 403 and "Set-Cookie" not in answer.headers:
            found.add((method, path))
    return found


@both
def test_without_the_token_every_route_refuses(
    house: str, stranger: FlaskClient, store: Store
) -> None:
    before = changes(store)
    assert refused(house, stranger) >= closed(house)
    assert changes(store) == before


@both
def test_with_a_wrong_token_every_route_refuses(house: str, stranger: FlaskClient) -> None:
    for name in (f"wikibot_{PORT}", f"wikibot_team_{PORT}"):
        stranger.set_cookie(name, "wrong", domain="127.0.0.1")
    assert refused(house, stranger, "?token=wrong") >= closed(house)


@both
@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", "localhost", ""]
)
def test_under_a_foreign_name_every_route_refuses(
    house: str, insider: Browser, store: Store, host: str
) -> None:
    before = changes(store)
    assert refused(house, insider.client, Host=host) == set(ROUTES[house])
    assert changes(store) == before


@both
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": f"https://{HOST}"},
        {"Origin": f"http://127.0.0.1:{PORT + 1}"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
    ],
)
def test_a_form_from_another_site_changes_nothing(
    house: str, insider: Browser, store: Store, headers: dict[str, str]
) -> None:
    before = changes(store)
    for path in (*WRITING[house], "/"):
        answer = insider.client.post(path, base_url=f"http://{HOST}", headers=headers)
        assert answer.status_code == 403, path
    assert changes(store) == before


@both
def test_a_form_without_its_token_changes_nothing(
    house: str, insider: Browser, store: Store
) -> None:
    before = changes(store)
    for path in WRITING[house]:
        answer = insider.post(path, {"version": 1, "verdict": "approve", "step": "widen-end"})
        assert answer.status_code == 403, path
    assert changes(store) == before


@both
def test_a_forms_token_opens_no_other_form(house: str, insider: Browser, store: Store) -> None:
    page = insider.get("/proposal/1")
    fields = hidden_fields(page.text, "/proposal/1/decide")
    assert insider.post("/proposal/2/decide", fields | {"verdict": "approve"}).status_code == 403
    assert insider.post("/proposal/1/move", fields | {"step": "widen-end"}).status_code == 403
    assert (
        insider.post(
            "/proposal/1/decide", fields | {"verdict": "approve", "version": "2"}
        ).status_code
        == 403
    )
    assert changes(store)[0]["approved"] == 0


def test_the_token_becomes_a_cookie_and_leaves_the_address_bar(
    client: FlaskClient, review_app: ReviewApp
) -> None:
    answer = client.get(f"/queue?page=Fog&token={review_app.token}", base_url=f"http://{HOST}")
    assert answer.status_code == 303
    assert answer.headers["Location"] == "/queue?page=Fog"
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert review_app.token not in cookie
    assert client.get("/queue?page=Fog", base_url=f"http://{HOST}").status_code == 200


def test_the_address_that_starts_the_browser_opens_once(review_app: ReviewApp) -> None:
    address = review_app.launch_address.partition(f":{PORT}")[2]
    assert review_app.token not in address
    codes = [
        create_app(review_app).test_client().get(address, base_url=f"http://{HOST}").status_code
        for _ in range(3)
    ]
    assert codes == [303, 403, 403]


def test_a_wrong_guess_does_not_use_up_the_key(review_app: ReviewApp) -> None:
    assert not review_app.launch.take("wrong")
    assert review_app.launch.take(review_app.launch.value)


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example", "/nowhere"])
def test_the_token_never_leads_to_another_site(
    client: FlaskClient, review_app: ReviewApp, path: str
) -> None:
    answer = client.get(f"{path}?token={review_app.token}", base_url=f"http://{HOST}")
    location = answer.headers.get("Location", "/")
    assert location.startswith("/")
    assert not location.startswith(("//", "/\\"))


@every_reading
def test_every_answer_carries_the_protective_headers(insider: Browser, path: str) -> None:
    headers = insider.get(path).headers
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "*" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Cache-Control"] == "no-store"
    assert "Access-Control-Allow-Origin" not in headers


@both
def test_refusals_carry_the_protective_headers_too(stranger: FlaskClient) -> None:
    headers = stranger.get("/", base_url=f"http://{HOST}").headers
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert headers["Cache-Control"] == "no-store"


@both
def test_reading_never_writes(house: str, insider: Browser, store: Store) -> None:
    before = changes(store)
    for path in READING[house]:
        wanted = (303, 403) if path in SENDS_ELSEWHERE else (200, 303)
        wanted = (404,) if path == NOTHING_THERE else wanted
        wanted = (403,) if path in FOR_PROGRAMS else wanted
        assert insider.get(path).status_code in wanted, path
    assert changes(store) == before


@both
def test_an_overlong_form_is_refused(insider: Browser) -> None:
    assert insider.post("/never", {"value": "x" * 100_000}).status_code == 413


def test_two_servers_on_one_machine_do_not_share_a_cookie(store: Store) -> None:
    one, other = ReviewApp(store, "a", 8001), ReviewApp(store, "b", 8002)
    assert one.cookie_name != other.cookie_name
    assert one.cookie != other.cookie
    assert one.token != other.token


def test_the_keys_of_a_server_are_not_printed_with_it(review_app: ReviewApp) -> None:
    shown = repr(review_app)
    assert review_app.token not in shown
    assert review_app.cookie not in shown
    assert review_app.launch.value not in shown
