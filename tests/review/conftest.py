"""A review page over a small wiki, without a socket."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.review import sample
from tests.review.team import log_in, team_of
from wikibot.store import Store, open_store
from wikibot.web.app import create_app, create_team_app
from wikibot.web.background import Background
from wikibot.web.review_app import ReviewApp
from wikibot.web.team_app import TeamApp

PORT = 8127
HOST = f"127.0.0.1:{PORT}"


@dataclass(frozen=True, slots=True)
class Browser:
    """A reviewer's browser: it has the cookie and sends what browsers send."""

    client: FlaskClient
    review_app: ReviewApp | TeamApp

    def get(self, path: str, **more: Any) -> TestResponse:
        return self.client.get(path, base_url=f"http://{HOST}", **more)

    def post(self, path: str, data: dict[str, Any], **more: Any) -> TestResponse:
        headers = {"Origin": f"http://{HOST}", "Sec-Fetch-Site": "same-origin"}
        return self.client.post(
            path,
            data=data,
            base_url=f"http://{HOST}",
            headers=headers | more.pop("headers", {}),
            **more,
        )

    def press(self, page: TestResponse, action: str, **chosen: Any) -> TestResponse:
        """Sends the form of the page with this action, with its own hidden fields."""
        return self.post(action, hidden_fields(page.text, action) | chosen)

    def press_in(
        self, language: str, page: TestResponse, action: str, **chosen: Any
    ) -> TestResponse:
        """The same by a browser that speaks another language."""
        fields = hidden_fields(page.text, action) | chosen
        return self.post(action, fields, headers={"Accept-Language": language})


def hidden_fields(html: str, action: str) -> dict[str, str]:
    """The hidden fields of the first form with this action."""
    found = re.search(rf'<form[^>]*action="{re.escape(action)}"[^>]*>(.*?)</form>', html, re.DOTALL)
    assert found, f"no form for {action}"
    pattern = r'<input type="hidden" name="([^"]*)" value="([^"]*)">'
    return dict(re.findall(pattern, found[1]))


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample wiki's database, to be copied: making it takes longer than a test."""
    path = tmp_path_factory.mktemp("review") / "wiki.db"
    sample.make_store(path).close()
    return path


@pytest.fixture
def store(made_once: Path, tmp_path: Path) -> Iterator[Store]:
    path = Path(shutil.copy(made_once, tmp_path / "wiki.db"))
    with open_store(path) as opened:
        yield opened


@pytest.fixture
def review_app(store: Store) -> ReviewApp:
    return ReviewApp(store, "alice", PORT, background=Background(patience_s=60))


@pytest.fixture
def client(review_app: ReviewApp) -> FlaskClient:
    """A client without the cookie."""
    return create_app(review_app).test_client()


@pytest.fixture
def team(store: Store) -> TeamApp:
    """The service over the same wiki, at the same address."""
    return team_of(store, f"http://{HOST}")


def browser_of(team: TeamApp, name: str = "alice", **profile: Any) -> Browser:
    """The browser of somebody who has logged in to the service."""
    client = create_team_app(team).test_client()
    client.set_cookie(team.cookie_name, log_in(team, name, **profile), domain="127.0.0.1")
    return Browser(client, team)


@pytest.fixture
def browser(review_app: ReviewApp) -> Browser:
    """A client that has followed the printed address."""
    client = create_app(review_app).test_client()
    answer = client.get(f"/?token={review_app.token}", base_url=f"http://{HOST}")
    assert answer.status_code == 303
    return Browser(client, review_app)


# Tests that hold for the local page and for the service name the house: `local` or `team`.


@pytest.fixture
def stranger(house: str, review_app: ReviewApp, team: TeamApp) -> FlaskClient:
    """A client without the cookie, of either house."""
    app = create_app(review_app) if house == "local" else create_team_app(team)
    return app.test_client()


@pytest.fixture
def insider(house: str, browser: Browser, team: TeamApp) -> Browser:
    """A reviewer's browser, of either house."""
    return browser if house == "local" else browser_of(team, groups={"sysop", "autoconfirmed"})
