"""`wikibot demo`: the whole way on the bundled wiki, printed or served."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.demo.fixtures import clean_environment, run_line
from wikibot.cli import cli
from wikibot.demo import build_export
from wikibot.demo.tour import learn_demo_wiki
from wikibot.errors import StoreError
from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.store import open_store

slow = pytest.mark.slow


@pytest.fixture
def told(demo_template: Path) -> str:
    return (demo_template / "demo.txt").read_text(encoding="utf-8")


@slow
def test_it_prints_a_summary_and_ten_proposals_with_reasons(told: str) -> None:
    assert re.search(r"^Fetched 236 pages with \d+ links", told, re.M)
    numbered = re.findall(r"^ *\d+\. (.+) → (.+)  \((\d+)%\)$", told, re.M)
    assert len(numbered) == 10
    assert len({page for page, _, _ in numbered}) == 10
    assert len(re.findall(r"^ +\[\[.+?\]\]\w* in: .+\n +\S.*\.$", told, re.M)) == 10


@slow
def test_the_diff_adds_links_and_nothing_else(told: str) -> None:
    removed = re.findall(r"^-(?!--)(.*)$", told, re.M)
    added = re.findall(r"^\+(?!\+\+)(.*)$", told, re.M)
    assert len(added) >= 3
    assert all("[[" in line for line in added)
    plain = [re.sub(r"\[\[(?:[^]|]*\|)?([^]]*)\]\]", r"\1", line) for line in added]
    assert plain == [re.sub(r"\[\[(?:[^]|]*\|)?([^]]*)\]\]", r"\1", line) for line in removed]


@slow
def test_the_page_that_forbids_bots_gets_no_proposal(demo_folder: Path) -> None:
    waiting = json.loads(run_line("wikibot queue --state any --json", demo_folder))
    assert len(waiting) >= 10
    assert "Albert Einstein" not in {line["page"] for line in waiting}


@slow
def test_a_second_run_proposes_the_same_and_serves_it_until_stopped(demo_folder: Path) -> None:
    before = run_line("wikibot queue --json", demo_folder)
    child = subprocess.Popen(
        ["wikibot", "demo", "--no-browser", "--port", "0", "--db", "wikibot.db"],
        cwd=demo_folder,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    address = next(line for line in child.stdout if line.startswith("http://127.0.0.1:"))
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(address.strip()) as answer:
        assert answer.status == 200
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=30)
    assert child.returncode == 0
    assert run_line("wikibot queue --json", demo_folder) == before


@slow
def test_it_takes_less_than_twenty_seconds(demo_template: Path) -> None:
    """Processor time, with the kernels compiled: on an idle machine it is the time on the clock."""
    assert float((demo_template / "seconds.txt").read_text()) < 20


def test_a_database_with_another_wiki_is_refused_and_left_alone(tmp_path: Path) -> None:
    export = build_export(tmp_path / "own.xml")
    text = export.read_text(encoding="utf-8").replace("demowiki", "ownwiki")
    export.write_text(text, encoding="utf-8")
    with open_store(tmp_path / "own.db", create=True) as store:
        fetch_export(store, ExportOptions(export, category="Waves", processes=1))
        with pytest.raises(StoreError, match=r"holds ownwiki.*Nothing was changed"):
            learn_demo_wiki(store, tell=lambda _: None)


def test_help_says_that_it_needs_no_network_and_no_account() -> None:
    told = CliRunner().invoke(cli, ["demo", "--help"]).output
    assert "no network and no account" in " ".join(told.split())
    assert "--headless" in told


@slow
def test_it_has_a_database_of_its_own_whatever_the_settings_name(tmp_path: Path) -> None:
    (tmp_path / "wikibot.cfg").write_text("[store]\ndb = own.db\n")
    told = run_line("WIKIBOT_DB=mine.db wikibot demo --headless", tmp_path)
    assert {file.name for file in tmp_path.glob("*.db")} == {"wikibot-demo.db"}
    assert "wikibot review --db wikibot-demo.db" in told
