"""Fixtures for publishing: pywikibot pointed at the test's wiki, and a world on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.mediawiki import ADMIN, BOT_PASSWORD, Wiki
from tests.publish.world import World
from wikibot.site.connect import load_pywikibot

UsePywikibot = Callable[..., None]


@pytest.fixture
def use_pywikibot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> UsePywikibot:
    """Makes pywikibot, as `user-config.py` would, LinkBot on the wiki at an api.php's address.

    pywikibot reads its configuration once in a process, so tests in one process set it instead.
    """
    pywikibot = load_pywikibot()
    from pywikibot import config
    from pywikibot.comms import http

    def use(api: str, secret: str = BOT_PASSWORD.password) -> None:
        folder = tmp_path / "pywikibot"
        folder.mkdir(exist_ok=True)
        name, _, suffix = BOT_PASSWORD.name.partition("@")
        password = folder / "user-password.cfg"
        password.write_text(f"({name!r}, BotPassword({suffix!r}, {secret!r}))\n")
        password.chmod(0o600)
        (folder / "throttle.ctrl").touch()
        family = "test" + api.rpartition(":")[2].partition("/")[0]
        settings = {
            "base_dir": str(folder),
            "family": family,
            "mylang": family,
            "password_file": password.name,
            "user_agent_description": "the tests of wikibot",
            "put_throttle": 0,
            "minthrottle": 0,
            "max_retries": 1,
            "retry_wait": 0,
            "retry_max": 0,
        }
        for key, value in settings.items():
            monkeypatch.setattr(config, key, value)
        monkeypatch.setitem(config.family_files, family, api)
        monkeypatch.setitem(config.usernames, family, {family: name})
        http.cookie_jar.clear()
        pywikibot._sites.clear()

    return use


@pytest.fixture
def world(shared_wiki: Wiki, use_pywikibot: UsePywikibot, tmp_path: Path) -> Iterator[World]:
    """A world on the module's wiki: keep to titles of your own, and leave it as it was."""
    use_pywikibot(shared_wiki.api)
    made = World.make(shared_wiki, shared_wiki.person(ADMIN), tmp_path / "wikibot.db")
    with made.store:
        yield made
