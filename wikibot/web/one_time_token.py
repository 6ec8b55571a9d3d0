"""A key that opens once.

The browser is started with an address on its command line, where other people of the machine can
read it. That address carries this key: whoever comes second is refused, and the reviewer notices.
"""

from __future__ import annotations

import hmac
import secrets
from threading import Lock


class OneTimeToken:
    """Drawn at random; `take` says yes to it once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_used = False
        self.value = secrets.token_urlsafe(32)

    def take(self, given: str) -> bool:
        """Is this the key, for the first time?"""
        with self._lock:
            fits = hmac.compare_digest(given.encode(), self.value.encode()) and not self._is_used
            self._is_used = self._is_used or fits
            return fits
