"""A real stand-alone Spark cluster: one master and two workers, each a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.store.postgres import PostgresServer, postgres_server

ADDRESS = re.compile(r"Starting Spark master at (spark://\S+)")
READY = re.compile(r"Successfully registered with master")
EXECUTOR = "CoarseGrainedExecutorBackend"


@dataclass
class SparkCluster:
    """The processes of a cluster, and the address of its master."""

    folder: Path
    processes: list[subprocess.Popen[str]] = field(default_factory=list)
    master: str = ""

    def start(self, kind: str, *arguments: str, until: re.Pattern[str]) -> re.Match[str]:
        """Start a master or a worker, and wait until it says that it is ready."""
        import pyspark

        script = Path(pyspark.__file__).parent / "bin" / "spark-class"
        name = f"org.apache.spark.deploy.{kind.lower()}.{kind}"
        process = subprocess.Popen(
            [str(script), name, "--host", "127.0.0.1", "--webui-port", "0", *arguments],
            env={**os.environ, "SPARK_DAEMON_MEMORY": "256m", "SPARK_LOCAL_IP": "127.0.0.1"},
            cwd=self.folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
            start_new_session=True,
        )  # fmt: skip
        self.processes.append(process)
        assert process.stderr is not None
        for line in process.stderr:
            if found := until.search(line):
                log = self.folder / f"{kind}-{process.pid}.log"
                # Nobody reads on: what it says from now on must not fill the pipe.
                subprocess.Popen(["cat"], stdin=process.stderr, stdout=log.open("w"))
                return found
        raise AssertionError(f"{kind} ended with code {process.wait()}")

    def start_worker(self) -> subprocess.Popen[str]:
        """One more worker with one core."""
        folder = self.folder / f"work-{len(self.processes)}"
        arguments = ("--cores", "1", "--memory", "1g", "--work-dir", str(folder), self.master)
        self.start("Worker", *arguments, until=READY)
        return self.processes[-1]

    def executors(self) -> list[int]:
        """The process ids of the executors of this cluster."""
        ours = {os.getpgid(process.pid) for process in self.processes if process.poll() is None}
        there = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
        return [pid for pid in there if _is_executor(pid, ours)]

    def kill_executor(self, but: Collection[int] = ()) -> int | None:
        """Kill one executor that was not killed before; None while no other one is up."""
        for pid in set(self.executors()).difference(but):
            with suppress(ProcessLookupError):  # it ended since it was listed
                os.kill(pid, signal.SIGKILL)
                return pid
        return None

    def stop(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _is_executor(pid: int, groups: set[int]) -> bool:
    try:
        said = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
        return EXECUTOR in said and os.getpgid(pid) in groups
    except (OSError, ProcessLookupError):
        return False


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A server that executors can reach."""
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def spark_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkCluster]:
    """A cluster with two workers of one core each."""
    cluster = SparkCluster(tmp_path_factory.mktemp("spark"))
    small = "--driver-memory 512m --conf spark.executor.memory=512m --conf spark.ui.enabled=false"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_SUBMIT_ARGS", f"{small} pyspark-shell")
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        try:
            found = cluster.start("Master", "--port", "0", until=ADDRESS)
            cluster.master = found[1]
            for _ in range(2):
                cluster.start_worker()
            yield cluster
        finally:
            cluster.stop()
