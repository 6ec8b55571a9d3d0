"""`wikibot serve` as a process of its own, for tests and benchmarks that speak to it through sockets."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from tests.mediawiki.oauth2 import CLIENT_ID, CLIENT_SECRET
from tests.mediawiki.wiki import free_port
from tests.waiting import wait_until
from wikibot.keys import make_key

REPOSITORY = Path(__file__).parents[1]
UP_WITHIN_S = 120


@dataclass(slots=True)
class RunningService:
    """The processes that answer at `origin`; they can be killed and started again."""

    where: str
    folder: Path
    port: int
    settings: dict[str, str]
    process: subprocess.Popen[bytes] | None = None

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        return self.folder / "service.log"

    def start(self) -> None:
        """It answers."""
        command = [sys.executable, "-m", "wikibot", "serve", "--db", self.where]
        words = [*command, "--address", self.origin, "--listen", f"127.0.0.1:{self.port}"]
        environment = {
            **os.environ,
            "WIKIBOT_KEY_FILE": str(self.folder / "key"),
            "WIKIBOT_OAUTH_CLIENT": CLIENT_ID,
            "WIKIBOT_OAUTH_SECRET": CLIENT_SECRET,
            "WIKIBOT_FOLLOW_MINUTES": "0",
            "PYTHONPATH": str(REPOSITORY),
            **self.settings,
        }
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                words,
                cwd=self.folder,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        wait_until(self.is_up, within_s=UP_WITHIN_S, what=f"an answer from {self.origin}")

    def is_up(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, self.log.read_text(errors="replace")
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", "/health")
            return connection.getresponse().read() == b"ok"
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()

    def kill(self) -> None:
        """All its processes are gone at once, without a chance to finish anything."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """It has ended as it does when it is asked to."""
        self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> None:
        if self.process is not None:
            os.killpg(self.process.pid, number)
            self.process.wait(timeout=60)
        self.process = None


@contextmanager
def running_service(where: str, folder: Path, **settings: str) -> Iterator[RunningService]:
    """The service over a database, with settings by their environment variables."""
    make_key(folder / "key")
    service = RunningService(where, folder, free_port(), settings)
    try:
        service.start()
        yield service
    finally:
        service.kill()
