"""python -m tests.crash.killed_fetch DB EXPORT N: fetches, and kills itself before step N.

A step is a statement or a commit on its way to the database. N = 0 lives on and prints how many
steps there were. Batches are small, so that there are many of them.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from sqlalchemy import Engine, event

from wikibot.fetch import writer
from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.store import open_store

steps = 0


def main(db: Path, export: Path, last: int) -> None:
    def step(*_: object) -> None:
        global steps
        steps += 1
        if steps == last:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", step)
    event.listen(Engine, "commit", step)
    writer.COMMIT_PAGES = writer.LOOK_UP = 4
    with open_store(db, create=True) as store:
        fetch_export(store, ExportOptions(export, processes=1))
    print(steps)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
