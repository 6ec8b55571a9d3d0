"""The command line: every command is a few lines that parse, call one function and print.

Modules are loaded when their command is called, so that `wikibot --help` answers at once.
"""

from __future__ import annotations

import signal
import sys
from importlib import import_module

import click

from wikibot import __version__
from wikibot.cli.common import say
from wikibot.errors import WikibotError

# command -> module below wikibot.cli, in the order in which a newcomer meets them
COMMANDS = {
    "demo": "demo",
    "init": "publish",
    "run": "publish",
    "fetch": "fetch",
    "train": "suggest",
    "suggest": "suggest",
    "review": "review",
    "queue": "review",
    "decide": "review",
    "diff": "review",
    "publish": "publish",
    "collect": "publish",
    "watch": "publish",
    "undo": "publish",
    "log": "publish",
    "link": "suggest",
    "anchors": "suggest",
    "evaluate": "suggest",
    "audit": "suggest",
    "corpus": "fetch",
    "status": "fetch",
    "doctor": "fetch",
    "config": "demo",
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"wikibot.cli.{COMMANDS[cmd_name]}")
        command = getattr(module, f"{cmd_name}_command")
        assert isinstance(command, click.Command)
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="wikibot")
def cli() -> None:
    """Learn from a wiki's links, propose the missing ones, publish what people approve.

    \b
    Example:
      wikibot demo
      wikibot fetch --export dump.xml.bz2 && wikibot train && wikibot suggest
      wikibot review
    """


def main() -> None:
    """Run a command; bad input ends in one sentence on standard error and a documented code."""
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.Abort:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not cut the way out
        click.echo("Stopped. What was finished is kept; run the same command to go on.", err=True)
        code = 130
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except WikibotError as error:
        say(f"wikibot: {error}", err=True)
        code = error.exit_code
    except BrokenPipeError:
        # `wikibot queue | head`: the reader has seen enough.
        sys.stderr.close()
        code = 0
    except OSError as error:
        say(f"wikibot: {_in_words(error)}", err=True)
        code = 1
    sys.exit(code if isinstance(code, int) else 0)


def _in_words(error: OSError) -> str:
    what = error.strerror or str(error)
    where = f" ({error.filename})" if error.filename else ""
    return (
        f"{what}{where}. The step that failed was undone; mend this and run the same command again."
    )
