"""Map over pages on a Spark cluster: the functions and the answers are those of the local engine.

The driver sends groups of items in batches, a few of them at a time, and takes the answers in order, so
its memory stays flat. A function travels once to each executor. What is large lies in files that all
machines see. Functions have no side effects: Spark repeats what a lost executor had not answered.
"""

from __future__ import annotations

import itertools
import os
import shutil
import sys
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from wikibot.engine.cluster import on_cluster
from wikibot.errors import BadInput, WikiUnavailable

BATCHES_AHEAD = 2  # one is answered while another is on its way
GROUPS_PER_CORE = 2  # in a batch
MOST_FAILURES = 8  # of one group, before the run is given up
MOST_FUNCTIONS = 4  # that a worker remembers

_functions: dict[str, Callable[[Any], Any]] = {}


@contextmanager
def spark_engine(master: str, folder: Path) -> Iterator[None]:
    """Map on a Spark cluster inside the block; refuses where it cannot be used.

    FOLDER must be seen by all machines of the cluster. Without a MASTER, what `spark-submit` or
    Spark's own configuration says is used.
    """
    shared = folder / f"spark-{os.getpid()}"
    session = _session(master)
    try:
        shared.mkdir(parents=True, exist_ok=True)
        with on_cluster(SparkCluster(session.sparkContext, shared)):
            yield
    finally:
        session.stop()
        shutil.rmtree(shared, ignore_errors=True)


def _session(master: str) -> Any:
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise BadInput(
            "PySpark is not installed; it is an extra. Nothing was done. Install it with: "
            "pip install 'wikibot-links[spark]'."
        ) from error
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("wikibot")
    builder = builder.config("spark.task.maxFailures", MOST_FAILURES)
    builder = builder.config("spark.ui.showConsoleProgress", False)  # wikibot tells how far it is
    try:
        return (builder.master(master) if master else builder).getOrCreate()
    except Exception as error:  # whatever Java says
        raise WikiUnavailable(
            f"The Spark cluster {master or '(of the configuration)'} cannot be used: "
            f"{str(error).splitlines()[0]} Nothing was changed."
        ) from error


class SparkCluster:
    """A Spark cluster as a place to map functions over items."""

    def __init__(self, context: Any, folder: Path) -> None:
        self._context, self.folder = context, folder

    def map(
        self, function: Callable[[Any], Any], items: Iterator[Any], at_once: int
    ) -> Iterator[Any]:
        """The answers in the order of the items, so many of which travel together."""
        from pyspark import cloudpickle

        first = next(items, _NOTHING)
        if first is _NOTHING:
            return
        sent = self._context.broadcast(cloudpickle.dumps(function))
        call = _Call(uuid.uuid4().hex, sent)
        groups = _groups(itertools.chain([first], items), at_once)
        per_batch = GROUPS_PER_CORE * int(self._context.defaultParallelism)
        waiting: deque[Future[list[list[Any]]]] = deque()
        with ThreadPoolExecutor(BATCHES_AHEAD) as threads:
            while batch := list(itertools.islice(groups, per_batch)):
                waiting.append(threads.submit(self._answers, call, batch))
                if len(waiting) > BATCHES_AHEAD:
                    yield from itertools.chain.from_iterable(waiting.popleft().result())
            while waiting:
                yield from itertools.chain.from_iterable(waiting.popleft().result())
        sent.destroy()

    def _answers(self, call: _Call, groups: list[list[Any]]) -> list[list[Any]]:
        found: list[list[Any]] = self._context.parallelize(groups, len(groups)).map(call).collect()
        return found


_NOTHING = object()


def _groups(items: Iterator[Any], size: int) -> Iterator[list[Any]]:
    while some := list(itertools.islice(items, size)):
        yield some


class _Call:
    """Calls the function that was sent for every item of a group, on an executor."""

    def __init__(self, key: str, sent: Any) -> None:
        self.key, self.sent = key, sent

    def __call__(self, group: list[Any]) -> list[Any]:
        from pyspark import cloudpickle

        if self.key not in _functions:
            if len(_functions) >= MOST_FUNCTIONS:
                _functions.clear()
            _functions[self.key] = cloudpickle.loads(self.sent.value)
        function = _functions[self.key]
        with threadpool_limits(1, user_api="blas"):
            return [function(item) for item in group]
