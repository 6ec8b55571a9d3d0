"""The command line's promises: one sentence, the documented code, no traceback."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from wikibot import cli, errors


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Runs `run` with a command that raises; gives the exit code and standard error."""

    def run(error: BaseException) -> tuple[int, str]:
        @click.command("demo")
        def command() -> None:
            raise error

        monkeypatch.setattr(cli.LazyGroup, "get_command", lambda *_: command)
        monkeypatch.setattr(sys, "argv", ["wikibot", "demo"])
        return cli.run(), capsys.readouterr().err

    before = signal.getsignal(
        signal.SIGINT
    )  # it is nearly the end of a process, but not of this one
    yield run
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.StoreError("No database."), 1),
        (errors.Excluded("The page says no."), 1),
        (errors.ConfigError("Unknown key."), 2),
        (errors.WikiUnavailable("Read-only."), 3),
        (errors.OutcomeUnknown("No answer."), 4),
    ],
)
def test_an_error_is_one_sentence_and_its_documented_code(failing, error, code) -> None:
    assert failing(error) == (code, f"wikibot: {error}\n")


STOPPED_TWICE = """
import atexit, os, signal, click
from {package} import {module} as program
atexit.register(os.kill, os.getpid(), signal.SIGINT)
def stop(*_, **__):
    raise click.exceptions.Abort
program.cli.main = stop
program.main()
"""


@pytest.mark.parametrize(("package", "module"), [("wikibot", "cli"), ("crtm", "__main__")])
def test_a_second_ctrl_c_does_not_cut_the_way_out(package: str, module: str) -> None:
    script = STOPPED_TWICE.format(package=package, module=module)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, len(done.stderr.splitlines())) == (130, 1)


def test_ctrl_c_says_that_the_work_is_kept(failing) -> None:
    code, message = failing(KeyboardInterrupt())
    assert code == 130
    assert "Stopped" in message and "Traceback" not in message


def test_a_full_disk_is_told_in_a_sentence(failing) -> None:
    code, message = failing(OSError(28, "No space left on device", "wiki.db"))
    assert code == 1
    assert message.startswith("wikibot: No space left on device (wiki.db).")


def test_a_missing_libgomp_is_told_with_the_command_that_brings_it(failing) -> None:
    lost = OSError("libgomp.so.1: cannot open shared object file: No such file or directory")
    code, message = failing(lost)
    assert code == 1
    assert "LightGBM" in message and "apt-get install libgomp1" in message


def test_a_package_of_an_extra_is_named_with_its_extra(failing) -> None:
    code, message = failing(ModuleNotFoundError("No module named 'psycopg'", name="psycopg"))
    assert code == 1
    assert "wikibot-links[postgres]" in message


def test_a_bug_is_not_told_as_a_missing_extra(failing) -> None:
    with pytest.raises(ModuleNotFoundError):
        failing(ModuleNotFoundError("No module named 'wikibot.typo'", name="wikibot.typo"))


def test_options_that_have_no_effect_are_named(tmp_path: Path) -> None:
    arguments = ["fetch", "--export", "none.xml", "--user", "Anna", "--db", str(tmp_path / "w.db")]
    told = CliRunner().invoke(cli.cli, arguments).stderr
    assert "--user has no effect with --export." in told
    assert "--lang" not in told


def test_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m wikibot --help | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Usage:")
    assert done.stderr == ""


def test_every_command_is_there_and_its_help_ends_with_an_example() -> None:
    context = click.Context(cli.cli)
    for name in cli.cli.list_commands(context):
        command = cli.cli.get_command(context, name)
        assert command is not None
        assert command.name == name
        assert "Example:" in (command.help or ""), name


def test_an_unknown_command_is_a_usage_error() -> None:
    done = subprocess.run([sys.executable, "-m", "wikibot", "fly"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "No such command" in done.stderr and "Traceback" not in done.stderr


def test_every_error_has_a_docstring_and_one_of_the_documented_codes() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    assert all(kind.__doc__ for kind in kinds)
    assert {kind.exit_code for kind in kinds} <= {1, 2, 3, 4}


def test_the_drawing_of_the_errors_names_every_one_of_them() -> None:
    drawing = errors.__doc__ or ""
    for kind in vars(errors).values():
        if isinstance(kind, type):
            assert kind.__name__ in drawing


def test_a_real_interrupt_leaves_no_traceback(tmp_path: Path) -> None:
    script = "from wikibot import cli; import click, signal, sys\n" + (
        "@click.command('demo')\n"
        "def command():\n"
        "    print('ready', flush=True)\n"
        "    signal.pause()\n"
        "cli.LazyGroup.get_command = lambda *_: command\n"
        "sys.argv = ['wikibot', 'demo']\n"
        "cli.main()\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    child.send_signal(signal.SIGINT)
    _, message = child.communicate(timeout=20)
    assert child.returncode == 130
    assert "Traceback" not in message


def test_every_command_stands_in_one_group_and_its_line_is_not_cut() -> None:
    listed = [name for group in cli.GROUPS.values() for name in group]
    assert len(listed) == len(set(listed)) and set(listed) == set(cli.COMMANDS)
    told = CliRunner().invoke(cli.cli, ["--help"], terminal_width=80).output
    assert "..." not in told.partition("Start:")[2]
    for name, (_, does) in cli.COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(does)}$", told, re.M), name


@pytest.mark.parametrize("ending", ["", "threading.Thread(target=lambda: print('thread')).start()"])
def test_the_process_ends_with_its_code_output_and_exit_functions(ending: str) -> None:
    script = (
        "import atexit, sys, threading; from wikibot import cli\n"
        "atexit.register(print, 'tidied up')\n"
        f"cli.run = lambda: print('printed') or {ending or None} or 7\n"
        "cli.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (7, "")
    wanted = {"printed", "tidied up"} | ({"thread"} if ending else set())
    assert set(done.stdout.split("\n")) - {""} == wanted
