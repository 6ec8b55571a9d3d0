"""How many requests a user may send: the threat is one program that takes all the time there is.

All processes share the table. It holds one number per slot, the moment at which the user of the slot
has used up what the past allowed (the generic cell rate algorithm); users whose names fall into the
same slot share it.
"""

from __future__ import annotations

import multiprocessing
import time
import zlib
from collections.abc import Callable

SLOTS = 4096
BURST_S = 10.0  # of requests may come at once


class RateLimit:
    """Allows so many requests in a minute for each user; 0 means any number."""

    def __init__(
        self, requests_per_minute: int, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._interval_s = 60 / requests_per_minute if requests_per_minute else 0.0
        self._burst_s = max(BURST_S, self._interval_s)
        self._clock = clock
        self._paid_until = multiprocessing.get_context("fork").Array("d", SLOTS)

    def wait_s(self, user: str) -> float:
        """0 where the request is allowed, and counted; else the seconds until it would be."""
        if not self._interval_s:
            return 0.0
        now, slot = self._clock(), zlib.crc32(user.encode()) % SLOTS
        with self._paid_until.get_lock():
            paid_until = max(float(self._paid_until[slot]), now) + self._interval_s
            if paid_until - now > self._burst_s:
                return paid_until - now - self._burst_s
            self._paid_until[slot] = paid_until
        return 0.0
