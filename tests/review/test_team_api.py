"""The API at the address of the service for a team: who may ask, and what stays apart."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import Client

from tests.linker.rivers import NAMES, rivers_store
from tests.review.team import log_in, team_of
from tests.running_service import RunningService, running_service
from tests.waiting import wait_until
from wikibot.api.app import beside
from wikibot.api.app import create_app as create_api_app
from wikibot.api.service import Service
from wikibot.config import Settings, load_settings
from wikibot.store import Store, open_store
from wikibot.store.decisions import latest
from wikibot.store.pages import wiki_by_name
from wikibot.train import train
from wikibot.web.app import create_team_app
from wikibot.web.team_server import api_from

ORIGIN = "https://links.example.org"
HOST = {"Host": "links.example.org"}
TOKEN = "a-token-for-the-editor-of-rivers"
WITH_TOKEN = {"Authorization": f"Bearer {TOKEN}"}
NEAR = f"River {NAMES[3]}"
LIMIT_S = "1"


@pytest.fixture
def tokens_file(tmp_path: Path) -> str:
    path = tmp_path / "tokens"
    path.write_text(f"{TOKEN} Ann\n")
    return str(path)


def settings(**more: Any) -> Settings:
    return load_settings(environ={}, **more)


@pytest.fixture
def both(tmp_path: Path, tokens_file: str) -> Iterator[tuple[Client, Store]]:
    """The pages and the API at one address, on rivers from which nothing was learned."""
    with rivers_store(tmp_path) as store:
        team = team_of(store, ORIGIN)
        api = api_from(store, settings(tokens_file=tokens_file), team)
        assert api is not None
        yield Client(beside(create_team_app(team), create_api_app(api))), store


def test_without_tokens_there_is_no_api(tmp_path: Path) -> None:
    """Anybody on the Internet could decide under any name."""
    with rivers_store(tmp_path) as store:
        assert api_from(store, settings(), team_of(store, ORIGIN)) is None


def test_the_address_of_the_service_and_its_own_pages_are_known_to_the_api(
    tmp_path: Path, tokens_file: str
) -> None:
    with rivers_store(tmp_path) as store:
        given = settings(
            tokens_file=tokens_file, hosts="other.example", origins="https://w.example"
        )
        api = api_from(store, given, team_of(store, ORIGIN))
    assert isinstance(api, Service)
    assert api.hosts == {"links.example.org", "other.example"}
    assert api.more_origins == {ORIGIN, "https://w.example"}


def test_each_path_goes_to_its_own_application(both: tuple[Client, Store]) -> None:
    client, _ = both
    assert client.get("/v1/health", headers=HOST).json == {"version": "0.1.0", "wikis": 1}
    assert client.get("/health", headers=HOST).text == "ok"
    assert client.get("/gadget.js", headers=HOST).mimetype == "text/javascript"
    for path in ("/queue", "/", "/v1x", "/v10/links"):
        page = client.get(path, headers=HOST)
        assert (page.status_code, page.mimetype) == (403, "text/html"), path
    for path in ("/v1", "/v1/", "/v1/none"):
        answer = client.get(path, headers=HOST | WITH_TOKEN)
        assert (answer.status_code, answer.json["code"]) == (404, "not-found"), path


def test_a_login_of_a_person_opens_no_door_of_the_api(both: tuple[Client, Store]) -> None:
    """A page of a foreign site could use a browser's cookie; it cannot use a token."""
    client, store = both
    team = team_of(store, ORIGIN)
    cookie = {"Cookie": f"{team.cookie_name}={log_in(team, 'Ann', edit_count=1000)}"}
    answer = client.post("/v1/links", json={"text": "x"}, headers=HOST | cookie)
    assert (answer.status_code, answer.json["code"]) == (401, "no-token")


def test_a_token_of_the_api_opens_no_page(both: tuple[Client, Store]) -> None:
    client, _ = both
    assert client.get("/queue", headers=HOST | WITH_TOKEN).status_code == 403
    answer = client.post("/v1/links", json={"text": "x"}, headers=HOST | WITH_TOKEN)
    assert answer.json["code"] == "nothing-learned"


def test_a_foreign_host_or_origin_is_refused_by_the_api_too(both: tuple[Client, Store]) -> None:
    client, _ = both
    asked = client.get("/v1/health", headers={"Host": "evil.example"})
    assert (asked.status_code, asked.json["code"]) == (403, "wrong-host")
    headers = HOST | WITH_TOKEN | {"Origin": "https://evil.example"}
    asked = client.post("/v1/links", json={"text": "x"}, headers=headers)
    assert (asked.status_code, asked.json["code"]) == (403, "wrong-origin")


# From here on: the service as people start it, processes and threads of gunicorn.


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rivers")
    with rivers_store(folder) as store:
        train(store)
    return folder / "w.db"


