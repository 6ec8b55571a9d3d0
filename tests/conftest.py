"""What all tests share; the fixtures for a real wiki come from the harness."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Generator

import pytest

pytest_plugins = ["tests.chromium", "tests.demo.fixtures", "tests.mediawiki.fixtures"]

_LONG = ("slow", "crash", "wiki", "browser", "postgres", "spark")


def pytest_configure() -> None:
    """Ctrl-C can be tested though a shell that starts us in the background has switched it off for us."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests come first, so that no worker waits for another at the end."""
    items.sort(key=lambda item: (not _has(item, "no_cover"), not _has(item, *_LONG)))


def pytest_collection_finish() -> None:
    """Thousands of tests, and all that they import, stay: nobody need look through them for garbage.

    A test that makes many small objects takes twice as long if the collector does.
    """
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Slow tests and those marked `no_cover` are not traced, which makes them two to three times as fast.

    pytest-cov stops one tracer for `no_cover`, but in a worker of xdist it has started two.
    """
    tracer = sys.gettrace()
    if _has(item, "no_cover", "slow"):
        sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)


def _has(item: pytest.Item, *markers: str) -> bool:
    return any(item.get_closest_marker(marker) for marker in markers)
