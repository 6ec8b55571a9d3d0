"""Fixtures of the crash tests: one wiki and one proxy a module, one scene a test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.publisher import Orders
from tests.crash.scene import LINKS, Scene
from tests.mediawiki import ADMIN, HUMAN, Person, Wiki
from tests.mediawiki.faults import FaultyProxy
from tests.publish.world import World


@pytest.fixture(scope="module")
def proxy(shared_wiki: Wiki, admin: Person) -> Iterator[FaultyProxy]:
    admin.write_pages({target: f"'''{target}''' is a word." for _, target in LINKS})
    with FaultyProxy(shared_wiki.port) as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pywikibot")


@pytest.fixture(scope="module")
def human(shared_wiki: Wiki) -> Person:
    """Logged in once: to check a password takes a wiki long."""
    return shared_wiki.person(HUMAN)


@pytest.fixture(scope="module")
def admin(shared_wiki: Wiki) -> Person:
    return shared_wiki.person(ADMIN)


@pytest.fixture
def scene(
    shared_wiki: Wiki, proxy: FaultyProxy, human: Person, folder: Path, tmp_path: Path
) -> Iterator[Scene]:
    proxy.reset()
    database = tmp_path / "wikibot.db"
    world = World.make(shared_wiki, human, database, api=proxy.api)
    for _, target in LINKS:
        world.know(target, f"'''{target}''' is a word.", 1)
    with world.store:
        yield Scene(world, proxy, Orders(proxy.api, folder, database))
