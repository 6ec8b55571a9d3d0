"""`wikibot why`: why a link is missing, and what would change that."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wikibot.cli.common import db_option, echo_json, json_option, opened_store, say, wiki_option
from wikibot.cli.suggest import read_text

if TYPE_CHECKING:
    from wikibot.why import Why

PLACES_SHOWN = 3


@click.command("why")
@click.argument("titles", nargs=-1, metavar="[PAGE] TARGET")
@click.option("--file", "draft", type=click.Path(path_type=Path), help='A draft instead of a page; "-" reads standard input.')  # fmt: skip
@wiki_option
@db_option
@json_option
def why_command(
    titles: tuple[str, ...], draft: Path | None, wiki: str | None, db: str | None, as_json: bool
) -> None:
    """Say why PAGE gets no link to TARGET: where it is named, what speaks against it, and what
    would change that.

    Ends with code 0 where there is an answer, and with 1 where there is no such page.

    \b
    Example:
      wikibot why Semiconductor Transistor
      wikibot why --file draft.wiki Transistor
    """
    from wikibot.why import why_missing, why_missing_in_draft

    if len(titles) != (1 if draft else 2):
        raise click.UsageError("Give a page and a target, or --file and a target.")
    with opened_store(db) as store:
        if draft is None:
            found = why_missing(store, *titles, wiki=wiki)
        else:
            text = sys.stdin.read() if str(draft) == "-" else read_text(draft)
            name = "draft" if str(draft) == "-" else draft.stem
            found = why_missing_in_draft(store, text, titles[0], name=name, wiki=wiki)
    if as_json:
        echo_json(found.as_json())
    else:
        _tell(found)


def _tell(found: Why) -> None:
    from wikibot.linker.explain import sentence

    say(f"{found.page} → {found.target}")
    if found.note:
        say(str(found.note))
    say(str(found.answer))
    for place in found.places[:PLACES_SHOWN]:
        say(f"  Where: {place.before}[{place.words}]{place.after}".rstrip())
    if found.probability is not None:
        say(f"  Probability: {found.probability:.0%}")
    if found.reasons:
        say(f"  For it: {sentence(found.reasons)}")
    say(f"What would change that: {found.remedy}")
