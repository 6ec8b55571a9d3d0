"""What the documents for researchers show runs as it is printed, on the demo wiki."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest

from crtm import Corpus, CorpusError
from crtm.corpus import wikibot_records
from tests.demo.fixtures import run_line

pytestmark = pytest.mark.slow
DOCS = Path(__file__).parents[2] / "docs"


def test_the_example_of_the_model_runs_as_printed(
    demo_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (DOCS / "model.md").read_text(encoding="utf-8")
    begin = text.index("    from crtm import CRTM, Corpus")
    code = textwrap.dedent(text[begin : text.index("[All calls]")])
    run_line("wikibot corpus --db wikibot.db > corpus.jsonl", demo_folder)
    monkeypatch.chdir(demo_folder)
    found: dict[str, object] = {}
    exec(code, found)
    assert (demo_folder / "model.crtm").exists()


def test_the_notebook_runs_on_the_demo_wiki(
    demo_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook = json.loads((DOCS / "crtm-demo.ipynb").read_text(encoding="utf-8"))
    monkeypatch.chdir(demo_folder)
    found: dict[str, object] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), found)
    assert "transistor" in capsys.readouterr().out.lower()


def test_a_database_and_an_export_give_the_same_corpus(demo_folder: Path) -> None:
    from wikibot.demo import build_export

    build_export(demo_folder / "dump.xml")
    exported = run_line("wikibot corpus --export dump.xml", demo_folder).splitlines()
    stored = wikibot_records(demo_folder / "wikibot.db")
    by_title = {record["title"]: record for record in map(json.loads, exported)}
    assert {record["title"]: record for record in stored} == by_title
    assert len(Corpus.from_wikibot(demo_folder / "wikibot.db")) == len(by_title)


def test_a_file_that_is_not_a_database_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="could not be read as a database of wikibot"):
        Corpus.from_wikibot(tmp_path / "none.db")
