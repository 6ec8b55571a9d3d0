"""The one command that makes the protocol A part of the results, on planted pages in place of the exports."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from crtm.experiments.report import BEGIN, END
from tests.crtm.worlds import planted_records

pytestmark = pytest.mark.slow  # each starts the whole program anew
SCRIPT = Path(__file__).parents[2] / "scripts" / "results.py"


@pytest.fixture
def folders(tmp_path):
    work, docs = tmp_path / "work", tmp_path / "docs"
    work.mkdir()
    (docs / "pictures").mkdir(parents=True)
    (docs / "results.md").write_text(f"before\n{BEGIN}\n{END}\nafter\n")
    lines = [json.dumps(record) for record in planted_records()]
    (work / "ltg.jsonl").write_text("\n".join(lines))
    return work, docs


def make_results(folders, models, *more):
    work, docs = folders
    command = [sys.executable, str(SCRIPT), "--work", str(work), "--docs", str(docs), "--corpora", "ltg"]  # fmt: skip
    done = subprocess.run([*command, "--models", models, *more], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines(), (docs / "results.md").read_text()


def test_tables_and_picture_come_from_one_command_that_measures_nothing_twice(folders):
    measured, text = make_results(folders, "title,tfidf")
    assert len(measured) == 20 and measured[0] == "ltg title-0"
    assert text.startswith("before\n") and text.endswith("after\n")
    assert "### ltg" in text and "| title | 10 |" in text and "| tfidf | 10 |" in text
    assert (folders[1] / "pictures" / "roc-corpora.png").read_bytes().startswith(b"\x89PNG")
    assert make_results(folders, "title,tfidf") == ([], text)


def test_when_the_time_is_up_the_tables_show_what_there_is(folders):
    before = make_results(folders, "title")[1]
    assert "| title | 10 |" in before
    assert make_results(folders, "bm25", "--minutes", "-1") == ([], before)


def test_a_split_that_was_lost_is_measured_again(folders):
    before = make_results(folders, "tfidf")[1]
    (folders[0] / "ltg" / "tfidf-4.json").unlink()
    measured, after = make_results(folders, "tfidf")
    assert measured == ["ltg tfidf-4"]
    assert figures_of(after, "tfidf") == figures_of(before, "tfidf")


def figures_of(text, model):
    row = next(line for line in text.splitlines() if line.startswith(f"| {model} |"))
    return row.split("|")[:7]  # without the seconds
