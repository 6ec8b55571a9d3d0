"""The same proposals from a loop, from processes and from a Spark cluster, whatever dies on the way."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.spark.conftest import SparkCluster
from wikibot import engine
from wikibot.demo import build_export
from wikibot.engine import map_pages
from wikibot.engine.spark import spark_engine
from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.steps import Step, Tell, silent
from wikibot.store import open_store
from wikibot.suggest import suggest
from wikibot.train import train

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

DATA = Path(os.environ.get("WIKIBOT_DATA", Path(__file__).parents[3] / "shared" / "data"))


@pytest.fixture(scope="session")
def demo_export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_export(tmp_path_factory.mktemp("export") / "demo.xml")


@pytest.fixture(scope="session")
def in_a_loop(demo_export: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo wiki, done in a loop: what everything else is compared with."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "WORTH_PROCESSES_ITEMS", sys.maxsize)
        return done(demo_export, tmp_path_factory.mktemp("loop"))


def done(export: Path, folder: Path, tell: Tell = silent) -> Path:
    """Fetch, train and suggest in a new database."""
    db = folder / "w.db"
    with open_store(db, create=True) as store:
        tell(Step("Fetching"))
        fetch_export(store, ExportOptions(export, processes=1))
        train(store, tell=tell)
        suggest(store, tell=tell)
    return db


def rows(db: Path, query: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(db)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def result(db: Path) -> list[tuple[Any, ...]]:
    """All that was proposed, and the checksums of what was learned."""
    columns = "page_id, target_id, revision_id, start, wikitext, probability, reasons, state"
    models = rows(db, "SELECT kind, sha256 FROM models WHERE kind != 'crtm' ORDER BY kind")
    return models + rows(db, f"SELECT {columns} FROM suggestions ORDER BY page_id, target_id")


def test_processes_propose_what_a_loop_proposes(
    demo_export: Path, in_a_loop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "WORTH_PROCESSES_ITEMS", 10)
    assert result(done(demo_export, tmp_path)) == result(in_a_loop)


def test_the_command_on_a_cluster_proposes_what_a_loop_proposes(
    demo_export: Path, in_a_loop: Path, spark_cluster: SparkCluster, tmp_path: Path
) -> None:
    command(demo_export, tmp_path / "w.db", spark_cluster.master)
    assert result(tmp_path / "w.db") == result(in_a_loop)
    assert not list(tmp_path.rglob("*.spool"))


def command(export: Path, db: Path, master: str) -> None:
    words = ["run", "--export", str(export), "--engine", "spark", "--master", master]
    subprocess.run(
        [sys.executable, "-m", "wikibot", *words, "--db", str(db), "--quiet"], check=True
    )


def test_an_executor_is_killed_in_each_stage(
    demo_export: Path, in_a_loop: Path, spark_cluster: SparkCluster, tmp_path: Path
) -> None:
    struck: dict[str, int] = {}

    def strike(step: Step) -> None:
        for pid in spark_cluster.executors()[:1]:
            os.kill(pid, signal.SIGKILL)
            struck[step.name] = pid

    with spark_engine(spark_cluster.master, tmp_path):
        list(map_pages(str, range(4)))  # now the executors are there
        db = done(demo_export, tmp_path, strike)
    assert len(struck) >= 4
    assert result(db) == result(in_a_loop)


def test_a_job_that_was_stopped_is_taken_up_again(
    demo_export: Path, in_a_loop: Path, spark_cluster: SparkCluster, tmp_path: Path
) -> None:
    db = tmp_path / "w.db"

    def stop(step: Step) -> None:
        if step.name.startswith("Looking"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), spark_engine(spark_cluster.master, tmp_path):
        done(demo_export, tmp_path, stop)
    assert not rows(db, "SELECT * FROM suggestions")
    command(demo_export, db, spark_cluster.master)
    assert result(db) == result(in_a_loop)


def test_a_worker_is_lost_for_good(
    demo_export: Path, in_a_loop: Path, spark_cluster: SparkCluster, tmp_path: Path
) -> None:
    lost = spark_cluster.start_worker()

    def strike(step: Step) -> None:
        if step.name.startswith("Counting"):
            os.killpg(lost.pid, signal.SIGKILL)

    with spark_engine(spark_cluster.master, tmp_path):
        list(map_pages(str, range(6)))
        db = done(demo_export, tmp_path, strike)
    assert lost.wait() == -signal.SIGKILL
    assert result(db) == result(in_a_loop)


@pytest.mark.slow
@pytest.mark.skipif(not DATA.exists(), reason="the real exports are not there")
def test_a_real_wiki_is_the_same_on_a_cluster(spark_cluster: SparkCluster, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    shutil.copytree(here, there)
    export = DATA / "ltg.xml.bz2"
    command(export, there / "w.db", spark_cluster.master)
    assert result(there / "w.db") == result(done(export, here))
