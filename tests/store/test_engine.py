"""The database is opened so that nothing can be lost or half written."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from sqlalchemy import func, insert, select, text, update
from sqlalchemy.exc import IntegrityError, InternalError

from tests.store.filled import fill, row_counts
from wikibot.errors import BadInput, StoreError
from wikibot.store import Store, engine, open_store
from wikibot.store.health import examine
from wikibot.store.pages import wikis
from wikibot.store.runs import latest_runs
from wikibot.store.tables import Link, Page

REPOSITORY = Path(__file__).parents[2]


def pragma(store: Store, name: str) -> object:
    with store.writer.connect() as connection:
        return connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()


def test_sqlite_is_set_up_to_keep_what_it_is_given(sqlite_store: Store) -> None:
    assert pragma(sqlite_store, "foreign_keys") == 1
    assert pragma(sqlite_store, "synchronous") == 2  # FULL
    assert pragma(sqlite_store, "cache_size") == -engine.CACHE_KB
    assert pragma(sqlite_store, "busy_timeout") == engine.BUSY_TIMEOUT_MS
    is_safe = sqlite3.sqlite_version_info >= (3, 51, 3)
    assert pragma(sqlite_store, "journal_mode") == ("wal" if is_safe else "delete")


def test_readers_cannot_write(store: Store) -> None:
    fill(store)
    before = row_counts(store)
    with (
        pytest.raises((StoreError, InternalError)),
        store.reading() as session,
    ):
        session.execute(update(Page).values(title="x"))
    with store.reading() as session:
        assert session.execute(select(func.count()).where(Page.title == "x")).scalar_one() == 0
    assert row_counts(store) == before


def test_a_block_that_fails_leaves_nothing_behind(store: Store) -> None:
    fill(store)
    before = row_counts(store)

    class Stop(Exception):
        pass

    with pytest.raises(Stop), store.writing() as session:
        session.execute(update(Page).values(title=Page.title + "x"))
        raise Stop
    with store.reading() as session:
        titles = session.execute(select(Page.title).order_by(Page.id)).scalars().all()
    assert titles == ["Page 1", "Page 2", "Page 3"]
    assert row_counts(store) == before


def test_deleting_a_page_takes_its_links_and_frees_those_to_it(store: Store) -> None:
    fill(store)
    with store.writing() as session:
        session.execute(text("DELETE FROM pages WHERE title = 'Page 1'"))
    with store.reading() as session:
        assert session.execute(select(Link.target_id)).scalars().all() == [None, None]
        assert session.execute(select(func.count()).select_from(Page)).scalar_one() == 2


def test_a_link_needs_a_page_and_a_span_a_length(store: Store) -> None:
    fill(store)
    row = {
        "target_title": "A",
        "anchor": "A",
        "start": 0,
        "end": 5,
        "anchor_start": 0,
        "anchor_end": 1,
        "sentence_start": 0,
        "sentence_end": 5,
        "in_prose": True,
    }
    with pytest.raises(IntegrityError), store.writing() as session:
        session.execute(insert(Link).values(page_id=999, **row))
    with pytest.raises(IntegrityError), store.writing() as session:
        session.execute(insert(Link).values(page_id=1, **{**row, "end": 0}))


def test_a_title_is_there_once_in_each_wiki(store: Store) -> None:
    fill(store)
    with pytest.raises(IntegrityError), store.writing() as session:
        session.execute(text("UPDATE pages SET title = 'Page 1'"))


def test_writers_begin_at_once_so_that_reading_then_writing_cannot_fail(
    sqlite_store: Store,
) -> None:
    """Two threads that read a number, add one and write it: no addition may be lost."""
    fill(sqlite_store)
    trouble: list[BaseException] = []

    def add_many() -> None:
        try:
            for _ in range(20):
                with sqlite_store.writing() as session:
                    seen = session.execute(
                        select(Page.revision_id).where(Page.id == 1)
                    ).scalar_one()
                    session.execute(update(Page).where(Page.id == 1).values(revision_id=seen + 1))
        except BaseException as error:
            trouble.append(error)

    with sqlite_store.reading() as session:
        before = session.execute(select(Page.revision_id).where(Page.id == 1)).scalar_one()
    threads = [threading.Thread(target=add_many) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert trouble == []
    with sqlite_store.reading() as session:
        after = session.execute(select(Page.revision_id).where(Page.id == 1)).scalar_one()
    assert after == before + 40


ADD = """
import sys
from sqlalchemy import select, update
from wikibot.store import open_store
from wikibot.store.tables import Page
with open_store(sys.argv[1]) as store:
    for _ in range(30):
        with store.writing() as session:
            seen = session.execute(select(Page.revision_id).where(Page.id == 1)).scalar_one()
            session.execute(update(Page).where(Page.id == 1).values(revision_id=seen + 1))
