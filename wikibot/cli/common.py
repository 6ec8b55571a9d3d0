"""What several commands share: options, the open database, reports and progress bars."""

from __future__ import annotations

import json
import math
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
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


class Share(click.FloatRange):
    """A number from 0 to 1; `nan` is not one."""

    def __init__(self) -> None:
        super().__init__(0, 1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        share = super().convert(value, param, ctx)
        if math.isnan(share):
            self.fail(f"{value} is not a number from 0 to 1.", param, ctx)
        return share


def json_option(command: Command) -> Command:
    """`--json`: the report for programs, on standard output."""
    return click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")(
        command
    )


@contextmanager
def opened_store(
    db: str | None, *, create: bool = False, names_wiki: bool = True
) -> Iterator[Store]:
    """The database that the option, the environment or the settings file names.

    Where it holds several wikis and the command is about one that nobody has named, it is said
    which one is meant, unless NAMES_WIKI is off.
    """
    from wikibot.config import load_settings
    from wikibot.store import open_store

    with open_store(load_settings(db=db).text("db"), create=create) as store:
        if names_wiki and _leaves_wiki_open():
            _say_which_wiki(store)
        yield store


def _leaves_wiki_open() -> bool:
    """Has the command an option --wiki that was not given?"""
    context = click.get_current_context(silent=True)
    return context is not None and context.params.get("wiki", "none needed") is None


def _say_which_wiki(store: Store) -> None:
    from wikibot.store.pages import wiki_names

    with store.reading() as session:
        names = wiki_names(session)
    if len(names) > 1:
        say(
            f"wikibot: The database holds several wikis; this is about {names[0]}, which was "
            f"fetched last. Name another with --wiki: {', '.join(names[1:])}.",
            err=True,
        )


def say(text: str, *, err: bool = False) -> None:
    """Print a line that may hold text of others; nothing in it is obeyed by the terminal."""
    click.echo(printable(text), err=err)


def say_table(rows: Sequence[Sequence[str]], *, longest: int = 60) -> None:
    """Print rows in columns that are as wide as their cells; a cell longer than LONGEST is cut.

    For commands that answer at once: a library for tables takes longer to load.
    """
    cells = [[_shortened(printable(cell), longest) for cell in row] for row in rows]
    widths = [max(map(columns, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = (
            cell + " " * (width - columns(cell)) for cell, width in zip(row, widths, strict=True)
        )
        click.echo("  ".join(padded).rstrip())


def _shortened(cell: str, longest: int) -> str:
    line = " ".join(cell.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def columns(text: str) -> int:
    """How many columns of a terminal the text takes.

    >>> columns("abc"), columns("日本"), columns("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    marks = sum(unicodedata.category(char) in ("Mn", "Me", "Cf") for char in text)
    return len(text) + wide - marks


def put(text: str) -> None:
    """Write TEXT as it is to a file or a pipe, and as `say` would to a terminal."""
    shown = printable(text) if sys.stdout.isatty() else text.encode()
    click.echo(shown, nl=False)


def echo_json(report: object) -> None:
    """The report on standard output, readable by people too."""
    is_narrow = "utf" not in (sys.stdout.encoding or "").lower()
    text = json.dumps(report, indent=2, ensure_ascii=is_narrow, default=str)
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
