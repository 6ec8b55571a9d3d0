"""Map over pages on a Spark cluster: the functions and the answers are those of the local engine.

The driver sends groups of items in batches, a few of them at a time, and takes the answers in order, so
its memory stays flat. A function lies in a file that all machines see, with the arrays it holds: executors
memory-map them, so that those of one machine share them. Spark repeats what a lost executor had not
answered, so a function's effects, if it has any, must be the same when it is called again.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from wikibot.engine.cluster import on_cluster
from wikibot.engine.shipping import ship, shipped_function
from wikibot.errors import BadInput, WikiUnavailable

BATCHES_AHEAD = 2  # one is answered while another is on its way
GROUPS_PER_CORE = 2  # in a batch
MOST_FAILURES = 8  # of one group, before the run is given up
MOST_FUNCTIONS = 4  # that a worker remembers

_COLUMN = re.compile(r"(?P<name>\w+)(\['\w+'\])?(\.(?P<part>\w+))?")
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
        with on_cluster(SparkCluster(session, shared)):
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

    def __init__(self, session: Any, folder: Path) -> None:
        self._session, self._context, self.folder = session, session.sparkContext, folder

    def map(
        self, function: Callable[[Any], Any], items: Iterator[Any], at_once: int
    ) -> Iterator[Any]:
        """The answers in the order of the items, so many of which travel together."""
        first = next(items, _NOTHING)
        if first is _NOTHING:
            return
        shipped = ship(function, self.folder)
        call = _Call(str(shipped))
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
        shipped.unlink()

    def _answers(self, call: _Call, groups: list[list[Any]]) -> list[list[Any]]:
        found: list[list[Any]] = self._context.parallelize(groups, len(groups)).map(call).collect()
        return found

    def table(self, name: str) -> SparkTable:
        """A table by its name, or a folder or file of Parquet; refuses what is not there."""
        is_path = "/" in name or name.endswith(".parquet")
        read = self._session.read
        return SparkTable(
            name, _asked(name, lambda: read.parquet(name) if is_path else read.table(name))
        )


class SparkTable:
    """A table that Spark reads."""

    def __init__(self, name: str, frame: Any) -> None:
        self._name, self._frame = name, frame

    def has(self, column: str) -> bool:
        """Is there such a column? A column of a part is written as in SQL: `slots['main'].text`."""
        found = _COLUMN.fullmatch(column)
        if found is None or found["name"] not in self._frame.columns:
            return False
        kind = self._frame.schema[found["name"]].dataType
        kind = getattr(kind, "valueType", kind)  # of a map: what it maps to
        return not found["part"] or found["part"] in kind.names

    def values(self, column: str, *, most: int) -> list[str]:
        """The different values of a column, at most so many, sorted."""
        found = self._frame.select(column).distinct().limit(most).collect()
        return sorted(str(row[0]) for row in found)

    def rows(
        self, columns: Mapping[str, str], *, where: Mapping[str, str], order: str
    ) -> Iterator[dict[str, Any]]:
        """Rows with these columns under new names, of these values, in this order, as a stream."""
        from pyspark.sql import functions

        frame = self._frame
        for name, value in where.items():
            frame = frame.where(functions.col(name) == value)
        chosen = [functions.expr(column).alias(name) for name, column in columns.items()]
        frame = _asked(self._name, lambda: frame.orderBy(order).select(*chosen))
        for row in frame.toLocalIterator(prefetchPartitions=True):
            yield row.asDict()


def _asked(name: str, ask: Callable[[], Any]) -> Any:
    """What Spark answers; refuses where the table or a column is not there."""
    from pyspark.errors import AnalysisException

    try:
        return ask()
    except AnalysisException as error:
        raise BadInput(
            f"The table {name} cannot be read: {str(error).splitlines()[0]} Nothing was read."
        ) from error


_NOTHING = object()


def _groups(items: Iterator[Any], size: int) -> Iterator[list[Any]]:
    while some := list(itertools.islice(items, size)):
        yield some


class _Call:
    """Calls the function that was shipped for every item of a group, on an executor."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __call__(self, group: list[Any]) -> list[Any]:
        if self.path not in _functions:
            if len(_functions) >= MOST_FUNCTIONS:
                _functions.clear()
            _functions[self.path] = shipped_function(Path(self.path))
        function = _functions[self.path]
        with threadpool_limits(1, user_api="blas"):
            return [function(item) for item in group]
