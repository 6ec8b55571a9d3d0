"""Fixtures for publishing: a world on the module's wiki."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mediawiki import ADMIN, Wiki
from tests.mediawiki.fixtures import UsePywikibot
from tests.publish.world import World


@pytest.fixture
def world(shared_wiki: Wiki, use_pywikibot: UsePywikibot, tmp_path: Path) -> Iterator[World]:
    """A world on the module's wiki: keep to titles of your own, and leave it as it was."""
    use_pywikibot(shared_wiki.api)
    made = World.make(shared_wiki, shared_wiki.person(ADMIN), tmp_path / "wikibot.db")
    with made.store:
        yield made
