"""A real Chromium in front of a real server."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.chromium import PATIENCE_MS
from tests.review import sample
from tests.review.server import serving
from wikibot.store import Store

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from wikibot.web.review_app import ReviewApp


@dataclass(frozen=True, slots=True)
class Served:
    """A running review page, and its database."""

    store: Store
    review_app: ReviewApp

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.review_app.port}"


@pytest.fixture(scope="session")
def filled_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample wiki's database, to be copied for each test."""
    path = tmp_path_factory.mktemp("e2e") / "wiki.db"
    sample.make_store(path).close()
    return path


@pytest.fixture
def served(filled_once: Path, tmp_path: Path) -> Iterator[Served]:
    """A review page over a copy of the sample wiki."""
    from wikibot.store import open_store

    with (
        open_store(shutil.copy(filled_once, tmp_path / "wiki.db")) as store,
        serving(store, "alice") as review_app,
    ):
        yield Served(store, review_app)


Open = Callable[..., "Page"]


@pytest.fixture
def open_page(chromium: Browser, served: Served) -> Iterator[Open]:
    """Opens the printed address in a browser profile of its own, as a reviewer would."""
    with ExitStack() as stack:

        def open_it(**profile: Any) -> Page:
            context = chromium.new_context(**({"locale": "en-GB"} | profile))
            stack.callback(context.close)
            context.set_default_timeout(PATIENCE_MS)
            page = context.new_page()
            page.goto(served.review_app.address)
            return page

        yield open_it
