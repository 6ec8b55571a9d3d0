"""`wikibot serve`: the review pages for a team, with accounts of the wiki; or the API alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wikibot.cli.common import db_option, missing_extra, say

if TYPE_CHECKING:
    from wikibot.web.team_app import TeamApp

NEEDED = ("authlib", "cryptography", "gunicorn")


@click.command("serve")
@click.option("--api-only", is_flag=True, help="Only the API, on this machine, without login.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Its port; 0 means any free one."
)
@click.option("--address", metavar="URL", help="The service's address as browsers see it.")
@click.option("--listen", metavar="HOST:PORT", help="Where to listen (default: 127.0.0.1:8127).")
@click.option("--workers", type=click.IntRange(1, 64), help="Processes that answer requests.")
@click.option("--check", is_flag=True, help="Check the settings and stop.")
@click.option("--make-key", is_flag=True, help="Write a new key to serve.key_file and stop.")
@db_option
def serve_command(
    api_only: bool,
    port: int,
    address: str | None,
    listen: str | None,
    workers: int | None,
    check: bool,
    make_key: bool,
    db: str | None,
) -> None:
    """Serve the review pages to a team that logs in through the wiki.

    It listens on this machine only; a reverse proxy with TLS stands in front of it. With --api-only it
    answers programs instead, for the local database on 127.0.0.1: links for a page, for any text, and
    words for a link. New models are taken up while it runs.

    \b
    Example:
      wikibot serve --api-only --port 8080
      wikibot serve --make-key
      wikibot serve --check
      wikibot serve --address https://links.example.org
    """
    from wikibot.config import load_settings

    settings = load_settings(db=db, address=address, listen=listen, workers=workers)
    if api_only:
        from wikibot.api.workers import serve_api

        serve_api(settings.text("db"), settings, port=port, ready=_say_address)
        return
    _refuse_without_extra()
    if make_key:
        _make_key(settings.text("key_file"))
        return
    from wikibot.store import open_store
    from wikibot.web.team_server import serve_team, team_from

    if check:
        with open_store(settings.text("db")) as store:
            _say_ready(team_from(store, settings))
        return
    serve_team(settings, listen=settings.text("listen"), ready=_say_ready)


def _refuse_without_extra() -> None:
    from importlib.util import find_spec

    for package in NEEDED:
        if find_spec(package) is None:
            raise click.ClickException(missing_extra(package))


def _make_key(file: str) -> None:
    from wikibot.keys import make_key

    make_key(Path(file))
    say(f"Written: {file}. Keep a copy: without it, everybody has to log in again.")


def _say_ready(team: TeamApp) -> None:
    say(
        f"{team.wiki} at {team.origin}; people log in at {team.consumer.rest_url} and come back to "
        f"{team.consumer.return_address}."
    )


def _say_address(address: str) -> None:
    say(f"The API answers at {address} (description: {address}/v1/openapi.json). Ctrl-C stops it.")
