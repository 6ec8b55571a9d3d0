"""`wikibot follow`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wikibot.cli.common import db_option, echo_json, json_option, opened_store, say, wiki_option

if TYPE_CHECKING:
    from wikibot.live.follower import Followed


@click.command("follow")
@click.option("--once", is_flag=True, help="End when the queue has caught up with the wiki.")
@click.option("--url", help="The address of the wiki's api.php, where it is not known.")
@wiki_option
@db_option
@json_option
def follow_command(
    once: bool, url: str | None, wiki: str | None, db: str | None, as_json: bool
) -> None:
    """Notice changes on the wiki, and keep the queue up to date within a minute.

    Changed pages are fetched and scored. Proposals whose text is gone leave the queue, moved pages
    keep theirs. Stopped and started again it goes on where it was. New models are taken up.

    \b
    Example:
      wikibot follow
      wikibot follow --once
    """
    from wikibot.cli.fetch import log_in_politely
    from wikibot.config import load_settings
    from wikibot.live.run import address_of, follow
    from wikibot.site.connect import connect
    from wikibot.site.reading import WikiReader
    from wikibot.store.pages import wiki_by_name

    settings = load_settings()
    with opened_store(db) as store:
        with store.reading() as session:
            row = wiki_by_name(session, wiki)
        site = connect(url=url or address_of(row))
        log_in_politely(site)
        reader = WikiReader(site, group_size=settings.whole("group_size"))
        tell = _print_json if as_json else _print
        follow(store, row, reader, settings, once=once, tell=tell, warn=_warn)


def _print_json(found: Followed) -> None:
    echo_json(found.as_json())


def _print(found: Followed) -> None:
    if found.changed or found.moved or found.gone or found.new or found.withdrawn:
        say(
            f"{found.changed} pages changed, {found.moved} moved, {found.gone} gone: {found.new} new "
            f"proposals, {found.refreshed} renewed, {found.withdrawn} withdrawn; "
            f"{found.waiting:,} wait."
        )


def _warn(message: str) -> None:
    say(f"wikibot: {message} Trying again.", err=True)
