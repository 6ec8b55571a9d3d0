"""`wikibot demo` and `wikibot config`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from wikibot.cli.common import (
    db_option,
    echo_json,
    json_option,
    needs_compiling,
    opened_store,
    say,
    say_overruled,
)
from wikibot.message import message

if TYPE_CHECKING:
    from wikibot.config import Effective
    from wikibot.demo.tour import Best

DATABASE = "wikibot-demo.db"


@click.command("demo")
@click.option("--headless", is_flag=True, help="Print ten proposals and a diff instead.")
@click.option("--no-browser", is_flag=True, help="Print the address and do not open a browser.")
@click.option("--port", type=click.IntRange(0, 65535), help="The port of the review page.")
@click.option(
    "--db",
    metavar="FILE|URL",
    default=DATABASE,
    show_default=True,
    help="The demo's own database; yours is never touched.",
)
@click.pass_context
def demo_command(
    context: click.Context, headless: bool, no_browser: bool, port: int | None, db: str
) -> None:
    """Try it on a small bundled wiki.

    Fetches, trains, suggests and opens the review page, with no network and no account. Everything
    goes into a database of its own.

    \b
    Example:
      wikibot demo
      wikibot demo --headless
    """
    _use_one_core()
    from wikibot.cli.review import review_command
    from wikibot.demo.tour import best_proposals, learn_demo_wiki

    if needs_compiling():
        say(message("cli-compiling"))
    with opened_store(db, create=True) as store:
        learn_demo_wiki(store, say)
        if headless:
            say_overruled("--headless", "no_browser", "port")
            _show(best_proposals(store), db)
    if not headless:
        context.invoke(review_command, no_browser=no_browser, port=port, db=db)


def _use_one_core() -> None:
    """On so small a wiki, threads of the numeric libraries wait longer than they work."""
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(variable, "1")


def _show(best: Best, db: str) -> None:
    """Print ten proposals with their reasons, and the diff, as plain text."""
    from wikibot.linker.explain import sentence

    say(f"\n{best.waiting} proposals wait for a person. The most probable, one per page:\n")
    for number, line in enumerate(best.lines, start=1):
        say(f"{number:>3}. {line.page} → {line.target}  ({line.probability:.0%})")
        say(f"     {line.wikitext} in: {line.sentence.strip()}")
        say(f"     {sentence(line.reasons)}")
    say("\nWhat these pages would become, as a diff:\n")
    say(best.patch)
    say(f"Decide about them on a page of your own machine: wikibot review --db {db}")


@click.command("config")
@db_option
@json_option
def config_command(db: str | None, as_json: bool) -> None:
    """Show every setting in force and where its value came from.

    A value comes from the command line, else the environment (WIKIBOT_NAME), else wikibot.cfg in
    the current folder (or the file named by WIKIBOT_CONFIG), else the default.

    \b
    Example:
      wikibot config
      WIKIBOT_DAILY_CAP=20 wikibot config --json
    """
    from wikibot.config import load_settings

    effective = load_settings(db=db).effective()
    if as_json:
        echo_json([_as_json(one) for one in effective])
        return
    for section in dict.fromkeys(one.setting.section for one in effective):
        say(f"[{section}]")
        for one in effective:
            if one.setting.section == section:
                say(_as_line(one))


def _as_json(one: Effective) -> dict[str, object]:
    setting = one.setting
    return {
        "key": setting.key,
        "value": one.value,
        "source": one.source,
        "default": setting.default,
        "variable": setting.variable,
        "help": setting.help,
    }


def _as_line(one: Effective) -> str:
    said = f"{one.setting.name} = {_in_file(one.value)}"
    return f"{said:<44}  # {one.source}"


def _in_file(value: object) -> str:
    """The value as it would be written in wikibot.cfg."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
