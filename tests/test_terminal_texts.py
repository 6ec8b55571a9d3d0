"""What commands print comes from the catalogues, in the language of the terminal."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.review.sample import make_store
from tests.review.test_translations import parts
from wikibot.cli import cli
from wikibot.errors import BadInput
from wikibot.i18n import Count, Tenths, terminal_language, written
from wikibot.message import in_terminal, message, said_in, word
from wikibot.steps import Step

ROOT = Path(__file__).parent.parent
# Modules whose sentences are all in the catalogues; help texts stay English.
MOVED = (
    "cli/__init__.py",
    "cli/common.py",
    "cli/deciding.py",
    "cli/fetch.py",
    "cli/review.py",
    "terminal.py",
    "terminal_ideas.py",
)
SENTENCE = re.compile(r"[^\W\d_]{3,} [^\W\d_]{2,}")
NO_SENTENCES = {"wikibot train", "bold reverse"}  # a command, a style
VARIABLES = ("WIKIBOT_LANG", "LC_ALL", "LC_MESSAGES", "LANG")


def sentences(path: Path) -> Iterator[str]:
    """Every literal of two words or more that is neither a docstring, a help text nor an assertion's."""
    for node in _spoken(ast.parse(path.read_text("utf-8"))):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and SENTENCE.search(text) and text not in NO_SENTENCES:
            yield text


def _spoken(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Assert) or (isinstance(node, ast.Call) and _is_help(node)):
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # a docstring
    if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "GROUPS":
        return  # the list of commands
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _spoken(child)


def _is_help(call: ast.Call) -> bool:
    return ast.unparse(call.func) in ("click.option", "click.group", "click.command")


@pytest.mark.parametrize("module", MOVED)
def test_no_sentence_is_printed_without_a_key(module: str) -> None:
    assert list(sentences(ROOT / "wikibot" / module)) == []


def test_a_sentence_without_a_key_would_be_found(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text('"""Of a module."""\nsay(f"Nothing was done to {page}.")\nmessage("a-key")\n')
    assert list(sentences(module)) == ["Nothing was done to "]


def test_steps_have_keys() -> None:
    """A step is named by a message wherever one is told."""
    for path in (ROOT / "wikibot").rglob("*.py"):
        calls = (n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Call))
        for call in calls:
            if getattr(call.func, "id", "") == "Step":
                assert not isinstance(call.args[0], ast.Constant | ast.JoinedStr), path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("texts")
    make_store(made / "wikibot.db").close()
    return made


