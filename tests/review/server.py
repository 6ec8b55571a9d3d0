"""The review page as a real server, for tests that speak to it through a socket."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from wikibot.store import Store
from wikibot.web.review_app import ReviewApp
from wikibot.web.serve import make_server, stop


@contextmanager
def serving(store: Store, reviewer: str) -> Iterator[ReviewApp]:
    """The page of one reviewer, served until the block ends; several may run on one database."""
    server, review_app = make_server(store, reviewer, port=0)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield review_app
    finally:
        stop(server)
        thread.join(timeout=10)
        assert not thread.is_alive()
