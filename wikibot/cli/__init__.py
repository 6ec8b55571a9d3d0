"""The command line: every command is a few lines that parse, call one function and print.

Modules are loaded when their command is called, so that `wikibot --help` answers at once.
"""

from __future__ import annotations

import atexit
import gc
import io
import os
import signal
import sys
import threading
from importlib import import_module
from typing import NoReturn

import click

from wikibot import __version__
from wikibot.cli.common import say, say_error
from wikibot.errors import WikibotError
from wikibot.message import message, said

# New objects before garbage is looked for: what is imported stays, and looking takes a tenth of it.
GARBAGE_AFTER = 200_000

# group -> command -> (module below wikibot.cli, what it does), in the order in which people need them
GROUPS = {
    "Start": {
        "demo": ("demo", "Try it on a small bundled wiki: no network, no account."),
        "fetch": ("fetch", "Read an export, or a category of a live wiki."),
        "train": ("suggest", "Learn from the links that the wiki has."),
        "suggest": ("suggest", "Propose missing links, with reasons."),
        "orphans": ("orphans", "Find pages that nobody links to, and places for links."),
        "adopt": ("orphans", "Find links on a new page and links to it."),
        "link": ("suggest", "Print a draft of yours with its links set."),
        "run": ("publish", "Fetch, train and suggest in one step, for scheduled jobs."),
        "follow": ("follow", "Keep the queue up to date with a wiki that changes."),
    },
    "Review": {
        "review": ("review", "Decide about proposals, on a local page or in the terminal."),
        "serve": ("serve", "Serve the review pages to a team, or the API to programs."),
        "queue": ("review", "List the proposals."),
        "decide": ("review", "Decide from a script; export and import decisions."),
        "ideas": ("orphans", "List and decide where a few words about a page fit."),
        "diff": ("review", "Show exactly what would be saved; write a patch."),
    },
    "Publish": {
        "init": ("init", "Set up and check the account that publishes."),
        "publish": ("publish", "Send approved links, or post proposals for others."),
        "collect": ("publish", "Read the answers that people gave on the wiki."),
        "watch": ("publish", "See which of our edits were kept, changed or reverted."),
        "undo": ("publish", "Take back a published link, or a whole batch."),
        "log": ("publish", "List what was sent, with links to the diffs."),
        "settle": ("publish", "Say what became of an edit that the wiki hides from us."),
    },
    "Measure": {
        "evaluate": ("suggest", "Hide links of your wiki and count how many are found again."),
        "audit": ("suggest", "Read a random draw of proposals to learn their precision."),
        "corpus": ("fetch", "Print a wiki as JSON lines for research with crtm."),
    },
    "Inspect": {
        "status": ("fetch", "Show what the database holds, and what to do next."),
        "why": ("why", "Say why a link is missing, and what would change that."),
        "anchors": ("suggest", "Show the best words in one page for a link to another."),
        "config": ("demo", "Show every setting and where its value came from."),
        "doctor": ("fetch", "Check the installation and the database; say what to do."),
    },
}
COMMANDS = {name: entry for group in GROUPS.values() for name, entry in group.items()}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are needed, and listed by what they are for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        from wikibot.cli.completion import complete_values

        module = import_module(f"wikibot.cli.{COMMANDS[cmd_name][0]}")
        command = getattr(module, f"{cmd_name}_command")
        assert isinstance(command, click.Command)
        return complete_values(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, does) for name, (_, does) in commands.items()], 10)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="`wikibot COMMAND --help` explains a command and gives an example.",
)
@click.version_option(__version__, prog_name="wikibot")
def cli() -> None:
    """Learn from a wiki's links, propose the missing ones, publish what people approve.

    \b
    Example:
      wikibot demo
      wikibot fetch --export dump.xml.bz2 && wikibot train && wikibot suggest
      wikibot review
    """


def main() -> NoReturn:
    """Run the command that the process was started for, and end the process."""
    _leave(run())


def run() -> int:
    """Run a command; bad input gives one sentence on standard error and a documented code."""
    gc.set_threshold(GARBAGE_AFTER)
    _keep_others_from_writing()
    _print_whatever_comes()
    try:
        code = cli.main(standalone_mode=False)
    except ModuleNotFoundError as error:
        from wikibot.cli.common import EXTRAS, missing_extra

        if error.name not in EXTRAS:
            raise
        say_error(missing_extra(error.name))
        code = 1
    except click.exceptions.Abort:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not cut the way out
        say(message("cli-stopped"), err=True)
        code = 130
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except WikibotError as error:
        say_error(said(error))
        code = error.exit_code
    except SystemExit as ended:
        code = ended.code
    except BrokenPipeError:
        # `wikibot queue | head`: the reader has seen enough.
        sys.stderr.close()
        code = 0
    except OSError as error:
        say_error(_in_words(error))
        code = 1
    return code if isinstance(code, int) else 0


def _leave(code: int) -> NoReturn:
    """The process has ended; nothing is tidied up one by one that ends with it anyway.

    Python would take every module apart, which takes as long as a look at the queue. Threads that
    still run, and output that cannot be written, are left to Python.
    """
    gc.freeze()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        sys.exit(code)
    if threading.active_count() > 1:
        sys.exit(code)
    atexit._run_exitfuncs()
    os._exit(code)


def _keep_others_from_writing() -> None:
    """No file or folder that we make can be written by everyone, whatever the umask."""
    os.umask(os.umask(0o077) | 0o002)


def _print_whatever_comes() -> None:
    """A character that the terminal's encoding lacks is written as an escape, not a failure."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _in_words(error: OSError) -> str:
    from wikibot.doctor import INSTALL_LIBGOMP, LIBGOMP, LIBGOMP_IS_MISSING

    if LIBGOMP in str(error):
        return message("cli-libgomp-is-missing", LIBGOMP_IS_MISSING, INSTALL_LIBGOMP)
    what = error.strerror or str(error)
    where = f" ({error.filename})" if error.filename else ""
    return message("cli-system-refused", f"{what}{where}")
