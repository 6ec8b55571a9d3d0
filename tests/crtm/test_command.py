"""``python -m crtm``: what it prints, what it writes, how it ends."""

import json
import re
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner

from crtm.__main__ import cli
from crtm.experiments.evaluate import MODELS
from tests.crtm.worlds import planted_records

COMMANDS = ("evaluate", "anchors", "report")


@pytest.fixture(scope="module")
def corpus_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus") / "planted.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in planted_records()))
    return path


def crtm(*arguments):
    command = [sys.executable, "-m", "crtm", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def invoked(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command):
    result = invoked(command, "--help")
    assert result.exit_code == 0
    assert f"Example:  python -m crtm {command}" in re.sub(r"\s*\n\s*", " ", result.output)


def test_the_group_names_every_command():
    output = invoked("--help").output
    assert all(command in output for command in COMMANDS)


def test_evaluate_prints_the_json_that_it_writes(corpus_file, tmp_path):
    out = tmp_path / "figures.json"
    done = crtm("evaluate", corpus_file, "--models", "tfidf", "--seeds", 1, "--json", out)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(out.read_text())
    assert re.match(r"tfidf +seed 0  P@1 [01]\.\d{3}", done.stderr)


def test_the_json_has_the_promised_form(corpus_file):
    done = crtm("evaluate", corpus_file, "--models", "rtm,title", "--seeds", 2)
    report = json.loads(done.stdout)
    assert list(report) == ["corpus", "models"] and list(report["models"]) == ["rtm", "title"]
    assert report["corpus"]["file"] == "planted.jsonl" and report["corpus"]["documents"] == 36
    rtm = report["models"]["rtm"]
    for figure in ("p_at_1", "p_at_5", "span_p_at_1", "auc"):
        assert set(rtm[figure]) == {"mean", "std"} and 0 <= rtm[figure]["mean"] <= 1
    for cost in ("fit_seconds", "seconds_per_iteration", "iterations"):
        assert rtm[cost] > 0
    assert report["models"]["title"]["iterations"] == 0
    assert len(rtm["roc"]) == 101 and rtm["roc"][-1] == 1


def test_link_prediction_is_measured_for_rtm_crtm_and_tfidf(corpus_file):
    result = invoked(
        "evaluate", corpus_file, "--models", "tfidf", "--seeds", 1, "--link-prediction"
    )
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert list(report["link_prediction"]) == ["rtm", "crtm", "tfidf"]
    for figures in report["link_prediction"].values():
        assert figures["seeds"] == 1 and 0 <= figures["auc"]["mean"] <= 1
    assert report["link_prediction"]["tfidf"]["auc"]["mean"] > 0.7


def test_all_stands_for_every_model(corpus_file, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "crtm.experiments.evaluate.evaluate", lambda corpus, names, *rest: asked.extend(names) or {}
    )
    assert invoked("evaluate", corpus_file, "--models", "all").exit_code == 0
    assert tuple(asked) == MODELS


def test_models_may_stand_apart_from_their_commas(corpus_file):
    result = invoked("evaluate", corpus_file, "--models", " tfidf , bm25", "--seeds", 1)
    assert list(json.loads(result.stdout)["models"]) == ["tfidf", "bm25"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["evaluate", "nowhere.jsonl"], 1, "Error: nowhere.jsonl could not be read"),
        (["anchors", "nowhere.jsonl", "A", "B"], 1, "Error: nowhere.jsonl could not be read"),
        (["report", "nowhere.json"], 2, "does not exist"),
        (["evaluate"], 2, "Missing argument"),
        (["evaluate", "x.jsonl", "--seeds", "0"], 2, "0 is not in the range"),
        (["predict"], 2, "No such command"),
    ],
)
def test_what_goes_wrong_is_a_sentence_and_an_exit_code(arguments, code, said):
    done = crtm(*arguments)
    assert done.returncode == code and said in done.stderr
    assert "Traceback" not in done.stderr and not done.stdout


def test_an_unknown_page_of_the_case_study_is_named(corpus_file):
    done = crtm("anchors", corpus_file, "Atlantis", "Riverburgaa")
    assert done.returncode == 1
    assert done.stderr == 'Error: The corpus has no document "Atlantis".\n'


def test_a_corpus_without_links_is_refused_before_anything_is_learned(tmp_path):
    path = tmp_path / "plain.jsonl"
    path.write_text('{"title": "A", "text": "bee"}\n{"title": "B", "text": "bee"}\n')
    done = crtm("evaluate", path)
    assert done.returncode == 1 and "nothing to hide" in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_case_study_shows_as_many_anchors_as_asked(corpus_file):
    first, other = (planted_records()[number]["title"] for number in (0, 6))
    result = invoked("anchors", corpus_file, first, other, "-n", 4)
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0].split() == ["CRTM", "RTM"] and len(lines) == 5
    assert all(len(line.split()) == 2 for line in lines)


def test_the_report_goes_to_the_terminal_when_no_document_is_named(corpus_file, tmp_path):
    out = tmp_path / "figures.json"
    invoked("evaluate", corpus_file, "--models", "tfidf", "--seeds", 1, "--json", out)
    result = invoked("report", out)
    assert result.exit_code == 0 and "### planted" in result.output
    assert "| tfidf | 1 |" in result.output


def test_a_report_of_damaged_figures_is_one_sentence(tmp_path):
    path = tmp_path / "figures.json"
    path.write_text("{not json")
    done = crtm("report", path)
    assert done.returncode == 1 and done.stderr.startswith("Error: ")
    assert "Traceback" not in done.stderr and str(path) in done.stderr


@pytest.mark.crash
def test_ctrl_c_is_one_sentence_and_leaves_no_file(corpus_file, tmp_path):
    out = tmp_path / "figures.json"
    command = [sys.executable, "-m", "crtm", "evaluate", str(corpus_file), "--seeds", "500", "--json", str(out)]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stderr.readline().startswith("rtm")
    process.send_signal(signal.SIGINT)
    rest = process.stderr.read()
    assert process.wait() == 130 and not out.exists()
    assert rest.endswith("Stopped. Nothing was written.\n") and "Traceback" not in rest
