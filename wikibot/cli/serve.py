"""`wikibot serve`."""

from __future__ import annotations

import click

from wikibot.cli.common import db_option, say


@click.command("serve")
@click.option("--api-only", is_flag=True, help="Only the API, on this machine, without login.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The port; 0 means any free one."
)
@click.option("--workers", type=click.IntRange(min=0), help="Processes; 0: one per core.")
@db_option
def serve_command(api_only: bool, port: int, workers: int | None, db: str | None) -> None:
    """Answer programs: links for a page, for any text, and words for a link.

    With --api-only the API is served for the local database on 127.0.0.1, until Ctrl-C. New models
    are taken up while it runs.

    \b
    Example:
      wikibot serve --api-only --port 8080
    """
    if not api_only:
        raise click.UsageError("Say --api-only: only the API can be served so far.")
    from wikibot.api.workers import serve_api
    from wikibot.config import load_settings

    settings = load_settings(db=db, workers=workers)
    serve_api(settings.text("db"), settings, port=port, ready=_say_address)


def _say_address(address: str) -> None:
    say(f"The API answers at {address} (description: {address}/v1/openapi.json). Ctrl-C stops it.")
