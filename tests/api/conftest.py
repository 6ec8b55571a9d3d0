"""The API on a wiki of thirty rivers, learned once per worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.linker.rivers import rivers_store
from wikibot.api.app import create_app
from wikibot.api.service import Service
from wikibot.config import Settings, load_settings
from wikibot.store import Store, open_store
from wikibot.train import train

Asking = Callable[..., FlaskClient]


def settings(**more: Any) -> Settings:
    return load_settings(environ={}, **more)


@pytest.fixture(scope="session")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of rivers, learned from."""
    folder = tmp_path_factory.mktemp("api")
    with rivers_store(folder) as store:
        train(store)
    return folder / "w.db"


@pytest.fixture
def learned_store(learned: Path) -> Iterator[Store]:
    with open_store(learned) as store:
        yield store


@pytest.fixture
def ask(learned_store: Store) -> FlaskClient:
    """A client of the API, by the default settings."""
    return create_app(Service.of(learned_store, settings())).test_client()


@pytest.fixture
def unlearned(tmp_path: Path) -> Iterator[Asking]:
    """Makes clients of an API on rivers from which nothing was learned; the settings are given."""
    with rivers_store(tmp_path) as store:
        yield lambda **given: create_app(Service.of(store, settings(**given))).test_client()
