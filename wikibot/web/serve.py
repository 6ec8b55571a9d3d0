"""The review page, served on this machine until it is stopped."""

from __future__ import annotations

import gc
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from http.client import HTTPConnection, HTTPException
from typing import Any

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.server import TcpWSGIServer

from wikibot.errors import BadInput
from wikibot.reading import load_model
from wikibot.store import Store
from wikibot.store.pages import wikis
from wikibot.store.suggestions import models_of
from wikibot.web.app import create_app
from wikibot.web.review_app import ReviewApp

ADDRESS = "127.0.0.1"
MAX_CONNECTIONS = 80  # waitress stops to accept at 100
THREADS = 8
FIRST_LOOK_S = 5.0


def serve(
    store: Store,
    reviewer: str,
    *,
    port: int = 0,
    wiki: str | None = None,
    guideline: str = "",
    ready: Callable[[ReviewApp], None],
) -> None:
    """Serve until interrupted or ended; READY gets the address once the port is ours."""
    server, review_app = make_server(store, reviewer, port=port, wiki=wiki, guideline=guideline)
    try:
        with _signals_as_interrupts():
            review_app.publish_runs.settle(store)
            ready(review_app)
            get_ready(review_app)
            server.run()
    except KeyboardInterrupt:
        pass  # stopping is how serving ends
    finally:
        review_app.background.stop()
        server.close()


@contextmanager
def _signals_as_interrupts() -> Iterator[None]:
    """What ends a program politely stops the server as Ctrl-C does, and what it has started too."""
    numbers = (signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, signal.default_int_handler) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def make_server(
    store: Store, reviewer: str, *, port: int, wiki: str | None = None, guideline: str = ""
) -> tuple[Any, ReviewApp]:
    """A server that listens already, and its review_app; `run` answers until `close`.

    Port 0 means any free one. Refuses a port that is taken.
    """
    listener = _listen(port)
    review_app = ReviewApp(store, reviewer, listener.getsockname()[1], wiki, guideline)
    server = RoomyServer(
        create_app(review_app),
        _sock=listener,
        bind_socket=False,
        adj=Adjustments(sockets=[listener], threads=THREADS, ident=None),
        sockinfo=(listener.family, listener.type, listener.proto, listener.getsockname()),
    )
    return server, review_app


class RoomyServer(TcpWSGIServer):
    """Always has room for one more: the connection that has been idle longest makes way.

    The threat: another program of this machine that opens connections and says nothing.
    """

    def readable(self) -> bool:
        channels: Any = self.active_channels  # a dictionary, whatever the stubs say
        idle = [channel for channel in channels.values() if not channel.requests]
        idle.sort(key=lambda channel: channel.last_activity)
        for channel in idle[: max(0, len(channels) - MAX_CONNECTIONS)]:
            channel.will_close = True
        return bool(super().readable())


def get_ready(review_app: ReviewApp) -> None:
    """What the first pages would wait for is being done: templates compiled, models loaded."""
    review_app.background.begin("first pages", partial(_look_at_pages, review_app))
    with review_app.store.reading() as session:
        found = [models_of(session, wiki.id).get("crtm") for wiki in wikis(session)]
    for trained in (one for one in found if one is not None):
        review_app.background.begin(
            ("model", trained.sha256),
            partial(load_model, review_app.store.folder, trained.path, trained.sha256),
        )
    review_app.background.begin("settled", _settle)


def _look_at_pages(review_app: ReviewApp) -> None:
    """A visit as by a browser; that it fails must trouble nobody."""
    connection = HTTPConnection(ADDRESS, review_app.port, timeout=FIRST_LOOK_S)
    with closing(connection), suppress(OSError, HTTPException):
        for path in ("/", "/queue", "/statistics"):
            connection.request(
                "GET", path, headers={"Cookie": f"{review_app.cookie_name}={review_app.cookie}"}
            )
            connection.getresponse().read()


def _settle() -> None:
    """What is loaded by now stays; to look through all of it for garbage holds up an answer."""
    gc.collect()
    gc.freeze()


def stop(server: Any) -> None:
    """Makes `run` return in the thread that is in it; connections are closed there, not here."""
    server.trigger.pull_trigger(lambda: wasyncore.close_all(server._map))


def _listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((ADDRESS, port))
    except OSError as error:
        listener.close()
        raise BadInput(
            f"Port {port} of this machine cannot be used ({error.strerror}). "
            "Choose another with --port, or leave it out."
        ) from error
    return listener