"""


def test_two_processes_write_one_after_the_other(sqlite_store: Store) -> None:
    fill(sqlite_store)
    command = [sys.executable, "-c", ADD, str(sqlite_store.path)]
    processes = [subprocess.Popen(command, cwd=REPOSITORY) for _ in range(2)]
    assert [process.wait(timeout=120) for process in processes] == [0, 0]
    with sqlite_store.reading() as session:
        revision = session.execute(select(Page.revision_id).where(Page.id == 1)).scalar_one()
    assert revision == 101 + 60


def test_a_locked_database_is_told_in_a_sentence(
    sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(sqlite_store)
    monkeypatch.setattr(engine, "BUSY_TIMEOUT_MS", 50)
    with (
        open_store(str(sqlite_store.path)) as other,
        sqlite_store.writing(),
        pytest.raises(StoreError, match="is in use by another process"),
        other.writing(),
    ):
        pass


def test_a_full_disk_is_told_and_the_last_step_undone(sqlite_store: Store) -> None:
    fill(sqlite_store)
    before = row_counts(sqlite_store)
    with pytest.raises(StoreError, match="The disk is full"), sqlite_store.writing() as session:
        pages = session.connection().exec_driver_sql("PRAGMA page_count").scalar_one()
        session.connection().exec_driver_sql(f"PRAGMA max_page_count = {pages}")
        session.execute(update(Page).values(wikitext="x" * 1_000_000))
    assert row_counts(sqlite_store) == before


FILL_UP = """
import resource, signal, sys
from sqlalchemy import update
from wikibot.errors import StoreError
from wikibot.store import open_store
from wikibot.store.tables import Page
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
with open_store(sys.argv[1]) as store:
    try:
        with store.writing() as session:
            session.execute(update(Page).values(wikitext="x" * 1_000_000))
    except StoreError as error:
        print(error)
