"""`wikibot serve --api-only`: processes that answer on one port of this machine.

The parent listens and starts the others; a process that ends is replaced. Each opens the models by
itself, so that the system keeps their memory-mapped files once for all. New models are taken up
inside a process, beside the requests that still work with the old ones.
"""

from __future__ import annotations

import gc
import json
import logging
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from threadpoolctl import threadpool_limits
from waitress.channel import HTTPChannel
from waitress.server import create_server
from waitress.task import ErrorTask

from wikibot.api.app import create_app
from wikibot.api.errors import answer_to_status
from wikibot.api.service import Service
from wikibot.config import Settings
from wikibot.errors import BadInput, ModelError
from wikibot.processes import Parent
from wikibot.store import Store, open_store

ADDRESS = "127.0.0.1"
BACKLOG = 256
THREADS = 16  # that read requests and write answers; one computes at a time


def serve_api(
    database: str, settings: Settings, *, port: int = 0, ready: Callable[[str], None]
) -> None:
    """Answer until interrupted; READY gets the address once the port is ours."""
    with open_store(database) as store:
        service = Service.of(store, settings)
        service.prepare()
    listener = listen(port)
    parent = Parent(lambda: _work(listener, database, service))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        ready(f"http://{ADDRESS}:{listener.getsockname()[1]}")
        parent.run(settings.whole("workers"))
    except KeyboardInterrupt:
        pass  # stopping is how serving ends
    finally:
        parent.stop()
        listener.close()


def listen(port: int) -> socket.socket:
    """A socket that listens already; refuses a port that is taken."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((ADDRESS, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise BadInput(
            f"Port {port} of this machine cannot be used ({error.strerror}). "
            "Choose another with --port, or leave it out."
        ) from error
    return listener


def _work(listener: socket.socket, database: str, service: Service) -> None:
    """Answer requests until the process ends."""
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # that requests wait is no news
    with open_store(database) as store:
        own = ready_in_this_process(service, store)
        server: Any = create_server(
            create_app(own), sockets=[listener], threads=THREADS, ident=None,
            max_request_body_size=own.largest_request_bytes,
        )  # fmt: skip
        server.channel_class = _Channel
        server.run()


class _EarlyError(ErrorTask):
    """What the server refuses before the application sees it is told in JSON as well."""

    def execute(self) -> None:
        request: Any = self.request
        status, reason = request.error.code, request.error.reason
        body = json.dumps(answer_to_status(status)[0]).encode()
        self.status = f"{status} {reason}"
        self.response_headers = [("Content-Type", "application/json")]
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class _Channel(HTTPChannel):
    error_task_class = _EarlyError


def ready_in_this_process(service: Service, store: Store) -> Service:
    """The service for this process alone, models open; new models are taken up from now on."""
    threadpool_limits(1)  # the arrays of one page are small: more threads wait for each other
    own = service.with_store(store)
    open_all(own)
    threading.Thread(target=own.keep_fresh, daemon=True).start()
    return own


def open_all(service: Service) -> None:
    """The first request need not wait: models are open, and what is loaded stays."""
    for wiki in service.linkers.wikis():
        with suppress(ModelError):
            service.linkers.of(wiki)
    gc.collect()
    gc.freeze()
