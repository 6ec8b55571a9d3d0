"""A line to the wiki that goes dead, or kills somebody, after so many answers."""

from __future__ import annotations

import http.client
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(slots=True)
class CutLine:
    """Passes requests on to the wiki on `wiki_port`; after `answers` of them, `at_the_end`."""

    wiki_port: int
    answers: int = 1_000_000
    at_the_end: Callable[[], None] = lambda: None
    passed: int = 0
    server: ThreadingHTTPServer | None = None

    @property
    def api(self) -> str:
        assert self.server is not None
        return f"http://127.0.0.1:{self.server.server_address[1]}/api.php"

    def __enter__(self) -> CutLine:
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("R", (Relay,), {"line": self}))
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self.server is not None
        self.server.shutdown()
        self.server.server_close()

    def end(self) -> None:
        """What is to happen happens once, however often somebody tries again."""
        happens, self.at_the_end = self.at_the_end, lambda: None
        happens()


class Relay(BaseHTTPRequestHandler):
    """One request on its way."""

    line: CutLine
    protocol_version = "HTTP/1.1"
    # Head and body are written apart: together the body would wait 40 ms for the head's receipt.
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self.relay(b"")

    def do_POST(self) -> None:
        self.relay(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def relay(self, body: bytes) -> None:
        if self.line.passed >= self.line.answers:
            self.line.end()
            # Lingering for no time at all sends a reset instead of a farewell.
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.close_connection = True
            self.connection.close()
            return
        self.line.passed += 1
        wiki = http.client.HTTPConnection("127.0.0.1", self.line.wiki_port, timeout=60)
        headers = {k: v for k, v in self.headers.items() if k.lower() != "accept-encoding"}
        wiki.request(self.command, self.path, body or None, headers)
        answer = wiki.getresponse()
        content = answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "content-length", "connection"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        wiki.close()

    def log_message(self, format: str, *args: object) -> None:
        pass
