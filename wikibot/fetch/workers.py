"""Pages read by several processes, in order; a page that hangs or crashes one harms only itself.

A worker that takes too long over a page is ended by its own alarm, at the operating system's hand:
the parser is C code that no Python exception reaches.
"""

from __future__ import annotations

import marshal
import multiprocessing
import resource
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import TracebackType

from wikibot.errors import BadInput
from wikibot.fetch.analyse import Analysis, analyse
from wikibot.fetch.source import SourcePage
from wikibot.wikitext.rules import SiteRules

SECONDS_PER_PAGE = 20
MEMORY_LIMIT = 4 << 30
BATCH_CHARACTERS = 250_000
BATCH_PAGES = 100
BATCHES_AHEAD = 6  # per worker: a page that takes its time does not hold up the others


@dataclass(slots=True)
class _Batch:
    pages: list[SourcePage]
    answers: list[Analysis] = field(default_factory=list)

    def is_complete(self) -> bool:
        return len(self.answers) == len(self.pages)


class Workers:
    """Processes that read pages by the rules of one wiki, for the bot USER."""

    def __init__(
        self,
        rules: SiteRules,
        processes: int,
        *,
        user: str = "",
        seconds_per_page: float = SECONDS_PER_PAGE,
    ) -> None:
        self._rules, self._user, self._seconds = rules.to_json(), user, seconds_per_page
        self._context = multiprocessing.get_context("spawn")
        self._processes: dict[Connection, BaseProcess] = {}
        self._busy: dict[Connection, _Batch] = {}
        self._count = max(1, processes)

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _e: BaseException | None, _t: TracebackType | None
    ) -> None:
        """No process is left."""
        for connection, process in self._processes.items():
            connection.close()
            if connection in self._busy:
                process.terminate()
            process.join()
        self._processes.clear()

    def read(self, pages: Iterable[SourcePage]) -> Iterator[tuple[SourcePage, Analysis]]:
        """Every page with what is in it, in the order of PAGES."""
        waiting: deque[_Batch] = deque()
        for batch in _batches(pages):
            waiting.append(batch)
            self._send(self._idle(), batch)
            yield from self._finished(waiting, at_most=self._count * BATCHES_AHEAD)
        yield from self._finished(waiting, at_most=0)

    def _finished(
        self, waiting: deque[_Batch], *, at_most: int
    ) -> Iterator[tuple[SourcePage, Analysis]]:
        while waiting and (waiting[0].is_complete() or len(waiting) > at_most):
            while not waiting[0].is_complete():
                self._listen()
            batch = waiting.popleft()
            yield from zip(batch.pages, batch.answers, strict=True)

    def _idle(self) -> Connection:
        """A worker with nothing to do, as soon as there is one."""
        while len(self._processes) < self._count:
            self._start()
        while True:
            for connection in self._processes:
                if connection not in self._busy:
                    return connection
            self._listen()

    def _start(self) -> Connection:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(
            target=_work, args=(theirs, self._rules, self._user, self._seconds), daemon=True
        )
        process.start()
        theirs.close()
        self._processes[ours] = process
        return ours

    def _send(self, connection: Connection, batch: _Batch) -> None:
        self._busy[connection] = batch
        rest = batch.pages[len(batch.answers) :]
        try:
            connection.send_bytes(marshal.dumps([(p.title, p.text or "") for p in rest]))
        except OSError:
            self._bury(connection)

    def _listen(self) -> None:
        """At least one answer, or one death, has been taken note of."""
        for ready in wait(list(self._busy)):
            assert isinstance(ready, Connection)
            try:
                answer = marshal.loads(ready.recv_bytes())
            except (EOFError, OSError):
                self._bury(ready)
                continue
            batch = self._busy[ready]
            batch.answers.append(Analysis(*answer))
            if batch.is_complete():
                del self._busy[ready]

    def _bury(self, connection: Connection) -> None:
        """The page that a worker died of has that as its problem; another takes over the rest."""
        batch, process = self._busy.pop(connection), self._processes.pop(connection)
        connection.close()
        process.join()
        code = process.exitcode
        if code is not None and code > 0 and not batch.answers:
            raise BadInput(f"A reading process could not start (code {code}). Nothing was changed.")
        seconds = f"The page took longer than {self._seconds:g} s to read and is skipped."
        crashed = "The wikitext parser crashed on the page, which is skipped."
        batch.answers.append(Analysis(seconds if code == -signal.SIGALRM else crashed))
        if not batch.is_complete():
            self._send(self._start(), batch)


def _batches(pages: Iterable[SourcePage]) -> Iterator[_Batch]:
    some: list[SourcePage] = []
    size = 0
    for page in pages:
        some.append(page)
        size += len(page.text or "")
        if size >= BATCH_CHARACTERS or len(some) >= BATCH_PAGES:
            yield _Batch(some)
            some, size = [], 0
    if some:
        yield _Batch(some)


def _analysed(title: str, text: str, rules: SiteRules, user: str) -> Analysis:
    """What is in the page; trouble of any kind is the page's problem, never the run's."""
    try:
        return analyse(title, text, rules, user=user)
    except Exception as error:
        return Analysis(f"The page could not be read ({type(error).__name__}: {error}).")


def _work(connection: Connection, rules_json: str, user: str, seconds: float) -> None:
    """A worker's life: a batch comes, its pages go back one by one, until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    rules = SiteRules.from_json(rules_json)
    try:
        while True:
            for title, text in marshal.loads(connection.recv_bytes()):
                signal.setitimer(signal.ITIMER_REAL, seconds)
                answer = _analysed(title, text, rules, user)
                signal.setitimer(signal.ITIMER_REAL, 0)
                connection.send_bytes(marshal.dumps(tuple(answer)))
    except (EOFError, BrokenPipeError):
        return
