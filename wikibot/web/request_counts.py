"""How many requests were answered, and how long that took: counted once for all processes.

The numbers are in memory that the processes share, which is made before they are started.
"""

from __future__ import annotations

import multiprocessing
import time

from flask import Response, g

KINDS = ("1xx", "2xx", "3xx", "4xx", "5xx")


class RequestCounts:
    """Answers by the first digit of their status, and the seconds they took together."""

    def __init__(self) -> None:
        self._numbers = multiprocessing.get_context("fork").Array("d", len(KINDS) + 1)

    def add(self, status: int, seconds: float) -> None:
        """One more request was answered."""
        with self._numbers.get_lock():
            self._numbers[min(max(status // 100, 1), 5) - 1] += 1
            self._numbers[len(KINDS)] += seconds

    def answers(self) -> dict[str, int]:
        """How many answers of each kind there were."""
        return {kind: int(self._numbers[at]) for at, kind in enumerate(KINDS)}

    @property
    def seconds(self) -> float:
        return float(self._numbers[len(KINDS)])

    def begin(self) -> None:
        """Before a request."""
        g.begun = time.monotonic()

    def end(self, answer: Response) -> Response:
        """After it."""
        self.add(answer.status_code, time.monotonic() - g.get("begun", time.monotonic()))
        return answer
