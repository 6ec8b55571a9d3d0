"""The same proposals from a loop, from processes and from a Spark cluster, whatever dies on the way."""

from __future__ import annotations

import mmap
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session, aliased

from tests.spark.conftest import SparkCluster
from tests.store.postgres import PostgresServer
from wikibot import engine
from wikibot.demo import build_export
from wikibot.engine import cluster, map_pages, watching
from wikibot.engine.shipping import ship, shipped_function
from wikibot.engine.spark import spark_engine
from wikibot.errors import BadInput
from wikibot.fetch.export import ExportReader
from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.fetch.table import TableReader
from wikibot.steps import Step, Tell, silent
from wikibot.store import open_store
from wikibot.store.tables import Page, Suggestion
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
    command(["--export", str(demo_export)], tmp_path / "w.db", spark_cluster.master)
    assert result(tmp_path / "w.db") == result(in_a_loop)
    assert not list(tmp_path.rglob("*.spool"))


def command(source: list[str], db: Path, master: str) -> None:
    words = ["run", *source, "--engine", "spark", "--master", master]
    subprocess.run(
        [sys.executable, "-m", "wikibot", *words, "--db", str(db), "--quiet"], check=True
    )


def test_an_executor_is_killed_in_each_stage(
    demo_export: Path, in_a_loop: Path, spark_cluster: SparkCluster, tmp_path: Path
) -> None:
    struck: dict[str, int] = {}

    def strike(step: Step) -> None:
        if step.name in struck:
            return
        killed = spark_cluster.kill_executor(but=struck.values())
        if killed is not None:
            struck[step.name] = killed

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
    command(["--export", str(demo_export)], db, spark_cluster.master)
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
    command(["--export", str(export)], there / "w.db", spark_cluster.master)
    assert result(there / "w.db") == result(done(export, here))


def parquet(export: Path, path: Path, wiki: str = "demowiki") -> Path:
    """The pages of an export as a table with the columns of Wikimedia's, written by Spark itself."""
    from pyspark.sql import SparkSession

    rows = [
        (
            wiki, page.page_id, page.namespace, page.title.replace(" ", "_"), None, page.revision_id,
            {"main": (page.text, page.model)},
        )
        for page in ExportReader(export).pages()
    ]  # fmt: skip
    columns = (
        "wiki_id string, page_id long, page_namespace_id int, page_title string, "
        "page_redirect_target string, revision_id long, "
        "revision_content_slots map<string, struct<content_body: string, content_model: string>>"
    )
    session = SparkSession.getActiveSession()
    assert session is not None
    shuffled = sorted(rows, key=lambda row: hash(row[3]))
    session.createDataFrame(shuffled, columns).repartition(3).write.mode("append").parquet(
        str(path)
    )
    return path


def test_arrays_of_a_function_are_mapped_from_its_file_not_read(tmp_path: Path) -> None:
    numbers, odd = np.arange(10_000), np.arange(9, dtype=np.int8)
    path = ship(lambda place: int(numbers[place] + odd[2]), tmp_path)
    function = shipped_function(path)
    assert [function(0), function(9_999)] == [2, 10_001]
    held = [cell.cell_contents for cell in function.__closure__]
    for array in held:
        assert not array.flags.writeable
        assert np.shares_memory(array, np.frombuffer(mapped_file(array), dtype=np.uint8))


def mapped_file(array: np.ndarray) -> mmap.mmap:
    """The memory-mapped file that an array's content lies in."""
    base: Any = array
    while not isinstance(base, mmap.mmap):
        base = base.obj if isinstance(base, memoryview) else base.base
    return base


def test_a_table_is_read_as_the_export_it_was_made_of(
    demo_export: Path, in_a_loop: Path, spark_cluster: SparkCluster, tmp_path: Path
) -> None:
    with spark_engine(spark_cluster.master, tmp_path):
        table = parquet(demo_export, tmp_path / "pages.parquet")
    command(["--table", str(table), "--lang", "en"], tmp_path / "w.db", spark_cluster.master)
    assert texts(result(tmp_path / "w.db")) == texts(result(in_a_loop))


def texts(found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """What was proposed, without the checksums of the models, which the rules of the wiki are part of."""
    return [row for row in found if len(row) > 2]


def test_of_a_table_with_several_wikis_one_must_be_named(
    demo_export: Path, spark_cluster: SparkCluster, tmp_path: Path
) -> None:
    with spark_engine(spark_cluster.master, tmp_path):
        for wiki in ("demowiki", "otherwiki"):
            table = parquet(demo_export, tmp_path / "pages.parquet", wiki)
        machines = cluster()
        assert machines is not None
        with pytest.raises(BadInput, match=r"several wikis.*--wiki, such as demowiki"):
            TableReader(machines, str(table), wiki=None, language="en")
        one = TableReader(machines, str(table), wiki="demowiki", language=None)
        pages = list(one.pages())
        with pytest.raises(BadInput, match="cannot be read"):
            machines.table("no_such_table")
    assert one.header().language == "demo"
    assert pages == [replace(page, timestamp="") for page in ExportReader(demo_export).pages()]


@pytest.mark.postgres
def test_executors_write_to_postgresql_and_one_that_is_killed_leaves_no_duplicates(
    demo_export: Path,
    in_a_loop: Path,
    spark_cluster: SparkCluster,
    postgres: PostgresServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("wikibot.suggest.PAGES_PER_TRANSACTION", 2)
    monkeypatch.chdir(tmp_path)
    struck: list[int] = []

    def strike(done: int, total: int | None) -> None:
        """Kill an executor as soon as something is written and the rest is on its way."""
        if total is not None and not struck:
            struck.extend(spark_cluster.executors()[:1])
            os.kill(struck[0], signal.SIGKILL)

    with (
        open_store(postgres.new_database(), create=True) as store,
        spark_engine(spark_cluster.master, tmp_path),
    ):
        fetch_export(store, ExportOptions(demo_export, processes=1))
        train(store)
        with watching(strike):
            report = suggest(store)
        again = suggest(store)
        with store.reading() as session:
            found = proposals(session)
    assert struck
    with open_store(in_a_loop) as store, store.reading() as session:
        assert found == proposals(session)
    assert len({row[:2] for row in found}) == len(found) == report.waiting
    assert again.pages == 0 and again.new == 0
    assert len(report.proposals) == len(found)


def proposals(session: Session) -> list[tuple[Any, ...]]:
    """All that waits, by titles."""
    page, target = aliased(Page), aliased(Page)
    query = (
        select(page.title, target.title, Suggestion.start, Suggestion.wikitext, Suggestion.reasons)
        .join(page, page.id == Suggestion.page_id)
        .join(target, target.id == Suggestion.target_id)
    )
    return sorted((tuple(row) for row in session.execute(query)), key=lambda row: row[:2])
