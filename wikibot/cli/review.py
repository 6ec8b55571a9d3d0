"""The commands with which people decide: review, queue, decide, diff."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wikibot.cli.common import db_option, opened_store

if TYPE_CHECKING:
    from wikibot.web.desk import Desk

REASONS = ("everyday-word", "wrong-target", "span", "linked-nearby", "other")

wiki_option = click.option(
    "--wiki", metavar="NAME", help="Which wiki, if the database has several."
)
reviewer_option = click.option(
    "--reviewer", metavar="NAME", help="Your name (default: the setting, else the login name)."
)


@click.command("review")
@click.option("--terminal", is_flag=True, help="Review here instead of in a browser.")
@click.option("--no-browser", is_flag=True, help="Print the address and do not open a browser.")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="The port to serve on (default: any free one)."
)
@reviewer_option
@wiki_option
@db_option
def review_command(
    terminal: bool,
    no_browser: bool,
    port: int | None,
    reviewer: str | None,
    wiki: str | None,
    db: str | None,
) -> None:
    """Decide about the proposals, one at a time, on a local page or in the terminal.

    \b
    Example:
      wikibot review
      wikibot review --no-browser --port 8127
      wikibot review --terminal
    """
    from wikibot.config import load_settings
    from wikibot.web.serve import serve

    settings = load_settings(port=port, reviewer=reviewer)
    with opened_store(db) as store:
        serve(
            store,
            _reviewer(reviewer),
            port=settings.whole("port"),
            ready=lambda desk: _announce(desk, open_browser=not no_browser),
        )


def _announce(desk: Desk, *, open_browser: bool) -> None:
    """The address is printed at once, whatever standard output is."""
    click.echo(desk.address)
    click.echo(f"Reviewing as {desk.reviewer}. Stop with Ctrl-C.", err=True)
    if open_browser:
        click.launch(desk.address)


def _reviewer(given: str | None) -> str:
    import getpass

    from wikibot.config import load_settings

    return load_settings(reviewer=given).text("reviewer") or getpass.getuser()
