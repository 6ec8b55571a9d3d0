"""`wikibot config`: every setting in force, and where it came from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from wikibot.cli import cli
from wikibot.config import load_settings
from wikibot.settings import SETTINGS


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Runs `wikibot config` in an empty folder, away from the settings of whoever runs the test."""
    monkeypatch.chdir(tmp_path)
    for setting in SETTINGS:
        monkeypatch.delenv(setting.variable, raising=False)

    def config(*arguments: str, **environ: str) -> str:
        done = CliRunner().invoke(cli, ["config", *arguments], env=environ)
        assert done.exit_code == 0, done.output
        return done.stdout

    return config


def test_every_setting_is_shown_with_its_default(run) -> None:
    shown = {row["key"]: row for row in json.loads(run("--json"))}
    assert list(shown) == [setting.key for setting in SETTINGS]
    for setting in SETTINGS:
        assert shown[setting.key]["value"] == setting.default
        assert shown[setting.key]["source"] == "default"


def test_a_value_names_the_file_the_environment_or_the_command_line(run, tmp_path: Path) -> None:
    (tmp_path / "wikibot.cfg").write_text("[publish]\ndaily_cap = 7\n")
    shown = {r["key"]: r for r in json.loads(run("--json", "--db", "x.db", WIKIBOT_DEPTH="2"))}
    assert shown["publish.daily_cap"]["source"] == "wikibot.cfg"
    assert shown["fetch.depth"]["source"] == "environment (WIKIBOT_DEPTH)"
    assert shown["store.db"]["source"] == "command line"


def test_the_printed_settings_can_be_used_as_a_settings_file(run, tmp_path: Path) -> None:
    printed = "".join(f"{line.partition('  # ')[0]}\n" for line in run().splitlines())
    (tmp_path / "wikibot.cfg").write_text(printed)
    settings = load_settings(environ={})
    assert {name: settings[name] for name in settings} == {s.name: s.default for s in SETTINGS}


def test_each_printed_line_says_where_the_value_came_from(run) -> None:
    lines = [line for line in run(WIKIBOT_DEPTH="2").splitlines() if "depth" in line]
    assert len(lines) == 1
    assert lines[0].startswith("depth = 2 ")
    assert lines[0].endswith("# environment (WIKIBOT_DEPTH)")


def test_a_wrong_settings_file_is_told_and_nothing_is_shown(run, tmp_path: Path) -> None:
    (tmp_path / "wikibot.cfg").write_text("[publish]\ndayly_cap = 7\n")
    done = CliRunner().invoke(cli, ["config"])
    assert done.exit_code != 0
    assert "publish.daily_cap" in str(done.exception)
    assert done.stdout == ""
