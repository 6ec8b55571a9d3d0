"""`wikibot train` or `suggest` in a process that meets with a disaster at one of its steps.

A step is a statement or a commit on its way to the database, or a file of a model that is opened for
writing, renamed or removed. The disasters: `kill` (SIGKILL), `ctrl-c`, and `full-disk`, when from
that step on nothing more can be written.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import sys
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from tests.linker.rivers import EVERY_PROPOSAL

context = multiprocessing.get_context("forkserver")
context.set_forkserver_preload(["tests.crash.preloaded", "wikibot.suggest", "crtm", "lightgbm"])


COUNTED = "steps:"
ENVIRONMENT = {f"WIKIBOT_{name.upper()}": str(value) for name, value in EVERY_PROPOSAL.items()}


@dataclass(frozen=True, slots=True)
class Orders:
    """What to run, and the step (from 1) at which disaster strikes; 0 means never."""

    db: Path
    command: str
    last: int = 0
    disaster: str = "kill"


@dataclass(frozen=True, slots=True)
class Ended:
    """How the process ended; `steps` is 0 if it was killed."""

    code: int
    steps: int
    errors: str


def run(orders: Orders) -> Ended:
    """The command has run in a process of its own, and ended as its orders say."""
    ours, theirs = context.Pipe(duplex=False)  # a file would be full with the disk
    process = context.Process(target=_in_child, args=(orders, theirs))
    process.start()
    theirs.close()
    with open(ours.fileno(), encoding="utf-8", closefd=False) as told:
        errors, _, rest = told.read().partition(COUNTED)
    process.join()
    assert process.exitcode is not None
    steps, _, more = rest.strip().partition("\n")  # a traceback comes after the count
    return Ended(process.exitcode, int(steps or 0), f"{errors}{more}".strip())


def _in_child(orders: Orders, theirs: Connection) -> None:
    from wikibot.cli import run

    os.environ.update(ENVIRONMENT, OMP_NUM_THREADS="1")
    os.dup2(theirs.fileno(), sys.stderr.fileno())
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    # Streams that were opened on files would still take themselves to be files.
    sys.stdout = os.fdopen(sys.stdout.fileno(), "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(sys.stderr.fileno(), "w", 1, encoding="utf-8", closefd=False)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    steps = Steps(orders)
    steps.listen()
    sys.argv = ["wikibot", orders.command, "--db", str(orders.db)]
    try:
        sys.exit(run())
    finally:
        print(COUNTED, steps.count, file=sys.stderr)


class Steps:
    """Counts the steps, and strikes at the last one."""

    def __init__(self, orders: Orders) -> None:
        self.orders, self.count = orders, 0

    def listen(self) -> None:
        from sqlalchemy import Engine, event

        event.listen(Engine, "before_cursor_execute", self.step)
        event.listen(Engine, "commit", self.step)
        sys.addaudithook(self.on_file)

    def on_file(self, name: str, arguments: tuple[object, ...]) -> None:
        changes = name in ("os.rename", "os.remove") or (name == "open" and _writes(arguments[1]))
        if changes and str(arguments[0]).startswith(f"{self.orders.db}.models/"):
            self.step()

    def step(self, *_: object) -> None:
        self.count += 1
        if self.count == self.orders.last:
            self.strike()

    def strike(self) -> None:
        if self.orders.disaster == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif self.orders.disaster == "ctrl-c":
            signal.raise_signal(signal.SIGINT)
        else:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))


def _writes(mode: object) -> bool:
    return isinstance(mode, str) and ("w" in mode or "x" in mode)
