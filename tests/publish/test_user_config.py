"""The files that pywikibot reads: the example works as it stands, and so does what we write."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mediawiki.wiki import REPOSITORY
from wikibot.errors import BadInput, ConfigError
from wikibot.publish.accounts import (
    PASSWORD_FILE,
    USER_CONFIG,
    Setup,
    family_of,
    user_config,
    write_files,
)

EXAMPLE = REPOSITORY / "user-config.example.py"
SHOW = """
import json, warnings
warnings.simplefilter("error")
from pywikibot import config
print(json.dumps({
    "family": config.family,
    "lang": config.mylang,
    "user": config.usernames[config.family][config.mylang],
    "contact": config.user_agent_description,
    "password_file": config.password_file,
    "authenticate": config.authenticate,
    "families": config.family_files.get(config.family, ""),
    "throttle": config.put_throttle,
}))
"""
SETUP = Setup(
    family="rivers",
    lang="rivers",
    api_url="https://wiki.example.org/w/api.php",
    user="Link'Bot",
    contact="you@example.org",
    login="botpassword",
    secret=("s3cret",),
    bot_name="links",
)


def as_pywikibot_reads(folder: Path) -> dict[str, object]:
    """The configuration in FOLDER, read by pywikibot in a process of its own; a warning fails."""
    environment = {**os.environ, "PYWIKIBOT_DIR": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", SHOW], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    read: dict[str, object] = json.loads(done.stdout)
    return read


def test_the_example_works_as_it_stands(tmp_path: Path) -> None:
    (tmp_path / "user-config.py").write_text(EXAMPLE.read_text())
    read = as_pywikibot_reads(tmp_path)
    assert (read["family"], read["lang"], read["user"]) == ("wikipedia", "en", "YourBot")
    assert read["password_file"] == PASSWORD_FILE and read["throttle"] == 10
    assert "contact" in str(read["contact"])


def test_the_examples_other_ways_work_when_uncommented(tmp_path: Path) -> None:
    text = re.sub(r"^# (family|usernames|authenticate)", r"\1", EXAMPLE.read_text(), flags=re.M)
    (tmp_path / "user-config.py").write_text(text)
    read = as_pywikibot_reads(tmp_path)
    assert (read["family"], read["lang"], read["user"]) == ("rivers", "rivers", "YourBot")
    assert read["families"] == "https://wiki.example.org/w/api.php"
    assert read["authenticate"] == {
        "en.wikipedia.org": ["consumer token", "consumer secret", "access token", "access secret"]
    }


def test_every_line_of_the_example_is_explained() -> None:
    paragraphs = EXAMPLE.read_text().split('"""')[2].strip().split("\n\n")
    assert len(paragraphs) == 7 and all(paragraph.startswith("# ") for paragraph in paragraphs)


def test_what_init_writes_is_what_pywikibot_reads(tmp_path: Path) -> None:
    write_files(tmp_path, SETUP)
    read = as_pywikibot_reads(tmp_path)
    assert (read["family"], read["user"]) == ("rivers", "Link'Bot")
    assert read["families"] == SETUP.api_url and read["contact"] == "you@example.org"
    line = (tmp_path / PASSWORD_FILE).read_text()
    assert line == "(\"Link'Bot\", BotPassword('links', 's3cret'))\n"


def test_secrets_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    for path in write_files(tmp_path, SETUP):
        assert path.stat().st_mode & 0o777 == 0o600
    assert "s3cret" not in (tmp_path / USER_CONFIG).read_text()


def test_an_existing_configuration_is_kept(tmp_path: Path) -> None:
    (tmp_path / USER_CONFIG).write_text("# mine")
    with pytest.raises(ConfigError, match="is there already"):
        write_files(tmp_path, SETUP)
    assert (tmp_path / USER_CONFIG).read_text() == "# mine"
    assert not (tmp_path / PASSWORD_FILE).exists()
    write_files(tmp_path, SETUP, replace=True)
    assert (tmp_path / f"{USER_CONFIG}.old").read_text() == "# mine"


def test_oauth_goes_to_the_configuration_and_needs_no_password_file(tmp_path: Path) -> None:
    setup = Setup("wikipedia", "en", None, "Bot", "me", "oauth", ("a", "b", "c", "d"))
    (path,) = write_files(tmp_path, setup)
    assert path.stat().st_mode & 0o777 == 0o600
    assert as_pywikibot_reads(tmp_path)["authenticate"] == {
        "en.wikipedia.org": ["a", "b", "c", "d"]
    }


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"user": " "}, "user name"),
        ({"contact": "a\nb"}, "contact"),
        ({"secret": ("",)}, "password is needed"),
        ({"login": "oauth"}, "four parts"),
        ({"bot_name": ""}, "has a name"),
    ],
)
def test_answers_that_cannot_work_are_refused_before_anything_is_written(
    tmp_path: Path, change: dict[str, object], why: str
) -> None:
    from dataclasses import replace

    with pytest.raises(BadInput, match=why):
        write_files(tmp_path, replace(SETUP, **change))  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://de.wikipedia.org", ("wikipedia", "de", True)),
        ("https://zh-yue.wiktionary.org/wiki/x", ("wiktionary", "zh-yue", True)),
        ("fr.wikipedia.org", ("wikipedia", "fr", True)),
        ("http://127.0.0.1:8101/api.php", ("1270018101", "1270018101", False)),
        ("https://wiki.example.org/w/", ("wikiexampleorg", "wikiexampleorg", False)),
    ],
)
def test_an_address_names_its_family(url: str, found: tuple[str, str, bool]) -> None:
    assert family_of(url) == found


def test_an_address_without_a_host_is_refused() -> None:
    with pytest.raises(BadInput, match="not the address"):
        family_of("https:///x")


def test_a_name_that_looks_like_code_stays_a_name() -> None:
    hostile = Setup("f", "f", None, "x'] = 1\nimport os #", "me", "password", ("p",))
    with pytest.raises(BadInput):
        write_files(Path("/nonexistent"), hostile)
    quoted = Setup("f", "f", None, "x'] #", "me", "password", ("p",))
    compile(user_config(quoted), "user-config.py", "exec")
