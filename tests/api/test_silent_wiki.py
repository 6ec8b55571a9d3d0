"""A wiki that takes a connection and says nothing does not keep who asks for its pages."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.conftest import settings
from tests.linker.rivers import rivers_store
from wikibot.api.app import create_app
from wikibot.api.service import Service
from wikibot.store import Store
from wikibot.store.tables import Wiki

LIMIT_S = 1.0
# Far below what pywikibot waits for an answer, and far above what a busy machine adds to the limit.
PATIENCE_S = 15.0
PAGE = "/v1/linkrecommendations/wikipedia/any/Sea"


@pytest.fixture
def silent_wiki() -> Iterator[str]:
    """The address of a port on which connections are taken and kept."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/api.php"


@pytest.fixture
def store(tmp_path: Path, silent_wiki: str) -> Iterator[Store]:
    with rivers_store(tmp_path) as opened:
        with opened.writing() as session:
            session.query(Wiki).one().api_url = silent_wiki
        yield opened


def test_every_request_ends_at_the_time_limit(store: Store) -> None:
    """Also the second, which waits for the turn that the first one still has."""
    app = create_app(Service.of(store, settings(time_limit_s=LIMIT_S)))
    answers: list[tuple[int, str]] = []

    def ask() -> None:
        answer = app.test_client().get(PAGE)
        answers.append((answer.status_code, answer.get_json()["code"]))

    began = time.monotonic()
    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert answers == [(503, "too-long-taken")] * 2
    assert LIMIT_S <= time.monotonic() - began < PATIENCE_S
