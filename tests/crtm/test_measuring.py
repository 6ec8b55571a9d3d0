"""What the scripts that measure share."""

import sys
import time
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture
def measuring(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import measuring

    yield measuring
    sys.modules.pop("measuring", None)


def test_what_is_there_is_not_measured_again_and_nothing_begins_when_the_time_is_up(
    measuring, tmp_path
):
    file, later = tmp_path / "a-0.json", time.monotonic() + 60
    measuring.measure_missing(file, time.monotonic() - 1, lambda: 1)
    assert not file.exists()
    measuring.measure_missing(file, later, lambda: {"p_at_1": 0.5})
    measuring.measure_missing(file, later, lambda: {"p_at_1": 0.9})
    assert measuring.read(file) == {"p_at_1": 0.5}
    assert [path.name for path in tmp_path.iterdir()] == ["a-0.json"]


def test_tables_replace_what_stands_between_their_marks(measuring, tmp_path):
    document = tmp_path / "d.md"
    marked = "head\n<!-- {0} begins -->\nold\n<!-- {0} ends -->\n"
    document.write_text(marked.format("one") + marked.format("two") + "tail\n")
    measuring.write_tables(document, {"two": "| new |"})
    text = document.read_text()
    assert text == marked.format("one") + marked.format("two").replace("old", "| new |") + "tail\n"


def test_every_script_has_the_same_arguments(measuring, tmp_path):
    parser = measuring.measuring_arguments("about", "figures", "ltg,mr")
    given = parser.parse_args(["--data", str(tmp_path)])
    assert given.work == measuring.ROOT / "build" / "figures" and given.corpora == "ltg,mr"
    assert given.data == tmp_path and given.docs == measuring.ROOT / "docs"


def test_a_corpus_that_was_exported_is_only_read(measuring, tmp_path):
    (tmp_path / "ltg.jsonl").write_text('{"title": "A", "text": "word"}\n')
    corpus = measuring.read_corpus("ltg", tmp_path / "nowhere", tmp_path)
    assert corpus.titles == ("A",)
