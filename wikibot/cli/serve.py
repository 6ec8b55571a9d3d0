"""`wikibot serve`: the review pages for a team, with accounts of the wiki; or the API alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wikibot.cli.common import db_option, missing_extra, say

if TYPE_CHECKING:
    from wikibot.config import Settings
    from wikibot.web.team_app import TeamApp

NEEDED = ("apscheduler", "authlib", "cryptography", "gunicorn")


@click.command("serve")
@click.option("--api-only", is_flag=True, help="Only the API, on this machine, without login.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Its port; 0 means any free one."
)
@click.option("--address", metavar="URL", help="The service's address as browsers see it.")
@click.option("--listen", metavar="HOST:PORT", help="Where to listen (default: 127.0.0.1:8127).")
@click.option("--workers", type=click.IntRange(1, 64), help="Processes that answer requests.")
@click.option("--no-jobs", is_flag=True, help="Leave the background work to another process.")
@click.option("--jobs-only", is_flag=True, help="Only the background work, without any page.")
@click.option("--log-format", type=click.Choice(["text", "json"]), help="How the log is written.")
@click.option("--check", is_flag=True, help="Check the settings and stop.")
@click.option("--make-key", is_flag=True, help="Write a new key to serve.key_file and stop.")
@db_option
def serve_command(
    api_only: bool,
    port: int,
    address: str | None,
    listen: str | None,
    workers: int | None,
    no_jobs: bool,
    jobs_only: bool,
    log_format: str | None,
    check: bool,
    make_key: bool,
    db: str | None,
) -> None:
    """Serve the review pages to a team that logs in through the wiki.

    It listens on this machine only; a reverse proxy with TLS stands in front of it. Beside it one
    process does what the settings of the section `jobs` ask for: follow the wiki's changes, publish,
    collect, watch. However many services share a database, one of them does it. With --api-only it
    answers programs instead, for the local database on 127.0.0.1: links for a page, for any text, and
    words for a link. New models are taken up while it runs.

    \b
    Example:
      wikibot serve --api-only --port 8080
      wikibot serve --make-key
      wikibot serve --check
      wikibot serve --address https://links.example.org
      wikibot serve --jobs-only --log-format json
    """
    from wikibot.config import load_settings

    settings = load_settings(
        db=db, address=address, listen=listen, workers=workers, log_format=log_format
    )
    if api_only:
        from wikibot.api.workers import serve_api

        serve_api(settings.text("db"), settings, port=port, ready=_say_address)
        return
    _refuse_without_extra()
    if make_key:
        _make_key(settings.text("key_file"))
        return
    if jobs_only:
        from wikibot.jobs.process import serve_jobs

        serve_jobs(settings)
        return
    _serve(settings, check=check, with_jobs=not no_jobs)


def _serve(settings: Settings, *, check: bool, with_jobs: bool) -> None:
    from wikibot.jobs.process import start_beside
    from wikibot.jobs.work import planned_jobs
    from wikibot.store import open_store
    from wikibot.web.team_server import api_from, serve_team, team_from

    with open_store(settings.text("db")) as store:
        team = team_from(store, settings)
        api = api_from(store, settings, team)
        jobs = planned_jobs(store, settings)
        if check:
            _say_ready(team)
            say(f"Background work: {', '.join(jobs) or 'none'}.")
            say(
                f"Programs: {len(api.tokens)} tokens."
                if api
                else "Programs: none; set api.tokens_file."
            )
            return
    if with_jobs:
        start_beside(settings)
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
