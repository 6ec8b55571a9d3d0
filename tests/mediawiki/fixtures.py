"""Pytest fixtures for a real wiki: `wiki` is fresh for each test, `shared_wiki` for each module.

Where a component is missing the tests are skipped with the reason, except with CI=true, where a
missing component is a failure.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from tests.mediawiki.code_tree import MissingComponentError, code_tree, only_one
from tests.mediawiki.people import Person
from tests.mediawiki.wiki import ADMIN, HUMAN, Wiki


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
