"""Pages read by several processes, in order; a page that hangs or crashes one harms only itself.

A worker that computes too long over a page is ended by its own alarm, at the operating system's hand:
the parser is C code that no Python exception reaches.
"""

from __future__ import annotations

import marshal
import multiprocessing
import os
import resource
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, NamedTuple

from wikibot.engine import cluster, map_pages
from wikibot.errors import BadInput, BadWikitext
from wikibot.source import SourcePage
from wikibot.wikitext.rules import SiteRules

SECONDS_PER_PAGE = 5  # of computing: a busy machine is not a page's fault
MEMORY_LIMIT = 4 << 30
BATCH_CHARACTERS = 250_000
BATCH_PAGES = 100
BATCHES_AHEAD = 6  # per worker: a page that takes its time does not hold up the others

# What is done to a page: a function of a module, given title, text and rules. Its answer is made
# of tuples, lists, strings and numbers alone, which travel between processes as they are.
Task = Callable[[str, str, SiteRules], Any]


class Answer(NamedTuple):
    """A page with what the task made of it, or with the problem that prevented it."""

    page: SourcePage
    problem: str | None
    value: Any


@dataclass(slots=True)
class _Batch:
    pages: list[SourcePage]
    answers: list[Answer] = field(default_factory=list)

    def is_complete(self) -> bool:
        return len(self.answers) == len(self.pages)

    def add(self, problem: str | None, value: Any) -> None:
        self.answers.append(Answer(self.pages[len(self.answers)], problem, value))


class Workers:
    """Processes that do one task to pages, by the rules of one wiki; 0 means one for each core."""

    def __init__(
        self,
        task: Task,
        rules: SiteRules,
        processes: int = 0,
        *,
        seconds_per_page: float = SECONDS_PER_PAGE,
    ) -> None:
        self._task, self._rules, self._seconds = task, rules.to_json(), seconds_per_page
        self._context = multiprocessing.get_context("spawn")
        self._processes: dict[Connection, BaseProcess] = {}
        self._busy: dict[Connection, _Batch] = {}
        self._count = processes or os.cpu_count() or 1

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        """No process is left."""
        for connection, process in self._processes.items():
            connection.close()
            if connection in self._busy:
                process.terminate()
        for process in self._processes.values():
            process.join()
        self._processes.clear()
        self._busy.clear()

    def read(self, pages: Iterable[SourcePage]) -> Iterator[Answer]:
        """An answer for every page, in the order of PAGES; on a cluster, its machines read them."""
        if cluster() is not None:
            yield from self._read_on_cluster(pages)
            return
        waiting: deque[_Batch] = deque()
        for batch in _batches(self._started(pages)):
            waiting.append(batch)
            self._send(self._idle(), batch)
            yield from self._finished(waiting, at_most=self._count * BATCHES_AHEAD)
        yield from self._finished(waiting, at_most=0)

    def _read_on_cluster(self, pages: Iterable[SourcePage]) -> Iterator[Answer]:
        sent: deque[_Batch] = deque()

        def texts() -> Iterator[list[tuple[str, str]]]:
            for batch in _batches(pages):
                sent.append(batch)
                yield [(page.title, page.text or "") for page in batch.pages]

        read = _ReadThere(self._task, self._rules, self._seconds)
        for answers in map_pages(read, texts(), at_once=1):
            for page, (problem, value) in zip(sent.popleft().pages, answers, strict=True):
                yield Answer(page, problem, value)

    def _started(self, pages: Iterable[SourcePage]) -> Iterator[SourcePage]:
        """The same pages; all processes start with the first one, while more are on their way."""
        for page in pages:
            while len(self._processes) < self._count:
                self._start()
            yield page

    def _finished(self, waiting: deque[_Batch], *, at_most: int) -> Iterator[Answer]:
        while waiting and (waiting[0].is_complete() or len(waiting) > at_most):
            while not waiting[0].is_complete():
                self._listen()
            yield from waiting.popleft().answers

    def _idle(self) -> Connection:
        """A worker with nothing to do, as soon as there is one."""
        while True:
            for connection in self._processes:
                if connection not in self._busy:
                    return connection
            self._listen()

    def _start(self) -> Connection:
        ours, theirs = self._context.Pipe()
        arguments = (theirs, self._task, self._rules, self._seconds)
        process = self._context.Process(target=_work, args=arguments, daemon=True)
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
                problem, value = marshal.loads(ready.recv_bytes())
            except (EOFError, OSError):
                self._bury(ready)
                continue
            batch = self._busy[ready]
            batch.add(problem, value)
            if batch.is_complete():
                del self._busy[ready]

    def _bury(self, connection: Connection) -> None:
        """The page that a worker died of has that as its problem; another takes over the rest."""
        batch, process = self._busy.pop(connection), self._processes.pop(connection)
        connection.close()
        process.join()
        if (process.exitcode or 0) > 0:
            raise BadInput(
                f"A reading process ended with code {process.exitcode}. "
                "What was read before is kept; run the same command again."
            )
        slow = f"The page took longer than {self._seconds:g} s to read. It is skipped."
        crash = "The wikitext parser crashed on the page. It is skipped."
        batch.add(slow if process.exitcode == -signal.SIGPROF else crash, None)
        if not batch.is_complete():
            self._send(self._start(), batch)


_there: dict[str, Workers] = {}  # of a machine of a cluster, kept for the next batch


@dataclass(frozen=True, slots=True)
class _ReadThere:
    """Reads a batch on a machine of a cluster, in a process that a bad page may end."""

    task: Task
    rules: str
    seconds: float

    def __call__(self, texts: list[tuple[str, str]]) -> list[tuple[str | None, Any]]:
        key = repr(self)
        if key not in _there:
            rules = SiteRules.from_json(self.rules)
            _there[key] = Workers(self.task, rules, 1, seconds_per_page=self.seconds)
        pages = [SourcePage(n, title, 0, 0, "", text) for n, (title, text) in enumerate(texts)]
        return [(answer.problem, answer.value) for answer in _there[key].read(pages)]


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


def _work(connection: Connection, task: Task, rules_json: str, seconds: float) -> None:
    """A worker's life: a batch comes, its pages go back one by one, until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    rules = SiteRules.from_json(rules_json)
    try:
        while True:
            for title, text in marshal.loads(connection.recv_bytes()):
                signal.setitimer(signal.ITIMER_PROF, seconds)
                answer = _answer(task, title, text, rules)
                signal.setitimer(signal.ITIMER_PROF, 0)
                connection.send_bytes(marshal.dumps(answer))
    except (EOFError, OSError):
        return


def _answer(task: Task, title: str, text: str, rules: SiteRules) -> tuple[str | None, Any]:
    """(problem, value); trouble of any kind is the page's problem, never the run's."""
    try:
        return None, task(title, text, rules)
    except BadWikitext as error:
        return str(error), None
    except Exception as error:
        return f"The page could not be read ({type(error).__name__}: {error}).", None
