"""`wikibot fetch`, `corpus`, `status` and `doctor` from the command line, bad input included."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fetch.exports import PAGES, export_xml, pack, write_export
from tests.waiting import wait_until

pytestmark = pytest.mark.slow  # each starts the whole program anew
REPOSITORY = Path(__file__).parents[2]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs `wikibot` in the test's folder."""

    def call(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "wikibot", *map(str, words)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY), **environment},
            capture_output=True,
            text=True,
            timeout=120,
        )

    return call


@pytest.fixture
def export(tmp_path: Path) -> Path:
    return write_export(tmp_path / "dump.xml.bz2")


def test_a_fetch_reports_what_is_in_the_database(run: Run, export: Path) -> None:
    done = run("fetch", "--export", export, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert (report["pages"], report["redirects"], report["links_within_set"]) == (3, 4, 4)
    assert report["skipped"] == []
    assert report["seconds"] > 0
    said = run("fetch", "--export", export).stdout
    assert "wiki.example.org: 3 pages, 4 redirects, 6 links, 4 of them to fetched pages." in said
    assert "Read 0 pages, 7 unchanged" in said


REFUSED = {
    "a missing file": ("none.xml", None, "There is no file none.xml"),
    "a folder": (".", None, ". is a folder, not an export"),
    "an empty file": ("a.xml", b"", "a.xml is empty"),
    "an HTML page": ("a.xml", b"<html><body/></html>", "its first element is <html>"),
    "not XML": ("a.xml.bz2", b"words, words", "it is not XML"),
    "a damaged gzip": ("a.xml.gz", b"\x1f\x8b\x08\x00" + b"rubbish" * 9, "a.xml.gz is damaged"),
    "a cut bzip2": ("a.bz2", b"BZh91AY&SY", "a.bz2 ends too early"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_bad_exports_are_refused_in_one_sentence(run: Run, tmp_path: Path, what: str) -> None:
    name, content, sentence = REFUSED[what]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    for command in (("fetch",), ("corpus",)):
        done = run(*command, "--export", name)
        assert (done.returncode, done.stdout) == (1, "")
        assert sentence in done.stderr
        assert done.stderr.count("\n") == 1


def test_a_category_that_the_export_lacks_is_refused(run: Run, export: Path) -> None:
    done = run("fetch", "--export", export, "--category", "Rivres")
    assert done.returncode == 1
    assert "Did you mean 'Rivers'?" in done.stderr


def test_a_fetch_of_nothing_is_a_question_of_usage(run: Run) -> None:
    done = run("fetch")
    assert done.returncode == 2
    assert "Name a category, or a file with --export." in done.stderr


def test_a_folder_that_is_not_there_gets_no_database(run: Run, export: Path) -> None:
    done = run("fetch", "--export", export, "--db", "no/such/wiki.db")
    assert done.returncode == 1
    assert "does not exist, so no database was made" in done.stderr


def test_a_foreign_file_is_not_taken_for_a_database(run: Run, export: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("my notes " * 100)
    done = run("fetch", "--export", export, "--db", "notes.txt")
    assert done.returncode == 1
    assert "is not a database of this program" in done.stderr
    assert (tmp_path / "notes.txt").read_text() == "my notes " * 100


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read any file")
def test_a_file_that_may_not_be_read_is_refused(run: Run, export: Path) -> None:
    export.chmod(0)
    done = run("fetch", "--export", export)
    assert done.returncode == 1
    assert "permission denied" in done.stderr


@pytest.mark.crash
def test_ctrl_c_ends_a_fetch_with_a_sentence_and_the_next_run_goes_on(
    run: Run, tmp_path: Path
) -> None:
    many = {f"Page {n}": f"{'Words and [[Page 1]]. ' * 200}" for n in range(600)}
    export = write_export(tmp_path / "many.xml", many)
    process = subprocess.Popen(
        [sys.executable, "-m", "wikibot", "fetch", "--export", export],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    wait_until(lambda: list(tmp_path.glob("wikibot.db*")), within_s=60, what="a database")
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.endswith("What was finished is kept; run the same command to go on.\n")
    assert "Traceback" not in errors
    assert json.loads(run("fetch", "--export", export, "--json").stdout)["pages"] == 600


def test_the_corpus_has_prose_and_links_at_exact_places(run: Run, tmp_path: Path) -> None:
    pages = {
        **PAGES,
        "Bridge": "{{Infobox|x=[[Wales]]}}\nA ''[[bridge]]'' over  the\n[[Old Severn|long]]est river.\n\n"
        "== Past ==\nIt was [[River|wet]].<ref>[[Wales]]</ref>\n\n== See also ==\n* [[Shrewsbury]]\n",
        "Bridges": "'''Bridges''' may be [[Bridge]].\n{{disambig}}",
    }
    done = run("corpus", "--export", write_export(tmp_path / "dump.xml", pages))
    lines = {line["title"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert set(lines) == {"Severn", "River", "Shrewsbury", "Bridge"}
    bridge = lines["Bridge"]
    assert bridge["text"] == "A bridge over the\nlongest river.\nIt was wet."
    found = [(bridge["text"][start:end], target) for start, end, target in bridge["links"]]
    assert found == [("bridge", "Bridge"), ("longest", "Severn"), ("wet", "River")]
    lead = run("corpus", "--lead", "--export", tmp_path / "dump.xml").stdout.splitlines()
    texts = {line["title"]: line["text"] for line in map(json.loads, lead)}
    assert texts["Bridge"] == "A bridge over the\nlongest river."


def test_status_shows_what_is_there(run: Run, export: Path) -> None:
    run("fetch", "--export", export)
    said = run("status").stdout
    assert re.search(r"^wiki\.example\.org \(en\), fetched [\d-]+ [\d:]+ UTC$", said, re.M)
    assert "6, of which 4 lead to fetched pages" in said
    assert "unreadable" not in said, "what is zero is left out"
    assert "fetch  done" in said
    [wiki] = json.loads(run("status", "--json").stdout)["wikis"]
    assert (wiki["pages"], wiki["redirects"], wiki["links"]) == (3, 4, 6)


def test_status_says_what_to_do_next(run: Run, export: Path) -> None:
    run("fetch", "--export", export)
    assert "Next: `wikibot train`: nothing was learned yet" in run("status").stdout


def test_a_category_that_is_named_twice_is_refused(run: Run, export: Path) -> None:
    done = run("fetch", "Rivers", "--export", export, "--category", "Towns")
    assert done.returncode == 2 and "Name the category once" in done.stderr


def test_status_without_a_database_says_what_to_do(run: Run) -> None:
    done = run("status")
    assert done.returncode == 1
    assert "Run `wikibot fetch` first" in done.stderr


def test_a_failed_fetch_shows_in_the_status(run: Run, tmp_path: Path) -> None:
    pack(tmp_path / "cut.xml", export_xml().encode()[:-400])
    assert run("fetch", "--export", "cut.xml").returncode == 1
    assert "fetch  failed: cut.xml ends too early" in run("status").stdout
    assert "the last one, fetch, is failed" in run("doctor").stdout