"""


def test_a_file_that_may_not_grow_is_told_and_stays_sound(sqlite_store: Store) -> None:
    fill(sqlite_store)
    command = [sys.executable, "-c", FILL_UP, str(sqlite_store.path)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=60)
    assert "could not be written" in done.stdout or "The last step was undone" in done.stdout
    assert done.stderr == ""
    with sqlite_store.reading() as session:
        lengths = session.execute(select(func.length(Page.wikitext))).scalars().all()
    assert max(lengths) < 100
    assert pragma(sqlite_store, "integrity_check") == "ok"


def test_a_file_that_is_no_database_is_refused_and_untouched(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("These are my notes. " * 200)
    with pytest.raises(StoreError, match="is not a database of this program"):
        open_store(path)
    assert path.read_text() == "These are my notes. " * 200


def test_a_database_of_another_program_is_refused_and_untouched(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE songs (name)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="tables of another program"):
        open_store(path, create=True)
    assert path.read_bytes() == before


def test_a_missing_database_or_folder_is_refused_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="Run `wikibot fetch` first"):
        open_store(tmp_path / "none.db")
    with pytest.raises(StoreError, match="does not exist, so no database was made"):
        open_store(tmp_path / "no" / "folder.db", create=True)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_database_is_told(sqlite_store: Store) -> None:
    fill(sqlite_store, pages=200)
    path = sqlite_store.path
    assert path is not None
    sqlite_store.close()
    content = bytearray(path.read_bytes())
    content[4096 * 3 :] = os.urandom(len(content) - 4096 * 3)
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"is damaged|refused"):
        fill(sqlite_store)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to any file")
def test_a_file_without_permission_to_write_can_be_read(sqlite_store: Store) -> None:
    fill(sqlite_store)
    path = sqlite_store.path
    assert path is not None
    path.chmod(stat.S_IRUSR)
    with open_store(path) as store:
        assert row_counts(store)["pages"] == 3
        with pytest.raises(StoreError, match="may not be written to"), store.writing():
            pass


def test_many_rows_go_in_whatever_the_driver_is(store: Store) -> None:
    from wikibot.store.bulk import insert_rows
    from wikibot.store.tables import Category

    fill(store)
    with store.writing() as session:
        insert_rows(session, Category, ("wiki_id", "title"), [(1, "%s ?"), (1, ":a é 𝔘")])
        insert_rows(session, Category, ("wiki_id", "title"), [])
    with store.reading() as session:
        titles = session.execute(select(Category.title)).scalars().all()
    assert {"%s ?", ":a é 𝔘"} < set(titles)


def test_times_are_utc_and_aware_on_every_database(store: Store) -> None:
    fill(store)
    with store.reading() as session:
        moment = session.execute(select(Page.timestamp).limit(1)).scalar_one()
    assert moment is not None
    assert moment.isoformat() == "2024-05-06T07:08:09+00:00"


def test_a_password_in_the_address_is_never_told(monkeypatch: pytest.MonkeyPatch) -> None:
    address = "postgresql+psycopg://me:secret@127.0.0.1:1/none?connect_timeout=1"
    with pytest.raises(StoreError) as error:
        open_store(address)
    assert "secret" not in str(error.value)
    assert "127.0.0.1" in str(error.value)


def test_models_live_in_a_folder_beside_the_database(sqlite_store: Store) -> None:
    assert sqlite_store.path is not None
    assert sqlite_store.folder == sqlite_store.path.parent / "wiki.db.models"


@pytest.mark.parametrize(
    "address",
    [
        "foo://",
        "://",
        "mysql://me:hush@host/db",
        "oracle://host",
        "postgresql+nothing://host/db",
        "postgresql+psycopg://host:abc/db",
        "sqlite+pysqlcipher:///a.db",
    ],
)
def test_an_address_that_cannot_be_used_is_told_in_one_sentence(address: str) -> None:
    with pytest.raises(StoreError, match=r"is not an address of a database.*Nothing was") as told:
        open_store(address, create=True)
    assert "hush" not in str(told.value)


@pytest.mark.parametrize("damage", ['{"a": ', "[1]", '"x"', "7", ""])
def test_damaged_json_in_a_row_is_told_in_one_sentence(sqlite_store: Store, damage: str) -> None:
    fill(sqlite_store)
    with sqlite_store.writing() as session:
        session.execute(text("UPDATE wikis SET site_rules = :it"), {"it": damage})
        session.execute(text("UPDATE runs SET options = :it"), {"it": damage})
    with pytest.raises(StoreError, match="is damaged"), sqlite_store.reading() as session:
        wikis(session)
    with pytest.raises(StoreError, match="is damaged"), sqlite_store.reading() as session:
        latest_runs(session)


def test_damaged_json_is_found_by_a_look_at_the_database(sqlite_store: Store) -> None:
    fill(sqlite_store)
    assert examine(str(sqlite_store.path)).damage == []
    with sqlite_store.writing() as session:
        session.execute(text("UPDATE runs SET progress = '{'"))
    assert examine(str(sqlite_store.path)).damage == ["1 rows of runs have no JSON in progress"]


def test_a_number_that_no_column_can_hold_is_told_in_one_sentence(store: Store) -> None:
    with pytest.raises(BadInput, match="Nothing was changed"), store.reading() as session:
        session.get(Page, 2**63)


def test_twenty_writers_at_once_all_get_their_turn(sqlite_store: Store) -> None:
    """With SQLite's own way of waiting, one of twenty was refused as "in use"."""
    fill(sqlite_store)
    refused: list[BaseException] = []

    def write() -> None:
        try:
            for _ in range(5):
                with sqlite_store.writing() as session:
                    session.execute(
                        update(Page).where(Page.id == 1).values(revision_id=Page.revision_id + 1)
                    )
        except BaseException as error:
            refused.append(error)

    with sqlite_store.reading() as session:
        before = session.execute(select(Page.revision_id).where(Page.id == 1)).scalar_one()
    threads = [threading.Thread(target=write) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == []
    with sqlite_store.reading() as session:
        assert (
            session.execute(select(Page.revision_id).where(Page.id == 1)).scalar_one()
            == before + 100
        )


def test_a_writer_who_waits_too_long_is_told_so(
    sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "BUSY_TIMEOUT_MS", 100)
    with (
        sqlite_store.writing(),
        pytest.raises(StoreError, match="in use by another process"),
        sqlite_store.writing(),
    ):
        pass
    with sqlite_store.writing() as session:
        session.execute(update(Page).values(revision_id=1))
