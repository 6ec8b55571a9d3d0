"""What all tests share; the fixtures for a real wiki come from the harness."""

from __future__ import annotations

import pytest

pytest_plugins = ["tests.demo.fixtures", "tests.mediawiki.fixtures"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests come first, so that no worker waits for another at the end."""
    items.sort(key=lambda item: item.get_closest_marker("no_cover") is None)
