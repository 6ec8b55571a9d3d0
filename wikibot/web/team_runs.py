"""Publishing that people of the service have ordered: each order in a process of its own.

pywikibot has one account in a process, and a token is nobody else's business: it goes to the
process through a pipe and is gone with it. The process goes on if the service is stopped; if it is
killed as well, the outbox knows what was sent, and the next save looks in the wiki's history first.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from threading import Thread
from typing import IO

from wikibot.config import load_settings
from wikibot.errors import WikiUnavailable
from wikibot.message import message
from wikibot.publish import saving
from wikibot.publish.publisher import WikiLogin
from wikibot.publish.saving import Order
from wikibot.site.bearer import BearerLogin
from wikibot.store import Session, Store, open_store, runs
from wikibot.store.runs import RecordedRun, settle_ended, settle_killed

# So long an order waits while others are being carried out.
TURN_S = 600


class RunsInProcess:
    """One order at a time for each person; those of several people wait for each other."""

    def begin(self, store: Store, order: Order, login: WikiLogin) -> int:
        """Refuses while another order of the same person is being carried out."""
        assert isinstance(login, BearerLogin), "the service acts for people who have logged in"
        with store.reading() as session:
            latest = [run for kind in saving.KINDS for run in _running(session, kind)]
        if any(saving.order_of(run).ordered_by == order.ordered_by for run in latest):
            raise WikiUnavailable(message("last-order-goes-on"))
        run = saving.start(store, order)
        where = store.url.render_as_string(hide_password=False)
        told = {"where": where, "run": run.id, "login": asdict(login)}
        process = _start(json.dumps(told).encode())
        Thread(target=_see_it_end, args=(process, store, run.id), daemon=True).start()
        return run.id

    def settle(self, store: Store) -> None:
        """Called once, before the service answers."""
        settle_killed(store, saving.KINDS)


def _running(session: Session, kind: str) -> list[runs.RunRow]:
    return [run for run in runs.latest_runs(session, command=kind) if run.state == "running"]


def _see_it_end(process: subprocess.Popen[bytes], store: Store, run_id: int) -> None:
    """No dead process is left, and nobody waits for one that was killed."""
    process.wait()
    settle_ended(store, run_id)


def _start(told: bytes) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-m", "wikibot.web.team_runs"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdin is not None
    with process.stdin as pipe:
        pipe.write(told)
    return process


def carry_out(given: IO[bytes]) -> None:
    """The order that stands in the database is carried out with the login from the pipe."""
    told = json.load(given)
    with tempfile.TemporaryDirectory() as home:
        _keep_apart(Path(home))
        with open_store(told["where"]) as store:
            with store.reading() as session:
                row = runs.run_by_id(session, told["run"])
            assert row is not None, "the row is there before the process"
            saving.carry_out(
                store,
                load_settings(turn_s=TURN_S),
                BearerLogin(**told["login"]),
                saving.order_of(row),
                RecordedRun(store, row.id),
            )


def _keep_apart(home: Path) -> None:
    """pywikibot finds no other account's files, and leaves nothing behind."""
    (home / "user-config.py").write_text("family = 'wikipedia'\nmylang = 'test'\n")
    (home / "user-config.py").chmod(0o600)
    os.environ["PYWIKIBOT_DIR"] = str(home)


if __name__ == "__main__":
    carry_out(sys.stdin.buffer)
