"""Settings: precedence, validation, and where each value came from."""

from __future__ import annotations

from pathlib import Path

import pytest

from wikibot.config import load_settings, remember
from wikibot.errors import ConfigError
from wikibot.settings import SETTINGS, Setting


@pytest.fixture
def settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `wikibot.cfg` in the current folder, empty so far."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "wikibot.cfg"


def test_without_any_source_every_setting_has_its_default(settings_file: Path) -> None:
    settings = load_settings(environ={})
    assert {name: settings[name] for name in settings} == {s.name: s.default for s in SETTINGS}
    assert {settings.origin(name) for name in settings} == {"default"}


def test_file_environment_and_command_line_rise_in_precedence(settings_file: Path) -> None:
    settings_file.write_text("[fetch]\ndepth = 1\n")
    environ = {"WIKIBOT_DEPTH": "2"}
    assert load_settings(environ={}).whole("depth") == 1
    assert load_settings(environ=environ).whole("depth") == 2
    assert load_settings(environ=environ, depth=3).whole("depth") == 3


def test_each_value_says_where_it_came_from(settings_file: Path) -> None:
    settings_file.write_text("[fetch]\ndepth = 1\n")
    environ = {"WIKIBOT_DB": "other.db"}
    settings = load_settings(environ=environ, group_size=50)
    assert settings.origin("depth") == "wikibot.cfg"
    assert settings.origin("db") == "environment (WIKIBOT_DB)"
    assert settings.origin("group_size") == "command line"
    assert settings.origin("processes") == "default"


def test_a_named_file_replaces_the_one_in_the_folder(settings_file: Path) -> None:
    settings_file.write_text("[fetch]\ndepth = 1\n")
    other = settings_file.with_name("other.cfg")
    other.write_text("[fetch]\ndepth = 7\n")
    assert load_settings(other, environ={}).whole("depth") == 7
    assert load_settings(environ={"WIKIBOT_CONFIG": str(other)}).whole("depth") == 7


def test_a_named_file_that_is_missing_is_refused(settings_file: Path) -> None:
    with pytest.raises(ConfigError, match=r"no settings file at .*nowhere\.cfg"):
        load_settings(Path("nowhere.cfg"), environ={})


def test_an_unknown_key_is_refused_with_the_nearest_known_one(settings_file: Path) -> None:
    settings_file.write_text("[fetch]\ndeepth = 1\n")
    with pytest.raises(ConfigError, match=r"Unknown setting fetch\.deepth .* fetch\.depth\?"):
        load_settings(environ={})


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("depth = deep", "a whole number"),
        ("depth = -1", "at least 0"),
        ("depth = 99999999999", "at most 2147483647"),
        ("group_size = 501", "at most 500"),
        ("depth = 1.5", "a whole number"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_its_key(
    settings_file: Path, line: str, complaint: str
) -> None:
    settings_file.write_text(f"[fetch]\n{line}\n")
    with pytest.raises(ConfigError, match=rf"fetch\..* from wikibot\.cfg .*{complaint}"):
        load_settings(environ={})


@pytest.mark.parametrize("text", ["depth = 1", "[fetch\ndepth=1", "[fetch]\ndepth=1\ndepth=2"])
def test_a_file_that_is_no_settings_file_is_refused(settings_file: Path, text: str) -> None:
    settings_file.write_text(text)
    with pytest.raises(ConfigError, match=r"wikibot\.cfg cannot be read as settings"):
        load_settings(environ={})


def test_bytes_that_are_not_text_are_refused(settings_file: Path) -> None:
    settings_file.write_bytes(b"[fetch]\ndepth = \xff\xfe\n")
    with pytest.raises(ConfigError, match="cannot be read as settings"):
        load_settings(environ={})


def test_names_and_keys_of_settings_are_unique() -> None:
    assert len({s.name for s in SETTINGS}) == len({s.key for s in SETTINGS}) == len(SETTINGS)


def test_every_default_passes_its_own_check(settings_file: Path) -> None:
    given = {s.name: s.default for s in SETTINGS}
    settings = load_settings(environ={}, **given)
    assert {name: settings[name] for name in settings} == given


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e999", "-1", "1e300"])
@pytest.mark.parametrize("setting", [s for s in SETTINGS if isinstance(s.default, int | float)])
def test_no_number_is_infinite_or_not_a_number_or_beyond_its_limits(
    settings_file: Path, setting: Setting, value: str
) -> None:
    settings_file.write_text(f"[{setting.section}]\n{setting.name} = {value}\n")
    with pytest.raises(ConfigError, match=rf"{setting.key} from .*; it must be"):
        load_settings(environ={})
    with pytest.raises(ConfigError, match=rf"{setting.key} from .*; it must be"):
        load_settings(environ={setting.variable: value})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "[review]\nreviewer = Ann\n"),
        ("# mine\n[publish]\ndaily_cap = 7\n", "# mine\n[publish]\ndaily_cap = 7\n\n[review]\nreviewer = Ann\n"),
        ("[review]\nreviewer = Bob\nport = 1\n[publish]\npage_cap = 2\n", "[review]\nreviewer = Ann\nport = 1\n[publish]\npage_cap = 2\n"),
    ],
)  # fmt: skip
def test_a_value_is_remembered_and_the_rest_of_the_file_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, after: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WIKIBOT_CONFIG", raising=False)
    file = tmp_path / "wikibot.cfg"
    if before:
        file.write_text(before)
    assert remember("review.reviewer", "Ann") == file
    assert file.read_text() == after and load_settings(environ={}).text("reviewer") == "Ann"
