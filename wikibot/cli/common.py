"""What several commands share: options, the open database, reports and progress bars."""

from __future__ import annotations

import json
import math
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wikibot.i18n import Count
from wikibot.message import in_terminal, message
from wikibot.terminal_text import OBEYED, printable

if TYPE_CHECKING:
    from wikibot.steps import Step, Tell
    from wikibot.store import Store

Command = TypeVar("Command", bound=Callable[..., Any])


# package -> the extra of this program that installs it
EXTRAS = {
    "apscheduler": "serve",
    "matplotlib": "plots",
    "psycopg": "postgres",
    "authlib": "serve",
    "cryptography": "serve",
    "gunicorn": "serve",
}


def missing_extra(package: str) -> str:
    """What to say where a package of an extra is not installed."""
    return message("cli-missing-extra", package, EXTRAS[package])


class PicturePath(click.Path):
    """The path of a picture to be drawn; refused at once where matplotlib is not installed."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from importlib.util import find_spec

        if find_spec("matplotlib") is None:
            raise click.ClickException(in_terminal(missing_extra("matplotlib")))
        return super().convert(value, param, ctx)


def say_overruled(by: str, *names: str) -> None:
    """Say on standard error which of the given options have no effect beside the option BY."""
    context = click.get_current_context()
    for param in context.command.params:
        if param.name in names and _is_given(context, param.name):
            option = max(param.opts, key=len)
            say_error(message("cli-option-has-no-effect", option, by))


def _is_given(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def db_option(command: Command) -> Command:
    """`--db FILE|URL`, else WIKIBOT_DB, else wikibot.db in the current folder."""
    return click.option("--db", metavar="FILE|URL", help="The database (default: wikibot.db).")(
        command
    )


def wiki_option(command: Command) -> Command:
    """`--wiki NAME`, for a database with several."""
    return click.option("--wiki", metavar="NAME", help="The wiki, where there are several.")(
        command
    )


class Share(click.FloatRange):
    """A number from 0 to 1; `nan` is not one."""

    def __init__(self) -> None:
        super().__init__(0, 1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        share = super().convert(value, param, ctx)
        if math.isnan(share):
            self.fail(in_terminal(message("cli-not-a-share", value)), param, ctx)
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
    return context is not None and context.params.get("wiki", "") is None


def _say_which_wiki(store: Store) -> None:
    from wikibot.store.pages import wiki_names

    with store.reading() as session:
        names = wiki_names(session)
    if len(names) > 1:
        say_error(message("cli-several-wikis", names[0], ", ".join(names[1:])))


def say(text: str, *, err: bool = False) -> None:
    """Print a line in the reader's language; nothing in it is obeyed by the terminal."""
    click.echo(printable(in_terminal(text)), err=err)


def say_error(text: str) -> None:
    """Print on standard error that it is this program which says so, in the reader's language."""
    say(f"wikibot: {in_terminal(text)}", err=True)


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


@contextmanager
def progress(*, quiet: bool = False) -> Iterator[Tell]:
    """A bar on standard error for each step: how much is done, pages per second, the time it takes.

    The time that is left is given only for steps whose pages are counted. Nothing is drawn where
    standard error is not a terminal.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from wikibot.engine import watching
    from wikibot.steps import Step

    console, starting = Console(stderr=True), message("step-starting")
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[counts]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task(in_terminal(starting), total=None, counts="")
        shown = Step(starting)

        def tell(step: Step) -> None:
            nonlocal shown
            if step.name != shown.name or step.done < shown.done:  # or all pages once more
                bar.reset(task, total=step.total)
            shown = step
            counts = counts_of(step, bar.tasks[0].elapsed or 0)
            is_compiling = step.compiles and not step.done and needs_compiling()
            name = in_terminal(message("step-compiling") if is_compiling else step.name)
            bar.update(task, description=name, completed=step.done, total=step.total, counts=counts)

        with watching(lambda done, total: tell(Step(shown.name, done, total, done))):
            yield tell


def counts_of(step: Step, spent_s: float) -> str:
    """How far a step is, with its rate and the time that is left, as far as these can be known.

    >>> from wikibot.steps import Step
    >>> counts_of(Step("Learning to rank, folds", 2, 5), 30.0)
    '2/5, 0:45 left'
    >>> counts_of(Step("Counting", 500, 2000, 500), 10.0)
    '25 %, 500 pages, 50/s, 0:30 left'
    """
    parts = []
    if step.pages:
        parts += [f"{step.done / step.total:.0%}".replace("%", " %")] if step.total else []
        parts.append(in_terminal(message("step-pages", Count(step.pages))))
        rate = Count(round(step.pages / spent_s)) if spent_s > 1 else None
        parts += [in_terminal(message("step-rate", rate))] if rate is not None else []
    elif step.total:
        parts.append(f"{step.done}/{step.total}")
    if spent_s > 1 and step.total and step.done:
        minutes, seconds = divmod(round((step.total - step.done) * spent_s / step.done), 60)
        parts.append(in_terminal(message("step-time-left", f"{minutes}:{seconds:02}")))
    return ", ".join(parts)


def needs_compiling() -> bool:
    """Is this the first use after an installation, before the compiled kernels are cached?

    Where the installation may not be written to, the cache is elsewhere, and nothing is claimed.
    """
    import os
    from importlib.util import find_spec

    spec = find_spec("crtm")
    installed = Path(spec.origin).parent if spec and spec.origin else Path()
    named = os.environ.get("NUMBA_CACHE_DIR")
    if not named and not os.access(installed, os.W_OK):
        return False
    return next(Path(named or installed / "__pycache__").rglob("*.nbi"), None) is None
