"""Publishing that a page has ordered: in a thread of this server, one piece at a time.

The thread may be killed at any time with the server; the outbox knows what was sent, and the next
save looks in the wiki's history before anything else.
"""

from __future__ import annotations

from threading import Lock, Thread
from typing import Protocol

from wikibot.config import load_settings
from wikibot.errors import WikiUnavailable
from wikibot.message import message
from wikibot.publish import saving
from wikibot.publish.publisher import WikiLogin
from wikibot.publish.saving import Order
from wikibot.store import Store
from wikibot.store.runs import settle_killed


class PublishRuns(Protocol):
    """Whoever carries out orders; a service may hand them to its scheduler."""

    def begin(self, store: Store, order: Order, login: WikiLogin) -> int:
        """The number of the run that carries out the order; refuses with WikiUnavailable if busy."""

    def settle(self, store: Store) -> None:
        """Runs that were killed with an earlier server no longer count as running."""


class RunsInThread:
    """One order at a time, each in a thread that ends with the server."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._thread: Thread | None = None

    def begin(self, store: Store, order: Order, login: WikiLogin) -> int:
        """Refuses while another order of this page is being carried out."""
        with self._lock:
            if self._thread is not None and self._thread.is_alive():
                raise WikiUnavailable(message("page-is-busy"))
            run = saving.start(store, order)
            self._thread = Thread(
                target=saving.carry_out,
                args=(store, load_settings(), login, order, run),
                name="wikibot-publish",
                daemon=True,
            )
            self._thread.start()
        return run.id

    def settle(self, store: Store) -> None:
        settle_killed(store, saving.KINDS)

    def join(self) -> None:
        """The order that was begun last has been carried out."""
        if self._thread is not None:
            self._thread.join()
