"""Requests that no page of ours sends: each gets an answer with a reason, none an error of ours."""

from __future__ import annotations

import socket
from http.client import HTTPConnection
from itertools import product
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.review.conftest import HOST, Browser
from tests.review.server import serving
from tests.review.test_security import (
    FOR_PROGRAMS,
    HOUSES,
    NOTHING_THERE,
    READING,
    SENDS_ELSEWHERE,
    both,
    changes,
    every_writing,
)
from wikibot.store import Store
from wikibot.web.review_app import ReviewApp
from wikibot.web.serve import MAX_CONNECTIONS

HUGE = ("9223372036854775808", "99999999999999999999999", "1" * 5000, "-1", "٣", "1_0", " 1")
BROKEN = ("%ED%A0%80", "%00", "%FF", "%C0%AF")
NUMBERS = ("after", "before", "done", "withdrawn", "start", "version", "target_id", "entry_id")


NUMBERED = [(house, path) for house in HOUSES for path in READING[house] if "1" in path.split("/")]


@pytest.mark.parametrize(("house", "path"), NUMBERED)
def test_a_number_that_no_row_can_have_is_not_found(insider: Browser, path: str) -> None:
    for number in HUGE[:3]:
        assert insider.get(path.replace("/1", f"/{number}", 1)).status_code == 404


@both
@pytest.mark.parametrize("number", HUGE)
def test_no_number_in_a_query_breaks_a_page(house: str, insider: Browser, number: str) -> None:
    query = "&".join(f"{name}={quote(number)}" for name in NUMBERS)
    others = (*SENDS_ELSEWHERE, *FOR_PROGRAMS, NOTHING_THERE)
    for path in READING[house]:
        if not path.startswith("/static") and path not in others:
            assert insider.get(f"{path}?{query}").status_code in (200, 303)


@every_writing
def test_no_number_in_a_form_breaks_a_page(insider: Browser, store: Store, path: str) -> None:
    before = changes(store)
    for number in HUGE:
        answer = insider.post(path, dict.fromkeys(NUMBERS, number) | {"verdict": "approve"})
        assert answer.status_code in (400, 403)
    assert changes(store) == before


@both
@pytest.mark.parametrize("broken", BROKEN)
def test_no_broken_text_in_an_address_breaks_a_page(
    house: str, insider: Browser, broken: str
) -> None:
    for path in (*READING[house], f"/read/{broken}", f"/{broken}"):
        answer = insider.get(f"{path}?q={broken}&page={broken}&{broken}=1&category={broken}")
        is_closed = path in (*SENDS_ELSEWHERE, *FOR_PROGRAMS)
        wanted = (303, 400, 403) if is_closed else (200, 303, 400, 404)
        assert answer.status_code in wanted, path


@pytest.mark.parametrize("raw", [b"\xed\xa0\x80", b"\xff", b"\x80"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_raw_bytes_that_are_not_text_are_refused(store: Store, method: str, raw: bytes) -> None:
    """Through a socket, since no client library sends them."""
    with serving(store, "alice") as review_app:
        cookie = f"{review_app.cookie_name}={review_app.cookie}".encode()
        body = b"note=" + raw + b"&version=1&verdict=approve"
        head = (
            method.encode() + b" /proposal/1/decide?q=" + raw + b" HTTP/1.0\r\nHost: 127.0.0.1:"
            b"%d\r\nCookie: %s\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            b"Content-Length: %d\r\n\r\n" % (review_app.port, cookie, len(body))
        )
        with socket.create_connection(("127.0.0.1", review_app.port), timeout=60) as sent:
            sent.sendall(head + body)
            answer = sent.makefile("rb").read()
    assert answer.split(b" ", 2)[1] == b"400", answer[:200]


BOUNDARY = "xYz"


CHARSETS = ("utf-8", "ascii", "utf-7", "utf-16", "surrogatepass")
RAW = (b"\xed\xa0\x80", b"+2AA-", b"\x00\xd8", b"\xff", b"\x00")
FIELDS = ("form_token", "version", "verdict", "note", "kind", "value", "wiki", "page", "shown")


@every_writing
def test_no_broken_text_in_a_form_breaks_a_page(insider: Browser, store: Store, path: str) -> None:
    before = changes(store)
    for raw, charset in product(RAW, CHARSETS):
        plain = b"&".join(name.encode() + b"=" + raw for name in FIELDS)
        parts = f"multipart/form-data; boundary={BOUNDARY}"
        for answer in (
            _send(insider, path, plain),
            _send(insider, path, _multipart(FIELDS, raw, charset), parts),
        ):
            assert answer.status_code in (400, 403)
    assert changes(store) == before


def _multipart(fields: tuple[str, ...], raw: bytes, charset: str) -> bytes:
    parts = (
        f"--{BOUNDARY}\r\nContent-Disposition: form-data; name={name}\r\n"
        f"Content-Type: text/plain; charset={charset}\r\n\r\n".encode()
        + raw
        + b"\r\n"
        for name in fields
    )
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


def _send(
    browser: Browser,
    path: str,
    body: bytes,
    content_type: str = "application/x-www-form-urlencoded",
) -> TestResponse:
    return browser.client.post(
        path, data=body, content_type=content_type, base_url=f"http://{HOST}"
    )


@pytest.mark.parametrize(
    "more", ["endpoint=x", "_external=1", "_scheme=https", "_anchor=x", "_method=POST", "self=1"]
)
def test_what_stands_beside_the_token_stays_in_the_query(
    client: FlaskClient, review_app: ReviewApp, more: str
) -> None:
    answer = client.get(f"/queue?token={review_app.token}&{more}", base_url=f"http://{HOST}")
    assert answer.status_code == 303
    assert answer.headers["Location"] == f"/queue?{more}"


@pytest.mark.parametrize("cookie", ["\xed\xa0\x80", "\xff", "%00", "é"])
def test_no_cookie_breaks_a_page(client: FlaskClient, review_app: ReviewApp, cookie: str) -> None:
    header = {"Cookie": f"{review_app.cookie_name}={cookie}"}
    answer = client.get("/", base_url=f"http://{HOST}", headers=header)
    assert answer.status_code in (400, 403)


def test_idle_connections_do_not_shut_the_reviewer_out(store: Store) -> None:
    """Connections beyond any limit, silent or in the middle of a request; the reviewer is answered."""
    with serving(store, "alice") as review_app:
        idle = [
            socket.create_connection(("127.0.0.1", review_app.port), timeout=60)
            for _ in range(3 * MAX_CONNECTIONS)
        ]
        for one in idle[::2]:
            try:
                one.sendall(b"GET / HTTP/1.1\r\nHost: ")
            except OSError:
                continue  # it has been closed to make room, as it should
        connection = HTTPConnection("127.0.0.1", review_app.port, timeout=60)
        connection.request(
            "GET", "/", headers={"Cookie": f"{review_app.cookie_name}={review_app.cookie}"}
        )
        assert connection.getresponse().status == 200
        for one in (connection, *idle):
            one.close()
