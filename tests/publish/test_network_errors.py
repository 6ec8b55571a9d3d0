"""A wiki that cannot be reached is told in one sentence: which host, and why."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from wikibot.cli.init import KEPT_IN, Answers
from wikibot.errors import ConfigError, WikiUnavailable
from wikibot.publish.accounts import take_back
from wikibot.site.address import name_of_wiki, network_reason
from wikibot.site.connect import find_api


@pytest.fixture
def closed_port() -> int:
    """A port of this machine at which nobody answers."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


def test_a_refused_connection_names_the_host(closed_port: int) -> None:
    with pytest.raises(WikiUnavailable, match=r"127\.0\.0\.1 refuses the connection"):
        find_api(f"http://127.0.0.1:{closed_port}/wiki/Severn")
    with pytest.raises(WikiUnavailable, match=r"Nothing was changed\.$"):
        name_of_wiki(f"http://127.0.0.1:{closed_port}/api.php")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("HTTPSConnectionPool(host='a.invalid', port=443): Max retries exceeded with url: /w "
         "(Caused by NameResolutionError(...))", "a.invalid is not known on the network"),
        ("HTTPSConnectionPool(host='b.org', port=443): Read timed out. (read timeout=30)",
         "b.org took too long"),
        ("HTTPSConnectionPool(host='c.org', port=443): Max retries exceeded with url: / "
         "(Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]')))",
         "c.org has a certificate that cannot be trusted"),
        ("Maximum retries attempted without success.", "it was asked several times"),
    ],
)  # fmt: skip
def test_what_libraries_say_becomes_a_sentence(said: str, told: str) -> None:
    sentence = network_reason(OSError(said))
    assert sentence.startswith(told)
    assert "Pool" not in sentence and "Caused by" not in sentence


def test_init_tries_the_address_before_it_asks_for_anything(
    closed_port: int, tmp_path: Path
) -> None:
    url = f"http://127.0.0.1:{closed_port}/wiki/Severn"
    done = subprocess.run(
        [sys.executable, "-m", "wikibot", "init", "--url", url],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 3
    assert "refuses the connection" in done.stderr and "User name" not in done.stdout
    assert not list(tmp_path.glob("user-*"))


def test_files_of_a_failed_login_go_and_the_old_ones_come_back(tmp_path: Path) -> None:
    new, old = tmp_path / "user-config.py", tmp_path / "user-config.py.old"
    new.write_text("new")
    old.write_text("old")
    with pytest.raises(ConfigError), take_back([new]):
        raise ConfigError("No.")
    assert new.read_text() == "old" and not old.exists()


@pytest.mark.parametrize("content", ["", "{", "[1, 2]", "null", '{"url": "https://a.org"}'])
def test_a_damaged_file_of_answers_is_no_trouble(tmp_path: Path, content: str) -> None:
    (tmp_path / KEPT_IN).write_text(content)
    assert Answers(tmp_path).known in ({}, {"url": "https://a.org"})