def run(folder: Path, language: str, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    return subprocess.run(
        [sys.executable, "-m", "wikibot", *words],
        cwd=folder, env={**environ, "WIKIBOT_LANG": language, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, encoding="utf-8",
    )  # fmt: skip


PRINTED = {
    ("status",): ("Als Nächstes: `wikibot train`", "Ensuite : `wikibot train`"),
    ("queue",): (" Vorschlägen.", " propositions."),
    ("decide", "1", "skip", "--reviewer", "Ann"): ("Übersprungen: „", "Passée : « "),
    ("decide", "99", "skip", "--reviewer", "Ann"): ("Nichts wurde", "Rien n’a été"),
    ("decide", "2", "undo", "--reviewer", "Ann"): ("keine Entscheidung", "aucune décision"),
    ("diff",): ("Nichts würde geändert.", "Rien ne serait changé."),
    ("queue", "--state", "odd"): ("ist kein Zustand", "n’est pas un état"),
    ("fetch",): ("Bitte eine Kategorie nennen", "Nommez une catégorie"),
}


@pytest.mark.parametrize("words", PRINTED, ids=" ".join)
def test_german_and_french_runs_print_no_english_sentence(
    folder: Path, words: tuple[str, ...]
) -> None:
    for language, wanted in zip(("de", "fr"), PRINTED[words], strict=True):
        done = run(folder, language, *words)
        told = done.stdout + done.stderr
        assert "Traceback" not in told
        assert wanted in told
        assert [part for part in parts("en") - parts(language) if part in told] == []


def test_reports_for_programs_are_the_same_in_every_language(folder: Path) -> None:
    for words in (("status", "--json"), ("queue", "--csv"), ("decide", "99", "skip", "--json")):
        assert run(folder, "en", *words).stdout == run(folder, "de", *words).stdout


@pytest.mark.parametrize("language", ["de", "fr"])
def test_a_look_in_another_language_loads_no_babel(folder: Path, language: str) -> None:
    script = (
        "import sys; from click.testing import CliRunner; from wikibot.cli import cli\n"
        "assert CliRunner().invoke(cli, ['status']).exit_code == 0\n"
        "sys.exit('babel' in sys.modules or 'flask' in sys.modules)"
    )
    environ = {**os.environ, "WIKIBOT_LANG": language, "PYTHONPATH": str(ROOT)}
    assert subprocess.run([sys.executable, "-c", script], cwd=folder, env=environ).returncode == 0


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({"WIKIBOT_LANG": "fr", "LC_ALL": "de_DE.UTF-8"}, "fr"),
        ({"LC_ALL": "de_AT.UTF-8", "LANG": "fr_FR"}, "de"),
        ({"LC_MESSAGES": "fr_CA", "LANG": "de"}, "fr"),
        ({"LANG": "de@euro"}, "de"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "it_IT"}, "en"),
        ({"WIKIBOT_LANG": "qqq"}, "en"),
        ({}, "en"),
    ],
)
def test_the_environment_names_the_language(
    monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], language: str
) -> None:
    for name in VARIABLES:
        monkeypatch.setenv(name, environ.get(name, ""))
    assert terminal_language() == language


def test_numbers_are_written_as_the_language_does() -> None:
    numbers = (Count(1_234_567), Tenths(1234.56), 1234)
    assert [written(one, "en") for one in numbers] == ["1,234,567", "1,234.6", "1234"]
    assert [written(one, "de") for one in numbers] == ["1.234.567", "1.234,6", "1234"]
    assert [written(one, "fr") for one in numbers] == [
        "1\u202f234\u202f567",
        "1\u202f234,6",
        "1234",
    ]
    assert written(Count(12_000), "pl") == "12\u00a0000"


def test_a_step_an_error_and_a_word_are_said_in_the_terminals_language(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WIKIBOT_LANG", "de")
    assert in_terminal(Step(message("step-learning-n-topics", 8)).name) == "8 Themen lernen"
    assert in_terminal(word("run-state", "failed")) == "gescheitert"
    assert said_in(word("run-state", "failed"), "en") == "failed"
    assert in_terminal(word("run-state", "odd")) == "odd"
    assert in_terminal("A sentence of others.") == "A sentence of others."
    inner = message("cli-count-of-state", Count(1200), word("state", "pending"))
    assert in_terminal(message("cli-next", inner)) == "Als Nächstes: 1.200 offen"
    assert str(BadInput(message("cli-not-a-record", "a.jsonl", 3))).endswith(
        "Nothing was imported."
    )


def test_options_without_effect_are_named_in_the_terminals_language(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.setenv("WIKIBOT_LANG", "fr")
    monkeypatch.chdir(folder)
    shown = CliRunner().invoke(cli, ["queue", "--json", "--csv"])
    assert "wikibot: --csv n’a pas d’effet avec --json." in shown.output


def test_suggesting_on_the_demo_wiki_speaks_german_and_french(demo_folder: Path) -> None:
    german = run(demo_folder, "de", "suggest")
    assert "warten auf eine Entscheidung." in german.stdout, german.stderr
    assert "Verlässlichkeit: " in german.stdout
    french = run(demo_folder, "fr", "suggest")
    assert "attendent une décision." in french.stdout, french.stderr
    for done, language in ((german, "de"), (french, "fr")):
        told = done.stdout + done.stderr
        assert [part for part in parts("en") - parts(language) if part in told] == []
