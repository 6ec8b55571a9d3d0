"""A fetch in a process of its own, forked from a warm one, that kills itself before a step.

A step is a statement or a commit on its way to the database. Batches are small, so that there are
many of them.
"""

from __future__ import annotations

import os
import signal
from multiprocessing.connection import Connection
from pathlib import Path

from tests.crash.publisher import context


def fetch(db: Path, export: Path, last: int = 0) -> tuple[int, int]:
    """The exit code and how many steps there were; a process that dies at step LAST tells none."""
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_in_child, args=(db, export, last, theirs))
    process.start()
    theirs.close()
    process.join(timeout=120)
    assert process.exitcode is not None, "the fetch hangs"
    return process.exitcode, ours.recv() if process.exitcode == 0 else 0


def _in_child(db: Path, export: Path, last: int, theirs: Connection) -> None:
    from sqlalchemy import Engine, event

    from wikibot.fetch import writer
    from wikibot.fetch.from_export import ExportOptions, fetch_export
    from wikibot.store import open_store

    steps = 0

    def step(*_: object) -> None:
        nonlocal steps
        steps += 1
        if steps == last:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", step)
    event.listen(Engine, "commit", step)
    writer.COMMIT_PAGES = writer.LOOK_UP = 4
    with open_store(db, create=True) as store:
        fetch_export(store, ExportOptions(export, processes=1))
    theirs.send(steps)
