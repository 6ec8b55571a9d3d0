"""`wikibot doctor` finds what is wrong and says what to do; it changes nothing."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import insert

from tests.store.filled import NOW, fill
from wikibot import doctor
from wikibot.doctor import Finding, examine_all
from wikibot.store import open_store
from wikibot.store.schema import migrations_folder
from wikibot.store.tables import Model


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A sound database in the current folder, with nothing else there."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "wikibot.db"
    with open_store(path, create=True) as store:
        fill(store)
        with store.writing() as session:
            session.execute(Model.__table__.delete())
    return path


def found(name: str, db: str | None = None) -> Finding:
    return next(finding for finding in examine_all(db) if finding.name == name)


def test_a_sound_database_is_well_in_every_point(db: Path) -> None:
    findings = examine_all()
    assert [finding for finding in findings if not finding.is_well] == []
    names = {finding.name for finding in findings}
    assert {"python", "pywikibot", "disk space", "integrity", "references", "schema"} <= names
    versions = migrations_folder() / "versions"
    newest = max(path.name[:4] for path in versions.glob("0*.py"))
    assert found("schema").said == f"version {newest}"
    assert found("wiki.example.org").said == "3 pages, 3 links"


def test_a_missing_libgomp_is_explained_with_the_command_that_brings_it(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found("libgomp").is_well
    monkeypatch.setattr("wikibot.doctor.LIBGOMP", "libgomp-that-is-nowhere.so.1")
    finding = found("libgomp")
    assert not finding.is_well
    assert "LightGBM" in finding.said and "apt-get install libgomp1" in finding.advice


def test_the_examination_changes_nothing(db: Path) -> None:
    before = db.read_bytes()
    examine_all()
    assert db.read_bytes() == before


def test_no_database_yet_is_no_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    finding = found("database")
    assert finding.is_well
    assert "wikibot fetch" in finding.advice
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_is_found(db: Path) -> None:
    content = bytearray(db.read_bytes())
    content[4096 * 2 :] = os.urandom(len(content) - 4096 * 2)
    db.write_bytes(content)
    finding = found("integrity")
    assert not finding.is_well
    assert "restore a backup" in finding.advice


def test_a_file_that_is_no_database_is_found(db: Path) -> None:
    db.write_text("just words " * 1000)
    assert found("integrity").said == "file is not a database"


def test_rows_that_point_nowhere_are_found(db: Path) -> None:
    with sqlite3.connect(db) as database:
        database.execute("DELETE FROM pages WHERE id = 2")
    database.close()
    finding = found("references")
    assert not finding.is_well
    assert "names a row of pages that is not there" in finding.said


@pytest.mark.parametrize(("version", "is_well"), [("0000", True), ("9999", False)])
def test_older_and_newer_schemas_are_told_apart(db: Path, version: str, is_well: bool) -> None:
    with sqlite3.connect(db) as database:
        database.execute("UPDATE alembic_version SET version_num = ?", (version,))
    database.close()
    assert found("schema").is_well == is_well
    assert f"version {version}" in found("schema").said


def test_a_database_of_another_program_is_found(db: Path) -> None:
    db.unlink()
    with sqlite3.connect(db) as database:
        database.execute("CREATE TABLE songs (name)")
    database.close()
    assert found("schema") == Finding(
        "schema", False, "There are no tables of this program.", "Check --db."
    )


def test_edits_in_the_air_and_interrupted_runs_are_found(db: Path) -> None:
    with sqlite3.connect(db) as database:
        database.execute("UPDATE outbox SET state = 'unknown'")
        database.execute("UPDATE runs SET state = 'interrupted'")
    database.close()
    assert found("outbox").said.startswith("1 edits")
    assert found("runs").advice == "Run the same command again."


def test_a_model_that_changed_on_disk_is_found(db: Path) -> None:
    folder = db.with_name("wikibot.db.models")
    folder.mkdir()
    (folder / "crtm.safetensors").write_bytes(b"numbers")
    row = {
        "wiki_id": 1,
        "kind": "crtm",
        "path": "crtm.safetensors",
        "sha256": hashlib.sha256(b"numbers").hexdigest(),
        "parameters": {},
        "figures": {},
        "created_at": NOW,
    }
    with open_store(db) as store, store.writing() as session:
        session.execute(insert(Model).values(**row))
    assert found("model crtm").is_well
    (folder / "crtm.safetensors").write_bytes(b"other numbers")
    assert found("model crtm").advice == "Run `wikibot train` again."


def test_a_full_disk_is_found(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "MIN_FREE_BYTES", 1 << 60)
    assert not found("disk space").is_well


def test_a_wrong_setting_is_found_first(db: Path, tmp_path: Path) -> None:
    (tmp_path / "wikibot.cfg").write_text("[fetch]\ndepht = 1\n")
    [finding] = examine_all()
    assert finding.name == "configuration"
    assert "Did you mean fetch.depth?" in finding.said


def test_a_password_file_that_others_can_read_is_found(db: Path, tmp_path: Path) -> None:
    secret = tmp_path / "user-password.py"
    secret.write_text("('Bot', 'secret')")
    secret.chmod(0o644)
    assert found("user-password.py").advice == "Run: chmod 600 user-password.py"
    secret.chmod(0o600)
    assert found("user-password.py").is_well
