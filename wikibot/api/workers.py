"""`wikibot serve --api-only`: processes that answer on one port of this machine.

The parent listens and starts the others; a process that ends is replaced. Each opens the models by
itself, so that the system keeps their memory-mapped files once for all. New models are taken up
inside a process, beside the requests that still work with the old ones.
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from threadpoolctl import threadpool_limits
from waitress.server import create_server

from wikibot.api.app import create_app
from wikibot.api.service import Service
from wikibot.config import Settings
from wikibot.errors import BadInput, ModelError
from wikibot.store import open_store

ADDRESS = "127.0.0.1"
BACKLOG = 256
THREADS = 16  # that read requests and write answers; one computes
PR_SET_PDEATHSIG = 1
RESTART_AFTER_S = 1.0  # at the earliest, so that what cannot start does not spin


def serve_api(
    database: str, settings: Settings, *, port: int = 0, ready: Callable[[str], None]
) -> None:
    """Answer until interrupted; READY gets the address once the port is ours."""
    with open_store(database) as store:
        service = Service.of(store, settings)
        service.prepare()
    listener = listen(port)
    parent = _Parent(lambda: _work(listener, database, service))
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


class _Parent:
    """Keeps a number of processes alive that all do the same."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._started: dict[int, float] = {}  # process id -> when

    def run(self, count: int) -> None:
        """Start the processes, and another one for each that ends."""
        for _ in range(count):
            self._start()
        while True:
            ended, _ = os.wait()
            began = self._started.pop(ended, None)
            if began is not None:
                time.sleep(max(0.0, began + RESTART_AFTER_S - time.monotonic()))
                self._start()

    def _start(self) -> None:
        process = os.fork()
        if process:
            self._started[process] = time.monotonic()
            return
        code = 1
        try:
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            self._work()
            code = 0
        finally:
            os._exit(code)

    def stop(self) -> None:
        """No process is left."""
        for process in self._started:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM)
        for process in self._started:
            with suppress(ChildProcessError):
                os.waitpid(process, 0)


def _work(listener: socket.socket, database: str, service: Service) -> None:
    """Answer requests until the process ends: threads read and write, the main thread computes."""
    threadpool_limits(1)  # the arrays of one page are small: more threads wait for each other
    with open_store(database) as store:
        own = service.with_store(store)
        open_all(own)
        server: Any = create_server(
            create_app(own), sockets=[listener], threads=THREADS, ident=None,
            max_request_body_size=own.largest_request_bytes,
        )  # fmt: skip
        own.calls.start_serving()
        for task in (server.run, own.keep_fresh):
            threading.Thread(target=task, daemon=True).start()
        own.calls.run()


def open_all(service: Service) -> None:
    """The first request need not wait: models are open, and what is loaded stays."""
    for wiki in service.linkers.wikis():
        with suppress(ModelError):
            service.linkers.of(wiki)
    gc.collect()
    gc.freeze()
