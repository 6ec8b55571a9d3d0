"""The local page answers nobody but the reviewer: every route, every way in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.routing import Rule

from tests.review.conftest import HOST, PORT, Browser, hidden_fields
from wikibot.store import Store, queue
from wikibot.web.app import create_app
from wikibot.web.review_app import ReviewApp

VALUES = {"title": "Lighthouse", "filename": "wikibot.css", "by": "target"}


def routes() -> Iterator[tuple[str, str]]:
    """Every method and path that the application has, filled in with things that exist."""
    app = create_app(ReviewApp(None, "x", PORT))  # type: ignore[arg-type]
    for rule in app.url_map.iter_rules():
        for method in sorted(rule.methods or ()):
            yield method, path_of(app, rule)


def path_of(app: Flask, rule: Rule) -> str:
    with app.test_request_context(base_url=f"http://{HOST}"):
        values = {name: VALUES.get(name, 1) for name in rule.arguments}
        return app.url_for(rule.endpoint, **values)


ROUTES = sorted(set(routes()))
READING = [path for method, path in ROUTES if method == "GET"]
WRITING = [path for method, path in ROUTES if method == "POST"]


def changes(store: Store) -> tuple[dict[str, int], int]:
    """What a request must not have moved."""
    with store.reading() as session:
        first = queue.proposal(session, 1)
        assert first is not None
        return queue.count_states(session, first.wiki.id), first.line.version


def test_the_application_has_the_routes_that_are_tested_here() -> None:
    assert "/" in READING
    assert "/static/wikibot.css" in READING
    assert len(WRITING) >= 6


def refused(client: FlaskClient, query: str = "", **headers: str) -> set[tuple[str, str]]:
    """The routes that answer with 403 and set no cookie."""
    found = set()
    for method, path in ROUTES:
        answer = client.open(
            path + query, method=method, base_url=f"http://{HOST}", headers=headers
        )
        if answer.status_code == 403 and "Set-Cookie" not in answer.headers:
            found.add((method, path))
    return found


def test_without_the_token_every_route_refuses(client: FlaskClient, store: Store) -> None:
    before = changes(store)
    assert refused(client) == set(ROUTES)
    assert changes(store) == before


def test_with_a_wrong_token_every_route_refuses(client: FlaskClient) -> None:
    client.set_cookie(f"wikibot_{PORT}", "wrong", domain="127.0.0.1")
    assert refused(client, "?token=wrong") == set(ROUTES)


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", "localhost", ""]
)
def test_under_a_foreign_name_every_route_refuses(
    browser: Browser, store: Store, host: str
) -> None:
    before = changes(store)
    assert refused(browser.client, Host=host) == set(ROUTES)
    assert changes(store) == before


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
    browser: Browser, store: Store, headers: dict[str, str]
) -> None:
    before = changes(store)
    for path in (*WRITING, "/"):
        answer = browser.client.post(path, base_url=f"http://{HOST}", headers=headers)
        assert answer.status_code == 403, path
    assert changes(store) == before


def test_a_form_without_its_token_changes_nothing(browser: Browser, store: Store) -> None:
    before = changes(store)
    for path in WRITING:
        answer = browser.post(path, {"version": 1, "verdict": "approve", "step": "widen-end"})
        assert answer.status_code == 403, path
    assert changes(store) == before


def test_a_forms_token_opens_no_other_form(browser: Browser, store: Store) -> None:
    page = browser.get("/proposal/1")
    fields = hidden_fields(page.text, "/proposal/1/decide")
    assert browser.post("/proposal/2/decide", fields | {"verdict": "approve"}).status_code == 403
    assert browser.post("/proposal/1/move", fields | {"step": "widen-end"}).status_code == 403
    assert (
        browser.post(
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


@pytest.mark.parametrize("path", READING)
def test_every_answer_carries_the_protective_headers(browser: Browser, path: str) -> None:
    headers = browser.get(path).headers
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "*" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Cache-Control"] == "no-store"
    assert "Access-Control-Allow-Origin" not in headers


def test_refusals_carry_the_protective_headers_too(client: FlaskClient) -> None:
    headers = client.get("/", base_url=f"http://{HOST}").headers
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert headers["Cache-Control"] == "no-store"


def test_reading_never_writes(browser: Browser, store: Store) -> None:
    before = changes(store)
    for path in READING:
        assert browser.get(path).status_code in (200, 303), path
    assert changes(store) == before


def test_an_overlong_form_is_refused(browser: Browser) -> None:
    assert browser.post("/never", {"value": "x" * 100_000}).status_code == 413


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
