"""A real Chromium for all tests of a process: Playwright allows one of them at a time."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.mediawiki.fixtures import missing_component

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
PATIENCE_MS = 60_000  # a deadline for a busy machine; nothing waits that long


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium without a window, one for all tests of a process."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        missing_component("Chromium is missing: install Debian's package `chromium`.")
    try:
        from playwright.sync_api import expect, sync_playwright
    except ImportError:
        missing_component("The Python package `playwright` is missing.")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()
