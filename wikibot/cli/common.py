"""What several commands share: options, the open database, reports and progress bars."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wikibot.terminal_text import OBEYED, printable

if TYPE_CHECKING:
    from wikibot.store import Store

Command = TypeVar("Command", bound=Callable[..., Any])


def db_option(command: Command) -> Command:
    """`--db FILE|URL`, else WIKIBOT_DB, else wikibot.db in the current folder."""
    return click.option("--db", metavar="FILE|URL", help="The database (default: wikibot.db).")(
        command
    )


def json_option(command: Command) -> Command:
    """`--json`: the report for programs, on standard output."""
    return click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")(
        command
    )


@contextmanager
def opened_store(db: str | None, *, create: bool = False) -> Iterator[Store]:
    """The database that the option, the environment or the settings file names."""
    from wikibot.config import load_settings
    from wikibot.store import open_store

    with open_store(load_settings(db=db).text("db"), create=create) as store:
        yield store


def say(text: str, *, err: bool = False) -> None:
    """Print a line that may hold text of others; nothing in it is obeyed by the terminal."""
    click.echo(printable(text), err=err)


def echo_json(report: object) -> None:
    """The report on standard output, readable by people too."""
    text = json.dumps(report, indent=2, ensure_ascii=False, default=str)
    click.echo(OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


Advance = Callable[[int], None]


@contextmanager
def progress(title: str, total: int | None, *, quiet: bool = False) -> Iterator[Advance]:
    """A bar on standard error with rate and time left; `advance(n)` moves it.

    Nothing is drawn where standard error is not a terminal.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task(title, total=total, rate="")

        def advance(n: int) -> None:
            bar.advance(task, n)
            speed = bar.tasks[task].speed
            bar.update(task, rate=f"{speed:,.0f}/s" if speed else "")

        yield advance
