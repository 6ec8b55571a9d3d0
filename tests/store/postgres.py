"""A PostgreSQL server of the tests' own, from Debian's packages, in a temporary folder.

initdb refuses to run as root, so that root hands the work to the account `postgres` or `nobody`.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from tests.mediawiki.fixtures import missing_component
from tests.mediawiki.wiki import free_port


@dataclass(slots=True)
class PostgresServer:
    """A running server; every test takes a database of its own."""

    binaries: Path
    socket: Path
    port: int
    numbers: Iterator[int] = field(default_factory=count)

    def new_database(self) -> str:
        """The URL of an empty database."""
        name = f"test{next(self.numbers)}"
        createdb = self.binaries / "createdb"
        subprocess.run(
            [createdb, "-h", self.socket, "-p", str(self.port), "-U", "tests", name], check=True
        )
        return f"postgresql+psycopg://tests@/{name}?host={self.socket}&port={self.port}"


def find_binaries() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    named = shutil.which("initdb")
    if not found and not named:
        missing_component("PostgreSQL is not installed; see CONTRIBUTING.md.")
    return found[-1].parent if found else Path(str(named)).parent


def as_somebody() -> list[str]:
    """Words before a command that make it run as an account other than root."""
    if os.geteuid() != 0:
        return []
    names = [name for name in ("postgres", "nobody") if name in {p.pw_name for p in pwd.getpwall()}]
    account = pwd.getpwnam(names[0])
    return ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups"]


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """A server that is gone, with all its files, when the block ends."""
    binaries, somebody, port = find_binaries(), as_somebody(), free_port()
    # Not below pytest's folder, which only its owner may enter; sockets need short paths too.
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    if somebody:
        subprocess.run(["chown", somebody[1].partition("=")[2], folder], check=True)
    data, log = folder / "data", folder / "log"
    initdb = [binaries / "initdb", "-D", data, "-U", "tests", "-A", "trust", "-E", "UTF8", "-N"]
    control = [*somebody, binaries / "pg_ctl", "-D", data, "-l", log, "-w"]
    settings = f"-p {port} -k {folder} -c listen_addresses='' -c fsync=off"
    quiet = {"stdout": subprocess.DEVNULL, "cwd": "/"}
    try:
        subprocess.run([*somebody, *initdb, "--locale=C.UTF-8"], check=True, **quiet)  # type: ignore[call-overload]
        subprocess.run([*control, "-o", settings, "start"], check=True, **quiet)  # type: ignore[call-overload]
        yield PostgresServer(binaries, folder, port)
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=False, **quiet)  # type: ignore[call-overload]
        shutil.rmtree(folder, ignore_errors=True)
