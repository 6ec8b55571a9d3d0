"""Pytest fixtures for a real wiki: `wiki` is fresh for each test, `shared_wiki` for each module.

Where a component is missing the tests are skipped with the reason, except with CI=true, where a
missing component is a failure.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from tests.mediawiki.code_tree import MissingComponentError, code_tree, only_one
from tests.mediawiki.people import Person
from tests.mediawiki.wiki import ADMIN, BOT_PASSWORD, HUMAN, Account, Wiki

UsePywikibot = Callable[..., None]


def missing_component(reason: str) -> NoReturn:
    """Skips the test for REASON; on CI, where everything must be there, fails it."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def mediawiki_tree() -> Path:
    """MediaWiki's code, fetched if need be."""
    try:
        return code_tree()
    except MissingComponentError as error:
        missing_component(str(error))


@pytest.fixture(scope="session")
def wiki_template(mediawiki_tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Wiki:
    """An installed wiki to copy from, built once for all parallel workers."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    template = Wiki(shared / "wiki-template", mediawiki_tree)
    with only_one(shared / "wiki-template.lock"):
        if not (template.folder / "finished").exists():
            template.install()
            (template.folder / "finished").touch()
    return template


@pytest.fixture
def wiki(wiki_template: Wiki, tmp_path: Path) -> Iterator[Wiki]:
    """A running wiki of this test's own."""
    with wiki_template.copy_to(tmp_path / "wiki") as copy:
        yield copy


@pytest.fixture(scope="module")
def shared_wiki(wiki_template: Wiki, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wiki]:
    """A running wiki for a module whose tests keep to pages of their own."""
    with wiki_template.copy_to(tmp_path_factory.mktemp("shared") / "wiki") as copy:
        yield copy


@pytest.fixture
def admin(wiki: Wiki) -> Person:
    return wiki.person(ADMIN)


@pytest.fixture
def human(wiki: Wiki) -> Person:
    return wiki.person(HUMAN)


@pytest.fixture
def use_pywikibot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> UsePywikibot:
    """Makes pywikibot, as `user-config.py` would, LinkBot or another on the wiki at an api.php's address.

    pywikibot reads its configuration once in a process, so tests in one process set it instead.
    """
    from wikibot.site.connect import load_pywikibot

    pywikibot = load_pywikibot()
    from pywikibot import config
    from pywikibot.comms import http

    def use(api: str, secret: str = BOT_PASSWORD.password, account: Account = BOT_PASSWORD) -> None:
        folder = tmp_path / "pywikibot"
        folder.mkdir(exist_ok=True)
        name, _, suffix = account.name.partition("@")
        password = folder / "user-password.cfg"
        kept = f"BotPassword({suffix!r}, {secret!r})" if suffix else repr(account.password)
        password.write_text(f"({name!r}, {kept})\n")
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