@pytest.fixture(scope="module")
def service(learned: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    folder = tmp_path_factory.mktemp("service")
    (folder / "tokens").write_text(f"{TOKEN} Ann\n")
    given = {
        "WIKIBOT_OAUTH_URL": "http://127.0.0.1:9/rest.php",
        "WIKIBOT_TOKENS_FILE": str(folder / "tokens"),
        "WIKIBOT_TIME_LIMIT_S": LIMIT_S,
        "WIKIBOT_METRICS_TOKEN": TOKEN,
    }
    with running_service(str(learned), folder, **given) as running:
        yield running


def asked(
    service: RunningService, path: str, body: Any = None, **headers: str
) -> tuple[int, dict[str, Any]]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        service.origin + path, data, {"Content-Type": "application/json", **WITH_TOKEN, **headers}
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


PAGE = "/v1/linkrecommendations/wikipedia/any/Draft?threshold=0"
SHORT = {"wikitext": f"The spring of the {NEAR} lies near."}
LONG = {"wikitext": f"The {NEAR} is long. " * 60_000}


@pytest.mark.slow
def test_the_service_recommends_links(service: RunningService) -> None:
    status, answer = asked(service, PAGE, SHORT)
    assert status == 200, answer
    assert [one["link_target"] for one in answer["links"]] == [NEAR]
    assert asked(service, PAGE, SHORT, Authorization="Bearer no")[0] == 401


@pytest.mark.slow
def test_in_a_thread_of_the_service_what_takes_too_long_is_given_up(
    service: RunningService,
) -> None:
    for _ in range(4):  # whichever process answers
        status, answer = asked(service, PAGE, LONG)
        assert (status, answer["code"]) == (503, "too-long-taken")
    assert asked(service, "/v1/health")[0] == 200


@pytest.mark.slow
def test_people_are_served_while_programs_ask_for_too_much(service: RunningService) -> None:
    answers: list[int] = []
    threads = [
        threading.Thread(target=lambda: answers.append(asked(service, PAGE, LONG)[0]))
        for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    request = urllib.request.Request(f"{service.origin}/health")
    pages = []
    while any(thread.is_alive() for thread in threads):
        with urllib.request.urlopen(request, timeout=60) as page:
            pages.append(page.read())
    assert set(pages) == {b"ok"}
    assert len(answers) == 16 and set(answers) == {503}


@pytest.mark.slow
def test_a_dismissal_reaches_the_queue_under_the_name_of_the_token(
    service: RunningService, learned: Path
) -> None:
    with open_store(learned) as store, store.reading() as session:
        wiki_id = wiki_by_name(session).id
    page, target = f"River {NAMES[20]}", f"River {NAMES[11]}"  # which it mentions without a link
    body = {"page": page, "target": target, "verdict": "reject", "user": "Somebody else"}
    status, answer = asked(service, "/v1/decisions", body)
    assert status == 201, answer
    with open_store(learned) as store, store.reading() as session:
        kept = latest(session, wiki_id, limit=1)[0]
    assert (kept.page, kept.target, kept.reviewer, kept.source) == (
        page,
        body["target"],
        "Ann",
        "api",
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET /v1/health HTTP/9.9\r\n\r\n", 400),
        (b"GET /v1/health HTTP/1.1\r\nNo colon here\r\n\r\n", 400),
        (b"GET /v1/" + b"a" * 10_000 + b" HTTP/1.1\r\n\r\n", 414),
        (b"GET /v1/health HTTP/1.1\r\n" + b"X-A: b\r\n" * 300 + b"\r\n", 431),
        (b"POST /v1/links HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: odd\r\n\r\n", 501),
    ],
    ids=["line", "version", "header", "address", "headers", "coding"],
)
def test_what_is_not_http_is_refused_in_json(
    service: RunningService, sent: bytes, status: int
) -> None:
    with socket.create_connection(("127.0.0.1", service.port), timeout=60) as connection:
        connection.sendall(sent)
        answer = HTTPResponse(connection)
        answer.begin()
        found = json.loads(answer.read())
    assert (answer.status, answer.getheader("Content-Type")) == (status, "application/json")
    assert found["status"] == status and found["code"] in ("bad-input", "too-long")


@pytest.mark.slow
def test_requests_of_programs_are_counted(service: RunningService) -> None:
    def counted() -> int:
        request = urllib.request.Request(f"{service.origin}/metrics", headers=WITH_TOKEN)
        with urllib.request.urlopen(request, timeout=60) as answer:
            lines = answer.read().decode().splitlines()
        return int(
            next(line.split()[1] for line in lines if 'requests_total{status="2xx"}' in line)
        )

    before = counted()
    for _ in range(3):
        asked(service, "/v1/health")
    assert counted() >= before + 3


@pytest.mark.slow
def test_new_models_are_taken_up_by_the_running_service(
    service: RunningService, learned: Path
) -> None:
    before = asked(service, PAGE, SHORT)[1]["meta"]["dataset_checksums"]
    with open_store(learned) as store:
        train(store, topics=3)
    statuses: list[int] = []

    def is_new() -> bool:
        answers = [asked(service, PAGE, SHORT) for _ in range(6)]
        statuses.extend(status for status, _ in answers)
        return all(answer["meta"]["dataset_checksums"] != before for _, answer in answers)

    wait_until(is_new, within_s=60, what="answers by the new models from every process")
    assert set(statuses) == {200}


@pytest.mark.slow
def test_a_process_that_is_killed_is_replaced_with_its_api(service: RunningService) -> None:
    assert service.process is not None
    parent = service.process.pid
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    for child in children:
        os.kill(int(child), signal.SIGKILL)

    def answers() -> bool:
        try:
            return asked(service, PAGE, SHORT)[0] == 200
        except OSError:
            return False

    wait_until(answers, within_s=60, what="an answer of the new processes")
