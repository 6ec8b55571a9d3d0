"""A wiki that asks for patience gets it; it is read with an account where one is set."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path

import pytest

from tests.mediawiki import ADMIN, Wiki
from tests.mediawiki.faults import Answer, FaultyProxy
from tests.mediawiki.fixtures import UsePywikibot
from wikibot.errors import WikiUnavailable
from wikibot.fetch.from_wiki import WikiOptions, fetch_wiki
from wikibot.site.budget import Budget, budget_for
from wikibot.site.connect import connect
from wikibot.site.reading import LONGEST_POLITE_WAIT_S, MOST_WAITS, WikiReader
from wikibot.store import open_store

pytestmark = pytest.mark.wiki
PAGES = {f"Brook {n}": f"'''Brook {n}''' is small. [[Category:Brooks]]" for n in range(5)}


@pytest.fixture(scope="module")
def brooks(shared_wiki: Wiki) -> Wiki:
    shared_wiki.person(ADMIN).write_pages(PAGES)
    return shared_wiki


@pytest.fixture
def proxy(brooks: Wiki, use_pywikibot: UsePywikibot) -> Iterator[FaultyProxy]:
    with FaultyProxy(brooks.port) as running:
        use_pywikibot(running.api)
        yield running


class Impatient:
    """Answers the first questions for a category with another status and `Retry-After`."""

    def __init__(self, status: int, asks_for: str | None, times: int = 1) -> None:
        self.status, self.left, self.asked = status, times, 0
        self.headers = [("Retry-After", asks_for)] if asks_for is not None else []

    def __call__(self, form: dict[str, str], answer: Answer) -> Answer:
        if "gcmtitle" not in form:
            return answer
        self.asked += 1
        if self.left <= 0:
            return answer
        self.left -= 1
        return self.status, self.headers, b"<h1>Slow down</h1>"


def members(proxy: FaultyProxy, waits: list[float]) -> list[str]:
    reader = WikiReader(connect(url=proxy.api), wait=waits.append)
    return [page.title for page in reader.category_members("Brooks")]


@pytest.mark.parametrize("status", [429, 503])
def test_it_waits_as_many_seconds_as_the_wiki_asks_for(proxy: FaultyProxy, status: int) -> None:
    proxy.rewrite = impatient = Impatient(status, "17")
    waits: list[float] = []
    assert members(proxy, waits) == list(PAGES)
    assert (waits, impatient.asked) == ([17.0], 2)


def test_it_waits_until_the_date_that_the_wiki_names(proxy: FaultyProxy) -> None:
    until = datetime.now(timezone.utc) + timedelta(seconds=90)
    proxy.rewrite = Impatient(429, format_datetime(until, usegmt=True))
    waits: list[float] = []
    assert members(proxy, waits) == list(PAGES)
    assert len(waits) == 1 and 0 < waits[0] <= 90


def test_without_a_time_it_waits_for_a_few_seconds(proxy: FaultyProxy) -> None:
    proxy.rewrite = Impatient(429, None)
    waits: list[float] = []
    assert members(proxy, waits) == list(PAGES)
    assert waits == [5.0]


def test_a_very_long_wait_is_told_instead(proxy: FaultyProxy) -> None:
    proxy.rewrite = impatient = Impatient(429, str(int(LONGEST_POLITE_WAIT_S) + 1))
    waits: list[float] = []
    with pytest.raises(WikiUnavailable, match="asks us to wait 601 s") as raised:
        members(proxy, waits)
    assert (waits, impatient.asked, raised.value.retry_after_s) == ([], 1, 601)


def test_a_wiki_that_never_has_time_is_told(proxy: FaultyProxy) -> None:
    proxy.rewrite = impatient = Impatient(429, "1", times=100)
    waits: list[float] = []
    with pytest.raises(WikiUnavailable, match="asks us to wait"):
        members(proxy, waits)
    assert len(waits) == MOST_WAITS and impatient.asked == MOST_WAITS + 1


def test_every_question_says_how_much_lag_is_too_much(proxy: FaultyProxy) -> None:
    asked: list[dict[str, str]] = []

    def listen(form: dict[str, str], answer: Answer) -> Answer:
        asked.append(form)
        return answer

    proxy.rewrite = listen
    members(proxy, [])
    assert {form.get("maxlag") for form in asked if "gcmtitle" in form} == {"5"}


def test_a_large_fetch_says_beforehand_what_it_takes(
    proxy: FaultyProxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wikibot.fetch.from_wiki.LARGE_FETCH_PAGES", 3)
    told: list[str] = []
    with open_store(tmp_path / "w.db", create=True) as store:
        reader = WikiReader(connect(url=proxy.api), group_size=2)
        fetch_wiki(store, reader, WikiOptions("Brooks", processes=1), announce=told.append)
    assert told == ["5 pages are to be fetched: 3 requests, less than a minute."]


def test_the_account_of_the_configuration_logs_in_before_the_fetch(
    brooks: Wiki, tmp_path: Path
) -> None:
    """Nobody else may read this wiki, so that only a login, and its cookies, can help."""
    brooks.extra("$wgGroupPermissions['*']['read'] = false;")
    home = brooks.pywikibot_folder(tmp_path / "pywikibot")
    try:
        done = subprocess.run(
            [sys.executable, "-m", "wikibot", "fetch", "Brooks", "--db", str(tmp_path / "w.db")],
            capture_output=True, text=True, cwd=tmp_path, timeout=240,
            env={**os.environ, "PYWIKIBOT_DIR": str(home)},
        )  # fmt: skip
    finally:
        brooks.extra("")
    assert done.returncode == 0, done.stderr
    assert "5 pages" in done.stdout


def test_wikimedia_grants_more_to_those_whom_it_knows() -> None:
    nobody = budget_for("en.wikipedia.org", frozenset(), is_logged_in=False)
    known = budget_for("en.wikipedia.org", frozenset(), is_logged_in=True)
    assert nobody.left and known.left and nobody.left < known.left
    assert budget_for("en.wikipedia.org", frozenset({"bot"}), is_logged_in=True).left is None
    assert budget_for("wiki.example.org", frozenset(), is_logged_in=False).left is None


def test_what_is_beyond_the_budget_takes_hours() -> None:
    budget = Budget(500, used=400, request_s=1)
    assert budget.left == 100
    assert budget.seconds_for(100) == 100
    assert budget.seconds_for(101) == 3600
    assert budget.seconds_for(100 + 500 + 1) == 7200
