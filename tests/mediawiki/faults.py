"""A proxy between bot and wiki that breaks edits on purpose, and counts them.

Other reading passes through untouched. For each edit that arrives the next fault of the plan is taken,
or the one that `always` names for its title; `edits` tells how many requests for an edit arrived,
however they ended. Questions about titles that contain `broken_reads` are answered with 503.
`rewrite` may put another answer in the place of any answer of the wiki; `seen` hears of every
request before it is passed on.
"""

from __future__ import annotations

import http.client
import socket
import struct
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from tests.waiting import wait_until

# What can go wrong with a request, by whether the wiki has made the edit when it does.
BEFORE = ("reset before", "503 before", "killed before")
AFTER = (
    "reset after",
    "silence after",
    "503 after",
    "504 after",
    "cut after",
    "garbage after",
    "killed after",
)
LATE = ("late",)
FAULTS = (*BEFORE, *AFTER, *LATE)
KILLS = ("killed before", "killed after")
# The wiki is waited for so long, at each step of a request.
PATIENCE_S = 60


# Status, headers and body.
Answer = tuple[int, list[tuple[str, str]], bytes]


def untouched(form: dict[str, str], answer: Answer) -> Answer:
    return answer


@dataclass(slots=True)
class FaultyProxy:
    """Listens on a port of its own before the wiki on `wiki_port`."""

    wiki_port: int
    plan: list[str] = field(default_factory=list)
    always: dict[str, str] = field(default_factory=dict)
    rewrite: Callable[[dict[str, str], Answer], Answer] = untouched
    seen: Callable[[], None] = lambda: None
    edits: list[dict[str, str]] = field(default_factory=list)
    kill: Callable[[], None] = lambda: None
    late_s: float = 0.6
    silence_s: float = 3.0
    broken_reads: str = ""
    server: ThreadingHTTPServer | None = None
    closing: threading.Event = field(default_factory=threading.Event)
    asking: set[int] = field(default_factory=set)

    def settle(self) -> None:
        """No request is on its way to the wiki any more, not even one of a client that died."""
        # Longer than the wiki is waited for while it connects, reads and answers.
        wait_until(lambda: not self.asking, within_s=4 * PATIENCE_S, what="the last answer")

    @property
    def api(self) -> str:
        assert self.server is not None
        return f"http://127.0.0.1:{self.server.server_address[1]}/api.php"

    def __enter__(self) -> FaultyProxy:
        handler = type("Handler", (Relay,), {"proxy": self})
        self.server = QuietServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self.server is not None
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()

    def reset(self) -> None:
        """Everything passes through untouched again."""
        self.plan, self.edits, self.always = [], [], {}
        self.rewrite, self.seen, self.kill = untouched, lambda: None, lambda: None

    def next_fault(self, form: dict[str, str]) -> str:
        self.edits.append(form)
        return self.always.get(form["title"], "") or (self.plan.pop(0) if self.plan else "")


class QuietServer(ThreadingHTTPServer):
    """A client that was killed does not wait for its answer, which is no news."""

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class Relay(BaseHTTPRequestHandler):
    """Passes one request on to the wiki, as the plan says."""

    proxy: FaultyProxy
    protocol_version = "HTTP/1.1"
    # Head and body are written apart: together the body would wait 40 ms for the head's receipt.
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self.proxy.seen()
        form = fields(urlsplit(self.path).query)
        self.answer(*self.proxy.rewrite(form, self.ask(b"")))

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        if len(body) < length:
            # The client died amid its request. The wiki would wait for the rest of it.
            self.close_connection = True
            return
        self.proxy.seen()
        form = fields(body.decode())
        fault = self.proxy.next_fault(form) if form.get("action") == "edit" else ""
        broken = self.proxy.broken_reads
        if broken and broken in form.get("titles", ""):
            self.answer(503, [], b"<h1>no</h1>")
        elif fault == "":
            self.answer(*self.proxy.rewrite(form, self.ask(body)))
        elif fault.endswith("before"):
            self.fail(fault)
        elif fault in LATE:
            self.hang_up()
            self.proxy.closing.wait(self.proxy.late_s)
            self.ask(body)
        else:
            self.fail(fault, self.ask(body))

    def ask(self, body: bytes) -> Answer:
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.proxy.wiki_port, timeout=PATIENCE_S
        )
        headers = {key: value for key, value in self.headers.items() if key != "Connection"}
        self.proxy.asking.add(threading.get_ident())
        try:
            connection.request(self.command, self.path, body or None, headers)
            response = connection.getresponse()
            return (response.status, response.getheaders(), response.read())
        finally:
            self.proxy.asking.discard(threading.get_ident())
            connection.close()

    def answer(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.send_response(status)
        for key, value in headers:
            if key.lower() not in ("transfer-encoding", "content-length", "connection"):
                self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def fail(self, fault: str, answer: Answer | None = None) -> None:
        if fault.startswith("killed"):
            self.proxy.kill()
        elif fault[:3].isdigit():
            self.answer(int(fault[:3]), [], b"<h1>no</h1>")
        elif fault == "success before":
            self.answer(200, [], b'{"edit": {"result": "Success", "newrevid": 1}}')
        elif fault == "garbage after":
            self.answer(200, [("Content-Type", "text/html")], b"<h1>Hello</h1>")
        elif fault == "cut after" and answer:
            self.send_response(answer[0])
            self.send_header("Content-Length", str(len(answer[2])))
            self.end_headers()
            self.wfile.write(answer[2][: len(answer[2]) // 2])
        elif fault == "silence after":
            self.proxy.closing.wait(self.proxy.silence_s)
        self.hang_up()

    def hang_up(self) -> None:
        """The connection is reset, not closed politely."""
        self.close_connection = True
        try:
            self.wfile.flush()
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the other side was faster

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: pytest shows what matters."""


def fields(query: str) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(query).items()}
