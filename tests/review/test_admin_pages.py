"""The status page for administrators, and the figures for Prometheus."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.review.conftest import HOST, Browser, browser_of
from tests.review.test_team_server import status
from tests.running_service import running_service
from wikibot.errors import ConfigError
from wikibot.keys import METRICS_VARIABLE, read_secret
from wikibot.store import Store, jobs, wiki_settings
from wikibot.store.wiki_settings import KeptSettings
from wikibot.web.request_counts import RequestCounts
from wikibot.web.team_app import TeamApp

ADMIN = frozenset({"user", "sysop"})
TOKEN = "a token for Prometheus"
NOW = datetime.now(timezone.utc)


@pytest.fixture
def admin(team: TeamApp) -> Browser:
    return browser_of(team, "Ann", groups=ADMIN)


@pytest.fixture
def worked(store: Store) -> Store:
    """A database in which two jobs have run."""
    with store.writing() as session:
        jobs.plan(session, ["follow", "publish"], NOW)
        jobs.set_due(session, "follow", NOW + timedelta(hours=1))
        jobs.begin(session, "follow", NOW)
        jobs.finish(session, "follow", NOW, seconds=1.25, result="7 pages changed.", error=None)
        jobs.begin(session, "publish", NOW)
        jobs.finish(
            session,
            "publish",
            NOW,
            seconds=1,
            result="",
            error="<b>The shut-off page says stop.</b>",
        )
    return store


def test_administrators_see_how_every_job_went(worked: Store, admin: Browser) -> None:
    page = admin.get("/status")
    assert page.status_code == 200
    assert "7 pages changed." in page.text and "1.2" in page.text
    assert "&lt;b&gt;The shut-off page says stop.&lt;/b&gt;" in page.text


@pytest.mark.parametrize("groups", [{"user"}, {"user", "autoconfirmed"}])
def test_others_neither_see_the_status_nor_start_a_job(
    worked: Store, team: TeamApp, groups: set[str]
) -> None:
    browser = browser_of(team, "Bob", groups=frozenset(groups))
    assert browser.get("/status").status_code == 403
    assert browser.post("/status/follow/run", {}).status_code == 403
    assert "/status" not in browser.get("/queue").text


def test_run_now_makes_the_job_due(worked: Store, admin: Browser) -> None:
    answer = admin.press(admin.get("/status"), "/status/follow/run")
    assert answer.status_code == 303
    with worked.reading() as session:
        assert jobs.due_times(session)["follow"] <= datetime.now(timezone.utc)


def test_a_form_for_one_job_starts_no_other(worked: Store, admin: Browser) -> None:
    from tests.review.conftest import hidden_fields

    form = hidden_fields(admin.get("/status").text, "/status/follow/run")
    assert admin.post("/status/publish/run", form).status_code == 403


def test_problems_of_the_settings_on_the_wiki_are_shown_as_text(
    store: Store, admin: Browser
) -> None:
    with store.writing() as session:
        problems = ["<i>x</i> is not a setting."]
        now = KeptSettings("MediaWiki:Wikibot.json", 5, "Ann", {}, problems, NOW)
        wiki_settings.keep(session, 1, now)
    page = admin.get("/status").text
    assert "&lt;i&gt;x&lt;/i&gt; is not a setting." in page and "MediaWiki:Wikibot.json" in page


def scrape(team: TeamApp, authorization: str = f"Bearer {TOKEN}") -> tuple[int, str]:
    from wikibot.web.app import create_team_app

    client = create_team_app(replace(team, metrics_token=TOKEN)).test_client()
    answer = client.get(
        "/metrics", base_url=f"http://{HOST}", headers={"Authorization": authorization}
    )
    return answer.status_code, answer.text


def test_the_figures_come_from_the_database(worked: Store, team: TeamApp) -> None:
    code, text = scrape(team)
    assert code == 200
    assert 'wikibot_job_runs_total{job="follow"} 1\n' in text
    assert 'wikibot_job_failing{job="publish"} 1\n' in text
    assert 'wikibot_proposals{state="pending"}' in text
    for line in text.splitlines():
        assert line.startswith("# ") or len(line.rsplit(" ", 1)) == 2
        assert float(line.rsplit(" ", 1)[1]) >= 0 if not line.startswith("#") else True


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", TOKEN])
def test_without_the_token_nobody_reads_the_figures(team: TeamApp, given: str) -> None:
    code, text = scrape(team, given)
    assert code == 403 and "wikibot_up" not in text


def test_where_no_token_is_set_an_empty_one_opens_nothing(admin: Browser) -> None:
    answer = admin.get("/metrics", headers={"Authorization": "Bearer "})
    assert answer.status_code == 403


def test_a_file_with_the_token_that_others_may_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(TOKEN)
    file.chmod(0o644)
    with pytest.raises(ConfigError, match="chmod 600"):
        read_secret(METRICS_VARIABLE, str(file), {})


def test_requests_are_counted_by_status_whichever_process_answers() -> None:
    import multiprocessing

    counts = RequestCounts()
    other = multiprocessing.get_context("fork").Process(target=counts.add, args=(404, 0.5))
    other.start()
    other.join(30)
    counts.add(200, 0.25)
    assert counts.answers() == {"1xx": 0, "2xx": 1, "3xx": 0, "4xx": 1, "5xx": 0}
    assert counts.seconds == 0.75


def test_a_running_service_counts_over_all_its_processes(store: Store, tmp_path: Path) -> None:
    from http.client import HTTPConnection

    settings = {"WIKIBOT_METRICS_TOKEN": TOKEN, "WIKIBOT_LOG_FORMAT": "json"}
    login = {"WIKIBOT_OAUTH_URL": "http://127.0.0.1:9/rest.php"}
    with running_service(str(store.path), tmp_path, **settings, **login) as service:
        for _ in range(20):
            assert status(service.port, "/nothing", {}) in (403, 404)
        connection = HTTPConnection("127.0.0.1", service.port, timeout=60)
        connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        text = connection.getresponse().read().decode()
        connection.close()
        service.stop()
    assert 'wikibot_http_requests_total{status="4xx"} 20\n' in text
    assert TOKEN not in service.log.read_text()
