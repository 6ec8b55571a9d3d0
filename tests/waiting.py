"""Waiting in tests: for a condition, with a deadline, never for a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_until(condition: Callable[[], T], *, within_s: float, what: str) -> T:
    """The first true value of CONDITION; fails, naming WHAT was awaited, after WITHIN_S seconds."""
    deadline = time.monotonic() + within_s
    pause = threading.Event()
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {within_s:g} s")
        pause.wait(0.02)
    return value
