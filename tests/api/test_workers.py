"""The API as people start it: processes on a port, new models under load, a process that dies."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

import pytest

from tests.fetch.exports import write_export
from tests.linker.rivers import NAMES, RIVERS
from tests.waiting import wait_until
from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.store import open_store
from wikibot.train import train

pytestmark = pytest.mark.slow

BODY = {"wikitext": f"The spring of the River {NAMES[3]} lies near."}
WAIT_S = 60


@pytest.fixture
def database(learned: Path, tmp_path: Path) -> Path:
    shutil.copy(learned, tmp_path / "w.db")
    shutil.copytree(f"{learned}.models", tmp_path / "w.db.models")
    return tmp_path / "w.db"


@contextmanager
def serving(database: Path, **environ: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The printed address, and the process."""
    command = [sys.executable, "-m", "wikibot", "serve", "--api-only", "--workers", "2"]
    process = subprocess.Popen(
        [*command, "--db", str(database)], stdout=subprocess.PIPE, text=True,
        env={**os.environ, **environ}, cwd=database.parent,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        printed = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
        assert printed, "it prints its address"
        yield printed[0], process
    finally:
        process.terminate()
        process.wait(WAIT_S)


def asked(address: str, body: Any = BODY) -> tuple[int, Any]:
    request = urllib.request.Request(
        f"{address}/v1/linkrecommendations/wikipedia/test/Page?threshold=0",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=WAIT_S) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def learn_more(database: Path) -> None:
    """Another river is fetched, and everything is learned again."""
    more = RIVERS | {"River New": f"The '''River New''' joins the [[River {NAMES[3]}]]."}
    export = write_export(database.parent / "more.xml", more)
    with open_store(database) as store:
        fetch_export(store, ExportOptions(export, processes=1))
        train(store)


def test_new_models_are_taken_up_under_load_and_no_request_is_dropped(database: Path) -> None:
    with serving(database) as (address, _):
        first = asked(address)[1]["meta"]["dataset_checksums"]
        answers: list[tuple[int, Any]] = []
        stop = threading.Event()

        def load() -> None:
            while not stop.is_set():
                answers.append(asked(address))

        threads = [threading.Thread(target=load) for _ in range(3)]
        for thread in threads:
            thread.start()
        learn_more(database)

        def newest() -> bool:
            seen = [answer["meta"]["dataset_checksums"] for _, answer in answers[-20:]]
            return all(one != first for one in seen)

        wait_until(newest, within_s=WAIT_S, what="answers by the new models")
        stop.set()
        for thread in threads:
            thread.join(WAIT_S)
    assert {status for status, _ in answers} == {200}
    used = {json.dumps(answer["meta"]["dataset_checksums"]) for _, answer in answers}
    assert len(used) == 2, "each answer is of the old models or of the new ones"
    assert all(answer["links"] for _, answer in answers)


def children_of(process: int) -> set[int]:
    return set(map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()))


def test_a_process_that_dies_is_replaced_and_none_stays_behind(database: Path) -> None:
    with serving(database) as (address, process):
        assert asked(address)[0] == 200
        before = children_of(process.pid)
        os.kill(min(before), signal.SIGKILL)
        wait_until(
            lambda: len(children_of(process.pid) - before) == 1, within_s=WAIT_S, what="another one"
        )
        assert asked(address)[0] == 200
        last = children_of(process.pid)
    assert not [one for one in last if Path(f"/proc/{one}").exists()]


def test_a_text_that_takes_too_long_is_given_up(database: Path) -> None:
    with serving(database, WIKIBOT_TIME_LIMIT_S="0.1") as (address, _):
        status, answer = asked(address, {"wikitext": f"The River {NAMES[3]} is long. " * 20_000})
        assert (status, answer["code"]) == (503, "too-long-taken")


def test_a_port_that_is_taken_is_told(database: Path) -> None:
    with serving(database) as (address, _):
        port = address.rpartition(":")[2]
        command = [sys.executable, "-m", "wikibot", "serve", "--api-only", "--port", port]
        second = subprocess.run(
            [*command, "--db", str(database)], capture_output=True, text=True, timeout=WAIT_S
        )
    assert second.returncode == 1
    assert f"Port {port} of this machine cannot be used" in second.stderr


def sent(address: str, data: bytes) -> tuple[int, Any]:
    """The answer to these bytes, whatever they are."""
    host, _, port = address.removeprefix("http://").rpartition(":")
    with socket.create_connection((host, int(port)), timeout=WAIT_S) as connection:
        connection.sendall(data)
        answer = HTTPResponse(connection)
        answer.begin()
        assert answer.headers.get_content_type() == "application/json"
        return answer.status, json.load(answer)


HEAD = b"POST /v1/links HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
NOT_HTTP = [
    (b"POST /v1/links\r\n nonsense\r\n\r\n", 400, "bad-input"),
    (HEAD + b"Content-Length: 999999999\r\n\r\n", 413, "too-long"),
    (HEAD + b"Content-Length: -1\r\n\r\n", 400, "bad-input"),
    (HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400, "bad-input"),
    (HEAD + b"Transfer-Encoding: gzip\r\n\r\n", 501, "bad-input"),
    (HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "bad-input"),
    (HEAD + b"X: " + b"a" * 300_000 + b"\r\n\r\n", 431, "too-long"),
    (HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n", 400, "bad-input"),
    (b"GET /v1/health HTTP/1.1\r\n\r\n", 403, "wrong-host"),
]


def test_what_is_hardly_http_is_answered_in_json_and_a_slow_body_holds_up_nobody(
    database: Path,
) -> None:
    with serving(database) as (address, _), ExitStack() as slow:
        host, _, port = address.removeprefix("http://").rpartition(":")
        for _ in range(40):  # more than there are threads
            connection = slow.enter_context(socket.create_connection((host, int(port))))
            connection.sendall(HEAD + b"Content-Length: 1000\r\n\r\n{")
        for data, status, code in NOT_HTTP:
            found_status, found = sent(address, data)
            assert (found_status, found["code"], found["status"]) == (status, code, status), data[
                :99
            ]
        assert asked(address)[0] == 200
